"""Clauses joined by "and", "but" or a semicolon, each with the subject, auxiliary and scope that it shares."""

from __future__ import annotations

import itertools

from transforms.splitting.drafts import AUXILIARIES, SUBJECTS, Draft
from transforms.splitting.grammar import (
    BE,
    FIXED,
    HAVE,
    asserted_above,
    conjuncts,
    fronted,
    is_choice,
    is_clause,
    is_finite,
    is_negative,
    is_past,
    negated,
    without_joined,
)
from transforms.splitting.inflection import plain_form
from transforms.splitting.vocabulary import vocabulary


def _shared(draft: Draft, one: int, other: int) -> list[int]:
    """What the clause of `other` takes over from the clause of `one` that it is joined to."""
    shared: list[int] = []
    subject = draft.subject(other)
    before = [kid for kid in draft.kids(one) if draft.place[kid] < draft.place[other]]
    if subject is None:
        shared += [kid for kid in before if draft.dep(kid) in SUBJECTS and draft.place[kid] < draft.place[other]]
        if _needs_auxiliary(draft, one, other):
            shared += [kid for kid in before if draft.dep(kid) in AUXILIARIES and draft.place[kid] < draft.place[one]]
    if not draft.kids(other, "mark"):
        shared += [kid for kid in before if draft.dep(kid) == "mark" and draft.place[kid] < draft.place[one]]
    apart = any(draft.words[i].text == ";" for i in draft.order[draft.place[one] : draft.place[other]])
    if not fronted(draft, other) and not apart and (subject is None or is_past(draft, one) == is_past(draft, other)):
        shared += fronted(draft, one)
    return shared


def _needs_auxiliary(draft: Draft, one: int, other: int) -> bool:
    if draft.kids(other, *AUXILIARIES):
        return False
    helpers = [draft.lower(kid) for kid in draft.kids(one, *AUXILIARIES)]
    tag = draft.words[other].tag
    if not helpers:
        return False
    modal = any(draft.words[kid].tag == "MD" for kid in draft.kids(one, "aux"))
    if tag == "VBN" or (tag == "VBD" and draft.words[one].tag == "VBN" and (modal or draft.kids(other, "agent"))):
        return any(helper in BE or helper in HAVE for helper in helpers)
    if tag == "VBG":
        return any(helper in BE for helper in helpers)
    return tag in ("VB", "VBP") and draft.words[one].tag in ("VB", "VBP")


def split_joined_clauses(draft: Draft) -> list[Draft] | None:
    if "conj" not in draft.deps:
        return None
    for verb in draft.order:
        if draft.dep(verb) == "conj" or not is_clause(draft, verb):
            continue
        chain = conjuncts(draft, verb)
        clauses = [member for member in chain if is_clause(draft, member)]
        if len(clauses) < 2 or clauses[0] != verb or not _may_split_clauses(draft, verb, chain, clauses):
            continue
        return _separate(draft, verb, clauses, chain)
    return None


def _may_split_clauses(draft: Draft, verb: int, chain: list[int], clauses: list[int]) -> bool:
    if is_choice(draft, chain, clauses) or not asserted_above(draft, verb) or _is_guess(draft, verb):
        return False
    for one, other in itertools.pairwise(clauses):
        shares_subject = draft.subject(other) is None
        if shares_subject and any(is_negative(draft, kid) for kid in draft.kids(verb, *SUBJECTS)):
            return False
        if shares_subject and negated(draft, one) and (_needs_auxiliary(draft, one, other) or not is_finite(draft, other)):
            return False
        if _ends_in_condition(draft, one, other):
            return False
        if (
            not is_finite(draft, other)
            and shares_subject
            and not _needs_auxiliary(draft, verb, other)
            and not _same_form(draft, verb, other)
        ):
            return False
    return f"{draft.lower(clauses[0])}/{draft.lower(clauses[1])}" not in FIXED


_GUESSES = frozenset({"perhaps", "maybe", "possibly", "probably", "presumably", "allegedly", "reportedly", "supposedly"})


def _is_guess(draft: Draft, verb: int) -> bool:
    """Whether an adverb calls all that follows possible: "perhaps A and B"."""
    return any(draft.lower(kid) in _GUESSES and draft.place[kid] < draft.place[verb] for kid in draft.kids(verb, "advmod"))


def _same_form(draft: Draft, one: int, other: int) -> bool:
    tags = (draft.words[one].tag, draft.words[other].tag)
    return tags[0] == tags[1] or tags in (("VBP", "VB"), ("VBD", "VBN")) or draft.words[one].pos == "AUX"


_CONDITIONS = vocabulary("if when unless until once after before whenever while as where till provided")


