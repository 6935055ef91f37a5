"""Hang citation markers from the propositions of a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from transforms.citations import Marker

# "It may be possible that ..." states nothing that a marker further on could show.
_HEDGE = re.compile(
    r"(?:it (?:is|may be|might be|seems|is also) (?:possible|conceivable|unclear|uncertain|plausible|thinkable)"
    r"|perhaps|maybe|possibly)\b",
    re.IGNORECASE,
)


class Holder(NamedTuple):
    """What can carry a marker: the end of each word of its own and of each that it inherits, as characters of the answer."""

    text: str
    own: frozenset[int]
    inherited: frozenset[int]


def attach_markers(holders: Sequence[Holder], markers: Sequence[Marker], word_ends: Sequence[int]) -> list[list[Marker]]:
    """Give each proposition of a sentence its markers, in the order of the text; every marker goes to some proposition.

    `word_ends` are the ends of all words of the sentence, in order. A group of markers stands behind a word. A proposition takes
    the groups behind words that it inherits, those inside its own words, and the first one at or behind its last own word; the
    last only as long as no group stands inside words that are its alone, and not past another proposition where it only calls
    something possible. A group that nobody would take goes to the proposition whose words end nearest in front of it.

    >>> quiet = Holder("The pump is quiet", own=frozenset({3, 8, 11, 17}), inherited=frozenset())
    >>> small = Holder("The pump is small", own=frozenset({31}), inherited=frozenset({3, 8, 11}))
    >>> markers = [Marker("1", 18, 21, "numeric"), Marker("2", 32, 35, "numeric")]  # The pump is quiet [1] and small [2].
    >>> [[marker.label for marker in mine] for mine in attach_markers([quiet, small], markers, [3, 8, 11, 17, 25, 31])]
    [['1'], ['2']]
    """
    groups = _grouped(markers, word_ends)
    taken: list[list[Marker]] = [[] for _ in holders]
    for holder, mine in zip(holders, taken, strict=True):
        others = [other for other in holders if other is not holder]
        for anchor in _anchors(holder, others, list(groups)):
            mine.extend(groups[anchor])
    for anchor, group in groups.items():
        if not any(group[0] in mine for mine in taken):
            taken[_nearest(holders, anchor)].extend(group)
    return [sorted(mine, key=lambda marker: marker.start) for mine in taken]


def _grouped(markers: Sequence[Marker], word_ends: Sequence[int]) -> dict[int, list[Marker]]:
    """Markers by the end of the word that they stand behind; in front of all words, by the first."""
    groups: dict[int, list[Marker]] = {}
    for marker in markers:
        anchor = max((end for end in word_ends if end <= marker.start), default=min(word_ends, default=0))
        groups.setdefault(anchor, []).append(marker)
    return groups


def _anchors(holder: Holder, others: list[Holder], anchors: list[int]) -> list[int]:
    """The words behind which a proposition's markers stand."""
    inside = [anchor for anchor in anchors if anchor in holder.own or anchor in holder.inherited]
    last = max(holder.own, default=-1)
    behind = min((anchor for anchor in anchors if anchor >= last), default=None)
    if behind is None or behind in inside or (behind != last and _HEDGE.match(holder.text)):
        return inside
    shared = {end for other in others for end in other.inherited | other.own}
    has_its_own = any(anchor in holder.own and anchor != last and anchor not in shared for anchor in inside)
    return inside if has_its_own else [*inside, behind]


def _nearest(holders: Sequence[Holder], anchor: int) -> int:
    def distance(k: int) -> tuple[float, int]:
        ends = [end for end in holders[k].own if end <= anchor]
        return (anchor - max(ends) if ends else math.inf, k)

    return min(range(len(holders)), key=distance)
