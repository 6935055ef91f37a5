"""Lay two sentences beside each other, word by word, and find the places where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from cases.mutations.record import words as word_list

# Flags, names with joints (us-east-1, read_only, 10:30) and grouped numbers are one token; so are addresses.
_TOKEN = re.compile(r"(?:https?://|www\.)\S+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|--?[A-Za-z][\w-]*|[\w$]+(?:[-_.'’/:@+]+\w+)*|[^\w\s]")
# Words that change nothing, on one side or the other.
_IDLE = frozenset((*word_list("a an the then also thus please that"), *", ; : \" ' “ ” ‘ ’ . ! ( ) * `"))
# Of these families words overlap with others' mentions, and a segment never grows by them.
SPOKEN = ("polarity", "modality", "aggregation")


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


class Segment(NamedTuple):
    """Tokens [start, end) of either side that stand against each other."""

    starts: tuple[int, int]
    ends: tuple[int, int]


class Side(NamedTuple):
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
        """The text of tokens [first, last)."""
        return self.statement.text[self.spans[first][0] : self.spans[last - 1][1]] if first < last else ""


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
    ours, theirs = lowered(one, tokens(one)), lowered(other, tokens(other))
    shared = sum(block.size for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks())
    return round(2 * shared / (len(ours) + len(theirs)), 4)


def changed_words(one: str, other: str) -> tuple[str, str]:
    """The words in which two texts differ, from the first to the last; with a neighbour where one side has none.

    >>> changed_words("Refunds are paid.", "Refunds are not paid.")
    ('are', 'are not')
    """
    sides = (side_of(Statement(one, ())), side_of(Statement(other, ())))
    changed = list(_changed(sides))
    if not changed:
        return one, other
    return quoted(sides, Segment(changed[0].starts, changed[-1].ends))


def side_of(statement: Statement) -> Side:
    """Cut a statement into tokens."""
    spans = tokens(statement.text)
    return Side(statement, spans, lowered(statement.text, spans))


def lowered(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The tokens of a text as they are compared."""
    # The case of a flag is no matter of style: -e is not -E.
    words = (text[start:end].replace("’", "'") for start, end in spans)
    return [word if word[0] == "-" else word.casefold() for word in words]


def _changed(sides: tuple[Side, Side]) -> Iterator[Segment]:
    matcher = SequenceMatcher(None, sides[0].lows, sides[1].lows, autojunk=False)
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal":
            yield Segment((a0, b0), (a1, b1))


def segments(sides: tuple[Side, Side]) -> list[Segment]:
    """The differences that matter, widened to the mentions that they lie in; those of one mention are one."""
    widened: list[Segment] = []
    for segment in _changed(sides):
        if not any(telling(side, segment, k) for k, side in enumerate(sides)):
            continue
        segment = _widen(sides, segment)
        while widened and any(segment.starts[k] < widened[-1].ends[k] for k in (0, 1)):
            last = widened.pop()
            starts = (min(segment.starts[0], last.starts[0]), min(segment.starts[1], last.starts[1]))
            segment = _widen(sides, Segment(starts, (max(segment.ends[0], last.ends[0]), max(segment.ends[1], last.ends[1]))))
        widened.append(segment)
    return widened


def telling(side: Side, segment: Segment, k: int) -> list[int]:
    """The tokens of a segment that change something."""
    return [i for i in range(segment.starts[k], segment.ends[k]) if side.lows[i] not in _IDLE]


def _widen(sides: tuple[Side, Side], segment: Segment) -> Segment:
    """Take in the rest of every mention that the segment cuts, on both sides alike: what is added is equal there."""
    while True:
        before, behind = (max(reach) for reach in zip(*(_reach(side, segment, k) for k, side in enumerate(sides)), strict=True))
        if not before and not behind:
            return segment
        (a0, b0), (a1, b1) = segment
        before = min(before, a0, b0)
        behind = min(behind, len(sides[0].lows) - a1, len(sides[1].lows) - b1)
        wider = Segment((a0 - before, b0 - before), (a1 + behind, b1 + behind))
        if wider == segment:
            return segment
        segment = wider


def _reach(side: Side, segment: Segment, k: int) -> tuple[int, int]:
    """How many tokens the mentions in a segment reach beyond it, before and behind."""
    first, last = segment.starts[k], segment.ends[k]
    held = [one for one in side.within(first, last) if one.family not in SPOKEN]
    before = sum(1 for start, end in side.spans[:first] if any(one.start < end and start < one.end for one in held))
    behind = sum(1 for start, end in side.spans[last:] if any(one.start < end and start < one.end for one in held))
    return before, behind


def quoted(sides: tuple[Side, Side], segment: Segment) -> tuple[str, str]:
    """The words of a segment, with the word before it, or behind, where one side would have none."""
    (a0, b0), (a1, b1) = segment
    if any(not any(low[0].isalnum() for low in side.lows[segment.starts[k] : segment.ends[k]]) for k, side in enumerate(sides)):
        if a0 and b0 and sides[0].lows[a0 - 1][0].isalnum():
            a0, b0 = a0 - 1, b0 - 1
        else:
            a1, b1 = min(a1 + 1, len(sides[0].lows)), min(b1 + 1, len(sides[1].lows))
    return sides[0].words(a0, a1), sides[1].words(b0, b1)
