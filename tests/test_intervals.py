"""Intervals over clustered ratios: exact sums, small cases in literals, and how often they cover, by seeded simulation."""

from __future__ import annotations

import itertools

import pytest
from benchmarks.intervals import LEAST, Cell, covered, misses, naive_wilson, run_cell, standard_error
from hypothesis import given
from hypothesis import strategies as st

from transforms.intervals import (
    Estimate,
    SumRatios,
    correlation,
    effective_n,
    interval,
    macro,
    micro,
    per_answer,
    sums_of,
    variance,
)

REPLICATIONS = 1000
RATIOS = st.lists(st.integers(0, 6).flatmap(lambda below: st.tuples(st.integers(0, below), st.just(below))), max_size=20)


def add_up(ratios):
    combine = SumRatios()
    accumulator = combine.create_accumulator()
    for ratio in ratios:
        accumulator = combine.add_input(accumulator, ratio)
    return combine.extract_output(accumulator)


@given(RATIOS, st.lists(st.integers(0, 20), max_size=4), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_order_or_splits(ratios, cuts, random):
    combine = SumRatios()
    bounds = [0, *sorted(min(cut, len(ratios)) for cut in cuts), len(ratios)]
    shuffled = random.sample(ratios, len(ratios))
    parts = [add_up(shuffled[start:end]) for start, end in itertools.pairwise(bounds)]
    assert combine.merge_accumulators(parts) == combine.merge_accumulators(parts[::-1]) == add_up(ratios)


@given(RATIOS)
def test_sums_hold_nothing_but_integers(ratios):
    assert {type(number) for number in add_up(ratios)} == {int}


@given(RATIOS)
def test_bounds_hold_the_value_and_stay_within_0_and_1(ratios):
    for estimate in (micro(add_up(ratios)), macro(add_up(ratios))):
        if estimate.value is None:
            assert estimate == (None, None, None, 0, 0)
        else:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
            assert estimate.low < estimate.high


@given(RATIOS)
def test_hits_and_misses_are_treated_alike(ratios):
    hits, missed = add_up(ratios), add_up([(below - above, below) for above, below in ratios])
    for rule in (micro, macro):
        one, other = rule(hits), rule(missed)
        if one.n:
            assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=3e-6)


@pytest.mark.parametrize(
    ("ratios", "expected_micro", "expected_macro"),
    [
        ([], Estimate(None, None, None, 0, 0), Estimate(None, None, None, 0, 0)),
        ([(0, 0)], Estimate(None, None, None, 0, 0), Estimate(None, None, None, 0, 0)),
        ([(0, 20)], Estimate(0.0, 0.0, 0.993844, 20, 1), Estimate(0.0, 0.0, 0.993844, 1, 1)),
        ([(1, 2)], Estimate(0.5, 0.001709, 0.998291, 2, 1), Estimate(0.5, 0.001709, 0.998291, 1, 1)),
        ([(3, 3)], Estimate(1.0, 0.006156, 1.0, 3, 1), Estimate(1.0, 0.006156, 1.0, 1, 1)),
        ([(0, 2)] * 10, Estimate(0.0, 0.0, 0.331756, 20, 10), Estimate(0.0, 0.0, 0.331756, 10, 10)),
        ([(2, 2)] * 10, Estimate(1.0, 0.668244, 1.0, 20, 10), Estimate(1.0, 0.668244, 1.0, 10, 10)),
        ([(1, 5), *[(0, 5)] * 19], Estimate(0.01, 0.0, 0.169631, 100, 20), Estimate(0.01, 0.0, 0.169631, 20, 20)),
        (
            [(1, 1), (1, 2), (0, 5), (3, 4)] * 10,
            Estimate(0.416667, 0.292232, 0.55271, 120, 40),
            Estimate(0.5625, 0.440081, 0.677753, 40, 40),
        ),
    ],
)
def test_small_cases(ratios, expected_micro, expected_macro):
    assert (micro(add_up(ratios)), macro(add_up(ratios))) == (expected_micro, expected_macro)


def test_more_edges_in_one_answer_tell_nothing_of_other_answers():
    assert micro(sums_of(3, 3))[:3] == micro(sums_of(300, 300))[:3]


def test_variance_is_the_linearised_one():
    """By hand: ratio 3/6; residuals 1 - 1, 2 - 1.5, 0 - .5; (0 + .25 + .25) / 36 * 3 / 2."""
    sums = add_up([(1, 2), (2, 3), (0, 1)])
    assert variance(sums) == pytest.approx(0.5 / 36 * 1.5, rel=1e-12)
    assert variance(per_answer(sums)) == pytest.approx(0.0401234, rel=1e-4)
    assert variance(add_up([(2, 2), (3, 3)])) == 0


def test_effective_n_lies_between_answers_and_edges_where_edges_fare_alike():
    alike = add_up([(5, 5), (0, 5)] * 20)
    assert correlation(alike) == 1
    assert effective_n(alike) == pytest.approx(40, rel=0.03)
    assert effective_n(add_up([(5, 5)] * 40)) == 40


def test_the_interval_of_a_certain_rate_keeps_its_width():
    assert [round(end, 4) for end in (*interval(0.0, 20, 20), *interval(1.0, 20, 20))] == [0.0, 0.1787, 0.8213, 1.0]


CELLS = [
    Cell(law, *rest)
    for law, rest in itertools.product(
        ("few", "many", "skewed"),
        [(10, 0.02, 0.5), (10, 0.3, 0.0), (10, 0.5, 0.3), (20, 0.9, 0.1), (50, 0.05, 0.3), (100, 0.02, 0.5), (500, 0.8, 0.2)],
    )
]


@pytest.mark.parametrize("cell", [*CELLS, Cell("many", 5000, 0.98, 0.5), Cell("few", 5000, 0.5, 0.05)], ids=str)
def test_intervals_cover(cell):
    for name, found in zip(("micro", "macro"), run_cell(cell, REPLICATIONS, seed=7)[:2], strict=True):
        print(f"{cell} {name}: {found.coverage:.3f} ± {standard_error(found.coverage, REPLICATIONS):.3f}, width {found.width:.4f}")
        assert not misses(found.coverage, found.information, allowance=3 * standard_error(LEAST, REPLICATIONS))


def test_an_interval_that_ignores_answers_would_be_caught():
    cell = Cell("many", 100, 0.8, 0.5)
    found, _, sums = run_cell(cell, REPLICATIONS, seed=7)
    coverage, _ = covered([naive_wilson(one) for one in sums], cell.rate)
    assert misses(coverage, found.information, allowance=3 * standard_error(LEAST, REPLICATIONS))
    assert not misses(found.coverage, found.information, allowance=3 * standard_error(LEAST, REPLICATIONS))
