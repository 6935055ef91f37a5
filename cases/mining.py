"""Tell a near miss: two sentences alike word by word but for one attribute, or for one and the value that it governs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from cases.mutations.record import words as word_list

# Flags, names with joints (us-east-1, read_only, 10:30) and grouped numbers are one token; so are addresses.
_TOKEN = re.compile(r"(?:https?://|www\.)\S+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|--?[A-Za-z][\w-]*|[\w$]+(?:[-_.'’/:@+]+\w+)*|[^\w\s]")
# Words that change nothing, on one side or the other.
_IDLE = frozenset((*word_list("a an the then also thus please that"), *", ; : \" ' “ ” ‘ ’ . ! ( ) * `"))
# What a verb takes with it when it is denied, or bound otherwise: applies, does not apply; must be, is.
_AUXILIARIES = frozenset(word_list("be is are been being do does did have has had to of it with ever being able"))
_PAST, _PRESENT = frozenset(word_list("was were did had")), frozenset(word_list("is are am do does has have"))
# Numbers behind these name a place in a text, an entry, a call: no fact.
_REFERENCES = frozenset(
    word_list(
        """section sections sect chapter figure fig table page pages pp p line lines step appendix note notes item bug bugs issue
        issues ticket closes fixes pr rfc cve article art paragraph clause annex footnote ref refs reference example # § no nr id
        isbn issn doi equation eq question q vol volume part listing exercise commit revision rev lecture slide"""
    )
)
_BIND = frozenset({"scope", "entity", "date"})
_GOVERNED = frozenset({"quantity", "date"})
_NAMED = frozenset({"scope", "entity"})
_WORDED = ("polarity", "modality", "aggregation")
_CLAUSES = frozenset({"condition", "exception"})
_LONGEST_CLAUSE = 16


class Mention(NamedTuple):
    """An attribute that a sentence states at characters [start, end); equal values say the same."""

    family: str
    attribute: str
    start: int
    end: int
    value: object


class Statement(NamedTuple):
    """A sentence with all that it states, in the order of the text."""

    text: str
    mentions: tuple[Mention, ...]


class Difference(NamedTuple):
    """One attribute in which two sentences differ, with its words on either side."""

    family: str
    attribute: str
    words: tuple[str, str]


class _Segment(NamedTuple):
    """Tokens [start, end) of either side that stand against each other."""

    starts: tuple[int, int]
    ends: tuple[int, int]


class _Side(NamedTuple):
    """A statement in tokens."""

    statement: Statement
    spans: list[tuple[int, int]]
    lows: list[str]

    def within(self, first: int, last: int) -> list[Mention]:
        """The mentions that touch tokens [first, last)."""
        if first >= last:
            return []
        start, end = self.spans[first][0], self.spans[last - 1][1]
        return [one for one in self.statement.mentions if one.start < end and one.end > start]

    def words(self, first: int, last: int) -> str:
        return self.statement.text[self.spans[first][0] : self.spans[last - 1][1]] if first < last else ""


Agree = Callable[[str, str], bool]


def tokens(text: str) -> list[tuple[int, int]]:
    """Bounds of the words, numbers, names and signs of a text.

    >>> [text[start:end] for text in ["Use --all in us-east-1."] for start, end in tokens(text)]
    ['Use', '--all', 'in', 'us-east-1', '.']
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def similarity(one: str, other: str) -> float:
    """The share of words that two sentences have in common, in order, from 0 to 1.

    >>> similarity("Logs are kept for 30 days.", "Logs are kept for 7 days.")
    0.8571
    """
    ours, theirs = _lows(one, tokens(one)), _lows(other, tokens(other))
    shared = sum(block.size for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks())
    return round(2 * shared / (len(ours) + len(theirs)), 4)


def near_miss(one: Statement, other: Statement, agree: Agree) -> tuple[Difference, ...] | None:
    """Name the attribute in which two sentences differ, or the one that governs and the value that it governs, in this order.

    None where they differ in anything else, in more, or only in how they say the same; `agree(one, other)` tells whether what the
    first of two short texts states is what the second states, in other words.
    """
    sides = (_side(one), _side(other))
    found: list[Difference] = []
    for segment in _segments(sides):
        difference = _difference(sides, segment, agree)
        if difference is None:
            return None
        found.append(difference)
    if len({difference.words for difference in found}) == 1:
        return (found[0],)
    found.sort(key=lambda difference: difference.family == "quantity" or difference.family not in _BIND)
    governs = len(found) == 2 and found[0].family in _BIND and found[1].family in _GOVERNED
    return tuple(found) if governs and found[0].attribute != found[1].attribute else None


