"""What a mutation is, and the small tools that every operator uses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

T = TypeVar("T")

ENTAILMENT, UNSUPPORTED, CONTRADICTION = "entailment", "unsupported", "contradiction"


class Mutation(NamedTuple):
    """One sentence with one attribute changed.

    `relation` is what the original says of `text` and `reverse` what `text` says of the original: "entailment", "unsupported",
    "contradiction", or None where nobody should rely on it. `before` became `after` at character `start` of the original.
    """

    family: str
    operator: str
    text: str
    start: int
    before: str
    after: str
    relation: str | None
    reverse: str | None


class Relations(NamedTuple):
    """What the original says of the mutated sentence, and the other way round."""

    relation: str | None
    reverse: str | None


CHANGED = Relations(UNSUPPORTED, UNSUPPORTED)
OPPOSED = Relations(CONTRADICTION, CONTRADICTION)
SAME = Relations(ENTAILMENT, ENTAILMENT)
WEAKER = Relations(ENTAILMENT, UNSUPPORTED)
STRONGER = Relations(UNSUPPORTED, ENTAILMENT)


def words(text: str) -> tuple[str, ...]:
    """Give the words of `text` between white space, in their order.

    >>> words("spring summer")
    ('spring', 'summer')
    """
    return tuple(text.split())


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Give the pairs of `text`, written with a stroke and parted by commas.

    >>> pairs("rose/fell, near/far from")
    (('rose', 'fell'), ('near', 'far from'))
    """
    halves = (pair.partition("/") for pair in " ".join(text.split()).split(","))
    return tuple((one.strip(), other.strip()) for one, _, other in halves)


def members(of: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Give every member of the pairs `of` once.

    >>> members(pairs("over/under, over/below"))
    ('over', 'under', 'below')
    """
    return tuple(dict.fromkeys(member for pair in of for member in pair))


def partners(of: Iterable[tuple[str, str]], member: str) -> list[str]:
    """Give what stands beside `member` in the pairs `of`, on either side.

    >>> partners(pairs("days/weeks, hours/days"), "days")
    ['weeks', 'hours']
    """
    return [other for pair in of for one, other in (pair, pair[::-1]) if one == member]


def pick(options: Sequence[T], *keys: object) -> T:
    """One of `options`, always the same for the same keys."""
    digest = hashlib.blake2b("\x1f".join(map(str, keys)).encode("utf-8", "replace"), digest_size=8).digest()
    return options[int.from_bytes(digest, "big") % len(options)]


def any_of(options: Iterable[str]) -> str:
    """The inside of a group that matches any of `options`, the longest first.

    >>> any_of(["six", "sixty"])
    'sixty|six'
    """
    return "|".join(map(re.escape, sorted(options, key=lambda option: (-len(option), option))))


@cache
def words_pattern(options: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds any of `options` as a whole word, the longest first, in any case."""
    # Letters of ASCII only: "ſ" and "ı" would count as other cases of s and i, and no table has them.
    return re.compile(rf"(?<![\w-])(?ai:{any_of(options)})(?![\w-])")


def change(sentence: str, start: int, end: int, after: str, family: str, operator: str, relations: Relations) -> Iterator[Mutation]:
    """Put `after` in the place of [start, end), in the case of what stood there; nothing where that changes nothing."""
    before = sentence[start:end]
    if before[:1].isupper() and start == 0:
        after = after[:1].upper() + after[1:]
    if after != before:
        yield Mutation(family, operator, sentence[:start] + after + sentence[end:], start, before, after, *relations)


def swap_words(
    sentence: str, swaps: Iterable[tuple[str, str]], family: str, operator: str, relations: Relations
) -> Iterator[Mutation]:
    """Every word that stands in a pair, one at a time, replaced by its partner; pairs hold both ways, the last one of a word."""
    others = {one: other for pair in swaps for one, other in (pair, pair[::-1])}
    for match in words_pattern(tuple(others)).finditer(sentence):
        yield from change(sentence, *match.span(), others[match.group().lower()], family, operator, relations)


def swap_within(sentence: str, groups: Iterable[tuple[str, ...]], family: str, operator: str) -> Iterator[Mutation]:
    """Every member of a group, one at a time, replaced by another member of the group; cased as written in the group."""
    for group in groups:
        by_low = {member.lower(): member for member in group}
        for match in words_pattern(group).finditer(sentence):
            found = by_low[match.group().lower()]
            if found[0].isupper() != match.group()[0].isupper() and (found[0].isupper() or match.start()):
                continue
            others = [member for member in group if member != found]
            yield from change(sentence, *match.span(), pick(others, sentence, match.start()), family, operator, CHANGED)
