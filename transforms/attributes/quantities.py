"""Read quantities: measures, money, percentages, ratios, counts, with their bounds and ranges."""

from __future__ import annotations

from typing import NamedTuple

from transforms.attributes.amounts import Amount
from transforms.attributes.bounds import bound_before, bound_behind
from transforms.attributes.numerals import ORDINALS, START_WORDS, Number, read_number
from transforms.attributes.record import FUNCTION_WORDS, Reading, stem
from transforms.attributes.units import TIME_WORDS, unit, unit_named

_CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_CURRENCY_WORDS = {
    form: code
    for code, forms in {
        "USD": "usd dollar dollars us$",
        "EUR": "eur euro euros",
        "GBP": "gbp sterling",
        "CHF": "chf franc francs",
        "JPY": "jpy yen",
        "INR": "inr rupee rupees",
        "CNY": "cny yuan renminbi",
        "SEK": "sek kronor",
        "CENT": "cent cents",
    }.items()
    for form in forms.split()
}
_SHORT_SCALES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000, "bn": 1_000_000_000, "mn": 1_000_000}
# Before these, "one" is a pronoun, no number.
_PRONOUN_BEFORE = frozenset({"no", "any", "every", "each", "this", "that", "which", "only", "another", "the", "some"})
_ORDINAL_ENDS = frozenset({"st", "nd", "rd", "th"})
# What twice and four times count.
TIMES = (stem("times"),)
_NO_NOUN = FUNCTION_WORDS | {"percent", "-", ",", "."}


_PLURAL_TIMES = frozenset({"days", "weeks", "months", "years", "hours", "nights"})


_BEGINNINGS = START_WORDS | ORDINALS.keys() | _CURRENCY_SIGNS.keys() | _CURRENCY_WORDS.keys() | frozenset("½¼¾⅓⅔")


class _Span(NamedTuple):
    """A number as read: its unit, factor, and where its words end."""

    unit: str
    factor: float
    offset: float
    system: str
    end: int


def note_quantities(reading: Reading) -> None:
    """Find every number that is neither a date, a version nor part of a name."""
    i, words = 0, reading.words
    while i < len(words):
        word = words[i]
        begins = word.low[0].isdigit() or word.low in _BEGINNINGS
        i = max(i + 1, _note_quantity(reading, i)) if begins and not reading.taken[word.start] else i + 1


def _note_quantity(reading: Reading, i: int) -> int:
    """Record the quantity that begins at word i, and say where reading goes on."""
    words, start = reading.words, i
    currency = _CURRENCY_SIGNS.get(words[i].low) or (_CURRENCY_WORDS.get(words[i].low) if words[i].text.isupper() else None)
    if currency is not None:
        i += 1
        if i >= len(words) or not words[i].low[0].isdigit():
            return i
    number = read_number(words, i)
    if number is None:
        return _note_article(reading, i) if words[i].low in ("a", "an") else _note_ordinal(reading, i)
    if reading.low(number.end) in _ORDINAL_ENDS and words[number.end].start == words[number.end - 1].end:
        return _record_ordinal(reading, i, number.end, number.value)
    if not reading.free(words[i].start, words[number.end - 1].end) or _is_part_of_name(reading, i):
        return number.end
    second = _second(reading, number, i)
    last = second or number
    span = (
        _money(reading, last, currency) or _share(reading, last) or _measure(reading, last.end, _is_numeral(reading, last.end - 1))
    )
    value, high = number.value, last.value
    if _is_below_zero(reading, start):
        start, value, high = start - 1, -value, -high if second is None else high
    relation = "=" if second is None else "range"
    if span is not None:
        return _record_measure(reading, start, (value, high), span, relation)
    if second is None and (ratio := _ratio(reading, number)) is not None:
        return _record(reading, start, Amount("=", ratio[0], ratio[0], ratio[2]), ratio[1])
    return _record_count(reading, (start, i), (value, high), last.end, relation)