def changed_words(one: str, other: str) -> tuple[str, str]:
    """The words in which two texts differ, from the first to the last; with a neighbour where one side has none.

    >>> changed_words("Refunds are paid.", "Refunds are not paid.")
    ('are', 'are not')
    """
    sides = (_side(Statement(one, ())), _side(Statement(other, ())))
    changed = list(_changed(sides))
    if not changed:
        return one, other
    return _quoted(sides, _Segment(changed[0].starts, changed[-1].ends))


# --- where they differ ------------------------------------------------------------------------------------------------------------


def _side(statement: Statement) -> _Side:
    spans = tokens(statement.text)
    return _Side(statement, spans, _lows(statement.text, spans))


def _lows(text: str, spans: list[tuple[int, int]]) -> list[str]:
    # The case of a flag is no matter of style: -e is not -E.
    words = (text[start:end].replace("’", "'") for start, end in spans)
    return [word if word[0] == "-" else word.casefold() for word in words]


def _changed(sides: tuple[_Side, _Side]) -> Iterator[_Segment]:
    matcher = SequenceMatcher(None, sides[0].lows, sides[1].lows, autojunk=False)
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal":
            yield _Segment((a0, b0), (a1, b1))


def _segments(sides: tuple[_Side, _Side]) -> list[_Segment]:
    """The differences that matter, widened to the mentions that they lie in; those of one mention are one."""
    widened: list[_Segment] = []
    for segment in _changed(sides):
        if not any(_telling(side, segment, k) for k, side in enumerate(sides)):
            continue
        segment = _widen(sides, segment)
        while widened and any(segment.starts[k] < widened[-1].ends[k] for k in (0, 1)):
            last = widened.pop()
            starts = (min(segment.starts[0], last.starts[0]), min(segment.starts[1], last.starts[1]))
            segment = _widen(sides, _Segment(starts, (max(segment.ends[0], last.ends[0]), max(segment.ends[1], last.ends[1]))))
        widened.append(segment)
    return widened


def _telling(side: _Side, segment: _Segment, k: int) -> list[int]:
    """The tokens of a segment that change something."""
    return [i for i in range(segment.starts[k], segment.ends[k]) if side.lows[i] not in _IDLE]


def _widen(sides: tuple[_Side, _Side], segment: _Segment) -> _Segment:
    """Take in the rest of every mention that the segment cuts, on both sides alike: what is added is equal there."""
    while True:
        before, behind = (max(reach) for reach in zip(*(_reach(side, segment, k) for k, side in enumerate(sides)), strict=True))
        if not before and not behind:
            return segment
        (a0, b0), (a1, b1) = segment
        before = min(before, a0, b0)
        behind = min(behind, len(sides[0].lows) - a1, len(sides[1].lows) - b1)
        wider = _Segment((a0 - before, b0 - before), (a1 + behind, b1 + behind))
        if wider == segment:
            return segment
        segment = wider


def _reach(side: _Side, segment: _Segment, k: int) -> tuple[int, int]:
    """How many tokens the mentions in a segment reach beyond it, before and behind."""
    first, last = segment.starts[k], segment.ends[k]
    held = [one for one in side.within(first, last) if one.family not in _WORDED]
    before = sum(1 for start, end in side.spans[:first] if any(one.start < end and start < one.end for one in held))
    behind = sum(1 for start, end in side.spans[last:] if any(one.start < end and start < one.end for one in held))
    return before, behind


# --- in what they differ ----------------------------------------------------------------------------------------------------------


def _difference(sides: tuple[_Side, _Side], segment: _Segment, agree: Agree) -> Difference | None:
    """The attribute in which a segment differs, None where it is none or says the same."""
    if _is_reference(sides[0], segment):
        return None
    found = _clause(sides, segment) or _worded(sides, segment)
    return found or _stated(sides, segment, agree)


