"""Join each edge with the version of its evidence that was valid when the answer was given."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.evidence import Evidence
from transforms.changes import changed_families, changed_text, describe_change
from transforms.edges import Edge
from transforms.tables import register_rows

_BEGINNING = dt.datetime.min.replace(tzinfo=dt.timezone.utc)
_END = dt.datetime.max.replace(tzinfo=dt.timezone.utc)


class BrokenEvidence(NamedTuple):
    """What is left of an evidence row that broke its contract: enough to keep its edges from counting as dangling."""

    evidence_id: str
    version: str | None
    status: str
    valid_from: dt.datetime | None = None
    valid_to: dt.datetime | None = None


class Now(NamedTuple):
    """What has become of a version since: its state, what replaces it, and how the text valid as of the run differs from it."""

    status: str
    superseded_by: str | None = None
    text_changed: bool | None = False
    change: str | None = None
    change_families: tuple[str, ...] = ()


class JoinedEdge(NamedTuple):
    """An edge with its status and, where one applies, the version of the evidence among the `n_valid` valid when it was cited."""

    edge: Edge
    status: str
    version: str | None = None
    evidence: Evidence | None = None
    now: Now | None = None
    n_valid: int = 0
    abstained_status: str | None = None
    exposed: tuple[str, ...] = ()


register_rows(Evidence, BrokenEvidence, Now, JoinedEdge)


def version_as_of(versions: Iterable[Evidence], moment: dt.datetime, requested: str | None = None) -> Evidence | None:
    """Pick the version valid at `moment` (half open: valid_from <= moment < valid_to), or the one asked for.

    Of several valid at once the latest to begin wins, then the greatest version string.

    >>> old = Evidence("e", "1", "d", "30 days", "superseded", valid_to=dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
    >>> new = Evidence("e", "2", "d", "7 days", "current", valid_from=dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
    >>> version_as_of([old, new], dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)).version
    '2'
    """
    if requested is not None:
        return next((version for version in versions if version.version == requested), None)
    valid = [version for version in versions if _is_valid(version, moment)]
    return max(valid, key=lambda v: (v.valid_from or _BEGINNING, v.version), default=None)


def _is_valid(version: Evidence | BrokenEvidence, moment: dt.datetime) -> bool:
    return (version.valid_from or _BEGINNING) <= moment < (version.valid_to or _END)


def edge_status(edge: Edge, evidence: Evidence) -> str:
    """Say whether an edge can be judged on `evidence`, or why not."""
    if evidence.principals is not None and not set(evidence.principals) & set(edge.principals):
        return "forbidden"
    if not (evidence.text or "").strip():
        return "empty_evidence"
    if (evidence.span_start is None) != (evidence.span_end is None):
        return "bad_span"
    if evidence.span_start is not None and not (evidence.text or "")[evidence.span_start : evidence.span_end].strip():
        return "empty_evidence"
    if edge.quote and _squeeze(edge.quote) not in _squeeze(evidence.text or ""):
        return "quote_mismatch"
    return "judged"


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def look_now(judged: Evidence, versions: Iterable[Evidence], now: dt.datetime) -> Now:
    """Say what has become of the judged version at `now`: retracted, superseded (by which version), expired (no version is valid)
    or current; and whether the text valid now is another, white space aside."""
    successor = version_as_of(versions, now)
    status, replaced_by = _now_status(judged, successor, now)
    if successor is None:
        return Now(status, replaced_by, None)
    then_text, now_text = judged.text or "", successor.text or ""
    if not changed_text(then_text, now_text):
        return Now(status, replaced_by)
    return Now(status, replaced_by, True, describe_change(then_text, now_text), tuple(changed_families(then_text, now_text)))


def _now_status(judged: Evidence, successor: Evidence | None, now: dt.datetime) -> tuple[str, str | None]:
    if judged.status == "retracted" or (judged.retracted_at is not None and judged.retracted_at <= now):
        return "retracted", judged.superseded_by
    if (
        successor is not None
        and successor.version != judged.version
        and (successor.valid_from or _BEGINNING) >= (judged.valid_from or _BEGINNING)
    ):
        return "superseded", judged.superseded_by or successor.version
    if judged.status == "superseded":
        return "superseded", judged.superseded_by
    return ("expired" if successor is None and not _is_valid(judged, now) else "current"), None


def older_versions(judged: Evidence, versions: Iterable[Evidence]) -> list[Evidence]:
    """The versions that began before the judged one, the latest first."""
    order = (judged.valid_from or _BEGINNING, judged.version)
    older = [one for one in versions if (one.valid_from or _BEGINNING, one.version) < order]
    return sorted(older, key=lambda one: (one.valid_from or _BEGINNING, one.version), reverse=True)


def join_edge(
    edge: Edge,
    versions: list[Evidence],
    broken: list[BrokenEvidence],
    now: dt.datetime,
    incomplete: bool,
    look: Callable[[Evidence, list[Evidence], dt.datetime], Now] = look_now,
) -> JoinedEdge:
    """Give an edge its status against all versions of its evidence.

    `broken` are the rows of this id that broke their contract, `incomplete` says that evidence files or rows without an id were
    lost: an id that nothing defines is then unjudged instead of dangling, for a fault of ours is never the generator's. The edge of
    an abstention stays `abstained`, with the status that it would have otherwise beside it.
    """
    if edge.status == "abstained":
        otherwise = join_edge(edge._replace(status=None), versions, broken, now, incomplete, look)
        return JoinedEdge(edge, "abstained", abstained_status=otherwise.status)
    if edge.status is not None:
        return JoinedEdge(edge, edge.status)
    found = version_as_of(versions, edge.answered_at, edge.version)
    lost = _lost_version(broken, edge, found)
    if lost is not None:
        return JoinedEdge(edge, lost.status, lost.version)
    if found is not None:
        n_valid = sum(_is_valid(version, edge.answered_at) for version in versions)
        return JoinedEdge(edge, edge_status(edge, found), found.version, found, look(found, versions, now), n_valid)
    if incomplete:
        return JoinedEdge(edge, "unjudged", edge.version)
    return JoinedEdge(edge, "no_version" if versions or broken else "dangling", edge.version)


def _lost_version(broken: list[BrokenEvidence], edge: Edge, found: Evidence | None) -> BrokenEvidence | None:
    """The broken row that this edge would have been joined with, had it kept its contract."""
    if edge.version is not None:
        return None if found else next((row for row in broken if row.version in (None, edge.version)), None)
    valid = [row for row in broken if _is_valid(row, edge.answered_at)]
    latest = max(valid, key=lambda row: (row.valid_from or _BEGINNING, row.version or ""), default=None)
    if latest is None or found is None:
        return latest
    return latest if (latest.valid_from or _BEGINNING) > (found.valid_from or _BEGINNING) else None


@dataclass
class JoinEvidenceAsOf(beam.PTransform):
    """Join edges with evidence versions on the evidence id.

    Comes in: a dict of `edges`, `evidence`, `broken` and `siblings` (((evidence_id, version), families)); side inputs `now` (the
    run's as-of moment) and `incomplete`.
    Goes out: one JoinedEdge an edge.
    """

    now: Any
    incomplete: Any

    def expand(self, tables: dict[str, beam.PCollection]) -> beam.PCollection[JoinedEdge]:
        keyed = {
            "edges": tables["edges"] | "KeyEdges" >> beam.Map(lambda edge: (edge.evidence_id, edge)),
            "evidence": tables["evidence"] | "KeyEvidence" >> beam.Map(lambda row: (row.evidence_id, row)),
            "broken": tables["broken"] | "KeyBroken" >> beam.Map(lambda row: (row.evidence_id, row)),
            "siblings": tables["siblings"] | "KeySiblings" >> beam.Map(lambda found: (found[0][0], (found[0][1], found[1]))),
        }
        return (
            keyed
            | "MeetOnEvidenceId" >> beam.CoGroupByKey()
            | "PickVersions" >> beam.FlatMap(_join_group, self.now, self.incomplete).with_output_types(JoinedEdge)
        )


def _join_group(group: tuple[str, dict[str, Iterable[Any]]], now: dt.datetime, incomplete: bool) -> Iterator[JoinedEdge]:
    _, sides = group
    versions = sorted(sides["evidence"], key=lambda row: row.version)
    broken = sorted(sides["broken"], key=lambda row: (row.version or "", row.status))
    siblings = dict(sides["siblings"])
    looked: dict[str, Now] = {}

    def look(judged: Evidence, versions: list[Evidence], now: dt.datetime) -> Now:
        # An id that every answer cites is compared with its text of today once, not once an edge.
        if judged.version not in looked:
            looked[judged.version] = look_now(judged, versions, now)
        return looked[judged.version]

    for edge in sides["edges"]:
        joined = join_edge(edge, versions, broken, now, incomplete, look)
        yield joined._replace(exposed=siblings.get(joined.version, ())) if joined.evidence else joined
