"""Cut text into sentences: Markdown blocks first, then sentences inside each block, with offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import NamedTuple

from transforms.citations import find_markers
from transforms.vocabulary import vocabulary

_LINE = re.compile(r"[^\n]+\n?|\n")
_SPACE = re.compile(r"\s*")

_FENCE = re.compile(r"([ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)")
_LINE_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_TICKS = re.compile(r"(?<!\\)`+")
_NEW_BLOCK = re.compile(r"[ \t>]*(?:$|[|#]|(?:[-*+•]|[0-9]{1,9}[.)])[ \t])")

_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|$)")
_BOLD_LINE = re.compile(r"\*\*[^*\n]{1,80}[^*\n.!?]\*\*:?\Z|__[^_\n]{1,80}[^_\n.!?]__:?\Z")
_BULLET = re.compile(r"(?:[-*+•◦‣]|([0-9]{1,3})[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|$)")
_LINE_DEFINITION = re.compile(r"\[\^[^\s\]]{1,80}\]:|\[[^\[\]]{1,80}\]:[ \t]*(?:<?(?:https?:|www\.)|[^\s.]\S*[./#]\S+\Z)")
CELL_BAR = re.compile(r"(?<!\\)\|")
_COMPLETE = (".", "!", "?", "…", ":", "]", "。", "！", "？", "：")


class Sentence(NamedTuple):
    """Characters [start, end) of an answer that make one sentence, with the headings and table columns above it."""

    start: int
    end: int
    text: str
    kind: str
    heading: str | None
    columns: tuple[str, ...] = ()
    column_bounds: tuple[tuple[int, int], ...] = ()


def split_sentences(answer: str, declared: frozenset[str] = frozenset()) -> list[Sentence]:
    """Cut a Markdown answer into sentences, in order and disjoint, with `text == answer[start:end]`.

    Kinds are paragraph, list_item, table_row (one sentence a row, `columns` names its header's cells, which stand at characters
    `column_bounds`) and quote. Headings are
    context ("Plans > Pro"); code, rules, definitions of links and footnotes and a table's first two rows are no sentences; all
    other characters but bullets and quote prefixes are in one. Trailing markers (`declared` names those of no grammar) belong
    to the sentence before them. Takes time linear in the text.

    >>> [sentence.text for sentence in split_sentences("Backups are kept for 35 days. [1] Exports are kept for 7 days. [2]")]
    ['Backups are kept for 35 days. [1]', 'Exports are kept for 7 days. [2]']
    """
    reader = _BlockReader(answer, mask_code(answer))
    canvas = "".join(reader.canvas)
    marks = _marks(canvas, declared)
    return [
        Sentence(start, end, answer[start:end], block.kind, block.heading, block.columns, block.column_bounds)
        for block in reader.blocks
        for start, end in _bounds(block, canvas, answer, marks)
    ]


def _bounds(block: _Block, canvas: str, answer: str, marks: _Marks) -> Iterable[tuple[int, int]]:
    if block.kind == "table_row":
        return _trimmed(canvas, block.start, block.end)
    return _cut(canvas, answer, block.start, block.end, marks)


def sentence_bounds(text: str) -> list[tuple[int, int]]:
    """Bounds of the sentences of any passage, in order and disjoint; no character but white space is left out.

    >>> sentence_bounds("Logs are kept. Metrics too.")
    [(0, 14), (15, 27)]
    """
    marks = _marks(text)
    return [bounds for start, end in _passages(text) for bounds in _cut(text, text, start, end, marks)]


def _passages(text: str) -> Iterator[tuple[int, int]]:
    """Runs of lines with no blank line, bullet, table row or heading between."""
    start = 0
    alone = False
    for line in _LINE.finditer(text):
        if alone or _NEW_BLOCK.match(line.group().rstrip()):
            yield start, line.start()
            start = line.start()
        alone = _HEADING.match(line.group().lstrip()) is not None
    yield start, len(text)


def mask_code(text: str) -> str:
    """Replace code by as many characters: code blocks and HTML comments by spaces, inline code by the letter x; line breaks stay.

    Code blocks are fenced, indented (four columns behind a blank line, outside lists) or in <pre>; <br> becomes a blank line.

    >>> mask_code("`list[0]` returns the head [1].")
    'xxxxxxxxx returns the head [1].'
    """
    canvas = list(text)
    for start, end in (*_fenced_lines(text), *_indented_lines(text)):
        _fill(canvas, start, end, " ")
    for tag, letter in (("pre", " "), ("code", "x")):
        for start, end in _elements(text, tag):
            _fill(canvas, start, end, letter)
    for found in _LINE_BREAK.finditer(text):
        canvas[found.start() : found.end()] = "\n\n" + " " * (len(found.group()) - 2)
    chunk = 0
    masked = "".join(canvas)
    for line in _LINE.finditer(masked):
        if _NEW_BLOCK.match(line.group().rstrip()):
            _mask_inline(canvas, masked, chunk, line.start())
            chunk = line.start()
    _mask_inline(canvas, masked, chunk, len(masked))
    return _without_comments(canvas)


def _fill(canvas: list[str], start: int, end: int, letter: str) -> None:
    canvas[start:end] = ["\n" if character == "\n" else letter for character in canvas[start:end]]


def _fenced_lines(text: str) -> Iterator[tuple[int, int]]:
    fence, quoted = "", False
    for line in _LINE.finditer(text):
        found = _FENCE.match(line.group())
        if fence and quoted and not line.group().lstrip().startswith(">"):
            fence = ""
        if fence:
            yield line.span()
            if found and found[2].startswith(fence) and not found[3].strip():
                fence = ""
        elif found and not (found[2].startswith("`") and "`" in found[3]):
            fence, quoted = found[2], ">" in found[1]
            yield line.span()


def _indented_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines of four columns or more behind a blank line, as long as no list item stands above: there it is a continuation."""
    blank, in_list, in_code = True, False, False
    for line in _LINE.finditer(text):
        words = line.group()
        indented = words.startswith(("    ", "\t")) and words.strip() != ""
        in_code = indented and not in_list and (blank or in_code)
        if in_code:
            yield line.span()
        elif words.strip() and not indented:
            in_list = _BULLET.match(words.lstrip()) is not None
        blank = not words.strip()


