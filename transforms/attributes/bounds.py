"""Words that bound a number: at least, up to, more than, or longer."""

from __future__ import annotations

from transforms.attributes.record import Reading

# What stands in front of a number and bounds it, longest first; and what stands behind it.
_BEFORE = (
    (("no", "more", "than"), "<="),
    (("not", "more", "than"), "<="),
    (("no", "longer", "than"), "<="),
    (("no", "later", "than"), "<="),
    (("no", "less", "than"), ">="),
    (("no", "fewer", "than"), ">="),
    (("not", "less", "than"), ">="),
    (("a", "maximum", "of"), "<="),
    (("a", "minimum", "of"), ">="),
    (("at", "least"), ">="),
    (("minimum", "of"), ">="),
    (("at", "most"), "<="),
    (("up", "to"), "<="),
    (("maximum", "of"), "<="),
    (("more", "than"), ">"),
    (("greater", "than"), ">"),
    (("larger", "than"), ">"),
    (("longer", "than"), ">"),
    (("older", "than"), ">"),
    (("higher", "than"), ">"),
    (("less", "than"), "<"),
    (("fewer", "than"), "<"),
    (("lower", "than"), "<"),
    (("smaller", "than"), "<"),
    (("shorter", "than"), "<"),
    (("over",), ">"),
    (("above",), ">"),
    (("exceeding",), ">"),
    (("exceeds",), ">"),
    (("under",), "<"),
    (("below",), "<"),
    (("within",), "within"),
    (("about",), "~"),
    (("around",), "~"),
    (("approximately",), "~"),
    (("roughly",), "~"),
    (("nearly",), "~"),
    (("almost",), "~"),
)
_BEFORE_BY_LAST: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _words, _relation in _BEFORE:
    _BEFORE_BY_LAST.setdefault(_words[-1], []).append((_words, _relation))
_BEHIND = (
    (("or", "more"), ">="),
    (("or", "longer"), ">="),
    (("or", "above"), ">="),
    (("and", "above"), ">="),
    (("or", "less"), "<="),
    (("or", "fewer"), "<="),
    (("or", "below"), "<="),
    (("at", "most"), "<="),
    (("at", "the", "most"), "<="),
    (("at", "the", "very", "most"), "<="),
    (("at", "the", "latest"), "<="),
    (("at", "least"), ">="),
)
_BEHIND_FIRST = frozenset(words[0] for words, _ in _BEHIND)


def bound_before(reading: Reading, i: int) -> tuple[int, str | None]:
    """Where the words that bound the number at i begin, and how they bound it."""
    if reading.low(i - 1) == "the" or (reading.low(i - 1) == "over" and reading.words[i - 1].initial):
        return i, None
    for words, relation in _BEFORE_BY_LAST.get(reading.low(i - 1), ()):
        first = i - len(words)
        if first >= 0 and all(reading.low(first + k) == word for k, word in enumerate(words)):
            return (first, relation) if reading.free(reading.words[first].start, reading.words[i - 1].end) else (i, None)
    return i, None


def bound_behind(reading: Reading, end: int) -> tuple[str | None, int]:
    if reading.low(end) not in _BEHIND_FIRST:
        return None, end
    for words, relation in _BEHIND:
        if all(reading.low(end + k) == word for k, word in enumerate(words)):
            return relation, end + len(words)
    return None, end
