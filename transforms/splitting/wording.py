"""Write a proposition's words and say which characters of the answer they are."""

from __future__ import annotations

import re

from schemas.claims import Span
from transforms.splitting.drafts import Draft

_OPENING = frozenset("([{“‘«$€£#")
_CLOSING = frozenset(",.;:!?)]}”’»%")
_VOWELS = frozenset("aeiou")
_DOUBLED = re.compile(r"\b(that) that\b")
_SPACED = re.compile(r"\s+(?=[,.;:!?)\]}”’»])|(?<=[(\[{“‘«])\s+")


def word_claim(draft: Draft, text: str, hidden: list[tuple[int, int]], n_words: int) -> str:
    """The proposition as a sentence without its full stop, in the words of `text`, the sentence that it comes from.

    `hidden` are ranges of the sentence that are no words (markers, emphasis), in order; words from `n_words` on are inserted.
    """
    order = _trimmed(draft)
    pieces: list[str] = []
    for place, i in enumerate(order):
        previous = order[place - 1] if place else None
        pieces.append(_gap(draft, text, hidden, previous, i, n_words) + _surface(draft, text, hidden, i, place, n_words))
    words = _DOUBLED.sub(r"\1", _SPACED.sub("", " ".join("".join(pieces).split())).replace(" can not ", " cannot ")).strip(
        " .!?;:,。！？…"
    )
    return _capitalised(_with_article(words, text))


def _trimmed(draft: Draft) -> list[int]:
    """Without the conjunctions and marks that are left over in front."""
    order = list(draft.order)
    while order and (
        draft.words[order[0]].pos in ("CCONJ", "SPACE")
        or draft.words[order[0]].text in (",", ";", ":", ".", "–", "—", "-", ")", "so", "--")
    ):
        order.pop(0)
    while order and (
        draft.words[order[-1]].pos == "CCONJ" or draft.words[order[-1]].text in (".", ",", ";", ":", "–", "—", "(", "-", "--")
    ):
        order.pop()
    return order


def _surface(draft: Draft, text: str, hidden: list[tuple[int, int]], i: int, place: int, n_words: int) -> str:
    word = draft.words[i]
    if i >= n_words:
        return word.text
    shown = _visible(text, word.start, word.end, hidden)
    begins = all(other.start >= word.start or not any(c.isalnum() for c in other.text) for other in draft.words[:n_words])
    moved = place > 0 and begins and word.pos != "PROPN" and shown[1:].islower() and shown != "I"
    return shown[:1].lower() + shown[1:] if moved else shown


def _visible(text: str, start: int, end: int, hidden: list[tuple[int, int]]) -> str:
    pieces, position = [], start
    for left, right in hidden:
        if right > position and left < end:
            pieces.append(text[position : max(left, position)])
            position = right
    return "".join((*pieces, text[position:end])) if position < end else "".join(pieces)


def _gap(draft: Draft, text: str, hidden: list[tuple[int, int]], previous: int | None, i: int, n_words: int) -> str:
    if previous is None:
        return ""
    one, other = draft.words[previous], draft.words[i]
    if previous < n_words and i < n_words and one.end <= other.start and i == previous + 1:
        between = text[one.end : other.start]
        return " " if _visible(text, one.end, other.start, hidden)[:1].isspace() or any(c.isspace() for c in between) else ""
    return "" if other.text[:1] in _CLOSING or other.text in ("'s", "n't") or one.text[-1:] in _OPENING else " "


def _with_article(words: str, text: str) -> str:
    """ "an" in front of a word that the sentence does not have it before becomes "a", and the other way round."""

    def fit(found: re.Match[str]) -> str:
        if re.search(rf"\b{found[1]}\s+{re.escape(found[2])}", text, re.IGNORECASE):
            return found[0]
        right = "an" if found[2][0].lower() in _VOWELS else "a"
        return f"{right.capitalize() if found[1][0].isupper() else right} {found[2]}"

    return re.sub(r"\b([Aa]n?) ([A-Za-z]\w*)", fit, words)


def _capitalised(words: str) -> str:
    first = words.split(" ", 1)[0]
    as_written = any(c.isupper() or c.isdigit() or c in "_/.@" for c in first[1:])
    return words if as_written else words[:1].upper() + words[1:]


def char_spans(draft: Draft, indices: list[int], text: str, offset: int) -> list[Span]:
    """Ranges of characters of the answer that words stand at, in order; only white space between two joins them.

    `text` is the sentence, which starts at character `offset` of the answer.
    """
    ranges = sorted({(draft.words[i].start, draft.words[i].end) for i in indices if draft.words[i].start >= 0})
    joined: list[list[int]] = []
    for start, end in ranges:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return [Span(start + offset, end + offset) for start, end in joined if end > start]
