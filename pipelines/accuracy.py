"""Balanced accuracy, the best that any threshold could reach in hindsight (the bar for what has none of its own), and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from transforms.intervals import wilson

NORMAL_95 = 1.959964
Flags = Sequence[bool] | np.ndarray
Values = Sequence[float] | np.ndarray


def balanced_accuracy(expected: Flags, found: Flags) -> float:
    """Mean of sensitivity and specificity of `found` [n] against `expected` [n]; NaN where a class is empty.

    >>> balanced_accuracy([True, True, False], [True, False, False])
    0.75
    """
    wanted, said = np.asarray(expected, dtype=bool), np.asarray(found, dtype=bool)
    if wanted.all() or not wanted.any():
        return float("nan")
    return float((said[wanted].mean() + (~said[~wanted]).mean()) / 2)


def best_in_hindsight(expected: Flags, scores: Values) -> float:
    """The balanced accuracy of `score >= cut` at the best cut for these very rows: what a score could reach at most.

    >>> best_in_hindsight([True, False], [0.9, 0.1])
    1.0
    """
    return balanced_accuracy(expected, np.asarray(scores) >= best_cut(expected, scores))


def best_cut(expected: Flags, scores: Values) -> float:
    """The cut of `best_in_hindsight`, one of the scores [n]: of equals the lowest; 0 where a class is empty.

    >>> best_cut([True, True, False], [0.9, 0.4, 0.1])
    0.4
    """
    wanted, given = np.asarray(expected, dtype=bool), np.asarray(scores, dtype=float)
    if wanted.all() or not wanted.any():
        return 0.0
    order = np.argsort(-given, kind="stable")
    right, wrong = np.cumsum(wanted[order]), np.cumsum(~wanted[order])
    # A cut takes all rows of its score: only the last of equals is a cut.
    cuts = np.flatnonzero(np.diff(given[order], append=-np.inf))
    gained: Any = right[cuts] / right[-1] - wrong[cuts] / wrong[-1]
    return float(given[order][cuts][len(cuts) - 1 - np.argmax(np.round(gained[::-1], 12))])


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """A 95 % interval of a share of `n` trials (Wilson, 1927): it keeps its width where all or none hit.

    >>> [round(end, 3) for end in wilson_interval(1.0, 5)]
    [0.566, 1.0]
    """
    low, high = wilson(share, n, NORMAL_95)
    return max(0.0, low), min(1.0, high)
