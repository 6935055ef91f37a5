"""The aggregates table: one row a metric of a slice and family, long format."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

from schemas.claims import CAUSES, FAMILIES, OTHER_FAMILY
from schemas.types import Column

# Over citations, edges, claims, sentences, edges again, and failed or uncited claims; docs/numbers.md defines each.
METRICS = (
    "citation_precision",
    "citation_precision_joint",
    "edge_precision",
    "precision_judged",
    "judged_share",
    "citation_recall",
    "recall_judged",
    "recall_judged_share",
    "completeness",
    "partial_rate",
    "conflict_rate",
    "secondary_only_rate",
    "dangling_rate",
    "mismatch_rate",
    "irrelevant_rate",
    "redundant_rate",
    "exposure",
    "precision_exposed",
    "precision_unexposed",
    *(f"cause_{cause}" for cause in CAUSES if cause != "not_sought"),
)
AVERAGES = ("micro", "macro")
CORRECTIONS = ("prediction-powered", "rogan-gladen")


class Aggregate(NamedTuple):
    """One ratio with its denominator and its 95 % interval; value is null exactly where n is 0."""

    date: Annotated[dt.date, Column("day of the run's as-of moment, UTC", unique=True)]
    slice: Annotated[str, Column("what part of the traffic: all, or attribute=value", pattern="^all$|=", unique=True)]
    family: Annotated[str, Column("an error family, other, or all", values=(*FAMILIES, OTHER_FAMILY, "all"), unique=True)]
    metric: Annotated[str, Column("name of the ratio", values=METRICS, unique=True)]
    value: Annotated[float | None, Column("the ratio; null where n is 0", minimum=0, maximum=1)]
    low: Annotated[float | None, Column("lower bound, 95 %, answers as clusters; null where n is 0", minimum=0, maximum=1)]
    high: Annotated[float | None, Column("upper bound; null where n is 0", minimum=0, maximum=1, at_least="low")]
    n: Annotated[int, Column("denominator: citations, edges, claims or sentences; answers where average is macro", minimum=0)]
    n_clusters: Annotated[int, Column("answers that contribute to the denominator", minimum=0)]
    average: Annotated[
        str,
        Column("micro: over all that is counted; macro: the mean over answers of their own ratios", values=AVERAGES, unique=True),
    ] = "micro"
    corrected: Annotated[
        float | None,
        Column("the ratio less the checker's measured error; null: see correction_reason", minimum=0, maximum=1),
    ] = None
    corrected_low: Annotated[float | None, Column("lower bound, with the noise of the labels", minimum=0, maximum=1)] = None
    corrected_high: Annotated[
        float | None, Column("upper bound, with the noise of the labels", minimum=0, maximum=1, at_least="corrected_low")
    ] = None
    correction: Annotated[str | None, Column("how the ratio was corrected", values=CORRECTIONS)] = None
    correction_reason: Annotated[str | None, Column("why a ratio that can be corrected was not")] = None
