"""Grade replies against what their cases expect, and count: families, declines, risk and coverage.

`expect` alone decides. A reply declines when it makes no claim that needs evidence; a claim without a citation is counted apart,
and both pass where nothing shown answers the question: neither passes a guess off as established.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from cases.suite import Chunk, Expectation

T = TypeVar("T", bound=Hashable)


class Question(Protocol):
    """What grading needs of a case: those of the suite and the situations have it alike."""

    @property
    def id(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def gold(self) -> str: ...
    @property
    def context(self) -> tuple[Chunk, ...]: ...
    @property
    def expect(self) -> Expectation: ...


class CitedClaim(NamedTuple):
    """A claim of a reply with the ids that it cites, known to the case or not."""

    text: str
    chunk_ids: tuple[str, ...]


class Reply(NamedTuple):
    """An answer taken apart: its claims that need evidence. With an `error` there is none."""

    answer: str
    claims: tuple[CitedClaim, ...]
    score: float | None = None
    error: str | None = None

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids that any claim cites, each once, in their order."""
        return tuple(dict.fromkeys(chunk_id for claim in self.claims for chunk_id in claim.chunk_ids))

    @property
    def conduct(self) -> str:
        """How it behaves: "declined" (no claim), "uncited" (a claim without a citation) or "cited"."""
        return "cited" if self.cited else "uncited" if self.claims else "declined"


class Grade(NamedTuple):
    """Whether a reply does what its case expects: "pass", "fail" or "error"; `reason` says why, in words, also where it passes."""

    outcome: str
    reason: str


def grade(case: Question, reply: Reply) -> Grade:
    """Grade one reply. One that never came is an error: neither a pass nor a fail."""
    if reply.error is not None:
        return Grade("error", reply.error)
    faults = list(_decline_faults(case, reply) if case.expect.behaviour == "decline" else _answer_faults(case, reply))
    shown = {chunk.chunk_id for chunk in case.context}
    faults += [f"cites {name!r}, which it was not shown" for name in reply.cited if name not in shown]
    return Grade("fail", "; ".join(faults)) if faults else Grade("pass", reply.conduct)


def _decline_faults(case: Question, reply: Reply) -> Iterable[str]:
    cited = [name for name in reply.cited if name in case.expect.cited_chunks_exclude]
    if cited:
        yield f"cites {', '.join(cited)} although nothing shown answers the question"


def _answer_faults(case: Question, reply: Reply) -> Iterable[str]:
    expect = case.expect
    if reply.conduct != "cited":
        yield f"{reply.conduct} although {', '.join(expect.cited_chunks_include)} answers the question"
        return
    yield from (f"does not cite {name}" for name in expect.cited_chunks_include if name not in reply.cited)
    yield from (f"cites {name}, which does not establish it" for name in expect.cited_chunks_exclude if name in reply.cited)
    yield from (f"lacks the words {words!r}" for words in expect.answer_contains if not _holds(reply.answer, words))


def _holds(answer: str, words: str) -> bool:
    """Whether the answer has the words, whole ones: 45 is not in 145."""
    return re.search(rf"(?<![\w]){re.escape(words.casefold())}(?![\w])", answer.casefold()) is not None


class Graded(NamedTuple):
    """A case with its reply and grade."""

    case: Question
    reply: Reply
    grade: Grade


class Tally(NamedTuple):
    """Counts over graded cases; `groups_passed` of `groups` (pairs, say) had every case passed."""

    n: int
    passed: int
    failed: int
    errors: int
    declined: int
    uncited: int
    groups: int
    groups_passed: int


def tally(graded: Sequence[Graded], group: Callable[[Question], Hashable]) -> Tally:
    """Count outcomes, how declines were passed, and the groups of which every case passed.

    Whoever always declines or always cites passes half of the cases, but no group that holds both variants.
    """
    outcomes = [one.grade.outcome for one in graded]
    passed = [one for one in graded if one.grade.outcome == "pass" and one.case.expect.behaviour == "decline"]
    whole = _group(graded, lambda one: group(one.case))
    return Tally(
        n=len(graded),
        passed=outcomes.count("pass"),
        failed=outcomes.count("fail"),
        errors=outcomes.count("error"),
        declined=sum(one.reply.conduct == "declined" for one in passed),
        uncited=sum(one.reply.conduct == "uncited" for one in passed),
        groups=len(whole),
        groups_passed=sum(all(one.grade.outcome == "pass" for one in members) for members in whole.values()),
    )


def _group(graded: Iterable[Graded], key: Callable[[Graded], T]) -> dict[T, list[Graded]]:
    groups: dict[T, list[Graded]] = {}
    for one in graded:
        groups.setdefault(key(one), []).append(one)
    return groups


def tallies(graded: Sequence[Graded], key: Callable[[Question], T], group: Callable[[Question], Hashable]) -> dict[T, Tally]:
    """Count per value of `key`, in the order in which the values come."""
    return {value: tally(members, group) for value, members in _group(graded, lambda one: key(one.case)).items()}


class Declines(NamedTuple):
    """Declines over answerable and unanswerable cases; replies that never came stand outside.

    A reply declines where it cites nothing. `precision`: unanswerable cases / declines; `recall`: declines / unanswerable cases.
    """

    declined: int
    unanswerable: int
    right: int

    @property
    def precision(self) -> float | None:
        """None where nothing was declined."""
        return self.right / self.declined if self.declined else None

    @property
    def recall(self) -> float | None:
        """None where every question has an answer."""
        return self.right / self.unanswerable if self.unanswerable else None


def declines(graded: Iterable[Graded]) -> Declines:
    """Count declines, and the right ones among them."""
    came = [one for one in graded if one.grade.outcome != "error"]
    declined = [one for one in came if one.reply.conduct != "cited"]
    unanswerable = [one for one in came if one.case.expect.behaviour == "decline"]
    return Declines(len(declined), len(unanswerable), sum(one.case.expect.behaviour == "decline" for one in declined))


class RiskPoint(NamedTuple):
    """At the score `at_least`: the share of cases answered, and the share of failures among those answers."""

    at_least: float
    coverage: float
    risk: float


def risk_coverage(graded: Sequence[Graded]) -> list[RiskPoint]:
    """The risk-coverage curve over cited answers with a score, from the surest on (El-Yaniv and Wiener, 2010).

    Coverage is of all cases that got a reply; equal scores make one point. Empty where no reply has a score.
    """
    came = [one for one in graded if one.grade.outcome != "error"]
    answered = [one for one in came if one.reply.conduct == "cited" and one.reply.score is not None]
    points = []
    for at_least in sorted({one.reply.score for one in answered if one.reply.score is not None}, reverse=True):
        taken = [one for one in answered if one.reply.score is not None and one.reply.score >= at_least]
        failed = sum(one.grade.outcome == "fail" for one in taken)
        points.append(RiskPoint(at_least, len(taken) / len(came), failed / len(taken)))
    return points
