"""A checker's error on labels: weights, clusters, held-out thresholds, and the record that holds it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.__main__ import main
from pipelines.checker_error import (
    calibration_record,
    cells_of,
    chosen_thresholds,
    judge_labels,
    kappa_rate,
    measured_error,
    moments,
    record_table,
    weighted,
    weighted_reliability,
)
from pipelines.labels import Sheet, read_labels, write_sheet
from pipelines.options import UsageError
from schemas.calibration import CalibrationRecord, Frame, Label, Rate, read_record, write_record
from transforms.entailment import Probabilities
from transforms.judging import PairVerdict
from transforms.support import Calibration

OWN = Calibration.identity()


def label(person: bool, checker: bool, **fields: Any) -> Label:
    values = {"families": ["scope"], "checker": "m@1", "supported": checker, "n_windows": 1}
    values["p_entailment"] = 0.9 if checker else 0.1
    return Label("supported" if person else "unsupported", "claim", "premise", **{**values, **fields})


def sheet(*counts: int, **fields: Any) -> Sheet:
    """So many hits, misses, false alarms and passes, each row an answer of its own."""
    words = ((True, True), (True, False), (False, True), (False, False))
    rows = [label(*word, **fields) for word, n in zip(words, counts, strict=True) for _ in range(n)]
    return Sheet(rows, {"rows": len(rows)})


def test_the_rates_of_plain_counts() -> None:
    record = calibration_record(sheet(40, 10, 5, 45), OWN, "m@1")
    error = record.error_of("edge", "all")
    assert error is not None
    assert (error.n, error.n_clusters, error.n_supported, error.n_unsupported) == (100, 100, 50, 50)
    shares = [rate.value for rate in (error.agreement, error.kappa, error.sensitivity, error.specificity)]
    assert shares == [0.85, 0.7, 0.8, 0.9]
    assert (error.labelled, error.observed) == (0.5, 0.45)
    # One jackknifed binomial variance: p (1 - p) / (n - 1).
    assert error.var_sensitivity == pytest.approx(0.8 * 0.2 / 49)
    assert error.sensitivity.low == pytest.approx(0.665, abs=0.005)
    assert error.sensitivity.high == pytest.approx(0.891, abs=0.005)
    assert error.cov_sensitivity_specificity == 0
    assert [(one.predicted, one.n) for one in error.reliability] == [(0.1, 55), (0.9, 45)]
    assert error.calibration_error == pytest.approx(0.55 * (10 / 55 - 0.1) + 0.45 * (0.9 - 40 / 45))
    assert [(one.unit, one.family, one.n) for one in record.errors] == [("edge", "all", 100), ("edge", "scope", 100)]
    assert record.error_of("edge", "date") is None


def test_a_row_weighs_one_over_its_inclusion() -> None:
    rare, often = sheet(10, 0, 0, 10, inclusion_probability=0.1), sheet(0, 10, 10, 0)
    error = measured_error("edge", "all", weighted([*rare.labels, *often.labels]))
    assert error.sensitivity.value == pytest.approx(100 / 110)
    assert error.agreement.value == pytest.approx(200 / 220)


def test_what_was_left_unlabelled_counts_as_the_rest_of_its_stratum() -> None:
    half = [label(True, True, stratum="a"), label(True, True, stratum="a")._replace(label=None)]
    whole = [label(True, False, stratum="b"), label(True, False, stratum="b")]
    unsure = label(True, True, stratum="b")._replace(label="unsure")
    assert [one.weight for one in weighted([*half, *whole, unsure])] == [2.0, 1.5, 1.5]


def test_labels_of_one_answer_count_as_one_witness() -> None:
    apart = sheet(40, 10, 5, 45)
    repeated = [one._replace(answer_id=f"{i}") for i, one in enumerate(apart.labels) for _ in range(4)]
    alone, clustered = (measured_error("edge", "all", weighted(rows)) for rows in (apart.labels, repeated))
    assert clustered.sensitivity.value == alone.sensitivity.value
    assert clustered.var_sensitivity == pytest.approx(alone.var_sensitivity)
    assert clustered.kappa == alone.kappa
    assert (clustered.n, clustered.n_clusters) == (400, 100)


def test_few_labels_that_all_agree_leave_a_doubt() -> None:
    error = measured_error("edge", "all", weighted(sheet(8, 0, 0, 8).labels))
    assert error.sensitivity.value == 1
    assert error.sensitivity.low is not None
    assert error.sensitivity.low < 0.85
    assert min(error.var_sensitivity, error.var_specificity) > 0.01


def test_an_empty_class_has_no_rate() -> None:
    error = measured_error("edge", "all", weighted(sheet(5, 2, 0, 0).labels))
    assert error.specificity == Rate()
    assert error.var_specificity == 0
    assert error.sensitivity.value == pytest.approx(5 / 7)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5), st.sampled_from([0.1, 0.5, 1.0])), min_size=4, max_size=40)
)
def test_the_order_of_rows_does_not_matter(rows: list[tuple[bool, bool, int, float]]) -> None:
    labels = [label(one, two, answer_id=f"{a}", inclusion_probability=p) for one, two, a, p in rows]
    shuffled = random.Random(1).sample(labels, len(labels))
    assert calibration_record(Sheet(labels, {}), OWN, "m@1") == calibration_record(Sheet(shuffled, {}), OWN, "m@1")


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4).filter(any), min_size=2, max_size=20))
def test_kappa_is_between_its_bounds(clusters: list[tuple[int, ...]]) -> None:
    found = kappa_rate(np.array(clusters, dtype=float))
    if found.value is not None and found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1


def test_kappa_where_chance_alone_agrees() -> None:
    assert kappa_rate(np.array([[5.0, 0, 0, 0], [3.0, 0, 0, 0]])) == Rate()
    assert kappa_rate(np.array([[5.0, 0, 0, 5.0]])).value == 1


def test_a_batch_of_labels_is_measured_as_each_alone() -> None:
    rng = np.random.default_rng(1)
    weights = rng.poisson(1, (3, 20, 4)) * rng.random((3, 20, 4))
    squares = rng.random((3, 4)) + 1
    together = moments(weights, squares)
    for i in range(3):
        np.testing.assert_allclose([column[i] for column in together], [float(one) for one in moments(weights[i], squares[i])])


def test_an_answer_of_padding_is_no_cluster() -> None:
    weights, squares = cells_of(weighted(sheet(6, 3, 2, 9).labels))
    padded = np.concatenate([weights, np.zeros((7, 4))])
    np.testing.assert_allclose([float(one) for one in moments(padded, squares)], [float(one) for one in moments(weights, squares)])


def test_scores_that_are_missing_leave_the_curve_out() -> None:
    assert weighted_reliability(weighted([label(True, True, p_entailment=None)])) == ((), None)


# --- frames and thresholds --------------------------------------------------------------------------------------------------------


def test_the_frame_of_a_record() -> None:
    def frame(*frames: str | None) -> Frame:
        labels = [label(True, True, frame=one) for one in frames]
        return calibration_record(Sheet(labels, {}), OWN, "m@1").frame

    assert frame("run=b", "run=a", "run=b") == Frame("traffic", ("a", "b"))
    assert frame("run=a", "public set") == Frame("elsewhere")
    assert frame(None) == Frame("elsewhere")


def test_several_checkers_make_no_record() -> None:
    labels = [label(True, True), label(True, True)._replace(checker="other")]
    with pytest.raises(UsageError, match="several checkers: m@1, other"):
        calibration_record(Sheet(labels, {}), OWN, "m@1")
    with pytest.raises(UsageError, match="no row is labelled"):
        calibration_record(Sheet([label(True, True)._replace(label=None)], {}), OWN, "m@1")


def scored_sheet(n: int, cut: float) -> Sheet:
    """Rows of n answers whose person says supported from a score of `cut` on; the checker's own threshold is 0.5."""
    scores = np.random.default_rng(3).random(n).round(4).tolist()
    rows = [label(p >= cut, p >= 0.5, p_entailment=p, answer_id=f"a{i}") for i, p in enumerate(scores)]
    return Sheet(rows, {})


