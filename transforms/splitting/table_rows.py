"""Propositions of a Markdown table's row: the header and the row's first cell say what each cell is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from schemas.claims import Span
from transforms.citations import Marker, strip_markers
from transforms.sentences import Sentence

_CELL = re.compile(r"(?<!\\)\|")
_NOTHING = frozenset({"", "-", "–", "—", "…"})


class CellClaim(NamedTuple):
    """One cell as a proposition: `own` are its characters in the answer, `inherited` those of headers and of the first cell."""

    text: str
    own: list[Span]
    inherited: list[Span]
    markers: list[Marker]


def split_row(sentence: Sentence, markers: Sequence[Marker]) -> list[CellClaim]:
    """Cut a row into one proposition a cell: "Mode Eco: Limit 50 °C".

    A marker belongs to its cell and to the cells left of it, back to the previous marker; one in the first cell or in a header
    goes to all that inherit it.
    """
    cells = list(_cells(sentence))
    first, *rest = [_read(sentence, start, end, markers) for start, end in cells]
    bounds = sentence.column_bounds or ((0, 0),) * len(cells)
    headers = [_header(sentence, k, markers) for k in range(len(cells))]
    subject = " ".join(word for word in (headers[0], first.text) if word)
    columns = enumerate(rest, start=1) if rest else [(0, first)]
    claims = []
    for k, cell in columns:
        if cell.text in _NOTHING:
            continue
        about = " ".join(word for word in (headers[k] if k < len(headers) else "", cell.text) if word)
        text = f"{subject}: {about}" if rest and first.text not in _NOTHING else about
        inherited = [*_span(bounds, 0), *_span(bounds, k), *(first.own if k else [])]
        shared = [marker for marker in markers if _in_header(marker, bounds, (0, k)) or (k and _inside(marker, cells[0]))]
        claims.append(CellClaim(text, cell.own, sorted(set(inherited)), [*shared, *_behind(markers, cells, k)]))
    return claims


def _cells(sentence: Sentence) -> list[tuple[int, int]]:
    """Bounds of the cells in the answer."""
    cuts = [found.start() for found in _CELL.finditer(sentence.text)]
    edges = [-1, *cuts, len(sentence.text)]
    bounds = [(sentence.start + left + 1, sentence.start + right) for left, right in zip(edges, edges[1:], strict=False)]
    return bounds


class _Cell(NamedTuple):
    text: str
    own: list[Span]


def _read(sentence: Sentence, start: int, end: int, markers: Sequence[Marker]) -> _Cell:
    words = sentence.text[start - sentence.start : end - sentence.start]
    own = [marker for marker in markers if start <= marker.start < end]
    left = start + len(words) - len(words.lstrip())
    right = min([marker.start for marker in own] + [start + len(words.rstrip())])
    right = max(left, left + len(sentence.text[left - sentence.start : right - sentence.start].rstrip()))
    return _Cell(strip_markers(words, own, offset=start), [Span(left, right)] if right > left else [])


def _header(sentence: Sentence, k: int, markers: Sequence[Marker]) -> str:
    if k >= len(sentence.columns):
        return ""
    start, end = sentence.column_bounds[k] if k < len(sentence.column_bounds) else (0, 0)
    return strip_markers(sentence.columns[k], [marker for marker in markers if start <= marker.start < end], offset=start)


def _span(bounds: Sequence[tuple[int, int]], k: int) -> list[Span]:
    return [Span(*bounds[k])] if k < len(bounds) and bounds[k][0] < bounds[k][1] else []


def _inside(marker: Marker, bounds: tuple[int, int]) -> bool:
    return bounds[0] <= marker.start < bounds[1]


def _in_header(marker: Marker, bounds: Sequence[tuple[int, int]], columns: tuple[int, int]) -> bool:
    return any(k < len(bounds) and _inside(marker, bounds[k]) for k in set(columns))


def _behind(markers: Sequence[Marker], cells: Sequence[tuple[int, int]], k: int) -> list[Marker]:
    """The markers of the first cell from the k-th on that has any."""
    for bounds in cells[k:]:
        found = [marker for marker in markers if _inside(marker, bounds)]
        if found:
            return found
    return []
