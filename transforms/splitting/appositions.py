"""Appositions: a noun beside a noun that says what it is."""

from __future__ import annotations

from transforms.splitting.assertion import is_choice, predicate_subject
from transforms.splitting.drafts import Draft, hang, insert_be
from transforms.splitting.grammar import after_comma, comma_beside, conjuncts, is_clause, nominal
from transforms.splitting.vocabulary import NOUNS, NOUNS_AND_PRONOUNS, PLURAL_TAGS


def split_apposition(draft: Draft) -> list[Draft] | None:
    """Give the sentence without an apposition, and what it says of its noun.

    "Acme, a firm in Oslo, makes pumps" becomes "Acme makes pumps" and "Acme is a firm in Oslo".
    """
    if "appos" not in draft.deps:
        return None
    for appos in draft.order:
        if draft.dep(appos) == "appos" and after_comma(draft, appos) and _is_closed(draft, appos) and _is_description(draft, appos):
            tree = draft.tree(appos)
            return [draft.without(tree | comma_beside(draft, tree)), _tell(draft, appos)]
    return None


def _tell(draft: Draft, appos: int) -> Draft:
    """The apposition as a predicate of its noun, or of the noun's own subject in "X is a N, ..."."""
    tree = draft.tree(appos)
    head = draft.head(appos)
    subject = predicate_subject(draft, head)
    noun = head if subject is None else subject
    antecedent = draft.ordered(nominal(draft, noun) - tree)
    words = list(draft.words)
    be = insert_be(words, plural=draft.tag(noun) in PLURAL_TAGS)
    hang(words, noun, be, "nsubj")
    hang(words, appos, be, "attr")
    return draft.derive([*antecedent, be, *draft.ordered(tree)], words, antecedent)


def _is_closed(draft: Draft, appos: int) -> bool:
    """Whether a comma, a bracket or the end follows, as it does behind an apposition."""
    end = draft.last(draft.tree(appos)) + 1
    if end >= len(draft.order) or draft.words[draft.order[end - 1]].text in (")", ","):
        return True
    return draft.words[draft.order[end]].text in (",", ")", ".", ";", "–", "—", ":")


def _is_description(draft: Draft, appos: int) -> bool:
    """Whether an apposition says what its noun is: it is no member of a list, no bare number, no mere abbreviation."""
    if draft.lower(appos) == "one" and draft.kids(appos, "prep"):
        return True
    noun = draft.head(appos)
    if (
        _is_listed(draft, appos)
        or _is_example(draft, noun)
        or _is_in_front(draft, noun)
        or draft.pos(appos) not in NOUNS
        or draft.pos(noun) not in NOUNS_AND_PRONOUNS
    ):
        return False
    joined = draft.kids(appos, "conj")
    if _is_determined(draft, appos):
        return not any(is_clause(draft, member) for member in joined)
    if joined or draft.kids(appos, "nummod"):
        return False
    if draft.pos(appos) == "NOUN":
        return bool(draft.kids(appos, "prep", "relcl", "acl"))
    return draft.pos(noun) == "NOUN" and draft.tag(noun) == "NN" and len(draft.tree(appos)) > 1


def _is_example(draft: Draft, noun: int) -> bool:
    """Whether a noun follows "including" or "such as": what stands beside it is the next example."""
    return draft.dep(noun) == "pobj" and draft.lower(draft.head(noun)) in ("including", "as", "like", "include")


def _is_in_front(draft: Draft, noun: int) -> bool:
    """Whether a noun stands in front of the clause's subject: "According to Smith, the results ..." names the subject next."""
    root = draft.root
    subject = None if root is None else draft.subject(root)
    if root is None or draft.before(root, noun):
        return False
    return subject is None or (noun not in draft.tree(subject) and draft.before(noun, subject))


def _is_determined(draft: Draft, appos: int) -> bool:
    first = draft.order[draft.first(draft.tree(appos))]
    return draft.tag(first) in ("DT", "PRP$") and draft.lower(first) not in ("no", "all", "each", "every")


def _is_listed(draft: Draft, appos: int) -> bool:
    """Whether an apposition is rather the middle of a list: another comma and an "and" follow."""
    end = draft.last(draft.tree(appos))
    behind = [draft.lower(i) for i in draft.order[end + 1 : end + 3]]
    if behind[:1] in (["and"], ["or"]) or is_choice(draft, conjuncts(draft, appos)):
        return True
    return behind == [",", "and"] and not any(is_clause(draft, i) for i in draft.order[end + 3 : end + 5])
