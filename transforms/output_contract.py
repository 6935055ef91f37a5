"""Hold the tables that a run has written against their contracts: the very bytes that are published, in large batches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystems import FileSystems

from schemas.contract import Contract
from schemas.expectations import AGGREGATE, unique_columns
from schemas.rejects import Reject
from transforms.column_types import tally_types
from transforms.contract import check_table
from transforms.tables import WrittenFile, open_file, stable_hash
from transforms.tallies import Key, Tally, keyed

BATCH_ROWS = 10_000


@dataclass
class CheckOutputs(beam.PTransform):
    """Read finished tables back and tally their expectations; a second copy of a key is found by a count over the whole table.

    Comes in: the files written. Goes out: tallies. Only hashes of keys are shuffled.
    """

    folder: str
    contracts: Mapping[str, Contract]

    def expand(self, files: beam.PCollection[WrittenFile]) -> beam.PCollection[tuple[Key, Tally]]:
        checked = files | "ReadBack" >> beam.ParDo(_ReadBack(self.folder, self.contracts)).with_outputs("keys", main="tallies")
        unique = checked.keys | "CountKeys" >> beam.combiners.Count.PerElement() | "TallyKeys" >> beam.MapTuple(_tally_key)
        return (checked.tallies, unique) | "AllTallies" >> beam.Flatten()


@dataclass
class _ReadBack(beam.DoFn):
    folder: str
    contracts: Mapping[str, Contract]

    def process(self, file: WrittenFile) -> Iterator[Any]:
        contract = self.contracts[file.table]
        path = FileSystems.join(self.folder, file.name)
        with open_file(path) as stream:
            parquet = pq.ParquetFile(stream)
            yield from tally_types(parquet.schema_arrow, parquet.metadata.num_rows, contract)
            for batch in parquet.iter_batches(BATCH_ROWS):
                table = pa.Table.from_batches([batch])
                yield from check_table(table, contract)[1]
                yield from (beam.pvalue.TaggedOutput("keys", key) for key in key_hashes(table, contract))


def key_hashes(table: pa.Table, contract: Contract) -> list[tuple[Key, int]]:
    """A hash for each row of what should tell it apart from all others, for each expectation that says so.

    >>> from schemas.contract import contract
    >>> from schemas.claims import Claim
    >>> key_hashes(pa.table({"answer_id": ["a"], "claim_id": ["c"]}), contract("claims"))[0][0]
    ('claims', 23)
    """
    found: list[tuple[Key, int]] = []
    for key, one in keyed(contract.suites, AGGREGATE):
        parts = [table.column(name).to_pylist() for name in one.columns]
        found.extend((key, stable_hash(json.dumps(values, default=str))) for values in zip(*parts, strict=True))
    return found


def _tally_key(keyed_hash: tuple[Key, int], n: int) -> tuple[Key, Tally]:
    return keyed_hash[0], Tally(n, n if n > 1 else 0)


@dataclass
class TallyCopies(beam.PTransform):
    """Tally the uniqueness of an input table from what DropDuplicates decided. Comes in: a dict of `records` (before) and
    `rejects` (after)."""

    contract: Contract

    def expand(self, sides: dict[str, beam.PCollection]) -> beam.PCollection[tuple[Key, Tally]]:
        keys = [key for key, _ in keyed(self.contract.suites, AGGREGATE)]
        columns = unique_columns(self.contract.row_type)
        return (
            sides["records"] | "Records" >> beam.FlatMap(lambda _: [(key, Tally(1, 0)) for key in keys]),
            sides["rejects"] | "Copies" >> beam.FlatMap(_copy, keys, columns),
        ) | "BothSides" >> beam.Flatten()


def _copy(reject: Reject, keys: list[Key], columns: list[str]) -> list[tuple[Key, Tally]]:
    """A copy by its ids, each with its name; a record_id of several ids names them itself."""
    ids = reject.record_id if len(columns) > 1 else f"{columns[0]}={reject.record_id!r}"
    return [(key, Tally(0, 1, (ids or "",))) for key in keys]
