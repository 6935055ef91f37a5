"""Measure a checker's error on labels: rates weighted by inclusion, variances clustered by answer, thresholds held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.table import Table

from pipelines.judge import judge_premises
from pipelines.options import UsageError
from schemas.calibration import ALL, RUN_FRAME, CalibrationRecord, CheckerError, Frame, Label, Rate, ReliabilityBin
from schemas.claims import FAMILIES, OTHER_FAMILY
from schemas.evidence import Evidence
from transforms.correction import by_variance, least_variance, refusal
from transforms.premises import Premise, widen_premises
from transforms.support import KINDS, Calibration, kind_of
from transforms.tables import stable_hash

if TYPE_CHECKING:
    from pipelines.labels import Sheet
    from transforms.entailment import EntailmentChecker

RELIABILITY_BINS = 10
# Fewer labels of a class tell no threshold from its neighbours.
LEAST_TO_CHOOSE = 20
_CUTS = np.arange(2, 99) / 100
# What a cell holds, in this order: the person's word and the checker's.
CELLS = ((True, True), (True, False), (False, True), (False, False))


# --- from a sheet to a record ----------------------------------------------------------------------------------------------------


class Graded(NamedTuple):
    """A label with its weight, its cluster and both words: the person's and the checker's."""

    label: Label
    weight: float
    cluster: str
    person: bool
    checker: bool


def calibration_record(sheet: Sheet, calibration: Calibration, checker: str, choose_threshold: bool = False) -> CalibrationRecord:
    """Measure a checker on the labelled rows of a sheet, each with the checker's verdict.

    With `choose_threshold` the thresholds are chosen on one half of the answers, by a hash of their ids, and everything is measured
    on the other; the rows must then be of `checker`, whose calibration is given. Raises UsageError where no row is labelled, or
    several checkers judged them.
    """
    graded = weighted(sheet.labels)
    if not graded:
        raise UsageError("no row is labelled: fill the column label with supported, unsupported or unsure")
    names = sorted({one.label.checker or "" for one in graded})
    if len(names) > 1:
        raise UsageError(f"the rows were judged by several checkers: {', '.join(names)}; give the sheets one by one")
    thresholds = None
    if choose_threshold:
        if names != [checker]:
            raise UsageError(f"the rows were judged by {names[0]}, and --checker is {checker}; choose thresholds with the same one")
        chosen_on, graded = _halves(graded)
        thresholds = chosen_thresholds(chosen_on, calibration.thresholds)
        graded = [one._replace(checker=_score(one.label) >= thresholds[_kind(one.label)]) for one in graded]
    counts = {**sheet.counts, "measured": len(graded)}
    errors = (
        measured_error(unit, family, part)
        for unit in sorted({one.label.unit for one in graded})
        for family in (ALL, *FAMILIES, OTHER_FAMILY)
        if (part := [one for one in graded if one.label.unit == unit and family in (ALL, *one.label.families)])
    )
    return CalibrationRecord(names[0], frame_of([one.label for one in graded]), tuple(errors), thresholds, counts)


def frame_of(labels: Sequence[Label]) -> Frame:
    """The traffic of runs where every label was drawn from one, else elsewhere."""
    frames = sorted({label.frame or "" for label in labels})
    if all(frame.startswith(RUN_FRAME) for frame in frames):
        return Frame("traffic", tuple(frame.removeprefix(RUN_FRAME) for frame in frames))
    return Frame("elsewhere")


def to_judge(sheet: Sheet) -> list[int]:
    """The places of labelled rows without a verdict of their own."""
    return [i for i, label in enumerate(sheet.labels) if _is_labelled(label) and label.supported is None]


def judge_labels(sheet: Sheet, checker: EntailmentChecker, calibration: Calibration, name: str) -> Sheet:
    """Judge the labelled rows that have no verdict of their own, by the windows of their premises as the nightly job does.

    Rows that the checker failed on are left out and counted.
    """
    open_rows = to_judge(sheet)
    texts = [(sheet.labels[i].claim, sheet.labels[i].premise) for i in open_rows]
    questions = [(claim, widen_premises(_passage(text), claim) or (Premise(0, len(text), text),)) for claim, text in texts]
    labels = list(sheet.labels)
    for i, (_, premises), judged in zip(open_rows, questions, judge_premises(checker, calibration, questions), strict=True):
        p, n = judged.probabilities, len(premises)
        supported = p.entailment >= calibration.thresholds[kind_of(n)] if p else None
        labels[i] = labels[i]._replace(checker=name, n_windows=n, p_entailment=p.entailment if p else None, supported=supported)
    failed = {i for i in open_rows if labels[i].supported is None}
    counts = {**sheet.counts, "judged now": len(open_rows) - len(failed), "checker failed": len(failed)}
    return sheet._replace(labels=[label for i, label in enumerate(labels) if i not in failed], counts=counts)


def _passage(text: str) -> Evidence:
    return Evidence("", "", "", text, "current")


def _is_labelled(label: Label) -> bool:
    return label.label in ("supported", "unsupported")


def weighted(labels: Sequence[Label]) -> list[Graded]:
    """The labelled and judged rows with their weights: one over the probability of inclusion, times drawn over labelled rows in
    their stratum (what was left unlabelled is taken to be like the rest). Without an answer's id a row is its own cluster."""
    drawn: dict[Any, list[int]] = {}
    for label in labels:
        both = drawn.setdefault((label.unit, label.frame, label.stratum), [0, 0])
        both[0] += 1
        both[1] += _is_labelled(label)
    found = []
    for i, label in enumerate(labels):
        if _is_labelled(label) and label.supported is not None:
            all_rows, labelled = drawn[label.unit, label.frame, label.stratum] if label.stratum is not None else (1, 1)
            weight = all_rows / labelled / label.inclusion_probability
            cluster = f"row {i}" if label.answer_id is None else f"answer {label.answer_id}"
            found.append(Graded(label, weight, cluster, label.label == "supported", label.supported))
    return found


