"""Find the citation markers of an answer, and take them out of a claim's words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from transforms.author_year import author_year_labels

GRAMMARS: tuple[str, ...] = ("numeric", "superscript", "footnote", "link", "named", "author_year")
MAX_RANGE = 50

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(_RAISED, "0123456789")
_CANDIDATE = re.compile(
    r"\[([^\[\]\n]{1,300})\]|【([^【】\n]{1,300})】|［([^［］\n]{1,300})］"
    rf"|(?P<raised>[{_RAISED}]+(?:(?:[,;˒⸴] ?|[⁻–])[{_RAISED}]+)*)"
)
_DEFINITION = re.compile(r"(?:\A|\n)[ \t>]*\Z")
_SEPARATOR = re.compile(r"\s*[,;，；、]\s*")
_RANGE = re.compile(r"([0-9]{1,9})\s*[-‐‑–—~]\s*([0-9]{1,9})")
_NAMED_RANGE = re.compile(r"([A-Za-z]+)([0-9]{1,9})\s*[-–—]\s*\1([0-9]{1,9})")
_NAMED = re.compile(r"\w[\w./#:@+~=&?%–-]*(?<!%)")
_SOURCE_NUMBER = re.compile(
    r"(?:(?:docs?|documents?|sources?|refs?|references?|passages?|chunks?|citations?|cite|snippets?|excerpts?|see)\.?(?::?\s+#?|\s*#)"
    r"|citation:)(?=[0-9])",
    re.IGNORECASE,
)
_NO_MARKERS = frozenset({"x", "sic", "note", "edit", "redacted", "ibid", "..."})

# A raised digit behind these is an exponent: 12 m², kg/m³, R², but not "of 12 days²".
_UNIT_BEHIND_NUMBER = re.compile(r"(?:[0-9][ \u00a0\u202f]?|/)(?:[kcdmnµμ]?m|in|ft|yd|mi|s|h|g|kg|l|ha|px|W|K)\Z")
_UNIT_ALONE = re.compile(r"(?:\A|[^\w])(?:[kcdmnµμ]m|ft|yd|mc|[A-Za-z])\Z")

_SOURCE_WORDS = re.compile(
    r"\[?\^?[0-9]+\]?|(?:(?:see|view)\s+)?(?:the\s+)?(?:docs?|documents?|documentation|sources?|links?|refs?|references?|cites?|citations?|pages?"
    r"|articles?|pdf|site|website|web|here|more|read more|learn more)(?:\s*#?[0-9]+)?|[A-Za-z]{1,6}-?[0-9]{1,4}|https?://\S+"
    r"|(?:[\w-]+\.)+[a-z]{2,8}(?:/\S*)?",
    re.IGNORECASE,
)
_TITLED = re.compile(r"\(([^\s()]{1,1000})[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')\)")
_BETWEEN_LINKS = re.compile(r"\s{0,3}(?:[,;|]|and|&)?\s{0,3}")
_GROUP_OPENING = re.compile(r"\((?:(?:see(?: also)?|sources?|refs?|references?|cf\.|via|from)\s?:?\s?)?\Z", re.IGNORECASE)


class Marker(NamedTuple):
    """One label that the answer cites at characters [start, end); the labels of one bracket share them."""

    label: str
    start: int
    end: int
    grammar: str


class _Link(NamedTuple):
    start: int
    text_end: int
    end: int
    text: str
    url: str


def find_markers(
    text: str,
    grammars: tuple[str, ...] = GRAMMARS,
    declared: frozenset[str] = frozenset(),
) -> tuple[list[Marker], list[tuple[int, int]]]:
    """Find the markers of a text whose code is masked.

    Goes out: markers in the order of the text, and the bounds of brackets that look like a marker but fit no grammar. A label in
    `declared` is a marker whatever it looks like. Takes time linear in the text.

    >>> find_markers("Load fell 12% [1, 3].")[0]
    [Marker(label='1', start=14, end=20, grammar='numeric'), Marker(label='3', start=14, end=20, grammar='numeric')]
    >>> find_markers("Kept 35 days [policy].")
    ([], [(13, 21)])
    """
    destinations = _destinations(text) if "](" in text else {}
    markers: list[Marker] = []
    unparsed: list[tuple[int, int]] = []
    links: list[_Link] = []
    definitions: list[tuple[int, int]] = []
    taken = 0
    for candidate in _CANDIDATE.finditer(text):
        start, end = candidate.span()
        link = _link_at(text, start, end, destinations)
        if start < taken:
            continue
        if _is_definition(text, start, end):
            definitions.append((start, end))
        elif link and (_is_image(text, link) or "link" in grammars):
            taken = link.end
            links.append(link)
        elif candidate["raised"]:
            labels = _raised_labels(text, start, end) if "superscript" in grammars else []
            markers.extend(Marker(label, start, end, "superscript") for label in labels)
        else:
            content = (candidate[1] or candidate[2] or candidate[3]).strip()
            labelled = _labels(content, grammars, declared)
            markers.extend(Marker(label, start, end, grammar) for label, grammar in labelled)
            if not labelled and _resembles(content, text[end : end + 1]):
                unparsed.append((start, end))
    markers.extend(_link_markers(text, [link for link in links if not _is_image(text, link)], declared))
    if "author_year" in grammars:
        parsed = [*definitions, *((link.start, link.end) for link in links), *((marker.start, marker.end) for marker in markers)]
        markers.extend(Marker(*found, "author_year") for found in author_year_labels(_blanked(text, parsed), declared))
        starts = {marker.start for marker in markers}
        unparsed = [(start, end) for start, end in unparsed if starts.isdisjoint(range(start, end))]
    return sorted(markers, key=lambda marker: marker.start), unparsed


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with NUL for every character of the spans, which may overlap."""
    pieces: list[str] = []
    position = 0
    for start, end in sorted(spans):
        pieces.extend((text[position:start], _HOLE * (end - max(start, position))))
        position = max(position, end)
    return "".join((*pieces, text[position:]))


