"""The aggregates table: one row a metric of a slice and family, long format."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.types import Column

METRICS = (
    "citation_precision",
    "edge_precision",
    "precision_judged",
    "citation_recall",
    "completeness",
    "dangling_rate",
    "mismatch_rate",
)


class Aggregate(NamedTuple):
    """One ratio with its denominator; value is null exactly where n is 0."""

    date: Annotated[dt.date, Column("day of the run's as-of moment, UTC")]
    slice: Annotated[str, Column("what part of the traffic: all, or attribute=value")]
    family: Annotated[str, Column("an error family, other, or all")]
    metric: Annotated[str, Column("name of the ratio", values=METRICS)]
    value: Annotated[float | None, Column("the ratio; null where n is 0", minimum=0, maximum=1)]
    low: Annotated[float | None, Column("lower bound; null: no interval is computed yet", minimum=0, maximum=1)]
    high: Annotated[float | None, Column("upper bound; null: no interval is computed yet", minimum=0, maximum=1)]
    n: Annotated[int, Column("denominator: citations, edges or claims", minimum=0)]
    n_clusters: Annotated[int, Column("answers that contribute to the denominator", minimum=0)]