# --- thresholds ------------------------------------------------------------------------------------------------------------------


def _halves(graded: Sequence[Graded]) -> tuple[list[Graded], list[Graded]]:
    """Two halves by a hash of the cluster, so that no answer is in both."""
    first = [stable_hash(f"threshold {one.cluster}") % 2 == 0 for one in graded]
    halves = (
        [one for one, chosen in zip(graded, first, strict=True) if chosen],
        [one for one, chosen in zip(graded, first, strict=True) if not chosen],
    )
    if not all(halves):
        raise UsageError(f"too few answers to choose a threshold on one half and measure on the other: {len(graded)} labels")
    return halves


def chosen_thresholds(graded: Sequence[Graded], own: Mapping[str, float]) -> dict[str, float]:
    """For each kind of pair the threshold with the best weighted balanced accuracy, in hundredths, smoothed over its neighbours.

    The checker's `own` where a class has fewer than 20 labels. Raises UsageError for claims, and where no kind has enough labels.
    """
    if any(one.label.unit != "edge" for one in graded):
        raise UsageError("a threshold is chosen on edges only; leave the rows of unit claim out, or --choose-threshold")
    found = {}
    for kind in KINDS:
        part = [one for one in graded if _kind(one.label) == kind]
        supported = sum(one.person for one in part)
        if min(supported, len(part) - supported) >= LEAST_TO_CHOOSE:
            found[kind] = _best_cut(part, own[kind])
    if not found:
        raise UsageError(
            f"too few labels to choose a threshold: no kind of pair has {LEAST_TO_CHOOSE} supported and {LEAST_TO_CHOOSE} "
            "unsupported in the half that chooses; label more, or keep the checker's own"
        )
    return {**own, **found}


