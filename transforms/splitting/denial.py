"""Parts that deny what a sentence states: "... but not in the US"."""

from __future__ import annotations

from transforms.splitting.assertion import asserted
from transforms.splitting.drafts import Draft, hang, hang_loose, insert_word, reword
from transforms.splitting.grammar import is_clause, is_finite, takes_plural_verb
from transforms.splitting.inflection import plain_form
from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import BE

_COMPLEMENT_PATH = ("dobj", "attr", "acomp", "prep", "pobj", "oprd", "advmod", "agent", "npadvmod")
# "but not only in the US" denies nothing.
_NO_DENIAL = ("only", "just", "necessarily", "always")


def split_but_not(draft: Draft) -> list[Draft] | None:
    """Give what "but not" excepts a denial of its own.

    "The app is available in the EU but not in the US" becomes "The app is available in the EU" and "The app is not available in
    the US".
    """
    if "cc" not in draft.deps:
        return None
    for but in draft.order:
        at = draft.place[but]
        if draft.lower(but) != "but" or draft.dep(but) != "cc" or at + 2 >= len(draft.order):
            continue
        no, *rest = draft.order[at + 1 :]
        verb = _denied_verb(draft, but)
        complement = None if verb is None else _counterpart(draft, verb, but, rest[0])
        if draft.lower(no) == "not" and verb is not None and complement is not None and _may_deny(draft, verb, rest):
            return _deny(draft, verb, complement, but, no)
    return None


def _denied_verb(draft: Draft, but: int) -> int | None:
    """The verb that "but" is joined to, by itself or by a complement."""
    i = draft.head(but)
    if is_clause(draft, i):
        return i
    for _ in draft.order:
        if draft.dep(i) not in _COMPLEMENT_PATH:
            return None
        i = draft.head(i)
        if is_clause(draft, i):
            return i
    return None


def _counterpart(draft: Draft, verb: int, but: int, following: int) -> int | None:
    """The complement in front of "but not" that what follows stands beside: of prepositions rather the same one."""
    if draft.tag(following) != "IN":
        complements = draft.kids(verb, "dobj", "attr", "acomp", "oprd")
        return _last_between(draft, verb, complements, but)
    phrases = [i for i in draft.order if draft.dep(i) in ("prep", "agent") and draft.between(verb, i, but)]
    phrases = phrases or [kid for kid in draft.kids(verb, "advmod") if draft.between(verb, kid, but)]
    same = [i for i in phrases if draft.lower(i) == draft.lower(following)]
    return next(reversed(same or phrases), None)


def _last_between(draft: Draft, left: int, tokens: list[int], right: int) -> int | None:
    return next((i for i in reversed(tokens) if draft.between(left, i, right)), None)


def _may_deny(draft: Draft, verb: int, rest: list[int]) -> bool:
    if not asserted(draft, verb) or draft.lower(rest[0]) in _NO_DENIAL:
        return False
    return not any(is_clause(draft, i) and is_finite(draft, i) for i in rest)


def _deny(draft: Draft, verb: int, complement: int, but: int, no: int) -> list[Draft]:
    """What stands before "but not", and its verb denied of what follows."""
    at = draft.place[but]
    comma = 1 if draft.words[draft.order[at - 1]].text == "," else 0
    kept = draft.derive(draft.order[: at - comma])
    tree = draft.tree(complement)
    start = draft.first(i for i in tree if draft.place[i] < at)
    front = [i for i in draft.order[:start] if i not in tree]
    own = draft.order[at + 2 :]
    words = list(draft.words)
    hang_loose(words, own, words[complement].head, words[complement].dep)
    hang(words, no, verb, "neg")
    carrier = next((kid for kid in draft.auxiliaries(verb) if kid in front), verb if draft.lower(verb) in BE else None)
    if carrier is not None:
        place = front.index(carrier) + 1
        return [kept, draft.derive([*front[:place], no, *front[place:], *own], words, front)]
    negated = _do_not(draft, words, verb, no)
    place = front.index(verb)
    order = [*front[:place], *negated, *front[place + 1 :], *own]
    return [kept, draft.derive(order, words, set(order) - set(own) - {no})]


def _do_not(draft: Draft, words: list[Word], verb: int, no: int) -> list[int]:
    """The words of "does not run" for a verb "runs"."""
    subject = draft.subject(verb)
    plural = subject is not None and takes_plural_verb(draft, subject)
    do = insert_word(words, "did" if draft.tag(verb) == "VBD" else "do" if plural else "does", verb, "aux")
    return [do, no, reword(words, verb, plain_form(words[verb].text), "VB")]
