"""Fitting the support score: signs, thresholds, what is left out, calibration error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipelines.accuracy import balanced_accuracy
from pipelines.calibrate import (
    ablation,
    best_threshold,
    expected_calibration_error,
    fit_calibration,
    leave_one_out,
    reliability,
)
from pipelines.scoring import DevSet, ScoredSet
from transforms.support import KINDS, PARTS, SIGNS


def scored(name: str, seed: int, rows: int = 200, windows: int = 1, use: float = 1.0) -> ScoredSet:
    """A set whose supported rows have one window with high log odds and coverage; `use` scales how much they tell."""
    rng = np.random.default_rng(seed)
    supported = rng.random(rows) < 0.4
    features = rng.normal(-1, 1, (rows, windows, 5))
    features[..., 2:4] = rng.poisson(1, (rows, windows, 2))
    features[..., 4] = rng.random((rows, windows)) * 0.5
    features[supported, windows - 1, 0] += 3 * use
    features[supported, windows - 1, 4] += 0.5 * use
    p = 1 / (1 + np.exp(-features[..., 0].reshape(-1)))
    probabilities = np.column_stack([p, (1 - p) / 2, (1 - p) / 2])
    return ScoredSet(
        DevSet(name, name, human=True, fit=KINDS),
        tuple("supported" if one else "unsupported" for one in supported),
        np.arange(rows) * windows,
        features.reshape(-1, 5),
        probabilities,
        probabilities[::windows],
        rng.random(rows),
        np.full(rows, np.nan),
    )


@pytest.fixture(scope="module")
def sets() -> list[ScoredSet]:
    return [scored("a", 1), scored("b", 2), scored("c", 3, windows=4), scored("d", 4, windows=4)]


def test_the_fit_learns_what_tells_and_keeps_its_signs(sets: list[ScoredSet]) -> None:
    calibration = fit_calibration(sets)
    for kind in KINDS:
        fit = calibration.fits[kind, PARTS]
        assert fit.weights.entailment > 0.3
        assert fit.weights.coverage > 0.3
        assert all(weight * sign >= 0 for weight, sign in zip(fit.weights, SIGNS, strict=True))
        assert calibration.fits[kind, ()].weights.coverage == 0
    assert calibration.fitted_on == ("a", "b", "c", "d")
    assert fit_calibration(sets) == calibration


def test_a_set_has_no_say_in_its_own_scores(sets: list[ScoredSet]) -> None:
    before = leave_one_out(sets)
    lying = replace(sets[0], labels=tuple("unsupported" if one else "supported" for one in sets[0].supported))
    after = leave_one_out([lying, *sets[1:]])
    assert np.array_equal(before["a"].scores, after["a"].scores)
    assert np.array_equal(before["a"].supported, after["a"].supported)
    assert not np.array_equal(before["b"].scores, after["b"].scores)


def test_sets_from_one_file_are_left_out_together(sets: list[ScoredSet]) -> None:
    twin = replace(sets[1], dev=sets[1].dev._replace(name="twin", file="a"))
    with_twin = leave_one_out([sets[0], twin, *sets[2:], scored("e", 5)])
    without = leave_one_out([sets[0], *sets[2:], scored("e", 5)])
    assert np.array_equal(with_twin["a"].scores, without["a"].scores)


def test_a_set_that_only_measures_is_not_fitted_on(sets: list[ScoredSet]) -> None:
    probe = replace(scored("probe", 6), dev=DevSet("probe", "probe"))
    assert fit_calibration([*sets, probe]) == fit_calibration(sets)
    assert "probe" in leave_one_out([*sets, probe])


def test_left_out_scores_tell_supported_from_unsupported(sets: list[ScoredSet]) -> None:
    found = leave_one_out(sets)
    for one in sets:
        assert balanced_accuracy(one.supported, found[one.dev.name].supported) > 0.8
    chance = scored("chance", 7, use=0.0)
    assert 0.35 < balanced_accuracy(chance.supported, leave_one_out([*sets, chance])["chance"].supported) < 0.65


def test_the_ablation_has_every_arm_and_no_number_where_nothing_was_measured(sets: list[ScoredSet]) -> None:
    table = ablation(sets)
    assert list(table)[-4:] == ["+ calibration", "+ attributes", "+ coverage", "+ both"]
    assert all(np.isnan(value) for value in table["embedding similarity"].values())
    assert table["+ both"]["a"] >= table["token F1"]["a"] + 0.2
    assert table["model, best window"]["c"] > table["model, passage whole"]["c"]


def test_no_rows_of_a_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="no set has 20 rows of the kind window"):
        fit_calibration([scored("a", 1), scored("b", 2)])


def test_thresholds_come_from_all_sets_alike() -> None:
    low = (np.array([False] * 50 + [True] * 50), np.array([0.1] * 50 + [0.3] * 50))
    high = (np.array([False] * 5 + [True] * 5), np.array([0.2] * 5 + [0.9] * 5))
    assert 0.1 < best_threshold([low]) <= 0.3
    assert 0.2 < best_threshold([high]) <= 0.9
    assert 0.2 < best_threshold([low, high]) <= 0.3


def test_calibration_error_of_known_scores() -> None:
    expected = np.array([True, False] * 50)
    assert expected_calibration_error(expected, np.full(100, 0.5)) == pytest.approx(0)
    assert expected_calibration_error(expected, np.full(100, 0.9)) == pytest.approx(0.4)
    assert [one.n for one in reliability(expected, np.where(expected, 1.0, 0.0))] == [50, 50]