def _best_cut(graded: Sequence[Graded], own: float) -> float:
    """Of equals the one nearest to the checker's own."""
    person, weight = np.array([one.person for one in graded]), np.array([one.weight for one in graded])
    said = np.array([_score(one.label) for one in graded]) >= _CUTS[:, None]
    hits = (said * (weight * person)).sum(1) / (weight * person).sum()
    passes = (~said * (weight * ~person)).sum(1) / (weight * ~person).sum()
    smooth = np.array([((hits + passes) / 2)[max(0, i - 3) : i + 4].mean() for i in range(len(_CUTS))]).round(9)
    return float(max(zip(smooth, -abs(_CUTS - own), _CUTS, strict=True))[2])


def _score(label: Label) -> float:
    if label.p_entailment is None:
        raise UsageError(
            f"p_entailment is empty (claim {label.claim[:60]!r}): a threshold needs scores; empty supported to judge anew"
        )
    return label.p_entailment


def _kind(label: Label) -> str:
    if label.n_windows is None:
        raise UsageError(f"n_windows is empty (claim {label.claim[:60]!r}): thresholds go by it; empty supported to judge anew")
    return kind_of(label.n_windows)


# --- one unit and family ---------------------------------------------------------------------------------------------------------


def measured_error(unit: str, family: str, graded: Sequence[Graded]) -> CheckerError:
    """The checker's error on labels of one unit and family; shares get Wilson intervals, kappa that of its jackknife."""
    weights, squares = cells_of(graded)
    found = Moments(*(float(np.nan_to_num(value)) for value in moments(weights, squares)))
    kept: dict[str, Any] = {name: _rounded(getattr(found, name)) for name in _KEPT}
    clusters = [int(((weights @ word) > 0).sum()) for word in (np.ones(4), _PERSON, 1 - _PERSON)]
    supported = sum(one.person for one in graded)
    bins, calibration_error = weighted_reliability(graded)
    return CheckerError(
        unit=unit,
        family=family,
        n=len(graded),
        n_clusters=clusters[0],
        n_supported=supported,
        n_unsupported=len(graded) - supported,
        clusters_supported=clusters[1],
        clusters_unsupported=clusters[2],
        agreement=_rate(found.agreement, found.var_agreement, clusters[0]),
        kappa=kappa_rate(weights),
        sensitivity=_rate(found.sensitivity, found.var_sensitivity, clusters[1]),
        specificity=_rate(found.specificity, found.var_specificity, clusters[2]),
        calibration_error=calibration_error,
        reliability=bins,
        **kept,
    )


_KEPT = (
    "labelled",
    "observed",
    "var_labelled",
    "var_observed",
    "cov_labelled_observed",
    "var_sensitivity",
    "var_specificity",
    "cov_sensitivity_specificity",
)


def _rounded(value: float) -> float:
    # Sums in another order differ in the last bits: the same labels give the same record.
    return round(float(value), 10)


def _rate(value: float, variance: float, clusters: int) -> Rate:
    if not clusters:
        return Rate()
    low, high = by_variance(value, variance, max(1, clusters - 1))
    return Rate(_rounded(value), _rounded(max(0.0, min(low, value))), _rounded(min(1.0, max(high, value))))


def cells_of(graded: Sequence[Graded]) -> tuple[np.ndarray, np.ndarray]:
    """Weights by cluster and cell [clusters, 4], and their squares by cell [4]; CELLS names the cells."""
    clusters = {cluster: i for i, cluster in enumerate(dict.fromkeys(one.cluster for one in graded))}
    weights, squares = np.zeros((len(clusters), 4)), np.zeros(4)
    for one in graded:
        cell = CELLS.index((one.person, one.checker))
        weights[clusters[one.cluster], cell] += one.weight
        squares[cell] += one.weight**2
    return weights, squares


