"""Nouns, adjectives and complements joined by "and", one proposition a member."""

from __future__ import annotations

from transforms.splitting.drafts import AUXILIARIES, SUBJECTS, Draft, reword, swap
from transforms.splitting.grammar import (
    FIXED,
    after_comma,
    asserted,
    comma_beside,
    conjuncts,
    is_choice,
    is_clause,
    is_negative,
    without_joined,
)
from transforms.splitting.inflection import plain_form, third_person
from transforms.splitting.vocabulary import vocabulary

_COLLECTIVE = vocabulary(
    "together jointly combined collectively mutually between among respectively each other another total sum altogether "
    "either neither or nor only alone unless except instead rather than vs versus"
)

_COLLECTIVE_VERBS = vocabulary(
    "combine mix merge compare connect link match differ distinguish separate unite join balance swap exchange confuse pair "
    "couple blend multiply equate divide consist comprise compose total equal sum add range collaborate meet marry agree "
    "disagree compete cooperate share interact communicate sync synchronize synchronise alternate vary switch toggle choose"
)


def _both(draft: Draft, chain: list[int]) -> set[int]:
    first = draft.first(draft.tree(chain[0]))
    return {i for i in draft.order[max(first - 1, 0) : draft.place[chain[0]]] if draft.lower(i) == "both"}


def bind_respectively(draft: Draft) -> list[Draft] | None:
    """Bind two lists member by member, or leave the sentence whole."""
    mark = next((i for i in draft.order if draft.lower(i) == "respectively"), None)
    if mark is None:
        return None
    chains = [
        chain
        for chain in (conjuncts(draft, i) for i in draft.order if draft.kids(i, "conj") and draft.dep(i) != "conj")
        if len(chain) > 1
    ]
    if (
        len(chains) != 2
        or len(chains[0]) != len(chains[1])
        or any(draft.words[i].pos not in ("NOUN", "PROPN", "NUM") for chain in chains for i in chain)
    ):
        return [draft.derive(draft.order, final=True)]
    parts = []
    for k in range(len(chains[0])):
        part = draft.without({mark} | comma_beside(draft, {mark}))
        own: set[int] = set()
        for chain in chains:
            own |= without_joined(part, chain[k], set(chain))
            part = _member(part, chain, k, k > 0)
        part.inherited = frozenset(part.order) - own
        parts.append(_singular(part, chains[0][k]))
    return parts


def _member(draft: Draft, chain: list[int], k: int, share: bool) -> Draft:
    """A draft with one member of a chain in place of all."""
    joined = set(chain)
    bare = without_joined(draft, chain[k], joined)
    head = chain[0]
    if k == 0:
        kept = draft.without(draft.tree(head) - bare)
        end = max(draft.place[i] for i in chain)
        return kept.derive(kept.order, inherited=[i for i in kept.order if draft.place[i] > end and i not in bare])
    left = [
        kid
        for kid in draft.kids(head)
        if draft.place[kid] < draft.place[head]
        and draft.dep(kid) in ("det", "poss", "amod", "predet", "aux", "mark")
        and not _has_left(draft, chain[k])
    ]
    moved = {i for kid in left for i in draft.tree(kid)}
    words = list(draft.words)
    for kid in left:
        words[kid] = words[kid]._replace(head=chain[k])
    above = words[head].head
    words[chain[k]] = words[chain[k]]._replace(head=chain[k] if above == head else above, dep=draft.dep(head))
    gone = draft.tree(head) - bare - moved
    order = [i for i in draft.order if i not in gone]
    return draft.derive(order, words, set(order) - bare)


def _has_left(draft: Draft, noun: int) -> bool:
    return any(
        draft.place[kid] < draft.place[noun] and draft.dep(kid) in ("det", "poss", "nummod", "predet", "amod")
        for kid in draft.kids(noun)
    )


_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}


def _singular(draft: Draft, subject: int) -> Draft:
    """Let the verb agree with a subject that became singular."""
    verb = draft.words[subject].head
    if (
        draft.dep(subject) not in SUBJECTS
        or draft.words[subject].tag in ("NNS", "NNPS")
        or draft.lower(subject) in ("they", "we", "you", "i")
    ):
        return draft
    finite = next(iter(draft.kids(verb, *AUXILIARIES)), verb)
    text = draft.lower(finite)
    if text in _SINGULAR:
        form = _SINGULAR[text]
    elif finite == verb and (draft.words[verb].tag in ("VBP", "VB", "NN")):
        form = third_person(text)
    else:
        return draft
    words = list(draft.words)
    new = reword(words, finite, form, "VBZ")
    if words[new].head == finite:
        words[new] = words[new]._replace(head=new)
    inherited = [new] if finite in draft.inherited else []
    return draft.derive(swap(draft, finite, words, new), words, inherited)


