"""A shadow of a sentence that a parser reads well, with the way back to the sentence's own characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_NUMBER = r"(?<![\w.-])(?P<number>[~≈±<>≤≥]?[0-9](?:[0-9.,]*[0-9])?(?:\s?[–-]\s?[0-9](?:[0-9.,]*[0-9])?)?)"
_UNITS = [
    "°C",
    "°F",
    "°K",
    "K",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "W",
    "kW",
    "MW",
    "GW",
    "Wh",
    "kWh",
    "MWh",
    "V",
    "kV",
    "mV",
    "A",
    "mA",
    "Ah",
    "mAh",
    "J",
    "kJ",
    "MJ",
    "N",
    "Nm",
    "Pa",
    "kPa",
    "MPa",
    "bar",
    "mbar",
    "psi",
    "g",
    "kg",
    "mg",
    "µg",
    "μg",
    "mcg",
    "t",
    "lb",
    "lbs",
    "oz",
    "m",
    "cm",
    "mm",
    "µm",
    "μm",
    "nm",
    "km",
    "ft",
    "yd",
    "l",
    "L",
    "ml",
    "mL",
    "dl",
    "µl",
    "μl",
    "s",
    "ms",
    "µs",
    "μs",
    "ns",
    "h",
    "hr",
    "hrs",
    "min",
    "d",
    "B",
    "kB",
    "KB",
    "MB",
    "GB",
    "TB",
    "PB",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "bit",
    "kbit",
    "Mbit",
    "Gbit",
    "bps",
    "kbps",
    "Mbps",
    "Gbps",
    "MB/s",
    "GB/s",
    "km/h",
    "mph",
    "m/s",
    "rpm",
    "dB",
    "dBA",
    "lm",
    "lx",
    "cd",
    "IU",
    "mmol",
    "mol",
    "mmHg",
    "kcal",
    "cal",
    "ppm",
    "ppb",
    "px",
    "dpi",
    "fps",
    "Ω",
    "kΩ",
    "MΩ",
    "m²",
    "m³",
    "cm²",
    "cm³",
    "km²",
    "m2",
    "m3",
    "kg/m³",
    "mg/dL",
    "mg/kg",
    "mmol/L",
    "L/min",
    "ml/min",
    "W/m²",
    "kWh/m²",
    "req/s",
    "tokens/s",
]
_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
# What to put where; every pattern's own bounds are replaced as a whole.
_SURROGATES = (
    ("code", re.compile(r"`+[^`\n]{1,400}`+"), "Zeta"),
    ("quote", re.compile(r"“[^“”\n]{3,200}[^“”\n,]”|(?<![\w\"])\"[^\"\n]{3,200}[^\"\n,]\"(?!\w)"), "Zeta"),
    ("url", re.compile(r"<?(?:https?://|www\.)[^\s<>]{1,2000}[^\s<>.,;:!?)\]]>?"), "Zeta"),
    ("mail", re.compile(r"(?<![\w.])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "Zeta"),
    ("quantity", re.compile(rf"{_NUMBER}(?P<gap>[ \u00a0\u202f-]?)(?P<unit>{_UNIT})(?![\w/²³]|-\w)"), None),
    (
        "version",
        re.compile(r"(?<![\w.])(?:v|V)[0-9]+(?:\.[0-9x]+)*(?:-[A-Za-z0-9.]+)?(?![\w])|(?<![\w.])[0-9]+(?:\.[0-9x]+){2,}(?![\w])"),
        "Zeta",
    ),
    ("path", re.compile(r"(?<![\w.])(?:[\w-]+/)+[\w.-]*\w|(?<![\w/])/(?:[\w.-]+/)*[\w.-]*\w"), "Zeta"),
    (
        "id",
        re.compile(
            r"(?<![\w.-])(?=[\w-]*[0-9])(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+(?![\w-])|(?<![\w.])[A-Z]+-[A-Z](?![\w-])"
        ),
        "Zeta",
    ),
    ("model", re.compile(r"(?<![\w.])[A-Z]{1,4}[0-9]{1,4}[A-Za-z]?(?![\w-])"), "Zeta"),
    ("about", re.compile(r"\bapprox\.(?=\s)|\bca\.(?=\s?[0-9])"), "about"),
    ("verb", re.compile(r"(?<=\band )ships(?= (?:with|in|to|from|as)\b)"), "comes"),
)


_WIDE = re.compile(r"\s\s|[^\S ]|\A\s")


class Shadow(NamedTuple):
    """A text for the parser; its character i stands for characters [starts[i], ends[i]) of the original."""

    text: str
    starts: list[int]
    ends: list[int]

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """Characters of the original behind characters [start, end) of the shadow."""
        return self.starts[start], self.ends[end - 1]


def cast_shadow(text: str, hidden: Iterable[tuple[int, int]] = ()) -> Shadow:
    """Leave out the `hidden` ranges of a text (markers, emphasis) and put plain words for units, code, URLs, ids and versions.

    >>> cast_shadow("The limit is 80 °C [1].", [(18, 22)]).text
    'The limit is 80 degrees.'
    """
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, words in _merged(text, hidden):
        if words is None and not _WIDE.search(text, start, end) and not (letters[-1:] == [" "] and text[start] == " "):
            letters.extend(text[start:end])
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        for place, letter in enumerate(text[start:end] if words is None else words):
            # A space that stands for a line break, or where something between two spaces is gone: one is enough.
            if letter.isspace() and (not letters or letters[-1] == " "):
                continue
            letters.append(" " if letter.isspace() else letter)
            starts.append(start + place if words is None else start)
            ends.append(start + place + 1 if words is None else end)
    # Half a character (a lone surrogate) cannot be written in UTF-8, which the parser does.
    return Shadow("".join(letters).encode("utf-8", "replace").decode("utf-8"), starts, ends)


def _merged(text: str, hidden: Iterable[tuple[int, int]]) -> list[tuple[int, int, str | None]]:
    """Ranges of the text in order, each with the words that replace it; None: as it is."""
    replaced = sorted({(start, end, "") for start, end in hidden if start < end})
    taken = bytearray(len(text))
    for start, end, _ in replaced:
        taken[start:end] = b"\x01" * (end - start)
    for kind, pattern, words in _SURROGATES:
        for found in pattern.finditer(text):
            start, end = found.span()
            put = words
            if kind == "quantity":
                start, end = found.span("unit")
                put = _unit_word(found["gap"], found["unit"], text[end : end + 1])
            if put is not None and not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                replaced.append((start, end, put))
    pieces: list[tuple[int, int, str | None]] = []
    position = 0
    for start, end, put in sorted(replaced):
        if start < position:
            continue
        if start > position:
            pieces.append((position, start, None))
        pieces.append((start, end, put))
        position = end
    if position < len(text):
        pieces.append((position, len(text), None))
    return pieces


_WORDS = {
    "°C": "degrees",
    "°F": "degrees",
    "K": "degrees",
    "W": "watts",
    "V": "volts",
    "A": "amps",
    "h": "hours",
    "s": "seconds",
    "min": "minutes",
    "d": "days",
}


def _unit_word(gap: str, unit: str, following: str) -> str | None:
    word = _WORDS.get(unit, "units")
    return word if gap and gap != "-" else f" {word}" if gap == "" else "unit"