def _elements(text: str, tag: str) -> Iterator[tuple[int, int]]:
    """Bounds of an HTML element, tags included; one that is never closed is none."""
    lower, end = text.lower(), 0
    if len(lower) != len(text):
        return
    while (start := lower.find(f"<{tag}>", end)) >= 0 and (closing := lower.find(f"</{tag}>", start)) >= 0:
        end = closing + len(tag) + 3
        yield start, end


def _mask_inline(canvas: list[str], text: str, start: int, end: int) -> None:
    """Code runs from some backticks to the next run of as many."""
    runs = [run.span() for run in _TICKS.finditer(text, start, end)]
    later: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for run in reversed(runs):
        later[run[1] - run[0]].append(run)
    position = start
    for run in runs:
        same = later[run[1] - run[0]]
        same.pop()
        if run[0] >= position and same:
            position = same[-1][1]
            _fill(canvas, run[0], position, "x")


def _without_comments(canvas: list[str]) -> str:
    text = "".join(canvas)
    end = 0
    while (start := text.find("<!--", end)) >= 0 and (closing := text.find("-->", start + 4)) >= 0:
        end = closing + 3
        _fill(canvas, start, end, " ")
    return "".join(canvas) if end else text


class _Line(NamedTuple):
    start: int
    end: int
    indent: int
    quoted: bool
    text: str


class _Block(NamedTuple):
    start: int
    end: int
    kind: str
    heading: str | None
    quoted: bool
    columns: tuple[str, ...] = ()
    column_bounds: tuple[tuple[int, int], ...] = ()


