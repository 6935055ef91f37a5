"""The verdicts table: one row an edge between a claim and a cited span."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from schemas.types import Column

LABELS = ("entailment", "neutral", "contradiction")
# Outside the denominators, counted beside them: the first three are not the generator's doing, the last is not a claim.
UNCOUNTED_STATUSES = ("unjudged", "unsupported_language", "unmapped", "abstained")
FAILED_STATUSES = ("dangling", "no_version", "forbidden", "empty_evidence", "bad_span", "quote_mismatch")
EDGE_STATUSES = ("judged", *FAILED_STATUSES, *UNCOUNTED_STATUSES)
NOW_STATUSES = ("current", "superseded", "retracted")


class Verdict(NamedTuple):
    """What became of one edge: judged, or why not."""

    answer_id: Annotated[str, Column("the answer", min_length=1)]
    claim_id: Annotated[str, Column("the claim within the answer", min_length=1)]
    sentence: Annotated[int, Column("index of the citation's sentence in the answer; -1: not placed", minimum=-1)]
    evidence_id: Annotated[str, Column("the span cited; the marker's text where nothing declares it", min_length=1)]
    version: Annotated[str | None, Column("the version joined; null where none was found")] = None
    status: Annotated[str, Column("judged, or why not", values=EDGE_STATUSES)] = "judged"
    span_start: Annotated[int | None, Column("first character of the span in the passage", minimum=0)] = None
    span_end: Annotated[int | None, Column("end (exclusive) of the span in the passage", minimum=0)] = None
    premise_start: Annotated[int | None, Column("first character of the deciding premise in the passage", minimum=0)] = None
    premise_end: Annotated[int | None, Column("end (exclusive) of the deciding premise in the passage", minimum=0)] = None
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
