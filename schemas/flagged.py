"""The flagged sample: pairs for a person to look at, complete in themselves."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.claims import FAMILIES, OTHER_FAMILY
from schemas.types import Column
from schemas.verdicts import EDGE_STATUSES, LABELS


class Flagged(NamedTuple):
    """One failed edge with everything a reviewer needs."""

    family: Annotated[str, Column("family that the pair was sampled for", values=(*FAMILIES, OTHER_FAMILY), unique=True)]
    status: Annotated[str, Column("status of the edge", values=EDGE_STATUSES, unique=True)]
    rank: Annotated[
        int,
        Column(
            "place within family and status: contradictions, sources that moved, sure failures, the rest", minimum=1, unique=True
        ),
    ]
    answer_id: Annotated[str, Column("the answer", min_length=1)]
    claim_id: Annotated[str, Column("the claim within the answer", min_length=1)]
    evidence_id: Annotated[str, Column("the span cited", min_length=1)]
    version: Annotated[str | None, Column("the version that was judged")]
    question: Annotated[str, Column("what the user asked")]
    claim: Annotated[str, Column("the claim in words")]
    passage: Annotated[str | None, Column("the passage that holds the cited span")]
    context: Annotated[str | None, Column("title and heading path of the passage")]
    uri: Annotated[str | None, Column("where the document can be read")]
    span_start: Annotated[int | None, Column("first character of the span in the passage", minimum=0)]
    span_end: Annotated[int | None, Column("end (exclusive) of the span", at_least="span_start")]
    premise_start: Annotated[int | None, Column("first character of the deciding premise", minimum=0)]
    premise_end: Annotated[int | None, Column("end (exclusive) of the deciding premise", at_least="premise_start")]
    label: Annotated[str | None, Column("likeliest label", values=LABELS)]
    p_entailment: Annotated[float | None, Column("probability of entailment", minimum=0, maximum=1)]
    p_contradiction: Annotated[float | None, Column("probability of contradiction", minimum=0, maximum=1)]
    mismatch: Annotated[str | None, Column("how the premise differs from the claim")]
    cause: Annotated[str | None, Column("why the edge does not support its claim")]
    answered_at: Annotated[dt.datetime | None, Column("when the answer was given, UTC")]
    build: Annotated[str | None, Column("build of the answer system")]
    source_type: Annotated[str | None, Column("kind of source")]
    now_status: Annotated[str | None, Column("state of the judged version as of the run")]
    superseded_by: Annotated[str | None, Column("the version that replaces it")]
    change: Annotated[str | None, Column("what changed in the text since")]
