"""Balanced accuracy and its best threshold, held against trying every score."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.accuracy import balanced_accuracy, best_cut, best_in_hindsight

ROWS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0])), min_size=1, max_size=30)


def test_a_class_that_is_empty_has_no_balanced_accuracy() -> None:
    assert math.isnan(balanced_accuracy([True, True], [True, False]))
    assert math.isnan(balanced_accuracy([], []))
    assert best_cut([True, True], [0.3, 0.4]) == 0.0
    assert math.isnan(best_in_hindsight([False], [0.3]))


@pytest.mark.parametrize(
    ("expected", "scores", "cut", "value"),
    [
        ([True, False], [0.9, 0.1], 0.9, 1.0),
        ([True, True, False, False], [0.9, 0.4, 0.4, 0.1], 0.4, 0.75),
        ([False, True], [0.9, 0.1], 0.1, 0.5),
        ([True, False], [0.12345, 0.12344], 0.12345, 1.0),
    ],
)
def test_the_best_cut_takes_all_rows_of_its_score(expected: list[bool], scores: list[float], cut: float, value: float) -> None:
    assert best_cut(expected, scores) == cut
    assert best_in_hindsight(expected, scores) == value


@given(ROWS)
def test_no_cut_does_better(rows: list[tuple[bool, float]]) -> None:
    expected, scores = [one for one, _ in rows], [score for _, score in rows]
    if any(expected) and not all(expected):
        tried = {cut: balanced_accuracy(expected, [score >= cut for score in scores]) for cut in scores}
        assert best_in_hindsight(expected, scores) == pytest.approx(max(tried.values()))
        assert best_cut(expected, scores) == min(cut for cut, value in tried.items() if value == pytest.approx(max(tried.values())))
