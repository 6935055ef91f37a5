"""Propositions of a Markdown table's row: the header and the row's first cell say what each cell is about."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from schemas.claims import Span
from transforms.citations import Marker, strip_markers
from transforms.sentences import CELL_BAR, Sentence

_NOTHING = frozenset({"", "-", "–", "—", "…"})


class CellClaim(NamedTuple):
    """One cell as a proposition: `own` are its characters in the answer, `inherited` those of headers and of the first cell."""

    text: str
    own: list[Span]
    inherited: list[Span]
    markers: list[Marker]


class _Cell(NamedTuple):
    text: str
    own: list[Span]
    bounds: tuple[int, int]


def split_row(sentence: Sentence, markers: Sequence[Marker]) -> list[CellClaim]:
    """Cut a row into one proposition a cell, in order; empty cells and dashes are none.

    A marker belongs to its cell and to the cells left of it, back to the previous marker; one in the first cell or in a header
    goes to all that inherit it.

    >>> from transforms.sentences import split_sentences
    >>> (row,) = split_sentences("| Mode | Limit | Noise |\\n| --- | --- | --- |\\n| Eco | 50 °C | - |")
    >>> [claim.text for claim in split_row(row, [])]
    ['Mode Eco: Limit 50 °C']
    """
    cells = [_read(sentence, bounds, markers) for bounds in _cell_bounds(sentence)]
    # A row of one cell says no more than the cell does.
    columns = range(1, len(cells)) if len(cells) > 1 else [0]
    return [_claim(sentence, cells, k, markers) for k in columns if cells[k].text not in _NOTHING]


def _cell_bounds(sentence: Sentence) -> list[tuple[int, int]]:
    """Characters of the answer that each cell stands at."""
    bars = [found.start() for found in CELL_BAR.finditer(sentence.text)]
    edges = itertools.pairwise([-1, *bars, len(sentence.text)])
    return [(sentence.start + left + 1, sentence.start + right) for left, right in edges]


def _read(sentence: Sentence, bounds: tuple[int, int], markers: Sequence[Marker]) -> _Cell:
    """A cell without its markers; its own characters are those between them."""
    start, end = bounds
    words = sentence.text[start - sentence.start : end - sentence.start]
    inside = _inside(markers, bounds)
    edges = [start, *(edge for marker in sorted({(m.start, m.end) for m in inside}) for edge in marker), end]
    own = [span for left, right in zip(edges[::2], edges[1::2], strict=True) if (span := _stripped(sentence, left, right))]
    return _Cell(strip_markers(words, inside, offset=start), own, bounds)


def _stripped(sentence: Sentence, start: int, end: int) -> Span | None:
    """Characters [start, end) without the white space around them; None where nothing is left."""
    words = sentence.text[start - sentence.start : end - sentence.start]
    left = start + len(words) - len(words.lstrip())
    return Span(left, left + len(words.strip())) if words.strip() else None


def _claim(sentence: Sentence, cells: list[_Cell], k: int, markers: Sequence[Marker]) -> CellClaim:
    first, cell = cells[0], cells[k]
    text = _named(_header(sentence, k, markers), cell.text)
    if k and first.text not in _NOTHING:
        text = f"{_named(_header(sentence, 0, markers), first.text)}: {text}"
    headers = [_header_bounds(sentence, column) for column in (0, k)]
    inherited = {Span(*bounds) for bounds in headers if bounds[0] < bounds[1]}.union(first.own if k else [])
    above = [*headers, first.bounds] if k else headers
    shared = [marker for marker in markers if any(_inside([marker], bounds) for bounds in above)]
    return CellClaim(text, cell.own, sorted(inherited), [*shared, *_behind(markers, cells[k:])])


def _named(header: str, words: str) -> str:
    return " ".join(word for word in (header, words) if word)


def _header(sentence: Sentence, k: int, markers: Sequence[Marker]) -> str:
    if k >= len(sentence.columns):
        return ""
    bounds = _header_bounds(sentence, k)
    return strip_markers(sentence.columns[k], _inside(markers, bounds), offset=bounds[0])


def _header_bounds(sentence: Sentence, k: int) -> tuple[int, int]:
    """Characters of the answer that a column's header stands at; none where a row is longer than its header."""
    return sentence.column_bounds[k] if k < len(sentence.column_bounds) else (0, 0)


def _inside(markers: Sequence[Marker], bounds: tuple[int, int]) -> list[Marker]:
    return [marker for marker in markers if bounds[0] <= marker.start < bounds[1]]


def _behind(markers: Sequence[Marker], cells: Sequence[_Cell]) -> list[Marker]:
    """The markers of the first of some cells that has any."""
    return next((found for cell in cells if (found := _inside(markers, cell.bounds))), [])
