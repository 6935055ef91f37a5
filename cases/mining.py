"""Tell a near miss: two sentences alike word by word but for one attribute, or for one and the value that it governs."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import NamedTuple

from cases.alignment import SPOKEN, Mention, Segment, Side, Statement, lowered, quoted, segments, side_of, telling, tokens
from cases.mutations.record import words as word_list

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
_CLAUSES = frozenset({"condition", "exception"})
_LONGEST_CLAUSE = 16


class Difference(NamedTuple):
    """One attribute in which two sentences differ, with its words on either side."""

    family: str
    attribute: str
    words: tuple[str, str]


Agree = Callable[[str, str], bool]


def near_miss(one: Statement, other: Statement, agree: Agree) -> tuple[Difference, ...] | None:
    """Name the attribute in which two sentences differ, or the one that governs and the value that it governs, in this order.

    None where they differ in anything else, in more, or only in how they say the same; `agree(one, other)` tells whether what the
    first of two short texts states is what the second states, in other words.
    """
    sides = (side_of(one), side_of(other))
    found: list[Difference] = []
    for segment in segments(sides):
        difference = _difference(sides, segment, agree)
        if difference is None:
            return None
        found.append(difference)
    if len({difference.words for difference in found}) == 1:
        return (found[0],)
    found.sort(key=lambda difference: difference.family == "quantity" or difference.family not in _BIND)
    governs = len(found) == 2 and found[0].family in _BIND and found[1].family in _GOVERNED
    return tuple(found) if governs and found[0].attribute != found[1].attribute else None


def _difference(sides: tuple[Side, Side], segment: Segment, agree: Agree) -> Difference | None:
    """The attribute in which a segment differs, None where it is none or says the same."""
    if _is_reference(sides[0], segment):
        return None
    found = _clause(sides, segment) or _worded(sides, segment)
    return found or _stated(sides, segment, agree)


def _is_reference(side: Side, segment: Segment) -> bool:
    start = segment.starts[0]
    before = [low for low in side.lows[max(0, start - 2) : start] if low not in ('"', "'", "`", "the", ":")]
    ticket = re.fullmatch(r"[a-z]+-\d{3,}", side.lows[start]) if start < len(side.lows) else None
    if ticket and side.lows[start + 1 : start + 2] == [":"]:
        return True
    if start < segment.ends[0] and side.lows[start] in _REFERENCES:
        return True
    return bool(before) and (before[-1].rstrip(".") in _REFERENCES or side.lows[start - 1] in ("[", "#"))


def _stated(sides: tuple[Side, Side], segment: Segment, agree: Agree) -> Difference | None:
    """A value, date, scope or name against another."""
    one, other = (_only(side, segment, k) for k, side in enumerate(sides))
    if one is None or other is None or one.value == other.value:
        return None
    told = tuple(side.statement.text[mention.start : mention.end] for side, mention in zip(sides, (one, other), strict=True))
    families = {one.family, other.family}
    if families == {"scope", "entity"}:
        one = other = next(mention for mention in (one, other) if mention.family == "entity")
    elif len(families) > 1:
        return None
    if one.family in _NAMED and (is_alias(*told) or any(_stands_elsewhere(words, sides, segment) for words in told)):
        return None
    windows = [_window(side, segment, k) for k, side in enumerate(sides)]
    if families != {"entity"} and len(families) == 1 and (agree(*windows) or agree(*reversed(windows))):
        return None
    return Difference(one.family, _unit_or(one.attribute, *told), (told[0], told[1]))


def _stands_elsewhere(words: str, sides: tuple[Side, Side], segment: Segment) -> bool:
    """Whether a name stands on both sides, outside the segment: if --add is given, --add is applied first."""
    lows = lowered(words, tokens(words))
    texts = [[*side.lows[: segment.starts[k]], "", *side.lows[segment.ends[k] :]] for k, side in enumerate(sides)]
    return all(any(text[i : i + len(lows)] == lows for i in range(len(text))) for text in texts)


def _only(side: Side, segment: Segment, k: int) -> Mention | None:
    """The one mention that holds every telling token of a segment."""
    held = [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family not in SPOKEN]
    whole = len(held) == 1 and all(
        held[0].start <= side.spans[i][0] and side.spans[i][1] <= held[0].end for i in telling(side, segment, k)
    )
    return held[0] if whole else None


def _window(side: Side, segment: Segment, k: int) -> str:
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


def _worded(sides: tuple[Side, Side], segment: Segment) -> Difference | None:
    """A denial, a modal or a quantifier against another or none; what else changes belongs to the verb."""
    signs = [_signs(side, segment, k) for k, side in enumerate(sides)]
    families = [family for family in SPOKEN if signs[0].get(family) != signs[1].get(family)]
    if families == ["polarity", "modality"] and all("direction" in _attributes(side, segment, k) for k, side in enumerate(sides)):
        families.pop()  # Allowed against forbidden.
    if len(families) != 1 or not all(_is_bare(sides, segment, k) for k in (0, 1)) or _changes_time(sides, segment):
        return None
    if _is_manner(families[0], sides, segment):
        return None
    held = [one for k, side in enumerate(sides) for one in side.within(segment.starts[k], segment.ends[k])]
    attribute = next(one.attribute for one in held if one.family == families[0])
    return Difference(families[0], attribute, quoted(sides, segment))


def _attributes(side: Side, segment: Segment, k: int) -> set[str]:
    return {one.attribute for one in side.within(segment.starts[k], segment.ends[k])}


def _is_manner(family: str, sides: tuple[Side, Side], segment: Segment) -> bool:
    """Whether a difference in words is none in what is said: it does, will or must return; users, all users; added functions."""
    held = [
        [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family == family] for k, side in enumerate(sides)
    ]
    told = [{side.statement.text[one.start : one.end].lower() for one in ours} for side, ours in zip(sides, held, strict=True)]
    if family == "polarity":
        return ["direction" in {one.attribute for one in ours} for ours in held] in ([True, False], [False, True])
    loose = {"will", "must", "shall"} if family == "modality" else {"all", "every", "each", "any"}
    return all(words <= loose for words in told) and ("will" in told[0] | told[1] or family == "aggregation")


def _signs(side: Side, segment: Segment, k: int) -> dict[str, tuple[object, ...]]:
    signs: dict[str, tuple[object, ...]] = {}
    for one in side.within(segment.starts[k], segment.ends[k]):
        if one.family in SPOKEN:
            signs[one.family] = (*signs.get(one.family, ()), one.value)
    return signs


def _is_bare(sides: tuple[Side, Side], segment: Segment, k: int) -> bool:
    """Whether a side of a segment holds nothing but words of these families, auxiliaries and forms of the other's verb."""
    side, across = sides[k], sides[1 - k]
    held = [one for one in side.within(segment.starts[k], segment.ends[k]) if one.family in SPOKEN]
    theirs = across.lows[segment.starts[1 - k] : segment.ends[1 - k]]
    return all(
        side.lows[i] in _AUXILIARIES | _PAST
        or any(one.start <= side.spans[i][0] and side.spans[i][1] <= one.end for one in held)
        or any(_same_verb(side.lows[i], low) for low in theirs)
        for i in telling(side, segment, k)
    )


