"""Name the error families that a claim can fall into, and the ones by which a premise differs from it: first, plain rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import apache_beam as beam

from schemas.claims import FAMILIES, OTHER_FAMILY, Claim

RULES = "families-1"

_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
    if value != 1
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
_MONTH = r"(?:january|february|march|april|may(?=\s+\d)|june|july|august|september|october|november|december)"
_DATE = re.compile(
    r"\b\d{4}-\d{2}(?:-\d{2})?\b|\bv\d+(?:\.\d+)*\b|\bversion\s+\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b|\b(?:19|20)\d{2}s?\b|\bq[1-4]\b|\b"
    + _MONTH
    + r"\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    + r"|\b(?:yesterday|today|tomorrow|quarterly|annually|monthly|weekly|daily)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"(?<![\w.-])\d+(?:[.,]\d+)*(?![\w-])|(?<![\w.-])\d+(?:[.,]\d+)*(?=[A-Za-z%°µ]{1,3}\b)|\b(?:"
    + "|".join(_NUMBER_WORDS)
    + r")\b",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"\b(?:Free|Basic|Starter|Standard|Plus|Pro|Premium|Business|Enterprise|Trial|Team)\b|\b[a-z]{2}-(?:north|south|east|west|central|northeast|southeast)-\d\b|\b(?:EU|EEA|UK|US|USA|APAC|EMEA|AMER|LATAM|DACH)\b|\b(?i:europe(?:an)?|americas?"
    r"|american|asian?|germany|france|spain|italy|poland|india|japan|canada|brazil|ireland|austria|switzerland|netherlands|australia|singapore"
    r"|(?:free|basic|starter|standard|plus|pro|premium|business|enterprise|trial|team)(?=\s+(?:plan|tier|edition|customers?|users?|accounts?))|adults?|children|infants?|adolescents?|patients|pregnant|elderly"
    r"|admins?|administrators?|owners?|guests?|contractors?|interns?|managers?|employees|staff|full-time|part-time|students|sandbox|production|staging)"
    r"(?:\s+(?:plan|tier))?\b"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|lacks?|fails? to|excludes?|unable)\b|n't\b", re.IGNORECASE
)
_UP = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|increas\w*|grow(?:s|n|ing)?|grew|gain(?:s|ed)?|higher|more|rais(?:e|es|ed|ing)|up|longer|faster)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:fall(?:s|en|ing)?|fell|decreas\w*|drop(?:s|ped)?|declin\w*|lower(?:s|ed)?|less|reduc\w*|down|shorter|slower|cut(?:s)?)\b",
    re.I,
)
_MODALS = {
    "obligation": re.compile(r"\b(?:must|shall|ha(?:s|ve) to|required|requires|mandatory|need(?:s|ed)? to)\b", re.IGNORECASE),
    "possibility": re.compile(r"\b(?:may(?!\s+\d)|might|can|could|optional(?:ly)?|possibl[ey]|allowed|permitted)\b", re.IGNORECASE),
    "advice": re.compile(r"\b(?:should|recommended|recommends?|advised)\b", re.IGNORECASE),
    "plan": re.compile(
        r"\b(?:planned|plans to|expected|intends? to|scheduled|proposed|upcoming|under consideration)\b", re.IGNORECASE
    ),
    "condition": re.compile(r"\b(?:if|unless|except|provided that|only when|on condition|subject to|as long as)\b", re.IGNORECASE),
}
_AGGREGATION = re.compile(
    r"\b(?:all|every|each|most|majority|on average|averages?|overall|in total|always"
    r"|typically|generally|usually|half of|none of|any)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)*")


class Mismatch(NamedTuple):
    """One way in which a premise differs from a claim."""

    family: str
    words: str


def families_of(claim: str) -> list[str]:
    """The families whose attribute a claim states, in the order of FAMILIES; `other` where it states none.

    >>> families_of("EU logs must be kept for 30 days")
    ['scope', 'quantity', 'modality']
    >>> families_of("The pump is blue")
    ['other']
    """
    return [family for family in FAMILIES if _STATED[family](claim)] or [OTHER_FAMILY]


def compare(claim: str, premise: str) -> list[Mismatch]:
    """Name the attributes of `claim` that `premise` states otherwise or not at all, a Mismatch a family at most.

    >>> compare("Retention in AMER is 30 days", "Retention is 20 days in EMEA")
    [Mismatch(family='scope', words='AMER against EMEA'), Mismatch(family='quantity', words='30 against 20')]
    """
    return [Mismatch(family, words) for family in FAMILIES if (words := _DIFFERENCE[family](claim, premise))]


def _dates(text: str) -> list[str]:
    return _distinct(re.sub(r"^version\s+", "v", match.group().casefold()) for match in _DATE.finditer(text))


def _quantities(text: str) -> list[str]:
    without_dates = _SCOPE.sub(" ", _DATE.sub(" ", text))
    return _distinct(_number(match.group()) for match in _QUANTITY.finditer(without_dates))


def _number(words: str) -> str:
    plain = _NUMBER_WORDS.get(words.casefold(), words)
    return re.sub(r",(?=\d{3}\b)", "", plain)


def _scopes(text: str) -> list[str]:
    return _distinct(match.group() for match in _SCOPE.finditer(text))


def _names(text: str) -> list[str]:
    free = _SCOPE.sub(lambda match: "x" * len(match.group()), _DATE.sub(lambda match: "x" * len(match.group()), text))
    return _distinct(match.group() for match in _NAME.finditer(free) if match.group() != "I")


def _modalities(text: str) -> list[str]:
    return [kind for kind, pattern in _MODALS.items() if pattern.search(text)]


def _polarity(text: str) -> list[str]:
    return [word for word, pattern in (("negated", _NEGATION), ("up", _UP), ("down", _DOWN)) if pattern.search(text)]


def _aggregations(text: str) -> list[str]:
    return _distinct(match.group().casefold() for match in _AGGREGATION.finditer(text))


def _distinct(found: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(found))


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _missing(ours: list[str], theirs: list[str], *, needs_other: bool) -> str | None:
    """What the claim states and the premise does not; with `needs_other` only where the premise states something else instead."""
    known, stated = {_singular(word) for word in theirs}, {_singular(word) for word in ours}
    missing = [word for word in ours if _singular(word) not in known]
    other = [word for word in theirs if _singular(word) not in stated]
    if not missing or (needs_other and not other):
        return None
    return f"{', '.join(missing)} against {', '.join(other)}" if other else f"{', '.join(missing)} is not stated"


def _name_difference(claim: str, premise: str) -> str | None:
    missing = [name for name in _names(claim) if name.casefold() not in premise.casefold()]
    return f"{', '.join(missing)} is not named" if missing else None


def _polarity_difference(claim: str, premise: str) -> str | None:
    ours, theirs = set(_polarity(claim)), set(_polarity(premise))
    if ("negated" in ours) != ("negated" in theirs):
        return "the claim is negated, the premise is not" if "negated" in ours else "the premise is negated, the claim is not"
    if {"up", "down"} <= ours ^ theirs:
        return "the directions are opposite"
    return None


_STATED = {
    "scope": _scopes,
    "date": _dates,
    "quantity": _quantities,
    "entity": _names,
    "polarity": _polarity,
    "modality": _modalities,
    "aggregation": _aggregations,
}
_DIFFERENCE = {
    "scope": lambda claim, premise: _missing(_scopes(claim), _scopes(premise), needs_other=True),
    "date": lambda claim, premise: _missing(_dates(claim), _dates(premise), needs_other=False),
    "quantity": lambda claim, premise: _missing(_quantities(claim), _quantities(premise), needs_other=False),
    "entity": _name_difference,
    "polarity": _polarity_difference,
    "modality": lambda claim, premise: _missing(_modalities(claim), _modalities(premise), needs_other=True),
    "aggregation": lambda claim, premise: _missing(_aggregations(claim), _aggregations(premise), needs_other=False),
}


@dataclass
class TagFamilies(beam.PTransform):
    """Give each claim its families."""

    def expand(self, claims: beam.PCollection[Claim]) -> beam.PCollection[Claim]:
        return claims | "TagClaim" >> beam.Map(lambda claim: claim._replace(families=families_of(claim.text))).with_output_types(
            Claim
        )
