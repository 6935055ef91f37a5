"""The claims table: one row a claim of an answer, with what became of it."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from schemas.types import Column

FAMILIES = ("scope", "date", "quantity", "entity", "polarity", "modality", "aggregation")
OTHER_FAMILY = "other"
CLAIM_OUTCOMES = ("supported", "unsupported", "uncited", "unjudged", "not_required")
NOT_REQUIRED_REASONS = ("question", "imperative", "meta", "hedge", "abstention", "opinion", "declared", "unsupported_language")
ABSTENTION_KINDS = ("no_evidence", "insufficient", "conflicting", "stale", "no_access", "underspecified")
SUPPORTS = ("alone", "joint")
PREVAILING = ("support", "contradiction")
# Why a claim failed or an edge of it, the first that applies; and the component of the answer system to change.
COMPONENTS = {
    "not_shown": "generator: it cites what it was never shown",
    "supported_elsewhere": "citation placement: another span that the answer had establishes the claim",
    "stale": "index freshness: an older version establishes the claim",
    "misread": "generator: the span states another value, scope or strength",
    "unlocatable": "citation format, evidence export or permissions: the span cannot be read",
    "unknown": "unknown: read the pair",
    "not_sought": "none yet: beyond the budget of a run (--further-claims)",
}
CAUSES = tuple(COMPONENTS)


class Span(NamedTuple):
    """A range of characters [start, end) of the answer."""

    start: Annotated[int, Column("first character", minimum=0)]
    end: Annotated[int, Column("end (exclusive)", minimum=0, at_least="start")]


class Claim(NamedTuple):
    """One proposition of an answer."""

    answer_id: Annotated[str, Column("the answer that makes the claim", min_length=1, unique=True)]
    claim_id: Annotated[str, Column("unique within the answer", min_length=1, unique=True)]
    text: Annotated[str, Column("the claim in words, without markers")]
    start: Annotated[int | None, Column("first character in the answer; null: not located", minimum=0)]
    end: Annotated[int | None, Column("end (exclusive) in the answer", minimum=0, at_least="start")]
    spans: Annotated[list[Span], Column("the characters that the claim is made of, inherited ones included")]
    inherited: Annotated[list[Span], Column("those of its characters that another claim of the sentence makes: subject, scope")]
    heading: Annotated[str | None, Column("the headings above the claim in the answer, outermost first, as its context")]
    sentence: Annotated[int, Column("index of its sentence in the answer", minimum=0)]
    requires_evidence: Annotated[bool, Column("whether the claim has to be established by a citation")]
    reason: Annotated[str | None, Column("why no evidence is required", values=NOT_REQUIRED_REASONS)]
    stated_reason: Annotated[str | None, Column("why an abstention gives no answer, by its words", values=ABSTENTION_KINDS)]
    families: Annotated[list[str], Column("the attributes that the claim states, or other")]
    cited: Annotated[list[str], Column("evidence ids (or unresolved markers) that hang from the claim")]
    splitter: Annotated[str, Column("name and version of the splitter")]
    outcome: Annotated[str | None, Column("what became of the claim", values=CLAIM_OUTCOMES)] = None
    support: Annotated[
        str | None, Column("how a supported claim is: by a span alone, or only by its spans together", values=SUPPORTS)
    ] = None
    conflicting: Annotated[bool, Column("one cited span establishes the claim and another contradicts it")] = False
    prevailing: Annotated[
        str | None, Column("which side of a conflict has the better source; null: no conflict, or equal", values=PREVAILING)
    ] = None
    secondary_only: Annotated[bool, Column("supported, and by secondary sources alone")] = False
    cause: Annotated[str | None, Column("why a required claim is unsupported or uncited", values=CAUSES)] = None
    supported_by: Annotated[list[str], Column("spans that the claim does not cite, the answer had, and that establish it")] = []  # noqa: RUF012
    observed_reason: Annotated[
        str | None, Column("why an abstention gives no answer, by what became of its citations", values=ABSTENTION_KINDS)
    ] = None
