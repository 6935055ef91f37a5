"""Write a proposition's words and say which characters of the answer they are."""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.claims import Span
from transforms.splitting.drafts import Draft
from transforms.splitting.parsing import Word

_OPENING = frozenset("([{“‘«$€£#")
_CLOSING = frozenset(",.;:!?)]}”’»%")
_ENCLITICS = ("'s", "n't")
# What a cut may leave over in front and behind.
_LEFT_IN_FRONT = (",", ";", ":", ".", "–", "—", "-", ")", "so", "--")
_LEFT_BEHIND = (".", ",", ";", ":", "–", "—", "(", "-", "--")
_FINAL_MARKS = " .!?;:,。！？…"
_VOWELS = frozenset("aeiou")
# They join what is the same proposition's or not; no characters of it.
_JOINTS = frozenset({".", ",", ";", ":", "!", "?", "and", "or", "but"})
_DOUBLED = re.compile(r"\b(that) that\b")
_SPACED = re.compile(r"\s+(?=[,.;:!?)\]}”’»])|(?<=[(\[{“‘«])\s+")


class _Sentence(NamedTuple):
    """The sentence that a proposition comes from: its text, the ranges that are no words, and its own words."""

    text: str
    hidden: list[tuple[int, int]]
    words: list[Word]

    def visible(self, start: int, end: int) -> str:
        pieces, position = [], start
        for left, right in self.hidden:
            if right > position and left < end:
                pieces.append(self.text[position : max(left, position)])
                position = right
        return "".join((*pieces, self.text[position:end]))

    def opening(self) -> int:
        """Where the first word that is no punctuation starts."""
        starts = (word.start for word in self.words if not word.is_mark)
        return min(starts, default=len(self.text))


def word_claim(draft: Draft, text: str, hidden: list[tuple[int, int]], n_words: int) -> str:
    """Write a proposition as a sentence without its full stop, in the words of `text`, the sentence that it comes from.

    `hidden` are ranges of the sentence that are no words (markers, emphasis), in order; words from `n_words` on are inserted.

    >>> from transforms.splitting.clauses import split_clauses
    >>> from transforms.splitting.parsing import load_parser
    >>> from transforms.splitting.shadow import cast_shadow
    >>> text = "Acme, founded in 1998, makes pumps."
    >>> (words,) = load_parser().parse([cast_shadow(text)])
    >>> [word_claim(draft, text, [], len(words)) for draft in split_clauses(words)]
    ['Acme was founded in 1998', 'Acme makes pumps']
    """
    sentence = _Sentence(text, hidden, draft.words[:n_words])
    opening = sentence.opening()
    pieces: list[str] = []
    previous: int | None = None
    for i in _trimmed(draft):
        if previous is not None:
            pieces.append(_gap(draft, sentence, previous, i))
        moved = previous is not None and draft.words[i].start <= opening
        pieces.append(_surface(draft, sentence, i, moved))
        previous = i
    words = " ".join("".join(pieces).split())
    words = _DOUBLED.sub(r"\1", _SPACED.sub("", words).replace(" can not ", " cannot ")).strip(_FINAL_MARKS)
    return _capitalised(_with_article(words, text))


def _trimmed(draft: Draft) -> list[int]:
    """Without the conjunctions and marks that are left over in front and behind."""
    order = list(draft.order)
    while order and (draft.pos(order[0]) in ("CCONJ", "SPACE") or draft.words[order[0]].text in _LEFT_IN_FRONT):
        order.pop(0)
    while order and (draft.pos(order[-1]) == "CCONJ" or draft.words[order[-1]].text in _LEFT_BEHIND):
        order.pop()
    return order


def _gap(draft: Draft, sentence: _Sentence, previous: int, i: int) -> str:
    """What stands between two words: for neighbours what their sentence has, for others what is usual."""
    left, right = draft.words[previous], draft.words[i]
    if previous + 1 == i < len(sentence.words) and left.end <= right.start:
        return " " if any(c.isspace() for c in sentence.text[left.end : right.start]) else ""
    return "" if right.text[:1] in _CLOSING or right.text in _ENCLITICS or left.text[-1:] in _OPENING else " "


def _surface(draft: Draft, sentence: _Sentence, i: int, moved: bool) -> str:
    """The word as it is written; without its capital where it `moved` from the sentence's beginning, unless that is its own."""
    word = draft.words[i]
    if i >= len(sentence.words):
        return word.text
    shown = sentence.visible(word.start, word.end)
    if moved and word.pos != "PROPN" and shown[1:].islower() and shown != "I":
        return shown[:1].lower() + shown[1:]
    return shown


def _with_article(words: str, text: str) -> str:
    """ "an" in front of a word that the sentence does not have it before becomes "a", and the other way round."""

    def fit(found: re.Match[str]) -> str:
        if re.search(rf"\b{found[1]}\s+{re.escape(found[2])}", text, re.IGNORECASE):
            return found[0]
        right = "an" if found[2][0].lower() in _VOWELS else "a"
        return f"{right.capitalize() if found[1][0].isupper() else right} {found[2]}"

    return re.sub(r"\b([Aa]n?) ([A-Za-z]\w*)", fit, words)


def _capitalised(words: str) -> str:
    """With a capital, unless the first word is written in a way of its own: "iPhone", "get_user"."""
    first = words.split(" ", 1)[0]
    as_written = any(c.isupper() or c.isdigit() or c in "_/.@" for c in first[1:])
    return words if as_written else words[:1].upper() + words[1:]


def char_spans(draft: Draft, indices: list[int], text: str, offset: int) -> list[Span]:
    """Give the ranges of characters of the answer that words stand at, in order; only white space between two joins them.

    `text` is the sentence, which starts at character `offset` of the answer; inserted words stand nowhere.
    """
    words = [draft.words[i] for i in indices if draft.words[i].start >= 0 and draft.words[i].text not in _JOINTS]
    ranges = sorted({(word.start, word.end) for word in words})
    joined: list[list[int]] = []
    for start, end in ranges:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return [Span(start + offset, end + offset) for start, end in joined if end > start]