def test_a_threshold_is_chosen_on_other_answers_than_it_is_measured_on() -> None:
    labels = scored_sheet(400, 0.3)
    record = calibration_record(labels, OWN, "m@1", choose_threshold=True)
    assert record.thresholds is not None
    assert record.thresholds["sentence"] == pytest.approx(0.3, abs=0.03)
    assert record.thresholds["window"] == 0.5
    error = record.error_of("edge", "all")
    assert error is not None
    assert error.n < 250
    assert record.counts == {"measured": error.n}
    assert (error.sensitivity.value or 0) > 0.95

    measured_ids = {one.answer_id for one in labels.labels if _is_measured(labels, one)}
    # Lies in the half that is measured change the rates and not the threshold; lies in the other half change the threshold.
    for held_out in (True, False):
        lying = [one._replace(label="supported") if (one.answer_id in measured_ids) == held_out else one for one in labels.labels]
        mixed = [one if i % 2 else two for i, (one, two) in enumerate(zip(labels.labels, lying, strict=True))]
        thresholds = calibration_record(Sheet(mixed, {}), OWN, "m@1", choose_threshold=True).thresholds
        assert (thresholds == record.thresholds) == held_out


def _is_measured(labels: Sheet, one: Label) -> bool:
    """Whether taking a row out changes what is measured, rather than what chooses."""
    counted = calibration_record(labels, OWN, "m@1", choose_threshold=True).counts or {}
    rest = [other for other in labels.labels if other is not one]
    return (calibration_record(Sheet(rest, {}), OWN, "m@1", choose_threshold=True).counts or {}) != counted


