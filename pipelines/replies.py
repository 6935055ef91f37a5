"""Take a generator's answers apart as the nightly job takes logged ones: claims, and what each of them cites."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from cases.grading import CitedClaim, Question, Reply
from cases.replies import Generated
from cases.suite import Chunk
from schemas.answers import Answer, DeclaredCitation
from schemas.evidence import Evidence
from transforms.edges import resolve_citations
from transforms.propositions import SplitAnswer, split_answers

_NO_MOMENT = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
# Edges that say nothing of what the answer claims.
_NO_CLAIM = ("abstained", "unsupported_language")


def read_replies(cases: Sequence[Question], generated: Sequence[Generated]) -> list[Reply]:
    """Split answers into claims and resolve what they cite; one reply a case, in order.

    [n] in the text stands for the n-th chunk shown; chunk ids beside the text hang from every claim of the answer.
    """
    answers = [_logged(case, one) for case, one in zip(cases, generated, strict=True)]
    return [_reply(split, one) for split, one in zip(split_answers(answers), generated, strict=True)]


def evidence_of(chunk: Chunk) -> Evidence:
    """The chunk as a row of the evidence table."""
    return Evidence(
        chunk.chunk_id, "1", chunk.chunk_id, chunk.text, "current", span_start=chunk.span_start, span_end=chunk.span_end
    )


def _logged(case: Question, one: Generated) -> Answer:
    numbered = [DeclaredCitation(chunk.chunk_id, marker=str(n)) for n, chunk in enumerate(case.context, start=1)]
    beside = [DeclaredCitation(name, answer_start=0, answer_end=len(one.answer)) for name in one.citations]
    return Answer(case.id, _NO_MOMENT, "", one.answer, [*numbered, *beside])


def _reply(split: SplitAnswer, one: Generated) -> Reply:
    edges = [edge for edge in resolve_citations(split).edges if edge.status not in _NO_CLAIM]
    claims = []
    for claim in split.claims:
        cited = tuple(edge.evidence_id for edge in edges if edge.claim_id == claim.claim_id)
        if claim.requires_evidence or cited:
            claims.append(CitedClaim(claim.text, cited))
    loose = tuple(edge.evidence_id for edge in edges if edge.status == "unmapped")
    return Reply(one.answer, (*claims, CitedClaim("", loose)) if loose else tuple(claims), one.score, one.error)