def _ends_in_condition(draft: Draft, one: int, other: int) -> bool:
    """Whether a condition stands behind the first clause, so that the second may belong to it."""
    for kid in draft.kids(one, "advcl"):
        if draft.place[one] < draft.place[kid] < draft.place[other] and any(
            draft.lower(k) in _CONDITIONS for k in draft.kids(kid, "mark", "advmod")
        ):
            before = draft.order[draft.first(draft.tree(other) - {other} | {other}) - 2 : draft.first(draft.tree(other))]
            return draft.subject(other) is not None and not any(
                draft.words[i].text in (",", ";") or draft.lower(i) == "but" for i in before
            )
    return False


def _separate(draft: Draft, verb: int, clauses: list[int], chain: list[int]) -> list[Draft]:
    parts = []
    joined = set(chain)
    for k, clause in enumerate(clauses):
        bare = without_joined(draft, clause, joined)
        part = draft.without(draft.tree(verb) - bare) if k == 0 else _take_over(draft, verb, clause, bare, clauses[:k])
        raised = _raised(draft, clauses, k)
        parts.append(_add(part, raised, clause) if raised else part)
    return parts


def _take_over(draft: Draft, verb: int, clause: int, bare: set[int], before: list[int]) -> Draft:
    """The clause with what it shares with the nearest clause before it that has it."""
    shared: list[int] = []
    source = next((one for one in reversed(before) if draft.subject(one) is not None), before[0])
    if draft.subject(clause) is not None:
        source = before[0]
    shared = _shared(draft, source, clause)
    if source != before[0] and not fronted(draft, clause) and not any(kid in shared for kid in fronted(draft, source)):
        apart = any(draft.words[i].text == ";" for i in draft.order[draft.place[before[0]] : draft.place[clause]])
        shared += fronted(draft, before[0]) if not apart and is_past(draft, before[0]) == is_past(draft, clause) else []
    if (
        draft.subject(clause) is None
        and not draft.kids(clause, *AUXILIARIES)
        and draft.words[source].pos == "AUX"
        and draft.words[clause].tag in ("VBN", "VBG")
    ):
        shared.append(-source - 1)
    return _adopt(draft, verb, clause, bare, shared)


def _adopt(draft: Draft, verb: int, clause: int, bare: set[int], shared: list[int]) -> Draft:
    words = list(draft.words)
    moved: set[int] = set()
    for kid in shared:
        if kid < 0:  # the copula itself, as the auxiliary of a participle
            kid = -kid - 1
            moved.add(kid)
            words[kid] = words[kid]._replace(head=clause, dep="auxpass")
        else:
            moved |= draft.tree(kid) - bare
            words[kid] = words[kid]._replace(head=clause)
    head = words[verb].head
    finite = {"VBN": "VBD", "VB": "VBP"}.get(words[clause].tag, "") if words[verb].tag in ("VBD", "VBP") else ""
    if finite and not any(words[i].head == clause and words[i].dep in AUXILIARIES for i in bare | moved):
        words[clause] = words[clause]._replace(tag=finite)
    words[clause] = words[clause]._replace(head=clause if head == verb else head, dep=draft.words[verb].dep)
    if head != verb and clause in moved:
        moved.discard(clause)
    outside = set(draft.order) - draft.tree(verb)
    order = [i for i in draft.order if i in bare or i in moved or i in outside]
    part = draft.derive(order, words, [i for i in order if i not in bare])
    return part


_INTRANSITIVE = vocabulary(
    "rise fall grow drop go come arrive exist happen occur expand shrink live sit stand wait crash restart blink sleep appear "
    "disappear emerge die retire resign peak decline"
)


def _raised(draft: Draft, clauses: list[int], k: int) -> set[int]:
    """What stands behind the last clause and belongs to all: "designs, builds and sells pumps"."""
    last, clause = clauses[-1], clauses[k]
    if clause == last or draft.subject(last) is not None:
        return set()
    if draft.words[clause].tag != draft.words[last].tag or plain_form(draft.words[clause].text) in _INTRANSITIVE:
        return set()
    following = [i for i in draft.order if draft.place[clause] < draft.place[i] < draft.place[clauses[k + 1]]]
    modifiers = {i for kid in draft.kids(clauses[k + 1]) if draft.place[kid] < draft.place[clauses[k + 1]] for i in draft.tree(kid)}
    if any(any(c.isalnum() for c in draft.words[i].text) and draft.dep(i) != "cc" and i not in modifiers for i in following):
        return set()
    behind = [
        kid for kid in draft.kids(last) if draft.place[kid] > draft.place[last] and draft.dep(kid) not in ("conj", "cc", "punct")
    ]
    if not any(draft.dep(kid) in ("dobj", "prep", "agent") for kid in behind):
        return set()
    return {i for kid in behind for i in draft.tree(kid)}


def _add(part: Draft, tokens: set[int], verb: int) -> Draft:
    words = list(part.words)
    for i in tokens:
        if words[i].head not in tokens:
            words[i] = words[i]._replace(head=verb)
    end = part.place[verb] + 1
    missing = sorted(tokens - set(part.order))
    return part.derive(part.order[:end] + missing + part.order[end:], words, missing)
