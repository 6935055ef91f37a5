"""Change when: years, months, days, before and after, versions; write the same date otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.mutations.quantity import MONTHS
from cases.mutations.record import CHANGED, SAME, WEAKER, Mutation, any_of, change, pick, swap_within, words

FAMILY = "date"
_WEEKDAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_SEASONS = words("spring summer autumn winter")
_COUNTED = r"\s+(?:people|men|women|users|years|days|km|miles|dollars|feet|votes)\b"
_YEAR = re.compile(rf"(?<![\w.,$€£/-])(?:1[5-9]|20)\d\d(?:s\b)?(?![\w%]|[.,]\d|-\d|{_COUNTED})")
_MONTH_NAME = any_of(MONTHS)
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})\s+(?P<month>{_MONTH_NAME})\s+(?P<year>\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_MONTH_NAME})\s+(?P<day>\d{{1,2}})\s*,\s*(?P<year>\d{{4}})\b")
_MONTH = re.compile(rf"\b(?:{_MONTH_NAME})\b(?=\s+\d|,)|(?<=in )(?:{_MONTH_NAME})\b|(?<=of )(?:{_MONTH_NAME})\b")
_OPPOSITE = {"before": "after", "after": "before", "since": "until", "until": "since", "prior to": "after"}
_DATE_AFTER = rf"(?=\s+(?:the\s+end\s+of\s+)?(?:\d{{4}}|{_MONTH_NAME}|{any_of(_WEEKDAYS)}|\d{{1,2}}\s))"
_RELATIVE = re.compile(rf"\b(?ai:{any_of(_OPPOSITE)})\b{_DATE_AFTER}", re.IGNORECASE)
_VERSION = re.compile(r"\b(?:[Vv]ersion\s+|[Rr]elease\s+|v)(?P<number>\d{1,99}(?:\.\d{1,99}){0,3})(?!\w)")
_CENTURY = re.compile(r"\b(?P<number>\d{1,2})(?:st|nd|rd|th)(?=[ -]century)")


def mutate_dates(sentence: str) -> Iterator[Mutation]:
    """Every change of a date, period or version that `sentence` states."""
    yield from _other_year(sentence)
    yield from _other_part(sentence)
    yield from _same_date(sentence)
    for match in _RELATIVE.finditer(sentence):
        yield from change(sentence, *match.span(), _OPPOSITE[match.group().lower()], FAMILY, "order", CHANGED)
    for match in _VERSION.finditer(sentence):
        other_version = _other_version(match["number"], sentence)
        yield from change(sentence, *match.span("number"), other_version, FAMILY, "version", CHANGED)
    for match in _CENTURY.finditer(sentence):
        other = int(match["number"]) + pick((-1, 1, -2), sentence)
        if 4 <= other <= 20 and int(match["number"]) > 5:
            yield from change(sentence, *match.span(), f"{other}th", FAMILY, "century", CHANGED)
    yield from swap_within(sentence, (_WEEKDAYS, _SEASONS), FAMILY, "day_name")


def _other_year(sentence: str) -> Iterator[Mutation]:
    for match in _YEAR.finditer(sentence):
        year = int(match.group()[:4])
        if match.group().endswith("s"):
            other = f"{year + pick((10, -10, 20, -20), sentence, year)}s"
            yield from change(sentence, *match.span(), other, FAMILY, "decade", CHANGED)
            continue
        other = str(year + pick((-1, 1, -2, 2, 3, -5, 10, -10), sentence, year))
        yield from change(sentence, *match.span(), other, FAMILY, "year", CHANGED)
        if re.search(r"\b[Ii]n $", sentence[: match.start()]):
            yield from _period(sentence, match.start() - len("in "), match.end(), year)


def _period(sentence: str, start: int, end: int, year: int) -> Iterator[Mutation]:
    """In 2019 -> before 2022 (true), before 2016 (not established)."""
    true = pick((f"before {year + 3}", f"after {year - 3}", f"between {year - 2} and {year + 4}"), sentence, year)
    false = pick((f"before {year - 3}", f"after {year + 3}"), sentence, year)
    yield from change(sentence, start, end, true, FAMILY, "true_period", WEAKER)
    yield from change(sentence, start, end, false, FAMILY, "false_period", CHANGED)


def _other_part(sentence: str) -> Iterator[Mutation]:
    for match in _MONTH.finditer(sentence):
        months = [month for month in MONTHS if month != match.group()]
        yield from change(sentence, *match.span(), pick(months, sentence, match.start()), FAMILY, "month", CHANGED)
    for match in (*_DAY_FIRST.finditer(sentence), *_MONTH_FIRST.finditer(sentence)):
        days = [day for day in range(1, 29) if day != int(match["day"])]
        yield from change(sentence, *match.span("day"), str(pick(days, sentence, match.start())), FAMILY, "day", CHANGED)


def _same_date(sentence: str) -> Iterator[Mutation]:
    """12 March 2019 -> March 12, 2019; on 12 March 2019 -> in March 2019."""
    for pattern, other in ((_DAY_FIRST, "{month} {day}, {year}"), (_MONTH_FIRST, "{day} {month} {year}")):
        for match in pattern.finditer(sentence):
            parts = match.groupdict()
            yield from change(sentence, *match.span(), other.format(**parts), FAMILY, "same_date", SAME)
            if sentence[: match.start()].endswith((" on ", "On ")):
                start = match.start() - len("on ")
                for shape in ("in {month} {year}", "in {year}"):
                    yield from change(sentence, start, match.end(), shape.format(**parts), FAMILY, "wider_date", WEAKER)


def _other_version(number: str, sentence: str) -> str:
    """v2.1 -> v2.2, v2.10, v3.1: one component apart."""
    parts = number.split(".")
    options = [[*parts[:-1], str(int(parts[-1]) + 1)], [str(int(parts[0]) + 1), *parts[1:]], [*parts, "1"]]
    if len(parts) > 1:
        options.append([*parts[:-1], parts[-1] + "0"])
    return ".".join(pick(options, sentence, number))
