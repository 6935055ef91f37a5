"""The flagged sample: pairs for a person to look at, complete in themselves."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.types import Column


class Flagged(NamedTuple):
    """One failed edge with everything a reviewer needs."""

    family: Annotated[str, Column("family that the pair was sampled for")]
    status: Annotated[str, Column("status of the edge")]
    rank: Annotated[
        int, Column("place within family and status: contradictions, sources that moved, sure failures, the rest", minimum=1)
    ]
    answer_id: Annotated[str, Column("the answer")]
    claim_id: Annotated[str, Column("the claim within the answer")]
    evidence_id: Annotated[str, Column("the span cited")]
    version: Annotated[str | None, Column("the version that was judged")]
    question: Annotated[str, Column("what the user asked")]
    claim: Annotated[str, Column("the claim in words")]
    passage: Annotated[str | None, Column("the passage that holds the cited span")]
    context: Annotated[str | None, Column("title and heading path of the passage")]
    uri: Annotated[str | None, Column("where the document can be read")]
    span_start: Annotated[int | None, Column("first character of the span in the passage")]
    span_end: Annotated[int | None, Column("end (exclusive) of the span")]
    premise_start: Annotated[int | None, Column("first character of the deciding premise")]
    premise_end: Annotated[int | None, Column("end (exclusive) of the deciding premise")]
    label: Annotated[str | None, Column("likeliest label")]
    p_entailment: Annotated[float | None, Column("probability of entailment")]
    p_contradiction: Annotated[float | None, Column("probability of contradiction")]
    mismatch: Annotated[str | None, Column("how the premise differs from the claim")]
    cause: Annotated[str | None, Column("why the edge does not support its claim")]
    answered_at: Annotated[dt.datetime | None, Column("when the answer was given, UTC")]
    build: Annotated[str | None, Column("build of the answer system")]
    source_type: Annotated[str | None, Column("kind of source")]
    now_status: Annotated[str | None, Column("state of the judged version as of the run")]
    superseded_by: Annotated[str | None, Column("the version that replaces it")]
    change: Annotated[str | None, Column("what changed in the text since")]