def _record_measure(reading: Reading, start: int, values: tuple[float, float], span: _Span, relation: str) -> int:
    if (reading.low(span.end), reading.low(span.end + 1), reading.low(span.end + 2)) == ("and", "a", "half"):
        # A year and a half.
        values, span = (values[0] + 0.5, values[1] + 0.5), span._replace(end=span.end + 3)
    nouns = _nouns(reading, span.end + 1)[:1] if span.unit == "%" and reading.low(span.end) in ("less", "more", "fewer") else ()
    low, high = sorted(value * span.factor + span.offset for value in values)
    return _record(reading, start, Amount(relation, low, high, span.unit, nouns, span.system), span.end)


def _record_count(reading: Reading, places: tuple[int, int], values: tuple[float, float], end: int, relation: str) -> int:
    """Record a bare number with what it counts; `places` are where its words begin, with and without a sign."""
    start, i = places
    low = reading.low(i)
    if low == "one" and (reading.low(i - 1) in _PRONOUN_BEFORE or reading.low(i + 1) in ("of", "another", "'s", "")):
        return end
    if low in ("twice", "thrice"):
        return _record(reading, start, Amount(relation, *values, "number", TIMES), end)
    nouns = _nouns(reading, end)
    return _record(reading, start, Amount(relation, *values, "number", nouns), end, end + len(nouns))


def _record_ordinal(reading: Reading, i: int, last: int, value: float) -> int:
    words, nouns = reading.words, _nouns(reading, last + 1)[:1]
    if nouns:
        reading.note("quantity", "ordinal", Amount("=", value, value, "ordinal", nouns), words[i].start, words[last].end)
    return last + 1


def _record(reading: Reading, start: int, amount: Amount, end: int, shown: int = 0) -> int:
    """Record an amount with what bounds it; its words reach to `shown` where they name what is counted, which stays free."""
    words = reading.words
    first, relation = bound_before(reading, start)
    if relation is None or relation in ("~", "within"):
        behind, end_behind = bound_behind(reading, end)
        relation, end = behind or relation, end_behind
    if relation and amount.relation == "=":
        amount = amount._replace(relation=relation)
    start_at, end_at = words[first].start, words[end - 1].end
    reading.taken[start_at:end_at] = b"\x01" * (end_at - start_at)
    reading.note("quantity", _kind(amount), amount, start_at, words[max(end, shown) - 1].end, take=False)
    return end


def _is_below_zero(reading: Reading, i: int) -> bool:
    words = reading.words
    if i == 0 or words[i - 1].low not in ("minus", "-", "−") or (i > 1 and words[i - 1].start == words[i - 2].end):
        return False
    return words[i - 1].low == "minus" or words[i - 1].end == words[i].start


def _kind(amount: Amount) -> str:
    if amount.unit in ("number", "ordinal", "ratio", "points"):
        return {"number": "count"}.get(amount.unit, amount.unit)
    if amount.unit == "%":
        return "percentage"
    return "money" if len(amount.unit) in (3, 4) and amount.unit.isupper() else "measure"


def _is_numeral(reading: Reading, i: int) -> bool:
    return reading.words[i].low[0].isdigit()


def _is_part_of_name(reading: Reading, i: int) -> bool:
    """Digits glued to letters or hyphens are names: COVID-19, 32-bit is a measure all the same."""
    start = reading.words[i].start
    if not _is_numeral(reading, i) or start == 0:
        return False
    before = reading.text[start - 1]
    if before in "-–" and start > 1:
        return reading.text[start - 2].isalpha()
    return (before.isalpha() and before not in "$€£¥₹") or before in "#_"


