"""Extract the attributes that a text states, with their offsets."""

from __future__ import annotations

from functools import lru_cache

from transforms.attributes.dates import note_dates, note_periods, note_versions
from transforms.attributes.names import note_names
from transforms.attributes.quantities import note_quantities
from transforms.attributes.record import Attribute, Reading, read_words
from transforms.attributes.scopes import note_codes, note_products, note_scopes
from transforms.attributes.wording import note_wording


def extract(text: str) -> list[Attribute]:
    """Extract what a text states, in the order of the text.

    Deterministic, in time linear in the text; `text[a.start:a.end] == a.words` for every attribute. Numbers inside dates, versions
    and names are no quantities.

    >>> [(a.family, a.kind, a.words) for a in extract("EU logs must be kept for 30 days since 2024")]
    [('scope', 'region', 'EU'), ('modality', 'obligation', 'must'), ('quantity', 'measure', '30 days'), ('date', 'date', '2024')]
    """
    return list(read(text).found)


def read(text: str) -> Reading:
    """Read a text with every theme; each claims the characters that it understands before the next one looks."""
    return _read_short(text) if len(text) <= _SHORT else _read(text)


_SHORT = 2000


def _read(text: str) -> Reading:
    reading = read_words(text)
    if any(letter.isdigit() for letter in text):
        note_versions(reading)
        note_codes(reading)
    for note in (note_dates, note_periods):
        note(reading)
    if any(letter.isdigit() for letter in text):
        note_products(reading)
    for note in (note_scopes, note_quantities, note_names, note_wording):
        note(reading)
    reading.found.sort(key=lambda one: (one.start, one.end, one.family, one.kind))
    return reading


@lru_cache(maxsize=256)
def _read_short(text: str) -> Reading:
    """A premise meets several claims, one soon after the other."""
    return _read(text)


def read_claim(text: str) -> Reading:
    """Read a claim: as `read`, remembered for longer, since it meets every window of its passages."""
    return _read_short_claim(text) if len(text) <= _SHORT else _read(text)


@lru_cache(maxsize=2048)
def _read_short_claim(text: str) -> Reading:
    return _read(text)
