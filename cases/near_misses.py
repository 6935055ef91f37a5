"""Near misses from natural pairs: one attribute changed on either side, so that a model learns attributes and not resemblance.

From a premise that entails a claim, rows of five kinds come out:

- the claim changed: not established, or contradicted;
- the premise changed where the claim has the same words: not established either;
- both changed alike: still entailed, so that an unusual value is no sign of anything;
- the claim reworded or widened (30 -> thirty, on 12 March 2019 -> in 2019): entailed;
- a sibling beside the premise, as rate cards and policies have them: the claim is entailed by its own sentence only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cases.mutations import SCOPES, Mutation, Scope, mutate, pick, scoped
from cases.mutations.record import pairs, words

# Of the operators that swap one value for another of its kind; the same swap on both sides keeps the entailment.
_SWAPS = frozenset(words("number unit year month day day_name decade version century name kind place group scope"))
# Of the operators that give a sibling its other value.
_SIBLING_SWAPS = frozenset(words("number unit year month kind name opposite harden"))
# Ways to deny and to leave open that say the same.
_REWORDED = pairs(
    """is not/isn't, are not/aren't, was not/wasn't, were not/weren't, did not/didn't, is never/is at no time,
    are never/are at no time, can not/cannot, will not/won't, may be/might be, might be/could be, could be/may be,
    may have been/might have been, could have been/might have been, expected to be/supposed to be"""
)
# Words that are small behind a scope: no name starts with them.
_COMMON_STARTS = frozenset(words("The There A An They It This All Some"))
# Of one pair at most so many rows of a family: a sentence with five numbers teaches no more than one with two.
_ROWS_A_FAMILY = 2


class NearMiss(NamedTuple):
    """One generated row; `label` is "entailment", "contradiction" or "unsupported"."""

    premise: str
    hypothesis: str
    label: str
    family: str
    operator: str


def near_misses(premise: str, hypothesis: str, names: Mapping[str, Sequence[str]]) -> list[NearMiss]:
    """Every row that a pair with an entailed hypothesis gives, at most two a family and label."""
    rows = [*_changed_claims(premise, hypothesis, names), *_changed_premises(premise, hypothesis, names)]
    taken: dict[tuple[str, bool], int] = defaultdict(int)
    chosen = []
    for row in sorted(rows, key=lambda row: pick(range(1 << 30), row.hypothesis, row.premise, row.operator)):
        key = row.family, row.label == "entailment"
        if taken[key] < _ROWS_A_FAMILY and row.premise and row.hypothesis:
            taken[key] += 1
            chosen.append(row)
    return chosen


def _changed_claims(premise: str, hypothesis: str, names: Mapping[str, Sequence[str]]) -> Iterator[NearMiss]:
    for one in mutate(hypothesis, names):
        if one.relation and (one.relation == "entailment" or not _states(premise, one.after, one.before)):
            yield NearMiss(premise, one.text, one.relation, one.family, one.operator)
        if one.operator in _SWAPS and (both := _replace(premise, one)):
            yield NearMiss(both, one.text, "entailment", one.family, f"{one.operator}_both")
            yield NearMiss(both, hypothesis, "unsupported", one.family, f"{one.operator}_premise")


def _changed_premises(premise: str, hypothesis: str, names: Mapping[str, Sequence[str]]) -> Iterator[NearMiss]:
    """The hypothesis as its own premise, with one attribute changed there: does it still establish the sentence without?"""
    for one in mutate(hypothesis, names):
        if one.reverse:
            yield NearMiss(one.text, hypothesis, one.reverse, one.family, f"{one.operator}_reverse")
        if one.operator in ("deny", "soften", "condition"):
            yield from _kept(one)
    if _clause_like(premise, hypothesis):
        for one in mutate(premise, names):
            turned = one.family in ("modality", "polarity") and one.operator != "opposite"
            if turned and one.reverse and one.reverse != "entailment":
                yield NearMiss(one.text, hypothesis, one.reverse, one.family, f"{one.operator}_source")


def _kept(one: Mutation) -> Iterator[NearMiss]:
    """A denial, a modal or a condition that both sides share: entailed, in other words."""
    if one.operator == "condition" and one.after.startswith(("If", "Unless", "Provided")):
        condition = one.after.rstrip(",")
        body = one.text[len(one.after) :].strip().rstrip(".")
        behind = f"{body[0].upper()}{body[1:]} {condition[0].lower()}{condition[1:]}."
        yield NearMiss(one.text, behind, "entailment", one.family, "condition_both")
    for said, other in _REWORDED:
        if re.search(rf"\b{said}\b", one.text):
            reworded = re.sub(rf"\b{said}\b", other, one.text, count=1)
            yield NearMiss(one.text, reworded, "entailment", one.family, f"{one.operator}_both")
            return


def _clause_like(premise: str, hypothesis: str) -> bool:
    """Whether the premise is one short sentence that the hypothesis says again: what is done to its verb is done to the claim."""
    return len(premise.split()) <= 16 and len(hypothesis.split()) >= 0.6 * len(premise.split()) and " and " not in premise


def _states(premise: str, after: str, before: str) -> bool:
    """Whether the premise has the words of the change already: then the changed claim may be just as true."""
    new = _words_of(after) - _words_of(before)
    return bool(new) and new <= _words_of(premise) and after.lower() not in ("not", "never")


def _words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _replace(premise: str, one: Mutation) -> str | None:
    """The premise with the same swap, everywhere; None where it lacks the words, has those of the change, or the claim keeps them
    in another place."""
    if one.before.isdigit() and len(one.before) == 1:
        return None
    pattern = re.compile(rf"(?<![\w.,-]){re.escape(one.before)}(?![\w-]|[.,]\d)", re.IGNORECASE if one.before.islower() else 0)
    if not pattern.search(premise) or pattern.search(one.text) or _states(premise, one.after, one.before):
        return None
    capitalised = one.after[:1].upper() + one.after[1:]
    return pattern.sub(lambda match: capitalised if match.group()[:1].isupper() else one.after, premise)


def siblings(sentence: str, names: Mapping[str, Sequence[str]]) -> list[NearMiss]:
    """Rows from one sentence under two scopes with two values, beside each other in one premise or alone.

    "S with v1 in scope A. S with v2 in scope B." establishes v1 for A and v2 for B, however A and B are worded, and neither
    v2 for A nor v1 for B. Nothing where the sentence has no value to change, or is no plain statement.
    """
    swaps = [one for one in mutate(sentence, names) if one.operator in _SIBLING_SWAPS]
    if not swaps or not 5 <= len(sentence.split()) <= 22 or sentence.rstrip()[-1:] not in ".":
        return []
    swap = pick(swaps, sentence)
    first = pick(SCOPES, sentence, "first")
    second = pick([one for one in SCOPES if one.group == first.group and one != first], sentence, "second")
    ours, theirs = scoped(sentence, first), scoped(swap.text, second)
    both = pick((f"{ours} {theirs}", f"{theirs} {ours}"), sentence, "order")
    asked = _asked(sentence, first)
    wrong = pick((_asked(swap.text, first), _asked(sentence, second)), sentence, "wrong")
    rows = [
        (both, asked, "entailment", swap.family, "sibling"),
        (both, wrong, "unsupported", swap.family, "sibling"),
        (ours, asked, "entailment", "scope", "asked"),
        (ours, _asked(sentence, second), "unsupported", "scope", "asked"),
        (pick((ours, both), sentence, "alone"), scoped(sentence, first), "entailment", "scope", "scoped"),
        (theirs, pick((asked, _asked(swap.text, first)), sentence, "theirs"), "unsupported", "scope", "asked"),
    ]
    return [NearMiss(*row) for row in rows if row[0] != row[1]]


def _asked(sentence: str, scope: Scope) -> str:
    """`sentence` under `scope` in a user's words, behind or in front."""
    body = sentence.strip().rstrip(".")
    if pick((True, False), sentence, scope) and body.split()[0] in _COMMON_STARTS:
        return f"{scope.asked[0].upper()}{scope.asked[1:]}, {body[0].lower()}{body[1:]}."
    return f"{body} {scope.asked}."


def near_misses_of(pairs: Iterable[tuple[str, str]], names: Mapping[str, Sequence[str]]) -> Iterator[NearMiss]:
    """The rows of all `pairs` (premise, entailed hypothesis), each distinct one once."""
    seen: set[tuple[str, str]] = set()
    for premise, hypothesis in pairs:
        for row in (*near_misses(premise, hypothesis, names), *siblings(hypothesis, names)):
            if (row.premise, row.hypothesis) not in seen:
                seen.add((row.premise, row.hypothesis))
                yield row
