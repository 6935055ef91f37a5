"""Cut answers into claims: structured ones as they are, others by Markdown-aware sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.answers import Answer
from schemas.claims import Claim, Span
from schemas.rejects import Reject
from schemas.types import to_plain
from transforms.citations import Marker, find_markers, strip_markers
from transforms.requires_evidence import evidence_reason
from transforms.sentences import Sentence, mask_code, split_sentences
from transforms.tables import record_json, register_rows

SPLITTER = "sentences-1"


class InvalidClaims(ValueError):
    """Structured claims that contradict themselves."""


class SplitAnswer(NamedTuple):
    """An answer with its claims; `labels[i]` are the markers that hang from `claims[i]`, in order, doubles included; `unplaced`
    those that stand where no claim is."""

    answer: Answer
    claims: list[Claim]
    labels: list[list[str]]
    unplaced: list[str]
    unparsed: int


register_rows(Answer, Claim, SplitAnswer)


def split_answer(answer: Answer) -> SplitAnswer:
    """Cut an answer into claims with offsets.

    Structured claims are taken as they are, but for markers in their words. Otherwise each sentence that holds words beside its
    markers is one claim; a marker belongs to the sentence that it stands in or directly follows. Raises InvalidClaims where
    structured claims contradict themselves.
    """
    if answer.claims is not None:
        return _structured(answer)
    masked = mask_code(answer.answer)
    declared = frozenset(citation.marker for citation in answer.citations or [] if citation.marker)
    markers, unparsed = find_markers(masked, declared=declared)
    claims: list[Claim] = []
    labels: list[list[str]] = []
    bounds: list[tuple[int, int]] = []
    for index, sentence in enumerate(split_sentences(answer.answer, declared)):
        own = [marker for marker in markers if sentence.start <= marker.start < sentence.end]
        text = strip_markers(sentence.text, own, offset=sentence.start)
        if any(character.isalnum() for character in text):
            claims.append(_claim(answer.answer_id, index, text, sentence, own))
            labels.append([marker.label for marker in own])
        elif claims and own:
            # Markers alone on a line hang from what stands before them.
            labels[-1].extend(marker.label for marker in own)
        else:
            continue
        bounds.append((sentence.start, sentence.end))
    placed = {(marker.start, marker.end) for marker in markers for start, end in bounds if start <= marker.start < end}
    unplaced = [marker.label for marker in markers if (marker.start, marker.end) not in placed]
    return SplitAnswer(answer, claims, labels, unplaced, len(unparsed))


def _claim(answer_id: str, index: int, text: str, sentence: Sentence, markers: list[Marker]) -> Claim:
    reason = evidence_reason(text, sentence.text)
    return Claim(
        answer_id,
        f"c{index}",
        text,
        sentence.start,
        sentence.end,
        _spans_between(sentence, markers),
        index,
        reason is None,
        reason,
        [],
        [],
        SPLITTER,
    )


def _spans_between(sentence: Sentence, markers: list[Marker]) -> list[Span]:
    """The sentence's characters without its markers."""
    spans, start = [], sentence.start
    for marker_start, marker_end in sorted({(marker.start, marker.end) for marker in markers}):
        if marker_start > start:
            spans.append(Span(start, marker_start))
        start = max(start, marker_end)
    return [*spans, Span(start, sentence.end)] if start < sentence.end else spans


def _structured(answer: Answer) -> SplitAnswer:
    given = answer.claims or []
    ids = [claim.claim_id for claim in given]
    # An empty list declares nothing, as null does: then the claims' own ids are the declaration.
    declared = {citation.evidence_id for citation in answer.citations or []}
    for claim in given:
        if ids.count(claim.claim_id) > 1:
            raise InvalidClaims(f"claims hold the claim_id {claim.claim_id!r} twice; give each claim its own id")
        if not all(claim.evidence_ids):
            raise InvalidClaims(f"claim {claim.claim_id!r} has an empty evidence_id: {claim.evidence_ids}; name it or leave it out")
        if len(set(claim.evidence_ids)) < len(claim.evidence_ids):
            raise InvalidClaims(f"claim {claim.claim_id!r} names an evidence_id twice: {claim.evidence_ids}; name each once")
        unknown = sorted(set(claim.evidence_ids) - declared) if declared else []
        if unknown:
            raise InvalidClaims(
                f"claim {claim.claim_id!r} names evidence that the answer's citations do not declare: {unknown}; declare it"
            )
    claims = []
    for index, claim in enumerate(given):
        text = strip_markers(claim.text, find_markers(mask_code(claim.text))[0]) or claim.text
        reason = _structured_reason(text, claim.requires_evidence)
        spans = [] if claim.start is None or claim.end is None else [Span(claim.start, claim.end)]
        claims.append(
            Claim(
                answer.answer_id,
                claim.claim_id,
                text,
                claim.start,
                claim.end,
                spans,
                index,
                reason is None,
                reason,
                [],
                [],
                SPLITTER,
            )
        )
    return SplitAnswer(answer, claims, [list(claim.evidence_ids) for claim in given], [], 0)


def _structured_reason(text: str, requires_evidence: bool) -> str | None:
    """A generator's own word decides, but for what only the words can tell: an abstention, a language nobody here knows."""
    found = evidence_reason(text, text)
    if found in ("abstention", "unsupported_language"):
        return found
    return None if requires_evidence else "declared"


def answer_state(text: str, claims: list[Claim]) -> str:
    """evaluated, or why not: empty, no_claims, abstained (abstention claims and no required one).

    >>> answer_state("   ", [])
    'empty'
    """
    if not text.strip():
        return "empty"
    if not claims:
        return "no_claims"
    abstains = any(claim.reason == "abstention" for claim in claims)
    return "abstained" if abstains and not any(claim.requires_evidence for claim in claims) else "evaluated"


@dataclass
class SplitAnswers(beam.PTransform):
    """Cut answers into claims. Comes in: (source, Answer). Goes out: a dict of `splits` and `rejects`."""

    def expand(self, answers: beam.PCollection[tuple[str, Answer]]) -> dict[str, beam.PCollection]:
        split = answers | "SplitAnswer" >> beam.ParDo(_split_or_reject).with_outputs("rejects", main="splits")
        return {"splits": split.splits, "rejects": split.rejects}


def _split_or_reject(sourced: tuple[str, Answer]) -> Iterator[Any]:
    source, answer = sourced
    try:
        split = split_answer(answer)
    except Exception as error:  # one answer that cannot be split must not take the others with it
        reason = "invalid_claims" if isinstance(error, InvalidClaims) else "split_failed"
        message = f"{source} (answer_id={answer.answer_id!r}): {error}"
        yield beam.pvalue.TaggedOutput(
            "rejects", Reject("answers", reason, message, source, answer.answer_id, record_json(to_plain(answer)))
        )
        return
    yield split
