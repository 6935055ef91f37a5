"""Compare what a claim states with what a premise states: what agrees, what differs, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from transforms.attributes.amounts import Amount, same_amount, same_number
from transforms.attributes.binding import misbound
from transforms.attributes.dates import Date, Version
from transforms.attributes.extracting import read, read_claim
from transforms.attributes.names import is_named, is_rival_name
from transforms.attributes.operators import compare_wording
from transforms.attributes.places import covers
from transforms.attributes.quantities import TIMES
from transforms.attributes.record import Attribute, Comparison, Difference, Reading
from transforms.attributes.scopes import Age
from transforms.vocabulary import vocabulary

# A claim is one proposition; of what states more attributes than this the rest stays uncompared.
MAX_COMPARED = 64
# Named when a premise states another of the kind, not when it states none: often told in other words, or by what stands around.
_ONLY_AGAINST = frozenset(
    {
        "period",
        "relative",
        "part of",
        "ordinal",
        "role",
        "age",
        "work",
        "access",
        "parent",
        "sex",
        "school",
        "contract",
        "environment",
    }
)


def compare(claim: str, premise: str) -> Comparison:
    """Compare a claim with a premise, attribute by attribute.

    What is equal after conversion agrees, and so does what a user would call by another name (EU for eu-central-1); what the
    premise says beyond the claim is no difference, but where it takes back what the claim says: a negation, a condition, "on
    average". Values belong to the scope of their clause. Deterministic; in time linear in the premise.

    >>> compared = compare("Logs are kept for 2 years in the EU", "In eu-central-1, logs are kept for 12 months.")
    >>> [one.words for one in compared.agrees], [one.words for one in compared.differs], compared.missing
    (['EU'], ['2 years against 12 months'], [])
    """
    ours, theirs = read_claim(claim), read(premise)
    comparison = Comparison([], [], [])
    if claim == premise:
        return comparison._replace(agrees=list(ours.found))
    stated = [one for one in ours.found if one.kind in _SAME or one.family in ("quantity", "scope")][:MAX_COMPARED]
    by_family: dict[str, list[Attribute]] = {}
    for one in theirs.found:
        by_family.setdefault(one.family, []).append(one)
    for attribute in stated:
        _place(attribute, by_family.get(attribute.family, []), theirs, ours, comparison)
    comparison.differs.extend(misbound(ours, theirs, comparison))
    compare_wording(ours, theirs, comparison)
    return comparison


def _place(attribute: Attribute, others: list[Attribute], premise: Reading, claim: Reading, comparison: Comparison) -> None:
    """Put one attribute of the claim where it belongs: agrees, differs or missing."""
    if attribute.family == "scope":
        others = _nearer([one for one in others if one.kind == attribute.kind], premise.heading_end)
    same = _SAME.get(attribute.kind, _equal)
    if attribute.family == "quantity":
        same = _same_quantity
    if attribute.kind == "name":
        if is_named(attribute, others, premise):
            comparison.agrees.append(attribute)
            return
    elif any(same(attribute, other) for other in others if other.kind == attribute.kind or attribute.family == "quantity") or (
        attribute.family == "quantity" and _bounds_by_words(claim, premise) and _same_but_bound(attribute, others)
    ):
        comparison.agrees.append(attribute)
        return
    # Of several the one in the claim's own unit or of its own noun: 7 days against 30 days rather than 3 hours.
    last = attribute.words.rsplit(None, 1)[-1].lower()
    rivals = islice(_rivals(attribute, others, claim, premise), MAX_COMPARED)
    rival = min(rivals, key=lambda one: not one.words.lower().endswith(last), default=None)
    if rival is not None:
        comparison.differs.append(Difference(attribute.family, attribute, rival))
    elif attribute.kind not in _ONLY_AGAINST and not _is_slight(attribute, premise):
        comparison.missing.append(attribute)


def _nearer(others: list[Attribute], heading_end: int) -> list[Attribute]:
    """The scopes of the text itself where it states any, else those of the heading in front of it."""
    return [one for one in others if one.start >= heading_end] or others


def _is_slight(attribute: Attribute, premise: Reading) -> bool:
    """Whether an attribute is often said without its words: "a day", a small number in words, a year told as "the same year"."""
    value = attribute.value
    if attribute.kind == "name":
        return bool(_ANAPHORS & premise.lows)
    if isinstance(value, Date):
        return any(one.kind == "relative" for one in premise.found)
    if not isinstance(value, Amount):
        return False
    if value.unit == "second" and value.system == "calendar" and any(one.kind == "date" for one in premise.found):
        return True  # A time since a year is told by the year.
    in_words = not any(letter.isdigit() for letter in attribute.words)
    if attribute.words.lower().startswith(("a ", "an ")) and value.unit != "%":
        return True
    return value.unit == "number" and ((in_words and value.high <= 12) or value.nouns == TIMES)


def _rivals(attribute: Attribute, others: list[Attribute], claim: Reading, premise: Reading) -> Iterator[Attribute]:
    """What the premise states instead: of the same kind, and not stated by the claim as well."""
    stated = [one for one in claim.found if one.family == attribute.family][:MAX_COMPARED]
    for other in others:
        if attribute.kind == "name" and not (other.kind == "name" and is_rival_name(attribute, other, claim, premise)):
            continue
        if attribute.family == "quantity":
            if not _are_rivals(attribute.value, other.value) or any(_same_quantity(one, other) for one in stated):
                continue
        elif other.kind != attribute.kind or any(one.value == other.value for one in stated):
            continue
        yield other


def _are_rivals(ours: object, theirs: object) -> bool:
    if not (isinstance(ours, Amount) and isinstance(theirs, Amount)):
        return False
    if ours.unit in ("number", "ordinal"):
        alike = ours.unit == theirs.unit
        return alike and (
            bool(set(ours.nouns) & set(theirs.nouns))
            or (ours.low == theirs.low and ours.unit == "number" and bool(ours.nouns and theirs.nouns))
        )
    if ours.unit == theirs.unit:
        return True
    return (
        {ours.unit, theirs.unit} == {"%", "points"}
        or (_is_currency(ours.unit) and _is_currency(theirs.unit))
        or _is_working(ours, theirs)
    )


def _is_currency(unit: str) -> bool:
    return unit.isupper() and unit.isalpha()


def _is_working(ours: Amount, theirs: Amount) -> bool:
    return any(
        one.unit.startswith("working") and (two.unit.startswith(("working", "second")))
        for one, two in ((ours, theirs), (theirs, ours))
    )


def _equal(ours: Attribute, theirs: Attribute) -> bool:
    return ours.value == theirs.value


def _same_quantity(ours: Attribute, theirs: Attribute) -> bool:
    mine, other = ours.value, theirs.value
    return isinstance(mine, Amount) and isinstance(other, Amount) and mine.unit == other.unit and same_amount(mine, other)


def _bounds_by_words(claim: Reading, premise: Reading) -> bool:
    """Whether one side bounds in a way that the other may say with a negation or a superlative: the longest is seven days."""
    if bool(_LIMITING & claim.open_lows) != bool(_LIMITING & premise.open_lows):
        return True
    return _has_negation(claim) != _has_negation(premise)


def _same_but_bound(attribute: Attribute, others: list[Attribute]) -> bool:
    mine = attribute.value
    amounts = (one.value for one in others)
    return isinstance(mine, Amount) and any(
        isinstance(two, Amount) and mine.unit == two.unit and same_number(mine, two) for two in amounts
    )


def _has_negation(reading: Reading) -> bool:
    return any(one.kind == "negation" for one in reading.found)


def _same_age(ours: Attribute, theirs: Attribute) -> bool:
    """A child of eleven is one of the children under twelve."""
    mine, other = ours.value, theirs.value
    if not (isinstance(mine, Age) and isinstance(other, Age)):
        return ours.value == theirs.value
    return other.low <= mine.low and mine.high <= other.high


def _same_region(ours: Attribute, theirs: Attribute) -> bool:
    if isinstance(ours.value, str) and isinstance(theirs.value, str):
        return covers(ours.value, theirs.value)
    return ours.value == theirs.value


def _same_date(ours: Attribute, theirs: Attribute) -> bool:
    mine, other = ours.value, theirs.value
    if not (isinstance(mine, Date) and isinstance(other, Date)):
        return False
    if mine.side and other.side and mine.side != other.side:
        return False
    if mine.quarter and mine.quarter <= 4 and other.month and mine.year in (None, other.year):
        return (other.month + 2) // 3 == mine.quarter
    if mine.side and other.side is None and mine.year and other.year and mine.year != other.year:
        # Before 2005 holds for 2001.
        return other.year < mine.year if mine.side == "until" else other.year > mine.year
    return all(part is None or part == theirs_part for part, theirs_part in zip(mine[:4], other[:4], strict=True))


def _same_version(ours: Attribute, theirs: Attribute) -> bool:
    mine, other = ours.value, theirs.value
    if not (isinstance(mine, Version) and isinstance(other, Version)):
        return False
    if mine.numbers == other.numbers:
        return mine.side == other.side or mine.side is None
    if other.side == "from":
        return mine.side in (None, "from") and mine.numbers >= other.numbers
    return other.side == "until" and mine.side in (None, "until") and mine.numbers <= other.numbers


# What can stand for a name that the sentences before a premise have introduced.
_ANAPHORS = vocabulary("he she his her him they their them it its this these")
_LIMITING = vocabulary("limit limits limited highest maximum minimum longest latest earliest most least max min cap capped")
_SAME: dict[str, Callable[[Attribute, Attribute], bool]] = {
    "region": _same_region,
    "age": _same_age,
    "reference": _equal,
    "language": _equal,
    "date": _same_date,
    "version": _same_version,
    "period": _equal,
    "weekday": _equal,
    "time": _equal,
    "season": _equal,
    "relative": _equal,
    "part of": _equal,
    "name": _equal,
    "role": _equal,
}
