"""Add up how expectations fared over batches, and read the sums as one validation result a suite."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.expectations import Expectation, Suite
from transforms.tables import register_rows

MAX_EXAMPLES = 3
MAX_SETTINGS = 200
Key = tuple[str, int]


class Tally(NamedTuple):
    """Values looked at, those of them that break the expectation, and a few of the rows where they stand, by id."""

    evaluated: int
    unexpected: int
    examples: tuple[str, ...] = ()


register_rows(Tally)
Tallies = Iterable[tuple[Key, Tally]]


def add_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add tallies up, in any order and grouping; the first examples by name stay.

    >>> add_tallies([Tally(5, 1, ("id='b'",)), Tally(5, 0), Tally(1, 1, ("id='a'",))])
    Tally(evaluated=11, unexpected=2, examples=("id='a'", "id='b'"))
    """
    evaluated = unexpected = 0
    examples: set[str] = set()
    for tally in tallies:
        evaluated, unexpected = evaluated + tally.evaluated, unexpected + tally.unexpected
        examples.update(tally.examples)
    return Tally(evaluated, unexpected, tuple(sorted(examples)[:MAX_EXAMPLES]))


def keyed(suites: Iterable[Suite], decided_by: str) -> list[tuple[Key, Expectation]]:
    """The expectations that one kind of judge decides, each with the key of its tally."""
    return [((suite.name, i), one) for suite in suites for i, one in enumerate(suite.expectations) if one.decided_by == decided_by]


def validation(suites: Iterable[Suite], tallies: Tallies) -> list[dict[str, Any]]:
    """One validation result a suite, every expectation in it; what met no value holds.

    Comes in: the suites, and the sum for each (suite name, position of the expectation) that met a value.
    """
    sums = dict(tallies)
    found = []
    for suite in suites:
        results = [_result(one, sums.get((suite.name, i), Tally(0, 0))) for i, one in enumerate(suite.expectations)]
        found.append({"suite": suite.name, "success": all(one["success"] for one in results), "results": results})
    return found


def _result(expectation: Expectation, tally: Tally) -> dict[str, Any]:
    return {
        "expectation": expectation.kind,
        "column": expectation.column,
        "arguments": {name: _plain(value) for name, value in expectation.arguments.items() if value is not None},
        "severity": expectation.severity,
        "mostly": expectation.mostly,
        "decided_by": expectation.decided_by,
        "declared": expectation.declared,
        "evaluated": tally.evaluated,
        "unexpected": tally.unexpected,
        "success": expectation.met(tally.evaluated, tally.unexpected),
        "examples": list(tally.examples),
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value


def unmet(found: Sequence[Mapping[str, Any]], severity: str) -> list[dict[str, Any]]:
    """The expectations of one severity that were not met, with the numbers and in words."""
    return [
        {"suite": suite["suite"], **{name: one[name] for name in _TOLD}, "message": _message(suite["suite"], one)}
        for suite in found
        for one in suite["results"]
        if one["severity"] == severity and not one["success"]
    ]


_TOLD = ("expectation", "column", "declared", "evaluated", "unexpected")


def _message(suite: str, result: Mapping[str, Any]) -> str:
    settings = {name: value for name, value in result["arguments"].items() if not name.startswith("column")}
    told = ", ".join(f"{name}={value!r}" for name, value in settings.items())[:MAX_SETTINGS]
    share = f" ({result['mostly']:g} of them have to be good)" if result["mostly"] < 1 else ""
    examples = f"; see {'; '.join(result['examples'])}" if result["examples"] else ""
    return (
        f"{suite}: {result['unexpected']} of {result['evaluated']} values of {result['column']} break {result['expectation']}"
        f"{f' ({told})' if told else ''}{share}{examples}"
    )
