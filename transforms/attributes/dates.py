"""Read dates, periods and versions."""

from __future__ import annotations

import re
from typing import NamedTuple

from transforms.attributes.lists import word_list
from transforms.attributes.numerals import ORDINALS
from transforms.attributes.record import FUNCTION_WORDS, Reading
from transforms.attributes.units import unit_named
from transforms.vocabulary import vocabulary

_MONTH_NAMES = word_list("january february march april may june july august september october november december")
_MONTHS = (
    {name: i for i, name in enumerate(_MONTH_NAMES, 1)} | {name[:3]: i for i, name in enumerate(_MONTH_NAMES, 1)} | {"sept": 9}
)
_WEEKDAYS = {
    form: name
    for name in word_list("monday tuesday wednesday thursday friday saturday sunday")
    for form in (name, name + "s", name[:3])
}
_SEASONS = frozenset({"spring", "summer", "autumn", "winter"})
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b(?:\.(?=\s\d))?"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATE = re.compile(
    rf"(?<![\w.-])(?P<iso>\d{{4}}-\d\d(?:-\d\d)?)(?![\w-]|\.\d)"
    r"|(?<![\w./-])(?P<slashed>\d{1,2}/\d{1,2}/\d{4})(?![\w/-])"
    rf"|\b(?P<m1>{_MONTH})(?:\s{{1,3}}(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.:]\d)(?:\s{{0,3}}[-–]\s{{0,3}}\d{{1,2}})?)?(?:\s?,?\s{{1,3}}(?P<y1>{_YEAR})\b)?"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s{{1,3}}(?:of\s{{1,3}})?(?P<m2>{_MONTH})(?:\s?,?\s{{1,3}}(?P<y2>{_YEAR})\b)?"
    rf"|\b(?:Q(?P<q>[1-4])|H(?P<h>[12]))(?:\s{{1,3}}(?:of\s{{1,3}})?(?P<y3>{_YEAR}))?\b"
    r"|(?<=\bthe )(?P<nineties>[1-9]0)s\b|(?<=\b(?:mid|ate|rly)[ -])(?P<mid>[1-9]0)s\b"
    rf"|\b(?P<time>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b)?|1?\d\s?[ap]m)\b"
    rf"|(?<![\w.,$€£/-])(?P<y4>{_YEAR})s?(?![\w%]|[.,]\d|-\d{{1,2}}\b|\s?(?:EUR|USD|GBP|kg|km|W|kW|MB|GB|mg|ml|m)\b)"
)
_VERSION = re.compile(
    r"(?<![\w.])(?:v(?P<v>\d+(?:\.\d+){0,4})|(?P<named>(?:version|release|edition)s?\s{1,3})v?(?P<n>\d+(?:\.\d+){0,4}))(?:\.x)?\b"
    r"(?P<later>\s{1,3}(?:or|and)\s{1,3}(?:later|newer|above|higher|up)\b|\s{0,2}\+(?=\s|$))?"
    r"(?P<earlier>\s{1,3}(?:or|and)\s{1,3}(?:earlier|older|below|lower)\b)?"
    r"|(?<![\w.,])(?P<bare>\d+\.\d+\.\d+(?:\.\d+)?)(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_ORDINAL_VERSION = re.compile(r"\b(?P<word>[a-z]{5,10}) (?P<kind>version|edition|release)\b", re.IGNORECASE)
# A bare "2.1" beside a version is one too: from v2.1 to 2.4.
_BESIDE = re.compile(
    r"(?:\s{0,2}[-–,]\s{0,2}|\s(?:to|and|or|through|until)\s)(\d+(?:\.\d+){1,3})(?![\w%]|\.\d|\s{0,2}(?:%|percent))"
)
_SPANS = {
    "day": "day",
    "days": "day",
    "night": "day",
    "nights": "day",
    "morning": "day",
    "evening": "day",
    "hour": "hour",
    "hours": "hour",
    "minute": "minute",
    "minutes": "minute",
    "second": "second",
    "week": "week",
    "weeks": "week",
    "fortnight": "fortnight",
    "month": "month",
    "months": "month",
    "quarter": "quarter",
    "quarters": "quarter",
    "year": "year",
    "years": "year",
}
_PERIODS = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
}
_RELATIVE = {
    "next": "next",
    "coming": "next",
    "following": "next",
    "last": "last",
    "past": "last",
    "previous": "last",
    "this": "this",
    "current": "this",
    "same": "same",
}
_ENDS = {"first": "first", "last": "last", "final": "last", "past": "last", "previous": "last", "next": "next", "coming": "next"}
_BEFORE_MONTH = vocabulary("in since until by of from before after during every each late early next last to and")
_DAYS = {"yesterday": "last", "today": "this", "tomorrow": "next"}
_NO_PERIOD_AFTER = vocabulary(
    "by for in within after of take takes took last lasts lasted over about than until half and to least most before"
)


