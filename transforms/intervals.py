"""Ratios over clustered data: integer sums that merge in any order, and 95 % intervals that respect the clusters.

The clusters are answers: edges and claims of one answer fare alike more often than those of two. docs/intervals.md has the rule in
words, its sources and the simulation that chose it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import apache_beam as beam
from scipy import special

# Fractions of an answer are summed as whole parts of this, so that sums do not depend on their order.
FIXED_POINT = 1_000_000
# Chosen by simulation: how many answers that tell something it takes until they count as much as the model of equal correlation,
# and until their estimate of that correlation counts as much as the worst case.
MODEL_ANSWERS = 8
WORST_ANSWERS = 2
# A handful of answers may happen to look steadier than independent edges would; their variance is this share of that at least.
LEAST_DESIGN = 0.3


class RatioSums(NamedTuple):
    """What an interval needs of the answers that have a denominator: sums over them, all of them integers.

    `above` and `below` are sums of an answer's numerator a and denominator b, the next three of a*a, a*b and b*b; `ratios` and
    `ratios_squared` of its own ratio a/b in millionths, and of that squared; `within` and `inverses` of a*(b-a)/b and 1/b in
    millionths.
    """

    clusters: int = 0
    above: int = 0
    below: int = 0
    above_above: int = 0
    above_below: int = 0
    below_below: int = 0
    ratios: int = 0
    ratios_squared: int = 0
    within: int = 0
    inverses: int = 0

    def plus(self, other: RatioSums) -> RatioSums:
        """The sums of both."""
        return RatioSums(*(one + two for one, two in zip(self, other, strict=True)))


class Estimate(NamedTuple):
    """A ratio with its 95 % interval, its denominator and the answers behind it; without a denominator there is no number."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int


def sums_of(above: int, below: int) -> RatioSums:
    """The sums of one answer; of one without a denominator all are 0.

    >>> sums_of(1, 2)[:6], sums_of(1, 2)[6:]
    ((1, 1, 2, 1, 2, 4), (500000, 250000000000, 500000, 500000))
    """
    if not below:
        return RatioSums()
    ratio = _millionths(above, below)
    products = above * above, above * below, below * below
    return RatioSums(
        1, above, below, *products, ratio, ratio * ratio, _millionths(above * (below - above), below), _millionths(1, below)
    )


def _millionths(above: int, below: int) -> int:
    return (2 * above * FIXED_POINT + below) // (2 * below)


def micro(sums: RatioSums) -> Estimate:
    """Estimate above / below over all answers; `n` is the denominator.

    Goes out: value and bounds in 0..1, rounded to six decimals, low <= value <= high; all three None where n is 0.

    >>> micro(sums_of(3, 4).plus(sums_of(1, 2)).plus(sums_of(2, 2)))
    Estimate(value=0.75, low=0.205598, high=0.973463, n=8, n_clusters=3)
    >>> micro(RatioSums())
    Estimate(value=None, low=None, high=None, n=0, n_clusters=0)
    """
    if not sums.below:
        return Estimate(None, None, None, 0, 0)
    low, high = interval(sums.above / sums.below, effective_n(sums), sums.clusters)
    return _rounded(sums.above / sums.below, low, high, sums.below, sums.clusters)


def macro(sums: RatioSums) -> Estimate:
    """Estimate the mean over answers of each answer's own ratio; `n` is the number of answers. Otherwise like `micro`.

    >>> macro(sums_of(1, 4).plus(sums_of(1, 1))).value
    0.625
    """
    if not sums.below:
        return Estimate(None, None, None, 0, 0)
    answers = per_answer(sums)
    mean, least = answers.above / answers.below, sums.inverses / FIXED_POINT / sums.clusters**2
    n = _effective_n(answers, least, correlation(sums))
    return _rounded(mean, *interval(mean, n, sums.clusters), sums.clusters, sums.clusters)


def _rounded(value: float, low: float, high: float, n: int, clusters: int) -> Estimate:
    value, low, high = (round(number, 6) for number in (value, low, high))
    return Estimate(value, max(0.0, min(low, value)), min(1.0, max(high, value)), n, clusters)


def interval(rate: float, n: float, clusters: int) -> tuple[float, float]:
    """A 95 % interval of a rate that is worth `n` independent trials, by a variance that comes from `clusters` answers.

    >>> [round(end, 3) for end in interval(0.0, 20, 20)]
    [0.0, 0.179]
    """
    t = t95(clusters)
    return _lower(rate, n, t), 1 - _lower(1 - rate, n, t)


