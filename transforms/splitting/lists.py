"""Nouns, adjectives and complements joined by "and", one proposition a member."""

from __future__ import annotations

from transforms.splitting.assertion import asserted, is_choice, is_negative
from transforms.splitting.drafts import Draft, hang, reword
from transforms.splitting.grammar import after_comma, comma_beside, conjuncts, is_clause, takes_plural_verb, without_joined
from transforms.splitting.inflection import plain_form, third_person
from transforms.splitting.vocabulary import FIXED_PAIRS, NOUNS, SUBJECTS
from transforms.vocabulary import vocabulary

_COLLECTIVE = vocabulary(
    "together jointly combined collectively mutually between among respectively each other another total sum altogether "
    "either neither or nor only alone unless except instead rather than vs versus"
)
_COLLECTIVE_VERBS = vocabulary(
    "combine mix merge compare connect link match differ distinguish separate unite join balance swap exchange confuse pair "
    "couple blend multiply equate divide consist comprise compose total equal sum add range collaborate meet marry agree "
    "disagree compete cooperate share interact communicate sync synchronize synchronise alternate vary switch toggle choose"
)
_GROUPS = vocabulary(
    "mixture combination blend number total sum average mix pair comparison difference differences relationship relationships "
    "ratio balance group set list range collection series sequence variety choice distinction link connection conflict "
    "agreement gap distance border boundary"
)
# "a year and a half", "ten and more"
_REMAINDERS = vocabulary("half quarter third more less later above below over up")
_PATH_TO_VERB = vocabulary("dobj attr acomp oprd prep agent pobj nsubj nsubjpass appos acl relcl dative pcomp")
# No list that a rule should touch hangs deeper below its verb.
_MAX_DEPTH = 8
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}


def bind_respectively(draft: Draft) -> list[Draft] | None:
    """Bind two lists member by member, or leave the sentence whole where there are no two of one length.

    "The S1 and the S2 weigh 5 kg and 9 kg respectively" becomes "The S1 weighs 5 kg" and "The S2 weighs 9 kg".
    """
    mark = next((i for i in draft.order if draft.lower(i) == "respectively"), None)
    if mark is None:
        return None
    chains = [conjuncts(draft, i) for i in draft.order if draft.kids(i, "conj") and draft.dep(i) != "conj"]
    if not _are_pairs(draft, chains):
        return [draft.derive(draft.order, final=True)]
    bare = draft.without({mark} | comma_beside(draft, {mark}))
    return [_bind(bare, chains, k) for k in range(len(chains[0]))]


def _are_pairs(draft: Draft, chains: list[list[int]]) -> bool:
    if len(chains) != 2 or len(chains[0]) != len(chains[1]):
        return False
    return all(draft.pos(i) in ("NOUN", "PROPN", "NUM") for chain in chains for i in chain)


def _bind(draft: Draft, chains: list[list[int]], k: int) -> Draft:
    """The draft with the k-th member of each chain."""
    own: set[int] = set()
    for chain in chains:
        own |= without_joined(draft, chain[k], set(chain))
        draft = _member(draft, chain, k)
    part = Draft(draft.words, draft.order, frozenset(draft.order) - own)
    return _singular(part, chains[0][k])


def _member(draft: Draft, chain: list[int], k: int) -> Draft:
    """The draft with the k-th member of a chain in place of all."""
    head, member = chain[0], chain[k]
    bare = without_joined(draft, member, set(chain))
    if k == 0:
        behind = draft.trees(_behind_all(draft, chain, k))
        kept = draft.without(draft.tree(head) - bare - behind)
        end = draft.last(chain)
        return kept.derive(kept.order, inherited=[i for i in kept.order if draft.place[i] > end])
    shared = [*_left_of(draft, chain, member), *_behind_all(draft, chain, k)]
    words = list(draft.words)
    for kid in shared:
        hang(words, kid, member)
    above = words[head].head
    hang(words, member, member if above == head else above, draft.dep(head))
    gone = draft.tree(head) - bare - draft.trees(shared)
    order = [i for i in draft.order if i not in gone]
    return draft.derive(order, words, set(order) - bare)


def _left_of(draft: Draft, chain: list[int], member: int) -> list[int]:
    """What stands before the first member and may hold for all: articles and owners, and the adjective of two bare nouns.

    "free shipping and returns" are both free; in "environmental science, physics and mathematics" only the first is.
    """
    if _has_left(draft, member):
        return []
    bare_pair = len(chain) == 2 and not any(draft.before(kid, member) for kid in draft.kids(member))
    deps = ("det", "poss", "predet", "aux", "mark", *(("amod",) if bare_pair else ()))
    return [kid for kid in draft.kids(chain[0], *deps) if draft.before(kid, chain[0])]


def _behind_all(draft: Draft, chain: list[int], k: int) -> list[int]:
    """An "of" behind the last member, which tells whose all members are: "the life and songs of Dylan"."""
    last, member = chain[-1], chain[k]
    if draft.pos(last) not in NOUNS or any(draft.before(kid, last) for kid in draft.kids(last)):
        return []  # "growth, and the expansion of markets": the last member alone
    if any(draft.before(kid, last) for kid in draft.kids(member, "prep", "acl")):
        return []
    # The parser hangs it from the first or from the last.
    holders = [holder for holder in (chain[0], last) if holder != member]
    found = ([kid for kid in _ofs(draft, holder) if draft.before(last, kid)] for holder in holders)
    return next((kids for kids in found if kids), [])


def _ofs(draft: Draft, noun: int) -> list[int]:
    return [kid for kid in draft.kids(noun, "prep") if draft.lower(kid) == "of"]