class _BlockReader:
    """Read Markdown line by line into blocks; on the canvas everything that is no part of a sentence turns into spaces."""

    def __init__(self, answer: str, masked: str) -> None:
        self.answer = answer
        self.canvas = list(masked)
        self.blocks: list[_Block] = []
        self._headings: list[tuple[int, str]] = []
        self._columns: tuple[tuple[int, int], ...] = ()
        self._in_table = False
        self._open = False
        lines = [_line(masked, *found.span()) for found in _LINE.finditer(masked)]
        for line, following in zip_longest(lines, lines[1:]):
            self._read(line, following)

    def _read(self, line: _Line, following: _Line | None) -> None:
        _fill(self.canvas, line.start - line.indent, line.start, " ")
        is_table = self._read_table(line, following)
        self._in_table = is_table
        if is_table:
            self._open = False
        elif not line.text or self._read_heading(line, following) or self._read_rule(line) or _LINE_DEFINITION.match(line.text):
            self._blank(line)
        elif not self._read_item(line):
            self._read_words(line)

    def _blank(self, line: _Line) -> None:
        _fill(self.canvas, line.start, line.end, " ")
        self._open = False

    def _add(self, line: _Line, kind: str, bounds: tuple[tuple[int, int], ...] = ()) -> None:
        heading = " > ".join(text for _, text in self._headings) or None
        columns = tuple(self.answer[start:end] for start, end in bounds)
        self.blocks.append(_Block(line.start, line.end, kind, heading, line.quoted, columns, bounds))

    def _read_table(self, line: _Line, following: _Line | None) -> bool:
        if _is_delimiter_row(line):
            self._blank(line)
        elif "|" in line.text and following and _is_delimiter_row(following):
            self._columns = tuple(_cells(self.answer, line.start, line.end))
            self._blank(line)
        elif ("|" in line.text and self._in_table) or (len(line.text) > 1 and line.text[0] == line.text[-1] == "|"):
            for edge in (line.start, line.start + len(line.text) - 1):
                self.canvas[edge] = " " if self.canvas[edge] == "|" else self.canvas[edge]
            self._add(line, "table_row", self._columns if self._in_table else ())
        else:
            return False
        return True

    def _read_heading(self, line: _Line, following: _Line | None) -> bool:
        found = _HEADING.match(line.text)
        if not self._open and _BOLD_LINE.match(line.text) and following is not None and _BULLET.match(following.text):
            # A line in bold above a list is how headings are often written.
            self._enter(7, line.text.rstrip(":").strip("*_").rstrip(":"))
            return True
        if found:
            words = self.answer[line.start + found.end(1) : line.end].strip().rstrip("#")
            self._enter(len(found[1]), words)
        return found is not None

    def _enter(self, level: int, words: str) -> None:
        text = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", words).strip()
        self._headings = [heading for heading in self._headings if heading[0] < level]
        if text:
            self._headings.append((level, text))

    def _read_rule(self, line: _Line) -> bool:
        """A rule, or the underline of a heading."""
        marks = set(line.text) - {" ", "\t"}
        if marks not in ({"-"}, {"="}, {"*"}, {"_"}) or len(line.text) < 2:
            return False
        underlines = marks <= {"-", "="} and " " not in line.text
        return (underlines and self._read_underlined(1 if marks == {"="} else 2)) or len(line.text) > 2

    def _read_underlined(self, level: int) -> bool:
        """Make the single line above a heading, unless it reads as a finished sentence: then the underline is only a rule."""
        above = self.blocks[-1] if self._open and self.blocks else None
        if above is None or above.kind != "paragraph" or self.answer.find("\n", above.start, above.end - 1) >= 0:
            return False
        if "".join(self.canvas[above.start : above.end]).rstrip().endswith(_COMPLETE):
            return False
        self._enter(level, self.answer[above.start : above.end].strip())
        _fill(self.canvas, above.start, above.end, " ")
        self.blocks.pop()
        return True

    def _read_item(self, line: _Line) -> bool:
        found = _BULLET.match(line.text)
        if not found or (found[1] and found[1] != "1" and self._is_running_on()):
            return False
        _fill(self.canvas, line.start, line.start + found.end(), " ")
        self._add(line, "list_item")
        self._open = True
        return True

    def _is_running_on(self) -> bool:
        """A paragraph's line without an end: the number after its line break is a number in the sentence."""
        above = self.blocks[-1] if self._open and self.blocks else None
        if above is None or above.kind == "list_item":
            return False
        return not "".join(self.canvas[max(above.start, above.end - 80) : above.end]).rstrip().endswith(_COMPLETE)

    def _read_words(self, line: _Line) -> None:
        last = self.blocks[-1] if self.blocks else None
        if last and self._open and last.quoted == line.quoted:
            self.blocks[-1] = last._replace(end=line.end)
        elif line.quoted:
            self._add(line, "quote")
        else:
            nested = last is not None and last.kind == "list_item" and line.indent >= 2
            self._add(line, "list_item" if nested else "paragraph")
        self._open = True


