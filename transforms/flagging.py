"""Sample failed edges for people to look at: the same ones on every run, complete in themselves."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.answers import Answer
from schemas.claims import OTHER_FAMILY, Claim
from schemas.evidence import Evidence
from schemas.flagged import Flagged
from schemas.verdicts import FAILED_STATUSES, Verdict
from transforms.tables import register_rows

SEED = "nearmiss"


class Sampled(NamedTuple):
    """A failed edge, drawn for one family."""

    family: str
    verdict: Verdict


register_rows(Flagged, Sampled)


def draw(verdict: Verdict, family: str) -> str:
    """The lot of an edge: a hash that orders edges the same way on every run and runner."""
    name = "\x1f".join((SEED, family, verdict.answer_id, verdict.claim_id, verdict.evidence_id, verdict.version or ""))
    return hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()


class SmallestLots(beam.CombineFn):
    """Keep the `size` elements with the smallest lots: a sample that merging in any order cannot change."""

    def __init__(self, size: int) -> None:
        self.size = size

    def create_accumulator(self) -> list[tuple[str, Sampled]]:
        return []

    def add_input(self, accumulator: list[tuple[str, Sampled]], drawn: tuple[str, Sampled]) -> list[tuple[str, Sampled]]:
        return self._smallest([*accumulator, drawn])

    def merge_accumulators(self, accumulators: Iterable[list[tuple[str, Sampled]]]) -> list[tuple[str, Sampled]]:
        return self._smallest([drawn for accumulator in accumulators for drawn in accumulator])

    def extract_output(self, accumulator: list[tuple[str, Sampled]]) -> list[Sampled]:
        return [sampled for _, sampled in accumulator]

    def _smallest(self, drawn: list[tuple[str, Sampled]]) -> list[tuple[str, Sampled]]:
        return heapq.nsmallest(self.size, drawn, key=lambda lot: lot[0])


def failures(verdict: Verdict) -> Iterator[tuple[tuple[str, str], tuple[str, Sampled]]]:
    """Key a failed edge by (family, status) for each family of its mismatch, or `other`."""
    if verdict.supported or verdict.status not in ("judged", *FAILED_STATUSES):
        return
    for family in verdict.mismatch_families or [OTHER_FAMILY]:
        yield (family, verdict.status), (draw(verdict, family), Sampled(family, verdict))


@dataclass
class SampleFlagged(beam.PTransform):
    """Draw up to `size` failed edges a family and status, with the texts that a person needs to judge them.

    Comes in: a dict of `verdicts`, `claims`, `answers` and `evidence`. Only the texts of edges that were drawn travel.
    """

    size: int = 20

    def expand(self, tables: dict[str, beam.PCollection]) -> beam.PCollection[Flagged]:
        sampled = (
            tables["verdicts"]
            | "KeyFailures" >> beam.FlatMap(failures)
            | "DrawLots" >> beam.CombinePerKey(SmallestLots(self.size))
            | "EachDrawn" >> beam.FlatMap(lambda keyed: keyed[1]).with_output_types(Sampled)
        )
        wanted = beam.pvalue.AsSingleton(sampled | "WantedTexts" >> beam.combiners.ToList() | "Ids" >> beam.Map(_wanted))
        questions = tables["answers"] | "Questions" >> beam.FlatMap(_question, wanted)
        passages = tables["evidence"] | "Passages" >> beam.FlatMap(_passage, wanted)
        claims = tables["claims"] | "ClaimTexts" >> beam.FlatMap(_claim, wanted)
        return sampled | "CompleteRow" >> beam.Map(
            complete, beam.pvalue.AsDict(questions), beam.pvalue.AsDict(passages), beam.pvalue.AsDict(claims)
        ).with_output_types(Flagged)


def _wanted(sampled: list[Sampled]) -> dict[str, set[Any]]:
    verdicts = [one.verdict for one in sampled]
    return {
        "answers": {v.answer_id for v in verdicts},
        "claims": {(v.answer_id, v.claim_id) for v in verdicts},
        "evidence": {(v.evidence_id, v.version) for v in verdicts},
    }


def _question(answer: Answer, wanted: dict[str, set[Any]]) -> Iterator[tuple[str, str]]:
    if answer.answer_id in wanted["answers"]:
        yield answer.answer_id, answer.question


def _passage(evidence: Evidence, wanted: dict[str, set[Any]]) -> Iterator[tuple[tuple[str, str | None], Evidence]]:
    if (evidence.evidence_id, evidence.version) in wanted["evidence"]:
        yield (evidence.evidence_id, evidence.version), evidence


def _claim(claim: Claim, wanted: dict[str, set[Any]]) -> Iterator[tuple[tuple[str, str], str]]:
    if (claim.answer_id, claim.claim_id) in wanted["claims"]:
        yield (claim.answer_id, claim.claim_id), claim.text


def complete(sampled: Sampled, questions: dict[str, str], passages: dict[Any, Evidence], claims: dict[Any, str]) -> Flagged:
    """Put the texts to a drawn edge."""
    verdict = sampled.verdict
    passage = passages.get((verdict.evidence_id, verdict.version))
    return Flagged(
        sampled.family,
        verdict.status,
        verdict.answer_id,
        verdict.claim_id,
        verdict.evidence_id,
        verdict.version,
        question=questions.get(verdict.answer_id, ""),
        claim=claims.get((verdict.answer_id, verdict.claim_id), ""),
        passage=passage.text if passage else None,
        context=passage.context if passage else None,
        uri=passage.uri if passage else None,
        span_start=verdict.span_start,
        span_end=verdict.span_end,
        premise_start=verdict.premise_start,
        premise_end=verdict.premise_end,
        label=verdict.label,
        p_entailment=verdict.p_entailment,
        p_contradiction=verdict.p_contradiction,
        mismatch=verdict.mismatch,
    )