def kappa_rate(weights: np.ndarray) -> Rate:
    """Cohen's kappa (1960) of cells [clusters, 4] with its jackknife's interval; None where both always say the same one word."""
    whole = float(_kappa(weights.sum(0)))
    if np.isnan(whole):
        return Rate()
    clusters, left_out = len(weights), _kappa(weights.sum(0) - weights)
    if clusters < 2 or np.isnan(left_out).any():
        return Rate(_rounded(whole))
    variance = (clusters - 1) / clusters * float(((left_out - whole) ** 2).sum())
    # On the scale from -1 to 1 as a share of it, so that the interval stays inside.
    low, high = by_variance((whole + 1) / 2, variance / 4, clusters - 1)
    return Rate(_rounded(whole), _rounded(max(-1.0, min(2 * low - 1, whole))), _rounded(min(1.0, max(2 * high - 1, whole))))


def _kappa(cells: np.ndarray) -> Any:
    """Kappa [...] of cells [..., 4]; NaN where chance alone would agree."""
    total = cells.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed, person, checker = (cells @ word / total for word in (_AGREED, _PERSON, _CHECKER))
        chance = person * checker + (1 - person) * (1 - checker)
        return np.where(chance < 1 - 1e-12, (agreed - chance) / (1 - chance), np.nan)


def weighted_reliability(graded: Sequence[Graded]) -> tuple[tuple[ReliabilityBin, ...], float | None]:
    """The reliability curve in ten bins of equal width and the expected calibration error (Naeini et al. 2015), both weighted."""
    scored = [one for one in graded if one.label.p_entailment is not None]
    if not scored:
        return (), None
    scores, weight = np.array([_score(one.label) for one in scored]), np.array([one.weight for one in scored])
    person, place = (
        np.array([one.person for one in scored]),
        np.minimum((scores * RELIABILITY_BINS).astype(int), RELIABILITY_BINS - 1),
    )
    bins, error = [], 0.0
    for i in np.unique(place):
        held = place == i
        predicted, observed = (float(np.average(values[held], weights=weight[held])) for values in (scores, person))
        bins.append(ReliabilityBin(_rounded(predicted), _rounded(observed), int(held.sum())))
        error += float(weight[held].sum() / weight.sum()) * abs(predicted - observed)
    return tuple(bins), _rounded(error)


def record_table(record: CalibrationRecord) -> Table:
    """What the record says, family by family."""
    runs = f"traffic of {', '.join(record.frame.runs)}" if record.frame.runs else "labels from elsewhere"
    cuts = "the checker's own thresholds" if record.thresholds is None else f"thresholds {dict(record.thresholds)}, held out"
    table = Table(title=f"{record.checker}: {runs}, {cuts}", title_justify="left")
    columns = ("unit", "family", "n", "answers", "supported", "agreement", "kappa", "sensitivity", "specificity", "ECE", "corrects")
    for column in columns:
        table.add_column(column, justify="left" if column in ("unit", "family", "corrects") else "right")
    for error in record.errors:
        calibration_error = "–" if error.calibration_error is None else f"{error.calibration_error:.3f}"
        rates = (_shown(rate) for rate in (error.agreement, error.kappa, error.sensitivity, error.specificity))
        sizes = (str(error.n), str(error.n_clusters), f"{error.labelled:.2f}")
        table.add_row(error.unit, error.family, *sizes, *rates, calibration_error, refusal(error) or "yes")
    return table


