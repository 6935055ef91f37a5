"""The evidence table: one row a version of a citable span, with the passage that holds it."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.types import Column

EVIDENCE_STATUSES = ("current", "superseded", "retracted")


class Evidence(NamedTuple):
    """One version of a span; validity is half open: valid_from <= t < valid_to."""

    evidence_id: Annotated[str, Column("identifies the span across its versions", min_length=1, unique=True)]
    version: Annotated[str, Column("unique within the evidence_id", min_length=1, unique=True)]
    doc_id: Annotated[str, Column("the document that holds the passage", min_length=1)]
    text: Annotated[str | None, Column("the passage that holds the span; null or empty: nothing was stored")]
    status: Annotated[str, Column("state of this version now", values=EVIDENCE_STATUSES)]
    uri: Annotated[str | None, Column("where the document can be read")] = None
    context: Annotated[str | None, Column("title and heading path that scope the passage")] = None
    span_start: Annotated[int | None, Column("first character of the span in text; null: the whole passage", minimum=0)] = None
    span_end: Annotated[int | None, Column("end (exclusive) of the span in text", after="span_start", within="text")] = None
    valid_from: Annotated[dt.datetime | None, Column("first moment of validity, UTC; null: always")] = None
    valid_to: Annotated[dt.datetime | None, Column("end (exclusive) of validity, UTC; null: still valid", after="valid_from")] = (
        None
    )
    published_at: Annotated[dt.datetime | None, Column("publication of this version, UTC", not_future=True)] = None
    retracted_at: Annotated[dt.datetime | None, Column("retraction of this version, UTC", not_future=True)] = None
    superseded_by: Annotated[str | None, Column("the version that replaces this one")] = None
    source_type: Annotated[str | None, Column("kind of source", values=("primary", "secondary"))] = None
    statement_kind: Annotated[str | None, Column("kind of statement", values=("norm", "measured", "inferred"))] = None
    principals: Annotated[list[str] | None, Column("groups that may read the passage; null: public")] = None
