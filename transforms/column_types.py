"""Hold the schema of each file against the declaration: types, nested ones included, are the file's, not its values'."""

from __future__ import annotations

from dataclasses import dataclass

import apache_beam as beam
import pyarrow as pa

from schemas.contract import Contract
from schemas.expectations import SCHEMA
from schemas.types import fields
from transforms.tables import FileSchema, column_fault
from transforms.tallies import Key, Tally, keyed


def wrong_columns(found: pa.Schema, row_type: type) -> set[str]:
    """The columns whose type cannot stand for the declared one, and the required ones that are missing.

    >>> from schemas.rejects import Reject
    >>> sorted(wrong_columns(pa.schema([("step", pa.int64()), ("reason", pa.string()), ("message", pa.string())]), Reject))
    ['record', 'record_id', 'source', 'step']
    """
    return {field.name for field in fields(row_type) if column_fault(found, field)}


def tally_types(found: pa.Schema, n_rows: int, contract: Contract) -> list[tuple[Key, Tally]]:
    """Tally a file's columns: all of its rows are good, or none is."""
    wrong = wrong_columns(found, contract.row_type)
    # A file without rows can be wrong too.
    return [
        (key, Tally(max(n_rows, 1), max(n_rows, 1)) if one.column in wrong else Tally(n_rows, 0))
        for key, one in keyed(contract.suites, SCHEMA)
    ]


@dataclass
class CheckTypes(beam.PTransform):
    """Tally the column types of Parquet files. Comes in: their FileSchemas; what cannot be read is the reader's to reject."""

    contract: Contract

    def expand(self, files: beam.PCollection[FileSchema]) -> beam.PCollection[tuple[Key, Tally]]:
        return files | "TallyTypes" >> beam.FlatMap(_tally_file, self.contract)


def _tally_file(file: FileSchema, contract: Contract) -> list[tuple[Key, Tally]]:
    return tally_types(file.schema, file.n_rows, contract)
