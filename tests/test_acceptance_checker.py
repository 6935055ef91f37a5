"""Failures of other tools that the trained checker must not repeat: each test is a row of the acceptance list and more of its kind.

Every refused claim stands beside one that the same passage supports: a checker that refuses everything fails here too.
"""

from __future__ import annotations

import pytest
from builders import evidence

from pipelines.options import bundled_checker
from schemas.evidence import Evidence
from transforms.entailment import CheckerConfig, EntailmentChecker, Probabilities, WindowToJudge, judge_all
from transforms.families import compare
from transforms.judging import PairVerdict, calibrate_window, decide
from transforms.premises import widen_premises
from transforms.support import Calibration, kind_of

pytestmark = pytest.mark.model


class Judged:
    """The verdict on a pair and the premise that decides it."""

    def __init__(self, p: Probabilities, premise: str, threshold: float) -> None:
        self.p, self.premise, self.supported = p, premise, p.entailment >= threshold


@pytest.fixture(scope="module")
def judge():
    checker, calibration = EntailmentChecker(CheckerConfig(bundled_checker(), threads=2)), Calibration.read(bundled_checker())

    def ask(passage: str | Evidence, claim: str) -> Judged:
        premises = widen_premises(evidence(text=passage) if isinstance(passage, str) else passage, claim)
        windows = [WindowToJudge("p", i, one.text, claim, one.lead, len(premises)) for i, one in enumerate(premises)]
        decided: PairVerdict | None = None
        for judged in judge_all(checker, windows):
            one = calibrate_window(judged, calibration)
            decided = decide(decided, one) if decided else one
        assert decided is not None
        assert decided.probabilities is not None
        return Judged(decided.probabilities, premises[decided.window].text, calibration.thresholds[kind_of(len(premises))])

    return ask


@pytest.mark.parametrize(
    ("passage", "true", "false", "families"),
    [
        (
            "Retention is 20 days in AMER and 30 days in EMEA.",
            "Retention in AMER is 20 days.",
            "Retention in AMER is 30 days.",
            {"scope", "quantity"},
        ),
        (
            "Audit logs are kept for 7 days in eu-central-1 and for 30 days in us-east-1.",
            "Audit logs are kept for 30 days in us-east-1.",
            "Audit logs are kept for 30 days in eu-central-1.",
            {"scope", "quantity"},
        ),
        (
            "The fee is 5 euros on the Starter plan and 9 euros on the Team plan.",
            "On the Team plan the fee is 9 euros.",
            "On the Team plan the fee is 5 euros.",
            {"scope", "quantity"},
        ),
    ],
)
def test_27_a_value_belongs_to_its_own_scope(judge, passage, true, false, families):
    assert judge(passage, true).supported
    refused = judge(passage, false)
    assert not refused.supported
    assert families <= {one.family for one in compare(false, refused.premise)}


_OTHER_OPERATION = pytest.mark.xfail(
    strict=True,
    reason="the model refuses another operation on the same quantities, but less surely than the shared words speak for it",
)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (
            "Force is mass times acceleration.",
            "Force is the product of mass and acceleration.",
            "Force is acceleration divided by mass.",
        ),
        pytest.param(
            "Speed is distance divided by time.",
            "Speed equals distance divided by time.",
            "Speed is time divided by distance.",
            marks=_OTHER_OPERATION,
        ),
        pytest.param(
            "Density is mass divided by volume.",
            "Density equals mass divided by volume.",
            "Density is mass times volume.",
            marks=_OTHER_OPERATION,
        ),
    ],
)
def test_30_another_formula_is_not_support(judge, passage, true, false):
    assert judge(passage, true).supported
    assert not judge(passage, false).supported


@pytest.mark.parametrize(
    ("passage", "false"),
    [
        ("The invoice was stored.", "The invoice was not stored."),
        ("The invoice was not stored.", "The invoice was stored."),
        ("Refunds are paid for used tickets.", "Refunds are not paid for used tickets."),
        ("The door does not open from the inside.", "The door opens from the inside."),
        ("The sensor is never calibrated at night.", "The sensor is calibrated at night."),
    ],
)
def test_31_a_denial_is_not_support(judge, passage, false):
    assert judge(passage, passage).supported
    refused = judge(passage, false)
    assert not refused.supported
    assert "polarity" in {one.family for one in compare(false, refused.premise)}


@pytest.mark.parametrize(
    "scoped",
    [
        evidence(text="Logs are kept for 30 days.", context="us-east-1 only"),
        evidence(text="The following applies to us-east-1 only. Logs are kept for 30 days."),
        evidence(text="These rules apply to us-east-1 only. Metrics are free. Logs are kept for 30 days."),
        evidence(text="The following applies to us-east-1 only. Logs are kept for 30 days.", span_start=41, span_end=67),
    ],
)
def test_33b_a_scope_in_front_holds_for_what_follows(judge, scoped):
    refused = judge(scoped, "EU logs are kept for 30 days.")
    assert not refused.supported
    assert "scope" in {one.family for one in compare("EU logs are kept for 30 days.", refused.premise)}
    assert judge(scoped, "US logs are kept for 30 days.").supported


def test_the_retention_example(judge):
    """The defect that the project is named for: the value of one region cited for the customers of another."""
    passage = "Audit logs are retained for 30 days in us-east-1. Audit logs are retained for 7 days in eu-central-1. Tapes are not."
    assert not judge(passage, "Audit logs of EU customers are kept for 30 days.").supported
    assert judge(passage, "Audit logs of EU customers are kept for 7 days.").supported
    assert judge(passage, "In the US, audit logs are retained for 30 days.").supported
