"""The verdicts table: one row an edge between a claim and a cited span, and one a set of spans judged together."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.claims import CAUSES
from schemas.types import Column

LABELS = ("entailment", "neutral", "contradiction")
# Outside the denominators, counted beside them: the first three are not the generator's doing, the last is not a claim.
UNCOUNTED_STATUSES = ("unjudged", "unsupported_language", "unmapped", "abstained")
FAILED_STATUSES = ("dangling", "no_version", "forbidden", "empty_evidence", "bad_span", "quote_mismatch")
EDGE_STATUSES = ("judged", *FAILED_STATUSES, *UNCOUNTED_STATUSES)
NOW_STATUSES = ("current", "superseded", "retracted", "expired")
# An edge among those of its claim: the only one that entails it, one of several, one without which the set stops entailing it, one
# that the set does not need.
ROLES = ("sole", "redundant", "needed", "irrelevant")


class Verdict(NamedTuple):
    """What became of one edge: judged, or why not. A `joint` row is of all judged spans of a claim together."""

    answer_id: Annotated[str, Column("the answer", min_length=1)]
    claim_id: Annotated[str, Column("the claim within the answer", min_length=1)]
    sentence: Annotated[int, Column("index of the citation's sentence in the answer; -1: not placed", minimum=-1)]
    evidence_id: Annotated[str, Column("the span cited; the marker's text where nothing declares it", min_length=1)]
    version: Annotated[str | None, Column("the version joined; null where none was found")] = None
    status: Annotated[str, Column("judged, or why not", values=EDGE_STATUSES)] = "judged"
    span_start: Annotated[int | None, Column("first character of the span in the passage", minimum=0)] = None
    span_end: Annotated[int | None, Column("end (exclusive) of the span in the passage", minimum=0, at_least="span_start")] = None
    premise_start: Annotated[int | None, Column("first character of the deciding premise in the passage", minimum=0)] = None
    premise_end: Annotated[
        int | None, Column("end (exclusive) of the deciding premise in the passage", minimum=0, at_least="premise_start")
    ] = None
    n_windows: Annotated[int, Column("premises tried; the likeliest to entail decides", minimum=0)] = 0
    label: Annotated[str | None, Column("likeliest of the three", values=LABELS)] = None
    p_entailment: Annotated[float | None, Column("calibrated probability, four decimals", minimum=0, maximum=1)] = None
    p_neutral: Annotated[float | None, Column("probability, four decimals", minimum=0, maximum=1)] = None
    p_contradiction: Annotated[float | None, Column("probability, four decimals", minimum=0, maximum=1)] = None
    threshold: Annotated[float | None, Column("supported from this probability of entailment on", minimum=0, maximum=1)] = None
    supported: Annotated[bool, Column("judged and p_entailment >= threshold")] = False
    mismatch: Annotated[str | None, Column("how the premise differs from the claim, in words")] = None
    mismatch_families: Annotated[list[str], Column("the families of those differences")] = []  # noqa: RUF012
    checker: Annotated[str | None, Column("name of the checker with hashes of its weights and of its calibration")] = None
    splitter: Annotated[str | None, Column("name and version of the splitter")] = None
    now_status: Annotated[str | None, Column("state of the judged version as of the run", values=NOW_STATUSES)] = None
    superseded_by: Annotated[str | None, Column("the version that replaces the judged one")] = None
    text_changed: Annotated[bool | None, Column("whether the text valid as of the run differs; null: none is valid")] = None
    change: Annotated[str | None, Column("what changed in the text since, in words")] = None
    change_families: Annotated[list[str], Column("the attributes in which the changed sentences differ")] = []  # noqa: RUF012
    supported_now: Annotated[bool | None, Column("whether the text valid as of the run supports the claim; null: not asked")] = None
    n_valid: Annotated[int, Column("versions valid at answered_at; of several the latest to begin was taken", minimum=0)] = 0
    source_type: Annotated[str | None, Column("kind of source")] = None
    statement_kind: Annotated[str | None, Column("kind of statement")] = None
    valid_from: Annotated[dt.datetime | None, Column("first moment of validity of the judged version, UTC")] = None
    published_at: Annotated[dt.datetime | None, Column("publication of the judged version, UTC")] = None
    joint: Annotated[bool, Column("the row is of all judged spans of the claim together; evidence_id lists them")] = False
    role: Annotated[str | None, Column("what the edge does among those of its claim", values=ROLES)] = None
    cause: Annotated[str | None, Column("why the edge does not support its claim", values=CAUSES)] = None
    exposed: Annotated[list[str], Column("families in which the evidence holds a sibling passage, one attribute away")] = []  # noqa: RUF012
    abstained_status: Annotated[
        str | None, Column("of an abstention's edge: the status that it would have otherwise", values=EDGE_STATUSES)
    ] = None
