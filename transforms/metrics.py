"""Citation metrics: ratios over citations, edges and claims, per slice and family, with intervals and corrections."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.aggregates import METRICS, Aggregate
from schemas.calibration import CalibrationRecord
from schemas.claims import CAUSES, FAMILIES, OTHER_FAMILY, Claim
from schemas.review import Review
from schemas.verdicts import Verdict
from transforms.correction import corrected, corrected_part
from transforms.intervals import Estimate, RatioSums, SumRatios, macro, micro
from transforms.outcomes import citation_outcome, edges_by_claim, finish_claim, finish_edges, is_counted, read_replies
from transforms.questions import AnswerContext, Reply
from transforms.tables import register_rows

ALL = "all"
ALL_FAMILIES = (ALL, *FAMILIES, OTHER_FAMILY)


# What labels can correct: the unit that they label, the ratio over what the checker judged, and its share in the whole.
_JUDGED = ("edge", "precision_judged", "judged_share")
_DECIDED = ("claim", "recall_judged", "recall_judged_share")
_CORRECTABLE = {"precision_judged": _JUDGED, "edge_precision": _JUDGED, "recall_judged": _DECIDED, "citation_recall": _DECIDED}


class ScoredAnswer(NamedTuple):
    """One answer's claims with their outcomes, its verdicts, those of joint sets included, the spans of it that have moved, and its
    part of every ratio: (family, metric) to (numerator, denominator)."""

    claims: list[Claim]
    verdicts: list[Verdict]
    reviews: list[Review]
    ratios: dict[tuple[str, str], tuple[int, int]]
    slices: tuple[str, ...] = ()


register_rows(ScoredAnswer, Aggregate, Review)


def score_answer(
    context: AnswerContext, claims: Iterable[Claim], verdicts: Iterable[Verdict], replies: Iterable[Reply] = ()
) -> ScoredAnswer:
    """Score one answer's claims and edges.

    A claim counts for `all` and for each of its families; a citation and a sentence for the families of all its claims.
    """
    claims = sorted(claims, key=lambda claim: (claim.sentence, claim.claim_id))
    grouped = edges_by_claim(verdicts)
    asked: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        asked[reply.claim_id].append(reply)
    read = {claim_id: read_replies(asked[claim_id]) for claim_id in {*grouped, *(claim.claim_id for claim in claims)}}
    edges = {claim_id: finish_edges(own, context.retrieved, read[claim_id]) for claim_id, own in grouped.items()}
    scored = [finish_claim(claim, edges.get(claim.claim_id, []), read[claim.claim_id]) for claim in claims]
    joint = [found.joint for _, found in sorted(read.items()) if found.joint is not None]
    every = [edge for own in edges.values() for edge in own]
    return ScoredAnswer(scored, [*every, *joint], _reviews(context, scored, every), count_ratios(scored, edges), context.slices)


def _reviews(context: AnswerContext, claims: list[Claim], edges: list[Verdict]) -> list[Review]:
    """The judged spans whose version is no longer the one to cite, or whose text is another now."""
    texts = {claim.claim_id: claim.text for claim in claims}
    return [
        Review(
            edge.answer_id,
            context.answered_at,
            context.question,
            edge.claim_id,
            texts.get(edge.claim_id, ""),
            edge.evidence_id,
            edge.version,
            edge.now_status,
            edge.superseded_by,
            edge.source_type,
            edge.text_changed,
            edge.change,
            edge.change_families,
            edge.supported,
            edge.supported_now,
        )
        for edge in edges
        if edge.status == "judged" and edge.now_status and (edge.now_status != "current" or edge.text_changed)
    ]


Part = tuple[str, str, int]


def count_ratios(claims: Sequence[Claim], edges: Mapping[str, list[Verdict]]) -> dict[tuple[str, str], tuple[int, int]]:
    """An answer's part of every ratio: (family, metric) to (numerator, denominator)."""
    families = {claim.claim_id: claim.families for claim in claims}
    ratios: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    parts = (
        *_claim_parts(claims, edges),
        *_sentence_parts(claims),
        *_edge_parts(edges, families),
        *_citation_parts(edges, families),
    )
    for family, metric, numerator in parts:
        above, below = ratios[family, metric]
        ratios[family, metric] = (above + numerator, below + 1)
    return dict(ratios)