def test_a_threshold_needs_labels_scores_and_its_own_checker() -> None:
    with pytest.raises(UsageError, match="too few labels to choose a threshold"):
        calibration_record(scored_sheet(50, 0.5), OWN, "m@1", choose_threshold=True)
    with pytest.raises(UsageError, match="judged by m@1, and --checker is other"):
        calibration_record(scored_sheet(50, 0.5), OWN, "other", choose_threshold=True)
    graded = weighted(scored_sheet(100, 0.5).labels)
    for fields, message in (({"p_entailment": None}, "p_entailment is empty"), ({"n_windows": None}, "n_windows is empty")):
        broken = [one._replace(label=one.label._replace(**fields)) for one in graded]
        with pytest.raises(UsageError, match=message):
            chosen_thresholds(broken, OWN.thresholds)
    with pytest.raises(UsageError, match="edges only"):
        chosen_thresholds([one._replace(label=one.label._replace(unit="claim")) for one in graded], OWN.thresholds)


def test_weights_move_a_threshold() -> None:
    """False alarms between 0.3 and 0.5 that stand for a hundred rows each move the threshold above them."""
    scores = np.arange(0, 1, 0.01)
    rows = [label(p >= 0.3 and round(p * 100) % 5 != 0, True, p_entailment=float(p), answer_id=f"{p}") for p in scores]
    heavy = [
        one._replace(inclusion_probability=0.01) if one.label == "unsupported" and 0.3 <= (one.p_entailment or 0) < 0.5 else one
        for one in rows
    ]
    light, moved = (chosen_thresholds(weighted(part), OWN.thresholds)["sentence"] for part in (rows, heavy))
    assert light < 0.4 < moved


# --- judging and the command ------------------------------------------------------------------------------------------------------


def test_rows_without_a_verdict_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def judge(checker: Any, calibration: Calibration, questions: list[Any]) -> list[PairVerdict]:
        asked.extend(questions)
        return [PairVerdict(0, Probabilities(0.8, 0.1, 0.1), None), PairVerdict(0, None, "too long")]

    monkeypatch.setattr("pipelines.checker_error.judge_premises", judge)
    rows = [
        Label("supported", "c", "One. Two.", []),
        Label("supported", "c", "fails", []),
        Label(None, "c", "not labelled", []),
        label(True, False),
    ]
    found = judge_labels(Sheet(rows, {"rows": 4}), None, OWN, "m@1")  # type: ignore[arg-type]
    assert [[premise.text for premise in premises] for _, premises in asked] == [["One.", "One. Two.", "Two."], ["fails"]]
    first = rows[0]._replace(checker="m@1", n_windows=3, p_entailment=0.8, supported=True)
    assert found == Sheet([first, rows[2], rows[3]], {"rows": 4, "judged now": 1, "checker failed": 1})


