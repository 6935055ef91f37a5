"""Read names by their capitals and roles by their nouns."""

from __future__ import annotations

from transforms.attributes.lists import word_set
from transforms.attributes.record import FUNCTION_WORDS, Reading

ROLES = word_set(
    """ceo cfo cto coo president chairman chairwoman chair director manager officer engineer lawyer attorney doctor physician
    nurse pharmacist technician electrician mechanic auditor accountant analyst architect consultant advisor adviser
    supervisor coordinator secretary minister mayor governor judge professor teacher researcher scientist developer
    designer operator controller ombudsman council board committee lead head boss owner administrator editor author
    founder chief surgeon dentist therapist inspector regulator broker agent clerk treasurer captain commander pilot
    driver"""
)
_JOINTS = frozenset({"of", "the", "and", "de", "van", "von", "&", "-", "’", "'"})


def note_names(reading: Reading) -> None:
    """Find runs of capitalised words within a sentence, and role nouns with the word before them."""
    words, i = reading.words, 0
    while i < len(words):
        end = _name_end(reading, i)
        if end > i:
            first = i + 1 if words[i].low in FUNCTION_WORDS else i
            if not _is_plain_initial(reading, first, end):
                parts = tuple(word.low for word in words[first:end] if word.low[0].isalnum() and word.low not in _JOINTS)
                reading.note("entity", "name", parts, words[first].start, words[end - 1].end)
            i = end
        else:
            if _role(words[i].low) and not reading.taken[words[i].start]:
                reading.note("entity", "role", _role(words[i].low), words[i].start, words[i].end, take=False)
            i += 1


def _role(low: str) -> str | None:
    if low in ROLES:
        return low
    return low[:-1] if low.endswith("s") and low[:-1] in ROLES else None


def _is_plain_initial(reading: Reading, first: int, end: int) -> bool:
    """A single capitalised word where a sentence begins may be any word, unless it is written as no word is: NATO, GitHub."""
    if first >= end:
        return True
    word = reading.words[first]
    return word.initial and end - first == 1 and not _is_odd(word.text)


def _is_odd(text: str) -> bool:
    return len(text) > 1 and any(letter.isupper() for letter in text[1:])


def _name_end(reading: Reading, i: int) -> int:
    words, end = reading.words, i
    while end < len(words) and _is_capital(reading, end):
        end += 1
        if end + 1 < len(words) and words[end].low in ("of", "&", "-", "de", "van", "von") and _is_capital(reading, end + 1):
            if words[end].low != "of" or not words[end + 1].initial:
                end += 1
    return end


def _is_capital(reading: Reading, i: int) -> bool:
    word = reading.words[i]
    return (
        word.text[0].isupper()
        and word.text not in ("I", "I'm", "I've")
        and not reading.taken[word.start]
        and word.low[:2] not in ("i'",)
    )