def _claim_parts(claims: Iterable[Claim], edges: Mapping[str, list[Verdict]]) -> Iterator[Part]:
    for claim in claims:
        if claim.outcome == "not_required":
            continue
        own = edges.get(claim.claim_id, [])
        for metric, numerator in _claim_ratios(claim, own):
            yield from ((family, metric, int(numerator)) for family in (ALL, *claim.families))


def _claim_ratios(claim: Claim, own: list[Verdict]) -> Iterator[tuple[str, bool]]:
    supported, judged = claim.outcome == "supported", any(edge.status == "judged" for edge in own)
    yield "completeness", any(edge.status != "dangling" for edge in own)
    if claim.outcome == "unjudged":
        return
    yield "citation_recall", supported
    yield "recall_judged_share", judged
    if judged:
        yield "recall_judged", supported
        yield "conflict_rate", claim.conflicting
    if supported:
        yield "secondary_only_rate", claim.secondary_only
    elif claim.cause != "not_sought":
        yield from ((f"cause_{cause}", claim.cause == cause) for cause in CAUSES if cause != "not_sought")


def _sentence_parts(claims: Iterable[Claim]) -> Iterator[Part]:
    """A sentence is partial where some of its required claims are supported and others are not."""
    sentences: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.outcome not in ("not_required", "unjudged"):
            sentences[claim.sentence].append(claim)
    for own in sentences.values():
        partial = len({claim.outcome == "supported" for claim in own}) > 1
        for family in dict.fromkeys((ALL, *(family for claim in own for family in claim.families))):
            yield family, "partial_rate", int(partial)


def _edge_parts(edges: Mapping[str, list[Verdict]], families: dict[str, list[str]]) -> Iterator[Part]:
    for claim_id, verdicts in edges.items():
        for verdict in filter(is_counted, verdicts):
            for metric, numerator in _edge_ratios(verdict):
                yield from ((family, metric, int(numerator)) for family in (ALL, *families.get(claim_id, ())))
            if verdict.status == "judged":
                yield from _mismatch_parts(verdict)
                yield from _exposure_parts(verdict)


def _edge_ratios(verdict: Verdict) -> Iterator[tuple[str, bool]]:
    judged = verdict.status == "judged"
    yield "edge_precision", verdict.supported
    yield "dangling_rate", verdict.status == "dangling"
    yield "judged_share", judged
    if judged:
        yield "precision_judged", verdict.supported
        yield "irrelevant_rate", verdict.role == "irrelevant"
        yield "redundant_rate", verdict.role == "redundant"


def _mismatch_parts(verdict: Verdict) -> Iterator[Part]:
    """Over all judged edges: `all` any named mismatch, each family its own, `other` a failure that no rule explains."""
    yield ALL, "mismatch_rate", int(bool(verdict.mismatch_families))
    yield OTHER_FAMILY, "mismatch_rate", int(not verdict.supported and not verdict.mismatch_families)
    for family in FAMILIES:
        yield family, "mismatch_rate", int(family in verdict.mismatch_families)


def _exposure_parts(verdict: Verdict) -> Iterator[Part]:
    """Over all judged edges, by the family in which a sibling passage exists: `all` in any."""
    for family in (ALL, *FAMILIES):
        exposed = bool(verdict.exposed) if family == ALL else family in verdict.exposed
        yield family, "exposure", int(exposed)
        yield family, "precision_exposed" if exposed else "precision_unexposed", int(verdict.supported)


def _citation_parts(edges: Mapping[str, list[Verdict]], families: dict[str, list[str]]) -> Iterator[Part]:
    citations: dict[tuple[int, str], list[Verdict]] = defaultdict(list)
    for verdict in (verdict for own in edges.values() for verdict in own):
        citations[verdict.sentence, verdict.evidence_id].append(verdict)
    for own in citations.values():
        stated = dict.fromkeys((ALL, *(family for edge in own for family in families.get(edge.claim_id, ()))))
        for metric, joint in (("citation_precision", False), ("citation_precision_joint", True)):
            outcome = citation_outcome(own, joint=joint)
            if outcome is not None:
                yield from ((family, metric, int(outcome)) for family in stated)


