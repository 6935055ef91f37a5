"""Failures of other tools as cases: each test names its row in the acceptance list and tries several members of the kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import answer, evidence
from test_judging import CALLS
from test_nightly import fake_checker, run, statuses  # noqa: F401 (a fixture)

from pipelines.options import bundled_checker
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge, judge_all
from transforms.premises import widen_premises
from transforms.support import Calibration, kind_of


def ratios(folder: Path) -> dict[str, tuple[float | None, int]]:
    return {
        row["metric"]: (row["value"], row["n"])
        for row in read_run_table(folder, "aggregates")
        if (row["family"], row["average"]) == ("all", "micro")
    }


@pytest.mark.parametrize("text", ["", None, "  ", "\n\t"])
def test_15_empty_evidence_is_not_support_and_costs_no_model_call(tmp_path, fake_checker, text):  # noqa: F811
    CALLS.clear()
    code, folder = run(tmp_path, fake_checker, [answer()], [evidence(text=text)])
    assert code == 0
    assert statuses(folder) == {"empty_evidence": 1}
    assert ratios(folder)["citation_precision"] == (0.0, 1)
    assert ratios(folder)["precision_judged"] == (None, 0)
    assert CALLS == []


@pytest.mark.parametrize(
    ("text", "state"), [("", "empty"), (" \n ", "empty"), ("```\ncode [1]\n```", "no_claims"), ("---", "no_claims")]
)
def test_16_an_answer_without_claims_never_passes(tmp_path, fake_checker, text, state):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, [answer(text=text, citations=None)], [evidence()])
    assert code == 0
    assert read_manifest(folder)["counts"][f"answers.{state}"] == 1
    assert set(ratios(folder).values()) == {(None, 0)}


@pytest.mark.parametrize(
    "text",
    [
        "The documents do not say.",
        "The documents do not say [1].",
        "The provided documents do not mention a limit. [1]",
        "I could not find this in the sources [1].",
    ],
)
def test_17_an_abstention_stands_outside_the_denominators(tmp_path, fake_checker, text):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, [answer(text=text)], [evidence()])
    assert code == 0
    assert read_manifest(folder)["counts"]["answers.abstained"] == 1
    assert set(statuses(folder)) <= ({"abstained"} if "[1]" in text else {"unmapped"})
    assert ratios(folder)["citation_precision"] == ratios(folder)["citation_recall"] == (None, 0)


@pytest.fixture(scope="module")
def supported():
    """Ask the bundled checker whether any premise of a passage supports a claim, as the job does."""
    checker, calibration = EntailmentChecker(CheckerConfig(bundled_checker(), threads=2)), Calibration.read(bundled_checker())

    def ask(passage, claim):
        windows = [WindowToJudge("p", i, premise.text, claim) for i, premise in enumerate(widen_premises(passage, claim))]
        kind, judged = kind_of(len(windows)), judge_all(checker, windows)
        scores = [calibration.calibrated(one.probabilities, one.window.premise, claim, kind).entailment for one in judged]
        return max(scores) >= calibration.thresholds[kind]

    return ask


@pytest.mark.model
@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The pump runs at 50 Hz.", "Invoices are due within 14 days"),
        ("Our office is in Riga.", "The battery lasts ten hours"),
        ("Children under six must not take the syrup.", "The contract ends in March"),
    ],
)
def test_28_evidence_on_another_subject_is_not_support(supported, passage, claim):
    assert not supported(evidence(text=passage), claim)


FILLER = " ".join(
    f"The {noun} in the old hall was painted {colour} by the people of the village during the long and dry summer, and nobody who "
    "lived there at that time could later remember who had paid for the paint."
    for noun in ("door", "fence", "chair")
    for colour in ("red", "blue")
)


@pytest.mark.model
def test_33_support_in_the_last_of_3000_words_is_found_and_appended_text_changes_nothing(supported):
    fact, claim = "Audit logs are stored for thirty days.", "Audit logs are stored for thirty days"
    passage = " ".join([FILLER] * 13)
    assert len(passage.split()) > 2_900
    assert not supported(evidence(text=passage), claim)
    assert supported(evidence(text=f"{passage} {fact}"), claim)
    assert supported(evidence(text=f"{passage} {fact} {FILLER}"), claim)
    before, after = (widen_premises(evidence(text=text)) for text in (f"{FILLER} {fact}", f"{FILLER} {fact} {FILLER}"))
    assert set(before) <= set(after)


@pytest.mark.parametrize(
    "scoped",
    [
        evidence(text="Logs are kept for 30 days.", context="us-east-1 only"),
        evidence(text="The following applies to us-east-1 only. Logs are kept for 30 days."),
        evidence(text="These rules apply to us-east-1 only. Metrics are free. Logs are kept for 30 days."),
        evidence(text="In us-east-1:\nLogs are kept for 30 days."),
        evidence(text="The following applies to us-east-1 only. Logs are kept for 30 days.", span_start=41, span_end=67),
    ],
)
def test_33b_the_scoping_words_travel_with_every_window(scoped):
    holding = [premise for premise in widen_premises(scoped) if "30 days" in premise.text]
    assert holding
    assert all("us-east-1" in premise.text for premise in holding)


def test_9_and_12_a_dangling_marker_fails_and_a_marker_is_not_spread(tmp_path, fake_checker):  # noqa: F811
    citations = [DeclaredCitation("logs", marker="1")]
    code, folder = run(
        tmp_path,
        fake_checker,
        [answer(text="Backups are free. Logs are kept for 30 days [1]. Exports too [9].", citations=citations)],
        [evidence()],
    )
    assert code == 0
    assert [row["outcome"] for row in read_run_table(folder, "claims")] == ["uncited", "supported", "unsupported"]
    assert ratios(folder)["dangling_rate"] == (0.5, 2)
    assert ratios(folder)["completeness"] == (0.333333, 3)
