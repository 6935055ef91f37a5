"""The answers table: one row an answer of the system under watch, with what it cited."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.types import Column


class DeclaredCitation(NamedTuple):
    """What the answer declares about one marker or character range; one marker may name several spans."""

    evidence_id: Annotated[str, Column("the span cited", min_length=1)]
    marker: Annotated[str | None, Column("the inline marker that stands for this span, without brackets")] = None
    version: Annotated[str | None, Column("the version that the answer asked for; null: the one valid at answered_at")] = None
    answer_start: Annotated[int | None, Column("first character of the cited part of the answer", minimum=0)] = None
    answer_end: Annotated[
        int | None, Column("end (exclusive) of the cited part of the answer", after="answer_start", within="answer")
    ] = None
    quote: Annotated[str | None, Column("words that must occur in the cited passage")] = None


class StructuredClaim(NamedTuple):
    """A claim that the generator delivers itself: checked as it is, never split again."""

    claim_id: Annotated[str, Column("unique within the answer", min_length=1)]
    text: Annotated[str, Column("the claim in words")]
    requires_evidence: Annotated[bool, Column("whether the claim has to be established by a citation")]
    evidence_ids: Annotated[list[str], Column("the spans that the claim hangs from")]
    start: Annotated[int | None, Column("first character in the answer", minimum=0)] = None
    end: Annotated[int | None, Column("end (exclusive) in the answer", after="start", within="answer")] = None


class Answer(NamedTuple):
    """One answer as logged."""

    answer_id: Annotated[str, Column("unique id of the answer", min_length=1, unique=True)]
    answered_at: Annotated[
        dt.datetime, Column("when the answer was given, UTC; evidence is joined as of this moment", not_future=True)
    ]
    question: Annotated[str, Column("what the user asked")]
    answer: Annotated[str, Column("the answer's text, Markdown; may be empty")]
    citations: Annotated[list[DeclaredCitation] | None, Column("what the answer declares, by marker or by character range")]
    claims: Annotated[list[StructuredClaim] | None, Column("structured claims, where the generator delivers them")] = None
    retrieved: Annotated[list[str] | None, Column("evidence ids shown to the generator, in rank order")] = None
    build: Annotated[str | None, Column("build of the answer system")] = None
    principals: Annotated[list[str] | None, Column("groups of the asking user")] = None
    attributes: Annotated[dict[str, str] | None, Column("free attributes to slice by")] = None