def slice_aggregates(
    name: str, family: str, sums: Mapping[str, RatioSums], date: dt.date, record: CalibrationRecord | None
) -> Iterator[Aggregate]:
    """The rows of one slice and family, micro and macro for every metric; no denominator, no number.

    >>> rows = list(slice_aggregates("all", "scope", {}, dt.date(2026, 1, 1), None))
    >>> len(rows) == 2 * len(METRICS) and all(row.value is None and row.n == 0 for row in rows)
    True
    """
    for metric in METRICS:
        own = sums.get(metric, RatioSums())
        row = _aggregate((date, name, family, metric), micro(own), "micro")
        yield _with_correction(row, sums, record) if record is not None and metric in _CORRECTABLE else row
        yield _aggregate((date, name, family, metric), macro(own), "macro")


def _aggregate(key: tuple[dt.date, str, str, str], found: Estimate, average: str) -> Aggregate:
    return Aggregate(*key, found.value, found.low, found.high, found.n, found.n_clusters, average)


def _with_correction(row: Aggregate, sums: Mapping[str, RatioSums], record: CalibrationRecord) -> Aggregate:
    unit, part, share = _CORRECTABLE[row.metric]
    error = record.error_of(unit, row.family)
    judged, whole = sums.get(part, RatioSums()), row.slice == ALL
    if row.metric == part:
        found = corrected(judged, error, whole_traffic=whole)
    else:
        shares = sums.get(share, RatioSums())
        found = corrected_part(sums.get(row.metric, RatioSums()), judged, shares, error, whole_traffic=whole)
    return row._replace(
        corrected=found.value,
        corrected_low=found.low,
        corrected_high=found.high,
        correction=found.method,
        correction_reason=found.reason,
    )


class CitationMetrics:
    """Citation metrics at several grains."""

    @dataclass
    class PerAnswer(beam.PTransform):
        """Score each answer. Comes in: a dict of `claims`, `verdicts`, `replies` and `contexts`. Goes out: a ScoredAnswer each."""

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
        """Add up scored answers into Aggregates; every slice, family and metric has its rows, n=0 included."""

        date: Any
        record: CalibrationRecord | None = None

        def expand(self, answers: beam.PCollection[ScoredAnswer]) -> beam.PCollection[Aggregate]:
            every = answers.pipeline | "EverySlice" >> beam.Create([ALL])
            slices = (every, answers | "Slices" >> beam.FlatMap(lambda answer: answer.slices)) | "AllSlices" >> beam.Flatten()
            empty = slices | "Distinct" >> beam.Distinct() | "EveryRow" >> beam.FlatMap(_empty_rows)
            return (
                (empty, answers | "TakeRatios" >> beam.FlatMap(_take_ratios))
                | "WithEmptyRows" >> beam.Flatten()
                | "SumRatios" >> beam.CombinePerKey(SumRatios())
                | "KeyByFamily" >> beam.MapTuple(lambda key, sums: (key[:2], (key[2], sums)))
                | "GroupMetrics" >> beam.GroupByKey()
                | "ToAggregates" >> beam.FlatMap(_to_aggregates, self.date, self.record).with_output_types(Aggregate)
            )


Ratio = tuple[tuple[str, str, str], tuple[int, int]]


def _empty_rows(name: str) -> list[Ratio]:
    return [((name, family, METRICS[0]), (0, 0)) for family in ALL_FAMILIES]


def _take_ratios(answer: ScoredAnswer) -> Iterator[Ratio]:
    for (family, metric), ratio in sorted(answer.ratios.items()):
        yield from (((name, family, metric), ratio) for name in (ALL, *answer.slices))


def _to_aggregates(
    group: tuple[tuple[str, str], Iterable[tuple[str, RatioSums]]], date: dt.date, record: CalibrationRecord | None
) -> Iterator[Aggregate]:
    (name, family), sums = group
    return slice_aggregates(name, family, dict(sums), date, record)


def _score_group(_: str, sides: dict[str, Iterable[Any]]) -> ScoredAnswer:
    return score_answer(next(iter(sides["contexts"])), sides["claims"], sides["verdicts"], sides["replies"])
