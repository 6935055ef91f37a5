"""The rejects table: everything that could not be scored, with its reason and how to mend it."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from schemas.types import Column

REJECT_REASONS = (
    "unreadable_file",
    "missing_column",
    "wrong_type",
    "contract",
    "duplicate_answer",
    "conflicting_answer",
    "duplicate_evidence",
    "conflicting_evidence",
    "unknown_evidence",
    "invalid_claims",
    "oversized",
    "split_failed",
    "judging_failed",
)
# Files and row groups of which no row was read.
FILE_REASONS = ("unreadable_file", "missing_column", "wrong_type")


class Reject(NamedTuple):
    """One record, row group or file that left the dataflow before it was scored."""

    step: Annotated[str, Column("the step that rejected it: answers, evidence, join or judge")]
    reason: Annotated[str, Column("reason code", values=REJECT_REASONS)]
    message: Annotated[str, Column("what is wrong, the value, and how to mend it")]
    source: Annotated[str, Column("the file it came from")]
    record_id: Annotated[str | None, Column("id of the record, where it has one")]
    record: Annotated[str | None, Column("the record as JSON, cut to 2,000 characters")]
    n_rows: Annotated[
        int, Column("input rows lost with it: all of a row group, 0 where the record is still counted in the tables", minimum=0)
    ] = 1