def _shown(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    return f"{rate.value:.2f}" if rate.low is None else f"{rate.value:.2f} ({rate.low:.2f}–{rate.high:.2f})"


# --- weighted, clustered shares --------------------------------------------------------------------------------------------------


class Moments(NamedTuple):
    """Weighted shares of labels and what their noise is; arrays of the leading shape of the cells they come from.

    `labelled`, `observed`, `agreement`, `sensitivity` and `specificity` are shares, the others their variances and covariances; NaN
    where a class is empty.
    """

    labelled: Any
    observed: Any
    agreement: Any
    sensitivity: Any
    specificity: Any
    var_labelled: Any
    var_observed: Any
    cov_labelled_observed: Any
    var_agreement: Any
    var_sensitivity: Any
    var_specificity: Any
    cov_sensitivity_specificity: Any


_PERSON, _CHECKER, _AGREED = np.array([1, 1, 0, 0.0]), np.array([1, 0, 1, 0.0]), np.array([1, 0, 0, 1.0])


def moments(weights: np.ndarray, squares: np.ndarray) -> Moments:
    """Weighted shares and their noise, linearised and clustered.

    `weights` [..., clusters, 4] are the sums of the labels' weights by cluster and cell, `squares` [..., 4] those of their squares.
    A cluster without weight does not count.
    """
    every = np.ones(4)
    labelled, of_labelled = _ratio(weights, _PERSON, every)
    observed, of_observed = _ratio(weights, _CHECKER, every)
    agreement, of_agreement = _ratio(weights, _AGREED, every)
    sensitivity, of_sensitivity = _ratio(weights, _PERSON * _CHECKER, _PERSON)
    specificity, of_specificity = _ratio(weights, (1 - _PERSON) * (1 - _CHECKER), 1 - _PERSON)
    n, pairs = _effective(weights, squares, every), ((weights @ every) > 0).sum(-1)
    added = _doubt(weights, squares, labelled, observed)
    return Moments(
        labelled,
        observed,
        agreement,
        sensitivity,
        specificity,
        _covariance(of_labelled, of_labelled, pairs) + added[0],
        _covariance(of_observed, of_observed, pairs) + added[1],
        _covariance(of_labelled, of_observed, pairs) + added[2],
        np.maximum(_covariance(of_agreement, of_agreement, pairs), least_variance(agreement * n, n)),
        _class_variance(weights, squares, _PERSON, sensitivity, of_sensitivity),
        _class_variance(weights, squares, 1 - _PERSON, specificity, of_specificity),
        _covariance(of_sensitivity, of_specificity, pairs),
    )


def _doubt(weights: np.ndarray, squares: np.ndarray, labelled: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, ...]:
    """What one miss and one false alarm more add to the variances and the covariance of the means: labels that all agree with the
    checker would leave no doubt otherwise. Each weighs as the labels with its checker's word do."""
    total, whole = weights.sum(-2), weights.sum((-2, -1))
    added = []
    for word, (person, checker) in ((1 - _CHECKER, (1, 0)), (_CHECKER, (0, 1))):
        with np.errstate(invalid="ignore", divide="ignore"):
            weight = np.where(total @ word > 0, (squares @ word) / (total @ word), squares.sum(-1) / whole) / whole
        one, two = weight * (person - labelled), weight * (checker - observed)
        added.append((one * one, two * two, one * two))
    return tuple(np.sum(parts, axis=0) for parts in zip(*added, strict=True))


def _ratio(weights: np.ndarray, above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A ratio [...] of two sums over cells, and how far it moves when each cluster is left out [..., clusters]."""
    tops, bottoms = weights @ above, weights @ below
    whole = bottoms.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = tops.sum(-1) / whole
        return value, (tops - value[..., None] * bottoms) / (whole[..., None] - bottoms)


def _covariance(one: np.ndarray, two: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """The jackknife's covariance of two ratios (Quenouille and Tukey), about their values on all clusters."""
    return (one * two).sum(-1) * (clusters - 1) / np.maximum(clusters, 1)


def _effective(weights: np.ndarray, squares: np.ndarray, cells: np.ndarray) -> Any:
    """How many equally weighted labels would be worth as much as those of `cells` (Kish 1965)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights.sum(-2) @ cells) ** 2 / (squares @ cells)


def _class_variance(
    weights: np.ndarray, squares: np.ndarray, cells: np.ndarray, value: np.ndarray, influence: np.ndarray
) -> np.ndarray:
    """The variance of a class's rate; never below that of independent labels, since few that all agree leave a doubt."""
    n = _effective(weights, squares, cells)
    spread = _covariance(influence, influence, ((weights @ cells) > 0).sum(-1))
    return np.maximum(spread, least_variance(value * n, n))
