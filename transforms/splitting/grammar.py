"""What the rules ask about the grammar of a parsed sentence: clauses, chains of joined words, names, commas."""

from __future__ import annotations

from transforms.splitting.drafts import Draft
from transforms.splitting.vocabulary import FINITE_TAGS, PLURAL_TAGS
from transforms.vocabulary import vocabulary

_PREPOSITIONAL = vocabulary(
    "including using depending according following regarding considering concerning starting beginning ranging compared given "
    "provided assuming excluding during due relating pending owing thanks having being"
)
_NOMINAL = ("DET", "NOUN", "PROPN", "ADJ", "NUM")
# Punctuation inside a name: quotes, hyphens, slashes.
_NAME_MARKS = ("-", "“", "”", '"', "'", "/")


def is_clause(draft: Draft, i: int) -> bool:
    """Tell whether a word heads a clause: a verb or a lone auxiliary."""
    return draft.pos(i) in ("VERB", "AUX") and draft.tag(i).startswith(("VB", "MD"))


def is_finite(draft: Draft, verb: int) -> bool:
    """Tell whether a verb is finite or has a finite auxiliary."""
    return any(draft.tag(i) in FINITE_TAGS for i in (verb, *draft.auxiliaries(verb)))


def is_past(draft: Draft, verb: int) -> bool:
    """Tell whether a verb, or else its first auxiliary, is in the past tense."""
    helpers = draft.auxiliaries(verb)
    if not helpers:
        return draft.tag(verb) == "VBD"
    return draft.tag(helpers[0]) == "VBD" or draft.lower(helpers[0]) in ("was", "were", "had", "did")


def takes_plural_verb(draft: Draft, subject: int) -> bool:
    """Tell whether a subject of one word goes with the plain form of a verb: "pumps", "they"."""
    return draft.tag(subject) in PLURAL_TAGS or draft.lower(subject) in ("they", "we", "you", "i")


def conjuncts(draft: Draft, i: int) -> list[int]:
    """Give all words joined to word `i` and itself, in order."""
    chain, pending = [i], [i]
    while pending:
        joined = draft.kids(pending.pop(0), "conj")
        chain.extend(joined)
        pending.extend(joined)
    return draft.ordered(chain)


def without_joined(draft: Draft, member: int, joined: set[int]) -> set[int]:
    """Give the tree of a member of a chain without the other members, and without what joins it to the next."""
    bare = {member}
    following = [draft.place[other] for other in joined if draft.before(member, other)]
    for kid in draft.kids(member):
        if kid in joined or draft.dep(kid) in ("cc", "preconj"):
            continue
        joins_next = draft.dep(kid) == "punct" and draft.before(member, kid) and following and draft.place[kid] < min(following)
        if not joins_next:
            bare |= draft.tree(kid)
    return bare


def after_comma(draft: Draft, i: int) -> bool:
    """Tell whether a comma, a dash or a bracket sets off the tree of word `i` in front."""
    first = draft.first(draft.tree(i))
    if draft.words[draft.order[first]].text in ("(", ",", "–", "—"):
        return True
    return first > 0 and draft.words[draft.order[first - 1]].text in (",", "(", "–", "—", "-", ";")


def comma_beside(draft: Draft, tree: set[int]) -> set[int]:
    """Give the commas, dashes and brackets right before and right behind some words."""
    first, last = draft.first(tree), draft.last(tree)
    beside = [draft.order[place] for place in (first - 1, last + 1) if 0 <= place < len(draft.order)]
    marks = [i for i in beside if draft.words[i].text in (",", "(", ")", "–", "—", "--")]
    following = draft.order[last + 2 : last + 3]
    if len(marks) == 2 and draft.words[marks[1]].text == "," and any(draft.pos(i) in _NOMINAL for i in following):
        return {marks[0]}  # "Luxor, which is west of the river, the great capital": what goes on without a verb keeps its comma
    return set(marks)


def semicolon_between(draft: Draft, earlier: int, later: int) -> bool:
    """Tell whether a semicolon keeps two words apart."""
    return any(draft.words[i].text == ";" for i in draft.order[draft.place[earlier] : draft.place[later]])


def nominal(draft: Draft, noun: int) -> set[int]:
    """Give a noun with what belongs to its name: no relative clause behind a comma, apposition or parenthesis."""
    return {noun}.union(*(_part_of_name(draft, kid) for kid in draft.kids(noun)))


def _part_of_name(draft: Draft, kid: int) -> set[int]:
    dep = draft.dep(kid)
    if dep in ("relcl", "acl"):
        return set() if after_comma(draft, kid) else draft.tree(kid)
    if dep == "punct":
        return {kid} if draft.words[kid].text in _NAME_MARKS else set()
    if dep == "cc":
        return {kid}
    return set() if dep in ("appos", "preconj") else draft.tree(kid)


def is_prepositional(draft: Draft, verb: int) -> bool:
    """Tell whether a participle is used as a preposition: "depending on", "based on"."""
    if draft.lower(verb) in _PREPOSITIONAL:
        return True
    return draft.lower(verb) == "based" and any(draft.lower(kid) in ("on", "upon") for kid in draft.kids(verb))
