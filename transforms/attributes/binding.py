"""Bind each value of a text to the scope of its clause: 20 days in AMER and 30 days in EMEA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.attributes.amounts import Amount, same_amount
from transforms.attributes.places import covers
from transforms.attributes.record import Attribute, Comparison, Difference, Reading

# Between two clauses; a comma too, so that "20 days in AMER, 30 days in EMEA" has two.
_BOUNDARY = re.compile(r",|;|\b(?:and|but|while|whereas|or)\b|[.!?](?=\s|$)")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_BINDING = frozenset({"region", "plan", "product", "age", "work", "parent", "access", "school", "contract", "environment", "sex"})


def misbound(claim: Reading, premise: Reading, comparison: Comparison) -> Iterator[Difference]:
    """Name claim values that the premise states of another scope.

    Where the claim's scope has a value of its own in the premise, scope and quantity both differ. Scopes or values that already
    differ are not named again.
    """
    differing = {one.family for one in comparison.differs}
    if {"quantity", "scope"} <= differing or not any(one.family == "quantity" for one in comparison.agrees):
        return
    ours, theirs = bind(claim), bind(premise)
    if len({scope.value for _, scope in theirs}) < 2:
        return
    for value, scope in ours:
        yield from _misbound_value(value, scope, theirs)


def _misbound_value(value: Attribute, scope: Attribute, theirs: list[tuple[Attribute, Attribute]]) -> Iterator[Difference]:
    equal = [(other, bound) for other, bound in theirs if _same(value, other)]
    own = [other for other, bound in theirs if _alike(scope, bound) and _unit(other) == _unit(value)]
    if equal and own and not any(_alike(scope, bound) or bound.kind != scope.kind for _, bound in equal):
        yield Difference("scope", scope, equal[0][1])
        yield Difference("quantity", value, own[0])


def _same(one: Attribute, other: Attribute) -> bool:
    a, b = one.value, other.value
    return isinstance(a, Amount) and isinstance(b, Amount) and a.unit == b.unit and same_amount(a, b)


def _unit(one: Attribute) -> str | None:
    return one.value.unit if isinstance(one.value, Amount) else None


def _alike(ours: Attribute, theirs: Attribute) -> bool:
    if ours.kind != theirs.kind:
        return False
    if isinstance(ours.value, str) and isinstance(theirs.value, str) and ours.kind == "region":
        return covers(ours.value, theirs.value)
    return ours.value == theirs.value


def bind(reading: Reading) -> list[tuple[Attribute, Attribute]]:
    """Pair each quantity with its scope: the nearest in its clause, else the last one before it in its sentence, else the next.

    With "respectively", values and scopes pair in order.
    """
    scopes = [one for one in reading.found if one.kind in _BINDING]
    values = [one for one in reading.found if one.family == "quantity"]
    if not scopes or not values:
        return []
    if "respectively" in reading.lows and len(scopes) == len(values):
        return list(zip(values, scopes, strict=True))
    boundaries = [match.start() for match in _BOUNDARY.finditer(reading.text)]
    ends = [match.start() for match in _SENTENCE.finditer(reading.text)]
    clauses, sentences = _places(scopes, boundaries), _places(scopes, ends)
    by_clause = _grouped(scopes, clauses)
    by_sentence = _grouped(scopes, sentences)
    pairs = []
    for value, clause, sentence in zip(values, _places(values, boundaries), _places(values, ends), strict=True):
        scope = _nearest(value, by_clause.get(clause, [])) or _carried(value, by_sentence.get(sentence, []))
        if scope is not None:
            pairs.append((value, scope))
    return pairs


def _places(attributes: list[Attribute], boundaries: list[int]) -> list[int]:
    """For each attribute, in the order of the text, how many boundaries stand before it."""
    places, passed = [], 0
    for one in attributes:
        while passed < len(boundaries) and boundaries[passed] < one.start:
            passed += 1
        places.append(passed)
    return places


def _grouped(attributes: list[Attribute], places: list[int]) -> dict[int, list[Attribute]]:
    grouped: dict[int, list[Attribute]] = {}
    for one, place in zip(attributes, places, strict=True):
        grouped.setdefault(place, []).append(one)
    return grouped


# Of more scopes in one clause or sentence only the first are weighed: such a text is a list.
_MAX_SCOPES = 32


def _nearest(value: Attribute, scopes: list[Attribute]) -> Attribute | None:
    return min(scopes[:_MAX_SCOPES], key=lambda one: max(one.start - value.end, value.start - one.end), default=None)


def _carried(value: Attribute, scopes: list[Attribute]) -> Attribute | None:
    before = [one for one in scopes[:_MAX_SCOPES] if one.end <= value.start]
    return before[-1] if before else next(iter(scopes), None)
