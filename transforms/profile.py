"""Profile the input: what columns the files have, how much of each is null, how long answers are, what they cite and state.

Everything is a sum of integers, so that the same input gives the same profile on every run and runner.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from schemas.claims import FAMILIES, NOT_REQUIRED_REASONS, OTHER_FAMILY
from transforms.metrics import ScoredAnswer
from transforms.tables import Batch, FileSchema

VERSION = 1
# Lower edges: characters double, citations are fine where most answers are.
LENGTH_EDGES = (0, 1, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
CITATION_EDGES = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20)
EDGES = {"answer_length": LENGTH_EDGES, "text_length": LENGTH_EDGES, "citations": CITATION_EDGES}
TEXTS = {"answers": "answer", "evidence": "text"}
REQUIRED = "required"
GROUPS = {"families": (*FAMILIES, OTHER_FAMILY), "reasons": (REQUIRED, *NOT_REQUIRED_REASONS)}

Key = tuple[str, str, str, str]
Sums = tuple[int, ...]


class Share(NamedTuple):
    """A share with what its noise needs when parts come in clusters (claims in an answer, citations in a row).

    `n` units, `part` of them counted; over clusters, the sums of n * n, n * part and part * part.
    """

    n: int = 0
    part: int = 0
    n_n: int = 0
    n_part: int = 0
    part_part: int = 0


def cluster(n: int, part: int) -> Share:
    """The share of one cluster.

    >>> cluster(3, 1)
    Share(n=3, part=1, n_n=9, n_part=3, part_part=1)
    """
    return Share(n, part, n * n, n * part, part * part)


def column_types(schema: pa.Schema) -> dict[str, str]:
    """The columns of a file with their types; members of structs, in lists too, are columns of their own.

    >>> inner = pa.struct([("marker", pa.string())])
    >>> column_types(pa.schema([("answer_id", pa.string()), ("citations", pa.list_(inner))]))
    {'answer_id': 'string', 'citations': 'list<struct>', 'citations.marker': 'string'}
    """
    return {name: kind for field in schema for name, kind in _column_types(field.name, field.type)}


def _column_types(name: str, kind: pa.DataType) -> Iterator[tuple[str, str]]:
    inner = kind.value_type if _is_list(kind) else kind
    if not pa.types.is_struct(inner):
        # Writers name a list's item as they like: that is no change of the data.
        yield name, f"list<{inner}>" if _is_list(kind) else str(kind)
        return
    yield name, "list<struct>" if _is_list(kind) else "struct"
    for child in inner:
        yield from _column_types(f"{name}.{child.name}", child.type)


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


def null_shares(table: pa.Table) -> dict[str, Share]:
    """The share of nulls in each column, and in each member of a list of structs with rows as clusters."""
    found = {}
    for field in table.schema:
        column = table.column(field.name).combine_chunks()
        found[field.name] = Share(len(column), column.null_count, len(column), column.null_count, column.null_count)
        if _is_list(field.type) and pa.types.is_struct(field.type.value_type):
            for i, child in enumerate(field.type.value_type):
                found[f"{field.name}.{child.name}"] = _member_share(column, i)
    return found


def _member_share(column: pa.ListArray, member: int) -> Share:
    nulls = pc.cast(pc.is_null(pc.struct_field(pc.list_flatten(column), member)), pa.int64())
    rows = pa.table({"row": pc.list_parent_indices(column), "null": nulls}).group_by("row")
    grouped = rows.aggregate([("null", "sum"), ("null", "count")])
    part, n = grouped.column("null_sum"), grouped.column("null_count")
    sums = (n, part, pc.multiply(n, n), pc.multiply(n, part), pc.multiply(part, part))
    return Share(*(pc.sum(one).as_py() or 0 for one in sums))


def cited_ids(answer: Mapping[str, Any]) -> int:
    """How many different evidence ids an answer declares, by citation or by structured claim.

    >>> cited_ids({"citations": [{"evidence_id": "a"}, {"evidence_id": "a"}], "claims": [{"evidence_ids": ["b"]}]})
    2
    """
    declared = {one["evidence_id"] for one in answer["citations"] or [] if one}
    structured = {one for claim in answer["claims"] or [] if claim for one in claim["evidence_ids"] or []}
    return len(declared | structured)


def histogram(name: str, numbers: Iterable[int]) -> dict[tuple[str, int], int]:
    """Count numbers by (name, lower edge of their bin).

    >>> histogram("citations", [0, 5, 6])
    {('citations', 0): 1, ('citations', 5): 2}
    """
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for number in numbers:
        counts[name, EDGES[name][bisect_right(EDGES[name], number) - 1]] += 1
    return dict(counts)


def profile_batch(step: str, batch: Batch) -> Iterator[tuple[Key, Sums]]:
    """The part that a row group has in the profile of its table."""
    yield (step, "rows", "", ""), (batch.table.num_rows,)
    for column, share in null_shares(batch.table).items():
        yield (step, "nulls", column, ""), tuple(share)
    text = TEXTS[step]
    lengths = [n for n in pc.utf8_length(batch.table.column(text)).to_pylist() if n is not None]
    numbers = {f"{text}_length": lengths}
    if step == "answers":
        numbers["citations"] = [cited_ids(record) for record in batch.records]
    for name, found in numbers.items():
        yield (step, "totals", name, ""), (len(found), sum(found))
        for (_, edge), n in histogram(name, found).items():
            yield (step, "histograms", name, str(edge)), (n,)


def profile_claims(answer: ScoredAnswer) -> Iterator[tuple[Key, Sums]]:
    """The part that an answer has in the mix of families, and of reasons why a claim needs no evidence."""
    n = len(answer.claims)
    for family in GROUPS["families"]:
        yield ("claims", "families", family, ""), cluster(n, sum(family in claim.families for claim in answer.claims))
    for reason in GROUPS["reasons"]:
        yield ("claims", "reasons", reason, ""), cluster(n, sum((one.reason or REQUIRED) == reason for one in answer.claims))


@dataclass
class ProfileTable(beam.PTransform):
    """Profile one input table as it was read, before any contract.

    Comes in: a dict of `schemas` and `batches`. Goes out: (key, sums) that add up.
    """

    step: str

    def expand(self, parts: dict[str, beam.PCollection]) -> beam.PCollection[tuple[Key, Sums]]:
        files = parts["schemas"] | "ProfileFiles" >> beam.FlatMap(_profile_file, self.step).with_output_types(tuple[Key, Sums])
        rows = parts["batches"] | "ProfileRows" >> beam.FlatMap(_profile_rows, self.step).with_output_types(tuple[Key, Sums])
        return (files, rows) | "FilesAndRows" >> beam.Flatten()


def _profile_rows(batch: Batch, step: str) -> Iterator[tuple[Key, Sums]]:
    return profile_batch(step, batch)


def _profile_file(file: FileSchema, step: str) -> Iterator[tuple[Key, Sums]]:
    """The columns of a file, one that is rejected for its schema too; what cannot be read at all is among the rejects."""
    yield (step, "files", "", ""), (1,)
    for column, kind in column_types(file.schema).items():
        yield (step, "types", column, kind), (1,)


@dataclass
class ProfileClaims(beam.PTransform):
    """Profile what the answers state. Goes out: (key, sums) that add up."""

    def expand(self, answers: beam.PCollection[ScoredAnswer]) -> beam.PCollection[tuple[Key, Sums]]:
        return answers | "TakeShares" >> beam.FlatMap(profile_claims).with_output_types(tuple[Key, Sums])


@dataclass
class AddUpProfile(beam.PTransform):
    """Add up the parts of a profile into one: a dict ready for JSON, alone in its collection."""

    def expand(self, parts: beam.PCollection[tuple[Key, Sums]]) -> beam.PCollection[dict[str, Any]]:
        return (
            parts
            | "SumParts" >> beam.CombinePerKey(add_up)
            | "ListParts" >> beam.combiners.ToList()
            | "Assemble" >> beam.Map(assemble)
        )


def add_up(parts: Iterable[Sums]) -> Sums:
    """Add sums position by position; nothing stands for zeros.

    >>> add_up([(1, 2), (), (3, 4)])
    (4, 6)
    """
    return tuple(sum(column) for column in zip(*(part for part in parts if part), strict=True))


def assemble(parts: Iterable[tuple[Key, Sums]]) -> dict[str, Any]:
    """Arrange a profile's sums as one document, in an order that depends on nothing but the sums."""
    sums = dict(parts)
    tables = {step: _table(step, sums) for step in TEXTS}
    shares = {kind: {name: _share(sums, ("claims", kind, name, "")) for name in names} for kind, names in GROUPS.items()}
    return {"version": VERSION, "tables": tables, "claims": shares}


