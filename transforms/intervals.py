"""Ratios over clustered data: integer sums that merge in any order, and 95 % intervals that respect the clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import apache_beam as beam

# Per-answer ratios are summed as whole parts of this, so that sums do not depend on their order.
FIXED_POINT = 1_000_000


class RatioSums(NamedTuple):
    """What an interval needs of the answers that have a denominator: sums over them, all of them integers.

    `above` and `below` are sums of an answer's numerator a and denominator b, the next three of a*a, a*b and b*b; `ratios` and
    `ratios_squared` of its own ratio a/b in millionths, and of that squared.
    """

    clusters: int = 0
    above: int = 0
    below: int = 0
    above_above: int = 0
    above_below: int = 0
    below_below: int = 0
    ratios: int = 0
    ratios_squared: int = 0

    def plus(self, other: RatioSums) -> RatioSums:
        """The sums of both."""
        return RatioSums(*(one + two for one, two in zip(self, other, strict=True)))


def sums_of(above: int, below: int) -> RatioSums:
    """The sums of one answer; of one without a denominator all are 0.

    >>> sums_of(1, 2)
    RatioSums(clusters=1, above=1, below=2, above_above=1, above_below=2, below_below=4, ratios=500000, ratios_squared=250000000000)
    """
    if not below:
        return RatioSums()
    ratio = (2 * above * FIXED_POINT + below) // (2 * below)
    return RatioSums(1, above, below, above * above, above * below, below * below, ratio, ratio * ratio)


class SumRatios(beam.CombineFn):
    """Add up the (numerator, denominator) of answers into RatioSums."""

    def create_accumulator(self) -> RatioSums:
        return RatioSums()

    def add_input(self, accumulator: RatioSums, ratio: tuple[int, int]) -> RatioSums:
        return accumulator.plus(sums_of(*ratio))

    def merge_accumulators(self, accumulators: Iterable[RatioSums]) -> RatioSums:
        merged = RatioSums()
        for accumulator in accumulators:
            merged = merged.plus(accumulator)
        return merged

    def extract_output(self, accumulator: RatioSums) -> RatioSums:
        return accumulator


class Estimate(NamedTuple):
    """A ratio with its 95 % interval, its denominator and the answers behind it; without a denominator there is no number."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int


# Pseudo-count of answers that follow the worst case, in which all edges of an answer fare alike.
PRIOR = 2.0
Z95 = 1.959964


def variance(sums: RatioSums) -> float:
    """The variance of above / below, linearised and clustered by answer, times clusters / (clusters - 1).

    0 where all answers have one ratio, which is no certainty: `effective_n` is for that. One answer tells nothing of how answers
    differ; it gets the variance of a single trial. Raises ZeroDivisionError without a denominator.

    >>> variance(sums_of(1, 2).plus(sums_of(2, 2)))
    0.0625
    """
    clusters, above, below, *_ = sums
    if clusters < 2:
        return above * (below - above) / below**2
    squares = below**2 * sums.above_above - 2 * above * below * sums.above_below + above**2 * sums.below_below
    return clusters / (clusters - 1) * squares / below**4


def effective_n(sums: RatioSums) -> float:
    """How many independent edges would tell as much as these clustered ones."""
    worst = sums.below**2 / sums.below_below
    rate = sums.above / sums.below
    spread = rate * (1 - rate)
    misses = sums.below_below - 2 * sums.above_below + sums.above_above
    if not spread:
        return worst
    seen = min(sums.above**2 / sums.above_above, (sums.below - sums.above) ** 2 / misses)
    design = (seen * variance(sums) / spread + PRIOR / worst) / (seen + PRIOR)
    return 1 / design


def micro(sums: RatioSums) -> Estimate:
    """The ratio above / below over all answers, with its interval."""
    if not sums.below:
        return Estimate(None, None, None, 0, 0)
    rate, n = sums.above / sums.below, effective_n(sums)
    middle, half = rate + Z95**2 / (2 * n), Z95 * math.sqrt(rate * (1 - rate) / n + Z95**2 / (4 * n * n))
    low, high = max(0.0, (middle - half) / (1 + Z95**2 / n)), min(1.0, (middle + half) / (1 + Z95**2 / n))
    return Estimate(round(rate, 6), round(min(low, rate), 6), round(max(high, rate), 6), sums.below, sums.clusters)


def per_answer(sums: RatioSums) -> RatioSums:
    """The same answers, each counted once: its ratio in millionths of one whole."""
    whole = FIXED_POINT
    return RatioSums(
        sums.clusters,
        sums.ratios,
        whole * sums.clusters,
        sums.ratios_squared,
        whole * sums.ratios,
        whole**2 * sums.clusters,
        sums.ratios,
        sums.ratios_squared,
    )


def macro(sums: RatioSums) -> Estimate:
    """The mean of the answers' own ratios, with its interval; n is the number of answers."""
    return micro(per_answer(sums))._replace(n=sums.clusters)