def _second(reading: Reading, number: Number, i: int) -> Number | None:
    """The upper end of a range: 5-10, 5 to 10, between 5 and 10, from 40 W to 12 W."""
    words, end = reading.words, number.end
    joint = reading.low(end)
    between = reading.low(i - 1) in ("between", "from")
    if between and (name := _unit_at(reading, end, True)) is not None and reading.low(end + 1) in ("and", "to"):
        second = read_number(words, end + 2) if end + 2 < len(words) else None
        return second if second and _unit_at(reading, second.end, True) == name else None
    if end + 1 >= len(words) or not (joint in ("-", "–", "—", "to") or (joint == "and" and reading.low(i - 1) == "between")):
        return None
    if joint == "to" and not (between or _is_numeral(reading, end + 1) or words[end + 1].low in START_WORDS - {"a", "an", "half"}):
        return None
    second = read_number(words, end + 1)
    if second is None or not reading.free(words[end + 1].start, words[second.end - 1].end):
        return None
    return second if not second.share and (joint not in "-–—" or _is_numeral(reading, end + 1)) else None


def _unit_at(reading: Reading, i: int, behind_numeral: bool) -> str | None:
    return unit_named(reading.words[i].text, behind_numeral) if i < len(reading.words) else None


def _money(reading: Reading, number: Number, currency: str | None) -> _Span | None:
    following = reading.low(number.end)
    if currency is not None:
        glued = number.end < len(reading.words) and reading.words[number.end].start == reading.words[number.end - 1].end
        scale = _SHORT_SCALES.get(following, 1) if glued else 1
        return _Span(currency, scale, 0.0, "metric", number.end + (scale > 1))
    i = number.end + (following == "us" and reading.low(number.end + 1) in ("dollar", "dollars"))
    code = _CURRENCY_WORDS.get(reading.low(i)) or _CURRENCY_SIGNS.get(reading.low(i))
    return None if code is None or number.share else _Span(code, 1.0, 0.0, "metric", i + 1)


def _share(reading: Reading, number: Number) -> _Span | None:
    """Percentages, and fractions as such: a tenth is 10 percent; percentage points are another thing."""
    i, following = number.end, reading.low(number.end)
    if following == "-":
        i, following = i + 1, reading.low(i + 1)
    if following in ("%", "percent", "pct") or (following == "per" and reading.low(i + 1) == "cent"):
        end = i + (2 if following == "per" else 1)
        return (
            _Span("points", 1.0, 0.0, "metric", end + 1)
            if reading.low(end) in ("points", "point")
            else _Span("%", 1.0, 0.0, "metric", end)
        )
    if following == "percentage" and reading.low(i + 1) in ("points", "point"):
        return _Span("points", 1.0, 0.0, "metric", i + 2)
    return _Span("%", 100.0, 0.0, "metric", number.end) if number.share else None


def _measure(reading: Reading, i: int, behind_numeral: bool) -> _Span | None:
    """The unit at word i, with the unit of its rate: litres per minute, km/h."""
    if reading.low(i) == "-":
        i += 1
    if reading.low(i) in ("working", "business", "calendar") and reading.low(i + 1) in TIME_WORDS:
        prefix = reading.low(i) if reading.low(i) != "calendar" else ""
        name, end = _unit_at(reading, i + 1, False), i + 2
        found = unit(str(name))
        # A working day is no day, and its hours are none of the clock.
        kind = f"working {name}" if prefix else found.base
        return _Span(kind, 1.0 if prefix else found.factor, 0.0, found.system, end)
    if reading.low(i) == "°":
        scale = {"c": "degree_Celsius", "f": "degree_Fahrenheit"}.get(reading.low(i + 1), "degree")
        found = unit(scale)
        return _Span(found.base, found.factor, found.offset, found.system, i + (1 if scale == "degree" else 2))
    name = _unit_at(reading, i, behind_numeral)
    if name is None and reading.low(i + 1) in _PLURAL_TIMES and reading.low(i) not in _NO_NOUN and reading.low(i)[:1].isalpha():
        # Nine rest days, five training days.
        name, i = _unit_at(reading, i + 1, False), i + 1
    if name is None:
        return None
    end = i + 1
    if name == "degree" and reading.low(end) in ("celsius", "fahrenheit", "c", "f"):
        name, end = f"degree_{'Celsius' if reading.low(end)[0] == 'c' else 'Fahrenheit'}", end + 1
    elif (rate := _rate(reading, end)) is not None and name not in ("degree", "international_unit") and unit(name).base != "second":
        name, end = f"{name}/{rate[0]}", rate[1]
    found = unit(name)
    return _Span(found.base, found.factor, found.offset, found.system, end)


