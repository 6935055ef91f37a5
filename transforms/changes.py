"""Say what changed between two versions of a passage: the sentences first, then the words within them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

from schemas.claims import FAMILIES
from transforms.attributes.numerals import START_WORDS
from transforms.families import compare
from transforms.sentences import sentence_bounds

MAX_DESCRIPTION = 300
# How many sentences are aligned, and of how many pairs the families are compared: what lies beyond is a passage written anew.
MAX_SENTENCES = 5_000
MAX_PAIRS = 200
MAX_WORDS = 400
_MAX_PIECE = 80
# Below this share of words in common a sentence has not changed: one has gone, and another has come.
_MIN_SHARED = 0.4
# How many sentences a changed one may have moved on within its block.
_REACH = 4
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*|\S")
_Words = list[re.Match[str]]


class _Changed(NamedTuple):
    """A sentence in both versions; one of them is empty where it was added or removed."""

    then: str
    now: str


def changed_text(then: str, now: str) -> bool:
    """Whether two versions differ in more than white space; case counts, for MUST and must, or May and may, are not the same.

    >>> changed_text("Logs are kept.", "Logs  are\\nkept. "), changed_text("Logs are kept.", "Logs are not kept.")
    (False, True)
    """
    return then.split() != now.split()


def describe_change(then: str, now: str) -> str:
    """Say in few words what changed: 'old words' -> 'new words' for each change, in the order of the text.

    Sentences are aligned, then the words of those that differ. A sentence that has come or gone is quoted, its middle left out
    where it is long. At most 300 characters; what does not fit is counted. Empty where nothing but white space changed.
    Deterministic; about linear in the texts.

    >>> describe_change("Logs are kept for 30 days. No fee.", "Logs are kept for 7 days. No fee. They may be exported.")
    "'30 days' -> '7 days'; added 'They may be exported.'"
    """
    if not changed_text(then, now):
        return ""
    changes = list(dict.fromkeys(words for changed in _changed_sentences(then, now) for words in _describe(changed)))
    return _told(changes) if changes else "white space between sentences"


def _told(changes: list[str]) -> str:
    """As many changes as fit, and how many do not."""
    fitting = min(len(changes), MAX_DESCRIPTION // len("'' -> ''"))
    while True:
        left_out = [f"and {len(changes) - fitting} more"] if fitting < len(changes) else []
        told = "; ".join(changes[:fitting] + left_out)
        if len(told) <= MAX_DESCRIPTION:
            return told
        fitting -= 1


def changed_families(then: str, now: str) -> list[str]:
    """Name the families by which the changed sentences differ, either way, in the order of FAMILIES.

    Only sentences that stand in both versions are compared, the first 200 of them: one that has come or gone changes no attribute
    of another.

    >>> changed_families("Logs must be kept for 30 days in the EU.", "Logs may be kept for 7 days in the EU.")
    ['quantity', 'modality']
    """
    pairs = [changed for changed in _changed_sentences(then, now) if changed.then and changed.now][:MAX_PAIRS]
    found = {one.family for pair in pairs for way in (pair, pair[::-1]) for one in compare(*way)}
    return [family for family in FAMILIES if family in found]


def _changed_sentences(then: str, now: str) -> list[_Changed]:
    """The sentences that differ, aligned, in the order of the text."""
    old, new = _sentences(then), _sentences(now)
    old, new = _without_shared_ends(old, new)
    changed: list[_Changed] = []
    # Sentences that recur all over the text (table rules, say) anchor nothing: autojunk keeps them from costing quadratic time.
    matcher = SequenceMatcher(None, old[:MAX_SENTENCES], new[:MAX_SENTENCES], autojunk=True)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind != "equal":
            changed.extend(_align(old[first:last], new[new_first:new_last]))
    rest = _Changed(" ".join(old[MAX_SENTENCES:]), " ".join(new[MAX_SENTENCES:]))
    return [one for one in (*changed, rest) if one.then != one.now]


def _sentences(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentence_bounds(text)]


def _without_shared_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    shorter = min(len(old), len(new))
    first = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    last = next((i for i in range(shorter - first) if old[-1 - i] != new[-1 - i]), shorter - first)
    return old[first : len(old) - last], new[first : len(new) - last]


def _align(old: list[str], new: list[str]) -> Iterator[_Changed]:
    """Pair the sentences of a block that share most of their words, in order; the others have gone or come."""
    words = [set(_TOKEN.findall(sentence)) for sentence in new]
    reached = 0
    for sentence in old:
        own = set(_TOKEN.findall(sentence))
        near = range(reached, min(reached + _REACH, len(new)))
        best = max(near, key=lambda i: _shared(own, words[i]), default=None)
        if best is None or _shared(own, words[best]) < _MIN_SHARED:
            yield _Changed(sentence, "")
            continue
        yield from (_Changed("", added) for added in new[reached:best])
        yield _Changed(sentence, new[best])
        reached = best + 1
    yield from (_Changed("", added) for added in new[reached:])


def _shared(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other) or 1)


def _describe(changed: _Changed) -> Iterator[str]:
    if not changed.now:
        yield f"removed {_quoted(changed.then)}"
    elif not changed.then:
        yield f"added {_quoted(changed.now)}"
    else:
        yield from _changed_words(*changed)


def _changed_words(then: str, now: str) -> Iterator[str]:
    old, new = (list(islice(_TOKEN.finditer(sentence), MAX_WORDS)) for sentence in (then, now))
    matcher = SequenceMatcher(None, [word.group() for word in old], [word.group() for word in new], autojunk=False)
    changes = [bounds for kind, *bounds in matcher.get_opcodes() if kind != "equal"]
    for bounds in changes:
        first, last, new_first, new_last = _readable(old, new, *bounds)
        yield _arrow(_slice(then, old, first, last), _slice(now, new, new_first, new_last))
    if not changes:
        # The same words further than they are compared, or written together: 3 % and 3%.
        yield _arrow(then, now)


def _readable(old: _Words, new: _Words, first: int, last: int, new_first: int, new_last: int) -> tuple[int, int, int, int]:
    """Take in a neighbour where a change would not be understood alone: the unit of a number, the words around an insertion."""
    one_sided = first == last or new_first == new_last
    if one_sided and first and new_first:
        first, new_first = first - 1, new_first - 1
    behind = old[last].group() if last < len(old) and new_last < len(new) else ""
    numbers = all(
        word.group()[0].isdigit() or word.group().lower() in START_WORDS for word in (*old[first:last], *new[new_first:new_last])
    )
    if behind[:1].isalpha() and (one_sided or numbers):
        last, new_last = last + 1, new_last + 1
    return first, last, new_first, new_last


def _slice(text: str, words: _Words, first: int, last: int) -> str:
    return text[words[first].start() : words[last - 1].end()] if first < last else ""


def _arrow(then: str, now: str) -> str:
    return f"{_quoted(then)} -> {_quoted(now)}"


def _quoted(words: str) -> str:
    half = _MAX_PIECE // 2
    return f"'{words}'" if len(words) <= _MAX_PIECE else f"'{words[: half - 2].rstrip()} ... {words[3 - half :].lstrip()}'"