def _is_reference(side: _Side, segment: _Segment) -> bool:
    start = segment.starts[0]
    before = [low for low in side.lows[max(0, start - 2) : start] if low not in ('"', "'", "`", "the", ":")]
    ticket = re.fullmatch(r"[a-z]+-\d{3,}", side.lows[start]) if start < len(side.lows) else None
    if ticket and side.lows[start + 1 : start + 2] == [":"]:
        return True
    return bool(before) and (before[-1].rstrip(".") in _REFERENCES or side.lows[start - 1] in ("[", "#"))


def _stated(sides: tuple[_Side, _Side], segment: _Segment, agree: Agree) -> Difference | None:
    """A value, date, scope or name against another."""
    one, other = (_only(side, segment, k) for k, side in enumerate(sides))
    if one is None or other is None or one.value == other.value:
        return None
    quoted = tuple(side.statement.text[mention.start : mention.end] for side, mention in zip(sides, (one, other), strict=True))
    families = {one.family, other.family}
    if families == {"scope", "entity"}:
        one = other = next(mention for mention in (one, other) if mention.family == "entity")
    elif len(families) > 1:
        return None
    if one.family in _NAMED and is_alias(*quoted):
        return None
    windows = [_window(side, segment, k) for k, side in enumerate(sides)]
    if families != {"entity"} and len(families) == 1 and (agree(*windows) or agree(*reversed(windows))):
        return None
    return Difference(one.family, _unit_or(one.attribute, *quoted), (quoted[0], quoted[1]))


def _only(side: _Side, segment: _Segment, k: int) -> Mention | None:
    """The one mention that holds every telling token of a segment."""
    held = [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family not in _WORDED]
    whole = len(held) == 1 and all(
        held[0].start <= side.spans[i][0] and side.spans[i][1] <= held[0].end for i in _telling(side, segment, k)
    )
    return held[0] if whole else None


def _window(side: _Side, segment: _Segment, k: int) -> str:
    """A segment with two words before it and three behind: what a number counts, how a date bounds."""
    return side.words(max(0, segment.starts[k] - 2), min(len(side.lows), segment.ends[k] + 3))


def _unit_or(attribute: str, one: str, other: str) -> str:
    """`unit` where only the unit of a value differs."""
    numbers = [re.findall(r"\d[\d.,]*", words) for words in (one, other)]
    return "unit" if attribute == "value" and numbers[0] and numbers[0] == numbers[1] else attribute


def is_alias(one: str, other: str) -> bool:
    """Whether two names may name the same: by part of the words, by initials, by another spelling.

    >>> is_alias("Debian", "Debian GNU"), is_alias("WHO", "World Health Organization"), is_alias("Lisbon", "Porto")
    (True, True, False)
    """
    ours, theirs = (
        [part.removesuffix("'s").removesuffix("s") for part in re.findall(r"[\w']+", name.lower())] for name in (one, other)
    )
    if not ours or not theirs or set(ours) <= set(theirs) or set(theirs) <= set(ours):
        return True
    if "".join(ours) == "".join(theirs) or any(
        "".join(part[:1] for part in many) == "".join(few) for many, few in ((ours, theirs), (theirs, ours))
    ):
        return True
    short, long = sorted(("".join(ours), "".join(theirs)), key=len)
    if any(letter.isdigit() for letter in one + other):
        return False
    return (long.startswith(short) and len(long) <= len(short) + 3) or SequenceMatcher(None, short, long).ratio() > 0.84


def _worded(sides: tuple[_Side, _Side], segment: _Segment) -> Difference | None:
    """A denial, a modal or a quantifier against another or none; what else changes belongs to the verb."""
    signs = [_signs(side, segment, k) for k, side in enumerate(sides)]
    families = [family for family in _WORDED if signs[0].get(family) != signs[1].get(family)]
    if families == ["polarity", "modality"] and all("direction" in _attributes(side, segment, k) for k, side in enumerate(sides)):
        families.pop()  # Allowed against forbidden.
    if len(families) != 1 or not all(_is_bare(sides, segment, k) for k in (0, 1)) or _changes_time(sides, segment):
        return None
    if _is_manner(families[0], sides, segment):
        return None
    held = [one for k, side in enumerate(sides) for one in side.within(segment.starts[k], segment.ends[k])]
    attribute = next(one.attribute for one in held if one.family == families[0])
    return Difference(families[0], attribute, _quoted(sides, segment))


