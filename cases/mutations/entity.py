"""Change who or what: named things, roles, kinds; who did it to whom."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cases.mutations.record import CHANGED, Mutation, change, pick, swap_within, words

FAMILY = "entity"
_CAPITALISED = r"[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*"
_NAME_AFTER = re.compile(rf"\b(?P<before>[a-z]+) (?P<name>{_CAPITALISED})\b(?!-)")
_VERB_AFTER = r"(?= (?:is|was|has|had|are|were|will|did|won|became|\w+ed)\b)"
_LEADING = re.compile(rf"^(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)+)\b{_VERB_AFTER}")
_NOT_NAMES = frozenset(
    words(
        """January February March April May June July August September October November December Monday Tuesday Wednesday Thursday
        Friday Saturday Sunday American English French German The This That These Those It He She They We You In On At"""
    )
)
_VERB_BETWEEN = r"(?!and\b|or\b|of\b)[a-z]+(?:ed|s|t|w|n)(?: (?:by|from|to|with|against))?"
_BOTH = re.compile(rf"\b(?P<one>{_CAPITALISED}) (?P<verb>{_VERB_BETWEEN}) (?P<other>{_CAPITALISED})\b")
# Of these verbs the subject and the object are never the same two turned round.
_ONE_WAY = re.compile(
    r"(?:ed|s)?(?:beat|hit|wrote|made|sold|taught|founded|directed|produced|defeated|acquired|bought|killed|married|hired|led|created"
    r"|discovered|replaced|succeeded|owns|invented|designed)"
)
_KINDS = """
    director producer actor singer writer composer guitarist drummer
    president chairman secretary treasurer
    mother father sister brother daughter son uncle aunt
    lawyer doctor teacher engineer nurse farmer
    red blue green yellow black white orange purple brown pink
    dog cat horse bird
    guitar piano violin drums trumpet
    football basketball baseball tennis hockey soccer rugby golf
    novel poem film album song play
    car bus train truck bicycle motorcycle boat
    river lake mountain desert
    shirt jacket hat dress sweater
    gold silver bronze
    aluminium steel copper wood plastic glass
    oxygen nitrogen hydrogen carbon helium
    lung liver kidney heart brain
    bread rice cheese meat fish soup
    email phone letter fax
"""
_GROUPS = tuple(words(line) for line in _KINDS.strip().splitlines())


def names_of(sentences: Iterable[str]) -> dict[str, list[str]]:
    """Names by the slot that they fill (the word in front, "^" at the start of a sentence, and how many words they have).

    Names of one slot may stand in each other's place; a slot with five names or fewer is left out.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        for start, end, slot in _named(sentence):
            found[slot].add(sentence[start:end])
    return {slot: sorted(names) for slot, names in found.items() if len(names) > 5}


def mutate_entities(sentence: str, names: Mapping[str, Sequence[str]]) -> Iterator[Mutation]:
    """Every change of a named thing, a role or a kind that `sentence` states; `names` as `names_of` gives them."""
    for start, end, slot in _named(sentence):
        others = [name for name in names.get(slot, ()) if name not in sentence and sentence[start:end] not in name]
        if others:
            yield from change(sentence, start, end, pick(others, sentence, start), FAMILY, "name", CHANGED)
    yield from swap_within(sentence, _GROUPS, FAMILY, "kind")
    for match in _BOTH.finditer(sentence):
        if _ONE_WAY.search(match["verb"]) and not {match["one"], match["other"]} & _NOT_NAMES:
            swapped = f"{match['other']} {match['verb']} {match['one']}"
            yield from change(sentence, *match.span(), swapped, FAMILY, "roles", CHANGED)


def _named(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Where names stand, and the slot that they fill."""
    leading = _LEADING.match(sentence)
    if leading and leading["name"].split()[0] not in _NOT_NAMES:
        yield *leading.span("name"), f"^{len(leading['name'].split())}"
    for match in _NAME_AFTER.finditer(sentence):
        parts = match["name"].split()
        if not _NOT_NAMES & set(parts):
            yield *match.span("name"), f"{match['before']} {len(parts)}"