def test_labels_go_in_and_a_record_comes_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [one._replace(frame="run=r1", answer_id=f"a{i}") for i, one in enumerate(sheet(40, 10, 5, 45).labels)]
    write_sheet(tmp_path / "sheet.csv", labels)
    arguments = ["calibrate", "--labels", str(tmp_path / "sheet.csv"), "--output", str(tmp_path / "record.json")]
    assert main(arguments) == 0
    assert "traffic of r1" in capsys.readouterr().out
    record = read_record(tmp_path / "record.json")
    assert record == calibration_record(read_labels(tmp_path / "sheet.csv"), OWN, "m@1")
    assert record.errors[0].traffic


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "nowhere.csv"], "--labels needs --output"),
        (["--labels", "nowhere.csv", "--output", "r.json"], "cannot read nowhere.csv"),
        (["--data", ".", "--choose-threshold"], "--choose-threshold go with --labels"),
    ],
)
def test_the_command_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_command_takes_either_labels_or_data(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--labels", "a", "--data", "b"]):
        with pytest.raises(SystemExit):
            main(["calibrate", *arguments])
    assert "not allowed with argument" in capsys.readouterr().err


@pytest.mark.model
def test_the_bundled_checker_judges_a_file(tmp_path: Path) -> None:
    rows = [
        {"premise": "Logs are kept for 30 days.", "claim": f"Logs are kept for {days} days", "label": word, "family": "quantity"}
        for days, word in ((30, "supported"), (7, "unsupported"))
    ]
    (tmp_path / "l.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["calibrate", "--labels", str(tmp_path / "l.jsonl"), "--output", str(tmp_path / "r.json")]) == 0
    record = read_record(tmp_path / "r.json")
    assert record.checker.startswith("nearmiss-minilm@")
    assert [(one.family, one.n, one.agreement.value) for one in record.errors] == [("all", 2, 1.0), ("quantity", 2, 1.0)]


# --- the record -------------------------------------------------------------------------------------------------------------------


def test_a_record_is_read_as_it_was_written_and_the_same_record_gives_the_same_bytes(tmp_path: Path) -> None:
    labels = [one._replace(frame="run=r1") for one in scored_sheet(400, 0.3).labels]
    record = calibration_record(Sheet(labels, {"rows": 400}), OWN, "m@1", choose_threshold=True)
    write_record(record, tmp_path / "one.json")
    assert read_record(tmp_path / "one.json") == record
    write_record(read_record(tmp_path / "one.json"), tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("frame", "kind"), "night", "field frame.kind cannot be 'night': choose from traffic, elsewhere"),
        (("frame", "runs"), ["r"], "field frame.runs cannot be"),
        (("format",), 2, "field format cannot be 2"),
        (("checker",), None, "field checker cannot be None: expected str"),
        (("errors", 0, "family"), "colour", "errors[edge, colour].family cannot be 'colour'"),
        (("errors", 0, "n"), 3.5, "field errors[0].n cannot be 3.5: expected a whole number"),
        (("errors", 0, "n"), 3, "errors[edge, all].n cannot be 3: supported and unsupported labels are 100"),
        (("errors", 0, "sensitivity", "value"), 1.5, "errors[edge, all].sensitivity.value cannot be 1.5"),
        (("errors", 0, "var_labelled"), "x", "field errors[0].var_labelled cannot be 'x': expected a finite number"),
        (("errors", 0, "var_labelled"), float("nan"), "cannot be nan"),
        (("errors", 0, "var_specificity"), -1.0, "cannot be -1.0: it must not be below 0"),
        (("errors", 1, "family"), "all", "cannot be ('edge', 'all'): each unit and family once"),
        (("errors", 0), 1, "errors[0] must be an object with unit, family, n"),
        (("thresholds",), {"sentence": 2}, "field thresholds.sentence cannot be 2.0"),
    ],
)
def test_a_broken_record_is_named(tmp_path: Path, path: tuple[Any, ...], value: Any, message: str) -> None:
    file = tmp_path / "record.json"
    write_record(calibration_record(sheet(40, 10, 5, 45), OWN, "m@1"), file)
    plain = json.loads(file.read_text(encoding="utf-8"))
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    file.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(ValueError, match="write it again with") as error:
        read_record(file)
    assert str(error.value).startswith(f"{file}: ")
    assert message in str(error.value)


def test_a_record_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"cannot read the calibration record nowhere\.json"):
        read_record("nowhere.json")


def test_the_table_says_what_can_be_corrected(tmp_path: Path) -> None:
    record = calibration_record(sheet(20, 5, 3, 6), OWN, "m@1")
    assert isinstance(record, CalibrationRecord)
    table = record_table(record)
    assert [next(iter(column.cells)) for column in table.columns[:4]] == ["edge", "all", "34", "34"]
    assert next(iter(table.columns[-1].cells)) == "yes"
    few = record_table(calibration_record(sheet(20, 5, 1, 6), OWN, "m@1"))
    assert next(iter(few.columns[-1].cells)) == "too few labels unsupported: 7, at least 8 are needed"
