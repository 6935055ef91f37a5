"""Run a generator over the near-miss suite and the situations, grade it, and measure the checker on the same passages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cases.grading import Declines, Graded, Question, Reply, RiskPoint, Tally, declines, grade, risk_coverage, tallies
from cases.replies import Generated, Generator, Prompt
from cases.situations import RISKS, Situation
from cases.suite import Case
from pipelines.gap import GapRow, supported
from pipelines.generators import generate
from pipelines.options import UsageError
from pipelines.replies import evidence_of, read_replies
from schemas.claims import FAMILIES
from transforms.entailment import EntailmentChecker
from transforms.premises import widen_premises
from transforms.support import Calibration


@dataclass(frozen=True)
class Result:
    """A graded case; `checker` is the second verdict, None where the reply cites nothing that can be judged."""

    graded: Graded
    generated: Generated
    checker: bool | None

    @property
    def disagrees(self) -> bool:
        """Whether the checker says otherwise than `expect`. Never a fail: it may be either that errs."""
        return self.checker is not None and self.checker != (self.graded.grade.outcome == "pass")


def run_suite(
    cases: Sequence[Question], generator: Generator, checker: EntailmentChecker, calibration: Calibration, concurrency: int = 1
) -> list[Result]:
    """Ask the generator every case, grade its replies, and let the checker judge them as in production; in the order of cases."""
    prompts = [Prompt(case.id, case.question, case.context) for case in cases]
    generated = generate(generator, prompts, concurrency)
    replies = read_replies(cases, generated)
    verdicts = second_verdicts(cases, replies, checker, calibration)
    return [
        Result(Graded(case, reply, grade(case, reply)), one, verdict)
        for case, reply, one, verdict in zip(cases, replies, generated, verdicts, strict=True)
    ]


def second_verdicts(
    cases: Sequence[Question], replies: Sequence[Reply], checker: EntailmentChecker, calibration: Calibration
) -> list[bool | None]:
    """Whether, by the checker, every chunk that a reply cites establishes the claim that cites it."""
    questions, owners = [], []
    for i, (case, reply) in enumerate(zip(cases, replies, strict=True)):
        chunks = {chunk.chunk_id: chunk for chunk in case.context}
        for claim in reply.claims:
            for chunk_id in claim.chunk_ids:
                if chunk_id in chunks and claim.text:
                    questions.append((claim.text, widen_premises(evidence_of(chunks[chunk_id]), claim.text)))
                    owners.append(i)
    found: list[list[bool | None]] = [[] for _ in cases]
    for i, verdict in zip(owners, supported(checker, calibration, questions), strict=True):
        found[i].append(verdict)
    return [None if not own or None in own else all(own) for own in found]


@dataclass(frozen=True)
class Counts:
    """What is counted for a family, a kind of situation or a level of risk."""

    tally: Tally
    checker_judged: int
    checker_disagrees: int


def count(results: Sequence[Result], key: Callable[[Any], str]) -> dict[str, Counts]:
    """Count per value of `key`. Cases of one pair form a group; a situation is a group of its own."""
    found = tallies([one.graded for one in results], key, lambda case: getattr(case, "pair", case.id))
    return {
        name: Counts(
            tally,
            sum(one.checker is not None for one in results if key(one.graded.case) == name),
            sum(one.disagrees for one in results if key(one.graded.case) == name),
        )
        for name, tally in found.items()
    }


@dataclass(frozen=True)
class SuiteReport:
    """All that a run of the suite says; `price` is the cost of a million (prompt, completion) tokens, None where unknown."""

    generator: str
    checker: str
    results: list[Result]
    gap: list[GapRow]
    price: tuple[float, float] | None = None

    def of(self, kind: type) -> list[Result]:
        """The results of cases, or of situations."""
        return [one for one in self.results if isinstance(one.graded.case, kind)]

    @property
    def families(self) -> dict[str, Counts]:
        """Counts of the near-miss cases by family."""
        return count(self.of(Case), lambda case: case.expect.family)

    @property
    def kinds(self) -> dict[str, Counts]:
        """Counts of the situations by kind."""
        return count(self.of(Situation), lambda case: case.kind)

    @property
    def risks(self) -> dict[str, Counts]:
        """Counts of the situations by what a wrong answer costs."""
        found = count(self.of(Situation), lambda case: case.risk)
        return {risk: found[risk] for risk in RISKS if risk in found}

    @property
    def declines(self) -> Declines:
        """Declines over all cases."""
        return declines(one.graded for one in self.results)

    @property
    def risk_coverage(self) -> list[RiskPoint]:
        """The risk-coverage curve over all cases; empty where the generator gives no score."""
        return risk_coverage([one.graded for one in self.results])

    @property
    def cost(self) -> float | None:
        """What the generator's tokens cost, None without a price."""
        if self.price is None:
            return None
        return (self.price[0] * self.prompt_tokens + self.price[1] * self.completion_tokens) / 1e6

    @property
    def prompt_tokens(self) -> int:
        """Tokens that went in, as the endpoint counts them."""
        return sum(one.generated.prompt_tokens for one in self.results)

    @property
    def seconds(self) -> float:
        """Time that answers took, added up over questions asked at once."""
        return sum(one.generated.seconds for one in self.results)

    @property
    def completion_tokens(self) -> int:
        """Tokens that came back."""
        return sum(one.generated.completion_tokens for one in self.results)


def read_floors(text: str | None) -> dict[str, float]:
    """Read `--fail-under`: one share for all families, or FAMILY=SHARE joined by commas; raises UsageError.

    >>> read_floors("scope=1,date=0.6")
    {'scope': 1.0, 'date': 0.6}
    """
    if text is None:
        return {}
    named = [one.partition("=")[::2] if "=" in one else (None, one) for one in text.split(",")]
    floors: dict[str, float] = {}
    for name, share in named:
        if name is not None and name not in FAMILIES:
            raise UsageError(f"--fail-under names an unknown family: {name!r}; use {', '.join(FAMILIES)}")
        try:
            value = float(share)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise UsageError(f"--fail-under takes shares from 0 to 1: {share!r}; write 0.8, or scope=1,date=0.6")
        floors |= dict.fromkeys(FAMILIES if name is None else (name,), value)
    return floors


def below(families: dict[str, Counts], floors: dict[str, float]) -> list[str]:
    """Say which families fall below their floor: pairs of which every variant passed / pairs."""
    return [
        f"{name}: {counts.tally.groups_passed} of {counts.tally.groups} pairs passed, asked for {floors[name]:.0%}"
        for name, counts in families.items()
        if name in floors and counts.tally.groups_passed < floors[name] * counts.tally.groups
    ]


def read_price(text: str | None) -> tuple[float, float] | None:
    """Read `--price IN,OUT`, what a million tokens cost; raises UsageError.

    >>> read_price("0.15,0.6")
    (0.15, 0.6)
    """
    if text is None:
        return None
    try:
        prompt, completion = map(float, text.split(","))
    except ValueError as error:
        raise UsageError(f"--price takes two numbers, the cost of a million tokens in and out: {text!r}; write 0.15,0.6") from error
    if min(prompt, completion) < 0 or not math.isfinite(prompt + completion):
        raise UsageError(f"--price takes costs of at least 0: {text!r}")
    return prompt, completion