def _attributes(side: _Side, segment: _Segment, k: int) -> set[str]:
    return {one.attribute for one in side.within(segment.starts[k], segment.ends[k])}


def _is_manner(family: str, sides: tuple[_Side, _Side], segment: _Segment) -> bool:
    """Whether a difference in words is none in what is said: it does, will or must return; users, all users; added functions."""
    held = [
        [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family == family] for k, side in enumerate(sides)
    ]
    told = [{side.statement.text[one.start : one.end].lower() for one in ours} for side, ours in zip(sides, held, strict=True)]
    if family == "polarity":
        return ["direction" in {one.attribute for one in ours} for ours in held] in ([True, False], [False, True])
    loose = {"will", "must", "shall"} if family == "modality" else {"all", "every", "each", "any"}
    return all(words <= loose for words in told) and ("will" in told[0] | told[1] or family == "aggregation")


def _signs(side: _Side, segment: _Segment, k: int) -> dict[str, tuple[object, ...]]:
    signs: dict[str, tuple[object, ...]] = {}
    for one in side.within(segment.starts[k], segment.ends[k]):
        if one.family in _WORDED:
            signs[one.family] = (*signs.get(one.family, ()), one.value)
    return signs


def _is_bare(sides: tuple[_Side, _Side], segment: _Segment, k: int) -> bool:
    """Whether a side of a segment holds nothing but words of these families, auxiliaries and forms of the other's verb."""
    side, across = sides[k], sides[1 - k]
    held = [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family in _WORDED]
    theirs = across.lows[segment.starts[1 - k] : segment.ends[1 - k]]
    return all(
        side.lows[i] in _AUXILIARIES | _PAST
        or any(one.start <= side.spans[i][0] and side.spans[i][1] <= one.end for one in held)
        or any(_same_verb(side.lows[i], low) for low in theirs)
        for i in _telling(side, segment, k)
    )


def _same_verb(one: str, other: str) -> bool:
    """Apply and applies, keep and kept: the same first letters."""
    size = max(3, min(len(one), len(other)) - 2)
    return one.isalpha() and other.isalpha() and one[:size] == other[:size]


def _changes_time(sides: tuple[_Side, _Side], segment: _Segment) -> bool:
    told = [set(side.lows[segment.starts[k] : segment.ends[k]]) for k, side in enumerate(sides)]
    return any(one & _PAST and other & _PRESENT for one, other in (told, told[::-1]))


def _clause(sides: tuple[_Side, _Side], segment: _Segment) -> Difference | None:
    """A condition or an exception that one side has and the other lacks."""
    empty = [k for k, side in enumerate(sides) if not _telling(side, segment, k)]
    if len(empty) != 1:
        return None
    k = 1 - empty[0]
    side, telling = sides[k], _telling(sides[k], segment, k)
    opening = next((one for one in side.within(telling[0], telling[0] + 1) if one.attribute in _CLAUSES), None)
    ends = segment.ends[k] >= len(side.lows) - 1 or "," in side.lows[segment.ends[k] - 1 : segment.ends[k] + 1]
    if opening is None or not ends or not 3 <= len(telling) <= _LONGEST_CLAUSE:
        return None
    return Difference("modality", opening.attribute, _quoted(sides, segment))


def _quoted(sides: Sequence[_Side], segment: _Segment) -> tuple[str, str]:
    """The words of a segment, with the word before it, or behind, where one side would have none."""
    (a0, b0), (a1, b1) = segment
    if any(not any(low[0].isalnum() for low in side.lows[segment.starts[k] : segment.ends[k]]) for k, side in enumerate(sides)):
        if a0 and b0 and sides[0].lows[a0 - 1][0].isalnum():
            a0, b0 = a0 - 1, b0 - 1
        else:
            a1, b1 = min(a1 + 1, len(sides[0].lows)), min(b1 + 1, len(sides[1].lows))
    return sides[0].words(a0, a1), sides[1].words(b0, b1)
