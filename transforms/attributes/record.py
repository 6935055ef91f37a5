"""What a sentence states, as records; and the words of a text that every theme reads."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from transforms.vocabulary import vocabulary

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]|_")
_SENTENCE_END = frozenset('.!?:;>•|\n"“(*')
_ABBREVIATIONS = vocabulary("dr mr mrs ms prof st vs etc e g i no inc ltd co approx")
_SUFFIXES = ("ingly", "edly", "ing", "ies", "ied", "es", "ed", "ly", "s")

# Words that name nothing: they are neither counted things, nor names, nor what two sentences share.
FUNCTION_WORDS = vocabulary(
    """a an the this that these those it its he him his she her they them their we us our you your i my me who whom whose
    which what there here and or but nor so if unless when while whereas as at by for from in into of off on onto out over
    to under up down with within without about above after before below between during since than through until till per
    via be am is are was were been being do does did done have has had having will would shall should can could may might
    must ought not no never none all any each every both some such same other another only also just even too very more
    most less least few many much then now once again one's however because although though where how why against across
    along around behind beside near toward towards upon"""
)


class Attribute(NamedTuple):
    """One attribute that a text states; `text[start:end] == words`, and equal values say the same."""

    family: str
    kind: str
    value: Hashable
    words: str
    start: int
    end: int


class Word(NamedTuple):
    """One word, number or sign of a text; `initial` where a capital says nothing, `sentence` counts from 0."""

    text: str
    low: str
    start: int
    end: int
    initial: bool
    sentence: int


@dataclass
class Reading:
    """A text being read: its words, and the characters that an attribute has taken, so that no later theme reads them again."""

    text: str
    words: list[Word]
    taken: bytearray
    found: list[Attribute] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        """Whether no attribute has taken any of the characters [start, end)."""
        return not any(self.taken[start:end])

    def note(self, family: str, kind: str, value: Hashable, start: int, end: int, take: bool = True) -> None:
        """Record an attribute at [start, end), and take its characters unless others may read them too."""
        self.found.append(Attribute(family, kind, value, self.text[start:end], start, end))
        if take:
            self.taken[start:end] = b"\x01" * (end - start)

    @cached_property
    def stems(self) -> dict[int, frozenset[str]]:
        """The stems of the content words, sentence by sentence."""
        sets: dict[int, set[str]] = {}
        for word in self.words:
            own = sets.setdefault(word.sentence, set())
            if word.low[0].isalnum() and word.low not in FUNCTION_WORDS:
                own.add(stem(word.low))
        return {sentence: frozenset(own) for sentence, own in sets.items()}

    @cached_property
    def lows(self) -> frozenset[str]:
        """All words in lower case, possessives without their ending."""
        return frozenset(word.low.replace("’", "'").removesuffix("'s") for word in self.words)

    @cached_property
    def open_lows(self) -> frozenset[str]:
        """The words, in lower case, that no attribute has taken."""
        return frozenset(word.low for word in self.words if not self.taken[word.start])

    @cached_property
    def heading_end(self) -> int:
        """Where a heading in front of the text ends: behind its colon, 0 without one."""
        colon = self.text.find(": ", 0, 200)
        return 0 if colon < 0 or any(word.sentence for word in self.words if word.start < colon) else colon + 1

    def low(self, index: int) -> str:
        """The word at `index` in lower case, empty outside the text."""
        return self.words[index].low if 0 <= index < len(self.words) else ""


def read_words(text: str) -> Reading:
    """Cut a text into words, in one pass.

    >>> [word.text for word in read_words("It isn't 1,200.5 kg.").words]
    ['It', "isn't", '1,200.5', 'kg', '.']
    """
    words: list[Word] = []
    initial, sentence = True, 0
    previous, low_before = 0, ""
    for match in _WORD.finditer(text):
        start, end = match.span()
        token = match.group()
        if "\n" in text[previous:start]:
            initial = True
        low = token.lower()
        words.append(Word(token, low, start, end, initial, sentence))
        initial = token in _SENTENCE_END or (initial and not token[0].isalnum())
        if token in ".!?" and low_before not in _ABBREVIATIONS and text[end : end + 1] in (" ", "\n", ""):
            sentence += 1
        elif token == "." and low_before in _ABBREVIATIONS:
            initial = False
        previous, low_before = end, low
    return Reading(text, words, bytearray(len(text)))


def stem(word: str) -> str:
    """Strip a word's ending so that its forms meet; no linguistics, only equality.

    >>> stem("stored") == stem("stores") == stem("Storing")
    True
    """
    word = word.lower().replace("’", "'").removesuffix("'s")
    for suffix in _SUFFIXES:
        if len(word) > len(suffix) + 2 and word.endswith(suffix):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


class Difference(NamedTuple):
    """One difference: `claim` is null where the premise takes back what the claim says, `premise` where it states nothing of it."""

    family: str
    claim: Attribute | None
    premise: Attribute | None

    @property
    def words(self) -> str:
        """Say the difference as a person would read it."""
        if self.claim is None:
            return f"left out: {self.premise.words}" if self.premise else "left out"
        return f"{self.claim.words} against {self.premise.words}" if self.premise else f"not stated: {self.claim.words}"


class Comparison(NamedTuple):
    """What of a claim agrees with a premise, what differs, and what the premise does not state."""

    agrees: list[Attribute]
    differs: list[Difference]
    missing: list[Attribute]
