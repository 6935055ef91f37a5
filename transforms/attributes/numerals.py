"""Read numbers, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from transforms.attributes.lists import word_list
from transforms.attributes.record import Word

_ONES = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {word: 10 * (2 + i) for i, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"))}
_SCALES = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
    "mn": 1_000_000,
    "bn": 1_000_000_000,
}
_TIMES = {"twice": 2.0, "thrice": 3.0}
_FRACTIONS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "eighth": 1 / 8, "tenth": 1 / 10}
_PLURAL_FRACTIONS = {"halves": 1 / 2, "thirds": 1 / 3, "quarters": 1 / 4, "fifths": 1 / 5, "eighths": 1 / 8, "tenths": 1 / 10}
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
ORDINALS = {
    word: value
    for value, word in enumerate(
        word_list(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        ),
        1,
    )
}
_GROUPS = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?\Z")
_LONGEST = 18
START_WORDS = (
    frozenset(_ONES) | _TENS.keys() | _FRACTIONS.keys() | _TIMES.keys() | {"a", "an", "hundred", "dozen", "thousand", "million"}
)


class Number(NamedTuple):
    """A number read from words[i:end]; `share` where it is a fraction of something."""

    value: float
    end: int
    share: bool = False


def digits(text: str) -> float | None:
    """Read digits with grouping commas and a decimal point; None where they are no number (1.2.3).

    >>> digits("1,200.5"), digits("12,00,000"), digits("3,2"), digits("1.2.3")
    (1200.5, 1200000.0, 3.2, None)
    """
    if len(text) > _LONGEST:
        return None
    plain = text.replace(",", "") if _GROUPS.match(text) else text.replace(",", ".")
    return float(plain) if plain.isascii() and plain.count(".") <= 1 else None


def read_number(words: Sequence[Word], i: int) -> Number | None:
    """Read the number that begins at words[i], None where none does.

    >>> from transforms.attributes.record import read_words
    >>> [read_number(read_words(text).words, 0) for text in ("twenty-five days", "two and a half hours", "a dozen")]
    [Number(value=25.0, end=3, share=False), Number(value=2.5, end=4, share=False), Number(value=12.0, end=2, share=False)]
    """
    low = words[i].low
    if low[0].isdigit():
        value = digits(low)
        if value is None or (divisor := _divisor(words, i)) is None:
            return None if value is None else _scaled(words, value, i + 1)
        return Number(value / divisor, i + 3, True) if value < divisor else None
    if low in _VULGAR:
        return Number(_VULGAR[low], i + 1)
    if low in _TIMES:
        return Number(_TIMES[low], i + 1)
    if low in ("a", "an"):
        return _after_article(words, i)
    if low == "half":
        # Half an hour, half a year; half of the users is a share.
        return Number(0.5, i + 2) if _low(words, i + 1) in ("a", "an") else Number(0.5, i + 1, True)
    spelled = _spelled(words, i)
    return None if spelled is None else _with_fraction(words, *spelled)


def _divisor(words: Sequence[Word], i: int) -> float | None:
    """The lower number of a fraction in digits: 3/4, not 24/7 or a date."""
    if _low(words, i + 1) != "/" or words[i + 1].start != words[i].end or not _low(words, i + 2).isdigit():
        return None
    return digits(words[i + 2].low) if words[i + 2].start == words[i + 1].end else None


def _low(words: Sequence[Word], i: int) -> str:
    return words[i].low if i < len(words) else ""


def _after_article(words: Sequence[Word], i: int) -> Number | None:
    following = _low(words, i + 1)
    if following in _SCALES and following not in ("mn", "bn"):
        return _scaled(words, 1.0, i + 1)
    if following in _FRACTIONS:
        if _low(words, i + 2) == "of" and _low(words, i + 3) in ("a", "an"):
            return Number(_FRACTIONS[following], i + 4)
        return Number(_FRACTIONS[following], i + 2, True)
    return None


def _spelled(words: Sequence[Word], i: int) -> tuple[float, int] | None:
    """Two hundred and forty-five: each word adds, each scale multiplies what stands since the last larger one."""
    total, current, end = 0.0, 0.0, i
    while end < len(words):
        low = words[end].low
        if low in _ONES:
            current += _ONES[low]
        elif low in _TENS:
            current += _TENS[low]
        elif low in _SCALES and end > i:
            current = (current or 1) * _SCALES[low]
            if _SCALES[low] >= 1000:
                total, current = total + current, 0.0
        elif not _joins(words, i, end):
            break
        end += 1
    return None if end == i else (total + current, end)


def _joins(words: Sequence[Word], first: int, i: int) -> bool:
    """Whether a hyphen or "and" goes on with the number: twenty-five, two hundred and six."""
    if i == first:
        return False
    before, following = words[i - 1].low, _low(words, i + 1)
    if words[i].low == "-":
        return before in _TENS and following in _ONES
    return words[i].low == "and" and before in ("hundred", "thousand") and (following in _ONES or following in _TENS)


def _scaled(words: Sequence[Word], value: float, end: int) -> Number:
    if _low(words, end) == "k" and words[end].start == words[end - 1].end:
        return Number(value * 1000, end + 1)
    while _low(words, end) in _SCALES:
        value *= _SCALES[words[end].low]
        end += 1
    if _low(words, end) in _VULGAR and words[end].start == words[end - 1].end:
        return Number(value + _VULGAR[words[end].low], end + 1)
    return _with_fraction(words, value, end)


def _with_fraction(words: Sequence[Word], value: float, end: int) -> Number:
    """Two and a half; two thirds, which is a share."""
    if _low(words, end) == "and" and _low(words, end + 1) in ("a", "one") and _low(words, end + 2) in _FRACTIONS:
        return Number(value + _FRACTIONS[words[end + 2].low], end + 3)
    joint = end + 1 if _low(words, end) == "-" else end
    plural = _PLURAL_FRACTIONS.get(_low(words, joint)) or (_FRACTIONS.get(_low(words, joint)) if value == 1 else None)
    return Number(value * plural, joint + 1, True) if plural and value < 20 else Number(value, end)
