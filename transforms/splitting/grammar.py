"""What the rules ask about a parsed sentence: is it stated, is it negated, what stands in front, what belongs to a name."""

from __future__ import annotations

import itertools

from transforms.splitting.drafts import AUXILIARIES, SUBJECTS, Draft
from transforms.splitting.inflection import plain_form
from transforms.splitting.vocabulary import vocabulary

_NEGATIVE = vocabulary(
    "no not n't never neither nor nobody none nothing nowhere few little hardly rarely seldom barely scarcely without cannot"
)

_DENIALS = vocabulary("deny doubt prevent avoid refuse fail forbid prohibit exclude reject lack dispute disprove")

FIXED = vocabulary(
    "terms/conditions research/development pros/cons health/safety supply/demand trial/error profit/loss black/white "
    "plug/play search/rescue copy/paste drag/drop rules/regulations safety/efficacy food/drug arts/crafts bed/breakfast "
    "wear/tear back/forth more/more up/down mergers/acquisitions time/again now/then first/foremost read/write cut/paste "
    "law/order start/stop"
)


def asserted(draft: Draft, i: int) -> bool:
    """Whether what word `i` governs is stated: no negation, condition or denial above it."""
    for _ in draft.order:
        if negated(draft, i):
            return False
        word = draft.words[i]
        if word.head == i:
            return True
        if word.dep not in ("conj", "ccomp", "xcomp"):
            return False
        if word.dep != "conj" and plain_form(draft.words[word.head].text) in _DENIALS:
            return False
        if word.dep == "conj" and is_choice(draft, [word.head, i]):
            return False
        i = word.head
    return False


def negated(draft: Draft, verb: int) -> bool:
    if any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(verb)):
        return True
    return any(is_negative(draft, subject) for subject in draft.kids(verb, *SUBJECTS))


def is_negative(draft: Draft, noun: int) -> bool:
    return draft.lower(noun) in _NEGATIVE or any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(noun))


_CHOICES = vocabulary("or nor either neither and/or / whether")


def is_choice(draft: Draft, chain: list[int], members: list[int] | None = None) -> bool:
    """Whether members of a chain are joined by "or" or the like."""
    joints = [kid for member in chain for kid in draft.kids(member, "cc", "preconj")]
    joints += [
        i for i in draft.order[max(draft.place[chain[0]] - 1, 0) : draft.place[chain[0]]] if draft.lower(i) in ("either", "neither")
    ]
    for one, other in itertools.pairwise(chain):
        if members is not None and other not in members:
            continue
        between = [i for i in joints if draft.place[one] < draft.place[i] < draft.place[other]]
        following = [i for i in joints if draft.place[i] > draft.place[other] and draft.dep(i) == "cc"]
        joint = (
            max(between, key=draft.place.__getitem__)
            if between
            else min(following, key=draft.place.__getitem__)
            if following
            else None
        )
        if joint is not None and draft.lower(joint) in _CHOICES:
            return True
    return any(draft.lower(i) in ("either", "neither") for i in joints)


def conjuncts(draft: Draft, i: int) -> list[int]:
    """All words joined to `i`, itself first."""
    chain, pending = [i], [i]
    while pending:
        joined = draft.kids(pending.pop(0), "conj")
        chain.extend(joined)
        pending.extend(joined)
    return sorted(chain, key=draft.place.__getitem__)


def is_clause(draft: Draft, i: int) -> bool:
    word = draft.words[i]
    return word.pos in ("VERB", "AUX") and word.tag.startswith(("VB", "MD"))


def is_finite(draft: Draft, i: int) -> bool:
    return draft.words[i].tag in ("VBZ", "VBP", "VBD", "MD") or any(
        draft.words[kid].tag in ("VBZ", "VBP", "VBD", "MD") for kid in draft.kids(i, *AUXILIARIES)
    )


def is_past(draft: Draft, i: int) -> bool:
    aux = draft.kids(i, *AUXILIARIES)
    return draft.words[aux[0] if aux else i].tag == "VBD" or (aux != [] and draft.lower(aux[0]) in ("was", "were", "had", "did"))


_DISCOURSE = vocabulary(
    "however therefore moreover furthermore additionally also thus hence meanwhile consequently nevertheless nonetheless "
    "otherwise overall finally similarly likewise instead first firstly second secondly third lastly again then indeed still "
    "yet so besides unfortunately fortunately interestingly notably specifically importantly generally actually basically "
    "personally maybe perhaps"
)

_SCOPES = ("prep", "advmod", "npadvmod", "advcl", "nmod", "dep", "pcomp", "agent")


def fronted(draft: Draft, verb: int) -> list[int]:
    """What stands in front of a clause's subject and scopes it, with the commas between."""
    subject = draft.subject(verb)
    limit = draft.first(draft.tree(subject)) if subject is not None else draft.place[verb]
    scopes = _SCOPES if subject is not None else ("prep", "npadvmod", "advcl")
    found = [
        kid
        for kid in draft.kids(verb, *scopes)
        if draft.last(draft.tree(kid)) < limit
        and draft.lower(kid) not in _DISCOURSE
        and not _is_connective(draft, kid)
        and not marks_cause(draft, kid)
        and not _is_participle(draft, kid)
    ]
    if not found:
        return []
    end = max(draft.last(draft.tree(kid)) for kid in found)
    return found + [
        kid
        for kid in draft.kids(verb, "punct")
        if draft.first(draft.tree(found[0])) < draft.place[kid] <= end + 1 and draft.lower(kid) == ","
    ]


