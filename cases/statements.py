"""Statements in the manner of policies and rate cards, and the near misses among them: siblings one attribute apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import resources
from typing import Any, NamedTuple

import yaml

from cases.headings import headed
from cases.mutations import SCOPES, Scope
from cases.mutations.quantity import MONTHS
from cases.mutations.record import words
from cases.near_misses import NearMiss

# First words that are small behind a scope.
_LOWERED = frozenset(words("The A There You Every From Version Staff Support Since Buyers Clients Patients Paying"))
_AMOUNTS = words("2 3 4 5 6 7 8 10 12 14 15 18 20 24 25 30 36 40 45 48 60 72 80 90 95 120 150 180 200 365")


class Fact(NamedTuple):
    """One rule: what is said of which thing, with which value, in which scope (None: everywhere)."""

    shape: int
    thing: str
    value: str
    unit: str
    scope: Scope | None


def statement_rows(n: int, seed: int) -> Iterator[NearMiss]:
    """Yield `n` rows: a premise of one to three facts, and a claim that one of them makes or none; the same rows for a seed.

    Facts and claim are one attribute apart from the first fact; with another scope or thing the value may differ too. The scope of
    a fact that stands alone is sometimes told by a heading.
    """
    shapes = yaml.safe_load((resources.files("cases") / "statements.yaml").read_text(encoding="utf-8"))
    rng = random.Random(seed)
    for _ in range(n):
        yield _row(shapes, rng)


def _row(shapes: list[dict[str, Any]], rng: random.Random) -> NearMiss:
    fact = _fact(shapes, rng)
    told = [fact, *(_sibling(shapes, fact, rng)[0] for _ in range(rng.choice((0, 1, 1, 2))))]
    told = [one for i, one in enumerate(told) if _topic(one) not in {_topic(before) for before in told[:i]}]
    rng.shuffle(told)
    premise = " ".join(_say(shapes, one, "says", rng) for one in told)
    if len(told) == 1 and fact.scope and rng.random() < 0.4:
        premise = headed(_say(shapes, fact._replace(scope=None), "says", rng), rng, fact.scope)
    if rng.random() < 0.45:
        return NearMiss(premise, _claim(shapes, rng.choice(told), rng), "entailment", "scope", "statement")
    asked, family = _sibling(shapes, fact, rng)
    while asked in told or _holds_everywhere(asked, told):
        asked, family = _sibling(shapes, fact, rng)
    return NearMiss(premise, _claim(shapes, asked, rng), "unsupported", family, "statement")


def _claim(shapes: list[dict[str, Any]], fact: Fact, rng: random.Random) -> str:
    return _say(shapes, fact, "asks" if rng.random() < 0.7 else "says", rng)


def _holds_everywhere(asked: Fact, told: list[Fact]) -> bool:
    """Whether a fact without a scope says it: what holds everywhere holds there."""
    return any(one.scope is None and one == asked._replace(scope=None) for one in told)


def _topic(fact: Fact) -> tuple[Any, ...]:
    return fact.shape, fact.thing, fact.scope


def _fact(shapes: list[dict[str, Any]], rng: random.Random) -> Fact:
    shape = rng.randrange(len(shapes))
    row = shapes[shape]
    scope = rng.choice(SCOPES) if rng.random() < 0.7 else None
    return Fact(shape, rng.choice(row["things"]), _value(row, rng), rng.choice(row.get("unit", [""])), scope)


def _value(row: dict[str, Any], rng: random.Random) -> str:
    text = " ".join(row["says"])
    if "{n}" in text:
        return rng.choice(_AMOUNTS)
    if "{v}" in text:
        return f"{rng.randint(1, 12)}.{rng.randint(0, 14)}"
    if "{d}" in text:
        return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(2016, 2027)}"
    return ""


def _sibling(shapes: list[dict[str, Any]], fact: Fact, rng: random.Random) -> tuple[Fact, str]:
    """A fact one attribute apart, and the family of that attribute; with a new scope or thing the value may move too."""
    row = shapes[fact.shape]
    family = rng.choice(("scope", "scope", "quantity", "entity")) if fact.value else rng.choice(("scope", "entity"))
    if family == "scope":
        scopes = [one for one in SCOPES if fact.scope is None or (one.group == fact.scope.group and one != fact.scope)]
        other = fact._replace(scope=rng.choice(scopes))
        return (other._replace(value=_value(row, rng)) if rng.random() < 0.6 else other), family
    if family == "entity":
        other = fact._replace(thing=rng.choice([one for one in row["things"] if one != fact.thing]))
        return (other._replace(value=_value(row, rng)) if rng.random() < 0.6 else other), family
    if len(row.get("unit", [""])) > 1 and rng.random() < 0.25:
        return fact._replace(unit=rng.choice([unit for unit in row["unit"] if unit != fact.unit])), "quantity"
    value = fact.value
    while value == fact.value:
        value = _value(row, rng)
    return fact._replace(value=value), "date" if "{n}" not in " ".join(row["says"]) else "quantity"


def _say(shapes: list[dict[str, Any]], fact: Fact, voice: str, rng: random.Random) -> str:
    text = rng.choice(shapes[fact.shape][voice])
    text = text.format(thing=fact.thing, n=fact.value, d=fact.value, v=fact.value, unit=fact.unit)
    if fact.scope:
        words = fact.scope.written if voice == "says" else rng.choice((fact.scope.written, fact.scope.asked, fact.scope.asked))
        front = rng.random() < 0.4
        text = f"{words}, {text[0].lower() if text.split()[0] in _LOWERED else text[0]}{text[1:]}" if front else f"{text} {words}"
    return f"{text[0].upper()}{text[1:]}."
