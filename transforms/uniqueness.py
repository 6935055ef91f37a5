"""Find records that share an id: no batch sees them all, so that a Beam aggregate decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.rejects import Reject
from schemas.types import to_plain
from transforms.tables import record_json


def content_hash(record: Any) -> str:
    """Hash a record's whole content."""
    plain = json.dumps(to_plain(record), default=str, sort_keys=True)
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def verdict_on(copies: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Say what becomes of records that share an id, by source: exact copies leave one, different contents leave none.

    Comes in: (content hash, source). Goes out: source to `duplicate` or `conflicting`, nothing for the one that stays.

    >>> verdict_on([("a", "file#1"), ("a", "file#2")])
    {'file#2': 'duplicate'}
    """
    ordered = sorted(copies, key=lambda copy: copy[1])
    if len({content for content, _ in ordered}) > 1:
        return {source: "conflicting" for _, source in ordered}
    return {source: "duplicate" for _, source in ordered[1:]}


@dataclass
class DropDuplicates(beam.PTransform):
    """Keep one of exact copies and none of records that share an id but differ.

    Comes in: (source, record). Goes out: a dict of `records` (sourced), `rejects` and `broken` (the records that conflict).
    Only ids and hashes are shuffled; the few sources to drop come back as a side input.
    """

    step: str
    noun: str
    key: Callable[[Any], str]

    def expand(self, records: beam.PCollection[tuple[str, Any]]) -> dict[str, beam.PCollection]:
        dropped = (
            records
            | "KeyById" >> beam.MapTuple(lambda source, record, key=self.key: (key(record), (content_hash(record), source)))
            | "GroupIds" >> beam.GroupByKey()
            | "FindCopies" >> beam.FlatMapTuple(lambda _, copies: sorted(verdict_on(copies).items()))
        )
        sorted_out = records | "DropCopies" >> beam.FlatMap(self._sort_out, beam.pvalue.AsDict(dropped)).with_outputs(
            "rejects", "broken", main="records"
        )
        return {tag: sorted_out[tag] for tag in ("records", "rejects", "broken")}

    def _sort_out(self, sourced: tuple[str, Any], dropped: dict[str, str]) -> Iterator[Any]:
        source, record = sourced
        kind = dropped.get(source)
        if kind is None:
            yield source, record
            return
        record_id = self.key(record)
        fix = "one copy is kept" if kind == "duplicate" else "none is scored; give each content its own id"
        content = "the same" if kind == "duplicate" else "another"
        message = f"{source}: {self.noun} {record_id!r} occurs more than once with {content} content; {fix}"
        yield beam.pvalue.TaggedOutput(
            "rejects", Reject(self.step, f"{kind}_{self.noun}", message, source, record_id, record_json(to_plain(record)))
        )
        if kind == "conflicting":
            yield beam.pvalue.TaggedOutput("broken", record)
