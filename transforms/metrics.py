"""Citation metrics: ratios over citations, edges and claims, per slice and family, with their denominators."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.aggregates import METRICS, Aggregate
from schemas.claims import FAMILIES, OTHER_FAMILY, Claim
from schemas.verdicts import UNCOUNTED_STATUSES, Verdict
from transforms.tables import register_rows

ALL = "all"
ALL_FAMILIES = (ALL, *FAMILIES, OTHER_FAMILY)


class ScoredAnswer(NamedTuple):
    """One answer's claims with their outcomes, its verdicts, and its part of every ratio: (family, metric) to (numerator,
    denominator)."""

    claims: list[Claim]
    ratios: dict[tuple[str, str], tuple[int, int]]


register_rows(ScoredAnswer, Aggregate)


def is_counted(verdict: Verdict) -> bool:
    """Whether an edge stands in the denominators: judged, or failed by the generator's own doing."""
    return verdict.status not in UNCOUNTED_STATUSES


def claim_outcome(claim: Claim, edges: Iterable[Verdict]) -> str:
    """What became of a claim: support by any edge counts; undecided edges never make a claim fail.

    `unjudged` where no edge supports and one could not be judged; `uncited` where nothing hangs from it.
    """
    if not claim.requires_evidence:
        return "not_required"
    edges = list(edges)
    if any(edge.supported for edge in edges):
        return "supported"
    if any(edge.status == "unjudged" for edge in edges):
        return "unjudged"
    return "unsupported" if any(is_counted(edge) for edge in edges) else "uncited"


def citation_outcome(edges: Iterable[Verdict]) -> bool | None:
    """Whether a citation (its edges at one sentence) holds: one edge supported and none contradicted; None: not decided."""
    edges = list(edges)
    if any(edge.label == "contradiction" for edge in edges if edge.status == "judged"):
        return False
    if any(edge.supported for edge in edges):
        return True
    if any(edge.status == "unjudged" for edge in edges) or not any(is_counted(edge) for edge in edges):
        return None
    return False


