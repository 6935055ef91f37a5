"""Fit the calibration of a checker on labelled dev sets, and measure each part by leaving one set out at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from pipelines.accuracy import balanced_accuracy
from pipelines.scoring import ScoredSet, probabilities, whole_features
from transforms.support import KINDS, PARTS, Calibration, Features, Fit, fit

# The best window depends on the fit and the fit on the windows: after so many rounds nothing moves any more.
_ROUNDS = 5
# Fewer rows of a kind tell nothing of it.
LEAST_ROWS = 20
_THRESHOLDS = np.arange(2, 99) / 100


class Scores(NamedTuple):
    """Scores [n] of one set, and which of them count as supported."""

    scores: np.ndarray
    supported: np.ndarray


def fit_calibration(sets: Sequence[ScoredSet]) -> Calibration:
    """Fit every kind and subset of parts on the sets marked for it. Raises ValueError where a kind has no rows."""
    used = [one for one in sets if one.dev.fit]
    fits = {
        (kind, parts): _fit_kind(used, kind == "window", parts)
        for kind in KINDS
        for n in range(len(PARTS) + 1)
        for parts in combinations(PARTS, n)
    }
    return Calibration(fits, fitted_on=tuple(one.dev.name for one in used))


def _fit_kind(sets: Sequence[ScoredSet], windowed: bool, parts: tuple[str, ...]) -> Fit:
    """One fit over the rows of a kind, every set weighing the same; its threshold is chosen on the sets marked for that."""
    sets = _of_kind(sets, windowed)
    if not sets:
        raise ValueError(
            f"no set has {LEAST_ROWS} rows of the kind {KINDS[windowed]}; give sets with "
            f"{'longer' if windowed else 'single-sentence'} premises"
        )
    rows = [one.windowed == windowed for one in sets]
    expected = np.concatenate([one.supported[chosen] for one, chosen in zip(sets, rows, strict=True)])
    weight = np.concatenate([np.full(chosen.sum(), 1 / chosen.sum()) for chosen in rows])
    scores = [one.features[:, 0] for one in sets]
    for _ in range(_ROUNDS):
        picked = [one.best_windows(score)[chosen] for one, score, chosen in zip(sets, scores, rows, strict=True)]
        features = np.concatenate([one.features[at] for one, at in zip(sets, picked, strict=True)])
        fitted = fit(features, expected, weight, parts)
        scores = [probabilities(fitted, one.features) for one in sets]
    deciding = {one.dev.name for one in _deciding(sets, windowed)}
    graded = [
        (one.supported[chosen], one.best(score)[chosen])
        for one, chosen, score in zip(sets, rows, scores, strict=True)
        if one.dev.name in deciding
    ]
    return Fit(fitted.intercept, fitted.weights, best_threshold(graded))


def _of_kind(sets: Sequence[ScoredSet], windowed: bool) -> list[ScoredSet]:
    """The sets that a kind is fitted on: those declared for it, with enough rows of the kind."""
    return [one for one in sets if KINDS[windowed] in one.dev.fit and (one.windowed == windowed).sum() >= LEAST_ROWS]


def _deciding(sets: list[ScoredSet], windowed: bool) -> list[ScoredSet]:
    """Of these the sets that choose the threshold; all of them where none is declared for that."""
    return [one for one in sets if one.dev.threshold == KINDS[windowed]] or sets


def best_threshold(graded: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """The threshold, in hundredths, with the best mean balanced accuracy over sets of (expected, scores), smoothed over its
    neighbours so that a lucky gap does not decide; of equals the one nearest to 0.5."""
    means = np.array(
        [np.nanmean([balanced_accuracy(expected, scores >= cut) for expected, scores in graded]) for cut in _THRESHOLDS]
    )
    smooth = np.array([means[max(0, i - 3) : i + 4].mean() for i in range(len(means))])
    return float(max(_THRESHOLDS, key=lambda cut: (round(float(smooth[round(cut * 100) - 2]), 9), -abs(cut - 0.5))))


def leave_one_out(sets: Sequence[ScoredSet], parts: tuple[str, ...] = PARTS) -> dict[str, Scores]:
    """Score every set by what is fitted on the others; sets cut from one file are left out together."""
    found = {}
    for one in sets:
        others = [other for other in sets if other.dev.file != one.dev.file]
        sentence, window = (_fit_kind(others, windowed, parts) for windowed in (False, True))
        scores = one.scores(sentence, window)
        found[one.dev.name] = Scores(scores, scores >= np.where(one.windowed, window.threshold, sentence.threshold))
    return found


def ablation(sets: Sequence[ScoredSet]) -> dict[str, dict[str, float]]:
    """Balanced accuracy of each set, arm by arm, thresholds from the other sets; NaN where an arm was not measured."""
    arms: dict[str, Callable[[ScoredSet], np.ndarray]] = {
        "token F1": lambda one: one.overlap,
        "embedding similarity": lambda one: one.similarity,
        "model, passage whole": lambda one: probabilities(Fit(0, Features(1, 0, 0, 0, 0)), whole_features(one)),
        "model, best window": lambda one: one.best(one.probabilities[:, 0]),
    }
    table = {name: _transferred(sets, score) for name, score in arms.items()}
    for name, parts in (("+ calibration", ()), ("+ attributes", ("attributes",)), ("+ coverage", ("coverage",)), ("+ both", PARTS)):
        found = leave_one_out(sets, parts)
        table[name] = {one.dev.name: balanced_accuracy(one.supported, found[one.dev.name].supported) for one in sets}
    return table


def _transferred(sets: Sequence[ScoredSet], score: Callable[[ScoredSet], np.ndarray]) -> dict[str, float]:
    """Balanced accuracy of a plain score under the threshold, kind by kind, that suits the other sets best."""
    found = {}
    for one in sets:
        mine, decided = score(one), np.zeros(len(one.labels), dtype=bool)
        if np.isnan(mine).any():
            found[one.dev.name] = float("nan")
            continue
        for windowed in (False, True):
            others = _deciding(_of_kind([other for other in sets if other.dev.file != one.dev.file], windowed), windowed)
            graded = [(other.supported[other.windowed == windowed], score(other)[other.windowed == windowed]) for other in others]
            decided |= (one.windowed == windowed) & (mine >= best_threshold(graded))
        found[one.dev.name] = balanced_accuracy(one.supported, decided)
    return found


class Bin(NamedTuple):
    """Rows with similar scores: how likely the checker calls them on average, how many are supported, how many there are."""

    predicted: float
    observed: float
    n: int


def reliability(expected: np.ndarray, scores: np.ndarray, bins: int = 10) -> list[Bin]:
    """Bins of equal width over [0, 1], empty ones left out."""
    place = np.minimum((scores * bins).astype(int), bins - 1)
    return [
        Bin(float(scores[place == i].mean()), float(expected[place == i].mean()), int((place == i).sum()))
        for i in range(bins)
        if (place == i).any()
    ]


def expected_calibration_error(expected: np.ndarray, scores: np.ndarray, bins: int = 10) -> float:
    """Mean distance of predicted and observed over bins of equal width, weighted by rows (Naeini et al. 2015)."""
    found = reliability(expected, scores, bins)
    return sum(one.n * abs(one.predicted - one.observed) for one in found) / sum(one.n for one in found)
