"""Sample failed edges for people to look at: the same ones on every run, complete in themselves."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.claims import OTHER_FAMILY, Claim
from schemas.evidence import Evidence
from schemas.flagged import Flagged
from schemas.verdicts import FAILED_STATUSES, Verdict
from transforms.questions import AnswerContext
from transforms.tables import lot_of, register_rows

SEED = "nearmiss"
# A failed edge below this probability is a sure failure.
SURE = 0.1
# So that one broken answer does not fill a sample.
PER_ANSWER = 3


class Sampled(NamedTuple):
    """A failed edge, drawn for one family; `rank` is its place among those of its family and status."""

    family: str
    verdict: Verdict
    rank: int = 0


Lot = tuple[tuple[int, str], Sampled]
register_rows(Flagged, Sampled)


def draw(verdict: Verdict, family: str) -> str:
    """The lot of an edge: a hash that orders edges the same way on every run and runner."""
    return lot_of(SEED, family, verdict.answer_id, verdict.claim_id, verdict.evidence_id, verdict.version or "")


class SmallestLots(beam.CombineFn):
    """Keep the `size` elements with the smallest lots: a sample that merging in any order cannot change."""

    def __init__(self, size: int) -> None:
        self.size = size

    def create_accumulator(self) -> list[Lot]:
        return []

    def add_input(self, accumulator: list[Lot], drawn: Lot) -> list[Lot]:
        return self._smallest([*accumulator, drawn])

    def merge_accumulators(self, accumulators: Iterable[list[Lot]]) -> list[Lot]:
        return self._smallest([drawn for accumulator in accumulators for drawn in accumulator])

    def extract_output(self, accumulator: list[Lot]) -> list[Lot]:
        return accumulator

    def _smallest(self, drawn: list[Lot]) -> list[Lot]:
        return heapq.nsmallest(self.size, drawn, key=lambda lot: lot[0])


def priority(verdict: Verdict) -> int:
    """How urgent a failed edge is, least first: a contradiction, a source that has moved since, a sure failure, the rest.

    >>> [priority(Verdict("a", "c", 0, "e", label=label, p_entailment=0.4)) for label in ("contradiction", "neutral")]
    [0, 3]
    """
    if verdict.label == "contradiction":
        return 0
    if verdict.text_changed or verdict.now_status in ("superseded", "retracted", "expired"):
        return 1
    return 2 if verdict.p_entailment is None or verdict.p_entailment <= SURE else 3


def failures(verdict: Verdict) -> Iterator[tuple[tuple[str, str, str], tuple[tuple[int, str], Sampled]]]:
    """Key a failed edge by (family, status, answer) for each family of its mismatch, or `other`."""
    if verdict.joint or verdict.supported or verdict.status not in ("judged", *FAILED_STATUSES):
        return
    for family in verdict.mismatch_families or [OTHER_FAMILY]:
        lot = (priority(verdict), draw(verdict, family))
        yield (family, verdict.status, verdict.answer_id), (lot, Sampled(family, verdict))


@dataclass
class SampleFlagged(beam.PTransform):
    """Draw up to `size` failed edges a family and status, the most urgent first and at most three an answer, with the texts that a
    person needs to judge them.

    Comes in: a dict of `verdicts`, `claims`, `contexts` and `evidence`. Only the texts of edges that were drawn travel.
    """

    size: int = 20

    def expand(self, tables: dict[str, beam.PCollection]) -> beam.PCollection[Flagged]:
        sampled = (
            tables["verdicts"]
            | "KeyFailures" >> beam.FlatMap(failures)
            | "CapAnswers" >> beam.CombinePerKey(SmallestLots(PER_ANSWER))
            | "KeyLots" >> beam.FlatMapTuple(lambda key, lots: [(key[:2], lot) for lot in lots])
            | "DrawLots" >> beam.CombinePerKey(SmallestLots(self.size))
            | "RankDrawn" >> beam.FlatMapTuple(_rank).with_output_types(Sampled)
        )
        wanted = beam.pvalue.AsSingleton(sampled | "WantedTexts" >> beam.combiners.ToList() | "Ids" >> beam.Map(_wanted))
        contexts = tables["contexts"] | "Contexts" >> beam.FlatMap(_context, wanted)
        passages = tables["evidence"] | "Passages" >> beam.FlatMap(_passage, wanted)
        claims = tables["claims"] | "ClaimTexts" >> beam.FlatMap(_claim, wanted)
        return sampled | "CompleteRow" >> beam.Map(
            complete, beam.pvalue.AsDict(contexts), beam.pvalue.AsDict(passages), beam.pvalue.AsDict(claims)
        ).with_output_types(Flagged)


def _rank(_: tuple[str, str], lots: list[Lot]) -> list[Sampled]:
    return [sampled._replace(rank=rank) for rank, (_, sampled) in enumerate(lots, start=1)]


def _wanted(sampled: list[Sampled]) -> dict[str, set[Any]]:
    verdicts = [one.verdict for one in sampled]
    return {
        "answers": {v.answer_id for v in verdicts},
        "claims": {(v.answer_id, v.claim_id) for v in verdicts},
        "evidence": {(v.evidence_id, v.version) for v in verdicts},
    }


def _context(context: AnswerContext, wanted: dict[str, set[Any]]) -> Iterator[tuple[str, AnswerContext]]:
    if context.answer_id in wanted["answers"]:
        yield context.answer_id, context


def _passage(evidence: Evidence, wanted: dict[str, set[Any]]) -> Iterator[tuple[tuple[str, str | None], Evidence]]:
    if (evidence.evidence_id, evidence.version) in wanted["evidence"]:
        yield (evidence.evidence_id, evidence.version), evidence


def _claim(claim: Claim, wanted: dict[str, set[Any]]) -> Iterator[tuple[tuple[str, str], str]]:
    if (claim.answer_id, claim.claim_id) in wanted["claims"]:
        yield (claim.answer_id, claim.claim_id), claim.text


def complete(
    sampled: Sampled, contexts: dict[str, AnswerContext], passages: dict[Any, Evidence], claims: dict[Any, str]
) -> Flagged:
    """Put the texts to a drawn edge."""
    verdict = sampled.verdict
    passage = passages.get((verdict.evidence_id, verdict.version))
    context = contexts.get(verdict.answer_id)
    same = set(Flagged._fields) & set(Verdict._fields)
    return Flagged(
        family=sampled.family,
        rank=sampled.rank,
        question=context.question if context else "",
        answered_at=context.answered_at if context else None,
        build=context.build if context else None,
        claim=claims.get((verdict.answer_id, verdict.claim_id), ""),
        passage=passage.text if passage else None,
        context=passage.context if passage else None,
        uri=passage.uri if passage else None,
        **{name: getattr(verdict, name) for name in same},
    )
