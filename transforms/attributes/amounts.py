"""Amounts, and when two of them say the same."""

from __future__ import annotations

import math
from typing import NamedTuple

from transforms.attributes.units import CONVERSION_TOLERANCE


class Amount(NamedTuple):
    """An amount in base units.

    `relation` is =, ~, <, <=, >, >=, within or range; `low` and `high` are equal but in a range; `unit` is what it is counted in: a
    base unit, %, points, a currency, ratio, number or ordinal; `nouns` are the stems that a bare number counts;
    `system` is that of the unit.
    """

    relation: str
    low: float
    high: float
    unit: str
    nouns: tuple[str, ...] = ()
    system: str = "metric"


def same_number(ours: Amount, theirs: Amount) -> bool:
    """Whether two amounts of one unit are the same after conversion, whatever bounds them.

    Exact where both units convert exactly; within two percent where a calendar unit (month, year: no fixed length) meets another,
    or an imperial unit (mostly rounded in prose) a metric one; about 30 holds for what lies within five percent of it.
    """
    tolerance = 1e-9 if ours.system == theirs.system else CONVERSION_TOLERANCE
    if "~" in (ours.relation, theirs.relation):
        tolerance = 0.05
    return _close(ours.low, theirs.low, tolerance) and _close(ours.high, theirs.high, tolerance)


def _close(one: float, other: float, tolerance: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=tolerance)


_SAME_BOUND = {frozenset(("=", "within")), frozenset(("<=", "within")), frozenset(("=", "~")), frozenset(("within", "~"))}


def same_amount(ours: Amount, theirs: Amount) -> bool:
    """Whether a premise's amount says what the claim's says.

    "At least 30" is not "30", but "more than 30" holds where 40 is said.

    >>> same_amount(Amount("=", 30, 30, "s"), Amount(">=", 30, 30, "s"))
    False
    >>> same_amount(Amount(">", 30, 30, "s"), Amount("=", 40, 40, "s"))
    True
    """
    if ours.nouns and theirs.nouns and not set(ours.nouns) & set(theirs.nouns):
        return False
    if same_number(ours, theirs):
        return ours.relation == theirs.relation or frozenset((ours.relation, theirs.relation)) in _SAME_BOUND
    return _holds(ours, theirs)


def _holds(ours: Amount, theirs: Amount) -> bool:
    """Whether the bound of the claim holds for every value that the premise leaves open."""
    if theirs.relation not in ("=", "~", "range"):
        return False
    if ours.relation in (">", ">="):
        return theirs.low > ours.low
    if ours.relation in ("<", "<="):
        return theirs.high < ours.high
    return ours.relation == "range" and ours.low <= theirs.low and theirs.high <= ours.high and ours.low < ours.high
