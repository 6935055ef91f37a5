"""The support score: monotone in what it knows, the model's own word where nothing was fitted, errors that name the field."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.options import bundled_checker
from schemas.claims import FAMILIES
from transforms.attributes import compare
from transforms.entailment import Probabilities
from transforms.overlap import content_words, word_coverage
from transforms.support import (
    CALIBRATION_FILE,
    KINDS,
    PARTS,
    SIGNS,
    Calibration,
    Features,
    Fit,
    checked_parts,
    features_of,
    fit,
    kind_of,
    names_in,
)

SUBSETS = ((), ("attributes",), ("coverage",), PARTS)
WEIGHTS = Features(0.8, -0.1, -0.5, -0.3, 2.0)
CLAIM = "Logs are kept for 30 days in the EU"
AGREEING, DIFFERING = "In the EU logs are kept for 30 days.", "In the EU logs are kept for 7 days."


def one_fit(kind, parts, **changed):
    used = {name: value if name in names_in(parts) else 0 for name, value in WEIGHTS._asdict().items()}
    return Fit(-1.0 if kind == "sentence" else -2.0, Features(**used)._replace(**changed), 0.4 if kind == "sentence" else 0.6)


def fitted(parts=PARTS, **changed):
    fits = {(kind, subset): one_fit(kind, subset) for kind in KINDS for subset in SUBSETS}
    return Calibration({**fits, ("window", PARTS): one_fit("window", PARTS, **changed)}, parts, ("one", "two"))


probabilities = st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)).map(
    lambda cuts: Probabilities(
        min(cuts) / 10_000, round((max(cuts) - min(cuts)) / 10_000, 4), round((10_000 - max(cuts)) / 10_000, 4)
    )
)
features = st.builds(Features, st.floats(-9.3, 9.3), st.floats(-9.3, 9.3), st.integers(0, 7), st.integers(0, 7), st.floats(0, 1))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "coverage"),
    [
        ("The pump stores three samples.", "Storing 3 sample tubes", 0.75),
        ("It cost 1,200 euros.", "It costs 1200 EURO", 1.0),
        ("It cost 1,200.50 euros.", "1200.5", 0.0),
        ("Versions 1.2 and 3:00", "1.2, 3:00", 1.0),
        ("Twelve users' accounts", "the company's 12 user accounts", 0.75),
        ("It isn't there", "It isn't", 1.0),
        ("", "of the", 1.0),
        ("anything", "", 1.0),
        ("", "pump", 0.0),
        ("pump", "pump pump valve", 0.5),
    ],
)
def test_word_coverage(premise, hypothesis, coverage):
    assert word_coverage(premise, hypothesis) == coverage


@given(st.text(), st.text(), st.text())
def test_more_premise_never_covers_fewer_words(premise, more, hypothesis):
    covered = word_coverage(premise, hypothesis)
    assert 0 <= covered <= word_coverage(f"{premise} {more}", hypothesis) <= 1
    assert word_coverage(hypothesis, hypothesis) == 1
    assert content_words(hypothesis) == content_words(hypothesis.casefold())


def test_features_of_a_window():
    odds = Probabilities(0.9, 0.0999, 0.0001), Probabilities(1.0, 0.0, 0.0)
    assert features_of(odds[0], DIFFERING, CLAIM) == pytest.approx((2.1972, -9.2102, 1, 0, 0.8), abs=1e-4)
    assert features_of(odds[1], AGREEING, CLAIM) == pytest.approx((9.2102, -9.2102, 0, 0, 1.0), abs=1e-4)
    assert features_of(odds[1], "Logs are kept.", CLAIM)[2:] == (0, 2, 0.4)
    assert features_of(odds[1], DIFFERING, CLAIM, ("attributes",))[2:] == (1, 0, 0)
    assert features_of(odds[1], DIFFERING, CLAIM, ("coverage",))[2:] == (0, 0, 0.8)


def test_a_family_that_differs_is_not_missing_as_well():
    premise, claim = "Logs are kept for 7 days.", "Logs are kept for 30 days and weigh 3 GB"
    compared = compare(claim, premise)
    assert ({one.family for one in compared.differs}, {one.family for one in compared.missing}) == ({"quantity"}, {"quantity"})
    assert features_of(Probabilities(0.5, 0.3, 0.2), premise, claim)[2:4] == (1, 0)


@given(features, st.sampled_from(Features._fields), st.floats(0, 5))
def test_more_of_a_feature_moves_the_score_one_way(one, name, more):
    weighed = one_fit("window", PARTS)
    sign = getattr(SIGNS, name)
    after = weighed.probability(one._replace(**{name: getattr(one, name) + more}))
    assert sign * after >= sign * weighed.probability(one)


@given(probabilities, st.sampled_from(KINDS), st.sampled_from(SUBSETS))
def test_words_never_lower_and_a_difference_never_raises_the_score(p, kind, parts):
    calibration = fitted(parts)
    agreeing = calibration.calibrated(p, AGREEING, CLAIM, kind)
    assert calibration.calibrated(p, DIFFERING, CLAIM, kind).entailment <= agreeing.entailment
    assert calibration.calibrated(p, f"{DIFFERING} Metrics too.", f"{CLAIM}, metrics", kind).entailment >= (
        calibration.calibrated(p, DIFFERING, f"{CLAIM}, metrics", kind).entailment
    )


@given(probabilities, st.sampled_from([AGREEING, DIFFERING, ""]), st.sampled_from(KINDS))
def test_probabilities_sum_to_one_and_the_rest_keeps_its_proportion(p, premise, kind):
    found = fitted().calibrated(p, premise, CLAIM, kind)
    assert sum(found) == pytest.approx(1, abs=1e-9)
    assert all(0 <= value <= 1 and value == round(value, 4) for value in found)
    if p.neutral + p.contradiction:
        share = p.contradiction / (p.neutral + p.contradiction)
        assert found.contradiction == pytest.approx((1 - found.entailment) * share, abs=1e-4)
    else:
        assert found.contradiction == 0


def test_the_calibrated_probability_in_numbers():
    # Intercept -1, 0.8 * log odds of 0.9, -0.1 * those of 0.02, -0.5 * one difference, 2 * four of five words.
    expected = 1 / (1 + np.exp(-(-1 + 0.8 * np.log(9) - 0.1 * np.log(0.02 / 0.98) - 0.5 + 2 * 0.8)))
    found = fitted().calibrated(Probabilities(0.9, 0.08, 0.02), DIFFERING, CLAIM, "sentence")
    assert found == (round(expected, 4), round((1 - round(expected, 4)) * 0.8, 4), round((1 - round(expected, 4)) * 0.2, 4))


def test_a_folder_without_calibration_leaves_the_probabilities_as_they_are(tmp_path):
    for source in (tmp_path, "somebody/some-hub-model"):
        calibration = Calibration.read(source, ("coverage",))
        assert calibration == Calibration.identity(parts=("coverage",))
        assert calibration.thresholds == {"sentence": 0.5, "window": 0.5}
        for p in (Probabilities(1.0, 0.0, 0.0), Probabilities(0.0, 0.0, 1.0), Probabilities(0.3333, 0.3333, 0.3333)):
            assert calibration.calibrated(p, DIFFERING, CLAIM, "window") is p
        assert calibration.named("one@12") == "one@12"


def test_what_is_written_is_read_again_and_the_same_bytes(tmp_path):
    for parts in SUBSETS:
        path = fitted(parts).write(tmp_path)
        assert Calibration.read(tmp_path, parts) == fitted(parts)
        assert path.read_bytes() == fitted().write(tmp_path).read_bytes()
    record = json.loads(path.read_text(encoding="utf-8"))
    assert list(record) == ["fits", "fitted_on"]
    assert record["fits"]["window"]["model+coverage"] == {
        "intercept": -2.0,
        "threshold": 0.6,
        "weights": {"contradiction": -0.1, "coverage": 2.0, "entailment": 0.8},
    }


def test_a_change_that_moves_a_probability_changes_the_name():
    names = [fitted(parts).named("one@12") for parts in SUBSETS] + [fitted(differs=-0.6).named("one@12")]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"one@12\+[0-9a-f]{8}", name) for name in names)
    # Another threshold stands in its own column; a change in parts that are off changes nothing.
    assert fitted(("coverage",), differs=-0.6).named("one@12") == fitted(("coverage",)).named("one@12")
    assert Calibration.identity(0.65).named("one@12") == "one@12"


def test_kinds_and_parts():
    assert [kind_of(n) for n in (0, 1, 2, 9)] == ["sentence", "sentence", "window", "window"]
    assert checked_parts(["coverage", "attributes"]) == PARTS
    with pytest.raises(ValueError, match="unknown parts: model, words; choose from attributes, coverage"):
        Calibration.identity(parts=("words", "model"))
    with pytest.raises(ValueError, match=r"no fit for kind and parts \('sentence', \(\)\)"):
        Calibration({})


def test_the_bundled_calibration_is_read():
    calibration = Calibration.read(bundled_checker())
    assert all(0 < threshold < 1 for threshold in calibration.thresholds.values())
    assert calibration.fitted_on


def broken(change):
    record = {
        "fits": {
            kind: {
                "+".join(("model", *parts)): {"intercept": 0, "threshold": 0.5, "weights": dict.fromkeys(names_in(parts), 0)}
                for parts in SUBSETS
            }
            for kind in KINDS
        },
        "fitted_on": [],
    }
    change(record)
    return json.dumps(record)


def of(record, name="model+coverage"):
    return record["fits"]["window"][name]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "Expecting property name"),
        ("[]", "the content must be an object, found []"),
        (broken(lambda record: record.pop("fitted_on")), "the content lacks the field 'fitted_on'"),
        (broken(lambda record: record.update(fitted_on="wice")), "fitted_on must be a list of names, found 'wice'"),
        (broken(lambda record: record.update(supported=0.65)), "the content has unknown fields: supported"),
        (broken(lambda record: record["fits"].pop("window")), "fits lacks the field 'window'"),
        (broken(lambda record: record["fits"]["window"].pop("model")), "fits.window lacks the field 'model'"),
        (broken(lambda record: record["fits"].update(window=3)), "fits.window must be an object, found 3"),
        (broken(lambda record: of(record).pop("threshold")), "fits.window.model+coverage lacks the field 'threshold'"),
        (
            broken(lambda record: of(record)["weights"].update(differs=-1)),
            "fits.window.model+coverage.weights has unknown fields: differs",
        ),
        (
            broken(lambda record: of(record)["weights"].update(coverage="2")),
            "fits.window.model+coverage: coverage must be a number, found '2'",
        ),
        (
            broken(lambda record: of(record).update(intercept=True)),
            "fits.window.model+coverage: intercept must be a number, found True",
        ),
        (
            broken(lambda record: of(record).update(intercept=float("nan"))),
            "fits.window.model+coverage: intercept must be finite: nan",
        ),
        (
            broken(lambda record: of(record).update(threshold=1.5)),
            "fits.window.model+coverage: threshold must be a probability: 1.5",
        ),
        (
            broken(lambda record: of(record)["weights"].update(coverage=-2)),
            "fits.window.model+coverage: the weight of coverage must not be below 0: -2",
        ),
        (
            broken(lambda record: of(record, "model+attributes")["weights"].update(differs=0.1)),
            "fits.window.model+attributes: the weight of differs must not be above 0: 0.1",
        ),
    ],
)
def test_a_broken_file_is_named_with_field_value_and_remedy(tmp_path, content, message):
    (tmp_path / CALIBRATION_FILE).write_text(content)
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path / CALIBRATION_FILE}: {message}")) as raised:
        Calibration.read(tmp_path)
    assert str(raised.value).endswith("fit the calibration again, or delete the file to judge by the model's own probabilities")


def drawn(rng, n):
    """Rows like those of windows: log odds, counts of families, shares."""
    columns = (rng.normal(0, 3, n), rng.normal(-3, 2, n), rng.poisson(0.6, n), rng.poisson(0.8, n), rng.uniform(0, 1, n))
    return np.minimum(np.column_stack(columns), [9.3, 9.3, len(FAMILIES), len(FAMILIES), 1.0])


@pytest.mark.parametrize("parts", SUBSETS)
def test_a_fit_recovers_the_logistic_that_drew_the_labels(parts):
    rng = np.random.default_rng(7)
    x = drawn(rng, 40_000)
    true = one_fit("sentence", parts)
    p = 1 / (1 + np.exp(-(true.intercept + x @ np.array(true.weights))))
    found = fit(x, rng.uniform(size=len(x)) < p, np.ones(len(x)), parts)
    assert (found.intercept, *found.weights) == pytest.approx((true.intercept, *true.weights), abs=0.1)
    assert all(weight == 0 for name, weight in found.weights._asdict().items() if name not in names_in(parts))
    assert found.threshold == 0.5


def test_a_fit_is_deterministic_and_counts_weights_as_repeats():
    rng = np.random.default_rng(3)
    x, y, w = drawn(rng, 500), rng.uniform(size=500) < 0.4, rng.integers(1, 4, 500)
    found = fit(x, y, w)
    assert found == fit(x, y, w) == fit(x, y, 10.0 * w)
    repeated = fit(np.repeat(x, w, axis=0), np.repeat(y, w), np.ones(w.sum()))
    assert (found.intercept, *found.weights) == pytest.approx((repeated.intercept, *repeated.weights), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SUBSETS), st.integers(2, 60), st.floats(-20, 20), st.booleans())
def test_no_data_breaks_a_sign_or_leaves_a_weight_infinite(seed, parts, n, slope, constant):
    """Labels that turn against every sign, separable ones, constant columns and wild scales."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 5)) * 10.0 ** rng.integers(-6, 4, 5) + rng.normal(size=5)
    x[:, 3] = 2.0 if constant else x[:, 3]
    y = slope * -(x / x.std(axis=0).clip(1e-9)) @ np.array(SIGNS) > 0
    y[:2] = True, False
    found = fit(x, y, rng.uniform(0.1, 5, n), parts)
    assert all(weight * sign >= 0 for weight, sign in zip(found.weights, SIGNS, strict=True))
    assert np.isfinite([found.intercept, *found.weights]).all()
    assert not constant or found.weights.missing == 0


