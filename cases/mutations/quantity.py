"""Change how much: the number, its unit, its bound; say the same amount otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.mutations.record import (
    CHANGED,
    SAME,
    WEAKER,
    Mutation,
    any_of,
    change,
    members,
    pairs,
    partners,
    pick,
    words,
    words_pattern,
)

FAMILY = "quantity"
_ONE_TO_TWENTY = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty"""
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_VALUES = {word: i + 1 for i, word in enumerate(_ONE_TO_TWENTY)} | _TENS
_WORDS = {value: word for word, value in _VALUES.items()}
_VALUE = any_of(_VALUES)
MONTHS = words("January February March April May June July August September October November December")
_LABELLED = r"version|v|release|section|chapter|figure|table|no\.?|number|article"
_NOT_AMOUNT_BEFORE = re.compile(rf"(?:\b(?:{_LABELLED}|{any_of(MONTHS)})\s*|[-/:.#])$", re.IGNORECASE)
_NOT_AMOUNT_AFTER = re.compile(rf"\s*(?:(?:{any_of(MONTHS)})\b|[-/:]\s*\d|(?:st|nd|rd|th)\b)", re.IGNORECASE)
_COUNTED = re.compile(r"\s+(?:people|men|women|users|years|days|km|miles|dollars|feet|m\b)")
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){1,99}|\d{1,99})(?:\.\d{1,99})?(?![\w'’]|[.,]\d)")
_NUMBER_WORD = words_pattern((*_ONE_TO_TWENTY[1:], *_TENS))
_CURRENCY_BEFORE = re.compile(r"[$€£]\s*$")
_UNITS = pairs(
    """seconds/minutes, minutes/hours, hours/days, days/weeks, weeks/months, months/years, kilometres/miles, kilometers/miles,
    km/miles, metres/feet, meters/feet, inches/feet, kilograms/pounds, kg/pounds, million/billion, thousand/million,
    hundred/thousand, percent/percentage points, %/percentage points, dollars/euros, dollars/cents, GB/MB, litres/millilitres,
    pounds/dollars"""
)
_UNIT = re.compile(rf"(?<=[\da-z])\s?(?P<unit>{any_of(members(_UNITS))})(?!\w)")
_BEFORE_UNIT = re.compile(rf"(?:\d|\b(?:{_VALUE}|a|several|many))\s*$", re.IGNORECASE)
_BOUNDS = pairs(
    """at least/at most, more than/less than, over/under, up to/at least, minimum/maximum, fewer than/more than,
    no more than/no less than"""
)
_AMOUNT_AFTER = rf"(?=\s+(?:\$|€|£|of\s)?(?:\d|(?:{_VALUE}|a (?:dozen|hundred|thousand|million)|half)\b))"
_BOUND = re.compile(rf"\b(?ai:{any_of(members(_BOUNDS))}){_AMOUNT_AFTER}", re.IGNORECASE)
_BOUNDED_BEFORE = re.compile(
    r"\b(?:than|least|most|to|over|under|about|around|nearly|almost|approximately|some|of|and|or|between|only)\s+$", re.IGNORECASE
)
_BOUND_BEFORE = re.compile(r"\b(?:than|at least|at most|up to|over|under)\s+[$€£]?$", re.IGNORECASE | re.ASCII)
_SAME_UNITS = {"months": (12, "years"), "days": (7, "weeks"), "minutes": (60, "hours"), "hours": (24, "days")}
_SMALLER_UNIT = re.compile(rf"\s+(?P<unit>{any_of(_SAME_UNITS)})\b")


def mutate_quantities(sentence: str) -> Iterator[Mutation]:
    """Every change of an amount that `sentence` states."""
    for start, end, value in _amounts(sentence):
        # "At least 24 hours" establishes "at least 12 hours": behind a bound another number may be just as true.
        exact = not _BOUND_BEFORE.search(sentence[:start])
        if sentence[start].isalpha():
            yield from _other_word(sentence, start, end, int(value)) if exact else ()
            yield from change(sentence, start, end, str(int(value)), FAMILY, "numeral", SAME)
        else:
            yield from _other_number(sentence, start, end, value) if exact else ()
            yield from _in_words(sentence, start, end, value)
        yield from _in_larger_units(sentence, start, end, value)
        yield from _bounded(sentence, start, end, value)
    yield from _other_unit(sentence)
    yield from _other_bound(sentence)


def _amounts(sentence: str) -> Iterator[tuple[int, int, float]]:
    """Where amounts stand, and their values; years, days of a month, ordinals and numbers of things are none."""
    for match in _NUMBER.finditer(sentence):
        before, after = sentence[: match.start()], sentence[match.end() :]
        plain = match.group().replace(",", "")
        year = plain == match.group() and plain.isdigit() and 1000 <= int(plain) <= 2100
        if year and not _COUNTED.match(after):
            continue
        if not _NOT_AMOUNT_BEFORE.search(before.replace("$", "")) and not _NOT_AMOUNT_AFTER.match(after):
            yield *match.span(), float(plain)
    for match in _NUMBER_WORD.finditer(sentence):
        if not re.match(r"\s*(?:-|hundred|thousand|million|billion)", sentence[match.end() :]):
            yield *match.span(), _VALUES[match.group().lower()]


def _other_word(sentence: str, start: int, end: int, value: int) -> Iterator[Mutation]:
    near = (value - 1, value + 1, value + 2, value * 2, value - 10, value + 10)
    others = [n for n in near if n in _WORDS and n > 1]
    yield from change(sentence, start, end, _WORDS[pick(others, sentence, start)], FAMILY, "number", CHANGED)


def _other_number(sentence: str, start: int, end: int, value: float) -> Iterator[Mutation]:
    before = sentence[start:end]
    decimals = len(before.partition(".")[2])
    step = 10**-decimals
    near = (value + step, value - step, value * 2, value / 2, value * 10, value * 1.5, value + 7)
    other = pick([n for n in near if n > 0 and n != value], sentence, start)
    text = f"{other:,.{decimals}f}" if "," in before else f"{other:.{decimals}f}"
    if float(text.replace(",", "")) not in (0, value):
        yield from change(sentence, start, end, text, FAMILY, "number", CHANGED)


def _in_words(sentence: str, start: int, end: int, value: float) -> Iterator[Mutation]:
    """30 -> thirty."""
    plain = value in _WORDS and sentence[start:end] == str(int(value)) and sentence[end : end + 1] in (" ", ".")
    if plain and not _CURRENCY_BEFORE.search(sentence[:start]):
        yield from change(sentence, start, end, _WORDS[int(value)], FAMILY, "numeral", SAME)


def _in_larger_units(sentence: str, start: int, end: int, value: float) -> Iterator[Mutation]:
    """24 months -> 2 years."""
    unit = _SMALLER_UNIT.match(sentence, end)
    if unit:
        factor, larger = _SAME_UNITS[unit["unit"]]
        if value % factor == 0 and value > factor:
            yield from change(sentence, start, unit.end(), f"{int(value) // factor} {larger}", FAMILY, "same_amount", SAME)


def _bounded(sentence: str, start: int, end: int, value: float) -> Iterator[Mutation]:
    """30 days -> more than 20 days (true), more than 40 days (not established)."""
    before = sentence[:start]
    whole = value >= 5 and value == int(value) and not sentence[start].isalpha()
    if not whole or _BOUNDED_BEFORE.search(before) or _CURRENCY_BEFORE.search(before):
        return
    lower, upper = int(value * 0.8), int(value * 1.25) + 1
    true = pick((f"more than {lower}", f"at least {lower}", f"less than {upper}", f"fewer than {upper}"), sentence, start)
    false = pick((f"less than {lower}", f"at most {lower}", f"more than {upper}", f"at least {upper}"), sentence, start)
    yield from change(sentence, start, end, true, FAMILY, "true_bound", WEAKER)
    yield from change(sentence, start, end, false, FAMILY, "false_bound", CHANGED)


def _other_unit(sentence: str) -> Iterator[Mutation]:
    for match in _UNIT.finditer(sentence):
        if _BEFORE_UNIT.search(sentence[: match.start()]):
            after = pick(partners(_UNITS, match["unit"]), sentence, match.start("unit"))
            after = f" {after}" if match["unit"] == "%" else after
            yield from change(sentence, *match.span("unit"), after, FAMILY, "unit", CHANGED)


def _other_bound(sentence: str) -> Iterator[Mutation]:
    for match in _BOUND.finditer(sentence):
        other = partners(_BOUNDS, match.group().lower())[0]
        yield from change(sentence, *match.span(), other, FAMILY, "bound", CHANGED)
