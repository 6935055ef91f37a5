"""Correct an observed support rate for the checker's measured error, with an interval that carries both uncertainties.

Over one answer let a be its supported edges, j its judged ones and b all that count. Where the labels are a random sample of this
traffic: mean(y) + lambda (a/j - mean(f)), y the person's word and f the checker's (prediction-powered inference, Angelopoulos et
al. 2023, with the power tuning of PPI++). Otherwise (a/j + specificity - 1) / (sensitivity + specificity - 1) (Rogan and Gladen
1978), less its bias of second order, with the interval of Fieller (1954). Both are linear in the night's sums given the labels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from schemas.calibration import CheckerError
from transforms.intervals import RatioSums, effective_n, t95, variance, wilson

# Below these the intervals were seen to miss (tests/benchmarks/correction.py).
LEAST_LABELS, LEAST_CLUSTERS, LEAST_OF_A_CLASS, LEAST_CLUSTERS_OF_A_CLASS, LEAST_ANSWERS = 30, 10, 8, 5, 10
# A milder test would throw out good labels on the nights that they are needed most.
_MOVED = 3.29
PREDICTION_POWERED, ROGAN_GLADEN = "prediction-powered", "rogan-gladen"


class Corrected(NamedTuple):
    """A corrected rate with its 95 % interval, within [0, 1]; `estimate` is the value before clipping.

    Where there is none, `value`, `low`, `high`, `method` and `estimate` are None and `reason` says why. With a value, `reason` is
    None, or says why the method is not the one that the labels' frame would give.
    """

    value: float | None
    low: float | None
    high: float | None
    method: str | None
    reason: str | None
    estimate: float | None = None


class _Night(NamedTuple):
    """A night's sums over answers: of a/b (`whole`), of a/j (`judged`) and of j/b (`shares`); together they hold all products."""

    whole: RatioSums
    judged: RatioSums
    shares: RatioSums

    @property
    def share(self) -> float:
        return self.shares.above / self.shares.below

    @property
    def rate(self) -> float:
        return self.judged.above / self.judged.below

    def variance(self, a: float, j: float, b: float) -> float:
        """The variance of the sum of a*a_i + j*j_i + b*b_i, clustered by answer, for coefficients under which the sum is 0."""
        squares = a * a * self.whole.above_above + j * j * self.shares.above_above + b * b * self.whole.below_below
        mixed = a * j * self.judged.above_below + a * b * self.whole.above_below + j * b * self.shares.above_below
        return max(0.0, squares + 2 * mixed) * self.whole.clusters / (self.whole.clusters - 1)

    def rate_variance(self) -> float:
        """The variance of a/j, never below that of as many independent edges as the clustered ones are worth."""
        rate, n = self.rate, effective_n(self.judged)
        return max(variance(self.judged), rate * (1 - rate) / n, least_variance(rate * n, n))


def corrected(judged: RatioSums, error: CheckerError | None, *, whole_traffic: bool = True) -> Corrected:
    """Correct supported / judged, given the sums of a/j. `whole_traffic` False: a slice of it, so that labels of all traffic are no
    random sample of it, and only Rogan-Gladen will do.

    >>> corrected(RatioSums(), None).reason
    'no label of this unit and family'
    """
    everything = RatioSums(judged.clusters, judged.below, judged.below, *[judged.below_below] * 3)
    return _corrected(_Night(judged, judged, everything), error, whole_traffic)


def corrected_part(
    whole: RatioSums, judged: RatioSums, share: RatioSums, error: CheckerError | None, *, whole_traffic: bool = True
) -> Corrected:
    """Correct the judged part of supported / counted: judged share times corrected rate, what was not judged counting as failed.

    Comes in: the sums of a/b, of a/j and of j/b over the same answers.
    """
    return _corrected(_Night(whole, judged, share), error, whole_traffic)


