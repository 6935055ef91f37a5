"""Rank cited spans that entail and contradict the same claim: by what they are, never by how many they are."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import NamedTuple

from transforms.attributes.lists import word_list
from transforms.attributes.numerals import START_WORDS
from transforms.vocabulary import vocabulary

RULES = "observation-1"
SUPPORT, CONTRADICTION = "support", "contradiction"


class Side(NamedTuple):
    """One span that takes a side on a claim: it entails it, or it contradicts it."""

    evidence_id: str
    entails: bool
    source_type: str | None = None
    statement_kind: str | None = None
    valid_from: dt.datetime | None = None
    published_at: dt.datetime | None = None


# Best first. Silence (None) is no merit and no admission: it stands just before the last, which a row must declare of itself.
_SOURCES = ("primary", None, "secondary")
_KINDS_OF_NORM = ("norm", "measured", None, "inferred")
_KINDS_OF_OBSERVATION = ("measured", "norm", None, "inferred")


def rank_sides(claim: str, sides: Iterable[Side]) -> list[Side]:
    """Order the sides on a claim, the weightiest first.

    A primary source goes before a secondary one; then a norm before what was measured before what was inferred, but what was
    measured before a norm where the claim tells what was observed; then the later effective date, then the later publication. An
    undeclared source or statement kind goes behind what is declared and good, before `secondary` and `inferred`. An undeclared
    valid_from means valid from the beginning, the earliest date there is: were it skipped instead, three sides could beat each
    other in a ring. An undeclared publication date goes last. Sides that tie in all this are in the order of their ids. Numbers
    never count: many copies of one error outweigh nothing.

    >>> rules, blog = Side("rules", False, "primary", "norm"), Side("blog", True, "secondary", "norm")
    >>> [side.evidence_id for side in rank_sides("Logs are kept for 30 days", [blog, rules])]
    ['rules', 'blog']
    """
    kinds = _KINDS_OF_OBSERVATION if is_observation(claim) else _KINDS_OF_NORM
    return sorted(sides, key=lambda side: (_weight(side, kinds), side.evidence_id, side.entails))


def prevailing(claim: str, sides: Iterable[Side]) -> str | None:
    """Say which side prevails, `support` or `contradiction`; None where the best of both weigh the same, or there is no side.

    >>> old, new = (dt.datetime(year, 1, 1, tzinfo=dt.timezone.utc) for year in (2023, 2025))
    >>> prevailing("Logs are kept for 30 days", [Side("a", True, valid_from=old), Side("b", False, valid_from=new)])
    'contradiction'
    >>> prevailing("Logs are kept for 30 days", [Side("a", True), Side("b", False), Side("c", False)]) is None
    True
    """
    kinds = _KINDS_OF_OBSERVATION if is_observation(claim) else _KINDS_OF_NORM
    weights = [(_weight(side, kinds), side.entails) for side in sides]
    best = min((weight for weight, _ in weights), default=None)
    leading = {entails for weight, entails in weights if weight == best}
    if len(leading) != 1:
        return None
    return SUPPORT if True in leading else CONTRADICTION


def _weight(side: Side, kinds: tuple[str | None, ...]) -> tuple[int, int, float, float]:
    """The smaller, the weightier."""
    return (
        _place(side.source_type, _SOURCES),
        _place(side.statement_kind, kinds),
        -_moment(side.valid_from),
        -_moment(side.published_at),
    )


def _place(declared: str | None, order: tuple[str | None, ...]) -> int:
    return order.index(declared if declared in order else None)


def _moment(date: dt.datetime | None) -> float:
    return float("-inf") if date is None else date.timestamp()


# What binds now or from now on; "was required" is told of the past.
_BINDING = re.compile(
    r"\b(?:must|shall|should|ought|(?-i:may)|can|cannot|can't|will|won't|needs? to|ha(?:s|ve) to)\b"
    r"|\b(?:is|are|be)\s(?:\w+ly\s|not\s|only\s)?(?:required|allowed|permitted|forbidden|prohibited|obliged|entitled|expected|supposed)\b",
    re.IGNORECASE,
)
# Figures that somebody took. What "is measured" every hour, and what "must be recorded", is a rule.
_TAKEN = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bbeing )\b(?:measured|observed|recorded|surveyed|averag(?:es|ed))\b|\bon average\b"
    r"|\bthe median\b|\b(?:study|survey|trial|test|sample|experiment)s?\s(?:shows?|finds?|suggests?|confirms?|reports?)\b",
    re.IGNORECASE,
)
_PERFECT = re.compile(r"\b(?:ha(?:s|ve)|\w+'ve)(?:n't)?\s(?:\w+ly\s|not\s|never\s|already\s|since\s)?(\w+)", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:after|as soon as|before|if|once|unless|until|when|whenever|who)\b", re.IGNORECASE)
_PRESENT = re.compile(r"\b(?:is|are|isn't|aren't|am|does|do|doesn't|don't)\b", re.IGNORECASE)
_PAST_AUXILIARY = re.compile(r"\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't)\b", re.IGNORECASE)
_PAST_TIME = re.compile(
    r"\b(?:yesterday|ago|last (?:day|night|week|month|quarter|year|spring|summer|autumn|winter)|previously)\b"
    r"|\b(?:in|during|between|throughout) (?:\w+ ){0,2}(?:1[5-9]|20)\d\d\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[^\w\s]")
_IRREGULAR = vocabulary(
    """rose fell grew shrank became began broke brought bought came chose drew drove felt fought found flew forgot froze gave
    went got held kept knew led left lost made meant met paid ran said saw sold sent shook shone shot showed slept spoke spent
    stood stole struck swam took taught told thought threw understood woke wore won wrote"""
)
_PARTICIPLES = vocabulary(
    """been become begun broken brought bought come chosen drawn driven fallen felt found flown given gone got gotten grown held
    kept known led left lost made met paid risen run said seen sold sent shown shrunk spoken spent stood taken taught told
    thought won written"""
)
# Irregular forms that stand before a noun as well: paid leave.
_ADJECTIVES = vocabulary("held kept left lost made paid sold spent broken")
_NO_PAST = vocabulary(
    """need speed feed seed exceed proceed succeed bleed breed embed shed bed red deed indeed hundred weed greed sacred naked
    limited unlimited based related unused detailed advanced dedicated shared managed encrypted supposed united"""
)
_AFTER_AUXILIARY = frozenset(
    word_list("is are be been being am has have was were get gets got isn't aren't not as when if unless once")
)
# Between an auxiliary and its participle.
_ADVERBS = frozenset(word_list("always never only also often automatically not still already usually then now"))
# What stands behind the verb of a report, where an adjective has its noun: they reported that, it rose by, it failed twice.
_BEHIND_A_VERB = START_WORDS | frozenset(
    word_list(
        """a an the its their his her our this that these those to by from in on at for of with into over under after before
        during until since as and but than about more less no all most some twice once again slightly sharply . , ; :"""
    )
)


def is_observation(claim: str) -> bool:
    """Whether a claim tells what was observed (a report in the past tense, measured figures), not what must hold.

    What must hold is an obligation, a permission, a plan or a rule in the present tense. Word rules: a modal decides for what must
    hold; then words of measurement and the perfect tense for what was observed; then the first of "is", "are", "do" and "was",
    "were", "did"; then a past tense in the place of a verb. What no rule decides must hold: documents state rules, mostly. A
    participle behind its noun ("logs kept in the EU take up 5 TB") passes for a past tense.

    >>> is_observation("Uptime was 99.9 % in 2024"), is_observation("Logs are kept for 30 days")
    (True, False)
    """
    if _BINDING.search(claim):
        return False
    if _TAKEN.search(claim) or _is_perfect(claim):
        return True
    past, present = _PAST_AUXILIARY.search(claim), _PRESENT.search(claim)
    if past and present:
        return past.start() < present.start()
    return past is not None or (present is None and _has_past_verb(claim))


def _is_perfect(claim: str) -> bool:
    """Whether something has happened; what has to have happened before a rule applies is its condition."""
    perfects = (match for match in _PERFECT.finditer(claim) if not _CONDITION.search(claim, 0, match.start()))
    return any(_is_participle(match[1].lower()) for match in perfects)


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or _is_regular(word)


def _is_regular(word: str) -> bool:
    return word.endswith("ed") and len(word) > 3 and word not in _NO_PAST


def _has_past_verb(claim: str) -> bool:
    """Whether a word has the form of a past tense and the place of a verb: behind a subject, not behind an auxiliary."""
    words = [match.group().lower() for match in _WORD.finditer(claim)]
    dated = bool(_PAST_TIME.search(claim))
    return any(_is_past_verb(words, i, dated) for i in range(1, len(words)))


def _is_past_verb(words: list[str], i: int, dated: bool) -> bool:
    word = words[i]
    plain = word in _IRREGULAR and word not in _ADJECTIVES
    if word not in _IRREGULAR and not _is_regular(word):
        return False
    before = i - 1
    while before > 0 and (words[before] in _ADVERBS or words[before].endswith("ly")):
        before -= 1
    if words[before] in _AFTER_AUXILIARY:
        return False
    following = words[i + 1] if i + 1 < len(words) else "."
    return dated or plain or following in _BEHIND_A_VERB or following[0].isdigit() or following.endswith("ly")
