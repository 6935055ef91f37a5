"""Corrected rates: known answers, refusals with their reasons, and a seeded simulation of bias and coverage."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.agreement import LabelledSentence
from pipelines.checker_error import CELLS, Graded, measured_error
from schemas.calibration import CheckerError, Label
from transforms.correction import (
    PREDICTION_POWERED,
    ROGAN_GLADEN,
    assumptions,
    by_variance,
    corrected,
    corrected_part,
    refusal,
    t95,
    youden_low,
)
from transforms.intervals import RatioSums, micro, sums_of

BENCHMARK = Path(__file__).parent / "benchmarks" / "correction.py"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    """The benchmark's simulation, which is what is shown at length outside the tests."""
    spec = importlib.util.spec_from_file_location("correction_benchmark", BENCHMARK)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def error_of(*counts: int, traffic: bool = False, clusters: int = 10_000) -> CheckerError:
    """So many hits, misses, false alarms and passes, dealt in turn to so many answers."""
    words = [word for word, n in zip(CELLS, counts, strict=True) for _ in range(n)]
    row = Label(None, "c", "p", [])
    graded = [Graded(row, 1.0, f"{i % clusters}", person, checker) for i, (person, checker) in enumerate(words)]
    return measured_error("edge", "all", graded)._replace(traffic=traffic)


def night(*answers: tuple[int, int]) -> RatioSums:
    sums = RatioSums()
    for above, below in answers:
        sums = sums.plus(sums_of(above, below))
    return sums


def parts(answers: list[tuple[int, int, int]]) -> tuple[RatioSums, RatioSums, RatioSums]:
    """The sums of a/b, a/j and j/b over answers of (supported, judged, counted)."""
    return night(*((a, b) for a, _, b in answers)), night(*((a, j) for a, j, _ in answers)), night(*((j, b) for _, j, b in answers))


HALF = night(*[(1, 2)] * 40, *[(2, 2)] * 30, *[(0, 2)] * 30)


def test_a_perfect_checker_leaves_the_rate_as_it_is() -> None:
    error = error_of(500, 0, 0, 500)
    found = corrected(HALF, error)
    assert found.method == ROGAN_GLADEN
    assert found.value == pytest.approx(0.5, abs=0.001)
    plain = micro(HALF)
    assert (found.low, found.high) == (pytest.approx(plain.low, abs=0.01), pytest.approx(plain.high, abs=0.01))


def test_rogan_gladen_of_known_rates() -> None:
    # 90 % sensitivity, 80 % specificity, 55 % observed: (0.55 + 0.8 - 1) / 0.7.
    sums = night(*[(55, 100)] * 100)
    found = corrected(sums, error_of(9000, 1000, 2000, 8000, clusters=20_000))
    assert found.value == pytest.approx(0.5, abs=0.001)
    assert found.estimate == pytest.approx(0.5, abs=0.001)
    assert found.reason is None


def test_prediction_power_takes_the_labels_word_and_the_night_s_excess() -> None:
    # 80 of 100 labels supported, the checker says 70 of them: it misses 15 and gives 5 false alarms; tonight it says 70 %.
    error = error_of(65, 15, 5, 15, traffic=True)
    same = corrected(night(*[(7, 10)] * 500), error)
    assert same.method == PREDICTION_POWERED
    assert same.value == pytest.approx(0.8, abs=0.001)
    more = corrected(night(*[(75, 100)] * 500), error)
    power = error.cov_labelled_observed / error.var_observed
    assert more.value == pytest.approx(0.8 + 0.05 * power, abs=0.002)


def test_a_slice_of_the_traffic_is_corrected_by_its_error_rates() -> None:
    found = corrected(HALF, error_of(65, 15, 5, 15, traffic=True), whole_traffic=False)
    assert (found.method, found.reason) == (ROGAN_GLADEN, "the labels are a sample of all traffic, not of this slice")


def test_a_night_that_has_moved_is_corrected_by_its_error_rates() -> None:
    found = corrected(night(*[(3, 10)] * 500), error_of(65, 15, 5, 15, traffic=True))
    assert found.method == ROGAN_GLADEN
    assert found.reason == "tonight's observed rate 0.300 is not that of the labelled sample, 0.700, beyond chance"