def _same_verb(one: str, other: str) -> bool:
    """Apply and applies, keep and kept: the same first letters."""
    size = max(3, min(len(one), len(other)) - 2)
    return one.isalpha() and other.isalpha() and one[:size] == other[:size]


def _changes_time(sides: tuple[Side, Side], segment: Segment) -> bool:
    told = [set(side.lows[segment.starts[k] : segment.ends[k]]) for k, side in enumerate(sides)]
    return any(one & _PAST and other & _PRESENT for one, other in (told, told[::-1]))


def _clause(sides: tuple[Side, Side], segment: Segment) -> Difference | None:
    """A condition or an exception that one side has and the other lacks."""
    empty = [k for k, side in enumerate(sides) if not telling(side, segment, k)]
    if len(empty) != 1:
        return None
    k = 1 - empty[0]
    side, held = sides[k], telling(sides[k], segment, k)
    opening = next((one for one in side.within(held[0], held[0] + 1) if one.attribute in _CLAUSES), None)
    ends = segment.ends[k] >= len(side.lows) - 1 or "," in side.lows[segment.ends[k] - 1 : segment.ends[k] + 1]
    whole = ends and ";" not in side.lows[segment.starts[k] : segment.ends[k]] and 3 <= len(held) <= _LONGEST_CLAUSE
    if opening is None or not whole:
        return None
    return Difference("modality", opening.attribute, quoted(sides, segment))