def _has_left(draft: Draft, noun: int) -> bool:
    return any(draft.before(kid, noun) for kid in draft.kids(noun, "det", "poss", "nummod", "predet", "amod"))


def _singular(draft: Draft, subject: int) -> Draft:
    """The draft whose verb agrees with a subject that became singular."""
    if draft.dep(subject) not in SUBJECTS or takes_plural_verb(draft, subject):
        return draft
    verb = draft.head(subject)
    finite = next(iter(draft.auxiliaries(verb)), verb)
    form = _SINGULAR.get(draft.lower(finite))
    if form is None:
        if finite != verb or draft.tag(verb) not in ("VBP", "VB", "NN"):
            return draft
        form = third_person(draft.lower(verb))
    words = list(draft.words)
    new = reword(words, finite, form, "VBZ")
    order = [new if i == finite else i for i in draft.order]
    return draft.derive(order, words, [new] if finite in draft.inherited else [])


def split_joined_words(draft: Draft) -> list[Draft] | None:
    """Give each member of a list behind the verb in place of all.

    "The pump runs on Linux and macOS" becomes "The pump runs on Linux" and "The pump runs on macOS".
    """
    if "conj" not in draft.deps:
        return None
    for head in draft.order:
        if not draft.kids(head, "conj") or draft.dep(head) == "conj":
            continue
        verb = _verb_above(draft, head)
        if verb is None or draft.dep(head) in SUBJECTS or not asserted(draft, verb):
            continue
        chain = conjuncts(draft, head)
        if _may_split(draft, verb, chain, draft.dep(head)):
            both = _both(draft, chain[0])
            return [_member(draft, chain, k).without(both) for k in range(len(chain))]
    return None


def _both(draft: Draft, first: int) -> set[int]:
    """The "both" in front of a list."""
    start = draft.first(draft.tree(first))
    return {i for i in draft.order[max(start - 1, 0) : draft.place[first]] if draft.lower(i) == "both"}


def _verb_above(draft: Draft, head: int) -> int | None:
    """The verb whose clause a noun, an adjective or a preposition stands in."""
    i = head
    for _ in range(_MAX_DEPTH):
        if draft.dep(i) not in _PATH_TO_VERB:
            return None
        i = draft.head(i)
        if is_clause(draft, i) and (draft.dep(i) not in _PATH_TO_VERB or draft.head(i) == i):
            return i
    return None


def _may_split(draft: Draft, verb: int, chain: list[int], role: str) -> bool:
    return (
        _is_plain_list(draft, chain)
        and not _is_collective(draft, verb, chain)
        and not _runs_parallel(draft, verb, role)
        and not _is_one_thing(draft, chain)
        and (_is_but_no(draft, chain) or not any(is_negative(draft, member) for member in chain))
        and not _shares_clause(draft, chain[-1])
    )


def _is_plain_list(draft: Draft, chain: list[int]) -> bool:
    """Whether "and" or "but" joins words of one kind."""
    if is_choice(draft, chain):
        return False
    if not any(draft.lower(kid) in ("and", "&", "but", "as") for member in chain for kid in draft.kids(member, "cc")):
        return False
    kinds = {draft.pos(member) for member in chain}
    mixed = len(kinds & {"ADJ", "VERB"}) == 2 or (kinds & {"ADJ", "VERB"} and kinds & {"NOUN", "PROPN"})
    return kinds <= {"NOUN", "PROPN", "ADJ", "ADP", "SCONJ", "VERB"} and not mixed


def _is_one_thing(draft: Draft, chain: list[int]) -> bool:
    if any(draft.lower(member) in _REMAINDERS for member in chain[1:]):
        return True
    return len(chain) == 2 and f"{draft.lower(chain[0])}/{draft.lower(chain[1])}" in FIXED_PAIRS


def _is_but_no(draft: Draft, chain: list[int]) -> bool:
    """ "with a lid but no handle": two members, of which the second alone is denied."""
    if len(chain) != 2 or is_negative(draft, chain[0]):
        return False
    return any(draft.lower(kid) == "but" for kid in draft.kids(chain[0], "cc"))


def _shares_clause(draft: Draft, last: int) -> bool:
    """ "pumps and valves that leak": a clause behind the last member, which may hold for all."""
    clauses = draft.kids(last, "relcl", "acl")
    return bool(clauses) and not after_comma(draft, clauses[0])


def _is_collective(draft: Draft, verb: int, chain: list[int]) -> bool:
    """Whether something says that the members of a chain act or count as one."""
    if plain_form(draft.words[verb].text) in _COLLECTIVE_VERBS:
        return True
    adverbials = draft.kids(verb, "advmod", "prep")
    near = draft.tree(chain[0]).union(adverbials, *(draft.kids(kid) for kid in adverbials))
    head = chain[0]
    for _ in range(_MAX_DEPTH):
        head = draft.head(head)
        if head == verb:
            break
        if draft.lower(head) in _GROUPS:
            return True
        near |= {head, *draft.kids(head, "advmod", "det", "neg")}
    return any(draft.lower(i) in _COLLECTIVE for i in near)


def _runs_parallel(draft: Draft, verb: int, role: str) -> bool:
    """ "to the south by Belgium and to the east by Germany": two lists of prepositions that go in pairs."""
    if role not in ("prep", "agent"):
        return False
    phrases = draft.kids(verb, "prep", "agent")
    return len([kid for kid in phrases if len(conjuncts(draft, kid)) > 1 or after_comma(draft, kid)]) > 1