def _is_definition(text: str, start: int, end: int) -> bool:
    """`[^3]: ...` or `[1]: ...` at the start of a line says what a marker means, and is none."""
    return (
        text[end : end + 1] == ":"
        and _DEFINITION.search(text[max(0, start - 8) : start]) is not None
        and (start <= 8 or "\n" in text[start - 8 : start])
    )


def _labels(content: str, grammars: tuple[str, ...], declared: frozenset[str]) -> list[tuple[str, str]]:
    """The labels of a bracket with their grammars; none unless every item fits."""
    items = [content] if content in declared else _SEPARATOR.split(content)
    labels = [label for item in items for label in _item_labels(item, declared) or [("", "none")]]
    return labels if all(grammar in grammars for _, grammar in labels) else []


def _item_labels(item: str, declared: frozenset[str]) -> list[tuple[str, str]]:
    if item in declared:
        return [(item, "numeric" if item.isdigit() else "named")]
    plain = unicodedata.normalize("NFKC", _SOURCE_NUMBER.sub("", item.split("†")[0], count=1)).strip()
    if plain.startswith("^"):
        return [(plain[1:], "footnote")] if len(plain) > 1 and not re.search(r"\s", plain) else []
    if re.fullmatch(r"[0-9]+", plain):
        return [(plain, "numeric")]
    if between := _RANGE.fullmatch(plain):
        return [(label, "numeric") for label in _expand("", between[1], between[2])]
    if between := _NAMED_RANGE.fullmatch(plain):
        return [(label, "named") for label in _expand(between[1], between[2], between[3])]
    named = _NAMED.fullmatch(plain) and (any(character.isdigit() for character in plain) or "://" in plain)
    return [(plain, "named")] if named else []


def _expand(prefix: str, first: str, last: str) -> list[str]:
    labels = range(int(first), int(last) + 1)
    return [f"{prefix}{number}" for number in labels] if len(labels) <= MAX_RANGE else []


def _resembles(content: str, following: str) -> bool:
    """Whether a bracket that fits no grammar looks like a marker: digits in a few words, or a single token."""
    if not content or content.casefold() in _NO_MARKERS or following.isalpha():
        return False
    if content.startswith("^") or any(character.isdigit() for character in content):
        return len(content.split()) <= 5
    return re.fullmatch(r"[A-Za-z][\w.#:/-]*", content) is not None


