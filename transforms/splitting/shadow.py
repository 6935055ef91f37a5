"""A shadow of a sentence that a parser reads well, with the way back to the sentence's own characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_NUMBER = r"(?<![\w.-])(?P<number>[~≈±<>≤≥]?[0-9](?:[0-9.,]*[0-9])?(?:\s?[–-]\s?[0-9](?:[0-9.,]*[0-9])?)?)"
_UNITS = (
    "°C °F °K K Hz kHz MHz GHz W kW MW GW Wh kWh MWh V kV mV A mA Ah mAh J kJ MJ N Nm Pa kPa MPa bar mbar psi g kg mg µg μg mcg "
    "t lb lbs oz m cm mm µm μm nm km ft yd l L ml mL dl µl μl s ms µs μs ns h hr hrs min d B kB KB MB GB TB PB KiB MiB GiB TiB "
    "bit kbit Mbit Gbit bps kbps Mbps Gbps MB/s GB/s km/h mph m/s rpm dB dBA lm lx cd IU mmol mol mmHg kcal cal ppm ppb px dpi "
    "fps Ω kΩ MΩ m² m³ cm² cm³ km² m2 m3 kg/m³ mg/dL mg/kg mmol/L L/min ml/min W/m² kWh/m² req/s tokens/s"
)
_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS.split()), key=len, reverse=True))
# Words behind a quantity that it does not modify, as it does in "a 512 GB disk".
_NO_NOUN = (
    r"of|and|or|but|per|a|an|the|each|every|to|in|on|at|for|with|from|by|via|as|than|if|when|while|after|before|until|because|since"
    r"|although|though|unless|during|within|without|over|under|between|above|below|against|is|are|was|were|has|have|had|can|may|must"
    r"|should|will|would|could|do|does|did|not|more|less|longer|shorter|higher|lower|faster|slower|apart|away|ago|later|earlier|long"
    r"|wide|high|deep|tall|thick|so|then|and/or|which|that|who|where|plus|minus|times|only|\w+ly|\w+s"
)
# Patterns with what the parser reads in their place ("": the word of a unit). What two patterns match is the first one's.
_SURROGATES = (
    # Code and quotations.
    (re.compile(r"`+[^`\n]{1,400}`+"), "Zeta"),
    (re.compile(r"“[^“”\n]{3,200}[^“”\n,]”|(?<![\w\"])\"[^\"\n]{3,200}[^\"\n,]\"(?!\w)"), "Zeta"),
    # Addresses.
    (re.compile(r"<?(?:https?://|www\.)[^\s<>]{1,2000}[^\s<>.,;:!?)\]]>?"), "Zeta"),
    (re.compile(r"(?<![\w.])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "Zeta"),
    # Quantities: 80 °C, 5-10 kg.
    (
        re.compile(
            rf"{_NUMBER}(?P<gap>[ \u00a0\u202f-]?)(?P<unit>{_UNIT})(?![\w/²³]|-\w)(?P<noun>(?! (?:{_NO_NOUN})\b)(?= [A-Za-z]))?"
        ),
        "",
    ),
    # Versions: v2, 1.2.3.
    (
        re.compile(r"(?<![\w.])(?:v|V)[0-9]+(?:\.[0-9x]+)*(?:-[A-Za-z0-9.]+)?(?![\w])|(?<![\w.])[0-9]+(?:\.[0-9x]+){2,}(?![\w])"),
        "Zeta",
    ),
    # Paths.
    (re.compile(r"(?<![\w.])(?:[\w-]+/)+[\w.-]*\w|(?<![\w/])/(?:[\w.-]+/)*[\w.-]*\w"), "Zeta"),
    # Ids and models: TLS-1a, X-Y, S21.
    (
        re.compile(
            r"(?<![\w.-])(?=[\w-]*[0-9])(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+(?![\w-])|(?<![\w.])[A-Z]+-[A-Z](?![\w-])"
        ),
        "Zeta",
    ),
    (re.compile(r"(?<![\w.])[A-Z]{1,4}[0-9]{1,4}[A-Za-z]?(?![\w-])"), "Zeta"),
    # Words that the parser mistakes for others.
    (re.compile(r"\bapprox\.(?=\s)|\bca\.(?=\s?[0-9])"), "about"),
    (re.compile(r"(?<=\band )ships(?= (?:with|in|to|from|as)\b)"), "comes"),
)
_UNIT_WORDS = {
    **dict.fromkeys(("°C", "°F", "K"), "degrees"),
    **{"W": "watts", "V": "volts", "A": "amps", "h": "hours", "s": "seconds", "min": "minutes", "d": "days"},
}
# White space that is not one plain space between words.
_WIDE = re.compile(r"\s\s|[^\S ]|\A\s")


class Shadow(NamedTuple):
    """A text for the parser; its character i stands for characters [starts[i], ends[i]) of the original."""

    text: str
    starts: list[int]
    ends: list[int]

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """Give the characters of the original behind characters [start, end) of the shadow."""
        return self.starts[start], self.ends[end - 1]


def cast_shadow(text: str, hidden: Iterable[tuple[int, int]] = ()) -> Shadow:
    """Leave out the `hidden` ranges of a text (markers, emphasis) and put plain words for units, code, URLs, ids and versions.

    White space shrinks to single spaces. Takes time linear in the text.

    >>> cast_shadow("The limit is 80 °C [1].", [(18, 22)]).text
    'The limit is 80 degrees.'
    """
    cast = _Cast(text)
    for start, end, words in _pieces(text, hidden):
        if words is None:
            cast.copy(start, end)
        else:
            cast.put(words, start, end)
    # Half a character (a lone surrogate) cannot be written in UTF-8, which the parser does.
    return Shadow("".join(cast.letters).encode("utf-8", "replace").decode("utf-8"), cast.starts, cast.ends)


class _Cast:
    """A shadow in the making, letter by letter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.letters: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copy(self, start: int, end: int) -> None:
        if _WIDE.search(self.text, start, end) or (self.letters[-1:] == [" "] and self.text[start] == " "):
            for place in range(start, end):
                self.put(self.text[place], place, place + 1)
            return
        self.letters.extend(self.text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def put(self, words: str, start: int, end: int) -> None:
        for letter in words:
            # A space that stands for a line break, or where something between two spaces is gone: one is enough.
            if letter.isspace() and (not self.letters or self.letters[-1] == " "):
                continue
            self.letters.append(" " if letter.isspace() else letter)
            self.starts.append(start)
            self.ends.append(end)


def _pieces(text: str, hidden: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str | None]]:
    """Ranges of the text in order, each with the words that replace it; None: as it is."""
    position = 0
    for start, end, words in sorted(_replacements(text, hidden)):
        if start < position:
            continue
        if start > position:
            yield position, start, None
        yield start, end, words
        position = end
    if position < len(text):
        yield position, len(text), None


def _replacements(text: str, hidden: Iterable[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Ranges that are replaced, with the words for each: none for hidden ones, which no other touches."""
    replaced = sorted({(start, end, "") for start, end in hidden if start < end})
    taken = bytearray(len(text))
    for start, end, _ in replaced:
        taken[start:end] = b"\x01" * (end - start)
    for start, end, words in _surrogates(text):
        if not any(taken[start:end]):
            taken[start:end] = b"\x01" * (end - start)
            replaced.append((start, end, words))
    return replaced


def _surrogates(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern, words in _SURROGATES:
        for found in pattern.finditer(text):
            if words:
                yield (*found.span(), words)
            else:
                yield (*found.span("unit"), _unit_word(found["gap"], found["unit"], found["noun"] is not None))


def _unit_word(gap: str, unit: str, modifies: bool) -> str:
    """The word of a unit; "80°C" lacks the space before it, and in "a 5-kg bag" or "a 512 GB disk" it is no plural."""
    if gap == "-" or (gap and modifies):
        return "unit"
    word = _UNIT_WORDS.get(unit, "units")
    return word if gap else f" {word}"