def split_joined_words(draft: Draft) -> list[Draft] | None:
    if "conj" not in draft.deps:
        return None
    for head in draft.order:
        if not draft.kids(head, "conj") or draft.dep(head) == "conj":
            continue
        role = draft.dep(head)
        verb = _role_verb(draft, head)
        if verb is None or role in SUBJECTS or not asserted(draft, verb):
            continue
        chain = conjuncts(draft, head)
        if not _may_split_words(draft, verb, head, chain, role):
            continue
        both = _both(draft, chain)
        return [_member(draft, chain, k, k > 0).without(both) for k in range(len(chain))]
    return None


_NOMINAL_PATH = vocabulary("dobj attr acomp oprd prep agent pobj nsubj nsubjpass appos acl relcl dative pcomp")


def _role_verb(draft: Draft, head: int) -> int | None:
    """The stated verb above a noun, an adjective or a preposition."""
    i = head
    for _ in range(8):
        if draft.dep(i) == "amod" and i == head:
            i = draft.words[i].head
            continue
        if draft.dep(i) not in _NOMINAL_PATH:
            return None
        i = draft.words[i].head
        if is_clause(draft, i) and (draft.dep(i) not in _NOMINAL_PATH or draft.words[i].head == i):
            return i
    return None


def _may_split_words(draft: Draft, verb: int, head: int, chain: list[int], role: str) -> bool:
    if is_choice(draft, chain) or not is_clause(draft, verb):
        return False
    if not any(draft.lower(kid) in ("and", "&", "but", "as") for member in chain for kid in draft.kids(member, "cc")):
        return False
    tags = {draft.words[member].pos for member in chain}
    if tags - {"NOUN", "PROPN", "ADJ", "ADP", "SCONJ", "VERB"} or ("ADJ" in tags and tags & {"NOUN", "PROPN"}):
        return False
    if _is_collective(draft, verb, chain) or _runs_parallel(draft, verb, role):
        return False
    if any(
        draft.lower(member) in ("half", "quarter", "third", "more", "less", "later", "above", "below", "over", "up")
        for member in chain[1:]
    ):
        return False  # "a year and a half", "ten and more"
    if len(chain) == 2 and f"{draft.lower(chain[0])}/{draft.lower(chain[1])}" in FIXED:
        return False
    if any(is_negative(draft, member) for member in chain) and not _is_but_no(draft, chain):
        return False
    return not (
        draft.kids(chain[-1], "relcl", "acl")
        and len(chain) > 1
        and not after_comma(draft, draft.kids(chain[-1], "relcl", "acl")[0])
    )


_GROUPS = vocabulary(
    "mixture combination blend number total sum average mix pair comparison difference differences relationship relationships "
    "ratio balance group set list range collection series sequence variety choice distinction link connection conflict "
    "agreement gap distance border boundary"
)


def _is_collective(draft: Draft, verb: int, chain: list[int]) -> bool:
    """Whether something says that the members of a chain act or count as one."""
    if plain_form(draft.words[verb].text) in _COLLECTIVE_VERBS:
        return True
    near = set(draft.tree(chain[0])) | set(draft.kids(verb, "advmod"))
    head = chain[0]
    for _ in range(8):
        head = draft.words[head].head
        if head == verb:
            break
        near |= {head, *draft.kids(head, "advmod", "det", "neg")}
        if draft.lower(head) in _GROUPS:
            return True
    near |= {i for kid in draft.kids(verb, "advmod", "prep") for i in (kid, *draft.kids(kid))}
    return any(draft.lower(i) in _COLLECTIVE for i in near)


def _runs_parallel(draft: Draft, verb: int, role: str) -> bool:
    """ "to the south by Belgium and to the east by Germany": two lists of prepositions that go in pairs."""
    return (
        role in ("prep", "agent")
        and len([kid for kid in draft.kids(verb, "prep", "agent") if len(conjuncts(draft, kid)) > 1 or after_comma(draft, kid)]) > 1
    )


def _is_but_no(draft: Draft, chain: list[int]) -> bool:
    return (
        len(chain) == 2
        and any(draft.lower(kid) == "but" for kid in draft.kids(chain[0], "cc"))
        and not is_negative(draft, chain[0])
    )