def test_the_judged_part_alone_is_corrected() -> None:
    error = error_of(9000, 1000, 2000, 8000, clusters=20_000)
    answers = [(11, 20, 40)] * 50
    whole, judged, share = parts(answers)
    found, alone = corrected_part(whole, judged, share, error), corrected(judged, error)
    assert alone.value is not None
    assert found.value == pytest.approx(0.5 * alone.value, abs=1e-5)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4)), min_size=12, max_size=40), st.booleans())
def test_a_correction_lies_in_its_interval_and_the_judged_whole_is_its_own_part(
    rows: list[tuple[int, int, int]], traffic: bool
) -> None:
    answers = [(min(a, j), j, j + more) for a, j, more in rows]
    error = error_of(40, 10, 12, 38, traffic=traffic)
    found = corrected_part(*parts(answers), error)
    if found.value is not None and found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1
    judged = night(*((a, j) for a, j, _ in answers))
    whole = corrected_part(judged, judged, night(*((j, j) for _, j, _ in answers)), error)
    assert whole == corrected(judged, error)


@pytest.mark.parametrize(
    ("error", "sums", "reason"),
    [
        (None, HALF, "no label of this unit and family"),
        (error_of(10, 0, 0, 10), HALF, "too few labels: 20, at least 30 are needed"),
        (error_of(20, 5, 2, 20, clusters=4), HALF, "too few labelled answers: 4, at least 10 are needed"),
        (error_of(3, 2, 0, 40), HALF, "too few labels supported: 5, at least 8 are needed"),
        (error_of(40, 2, 0, 0), HALF, "too few labels unsupported: 0, at least 8 are needed"),
        (error_of(20, 20, 20, 20), HALF, "the lower bound of sensitivity + specificity - 1 is -0.225, not above 0"),
        (error_of(20, 2, 2, 20), RatioSums(), "too few judged answers: 0, at least 10 are needed"),
        (error_of(20, 2, 2, 20), night(*[(1, 2)] * 9), "too few judged answers: 9, at least 10 are needed"),
        (
            error_of(900, 100, 500, 500),
            night(*[(1, 10)] * 50),
            "tonight's observed rate 0.100 cannot come from the record's sensitivity and specificity: "
            "the checker errs otherwise here than on the labels",
        ),
    ],
)
def test_where_nothing_can_be_corrected_the_reason_is_given(error: CheckerError | None, sums: RatioSums, reason: str) -> None:
    assert corrected(sums, error) == (None, None, None, None, reason, None)
    everything = RatioSums(sums.clusters, sums.below, sums.below, *[sums.below_below] * 3)
    assert corrected_part(sums, sums, everything, error)[:5] == (None, None, None, None, reason)


def test_refusals_of_a_record_alone() -> None:
    assert refusal(error_of(20, 2, 2, 20)) is None
    assert 0.5 < youden_low(error_of(20, 2, 2, 20)) < 0.82


def test_a_value_outside_is_clipped_and_its_estimate_is_not() -> None:
    found = corrected(night(*[(15, 100)] * 30), error_of(90, 10, 20, 80))
    assert found.value == found.low == 0
    assert found.estimate is not None
    assert found.estimate < 0


def test_more_labels_and_more_answers_narrow_the_interval() -> None:
    def width(times: int, answers: int) -> float:
        found = corrected(night(*[(1, 2), (2, 2), (0, 2)] * answers), error_of(40 * times, 10 * times, 10 * times, 40 * times))
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(1, 20) > width(1, 400) > width(10, 400)
    assert width(1, 20) > width(10, 20)


def test_assumptions_name_what_the_method_rests_on() -> None:
    assert "random sample of this traffic" in assumptions(error_of(20, 2, 2, 20, traffic=True))[0]
    assert "sensitivity and specificity tonight are those of the labels" in assumptions(error_of(20, 2, 2, 20))[0]


def test_quantiles_and_shares_agree_with_scipy() -> None:
    from scipy.stats import t

    for freedom in (4, 7, 20, 300):
        assert t95(freedom) == pytest.approx(t.ppf(0.975, freedom), abs=0.01)
    assert by_variance(0.0, 0.0, math.inf) == (0, 0)
    low, high = by_variance(0.02, 0.0004, math.inf)
    assert 0 < low < 0.02 < high