def _is_participle(draft: Draft, i: int) -> bool:
    return (
        draft.dep(i) in ("advcl", "prep")
        and draft.words[i].tag in ("VBN", "VBG")
        and not draft.kids(i, "mark", *SUBJECTS)
        and not is_prepositional(draft, i)
    )


_CONNECTIVES = (
    ("for", "example"),
    ("for", "instance"),
    ("in", "addition"),
    ("in", "fact"),
    ("as", "well"),
    ("in", "contrast"),
    ("as", "result"),
    ("on", "hand"),
    ("in", "summary"),
    ("in", "conclusion"),
    ("in", "short"),
    ("of", "course"),
    ("in", "general"),
    ("as", "such"),
    ("at", "all"),
)


def _is_connective(draft: Draft, prep: int) -> bool:
    return any(
        draft.lower(prep) == one and draft.lower(kid) == other for one, other in _CONNECTIVES for kid in draft.kids(prep, "pobj")
    )


BE = vocabulary("is are was were be been being am 's 're")

HAVE = frozenset(["has", "have", "had", "having", "'ve"])


def asserted_above(draft: Draft, verb: int) -> bool:
    """Like asserted, but the clause of `verb` itself may be negated."""
    word = draft.words[verb]
    if word.head == verb:
        return True
    if word.dep not in ("ccomp", "xcomp") or plain_form(draft.words[word.head].text) in _DENIALS:
        return False
    return asserted(draft, word.head)


def without_joined(draft: Draft, clause: int, joined: set[int]) -> set[int]:
    """The tree of a member of a chain without the other members, and without what joins it to the next."""
    bare = {clause}
    nearest = [draft.place[member] for member in joined if draft.place[member] > draft.place[clause]]
    for kid in draft.kids(clause):
        if kid in joined or draft.dep(kid) in ("cc", "preconj"):
            continue
        if draft.dep(kid) == "punct" and draft.place[kid] > draft.place[clause] and nearest and draft.place[kid] < min(nearest):
            continue
        bare |= draft.tree(kid)
    return bare


CAUSES = frozenset({"because", "since", "as"})

CONCESSIONS = frozenset({"although", "though", "while", "whereas", "whilst"})


def marks_cause(draft: Draft, clause: int) -> str:
    """cause, concession or nothing."""
    marks = draft.kids(clause, "mark", "advmod")
    mark = next(
        (draft.lower(kid) for kid in marks if draft.place[kid] < draft.place[clause] and draft.lower(kid) in CAUSES | CONCESSIONS),
        "",
    )
    if draft.subject(clause) is None or draft.dep(clause) != "advcl":
        return ""
    if mark == "because":
        return "cause"
    comma = after_comma(draft, clause) or draft.place[clause] < draft.place[draft.words[clause].head]
    if mark in ("since", "as") and comma and not (mark == "as" and _is_like(draft, clause)):
        main = draft.words[clause].head
        perfect = any(draft.lower(kid) in HAVE for kid in draft.kids(main, "aux"))
        return "" if perfect and mark == "since" else "cause"
    if (
        mark == "while"
        and draft.place[clause] < draft.place[draft.words[clause].head]
        and draft.words[draft.subject(clause) or 0].pos == "PRON"
    ):
        return ""  # "while you wait": of time
    if mark in CONCESSIONS and (comma or mark != "while"):
        return "concession"
    return ""


def _is_like(draft: Draft, clause: int) -> bool:
    return plain_form(draft.words[clause].text) in {
        "mention",
        "note",
        "see",
        "discuss",
        "describe",
        "say",
        "show",
        "state",
        "expect",
        "follow",
        "know",
        "can",
    }


def after_comma(draft: Draft, i: int) -> bool:
    before = draft.first(draft.tree(i)) - 1
    if draft.words[draft.order[before + 1]].text in ("(", ",", "–", "—"):
        return True
    return before >= 0 and draft.words[draft.order[before]].text in (",", "(", "–", "—", "-", ";")


def comma_beside(draft: Draft, tree: set[int]) -> set[int]:
    first, last = draft.first(tree), draft.last(tree)
    beside = {draft.order[place] for place in (first - 1, last + 1) if 0 <= place < len(draft.order)}
    return {i for i in beside if draft.words[i].text in (",", "(", ")", "–", "—", "--")}


QUANTITY_NOUNS = vocabulary(
    "% percent year years day days hour hours minute minutes second seconds week weeks month months degrees watts units unit "
    "volts amps times"
)


def nominal(draft: Draft, noun: int) -> set[int]:
    """The noun with what belongs to its name: no relative clause, apposition or parenthesis."""
    tree = {noun}
    for kid in draft.kids(noun):
        if draft.dep(kid) in ("relcl", "appos", "acl", "conj", "cc", "punct", "preconj"):
            if draft.dep(kid) == "acl" or draft.dep(kid) == "relcl":
                if not after_comma(draft, kid):
                    tree |= draft.tree(kid)
            elif draft.dep(kid) == "punct" and draft.words[kid].text in ("-", "“", "”", '"', "'", "/"):
                tree.add(kid)
            elif draft.dep(kid) == "conj":
                tree |= draft.tree(kid)
            elif draft.dep(kid) == "cc":
                tree.add(kid)
            continue
        tree |= draft.tree(kid)
    return tree


PREPOSITIONAL = vocabulary(
    "including using depending according following regarding considering concerning starting beginning ranging compared given "
    "provided assuming excluding during due relating pending owing thanks having being"
)


def is_prepositional(draft: Draft, verb: int) -> bool:
    return draft.lower(verb) in PREPOSITIONAL or (
        draft.lower(verb) == "based" and any(draft.lower(kid) in ("on", "upon") for kid in draft.kids(verb))
    )