def test_labels_against_every_sign_leave_the_base_rate():
    rng = np.random.default_rng(5)
    x = drawn(rng, 2_000)
    found = fit(x, -(x @ np.array(SIGNS)) > 1, np.ones(len(x)))
    assert found.weights == (0, 0, 0, 0, 0)
    rate = (-(x @ np.array(SIGNS)) > 1).mean()
    assert found.probability(Features(0, 0, 0, 0, 0)) == pytest.approx(rate, abs=1e-3)


@pytest.mark.parametrize(
    ("x", "y", "w", "message"),
    [
        (np.zeros((3, 4)), [1, 0, 1], [1, 1, 1], "features must be [n, 5], supported and sample_weight [n]: found (3, 4), (3,)"),
        (np.zeros((3, 5)), [1, 0], [1, 1, 1], "found (3, 5), (2,) and (3,)"),
        (np.full((2, 5), np.nan), [1, 0], [1, 1], "features holds what cannot be fitted: np.float64(nan)"),
        (np.zeros((2, 5)), [2, 0], [1, 1], "supported holds what cannot be fitted: np.float64(2.0)"),
        (np.zeros((2, 5)), [1, 0], [-1, 1], "sample_weight holds what cannot be fitted: np.float64(-1.0)"),
        (np.zeros((2, 5)), [1, 1], [1, 1], "nothing to fit on: of 2 rows none that is unsupported has a weight"),
        (np.zeros((2, 5)), [1, 0], [0, 1], "nothing to fit on: of 2 rows none that is supported has a weight"),
    ],
)
def test_rows_that_cannot_be_fitted_are_named(x, y, w, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fit(x, np.array(y), np.array(w))