def _rate(reading: Reading, i: int) -> tuple[str, int] | None:
    """The unit that a rate is per, and where its words end: per minute, in a minute, /h."""
    if reading.low(i) == "in" and reading.low(i + 1) in ("a", "an", "one", "each"):
        i += 1
    if reading.low(i) not in ("per", "/", "an", "a", "one", "each", "every") or i + 1 >= len(reading.words):
        return None
    name = unit_named(reading.words[i + 1].text, reading.low(i) == "/")
    return (name, i + 2) if name and "/" not in name and not name.startswith("deg") else None


def _ratio(reading: Reading, number: Number) -> tuple[float, int, str] | None:
    """1 in 10 and 3 out of 4, which are percentages; 3:1, which is none."""
    i, words = number.end, reading.words
    if reading.low(i) == "out" and reading.low(i + 1) == "of":
        i += 1
    elif reading.low(i) == ":":
        if not (i + 1 < len(words) and words[i].start == words[i - 1].end and words[i + 1].start == words[i].end):
            return None
    elif reading.low(i) != "in":
        return None
    if i + 1 >= len(words) or not (words[i + 1].low[0].isdigit() or words[i + 1].low in START_WORDS - {"a", "an", "half"}):
        return None
    second = read_number(words, i + 1)
    if second is None or second.value <= 0 or second.share or not reading.free(words[i + 1].start, words[second.end - 1].end):
        return None
    is_unit = unit_named(words[second.end].text, True) if second.end < len(words) else None
    if is_unit or (reading.low(i) != ":" and number.value >= second.value):
        return None
    value = number.value / second.value
    return (value, second.end, "ratio") if reading.low(i) == ":" else (100 * value, second.end, "%")


_PLURALS = frozenset({"people", "men", "women", "children", "staff"})


def _nouns(reading: Reading, i: int) -> tuple[str, ...]:
    """The stems of up to three words that a bare number counts: 10 paid seats."""
    found: list[str] = []
    while i < len(reading.words) and len(found) < 3:
        word = reading.words[i]
        if word.low == "-":
            i += 1
            continue
        if word.low in _NO_NOUN or not word.low[0].isalpha():
            break
        found.append(stem(word.low))
        i += 1
        if word.low in _PLURALS or (word.low[-1] == "s" and word.low[-2:] != "ss"):
            break
    return tuple(found)


def _note_article(reading: Reading, i: int) -> int:
    """A year, an hour, a week: one of the unit, where it is no period."""
    following = reading.low(i + 1)
    j = i + 2 if following in ("full", "whole", "single") else i + 1
    if reading.low(j) not in TIME_WORDS or not reading.free(reading.words[i].start, reading.words[j].end):
        return i + 1
    span = _measure(reading, j, False)
    if span is None or reading.low(i - 1) in ("such", "what", "once", "twice", "times"):
        return i + 1
    value = 1.0
    if (reading.low(span.end), reading.low(span.end + 1), reading.low(span.end + 2)) == ("and", "a", "half"):
        value, span = 1.5, span._replace(end=span.end + 3)
    return _record(reading, i, Amount("=", value * span.factor, value * span.factor, span.unit, (), span.system), span.end)


def _note_ordinal(reading: Reading, i: int) -> int:
    value = ORDINALS.get(reading.low(i))
    return i + 1 if value is None or value == 1 else _record_ordinal(reading, i, i, value)
