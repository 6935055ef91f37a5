"""Compare polarity, modality and aggregation: words that act on others, compared in the sentence that is nearest to the claim."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.attributes.record import Attribute, Comparison, Difference, Reading
from transforms.vocabulary import vocabulary

# Below this share of the claim's content words a sentence is about something else, and what it takes back is not the claim.
MIN_SHARED = 0.4
_FORCES = {"obligation": "must", "advice": "should", "possibility": "may", "permission": "may", "plan": "plan"}
_ORDER = ("must", "should", "may", "plan")
# A claim with one of these states a condition or a moment of its own.
# Not weaker than the plain statement: who can do it, does it.
_ABLE = frozenset(
    {"can", "could", "entitled", "allowed", "allows", "permitted", "permits", "is able to", "are able to", "be able to"}
)
_CONDITIONAL = frozenset({"if", "when", "once", "unless", "after", "without", "whenever", "until", "only", "provided", "with"})
_DENYING = vocabulary(
    """only outside avoid avoids avoided end ends ended stop stops stopped remove removes removed refuse refuses deny denies
    denied prevent prevents suspend suspends limit limits limited until unpaid need needs except instead rather rarely
    hardly few barely scarcely seldom impossible longest highest maximum latest earliest"""
)
_LIMITED = frozenset({"most", "half", "average"})


def compare_wording(claim: Reading, premise: Reading, comparison: Comparison) -> None:
    """Add to a comparison what negation, direction, modality and quantifiers make different."""
    sentence, shared = nearest_sentence(claim, premise)
    ours = [one for one in claim.found if one.family in _COMPARED][:64]
    spans = [(word.start, word.sentence) for word in premise.words]
    start = next((at for at, number in spans if number == sentence), 0)
    start = max(start, premise.heading_end)
    end = next((at for at, number in spans if number > sentence), len(premise.text))
    theirs = [one for one in premise.found if one.family in _COMPARED]
    near = [one for one in theirs if start <= one.start < end]
    for family, differences in _COMPARED.items():
        mine = [one for one in ours if one.family == family]
        near_ones = [one for one in near if one.family == family]
        if not mine and not near_ones:
            continue
        found = list(differences(mine, near_ones, claim, premise, shared))
        comparison.differs.extend(found)
        if not found:
            comparison.agrees.extend(mine)


def nearest_sentence(claim: Reading, premise: Reading) -> tuple[int, float]:
    """The sentence of the premise that shares most content words with the claim, and the share of the claim's words."""
    ours = frozenset().union(*claim.stems.values())
    if not ours or not premise.stems:
        return 0, 0.0
    best = max(premise.stems, key=lambda number: (len(ours & premise.stems[number]), -number))
    return best, len(ours & premise.stems[best]) / len(ours)


def _targets(one: Attribute) -> tuple[str, ...]:
    value = one.value
    return value[1] if isinstance(value, tuple) and isinstance(value[1], tuple) else ()


def _all_stems(reading: Reading) -> frozenset[str]:
    return frozenset().union(*reading.stems.values())


def _polarity(
    ours: list[Attribute], theirs: list[Attribute], claim: Reading, premise: Reading, shared: float
) -> Iterator[Difference]:
    yield from _negation(ours, theirs, claim, premise, shared)
    for one in _opposites(ours, theirs):
        yield one
        return


def _negation(
    ours: list[Attribute], theirs: list[Attribute], claim: Reading, premise: Reading, shared: float
) -> Iterator[Difference]:
    """A negation on one side alone, where what it negates stands on the other side too.

    None is named where the other side denies in another way (unreadable, only, removed), nor for two negations in one claim.
    """
    mine = [one for one in ours if one.kind == "negation"]
    near = [one for one in theirs if one.kind == "negation"]
    if len(mine) == 1 and not is_negative(premise):
        if _all_stems(premise) & set(_targets(mine[0])):
            yield Difference("polarity", mine[0], None)
    elif near and not is_negative(claim) and shared >= MIN_SHARED:
        stems = _all_stems(claim)
        taken_back = next((one for one in near if stems & set(_targets(one))), None)
        if taken_back is not None:
            yield Difference("polarity", None, taken_back)


