"""The review table: answers whose cited source has moved since."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.types import Column
from schemas.verdicts import NOW_STATUSES


class Review(NamedTuple):
    """One cited span whose version is no longer the one to cite, or whose text is another now."""

    answer_id: Annotated[str, Column("the answer to look at again", min_length=1)]
    answered_at: Annotated[dt.datetime, Column("when the answer was given, UTC")]
    question: Annotated[str, Column("what the user asked")]
    claim_id: Annotated[str, Column("the claim within the answer", min_length=1)]
    claim: Annotated[str, Column("the claim in words")]
    evidence_id: Annotated[str, Column("the span cited", min_length=1)]
    version: Annotated[str | None, Column("the version that the answer saw")]
    now_status: Annotated[str, Column("state of that version as of the run", values=NOW_STATUSES)]
    superseded_by: Annotated[str | None, Column("the version that replaces it")]
    source_type: Annotated[str | None, Column("kind of source")]
    text_changed: Annotated[bool | None, Column("whether the text differs; null: none is valid as of the run")]
    change: Annotated[str | None, Column("what changed, in words")]
    change_families: Annotated[list[str], Column("the attributes in which the changed sentences differ")]
    supported: Annotated[bool, Column("whether the version that the answer saw supports the claim")]
    supported_now: Annotated[bool | None, Column("whether the text valid as of the run does; null: not asked")]