def score_answer(claims: Iterable[Claim], verdicts: Iterable[Verdict]) -> ScoredAnswer:
    """Score one answer's claims and edges.

    A claim counts for `all` and for each of its families; a citation for the families of all claims that it hangs from.
    """
    edges: dict[str, list[Verdict]] = defaultdict(list)
    citations: dict[tuple[int, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        edges[verdict.claim_id].append(verdict)
        citations[verdict.sentence, verdict.evidence_id].append(verdict)
    families = {claim.claim_id: claim.families for claim in claims}
    scored = [claim._replace(outcome=claim_outcome(claim, edges[claim.claim_id])) for claim in claims]
    ratios: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    parts = (*_claim_parts(scored, edges), *_edge_parts(edges, families), *_citation_parts(citations, families))
    for family, metric, numerator in parts:
        above, below = ratios[family, metric]
        ratios[family, metric] = (above + numerator, below + 1)
    return ScoredAnswer(scored, dict(ratios))


Part = tuple[str, str, int]


def _claim_parts(claims: list[Claim], edges: dict[str, list[Verdict]]) -> Iterator[Part]:
    for claim in claims:
        if claim.outcome == "not_required":
            continue
        for family in (ALL, *claim.families):
            if claim.outcome != "unjudged":
                yield family, "citation_recall", int(claim.outcome == "supported")
            yield family, "completeness", int(any(edge.status != "dangling" for edge in edges[claim.claim_id]))


def _edge_parts(edges: dict[str, list[Verdict]], families: dict[str, list[str]]) -> Iterator[Part]:
    for claim_id, verdicts in edges.items():
        for verdict in filter(is_counted, verdicts):
            for family in (ALL, *families.get(claim_id, ())):
                yield family, "edge_precision", int(verdict.supported)
                yield family, "dangling_rate", int(verdict.status == "dangling")
                if verdict.status == "judged":
                    yield family, "precision_judged", int(verdict.supported)
            if verdict.status == "judged":
                yield from _mismatch_parts(verdict)


def _mismatch_parts(verdict: Verdict) -> Iterator[Part]:
    """Over all judged edges: `all` any named mismatch, each family its own, `other` a failure that no rule explains."""
    yield ALL, "mismatch_rate", int(bool(verdict.mismatch_families))
    yield OTHER_FAMILY, "mismatch_rate", int(not verdict.supported and not verdict.mismatch_families)
    for family in FAMILIES:
        yield family, "mismatch_rate", int(family in verdict.mismatch_families)


def _citation_parts(citations: dict[tuple[int, str], list[Verdict]], families: dict[str, list[str]]) -> Iterator[Part]:
    for edges in citations.values():
        outcome = citation_outcome(edges)
        if outcome is None:
            continue
        own = dict.fromkeys(family for edge in edges for family in families.get(edge.claim_id, ()))
        for family in (ALL, *own):
            yield family, "citation_precision", int(outcome)


class SumRatios(beam.CombineFn):
    """Add up (numerator, denominator) pairs; counts also the answers that gave a denominator. Integers throughout."""

    def create_accumulator(self) -> tuple[int, int, int]:
        return 0, 0, 0

    def add_input(self, accumulator: tuple[int, int, int], ratio: tuple[int, int]) -> tuple[int, int, int]:
        above, below, clusters = accumulator
        return above + ratio[0], below + ratio[1], clusters + (ratio[1] > 0)

    def merge_accumulators(self, accumulators: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
        merged = (0, 0, 0)
        for above, below, clusters in accumulators:
            merged = (merged[0] + above, merged[1] + below, merged[2] + clusters)
        return merged

    def extract_output(self, accumulator: tuple[int, int, int]) -> tuple[int, int, int]:
        return accumulator


def to_aggregate(key: tuple[str, str, str], sums: tuple[int, int, int], date: dt.date) -> Aggregate:
    """One row of the aggregates table; no denominator, no number.

    >>> to_aggregate(("all", "scope", "edge_precision"), (0, 0, 0), dt.date(2026, 1, 1)).value is None
    True
    """
    above, below, clusters = sums
    value = round(above / below, 6) if below else None
    return Aggregate(date, *key, value=value, low=None, high=None, n=below, n_clusters=clusters)


class CitationMetrics:
    """Citation metrics at several grains."""

    @dataclass
    class PerAnswer(beam.PTransform):
        """Score each answer. Comes in: a dict of `claims` and `verdicts`. Goes out: a ScoredAnswer each."""

        def expand(self, tables: dict[str, beam.PCollection]) -> beam.PCollection[ScoredAnswer]:
            keyed = {
                name: table | f"Key{name.title()}" >> beam.Map(lambda row: (row.answer_id, row)) for name, table in tables.items()
            }
            return (
                keyed
                | "MeetOnAnswer" >> beam.CoGroupByKey()
                | "ScoreAnswer" >> beam.MapTuple(_score_group).with_output_types(ScoredAnswer)
            )

    @dataclass
    class PerSlice(beam.PTransform):
        """Add up scored answers into one Aggregate a slice, family and metric; every combination has its row, n=0 included."""

        date: Any

        def expand(self, answers: beam.PCollection[ScoredAnswer]) -> beam.PCollection[Aggregate]:
            every = answers.pipeline | "EveryRatio" >> beam.Create(
                [((ALL, family, metric), (0, 0)) for family in ALL_FAMILIES for metric in METRICS]
            )
            ratios = answers | "TakeRatios" >> beam.FlatMap(
                lambda answer: [((ALL, *key), ratio) for key, ratio in sorted(answer.ratios.items())]
            )
            return (
                (every, ratios)
                | "WithEmptyRatios" >> beam.Flatten()
                | "SumRatios" >> beam.CombinePerKey(SumRatios())
                | "ToAggregates" >> beam.Map(_to_aggregate, self.date).with_output_types(Aggregate)
            )


def _to_aggregate(keyed: tuple[Any, Any], date: dt.date) -> Aggregate:
    return to_aggregate(*keyed, date)


def _score_group(_: str, sides: dict[str, Iterable[Any]]) -> ScoredAnswer:
    claims = sorted(sides["claims"], key=lambda claim: (claim.sentence, claim.claim_id))
    return score_answer(
        claims, sorted(sides["verdicts"], key=lambda verdict: (verdict.sentence, verdict.claim_id, verdict.evidence_id))
    )