def is_negative(reading: Reading) -> bool:
    """Whether a text denies something: by a negation, or by a word that can stand for one.

    >>> from transforms.attributes.record import read_words
    >>> [is_negative(read_words(text)) for text in ("It is unreadable", "Only cash is taken", "Cash is taken")]
    [True, True, False]
    """
    return any(one.kind == "negation" for one in reading.found) or any(
        low in _DENYING or (low[:2] == "un" and len(low) > 6 and low[:3] not in ("uni", "und", "unt", "unl")) or low[-4:] == "less"
        for low in reading.lows
    )


def _opposites(ours: list[Attribute], theirs: list[Attribute]) -> Iterator[Difference]:
    """The two sides of one axis: rose against fell, above against below."""
    sides: dict[str, dict[str, list[Attribute]]] = {}
    for mine, group in ((True, ours), (False, theirs)):
        for one in group:
            if one.kind == "direction" and isinstance(one.value, tuple):
                axis, side = one.value
                sides.setdefault(str(axis), {}).setdefault(f"{'o' if mine else 't'}{side}", []).append(one)
    for found in sides.values():
        for side, opposite in (("+", "-"), ("-", "+")):
            if f"o{side}" in found and f"t{opposite}" in found and f"o{opposite}" not in found and f"t{side}" not in found:
                yield Difference("polarity", found[f"o{side}"][0], found[f"t{opposite}"][0])


def _forces(attributes: list[Attribute]) -> dict[str, Attribute]:
    return {_FORCES[one.kind]: one for one in reversed(attributes) if one.kind in _FORCES}


def _modality(
    ours: list[Attribute], theirs: list[Attribute], claim: Reading, premise: Reading, shared: float
) -> Iterator[Difference]:
    stems = _all_stems(claim)
    mine, other = _forces(ours), _forces(theirs)
    negated = any(one.kind == "negation" for one in claim.found) and any(one.kind == "negation" for one in premise.found)
    if mine and other and not mine.keys() & other.keys():
        if not negated and not ("must" in other and (is_negative(claim) or "must" in mine)):
            yield Difference("modality", mine[min(mine, key=_ORDER.index)], other[min(other, key=_ORDER.index)])
    elif other and not mine and not negated and "must" not in other and shared >= MIN_SHARED:
        weaker = next((one for one in other.values() if one.words.lower() not in _ABLE and stems & set(_targets(one))), None)
        if weaker is not None:
            yield Difference("modality", None, weaker)
    yield from _certainty(ours, theirs, shared)
    if shared >= MIN_SHARED and not _CONDITIONAL & claim.lows:
        left_out = [one for one in theirs if one.kind in ("condition", "exception") and not stems & set(_targets(one)[:1])]
        yield from (Difference("modality", None, one) for one in left_out[:1])


def _certainty(ours: list[Attribute], theirs: list[Attribute], shared: float) -> Iterator[Difference]:
    """Always against usually; and "usually" left out."""
    sure = [one for one in ours if one.kind == "certainty"]
    known = {one.kind for one in theirs} & {"certainty", "frequency"}
    often = [one for one in theirs if one.kind == "frequency"]
    if sure and "certainty" not in known:
        yield Difference("modality", sure[0], often[0] if often else None)
    elif often and not any(one.kind == "frequency" for one in ours) and not sure and shared >= MIN_SHARED:
        yield Difference("modality", None, often[0])


def _aggregation(
    ours: list[Attribute], theirs: list[Attribute], claim: Reading, premise: Reading, shared: float
) -> Iterator[Difference]:
    mine, other = {one.kind: one for one in reversed(ours)}, {one.kind: one for one in reversed(theirs)}
    for kind, one in mine.items():
        if kind in other or (kind == "none" and any(two.kind == "negation" for two in premise.found)):
            continue
        if kind == "none" and not other.keys() & _LIMITED and "all" not in other:
            continue
        rivals = [two for name, two in other.items() if name not in mine]
        if kind != "some" or any(two.kind in ("none", "average") for two in rivals):
            yield Difference("aggregation", one, rivals[0] if rivals else None)
            return
    if shared >= MIN_SHARED and not mine:
        limited = next((one for kind, one in other.items() if kind in _LIMITED), None)
        if limited is not None:
            yield Difference("aggregation", None, limited)


_COMPARED = {"polarity": _polarity, "modality": _modality, "aggregation": _aggregation}