def t95(freedom: float) -> float:
    """The 97.5 % point of Student's t.

    >>> round(t95(10), 3), round(t95(math.inf), 3)
    (2.228, 1.96)
    """
    return float(special.stdtrit(min(freedom, 1e9), 0.975))


def wilson(share: float, n: float, t: float) -> tuple[float, float]:
    """The interval of a share that is worth `n` independent trials, `t` standard errors wide (Wilson 1927).

    >>> [round(end, 3) for end in wilson(0.5, 100, 1.96)]
    [0.404, 0.596]
    """
    middle, half = share + t * t / (2 * n), t * math.sqrt(share * (1 - share) / n + t * t / (4 * n * n))
    return (middle - half) / (1 + t * t / n), (middle + half) / (1 + t * t / n)


def _lower(rate: float, n: float, t: float) -> float:
    if rate <= 0:
        return 0.0
    # At one or two hits Wilson's lower bound is too high: true rates just below it would be missed up to 16 times in 100.
    return min(wilson(rate, n, t)[0], float(special.betaincinv(rate * n, (1 - rate) * n + 1, 0.05)))


def variance(sums: RatioSums) -> float:
    """The variance of above / below, linearised and clustered by answer, times clusters / (clusters - 1).

    It is 0 where all answers have one ratio (0 of n, n of n), which is no certainty: what needs an interval there takes
    rate * (1 - rate) / `effective_n`. A single answer gets the variance of a single trial. Raises ZeroDivisionError where n is 0.

    >>> variance(sums_of(1, 2).plus(sums_of(2, 2)))
    0.0625
    """
    clusters, above, below = sums[:3]
    if clusters < 2:
        return above * (below - above) / below**2
    squares = below**2 * sums.above_above - 2 * above * below * sums.above_below + above**2 * sums.below_below
    return clusters * squares / ((clusters - 1) * below**4)


def correlation(sums: RatioSums) -> float:
    """How alike edges of one answer fare, from the share of the spread that lies within answers (Fleiss and Cuzick, 1979).

    1 where nothing tells: all hit, none hit, or one edge an answer.

    >>> correlation(sums_of(2, 2).plus(sums_of(0, 2))), correlation(sums_of(1, 2).plus(sums_of(1, 2)))
    (1.0, -1.0)
    """
    pairs, misses = sums.below - sums.clusters, sums.below - sums.above
    if not (pairs and sums.above and misses):
        return 1.0
    return 1 - sums.within * sums.below**2 / (FIXED_POINT * pairs * sums.above * misses)


def effective_n(sums: RatioSums) -> float:
    """How many independent edges would tell as much about above / below; at 0 of n and n of n at most the number of answers.

    >>> effective_n(sums_of(4, 4).plus(sums_of(4, 4)))
    2.0
    """
    return _effective_n(sums, 1 / sums.below, correlation(sums))


def _effective_n(sums: RatioSums, least: float, alike: float) -> float:
    """`least` is the variance over rate * (1 - rate) if all edges were independent, `alike` their correlation within answers."""
    worst, told = sums.below_below / sums.below**2, _informative(sums)
    if not told:
        return 1 / worst
    rate = sums.above / sums.below
    observed = variance(sums) / (rate * (1 - rate))
    doubt = WORST_ANSWERS**3 / (WORST_ANSWERS**3 + told**3)
    model = least + (doubt + (1 - doubt) * alike) * (worst - least)
    weight = MODEL_ANSWERS / (MODEL_ANSWERS + told)
    return 1 / max(weight * model + (1 - weight) * observed, LEAST_DESIGN * least)


def _informative(sums: RatioSums) -> float:
    """How many answers hold the hits, or the misses if those are in fewer: few such answers say little of how answers differ."""
    missed = sums.below - sums.above
    if not (sums.above and missed):
        return 0.0
    squares = sums.below_below - 2 * sums.above_below + sums.above_above
    return min(sums.above**2 / sums.above_above, missed**2 / squares)


def per_answer(sums: RatioSums) -> RatioSums:
    """The same answers, each counted once: its own ratio in millionths, of a million."""
    clusters, whole = sums.clusters, FIXED_POINT
    products = sums.ratios_squared, whole * sums.ratios, whole * whole * clusters
    return sums._replace(
        above=sums.ratios, below=whole * clusters, above_above=products[0], above_below=products[1], below_below=products[2]
    )


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