def _line(masked: str, start: int, end: int) -> _Line:
    prefix = _PREFIX.match(masked, start, end)
    begin = prefix.end() if prefix else start
    return _Line(begin, end, begin - start, ">" in masked[start:begin], masked[begin:end].strip())


def _is_delimiter_row(line: _Line) -> bool:
    return "|" in line.text and "-" in line.text and set(line.text) <= set("|:- \t")


def _cells(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Bounds of the cells of a table's row, without the space around them."""
    row = answer[start:end].rstrip()
    edges = [found.start() for found in CELL_BAR.finditer(row)]
    edges = [*([] if row.startswith("|") else [-1]), *edges, *([] if row.endswith("|") else [len(row)])]
    for left, right in pairwise(edges):
        cell = row[left + 1 : right]
        first = start + left + 1 + len(cell) - len(cell.lstrip())
        yield first, max(first, start + left + 1 + len(cell.rstrip()))


_STOP = re.compile(r"[.!?…।؟۔]+|[。！？｡]+|\n")
_FULL_WIDTH = "。！？｡"
_CLOSERS = re.compile(r"""["'”’»)\]}*_」』）】》〉]*""")
_OPENERS = re.compile(r"""["'“‘«(\[{*_¿¡「『（【《]*""")
_MARK_GAP = re.compile(r"[ \t\u00a0]*(?:[,;][ \t]*)?")
_MARK_LABEL = re.compile(_MARK_GAP.pattern + r"\(?(?:(?i:sources?|refs?|references?|citations?|see)[:.]?[ \t]*)?")
_LINE_REST = re.compile(r"[ \t\r]*(?:\n|\Z)")
_BRACKETED_TOKEN = re.compile(r"\[[^\s\[\]]{1,80}\](?![\w(])")
_TOKEN = re.compile(r"\S{1,40}")
_WORD = re.compile(r"[^\W_]+")
_LAST_WORD = re.compile(r"(?:[^\W\d_]{1,4}\.)*[^\W_]+\Z")


_NEVER_END = vocabulary("e.g i.e eg ie approx vs cf ca dr mr mrs ms prof viz incl excl resp")
_TITLES = vocabulary("Capt Lt Col Sgt Gen Sen Rep Gov Rev Hon Mt St")
_BEFORE_NUMBER = vocabulary(
    "no nos nr p pp vol fig figs eq eqs sec art ch tab para ver rev app ref refs min max est "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_RARELY_END = vocabulary("inc ltd co corp jr sr al ave blvd rd dept ext bros univ ph.d")
_TIMES = vocabulary("a.m p.m am pm")
_TIME_WORDS = vocabulary("Monday Tuesday Wednesday Thursday Friday Saturday Sunday UTC GMT EST EDT PST PDT CET CEST BST ET PT")
_LETTERED = vocabulary(
    "plan vitamin type class option group appendix part section grade hepatitis tier level table figure category phase"
)
_STARTERS = vocabulary(
    "the it this that these those he she they we you i in on at as a an for from to with by if when while however but "
    "and or so there here its their our your my after before since during although because not no all each every some "
    "most many both only according also additionally furthermore moreover then thus therefore what which who how why "
    "where please note see once use until under over"
)
# "1[4]. Store ...": a citation that was put behind the number of a list item.
_MARKED_NUMBER = re.compile(r"[0-9]{1,2}(?:\[[^\[\]]{1,20}\])+")
_LIST_NUMBER = re.compile(r"[*_(\[]*(?:[0-9]{1,2}|[a-z])\Z")


class _Marks(NamedTuple):
    """Where markers stand: their end by their start, their ends, and a flag for every character inside one."""

    ends: dict[int, int]
    closing: frozenset[int]
    inside: bytearray


def _marks(text: str, declared: frozenset[str] = frozenset()) -> _Marks:
    bounds = [(marker.start, marker.end) for marker in find_markers(text, declared=declared)[0]]
    bounds += [token.span() for token in _BRACKETED_TOKEN.finditer(text)]
    ends: dict[int, int] = {}
    inside = bytearray(len(text))
    for start, end in bounds:
        ends[start] = max(end, ends.get(start, 0))
    for start, end in ends.items():
        inside[start:end] = b"\x01" * (end - start)
    return _Marks(ends, frozenset(ends.values()), inside)


def _trimmed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    words = text[start:end]
    left = start + len(words) - len(words.lstrip())
    return [(left, start + len(words.rstrip()))] if words.strip() else []


def _cut(text: str, answer: str, start: int, end: int, marks: _Marks) -> Iterator[tuple[int, int]]:
    """Sentence bounds in characters [start, end) of `text`, the answer with its code masked."""
    cutter = _Cutter(text, answer, end, marks, _parentheses(text, start, end))
    begin = _skip_space(text, start, end)
    for stop in _STOP.finditer(text, start, end):
        if stop.start() < begin or marks.inside[stop.start()]:
            continue
        cut = cutter.line_end(stop.start()) if stop.group() == "\n" else cutter.sentence_end(begin, stop.start(), stop.end())
        if cut is not None:
            yield from _trimmed(text, begin, cut)
            begin = _skip_space(text, cut, end)
    yield from _trimmed(text, begin, end)


def _skip_space(text: str, position: int, end: int) -> int:
    space = _SPACE.match(text, position, end)
    return space.end() if space else position


def _parentheses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The outermost pairs of parentheses; one without its partner protects nothing."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for token in re.finditer(r"[()（）]", text[start:end]):
        if token.group() in "(（":
            opened.append(start + token.start())
        elif opened:
            opening = opened.pop()
            while pairs and pairs[-1][0] > opening:
                pairs.pop()
            pairs.append((opening, start + token.start()))
    return pairs


class _Cutter(NamedTuple):
    """Decides where a sentence ends that holds the stop at hand; None: it goes on."""

    text: str
    answer: str
    end: int
    marks: _Marks
    parentheses: list[tuple[int, int]]

    def line_end(self, position: int) -> int | None:
        """A line break ends a sentence behind a marker, a colon or a Markdown hard break, where the next line starts anew."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        words = line.rstrip()
        marked = position - len(line) + len(words) in self.marks.closing
        complete = marked or words.endswith((":", "：", "\\")) or line.rstrip("\r").endswith("  ")
        following = _skip_space(self.text, position, self.end)
        fresh = words and complete and following not in self.marks.ends and self._starts_sentence(following)
        return position if fresh and not self._in_parentheses(position) else None

    def sentence_end(self, begin: int, stop: int, stop_end: int) -> int | None:
        """The end of the sentence with its closing quotes and markers, if the stop [stop, stop_end) ends it."""
        after = self._closed(stop_end)
        pair = self._in_parentheses(stop)
        if pair and not (after > pair[1] and pair[0] == begin):
            return None
        past = self._past_markers(after)
        following = _skip_space(self.text, past, self.end)
        if following >= self.end:
            return self.end
        if self.text[stop] in _FULL_WIDTH:
            return None if past == after > stop_end and "\u3040" <= self.text[following] <= "\u309f" else past
        if following == past:
            return past if past > after and self._starts_sentence(following) else None
        if self.text[stop:stop_end] == "." and after == stop_end and self._is_abbreviation(begin, stop, following):
            return None
        if "\n" in self.text[past:following] or self._starts_sentence(following):
            return past
        # "... are kept. [1] says so": the marker is a word of the next sentence.
        spaced = past > after and self.text[after].isspace()
        return after if spaced else None

    def _in_parentheses(self, position: int) -> tuple[int, int] | None:
        index = bisect_right(self.parentheses, (position, self.end)) - 1
        return self.parentheses[index] if index >= 0 and self.parentheses[index][1] > position else None

    def _closed(self, position: int) -> int:
        closers = _CLOSERS.match(self.text, position, self.end)
        return closers.end() if closers else position

    def _past_markers(self, position: int) -> int:
        past = self._chain(position)
        if past == position:
            below = _skip_space(self.text, position, self.end)
            last = self._chain(below) if below in self.marks.ends else below
            past = last if last > below and _LINE_REST.match(self.text, last, self.end) else past
        return past if past == position else self._closed(past)

    def _chain(self, position: int) -> int:
        while True:
            gaps = (gap.match(self.text, position, self.end) for gap in (_MARK_GAP, _MARK_LABEL))
            start = next((gap.end() for gap in gaps if gap and gap.end() in self.marks.ends), None)
            if start is None:
                return position
            position = self.marks.ends[start]

    def _starts_sentence(self, position: int) -> bool:
        opener = _OPENERS.match(self.text, position, self.end)
        first = opener.end() if opener else position
        if first >= self.end or self.answer[first] == "`":
            return True
        letter = self.text[first]
        if letter.islower():
            # iPhone, eu-central-1 and v2.1 start sentences though they are small.
            word = _TOKEN.match(self.text, first, self.end)
            return word is not None and any(other.isupper() or other.isdigit() for other in word.group())
        return letter.isalnum() or letter in "•§#@€$£+" or ord(letter) >= 0x2600

    def _is_abbreviation(self, begin: int, stop: int, following: int) -> bool:
        last = _LAST_WORD.search(self.text[max(begin, stop - 24) : stop])
        if not last:
            return _MARKED_NUMBER.fullmatch(self.text, begin, stop) is not None
        word, start = last.group(), stop - len(last.group())
        after = _WORD.match(self.text, following, min(self.end, following + 30))
        next_word = after.group() if after else ""
        if self._is_list_number(begin, start, stop):
            return True
        if len(word) == 1 and word.isupper():
            named = next_word[:1].isupper() and next_word.casefold() not in _STARTERS
            return named and self._word_before(begin, start) not in _LETTERED
        return _goes_on(word, next_word, self.text[following])

    def _is_list_number(self, begin: int, start: int, stop: int) -> bool:
        if stop - start > 2 or not _LIST_NUMBER.match(self.text[start:stop]):
            return False
        opens = start - begin < 6 and not self.text[begin:start].strip("*_([")
        return opens or self.text[max(begin, start - 2) : start].rstrip().endswith((":", ";"))

    def _word_before(self, begin: int, start: int) -> str:
        words = _WORD.findall(self.text[max(begin, start - 24) : start])
        return words[-1].casefold() if words else ""


def _goes_on(word: str, next_word: str, following: str) -> bool:
    """Whether the full stop behind `word` is part of an abbreviation, given what comes next."""
    small = word.casefold()
    if small in _NEVER_END:
        return True
    if small in _BEFORE_NUMBER:
        return next_word[:1].isdigit() or re.fullmatch(r"[A-Z]|[IVX]+", next_word) is not None
    if small in _TIMES:
        return not next_word[:1].isupper() or next_word in _TIME_WORDS
    if word in _TITLES or small in _RARELY_END or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        return following == "(" or next_word.casefold() not in _STARTERS
    return small == "etc" and following == "("