def _corrected(night: _Night, error: CheckerError | None, whole_traffic: bool) -> Corrected:
    if error is None:
        return _refused("no label of this unit and family")
    reason = refusal(error) or _too_few(night.judged.clusters, LEAST_ANSWERS, "judged answers")
    if reason:
        return _refused(reason)
    if not error.traffic:
        return _rogan_gladen(night, error, None)
    if not whole_traffic:
        return _rogan_gladen(night, error, "the labels are a sample of all traffic, not of this slice")
    if _has_moved(night, error):
        moved = f"tonight's observed rate {night.rate:.3f} is not that of the labelled sample, {error.observed:.3f}, beyond chance"
        return _rogan_gladen(night, error, moved)
    return _prediction_powered(night, error)


def refusal(error: CheckerError) -> str | None:
    """Why nothing can be corrected by this error, else None."""
    low = youden_low(error)
    return (
        _too_few(error.n, LEAST_LABELS, "labels")
        or _too_few(error.n_clusters, LEAST_CLUSTERS, "labelled answers")
        or _too_few(error.n_supported, LEAST_OF_A_CLASS, "labels supported")
        or _too_few(error.n_unsupported, LEAST_OF_A_CLASS, "labels unsupported")
        or _too_few(error.clusters_supported, LEAST_CLUSTERS_OF_A_CLASS, "answers with labels supported")
        or _too_few(error.clusters_unsupported, LEAST_CLUSTERS_OF_A_CLASS, "answers with labels unsupported")
        or (None if low > 0 else f"the lower bound of sensitivity + specificity - 1 is {low:.3f}, not above 0")
    )


def _too_few(n: int, least: int, what: str) -> str | None:
    return None if n >= least else f"too few {what}: {n}, at least {least} are needed"


def _refused(reason: str) -> Corrected:
    return Corrected(None, None, None, None, reason)


def _youden(error: CheckerError) -> tuple[float, float]:
    """Sensitivity + specificity - 1, and its variance."""
    value = (error.sensitivity.value or 0.0) + (error.specificity.value or 0.0) - 1
    return value, error.var_sensitivity + error.var_specificity + 2 * error.cov_sensitivity_specificity


def youden_low(error: CheckerError) -> float:
    """The lower 95 % bound (two-sided) of sensitivity + specificity - 1."""
    value, variance = _youden(error)
    freedom = _freedom(
        (error.var_sensitivity, error.clusters_supported - 1), (error.var_specificity, error.clusters_unsupported - 1)
    )
    return value - t95(freedom) * math.sqrt(max(0.0, variance))


def _has_moved(night: _Night, error: CheckerError) -> bool:
    """Whether the night's rate differs from the labelled sample's by more than chance explains in 999 of 1,000 nights."""
    return abs(night.rate - error.observed) > _MOVED * math.sqrt(night.rate_variance() + error.var_observed)


def _prediction_powered(night: _Night, error: CheckerError) -> Corrected:
    """Prediction-powered mean with tuned power, times the judged share; Wilson's interval at the sample size it is worth."""
    power = _power(night, error)
    rate = error.labelled + power * (night.rate - error.observed)
    share = night.share
    of_labels = error.var_labelled - 2 * power * error.cov_labelled_observed + power * power * error.var_observed
    b = night.whole.below
    of_night = max(
        night.variance(power / b, (rate - power * night.rate) / b, -rate * share / b), (share * power) ** 2 * night.rate_variance()
    )
    of_labels = share * share * max(of_labels, 0.0)
    estimate, freedom = share * rate, _freedom((of_labels, error.n_clusters - 2), (of_night, night.whole.clusters - 1))
    return _clipped(estimate, by_variance(estimate, of_labels + of_night, freedom), share, PREDICTION_POWERED, None)


def _power(night: _Night, error: CheckerError) -> float:
    """The weight of the checker's word that leaves the least variance."""
    spread = error.var_observed + night.rate_variance()
    return min(1.0, max(0.0, error.cov_labelled_observed / spread)) if spread else 0.0


