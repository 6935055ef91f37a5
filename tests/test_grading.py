"""Grades follow from `expect` alone; counts tell those who always decline or always cite from those who can."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from cases.grading import (
    CitedClaim,
    Declines,
    Grade,
    Graded,
    Reply,
    RiskPoint,
    Tally,
    declines,
    grade,
    risk_coverage,
    tallies,
    tally,
)
from cases.suite import Chunk, Expectation

TRUE, NEAR, BESIDE = (Chunk(name, f"Text of {name}.") for name in ("true", "near", "beside"))
ANSWER = Expectation("scope", "answer", ("45", "days"), ("true",), ("near",))
DECLINE = Expectation("scope", "decline", (), (), ("near", "beside"))


class Asked(NamedTuple):
    """A case as small as grading allows."""

    id: str
    context: tuple[Chunk, ...]
    expect: Expectation
    question: str = "How long?"
    gold: str = ""
    pair: str = "p"


ANSWERABLE = Asked("p/both-present", (NEAR, TRUE, BESIDE), ANSWER)
UNANSWERABLE = Asked("p/true-absent", (NEAR, BESIDE), DECLINE)


def said(*chunk_ids: str, answer: str = "It is 45 days.", score: float | None = None) -> Reply:
    return Reply(answer, (CitedClaim(answer, chunk_ids),), score)


SILENT = Reply("The passages do not say.", ())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (said("true"), Grade("pass", "cited")),
        (said("true", "beside"), Grade("pass", "cited")),
        (said("near"), Grade("fail", "does not cite true; cites near, which does not establish it")),
        (said("true", "near"), Grade("fail", "cites near, which does not establish it")),
        (said("beside"), Grade("fail", "does not cite true")),
        (said("true", "[9]"), Grade("fail", "cites '[9]', which it was not shown")),
        (said("true", answer="It is 145 days."), Grade("fail", "lacks the words '45'")),
        (said("true", answer="45 DAYS."), Grade("pass", "cited")),
        (said(), Grade("fail", "uncited although true answers the question")),
        (SILENT, Grade("fail", "declined although true answers the question")),
        (Reply("", (), error="timed out"), Grade("error", "timed out")),
    ],
)
def test_an_answer_needs_the_right_chunk_its_words_and_no_near_miss(reply: Reply, expected: Grade) -> None:
    assert grade(ANSWERABLE, reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (SILENT, Grade("pass", "declined")),
        (said(), Grade("pass", "uncited")),
        (said("near"), Grade("fail", "cites near although nothing shown answers the question")),
        (said("beside"), Grade("fail", "cites beside although nothing shown answers the question")),
        (said("true"), Grade("fail", "cites 'true', which it was not shown")),
        (Reply("", (), error="status 500"), Grade("error", "status 500")),
    ],
)
def test_a_decline_cites_nothing(reply: Reply, expected: Grade) -> None:
    assert grade(UNANSWERABLE, reply) == expected


def graded(*replies: tuple[Asked, Reply]) -> list[Graded]:
    return [Graded(case, reply, grade(case, reply)) for case, reply in replies]


def test_a_pair_passes_when_both_variants_do() -> None:
    both = graded((ANSWERABLE, said("true")), (UNANSWERABLE, said()))
    always_declines = graded((ANSWERABLE, SILENT), (UNANSWERABLE, SILENT))
    always_cites = graded((ANSWERABLE, said("true")), (UNANSWERABLE, said("near")))
    broken = graded((ANSWERABLE, said("true")), (UNANSWERABLE, Reply("", (), error="timed out")))
    assert tally(both, lambda case: case.pair) == Tally(2, 2, 0, 0, 0, 1, 1, 1)
    assert tally(always_declines, lambda case: case.pair) == Tally(2, 1, 1, 0, 1, 0, 1, 0)
    assert tally(always_cites, lambda case: case.pair) == Tally(2, 1, 1, 0, 0, 0, 1, 0)
    assert tally(broken, lambda case: case.pair) == Tally(2, 1, 0, 1, 0, 0, 1, 0)
    assert tallies(both, lambda case: case.expect.behaviour, lambda case: case.id) == {
        "answer": Tally(1, 1, 0, 0, 0, 0, 1, 1),
        "decline": Tally(1, 1, 0, 0, 0, 1, 1, 1),
    }


def test_declines_have_no_precision_without_a_decline_and_no_recall_without_an_unanswerable_case() -> None:
    found = declines(graded((ANSWERABLE, SILENT), (UNANSWERABLE, SILENT), (UNANSWERABLE, said("near"))))
    assert found == Declines(2, 2, 1)
    assert (found.precision, found.recall) == (0.5, 0.5)
    none = declines(graded((ANSWERABLE, said("true")), (UNANSWERABLE, Reply("", (), error="timed out"))))
    assert (none.precision, none.recall) == (None, None)


def test_risk_grows_with_coverage() -> None:
    rows = graded(
        (ANSWERABLE, said("true", score=0.9)),
        (ANSWERABLE, said("near", score=0.4)),
        (ANSWERABLE, said("true", score=0.4)),
        (UNANSWERABLE, SILENT._replace(score=0.99)),
        (UNANSWERABLE, Reply("", (), score=1.0, error="timed out")),
    )
    assert risk_coverage(rows) == [RiskPoint(0.9, 0.25, 0.0), RiskPoint(0.4, 0.75, 1 / 3)]
    assert risk_coverage(graded((ANSWERABLE, said("true")))) == []