def _table(step: str, sums: Mapping[Key, Sums]) -> dict[str, Any]:
    types: dict[str, dict[str, int]] = defaultdict(dict)
    for (_, _, column, kind), (n,) in sorted(item for item in sums.items() if item[0][:2] == (step, "types")):
        types[column][kind] = n
    nulls = sorted(key for key in sums if key[:2] == (step, "nulls"))
    names = sorted({key[2] for key in sums if key[:2] == (step, "histograms")})
    return {
        "files": sums.get((step, "files", "", ""), (0,))[0],
        "rows": sums.get((step, "rows", "", ""), (0,))[0],
        "types": dict(types),
        "nulls": {key[2]: _share(sums, key) for key in nulls},
        "histograms": {name: _histogram(step, name, sums) for name in names},
    }


def _share(sums: Mapping[Key, Sums], key: Key) -> dict[str, int]:
    return Share(*sums.get(key, ()))._asdict()


def _histogram(step: str, name: str, sums: Mapping[Key, Sums]) -> dict[str, Any]:
    n, total = sums[step, "totals", name, ""]
    counts = [sums.get((step, "histograms", name, str(edge)), (0,))[0] for edge in EDGES[name]]
    return {"edges": list(EDGES[name]), "counts": counts, "n": n, "sum": total}