def test_the_mean_is_that_of_ppi_python(benchmark: ModuleType) -> None:
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed: it brings numba and more, and is no dependency")
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.6).astype(float)
    f = np.where(rng.random(300) < 0.85, y, 1 - y)
    tonight = (rng.random(5000) < 0.56).astype(float)
    counts = [int(((y == one) & (f == two)).sum()) for one, two in CELLS]
    found = corrected(night(*((int(one), 1) for one in tonight)), error_of(*counts, traffic=True))
    assert found.estimate == pytest.approx(float(ppi.ppi_mean_pointestimate(y, f, tonight)[0]), abs=0.003)
    low, high = ppi.ppi_mean_ci(y, f, tonight, alpha=0.05)
    assert found.low == pytest.approx(float(low[0]), abs=0.01)
    assert found.high == pytest.approx(float(high[0]), abs=0.01)


# --- the simulation ---------------------------------------------------------------------------------------------------------------

REPLICATIONS = 1000
SETTINGS = [
    (0.7, 0.7, 0.5, 400, 300, 0.25, "random"),
    (0.95, 0.7, 0.8, 200, 50, 0.5, "random"),
    (0.7, 0.95, 0.5, 400, 2000, 0.0, "scored"),
    (0.85, 0.85, 0.2, 400, 300, 0.25, "scored"),
    (0.7, 0.7, 0.5, 400, 50, 0.25, "elsewhere"),
    (0.85, 0.85, 0.95, 200, 2000, 0.5, "elsewhere"),
    (0.95, 0.95, 0.05, 200, 300, 0.0, "elsewhere"),
    (0.7, 0.95, 0.8, 200, 300, 0.5, "elsewhere"),
]


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("setting", SETTINGS)
def test_corrected_rates_are_unbiased_and_covered_and_raw_ones_are_not(
    setting: tuple[float, float, float, int, int, float, str], part: bool, benchmark: ModuleType
) -> None:
    cell = benchmark.Cell(*setting)
    for found in benchmark.simulate(cell, REPLICATIONS, part):
        assert found.given > 0.95 * REPLICATIONS
        # 93 %, less three Monte Carlo errors of a coverage of 93 %.
        assert found.coverage > 0.93 - 3 * math.sqrt(0.93 * 0.07 / found.given)
        if benchmark.is_inner(found):
            assert not benchmark.is_biased(found)
        if abs(found.raw_bias) > 0.05:
            assert found.raw_coverage < 0.8
            assert benchmark.is_biased(found._replace(bias=found.raw_bias))


def test_an_interval_that_forgets_the_labels_noise_would_be_caught(benchmark: ModuleType) -> None:
    """The check can fail: without the noise of the labels the same cells cover far too little."""
    cell = benchmark.Cell(0.7, 0.7, 0.5, 200, 2000, 0.25, "elsewhere")
    rng = np.random.default_rng(1)
    sums = benchmark.nights(cell, benchmark.FULL_SHARE, 500, rng).tolist()
    covered = 0
    for one, error in zip(sums, benchmark.label_sets(cell, 500, rng), strict=True):
        sure = error._replace(var_sensitivity=1e-9, var_specificity=1e-9, cov_sensitivity_specificity=0.0)
        found = corrected(RatioSums(*one[:10]), sure)
        covered += found.low is not None and found.low <= 0.5 <= found.high
    assert covered < 0.7 * 500


def test_a_half_is_corrected_by_the_labels_of_the_other(benchmark: ModuleType) -> None:
    rng = np.random.default_rng(2)
    made = [
        LabelledSentence(f"a{i}", "s", bool(expert), bool(expert if rng.random() < 0.85 else not expert), 0.0)
        for i in range(150)
        for expert in rng.random(4) < 0.75
    ]
    cells = benchmark.cells_of(made)
    assert cells.sum() == len(made)
    first = rng.permutation(len(cells)) < len(cells) // 2
    for whole in (True, False):
        split = benchmark.split_once(cells, first, whole)
        assert split.low < 0 < split.high
        assert split.corrected < 0.15
