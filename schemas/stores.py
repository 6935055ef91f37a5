"""What is kept between nights: verdicts by the content of their pair, splits by the content of their answer."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.claims import Claim
from schemas.types import Column


class StoredVerdict(NamedTuple):
    """What a checker says of a pair: the window that decides, without any threshold."""

    key: Annotated[str, Column("hash of the claim and of all premises of the pair", min_length=1)]
    used_on: Annotated[dt.date, Column("day of the last run known to have used it, UTC")]
    window: Annotated[int, Column("position of the premise that decides", minimum=0)]
    p_entailment: Annotated[float, Column("calibrated probability, four decimals", minimum=0, maximum=1)]
    p_neutral: Annotated[float, Column("probability, four decimals", minimum=0, maximum=1)]
    p_contradiction: Annotated[float, Column("probability, four decimals", minimum=0, maximum=1)]


class StoredSplit(NamedTuple):
    """The claims of an answer's text, without the answer's id."""

    key: Annotated[str, Column("hash of all that splitting reads of an answer", min_length=1)]
    used_on: Annotated[dt.date, Column("day of the last run known to have used it, UTC")]
    claims: Annotated[list[Claim], Column("the claims")]
    labels: Annotated[list[list[str]], Column("the markers that hang from each of them")]
    unplaced: Annotated[list[str], Column("markers that hang from none")]
    unparsed: Annotated[int, Column("brackets that look like markers and fit none", minimum=0)]