def _raised_labels(text: str, start: int, end: int) -> list[str]:
    before = text[max(0, start - 12) : start]
    line = before.rpartition("\n")[2].rstrip()
    if not line or before[-1].isdigit() or before[-1] in "⁺⁻^" or text[end : end + 1] in ("⁺", "⁻", "ⁿ"):
        return []
    run = text[start:end]
    if _UNIT_BEHIND_NUMBER.search(before) or (run in ("²", "³") and _UNIT_ALONE.search(before)):
        return []
    labels: list[str] = []
    for item in re.split(r"[,;˒⸴] ?", run.translate(_LOWERED)):
        first, *last = re.split("[⁻–]", item)
        labels.extend(_expand("", first, last[-1]) if last and len(item) < 12 else [first])
    return labels


def _destinations(text: str) -> dict[int, int]:
    """Where each parenthesis closes that holds no white space: parentheses of a URL are balanced."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for token in re.finditer(r"[()\s]", text):
        if token.group() == "(":
            opened.append(token.start())
        elif token.group() != ")":
            opened.clear()
        elif opened:
            closing[opened.pop()] = token.start()
    return closing


def _link_at(text: str, start: int, end: int, destinations: dict[int, int]) -> _Link | None:
    if text[start] != "[":
        return None
    if text[end : end + 2] == "](" and text[start - 1 : start] == "[":
        start, end = start - 1, end + 1
    words = text[start + 1 : end - 1]
    if end in destinations:
        return _Link(start, end - 1, destinations[end] + 1, words, text[end + 1 : destinations[end]].strip("<>"))
    titled = _TITLED.match(text, end)
    return _Link(start, end - 1, titled.end(), words, titled[1].strip("<>")) if titled else None


def _is_image(text: str, link: _Link) -> bool:
    return text[link.start - 1 : link.start] == "!"


def _link_markers(text: str, links: list[_Link], declared: frozenset[str]) -> Iterator[Marker]:
    """A link is a marker as a whole where parentheses hold nothing else or its words only name a source; else its words stay."""
    for chain in _chains(text, links):
        start, end = chain[0].start, chain[-1].end
        opening = _GROUP_OPENING.search(text[max(0, start - 20) : start])
        group = (start - len(opening[0]), end + 1) if opening and text[end : end + 1] == ")" else None
        for link in chain:
            words = link.text.strip()
            label = next((name for name in (words, words.strip("[]")) if name in declared), link.url)
            whole = label != link.url or not words or _SOURCE_WORDS.fullmatch(words[:300]) is not None
            start, end = group or (link.start if whole else link.text_end, link.end)
            yield Marker(label, start, end, "link")


def _chains(text: str, links: list[_Link]) -> list[list[_Link]]:
    """Links that follow each other with no words between."""
    chains: list[list[_Link]] = []
    for link in links:
        if chains and _BETWEEN_LINKS.fullmatch(text, chains[-1][-1].end, link.start):
            chains[-1].append(link)
        else:
            chains.append([link])
    return chains


_HOLE = "\x00"
_ACCORDING = (
    r"(?:according to|as (?:stated|noted|described|shown|mentioned|reported|explained|outlined|specified|seen) (?:in|by)|as per|per"
    r"|see(?: also)?|cf\.)"
)
# What is left around a marker once it is gone, and what to put there.
_TIDY = (
    (re.compile(rf"{_HOLE}(?:\s?[,;&/、，]?\s?(?:and\s)?{_HOLE})+"), _HOLE),
    (re.compile(rf"[(（]\s?(?:(?:see(?: also)?|sources?|refs?|references?|cf\.)\s?:?\s?)?{_HOLE}\s?[)）]", re.IGNORECASE), _HOLE),
    (re.compile(rf"\b(?:sources?|refs?|references?|citations?)\s?:\s?{_HOLE}", re.IGNORECASE), _HOLE),
    (re.compile(rf"\A(?:{_ACCORDING}|based on|from|in)\s{_HOLE}\s?,\s?", re.IGNORECASE), ""),
    (re.compile(rf"[,;.]?\s{_ACCORDING}\s{_HOLE}(?=[.!?。！？…]*\Z)", re.IGNORECASE), ""),
    (re.compile(rf"\s?{_HOLE}(?=[A-Za-z0-9])"), " "),
    (re.compile(rf"\s?{_HOLE}"), ""),
)
_BULLET = re.compile(r"\A(?:(?:[-*+•◦‣>]|[0-9]{1,3}[.)])\s+)+(?:\[[ xX]\]\s+)?")
_CODE = re.compile(r"`[^`]*`")
_QUOTED_LINE = re.compile(r"\n([ \t]*>)")
_EMPHASIS = re.compile(r"\*{1,3}|_{1,3}")
# Emphasis over several sentences leaves one half of its marks in each.
_EDGES = re.compile(r"\A(?:\*{1,3}|__)(?=[^\s*])|(?<=[^\s*])(?:\*{1,3}|__)(?=[.!?…。！？]*\Z)")


def strip_markers(text: str, markers: list[Marker], offset: int = 0) -> str:
    """Give a sentence's words without its markers and Markdown.

    `text` is characters [offset, offset + len(text)) of the answer that the markers' offsets point into. Bullets, emphasis, link
    and code marks go, white space collapses and the full stop at the end falls away; what is left stands in its order.

    >>> sentence = "**Load** fell 12% [1]."
    >>> strip_markers(sentence, find_markers(sentence)[0])
    'Load fell 12%'
    """
    words = " ".join(re.sub(r"\n[ \t]*>", "\n ", _without_markers(text.replace(_HOLE, " "), markers, offset)).split())
    for pattern, replacement in _TIDY:
        words = pattern.sub(replacement, words)
    words = _without_emphasis(_BULLET.sub("", words.strip()))
    return " ".join(words.split()).rstrip(" .!?。！？…").strip()


def _without_markers(text: str, markers: list[Marker], offset: int) -> str:
    pieces, position = [], 0
    for start, end in sorted({(max(marker.start - offset, 0), marker.end - offset) for marker in markers}):
        if start < position or start >= len(text):
            continue
        before = text[position:start]
        if text[start] == "]":
            head, _, words = before.rpartition("[")
            pieces.append(head + words)
        else:
            pieces.extend((before, _HOLE))
        position = end
    return "".join((*pieces, text[position:]))


def _without_emphasis(text: str) -> str:
    """Drop * and _ that open and close around words, and the backticks of code; snake_case and 5 * 3 stay."""
    dropped = _emphasis(text) | _code_marks(text)
    return "".join(character for position, character in enumerate(text) if position not in dropped)


def _code_marks(text: str) -> set[int]:
    return {position for code in _CODE.finditer(text) for position in (code.start(), code.end() - 1)}


def _emphasis(text: str) -> set[int]:
    dropped: set[int] = set()
    masked = _CODE.sub(lambda code: "x" * len(code.group()), text)
    opened: dict[str, list[int]] = {}
    for token in _EMPHASIS.finditer(masked):
        before, after = masked[token.start() - 1 : token.start()], masked[token.end() : token.end() + 1]
        ours = opened.setdefault(token.group(), [])
        if ours and _is_word_edge(before, after):
            dropped.update(range(start := ours.pop(), start + len(token.group())), range(*token.span()))
        elif _is_word_edge(after, before):
            ours.append(token.start())
    dropped.update(position for edge in _EDGES.finditer(masked) for position in range(*edge.span()))
    return dropped


def markup(text: str, markers: list[Marker], offset: int = 0) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Ranges of a sentence that are no words: those a parser must not see (markers, emphasis, bullets, prefixes of quoted lines),
    and the backticks of code, in order.

    >>> markup("**Load** fell [1].", find_markers("**Load** fell [1].")[0])
    ([(0, 1), (1, 2), (6, 7), (7, 8), (14, 17)], [])
    """
    ranges = {(position, position + 1) for position in _emphasis(text)}
    for start, end in {(marker.start - offset, marker.end - offset) for marker in markers}:
        ranges.add((max(start, 0), min(end, len(text))))
        if text[start : start + 1] == "]" and (opening := text.rfind("[", 0, start)) >= 0:
            ranges.add((opening, opening + 1))
    ranges.update(prefix.span(1) for prefix in _QUOTED_LINE.finditer(text))
    if bullet := _BULLET.match(text):
        ranges.add(bullet.span())
    return sorted(ranges), [(position, position + 1) for position in sorted(_code_marks(text))]


def _is_word_edge(inner: str, outer: str) -> bool:
    return bool(inner.strip()) and not (outer.isalnum() or outer == "_")