class Date(NamedTuple):
    """What a date says, null where it leaves a part open; `side` is `from` or `until` where it only bounds."""

    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    side: str | None = None


class Version(NamedTuple):
    """A version by its numbers, trailing zeros but the first dropped; `side` is `from` or `until` for "or later", "or earlier"."""

    numbers: tuple[int, ...]
    side: str | None = None


def note_versions(reading: Reading) -> None:
    """Find versions, which compare by their numbers: v2.1 is older than v2.10."""
    for match in _VERSION.finditer(reading.text):
        numbers = match["v"] or match["n"] or match["bare"]
        later, earlier = match["later"], match["earlier"]
        side = "from" if later else "until" if earlier else None
        reading.note("date", "version", Version(_numbers(numbers), side), *match.span())
        if (beside := _BESIDE.match(reading.text, match.end())) and match["bare"] is None:
            reading.note("date", "version", Version(_numbers(beside[1])), *beside.span(1))
    for match in _ORDINAL_VERSION.finditer(reading.text):
        if match["word"].lower() in ORDINALS:
            reading.note("date", "version", Version((ORDINALS[match["word"].lower()],)), *match.span())


def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text[:60].strip(".").split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def note_dates(reading: Reading) -> None:
    """Find dates in figures and by name, with the side on which they bound: since 2020, until May."""
    for match in _DATE.finditer(reading.text):
        if not reading.free(*match.span()):
            continue
        if match["time"]:
            reading.note("date", "time", _clock(match["time"]), *match.span())
        elif (date := _date(match)) is not None and _is_date(match):
            start, end = match.span()
            side = _side_before(reading.text, start)
            reading.note("date", "date", date._replace(side=side), start, end)


def _is_date(match: re.Match[str]) -> bool:
    """May and March alone are mostly words of another kind."""
    name = match["m1"]
    if name not in ("May", "March", "Mar", "Sept", "Dec", "Jan") or match["d1"] or match["y1"]:
        return True
    before = match.string[max(0, match.start() - 12) : match.start()].lower().split()[-1:]
    return before != [] and before[0] in _BEFORE_MONTH


def _date(match: re.Match[str]) -> Date | None:
    if match["iso"]:
        parts = [int(part) for part in match["iso"].split("-")]
        return Date(parts[0], None, parts[1], parts[2] if len(parts) == 3 else None) if 1 <= parts[1] <= 12 else None
    if match["slashed"]:
        one, two, written = (int(part) for part in match["slashed"].split("/"))
        # 12/05/2020 is either of two days; 25/12/2020 and 12/25/2020 are one.
        month, day = (two, one) if one > 12 else (one, two) if two > 12 or one == two else (None, None)
        return Date(written, None, month, day)
    if match["nineties"] or match["mid"]:
        return Date(1900 + int(match["nineties"] or match["mid"]))
    year = match["y1"] or match["y2"] or match["y3"] or match["y4"]
    name = (match["m1"] or match["m2"] or "").lower().rstrip(".")
    number = match["d1"] or match["d2"]
    named = (_MONTHS.get(name) or _MONTHS[name[:3]]) if name else None
    quarter = int(match["q"]) if match["q"] else 4 + int(match["h"]) if match["h"] else None
    return Date(int(year) if year else None, quarter, named, int(number) if number else None)


