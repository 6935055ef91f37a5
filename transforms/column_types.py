"""Hold the schema of each file against the declaration: types, nested ones included, are the file's, not its values'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from schemas.contract import Contract
from schemas.expectations import SCHEMA
from schemas.types import fields
from transforms.tables import compatible
from transforms.tallies import Key, Tally, keyed


def wrong_columns(found: pa.Schema, row_type: type) -> set[str]:
    """The columns whose type cannot stand for the declared one, and the required ones that are missing.

    >>> from schemas.rejects import Reject
    >>> sorted(wrong_columns(pa.schema([("step", pa.int64()), ("reason", pa.string()), ("message", pa.string())]), Reject))
    ['record', 'record_id', 'source', 'step']
    """
    there = set(found.names)
    return {
        f.name
        for f in fields(row_type)
        if (not compatible(found.field(f.name).type, f.arrow_type) if f.name in there else not f.optional)
    }


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
    """Tally the column types of Parquet files. Comes in: paths; files that cannot be read are the reader's to reject."""

    contract: Contract

    def expand(self, paths: beam.PCollection[str]) -> beam.PCollection[tuple[Key, Tally]]:
        return paths | "ReadSchemas" >> beam.FlatMap(_read_types, self.contract)


def _read_types(path: str, contract: Contract) -> Iterator[tuple[Key, Tally]]:
    try:
        with FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED) as stream:
            parquet = pq.ParquetFile(stream)
            found, n_rows = parquet.schema_arrow, parquet.metadata.num_rows
    except (OSError, pa.ArrowException):
        return
    yield from tally_types(found, n_rows, contract)
