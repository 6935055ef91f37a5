"""Clauses of cause and concession, and the pronouns between them and the main clause."""

from __future__ import annotations

from transforms.splitting.adverbials import SUBORDINATORS, subordinate_kind
from transforms.splitting.assertion import asserted_above, negated
from transforms.splitting.drafts import Draft, hang
from transforms.splitting.grammar import after_comma, comma_beside, nominal
from transforms.splitting.vocabulary import NOUNS, PLURAL_TAGS, QUANTITY_NOUNS

_MARKS = SUBORDINATORS | {"even", "just", "simply", "mainly"}
_NUMBERS = {"it": "singular", "they": "plural", "he": "person", "she": "person"}


def split_subordinate(draft: Draft) -> list[Draft] | None:
    """Give the main clause and the subordinate one, and of a cause also the whole, which alone says that the two belong together.

    "The app is slow because the disk is full" becomes "The app is slow", "The disk is full" and the sentence itself.
    """
    if "advcl" not in draft.deps:
        return None
    for clause in draft.order:
        kind = subordinate_kind(draft, clause)
        if not kind or not asserted_above(draft, draft.head(clause)):
            continue
        if kind == "cause" and _is_ambiguous_cause(draft, clause):
            continue
        whole = [draft.derive(draft.order, final=True)] if kind == "cause" else []
        return [*_part(draft, clause), *whole]
    return None


def _is_ambiguous_cause(draft: Draft, clause: int) -> bool:
    """ "X does not leak because Y": whether the leak or the cause is denied."""
    main = draft.head(clause)
    return negated(draft, main) and draft.before(main, clause) and not after_comma(draft, clause)


def _part(draft: Draft, clause: int) -> list[Draft]:
    """The main clause and the subordinate one without its mark, each with a noun for its pronoun."""
    tree = draft.tree(clause)
    marks = {kid for kid in draft.kids(clause, "mark", "advmod") if draft.before(kid, clause) and draft.lower(kid) in _MARKS}
    words = list(draft.words)
    hang(words, clause, clause, "ROOT")
    rest = draft.without(tree | comma_beside(draft, tree))
    subordinate = draft.derive([i for i in draft.order if i in tree - marks], words)
    main = draft.head(clause)
    if draft.before(main, clause):
        return [rest, _resolve(subordinate, clause, rest, main)]
    return [_resolve(rest, main, subordinate, clause), _resolve(subordinate, clause, rest, main, ahead=True)]


def _resolve(draft: Draft, verb: int, other: Draft, other_verb: int, ahead: bool = False) -> Draft:
    """The draft with the other clause's subject for its pronoun subject, where nothing else could be meant.

    `ahead`: the pronoun stands before what it means, which leaves one candidate alone.
    """
    pronoun, antecedent = draft.subject(verb), other.subject(other_verb)
    if pronoun is None or antecedent is None or other.dep(antecedent) == "expl" or draft.lower(pronoun) not in _NUMBERS:
        return draft
    number = _NUMBERS[draft.lower(pronoun)]
    if other.pos(antecedent) not in NOUNS or not _agrees(other, antecedent, number) or _is_expletive(draft, verb):
        return draft
    tree = nominal(other, antecedent)
    if not ahead and any(_could_be_meant(other, i, number) for i in other.order if i not in tree):
        return draft
    words = list(draft.words)
    hang(words, antecedent, draft.head(pronoun), draft.dep(pronoun))
    moved = other.ordered(tree)
    place = draft.place[pronoun]
    return draft.derive(draft.order[:place] + moved + draft.order[place + 1 :], words, moved)


def _is_expletive(draft: Draft, verb: int) -> bool:
    """Whether the "it" of a clause means nothing: "it is hard to see"."""
    return bool(draft.kids(verb, "ccomp", "csubj", "expl")) or (draft.pos(verb) == "AUX" and bool(draft.kids(verb, "xcomp")))


def _agrees(draft: Draft, noun: int, number: str) -> bool:
    plural = draft.tag(noun) in PLURAL_TAGS or bool(draft.kids(noun, "conj"))
    return plural == (number == "plural")


def _could_be_meant(draft: Draft, noun: int, number: str) -> bool:
    """Whether a pronoun could stand for a word: no quantity, no predicate, no part of another name."""
    if draft.pos(noun) not in NOUNS or draft.lower(noun) in QUANTITY_NOUNS or draft.kids(noun, "nummod"):
        return False
    if draft.dep(noun) in ("compound", "npadvmod", "nmod", "amod", "poss", "attr", "oprd"):
        return False
    return _agrees(draft, noun, number)