def _clock(words: str) -> tuple[int, int]:
    figures = [int(part) for part in re.findall(r"\d+", words)[:2]]
    hour, minute = figures[0], figures[1] if len(figures) > 1 else 0
    if "p" in words.lower() and hour < 12:
        hour += 12
    return (0 if "a" in words.lower() and hour == 12 else hour), minute


def _side_before(text: str, start: int) -> str | None:
    before = text[max(0, start - 24) : start].lower().split()[-2:]
    if not before:
        return None
    if before[-1] in ("since", "after", "from"):
        return "from"
    if before[-1] in ("until", "till", "before") or before == ["older", "than"]:
        return "until"
    return "until" if before[-1] == "by" else None


def note_periods(reading: Reading) -> None:
    """Find what recurs (daily, every month, twice a year), weekdays, seasons and days told from now (next year)."""
    words = reading.words
    for i, word in enumerate(words):
        if reading.taken[word.start]:
            continue
        low, following = word.low, reading.low(i + 1)
        if low in _PERIODS:
            reading.note("date", "period", _PERIODS[low], word.start, word.end)
        elif low in _WEEKDAYS and (len(low) > 3 or word.text[0].isupper()) and not (low in ("sun", "sat", "mon") and word.initial):
            reading.note("date", "weekday", _WEEKDAYS[low], word.start, word.end)
        elif low in _DAYS:
            reading.note("date", "relative", (_DAYS[low], "day"), word.start, word.end)
        elif low in _SEASONS:
            reading.note("date", "season", low, word.start, word.end)
        elif low in ("every", "each", "per", "once", "a", "an", "/") and following in _SPANS:
            if not _is_rate(reading, i) and (low in ("every", "each", "per") or _recurs(reading, i)):
                reading.note("date", "period", _SPANS[following], word.start, words[i + 1].end)
        elif low in _ENDS and reading.low(i + 2) in _SPANS and following not in FUNCTION_WORDS:
            # The first three months, the last 14 days: the number is read as a quantity.
            reading.note("date", "relative", (_ENDS[low], _SPANS[reading.low(i + 2)]), word.start, word.end)
        elif low in _RELATIVE and following in _SPANS:
            reading.note("date", "relative", (_RELATIVE[low], _SPANS[following]), word.start, words[i + 1].end)
        elif low == "of" and following == "the" and reading.low(i + 2) in _SPANS:
            reading.note("date", "part of", _SPANS[reading.low(i + 2)], words[i + 1].start, words[i + 2].end)


def _is_rate(reading: Reading, i: int) -> bool:
    """Whether "per minute" belongs to a unit: 60 litres per minute."""
    if i < 2:
        return False
    word, number = reading.words[i - 1], reading.words[i - 2].low
    return (number[0].isdigit() or number in _COUNTERS) and word.low not in _SPANS and unit_named(word.text, True) is not None


def _recurs(reading: Reading, i: int) -> bool:
    """Whether "a year" says how often: 20 days a year, once a day, 12 euros per seat a month."""
    before = reading.low(i - 1)
    if before in ("once", "twice", "times"):
        return True
    if before in _NO_PERIOD_AFTER or i == 0 or not before[:1].isalnum():
        return False
    # In "20 days of leave a year" the number stands a few words before.
    first = max((j + 1 for j in range(max(0, i - 6), i) if reading.low(j) in (":", ";", ".", ",")), default=max(0, i - 6))
    numbers = (reading.words[j] for j in range(first, i) if not reading.taken[reading.words[j].start])
    return any(word.low[0].isdigit() or word.low in _COUNTERS for word in numbers)


_COUNTERS = vocabulary(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred half quarter percent"
)
