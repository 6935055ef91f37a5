"""A generator's answers are read as the nightly job reads logged ones."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from cases.grading import CitedClaim, Reply
from cases.replies import Generated
from cases.suite import Chunk, Expectation
from pipelines.replies import evidence_of, read_replies


class Asked(NamedTuple):
    id: str = "c"
    context: tuple[Chunk, ...] = (
        Chunk("logs#1", "Logs are kept for 30 days."),
        Chunk("logs#2", "Traces are kept for 7 days.", 15, 25),
    )
    expect: Expectation = Expectation("scope", "answer", (), ("logs#1",), ())
    question: str = "How long are logs kept?"
    gold: str = ""


def read(generated: Generated) -> Reply:
    return read_replies([Asked()], [generated])[0]


@pytest.mark.parametrize(
    ("generated", "claims", "conduct"),
    [
        (Generated("Logs are kept for 30 days [1]."), [("Logs are kept for 30 days", ("logs#1",))], "cited"),
        (Generated("Logs are kept for 30 days [1][2]."), [("Logs are kept for 30 days", ("logs#1", "logs#2"))], "cited"),
        (
            Generated("Logs are kept for 30 days [1]. Traces are kept for 7 days [2]."),
            [("Logs are kept for 30 days", ("logs#1",)), ("Traces are kept for 7 days", ("logs#2",))],
            "cited",
        ),
        (Generated("Logs are kept for 30 days.", ("logs#2",)), [("Logs are kept for 30 days", ("logs#2",))], "cited"),
        (Generated("Logs are kept for 30 days.", ("logs#7",)), [("Logs are kept for 30 days", ("logs#7",))], "cited"),
        (Generated("Logs are kept for 30 days [3]."), [("Logs are kept for 30 days", ("3",))], "cited"),
        (Generated("Logs are kept for 30 days."), [("Logs are kept for 30 days", ())], "uncited"),
        (Generated("The passages do not say."), [], "declined"),
        (Generated("The passages do not say how long logs are kept [1]."), [], "declined"),
        (Generated("The passages do not say.", ("logs#1", "logs#2")), [], "declined"),
        (Generated(""), [], "declined"),
        (Generated("", ("logs#1",)), [("", ("logs#1",))], "cited"),
    ],
)
def test_claims_and_what_they_cite(generated: Generated, claims: list[tuple[str, tuple[str, ...]]], conduct: str) -> None:
    reply = read(generated)
    assert [(claim.text, claim.chunk_ids) for claim in reply.claims] == claims
    assert reply.conduct == conduct
    assert reply.answer == generated.answer


def test_score_and_error_go_through() -> None:
    assert read(Generated("Logs are kept for 30 days.", score=0.5)) == Reply(
        "Logs are kept for 30 days.", (CitedClaim("Logs are kept for 30 days", ()),), 0.5, None
    )
    assert read(Generated("", error="timed out")).error == "timed out"


def test_a_chunk_is_evidence_with_its_span() -> None:
    found = evidence_of(Asked().context[1])
    assert (found.evidence_id, found.text, found.span_start, found.span_end) == ("logs#2", "Traces are kept for 7 days.", 15, 25)