def _rogan_gladen(night: _Night, error: CheckerError, note: str | None) -> Corrected:
    """Judged share x (rate + specificity - 1) / (sensitivity + specificity - 1), and all values that a test would not reject."""
    youden, v_youden = _youden(error)
    false_positive, share, b = 1 - (error.specificity.value or 0.0), night.share, night.whole.below
    above = night.whole.above / b - false_positive * share
    of_night = max(night.variance(1 / b, -false_positive / b, -above / b), share * share * night.rate_variance())
    v_above = of_night + share * share * error.var_specificity
    cov = share * (error.var_specificity + error.cov_sensitivity_specificity)
    plain = above / youden
    freedom = _freedom(
        (of_night, night.whole.clusters - 1),
        (plain * plain * error.var_sensitivity, error.clusters_supported - 1),
        ((share - plain) ** 2 * error.var_specificity, error.clusters_unsupported - 1),
    )
    bounds = _fieller(above, youden, v_above, cov, v_youden, t95(freedom))
    if bounds is None:
        return _refused(f"sensitivity + specificity - 1 is {youden:.3f}, and beside this night's noise it may be 0")
    if bounds[0] > share or bounds[1] < 0:
        said = f"tonight's observed rate {night.rate:.3f} cannot come from the record's sensitivity and specificity"
        return _refused(f"{said}: the checker errs otherwise here than on the labels")
    return _clipped((above * youden + cov) / (youden * youden + v_youden), bounds, share, ROGAN_GLADEN, note)


def _fieller(above: float, below: float, v_above: float, cov: float, v_below: float, t: float) -> tuple[float, float] | None:
    """The interval of a ratio of two normal estimates (Fieller 1954); None where its denominator may be 0.

    >>> [round(end, 3) for end in _fieller(1.0, 2.0, 0.01, 0.0, 0.01, 1.96) or ()]
    [0.395, 0.615]
    """
    first, middle, last = below**2 - t * t * v_below, above * below - t * t * cov, above**2 - t * t * v_above
    if first <= 0:
        return None
    half = math.sqrt(max(0.0, middle**2 - first * last))
    return (middle - half) / first, (middle + half) / first


def _clipped(estimate: float, bounds: tuple[float, float], share: float, method: str, note: str | None) -> Corrected:
    """Value and interval within [0, 1], and the value within the judged share: no more than all of it can be supported."""
    low, high = (min(max(bound, 0.0), 1.0) for bound in bounds)
    value = min(max(min(estimate, share), low), high)
    return Corrected(round(value, 6), round(low, 6), round(high, 6), method, note, round(estimate, 6))


def by_variance(value: float, variance: float, freedom: float) -> tuple[float, float]:
    """A 95 % interval of a share by its variance: Wilson's at the number of trials that the variance is worth.

    Outside [0, 1], and without a variance, it is symmetric.

    >>> [round(end, 3) for end in by_variance(0.5, 0.0025, 1e9)]
    [0.404, 0.596]
    """
    t, spread = t95(freedom), value * (1 - value)
    if spread <= 0 or variance <= 0:
        half = t * math.sqrt(max(0.0, variance))
        return value - half, value + half
    return wilson(value, spread / variance, t)


def least_variance(hits: float, n: float) -> float:
    """The variance of a share of n independent trials with two hits and two misses added (Agresti and Coull 1998).

    >>> round(least_variance(0, 8), 4)
    0.0116
    """
    share = (hits + 2) / (n + 4)
    return share * (1 - share) / (n + 4)


def _freedom(*parts: tuple[float, int]) -> float:
    """Degrees of freedom of a sum of variances, each with its own (Satterthwaite 1946)."""
    total, squares = sum(variance for variance, _ in parts), sum(variance**2 / max(1, own) for variance, own in parts)
    return total**2 / squares if squares else math.inf


def assumptions(error: CheckerError) -> list[str]:
    """What a correction by this error takes for granted, as sentences for a reader."""
    common = [
        "the labels are right: an error of the people who labelled goes into the correction undiminished",
        "only the judged part is corrected; citations that could not be judged keep the count that they have",
        "answers are independent of each other; within an answer anything may depend on anything",
    ]
    if error.traffic:
        return [
            "the labels are a random sample of this traffic: tonight's answers come from the same system and the same questions",
            "a row that was drawn and not labelled is like the labelled rows of its stratum",
            *common,
        ]
    return [
        "the checker's sensitivity and specificity tonight are those of the labels, whatever the share of supported pairs",
        *common,
    ]
