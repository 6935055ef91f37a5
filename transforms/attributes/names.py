"""Read names by their capitals and roles by their nouns."""

from __future__ import annotations

from transforms.attributes.record import FUNCTION_WORDS, Attribute, Reading
from transforms.vocabulary import vocabulary

ROLES = vocabulary(
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
            if first < end and (role := _role(words[first].low)) and end - first > 1:
                reading.note("entity", "role", role, words[first].start, words[first].end)
                first += 1
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
        if reading.low(end) in ("&", "-", "de", "van", "von") and end + 1 < len(words) and _is_capital(reading, end + 1):
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


_COMPANY = vocabulary("inc corp corporation ltd gmbh llc plc group company co")


def is_named(name: Attribute, others: list[Attribute], premise: Reading) -> bool:
    """Whether a premise names what a claim names: by all its words, by its last one alone, or by initials.

    Jones stands for James Jones unless another Jones is named; WHO for World Health Organization, and the other way round.
    """
    parts = _parts(name)
    if not parts or set(parts) <= premise.lows:
        return True
    names = [_parts(other) for other in others if other.kind == "name"]
    core = tuple(part for part in parts if part not in _COMPANY) or parts
    if len(parts) > 1 and core[-1] in premise.lows and core[-1] not in ROLES:
        return not any(len(other) > 1 and other[-1] == core[-1] for other in names)
    return any(_initials(other) == "".join(parts) or other == (_initials(parts),) for other in names)


def _parts(name: Attribute) -> tuple[str, ...]:
    return name.value if isinstance(name.value, tuple) else ()


def _initials(parts: tuple[str, ...]) -> str:
    return "".join(part[0] for part in parts) if len(parts) > 1 else ""


def is_rival_name(name: Attribute, other: Attribute, claim: Reading, premise: Reading) -> bool:
    """Whether a premise's name stands where the claim's does: behind the same word, or in front of the same."""
    if set(_parts(other)) <= claim.lows:
        return False
    return any(one == two != "" for one, two in zip(_around(name, claim), _around(other, premise), strict=True))


def _around(name: Attribute, reading: Reading) -> tuple[str, str]:
    before = reading.text[max(0, name.start - 24) : name.start].lower().split()[-1:]
    after = reading.text[name.end : name.end + 24].lower().split()[:1]
    return "".join(before).strip(",.:;>()"), "".join(after).strip(",.:;>()")
