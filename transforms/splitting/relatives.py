"""Relative clauses behind a comma: what a sentence says of a noun in passing."""

from __future__ import annotations

from transforms.splitting.assertion import predicate_subject
from transforms.splitting.drafts import Draft, hang, insert_word
from transforms.splitting.grammar import after_comma, comma_beside, nominal, takes_plural_verb
from transforms.splitting.inflection import plain_form
from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import QUANTITY_NOUNS, SUBJECTS
from transforms.vocabulary import vocabulary

_RELATIVES = vocabulary("which who whom whose that where")
_RELATIVE_TAGS = ("WDT", "WP", "WP$", "WRB", "DT", "IN")
# "..., which allows more": of the whole clause rather than of its last noun.
_OF_CLAUSE = vocabulary(
    "mean make allow lead result cause help ensure enable affect impact influence contribute indicate suggest show reflect explain "
    "require improve reduce increase limit imply prevent create trigger force let"
)


def split_relative(draft: Draft) -> list[Draft] | None:
    """Give the sentence without a relative clause, and the clause with the noun for its pronoun.

    "The pump, which runs at 50 Hz, is new" becomes "The pump is new" and "The pump runs at 50 Hz".
    """
    if "relcl" not in draft.deps:
        return None
    for verb in draft.order:
        pronoun = _relative_pronoun(draft, verb) if draft.dep(verb) == "relcl" and draft.head(verb) != verb else None
        told_of = None if pronoun is None else _told_of(draft, verb, pronoun)
        if pronoun is None or told_of is None:
            continue
        noun, antecedent = told_of
        relative = _fill(draft, verb, pronoun, noun, antecedent)
        if relative is not None:
            tree = draft.tree(verb)
            return [draft.without(tree | comma_beside(draft, tree)), relative]
    return None


def _relative_pronoun(draft: Draft, verb: int) -> int | None:
    """The first pronoun of a relative clause, where it stands before the verb."""
    tree = draft.tree(verb)
    for i in draft.order:
        if i in tree and draft.lower(i) in _RELATIVES and draft.tag(i) in _RELATIVE_TAGS:
            return None if draft.before(verb, i) else i
    return None


def _told_of(draft: Draft, verb: int, pronoun: int) -> tuple[int, list[int]] | None:
    """The noun that a relative clause tells of, and its words; None where the clause defines it or that is unsure."""
    noun = draft.head(verb)
    tree = draft.tree(verb)
    subject = predicate_subject(draft, noun)
    if subject is not None and draft.dep(pronoun) in SUBJECTS:
        if _takes_several(draft, verb) != takes_plural_verb(draft, subject) and not draft.kids(subject, "conj"):
            return None  # "is a class of drugs that prevent loss": of the drugs
        return (subject, draft.ordered(draft.tree(subject))) if _is_set_off(draft, tree) else None
    if not after_comma(draft, verb) or (draft.lower(pronoun) == "which" and _refers_to_clause(draft, verb, noun)):
        return None
    if any(draft.before(kid, verb) for kid in draft.kids(noun, "conj")) or _is_one_of_several(draft, verb, noun):
        return None  # of both, or of the last: who knows
    return noun, draft.ordered(nominal(draft, noun) - tree)


def _is_one_of_several(draft: Draft, verb: int, noun: int) -> bool:
    """Whether the noun is joined to others and the clause may tell of all of them."""
    return (
        draft.dep(noun) == "conj"
        and draft.tag(verb) != "VBZ"
        and not any(draft.tag(kid) == "VBZ" for kid in draft.auxiliaries(verb))
    )


def _takes_several(draft: Draft, verb: int) -> bool:
    """Whether the form of a verb tells that its subject is plural; of one that does not tell, whether its relative is."""
    finite = next(iter(draft.auxiliaries(verb)), verb)
    if draft.tag(finite) in ("VBZ",) or draft.lower(finite) in ("was", "has", "does"):
        return False
    if draft.tag(finite) == "VBP" or draft.lower(finite) in ("were", "have", "do"):
        return True
    subject = predicate_subject(draft, draft.head(verb))
    return subject is not None and takes_plural_verb(draft, subject)


def _is_set_off(draft: Draft, tree: set[int]) -> bool:
    """Whether nothing that might belong to a clause follows it."""
    end = draft.last(tree) + 1
    return end >= len(draft.order) or draft.pos(draft.order[end]) in ("PUNCT", "CCONJ")


def _refers_to_clause(draft: Draft, verb: int, noun: int) -> bool:
    lemma = plain_form(draft.words[verb].text)
    if draft.lower(noun) in QUANTITY_NOUNS or draft.pos(noun) == "NUM" or lemma == "mean":
        return True
    return lemma in _OF_CLAUSE and draft.dep(noun) not in SUBJECTS and draft.pos(noun) != "PROPN"


def _fill(draft: Draft, verb: int, pronoun: int, noun: int, antecedent: list[int]) -> Draft | None:
    """The relative clause with the antecedent where a plain sentence has it; None where the pronoun is something rare."""
    words = list(draft.words)
    hang(words, verb, verb, "ROOT")
    order = draft.ordered(draft.tree(verb))
    at = order.index(pronoun)
    kind, dep, parent = draft.lower(pronoun), draft.dep(pronoun), draft.head(pronoun)
    if kind == "whose":
        order[at : at + 1] = _as_owner(words, noun, antecedent, parent)
    elif kind == "where":
        order[at : at + 1] = _as_place(words, noun, antecedent, verb)
    elif (dep in SUBJECTS and parent == verb) or dep in ("dobj", "pobj"):
        hang(words, noun, parent, dep)
        order = _in_place(order, at, dep, parent, antecedent)
    else:
        return None
    return draft.derive(order, words, antecedent)


def _as_owner(words: list[Word], noun: int, antecedent: list[int], owned: int) -> list[int]:
    """ "the pump's", for "whose"."""
    hang(words, noun, owned, "poss")
    return [*antecedent, insert_word(words, "'s", noun, "case", "PART", "POS")]


def _as_place(words: list[Word], noun: int, antecedent: list[int], verb: int) -> list[int]:
    """ "in the store,", for "where"."""
    preposition = insert_word(words, "in", verb, "prep", "ADP", "IN")
    hang(words, noun, preposition, "pobj")
    return [preposition, *antecedent, insert_word(words, ",", verb, "punct", "PUNCT", ",")]


def _in_place(order: list[int], at: int, dep: str, parent: int, antecedent: list[int]) -> list[int]:
    """The clause's words with the antecedent for the pronoun: a subject there, an object behind what governs it."""
    before, behind = order[:at], order[at + 1 :]
    if dep in SUBJECTS:
        return [*before, *antecedent, *behind]
    if dep == "pobj" and before == [parent]:
        return [*behind, parent, *antecedent]  # "in which it stands": it stands in ...
    rest = [*before, *behind]
    end = rest.index(parent) + 1
    return [*rest[:end], *antecedent, *rest[end:]]
