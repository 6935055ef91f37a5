"""Clauses of cause and concession, and the pronouns between them and the main clause."""

from __future__ import annotations

from transforms.splitting.drafts import Draft
from transforms.splitting.grammar import (
    CAUSES,
    CONCESSIONS,
    QUANTITY_NOUNS,
    after_comma,
    asserted_above,
    comma_beside,
    marks_cause,
    negated,
    nominal,
)


def split_subordinate(draft: Draft) -> list[Draft] | None:
    if "advcl" not in draft.deps:
        return None
    for clause in draft.order:
        kind = marks_cause(draft, clause) if draft.dep(clause) == "advcl" else ""
        if (
            not kind
            or not asserted_above(draft, draft.words[clause].head)
            or (kind == "cause" and _is_ambiguous_cause(draft, clause))
        ):
            continue
        tree = draft.tree(clause)
        marks = {
            kid
            for kid in draft.kids(clause, "mark", "advmod")
            if draft.place[kid] < draft.place[clause]
            and draft.lower(kid) in CAUSES | CONCESSIONS | {"even", "just", "simply", "mainly"}
        }
        words = list(draft.words)
        words[clause] = words[clause]._replace(head=clause, dep="ROOT")
        rest = draft.without(tree | comma_beside(draft, tree))
        other = draft.derive([i for i in draft.order if i in tree - marks], words)
        main = draft.words[clause].head
        if draft.place[clause] < draft.place[main]:
            rest, other = _resolve(rest, main, other, clause), _resolve(other, clause, rest, main, ahead=True)
        else:
            other = _resolve(other, clause, rest, main)
        parts = [rest, other]
        return [*parts, draft.derive(draft.order, final=True)] if kind == "cause" else parts
    return None


def _is_ambiguous_cause(draft: Draft, clause: int) -> bool:
    """ "X does not leak because Y": whether the leak or the cause is denied."""
    main = draft.words[clause].head
    return negated(draft, main) and draft.place[clause] > draft.place[main] and not after_comma(draft, clause)


_PRONOUNS = {"it": "singular", "they": "plural", "he": "person", "she": "person"}


def _resolve(draft: Draft, verb: int, other: Draft, antecedent_verb: int, ahead: bool = False) -> Draft:
    """Put the other clause's subject for a pronoun subject, where nothing else could be meant."""
    pronoun = draft.subject(verb)
    antecedent = other.subject(antecedent_verb)
    if pronoun is None or antecedent is None or other.dep(antecedent) == "expl" or draft.lower(pronoun) not in _PRONOUNS:
        return draft
    number = _PRONOUNS[draft.lower(pronoun)]
    tree = nominal(other, antecedent)
    if other.words[antecedent].pos not in ("NOUN", "PROPN") or not _agrees(other, antecedent, number):
        return draft
    rivals = [
        i for i in other.order if i not in tree and other.words[i].pos in ("NOUN", "PROPN") and _could_be_meant(other, i, number)
    ]
    if (rivals and not ahead) or _is_expletive(draft, verb):
        return draft
    words = list(draft.words)
    words[antecedent] = words[antecedent]._replace(head=draft.words[pronoun].head, dep=draft.dep(pronoun))
    moved = sorted(tree, key=other.place.__getitem__)
    place = draft.place[pronoun]
    return draft.derive(draft.order[:place] + moved + draft.order[place + 1 :], words, moved)


def _is_expletive(draft: Draft, verb: int) -> bool:
    return bool(draft.kids(verb, "ccomp", "csubj", "expl")) or (draft.words[verb].pos == "AUX" and bool(draft.kids(verb, "xcomp")))


def _agrees(draft: Draft, noun: int, number: str) -> bool:
    plural = draft.words[noun].tag in ("NNS", "NNPS") or bool(draft.kids(noun, "conj"))
    return plural if number == "plural" else not plural


def _could_be_meant(draft: Draft, noun: int, number: str) -> bool:
    if (
        draft.lower(noun) in QUANTITY_NOUNS
        or draft.kids(noun, "nummod")
        or draft.dep(noun) in ("compound", "npadvmod", "nmod", "amod", "poss")
    ):
        return False
    if draft.dep(noun) in ("attr", "oprd"):
        return False
    return _agrees(draft, noun, number)
