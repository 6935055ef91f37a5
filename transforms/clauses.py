"""Split a parsed sentence into propositions: clause by clause, with what they share, and never where the meaning would change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from transforms.inflection import past_tense, plain_form, third_person
from transforms.mending import mend
from transforms.parsing import Word

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})


class Draft:
    """A proposition in the making: words of a sentence in their order, as a tree of their own.

    `order` are indices into `words` (those past the sentence's own are inserted ones); `inherited` are words that another draft
    holds as its own. Drafts are never changed, only derived.
    """

    def __init__(self, words: list[Word], order: list[int], inherited: frozenset[int] = frozenset(), final: bool = False) -> None:
        self.words = words
        self.order = order
        self.inherited = inherited
        self.final = final

    @cached_property
    def _kids(self) -> dict[int, list[int]]:
        kids: dict[int, list[int]] = {}
        for i in self.order:
            if self.words[i].head != i:
                kids.setdefault(self.words[i].head, []).append(i)
        return kids

    def kids(self, i: int, *deps: str) -> list[int]:
        kids = self._kids.get(i, [])
        return [kid for kid in kids if self.words[kid].dep in deps] if deps else kids

    def tree(self, i: int) -> set[int]:
        found, pending = {i}, [i]
        while pending:
            for kid in self._kids.get(pending.pop(), ()):
                if kid not in found:
                    found.add(kid)
                    pending.append(kid)
        return found

    @cached_property
    def place(self) -> dict[int, int]:
        return {word: place for place, word in enumerate(self.order)}

    def lower(self, i: int) -> str:
        return self.words[i].text.lower()

    def dep(self, i: int) -> str:
        return self.words[i].dep

    def subject(self, verb: int) -> int | None:
        return next(iter(self.kids(verb, *SUBJECTS)), None)

    def first(self, tokens: Iterable[int]) -> int:
        return min(self.place[i] for i in tokens)

    def last(self, tokens: Iterable[int]) -> int:
        return max(self.place[i] for i in tokens)

    def text(self) -> str:
        return " ".join(self.words[i].text for i in self.order)

    def derive(
        self, order: Iterable[int], words: list[Word] | None = None, inherited: Iterable[int] = (), final: bool = False
    ) -> Draft:
        order = list(order)
        return Draft(words or self.words, order, (self.inherited | frozenset(inherited)) & frozenset(order), final)

    def without(self, tokens: set[int]) -> Draft:
        return self.derive(i for i in self.order if i not in tokens)

    def promote(self, old: int, new: int, shared: Iterable[int] = (), drop: Iterable[int] = ()) -> Draft:
        """Put the tree of `new` at the place of its ancestor `old`; `shared` are trees below `old` that move over to `new`."""
        kept = self.tree(new)
        moved: set[int] = set()
        words = list(self.words)
        for i in shared:
            if i not in kept:
                moved |= self.tree(i) - kept
                words[i] = words[i]._replace(head=new)
        head = words[old].head
        words[new] = words[new]._replace(head=new if head == old else head, dep=words[old].dep)
        gone = (self.tree(old) - kept - moved) | set(drop)
        order = [i for i in self.order if i not in gone]
        return Draft(words, order, (self.inherited | (frozenset(order) - kept)) & frozenset(order))


Rule = Callable[[Draft], "list[Draft] | None"]


def split_clauses(words: list[Word]) -> list[Draft]:
    """Split a sentence's words into propositions, in the order of their own words; the sentence as it is where no rule applies."""
    whole = Draft(mend(words), list(range(len(words))))
    pending, done, steps = [whole], [], 0
    while pending:
        draft = pending.pop()
        steps += 1
        parts = None if draft.final or steps > MAX_STEPS or len(done) + len(pending) > MAX_PROPOSITIONS else _apply(draft)
        if parts is None:
            done.append(draft)
        else:
            pending.extend(parts)
    if not _covers(done, whole):
        return [whole]
    unique = {tuple(draft.words[i].text for i in draft.order): draft for draft in reversed(done)}
    return sorted(unique.values(), key=_own_place) if len(unique) > 1 else [whole]


MAX_PROPOSITIONS = 24
MAX_STEPS = 200


def _apply(draft: Draft) -> list[Draft] | None:
    for rule in RULES:
        parts = rule(draft)
        if parts and all(_is_sound(part) for part in parts):
            return [part for part in parts if part.order]
    return None


def _is_sound(draft: Draft) -> bool:
    return any(draft.words[i].pos in ("VERB", "AUX") for i in draft.order)


_DROPPED = frozenset(
    "and or but nor yet so then also both either that which who whom whose where when because since as although though while whereas even "
    "it they he she him her them its their is are was were be been being has have had do does did the a an i you we this these those making "
    "respectively plus not n't to of in".split()
)


def _covers(drafts: list[Draft], whole: Draft) -> bool:
    """Whether every word of content is in some proposition."""
    held = {i for draft in drafts for i in draft.order}
    lost = [i for i in whole.order if i not in held and any(c.isalnum() for c in whole.words[i].text)]
    return all(whole.lower(i) in _DROPPED or _is_reworded(whole, i, drafts) for i in lost)


def _is_reworded(whole: Draft, i: int, drafts: list[Draft]) -> bool:
    word = whole.words[i]
    return any(
        draft.words[k].start == word.start and draft.words[k].end == word.end for draft in drafts for k in draft.order if k >= len(whole.words)
    )


def _own_place(draft: Draft) -> tuple[int, int]:
    own = [i for i in draft.order if i not in draft.inherited and any(c.isalnum() for c in draft.words[i].text)] or draft.order
    places = [draft.words[i].start for i in own]
    return (max(places), -min(places))


# Guards


_NEGATIVE = frozenset("no not n't never neither nor nobody none nothing nowhere few little hardly rarely seldom barely scarcely without cannot".split())
_DENIALS = frozenset("deny doubt prevent avoid refuse fail forbid prohibit exclude reject lack dispute disprove".split())
_COLLECTIVE = frozenset(
    "together jointly combined collectively mutually between among respectively each other another total sum altogether either neither or nor "
    "only alone unless except instead rather than vs versus".split()
)
_COLLECTIVE_VERBS = frozenset(
    "combine mix merge compare connect link match differ distinguish separate unite join balance swap exchange confuse pair couple blend "
    "multiply equate divide consist comprise compose total equal sum add range collaborate meet marry agree disagree compete cooperate "
    "share interact communicate sync synchronize synchronise alternate vary switch toggle choose".split()
)
_FIXED = frozenset(
    "terms/conditions research/development pros/cons health/safety supply/demand trial/error profit/loss black/white plug/play search/rescue "
    "copy/paste drag/drop rules/regulations safety/efficacy food/drug arts/crafts bed/breakfast wear/tear back/forth more/more up/down "
    "mergers/acquisitions time/again now/then first/foremost read/write cut/paste law/order start/stop".split()
)


def _asserted(draft: Draft, i: int) -> bool:
    """Whether what word `i` governs is stated: no negation, condition or denial above it."""
    for _ in draft.order:
        if _negated(draft, i):
            return False
        word = draft.words[i]
        if word.head == i:
            return True
        if word.dep not in ("conj", "ccomp", "xcomp"):
            return False
        if word.dep != "conj" and plain_form(draft.words[word.head].text) in _DENIALS:
            return False
        if word.dep == "conj" and _is_choice(draft, [word.head, i]):
            return False
        i = word.head
    return False


def _negated(draft: Draft, verb: int) -> bool:
    if any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(verb)):
        return True
    return any(_is_negative(draft, subject) for subject in draft.kids(verb, *SUBJECTS))


def _is_negative(draft: Draft, noun: int) -> bool:
    return draft.lower(noun) in _NEGATIVE or any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(noun))


_CHOICES = frozenset({"or", "nor", "either", "neither", "and/or", "/", "whether"})


def _is_choice(draft: Draft, chain: list[int], members: list[int] | None = None) -> bool:
    """Whether members of a chain are joined by "or" or the like."""
    joints = [kid for member in chain for kid in draft.kids(member, "cc", "preconj")]
    joints += [i for i in draft.order[max(draft.place[chain[0]] - 1, 0) : draft.place[chain[0]]] if draft.lower(i) in ("either", "neither")]
    for one, other in zip(chain, chain[1:]):
        if members is not None and other not in members:
            continue
        between = [i for i in joints if draft.place[one] < draft.place[i] < draft.place[other]]
        following = [i for i in joints if draft.place[i] > draft.place[other] and draft.dep(i) == "cc"]
        joint = max(between, key=draft.place.__getitem__) if between else min(following, key=draft.place.__getitem__) if following else None
        if joint is not None and draft.lower(joint) in _CHOICES:
            return True
    return any(draft.lower(i) in ("either", "neither") for i in joints)


def _chain(draft: Draft, i: int) -> list[int]:
    """All words joined to `i`, itself first."""
    chain, pending = [i], [i]
    while pending:
        joined = draft.kids(pending.pop(0), "conj")
        chain.extend(joined)
        pending.extend(joined)
    return sorted(chain, key=draft.place.__getitem__)


def _joints(draft: Draft, chain: list[int]) -> list[int]:
    """The conjunctions and commas between the members of a chain."""
    return [kid for member in chain for kid in draft.kids(member, "cc", "preconj", "punct") if draft.place[kid] > draft.place[chain[0]] or draft.dep(kid) == "preconj"]


def _is_clause(draft: Draft, i: int) -> bool:
    word = draft.words[i]
    return word.pos in ("VERB", "AUX") and word.tag.startswith(("VB", "MD"))


def _is_finite(draft: Draft, i: int) -> bool:
    return draft.words[i].tag in ("VBZ", "VBP", "VBD", "MD") or any(
        draft.words[kid].tag in ("VBZ", "VBP", "VBD", "MD") for kid in draft.kids(i, *AUXILIARIES)
    )


def _is_past(draft: Draft, i: int) -> bool:
    aux = draft.kids(i, *AUXILIARIES)
    return draft.words[aux[0] if aux else i].tag == "VBD" or (aux != [] and draft.lower(aux[0]) in ("was", "were", "had", "did"))


def _insert(words: list[Word], like: int, text: str, head: int, dep: str, pos: str = "AUX", tag: str = "VBZ") -> int:
    """Add a word that the sentence does not hold; it has the bounds of none."""
    words.append(Word(-1, -1, text, tag, pos, dep, head))
    return len(words) - 1


def _reword(words: list[Word], i: int, text: str, tag: str) -> int:
    """Add another form of word `i`."""
    words.append(words[i]._replace(text=text, tag=tag))
    new = len(words) - 1
    for k, word in enumerate(words):
        if word.head == i:
            words[k] = word._replace(head=new)
    return new


def _swap(draft: Draft, old: int, words: list[Word], new: int) -> list[int]:
    return [new if i == old else i for i in draft.order]


# Scope and subjects


_DISCOURSE = frozenset(
    "however therefore moreover furthermore additionally also thus hence meanwhile consequently nevertheless nonetheless otherwise overall "
    "finally similarly likewise instead first firstly second secondly third lastly again then indeed still yet so besides unfortunately "
    "fortunately interestingly notably specifically importantly generally actually basically personally maybe perhaps".split()
)
_SCOPES = ("prep", "advmod", "npadvmod", "advcl", "nmod", "dep", "pcomp", "agent")


def _fronted(draft: Draft, verb: int) -> list[int]:
    """What stands in front of a clause's subject and scopes it, with the commas between."""
    subject = draft.subject(verb)
    limit = draft.first(draft.tree(subject)) if subject is not None else draft.place[verb]
    found = [
        kid for kid in draft.kids(verb, *_SCOPES)
        if draft.last(draft.tree(kid)) < limit and draft.lower(kid) not in _DISCOURSE and not _is_connective(draft, kid)
        and not _marks_cause(draft, kid) and not _is_participle(draft, kid)
    ]
    if not found:
        return []
    end = max(draft.last(draft.tree(kid)) for kid in found)
    return found + [kid for kid in draft.kids(verb, "punct") if draft.first(draft.tree(found[0])) < draft.place[kid] <= end + 1 and draft.lower(kid) == ","]


def _is_participle(draft: Draft, i: int) -> bool:
    return draft.dep(i) in ("advcl", "prep") and draft.words[i].tag in ("VBN", "VBG") and not draft.kids(i, "mark", *SUBJECTS) and not _is_prepositional(draft, i)


_CONNECTIVES = (
    ("for", "example"), ("for", "instance"), ("in", "addition"), ("in", "fact"), ("as", "well"), ("in", "contrast"), ("as", "result"),
    ("on", "hand"), ("in", "summary"), ("in", "conclusion"), ("in", "short"), ("of", "course"), ("in", "general"), ("as", "such"), ("at", "all"),
)


def _is_connective(draft: Draft, prep: int) -> bool:
    return any(draft.lower(prep) == one and draft.lower(kid) == other for one, other in _CONNECTIVES for kid in draft.kids(prep, "pobj"))


_SHARED_LEFT = ("mark",)


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
    if not _fronted(draft, other) and not apart and (subject is None or _is_past(draft, one) == _is_past(draft, other)):
        shared += _fronted(draft, one)
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
        return any(helper in _BE or helper in _HAVE for helper in helpers)
    if tag == "VBG":
        return any(helper in _BE for helper in helpers)
    return tag in ("VB", "VBP") and draft.words[one].tag in ("VB", "VBP")


_BE = frozenset("is are was were be been being am 's 're".split())
_HAVE = frozenset("has have had having 've".split())


# Rules: clauses joined by "and", "but", a semicolon


def _split_joined_clauses(draft: Draft) -> list[Draft] | None:
    for verb in draft.order:
        if draft.dep(verb) == "conj" or not _is_clause(draft, verb):
            continue
        chain = _chain(draft, verb)
        clauses = [member for member in chain if _is_clause(draft, member)]
        if len(clauses) < 2 or clauses[0] != verb or not _may_split_clauses(draft, verb, chain, clauses):
            continue
        return _separate(draft, verb, clauses, chain)
    return None


def _may_split_clauses(draft: Draft, verb: int, chain: list[int], clauses: list[int]) -> bool:
    if _is_choice(draft, chain, clauses) or not _asserted_above(draft, verb):
        return False
    for one, other in zip(clauses, clauses[1:]):
        shares_subject = draft.subject(other) is None
        if shares_subject and any(_is_negative(draft, kid) for kid in draft.kids(verb, *SUBJECTS)):
            return False
        if shares_subject and _negated(draft, one) and (_needs_auxiliary(draft, one, other) or not _is_finite(draft, other)):
            return False
        if _ends_in_condition(draft, one, other):
            return False
        if not _is_finite(draft, other) and shares_subject and not _needs_auxiliary(draft, verb, other) and not _same_form(draft, verb, other):
            return False
    return f"{draft.lower(clauses[0])}/{draft.lower(clauses[1])}" not in _FIXED


def _same_form(draft: Draft, one: int, other: int) -> bool:
    tags = (draft.words[one].tag, draft.words[other].tag)
    return tags[0] == tags[1] or tags == ("VBP", "VB") or draft.words[one].pos == "AUX"


def _asserted_above(draft: Draft, verb: int) -> bool:
    """Like _asserted, but the clause of `verb` itself may be negated."""
    word = draft.words[verb]
    if word.head == verb:
        return True
    if word.dep not in ("ccomp", "xcomp") or plain_form(draft.words[word.head].text) in _DENIALS | {"say"} & set():
        return False
    return _asserted(draft, word.head)


_CONDITIONS = frozenset("if when unless until once after before whenever while as where till provided".split())


def _ends_in_condition(draft: Draft, one: int, other: int) -> bool:
    """Whether a condition stands behind the first clause, so that the second may belong to it."""
    for kid in draft.kids(one, "advcl"):
        if draft.place[one] < draft.place[kid] < draft.place[other] and any(draft.lower(k) in _CONDITIONS for k in draft.kids(kid, "mark", "advmod")):
            before = draft.order[draft.first(draft.tree(other) - {other} | {other}) - 2 : draft.first(draft.tree(other))]
            return draft.subject(other) is not None and not any(draft.words[i].text in (",", ";") or draft.lower(i) == "but" for i in before)
    return False


def _separate(draft: Draft, verb: int, clauses: list[int], chain: list[int]) -> list[Draft]:
    parts = []
    joined = set(chain)
    for k, clause in enumerate(clauses):
        bare = _without_joined(draft, clause, joined)
        if k == 0:
            part = draft.without(draft.tree(verb) - bare)
        else:
            part = _take_over(draft, verb, clause, bare, clauses[:k])
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
    if source != before[0] and not _fronted(draft, clause) and not any(kid in shared for kid in _fronted(draft, source)):
        apart = any(draft.words[i].text == ";" for i in draft.order[draft.place[before[0]] : draft.place[clause]])
        shared += _fronted(draft, before[0]) if not apart and _is_past(draft, before[0]) == _is_past(draft, clause) else []
    if draft.subject(clause) is None and not draft.kids(clause, *AUXILIARIES) and draft.words[source].pos == "AUX" and draft.words[clause].tag in ("VBN", "VBG"):
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
    words[clause] = words[clause]._replace(head=clause if head == verb else head, dep=draft.words[verb].dep)
    if head != verb and clause in moved:
        moved.discard(clause)
    outside = set(draft.order) - draft.tree(verb)
    order = [i for i in draft.order if i in bare or i in moved or i in outside]
    part = draft.derive(order, words, [i for i in order if i not in bare])
    return part


def _both(draft: Draft, chain: list[int]) -> set[int]:
    first = draft.first(draft.tree(chain[0]))
    return {i for i in draft.order[max(first - 1, 0) : draft.place[chain[0]]] if draft.lower(i) == "both"}


def _without_joined(draft: Draft, clause: int, joined: set[int]) -> set[int]:
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


_INTRANSITIVE = frozenset(
    "rise fall grow drop go come arrive exist happen occur expand shrink live sit stand wait crash restart blink sleep appear disappear "
    "emerge die retire resign peak decline".split()
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
    behind = [kid for kid in draft.kids(last) if draft.place[kid] > draft.place[last] and draft.dep(kid) not in ("conj", "cc", "punct")]
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


# Rules: subordinate clauses


_CAUSES = frozenset({"because", "since", "as"})
_CONCESSIONS = frozenset({"although", "though", "while", "whereas", "whilst"})


def _marks_cause(draft: Draft, clause: int) -> str:
    """cause, concession or nothing."""
    marks = draft.kids(clause, "mark", "advmod")
    mark = next((draft.lower(kid) for kid in marks if draft.place[kid] < draft.place[clause] and draft.lower(kid) in _CAUSES | _CONCESSIONS), "")
    if draft.subject(clause) is None or draft.dep(clause) != "advcl":
        return ""
    if mark == "because":
        return "cause"
    comma = _after_comma(draft, clause) or draft.place[clause] < draft.place[draft.words[clause].head]
    if mark in ("since", "as") and comma and not (mark == "as" and _is_like(draft, clause)):
        main = draft.words[clause].head
        perfect = any(draft.lower(kid) in _HAVE for kid in draft.kids(main, "aux"))
        return "" if perfect and mark == "since" else "cause"
    if mark in _CONCESSIONS and (comma or mark != "while"):
        return "concession"
    return ""


def _is_like(draft: Draft, clause: int) -> bool:
    return plain_form(draft.words[clause].text) in {"mention", "note", "see", "discuss", "describe", "say", "show", "state", "expect", "follow", "know", "can"}


def _after_comma(draft: Draft, i: int) -> bool:
    before = draft.first(draft.tree(i)) - 1
    return before >= 0 and draft.words[draft.order[before]].text in (",", "(", "–", "—", "-", ";")


def _split_subordinate(draft: Draft) -> list[Draft] | None:
    for clause in draft.order:
        kind = _marks_cause(draft, clause)
        if not kind or not _asserted_above(draft, draft.words[clause].head) or (kind == "cause" and _is_ambiguous_cause(draft, clause)):
            continue
        tree = draft.tree(clause)
        marks = {kid for kid in draft.kids(clause, "mark", "advmod") if draft.place[kid] < draft.place[clause] and draft.lower(kid) in _CAUSES | _CONCESSIONS | {"even", "just", "simply", "mainly"}}
        words = list(draft.words)
        words[clause] = words[clause]._replace(head=clause, dep="ROOT")
        rest = draft.without(tree | _comma_beside(draft, tree))
        other = draft.derive([i for i in draft.order if i in tree - marks], words)
        main = draft.words[clause].head
        if draft.place[clause] < draft.place[main]:
            rest, other = _resolve(rest, main, other, clause), _resolve(other, clause, rest, main, ahead=True)
        else:
            other = _resolve(other, clause, rest, main)
        parts = [rest, other]
        return parts + [draft.derive(draft.order, final=True)] if kind == "cause" else parts
    return None


def _is_ambiguous_cause(draft: Draft, clause: int) -> bool:
    """"X does not leak because Y": whether the leak or the cause is denied."""
    main = draft.words[clause].head
    return _negated(draft, main) and draft.place[clause] > draft.place[main] and not _after_comma(draft, clause)


def _comma_beside(draft: Draft, tree: set[int]) -> set[int]:
    first, last = draft.first(tree), draft.last(tree)
    beside = {draft.order[place] for place in (first - 1, last + 1) if 0 <= place < len(draft.order)}
    return {i for i in beside if draft.words[i].text in (",", "(", ")", "–", "—", "--")}


_PRONOUNS = {"it": "singular", "they": "plural", "he": "person", "she": "person"}


def _resolve(draft: Draft, verb: int, other: Draft, antecedent_verb: int, ahead: bool = False) -> Draft:
    """Put the other clause's subject for a pronoun subject, where nothing else could be meant."""
    pronoun = draft.subject(verb)
    antecedent = other.subject(antecedent_verb)
    if pronoun is None or antecedent is None or other.dep(antecedent) == "expl" or draft.lower(pronoun) not in _PRONOUNS:
        return draft
    number = _PRONOUNS[draft.lower(pronoun)]
    tree = _nominal(other, antecedent)
    if other.words[antecedent].pos not in ("NOUN", "PROPN") or not _agrees(other, antecedent, number):
        return draft
    rivals = [i for i in other.order if i not in tree and other.words[i].pos in ("NOUN", "PROPN") and _could_be_meant(other, i, number)]
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


_QUANTITY_NOUNS = frozenset("% percent year years day days hour hours minute minutes second seconds week weeks month months degrees watts units unit volts amps times".split())


def _could_be_meant(draft: Draft, noun: int, number: str) -> bool:
    if draft.lower(noun) in _QUANTITY_NOUNS or draft.kids(noun, "nummod") or draft.dep(noun) in ("compound", "npadvmod", "nmod", "amod", "poss"):
        return False
    if draft.dep(noun) in ("attr", "oprd"):
        return False
    return _agrees(draft, noun, number)


def _nominal(draft: Draft, noun: int) -> set[int]:
    """The noun with what belongs to its name: no relative clause, apposition or parenthesis."""
    tree = {noun}
    for kid in draft.kids(noun):
        if draft.dep(kid) in ("relcl", "appos", "acl", "conj", "cc", "punct", "preconj"):
            if draft.dep(kid) == "acl" or draft.dep(kid) == "relcl":
                if not _after_comma(draft, kid) and draft.lower(kid) not in ():
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


# Rules: relative clauses, appositions, participles


_RELATIVES = frozenset({"which", "who", "whom", "whose", "that", "where"})
_OF_CLAUSE = frozenset("mean make allow lead result cause help ensure enable".split())


def _split_relative(draft: Draft) -> list[Draft] | None:
    for verb in draft.order:
        if draft.dep(verb) != "relcl" or draft.words[verb].head == verb:
            continue
        noun = draft.words[verb].head
        pronoun = next((i for i in draft.order if i in draft.tree(verb) and draft.lower(i) in _RELATIVES and draft.words[i].tag in ("WDT", "WP", "WP$", "WRB", "DT", "IN")), None)
        if pronoun is None or draft.place[pronoun] > draft.place[verb]:
            continue
        predicate = _predicate_subject(draft, noun)
        if _after_comma(draft, verb) and not (predicate is not None and draft.dep(pronoun) in SUBJECTS):
            if draft.lower(pronoun) == "which" and _refers_to_clause(draft, verb, noun):
                continue
            antecedent = sorted(_nominal(draft, noun) - draft.tree(verb), key=draft.place.__getitem__)
        elif predicate is not None and draft.dep(pronoun) in SUBJECTS:
            antecedent = sorted(draft.tree(predicate), key=draft.place.__getitem__)
            noun = predicate
        else:
            continue
        relative = _fill_relative(draft, verb, pronoun, noun, antecedent)
        if relative is None:
            continue
        tree = draft.tree(verb)
        return [draft.without(tree | _comma_beside(draft, tree)), relative]
    return None


def _predicate_subject(draft: Draft, noun: int) -> int | None:
    """The subject of "X is a N", which a relative clause of N tells of."""
    verb = draft.words[noun].head
    if draft.dep(noun) != "attr" or draft.lower(verb) not in _BE or not _asserted(draft, verb):
        return None
    indefinite = any(draft.lower(kid) in ("a", "an") for kid in draft.kids(noun, "det"))
    below = [kid for kid in draft.kids(noun, "relcl", "acl", "appos")]
    if not indefinite and not (below and _after_comma(draft, below[0])):
        return None
    subject = draft.subject(verb)
    return None if subject is None or draft.dep(subject) == "expl" or draft.lower(subject) == "there" else subject


def _refers_to_clause(draft: Draft, verb: int, noun: int) -> bool:
    lemma = plain_form(draft.words[verb].text)
    if draft.lower(noun) in _QUANTITY_NOUNS or draft.words[noun].pos == "NUM" or lemma == "mean":
        return True
    return lemma in _OF_CLAUSE and draft.dep(noun) not in SUBJECTS and draft.words[noun].pos != "PROPN"


def _fill_relative(draft: Draft, verb: int, pronoun: int, noun: int, antecedent: list[int]) -> Draft | None:
    tree = draft.tree(verb)
    words = list(draft.words)
    words[verb] = words[verb]._replace(head=verb, dep="ROOT")
    order = [i for i in draft.order if i in tree]
    at = order.index(pronoun)
    kind = draft.lower(pronoun)
    parent = draft.words[pronoun].head
    if kind == "whose":
        words[noun] = words[noun]._replace(head=parent, dep="poss")
        mark = _insert(words, pronoun, "'s", noun, "case", "PART", "POS")
        order[at : at + 1] = [*antecedent, mark]
    elif kind == "where":
        mark = _insert(words, pronoun, "in", verb, "prep", "ADP", "IN")
        words[noun] = words[noun]._replace(head=mark, dep="pobj")
        comma = _insert(words, pronoun, ",", verb, "punct", "PUNCT", ",")
        order = [*order[:at], mark, *antecedent, comma, *order[at + 1 :]]
    elif draft.dep(pronoun) in SUBJECTS or draft.dep(pronoun) == "pobj" and (at < 1 or order[at - 1] != parent or at > 1):
        words[noun] = words[noun]._replace(head=parent, dep=draft.dep(pronoun))
        order[at : at + 1] = []
        at = order.index(parent) + 1 if draft.dep(pronoun) == "pobj" and parent in order else at
        order[at:at] = antecedent
    elif draft.dep(pronoun) == "pobj":
        words[noun] = words[noun]._replace(head=parent, dep="pobj")
        order = [i for i in order if i not in (pronoun, parent)] + [parent, *antecedent]
    elif draft.dep(pronoun) == "dobj":
        words[noun] = words[noun]._replace(head=parent, dep="dobj")
        order.pop(at)
        end = order.index(parent) + 1
        order[end:end] = antecedent
    else:
        return None
    return draft.derive(order, words, antecedent)


def _split_apposition(draft: Draft) -> list[Draft] | None:
    for appos in draft.order:
        if draft.dep(appos) != "appos" or not _after_comma(draft, appos):
            continue
        noun = draft.words[appos].head
        tree = draft.tree(appos)
        if not _is_description(draft, appos, noun) or not _clause_of(draft, noun):
            continue
        words = list(draft.words)
        antecedent = sorted(_nominal(draft, noun) - tree, key=draft.place.__getitem__)
        plural = draft.words[noun].tag in ("NNS", "NNPS")
        be = _insert(words, appos, "are" if plural else "is", len(words), "ROOT")
        words[be] = words[be]._replace(head=be)
        words[noun] = words[noun]._replace(head=be, dep="nsubj")
        words[appos] = words[appos]._replace(head=be, dep="attr")
        own = [i for i in draft.order if i in tree]
        told = draft.derive([*antecedent, be, *own], words, antecedent)
        return [draft.without(tree | _comma_beside(draft, tree)), told]
    return None


def _clause_of(draft: Draft, noun: int) -> bool:
    """Whether a noun stands in a clause that is stated."""
    return any(_is_clause(draft, i) for i in draft.order)


def _is_description(draft: Draft, appos: int, noun: int) -> bool:
    word = draft.words[appos]
    if draft.lower(appos) == "one" and draft.kids(appos, "prep"):
        return True
    if _is_listed(draft, appos):
        return False
    if word.pos not in ("NOUN", "PROPN") or draft.words[noun].pos not in ("NOUN", "PROPN", "PRON"):
        return False
    first = draft.order[draft.first(draft.tree(appos))]
    determined = draft.words[first].tag in ("DT", "PRP$") and draft.lower(first) not in ("no", "all", "each", "every")
    if draft.kids(appos, "conj") and not determined:
        return False
    if draft.kids(appos, "nummod") and not determined:
        return False
    if determined:
        return True
    return bool(draft.kids(appos, "prep", "relcl", "acl")) and word.pos == "NOUN" or (
        word.pos == "PROPN" and draft.words[noun].pos == "NOUN" and len(draft.tree(appos)) > 1 and draft.words[noun].tag == "NN"
    )


def _is_listed(draft: Draft, appos: int) -> bool:
    """Whether an apposition is rather the middle of a list: another comma and an "and" follow."""
    end = draft.last(draft.tree(appos))
    behind = [draft.lower(i) for i in draft.order[end + 1 : end + 3]]
    return behind[:1] == ["and"] or behind == [",", "and"] and not any(_is_clause(draft, i) for i in draft.order[end + 3 : end + 5])


_PREPOSITIONAL = frozenset(
    "including using depending according following regarding considering concerning starting beginning ranging compared given "
    "provided assuming excluding during due relating pending owing thanks having being".split()
)
_STATES = frozenset(
    "based located known called named made written used owned led headquartered considered situated coated equipped connected priced "
    "intended aimed sold supported required included limited held run managed found hosted powered rated valued".split()
)


def _split_participle(draft: Draft) -> list[Draft] | None:
    for verb in draft.order:
        word = draft.words[verb]
        if word.dep not in ("acl", "advcl", "prep") or word.tag not in ("VBN", "VBG") or draft.lower(verb) in _PREPOSITIONAL:
            continue
        if draft.kids(verb, "mark", *SUBJECTS, *AUXILIARIES) or word.head == verb or _is_prepositional(draft, verb):
            continue
        if any(draft.words[kid].tag in ("IN", "WRB") and draft.place[kid] < draft.place[verb] for kid in draft.kids(verb)):
            continue
        fronted = word.dep in ("advcl", "prep") and draft.first(draft.tree(verb)) == 0
        predicate = _predicate_subject(draft, word.head) if word.dep == "acl" else None
        if not fronted and predicate is None and not _after_comma(draft, verb):
            continue
        noun = predicate if predicate is not None else word.head if word.dep == "acl" else draft.subject(word.head)
        if word.dep != "acl" and not _asserted(draft, word.head):
            continue
        if noun is None or draft.words[noun].pos not in ("NOUN", "PROPN", "PRON") or draft.dep(noun) == "expl":
            continue
        told = _finite(draft, verb, noun)
        if told is None:
            continue
        tree = draft.tree(verb)
        return [draft.without(tree | _comma_beside(draft, tree)), told]
    return None


def _is_prepositional(draft: Draft, verb: int) -> bool:
    return draft.lower(verb) in _PREPOSITIONAL or (draft.lower(verb) == "based" and any(draft.lower(kid) in ("on", "upon") for kid in draft.kids(verb)))


def _main_verb(draft: Draft, i: int) -> int:
    for _ in draft.order:
        i = draft.words[i].head
    return i


def _finite(draft: Draft, verb: int, noun: int) -> Draft | None:
    """The participle's words as a sentence about the noun."""
    tree = draft.tree(verb)
    antecedent = sorted(_nominal(draft, noun) - tree, key=draft.place.__getitem__)
    words = list(draft.words)
    words[noun] = words[noun]._replace(head=verb, dep="nsubj")
    words[verb] = words[verb]._replace(head=verb, dep="ROOT")
    plural = words[noun].tag in ("NNS", "NNPS") or draft.lower(noun) in ("they", "we", "you", "these", "those") or bool(draft.kids(noun, "conj"))
    past = _is_past(draft, _main_verb(draft, draft.words[verb].head))
    own = [i for i in draft.order if i in tree and i not in _edge_marks(draft, tree)]
    if words[verb].tag == "VBN":
        past = past or draft.lower(verb) not in _STATES
        text = ("were" if plural else "was") if past else ("are" if plural else "is")
        words[noun] = words[noun]._replace(dep="nsubjpass")
        be = _insert(words, verb, text, verb, "auxpass")
        return draft.derive([*antecedent, be, *own], words, antecedent)
    if draft.lower(verb) == "making":
        made = _made(draft, verb, antecedent, words, plural)
        if made is not None:
            return made
    form = past_tense(words[verb].text) if past else plain_form(words[verb].text) if plural else third_person(words[verb].text)
    new = _reword(words, verb, form, "VBD" if past else "VBZ")
    words[new] = words[new]._replace(head=new)
    return draft.derive([*antecedent, *(new if i == verb else i for i in own)], words, antecedent)


def _made(draft: Draft, verb: int, antecedent: list[int], words: list[Word], plural: bool) -> Draft | None:
    """"making it the oldest in the store": the subject is the oldest."""
    complement = next((kid for kid in draft.kids(verb) if draft.dep(kid) in ("ccomp", "oprd", "xcomp")), None)
    pronoun = next((i for i in draft.order if i in draft.tree(verb) and draft.lower(i) in ("it", "them", "him", "her")), None)
    if complement is None or pronoun is None or draft.place[pronoun] != draft.place[verb] + 1:
        return None
    own = [i for i in draft.order if i in draft.tree(verb) - {verb, pronoun}]
    if not own or any(_is_clause(draft, i) and draft.words[i].tag == "VB" for i in own):
        return None
    be = _insert(words, verb, "are" if plural else "is", len(words), "ROOT")
    words[be] = words[be]._replace(head=be)
    words[complement] = words[complement]._replace(head=be, dep="attr")
    for i in antecedent:
        if words[i].head == verb:
            words[i] = words[i]._replace(head=be)
    return draft.derive([*antecedent, be, *own], words, antecedent)


def _edge_marks(draft: Draft, tree: set[int]) -> set[int]:
    return {i for i in tree if draft.words[i].text in ("(", ")", ",") and draft.place[i] in (draft.first(tree), draft.last(tree))}


# Rules: words that share a verb


def _split_gapping(draft: Draft) -> list[Draft] | None:
    """"logs are kept 7 days and metrics 30 days": the second part lacks the verb."""
    verb = next((i for i in draft.order if draft.words[i].head == i and _is_clause(draft, i)), None)
    if verb is None or draft.subject(verb) is None or _negated(draft, verb):
        return None
    start = draft.place[verb] + 1
    if any(_is_clause(draft, i) for i in draft.order[start:]):
        return None
    pieces = _pieces(draft, start)
    if len(pieces) < 2 or not any(draft.lower(i) == "and" for i in draft.order[start:]):
        return None
    if any(draft.lower(i) in ("or", "nor", "between", "not") for i in draft.order[start:]):
        return None
    if parallel := _parallel(draft, pieces, start):
        return parallel
    shape = _shape(draft, pieces[0])
    if not shape or draft.first(pieces[0]) != start:
        return None
    cuts = [_gap(draft, piece, shape) for piece in pieces[1:]]
    if any(cut is None for cut in cuts):
        return None
    subject = draft.subject(verb)
    front = _fronted(draft, verb)
    scope = [i for i in draft.order if any(i in draft.tree(kid) for kid in front)]
    helpers = [i for kid in draft.kids(verb, *AUXILIARIES) for i in draft.tree(kid)]
    group = [i for i in draft.order if i in helpers or i == verb]
    stop = [i for i in draft.order if draft.place[i] == len(draft.order) - 1 and draft.words[i].pos == "PUNCT"]
    parts = [draft.derive([*draft.order[:start], *pieces[0], *stop])]
    for piece, cut in zip(pieces[1:], cuts):
        assert cut is not None and subject is not None
        words = list(draft.words)
        for i in piece:
            if words[i].head not in piece or words[i].head == i:
                words[i] = words[i]._replace(head=verb, dep="nsubj" if i in piece[:cut] else "dobj")
        rest = piece[cut:]
        unit = pieces[0][-1:] if words[rest[-1]].pos == "NUM" and words[pieces[0][-1]].pos == "NOUN" and len(rest) == len(pieces[0]) - 1 else []
        parts.append(draft.derive([*scope, *piece[:cut], *group, *rest, *unit, *stop], words, [*scope, *group, *unit]))
    return parts


def _parallel(draft: Draft, pieces: list[list[int]], start: int) -> list[Draft] | None:
    """"returns A for B and C for D": two objects, each with its own complement behind the same preposition."""
    prepositions = [next((i for i in piece if draft.words[i].tag == "IN" and draft.lower(i) != "of"), None) for piece in pieces]
    if None in prepositions or len({draft.lower(i) for i in prepositions if i is not None}) != 1:
        return None
    if any(piece[0] == i or piece[-1] == i for piece, i in zip(pieces, prepositions)) or draft.place[pieces[0][0]] != start:
        return None
    if any(draft.words[i].pos not in ("NOUN", "PROPN", "ADJ", "DET", "NUM", "ADP", "SYM", "PUNCT") for piece in pieces for i in piece):
        return None
    front = draft.order[:start]
    parts = []
    for k, piece in enumerate(pieces):
        words = list(draft.words)
        for i in piece:
            if words[i].head not in piece:
                words[i] = words[i]._replace(head=draft.order[start - 1], dep="dobj")
        parts.append(draft.derive([*front, *piece], words, front if k else ()))
    return parts


def _pieces(draft: Draft, start: int) -> list[list[int]]:
    pieces: list[list[int]] = [[]]
    for i in draft.order[start:]:
        if draft.lower(i) == "and" or draft.words[i].text in (",", ";"):
            if pieces[-1]:
                pieces.append([])
        elif draft.words[i].text not in (".", "!", "?"):
            pieces[-1].append(i)
    return [piece for piece in pieces if piece]


def _shape(draft: Draft, piece: list[int]) -> str:
    """What a complement starts with: a number, or a preposition."""
    word = draft.words[piece[0]]
    if word.pos == "NUM" or word.tag in ("$", "CD"):
        return "number"
    return draft.lower(piece[0]) if word.tag == "IN" and word.pos == "ADP" else ""


def _gap(draft: Draft, piece: list[int], shape: str) -> int | None:
    """Where the complement of a part without a verb starts."""
    for cut in range(1, len(piece)):
        if _shape(draft, piece[cut:]) == shape:
            head = [draft.words[i] for i in piece[:cut]]
            nominal = head[-1].pos in ("NOUN", "PROPN", "ADJ") and all(word.pos in ("NOUN", "PROPN", "ADJ", "ADV", "DET", "PUNCT", "PRON", "VERB", "X") for word in head)
            if shape == "number" and not (head[-1].pos in ("NOUN", "PROPN", "ADJ") and _is_quantity(draft, piece[cut:])):
                return None
            return cut if nominal and draft.lower(piece[0]) not in ("version", "port", "level", "type") else None
    return None


def _is_quantity(draft: Draft, piece: list[int]) -> bool:
    if draft.words[piece[0]].tag == "$":
        return True
    return len(piece) == 1 or draft.words[piece[1]].pos in ("NOUN", "SYM", "NUM") or draft.words[piece[1]].text == "%"


def _split_two_complements(draft: Draft) -> list[Draft] | None:
    """"returns 200 on success and 404 if the key is missing": each object keeps what follows it."""
    for verb in draft.order:
        if not _is_clause(draft, verb) or not _asserted(draft, verb):
            continue
        joined = [kid for kid in draft.kids(verb, "conj") if draft.words[kid].pos in ("NUM", "NOUN", "PROPN")]
        objects = draft.kids(verb, "dobj", "attr")
        if not joined or not objects or draft.place[objects[0]] > draft.place[joined[0]] or _is_choice(draft, [verb, joined[0]]):
            continue
        cc = [kid for kid in draft.kids(verb, "cc") if draft.place[objects[0]] < draft.place[kid] < draft.place[joined[0]]]
        if len(cc) != 1 or draft.lower(cc[0]) != "and" or (draft.words[objects[0]].pos == "NUM") != (draft.words[joined[0]].pos == "NUM"):
            continue
        at, start = draft.place[cc[0]], draft.first(draft.tree(objects[0]))
        words = list(draft.words)
        words[joined[0]] = words[joined[0]]._replace(dep="dobj")
        shared = [i for i in draft.order[:start] if draft.words[i].pos != "PUNCT" or True]
        end = [i for i in draft.order[at:] if draft.words[i].text in (".", "!")]
        return [draft.derive([*draft.order[:at], *end]), draft.derive([*shared, *draft.order[at + 1 :]], words, shared)]
    return None


def _split_but_not(draft: Draft) -> list[Draft] | None:
    """"is available in the EU but not in the US": the second part denies the verb."""
    for cc in draft.order:
        if draft.lower(cc) != "but" or draft.dep(cc) != "cc" or draft.place[cc] + 2 >= len(draft.order):
            continue
        no = draft.order[draft.place[cc] + 1]
        one, verb = _denied_counterpart(draft, cc)
        if draft.lower(no) != "not" or one is None or verb is None or not _asserted(draft, verb):
            continue
        rest = draft.order[draft.place[cc] + 2 :]
        if any(_is_finite(draft, i) for i in rest if _is_clause(draft, i)) or draft.lower(rest[0]) in ("only", "just", "necessarily", "always"):
            continue
        return _deny(draft, one, cc, no, verb)
    return None


def _denied_counterpart(draft: Draft, cc: int) -> tuple[int | None, int | None]:
    """The complement in front of "but not" that what follows stands beside, and their verb."""
    following = draft.words[draft.order[draft.place[cc] + 2]] if draft.place[cc] + 2 < len(draft.order) else None
    head = draft.words[cc].head
    verb = head if _is_clause(draft, head) else _governor(draft, head)
    if following is None or verb is None:
        return None, None
    if following.tag == "IN":
        found = [i for i in draft.order if draft.dep(i) in ("prep", "agent") and draft.place[verb] < draft.place[i] < draft.place[cc]]
        same = [i for i in found if draft.lower(i) == following.text.lower()]
        return (same or found or [None])[-1], verb
    found = [kid for kid in draft.kids(verb, "dobj", "attr", "acomp", "oprd") if draft.place[verb] < draft.place[kid] < draft.place[cc]]
    return (found or [None])[-1], verb


def _governor(draft: Draft, i: int) -> int | None:
    """The verb that a complement belongs to."""
    for _ in draft.order:
        if draft.dep(i) not in ("dobj", "attr", "acomp", "prep", "pobj", "oprd", "advmod", "agent", "npadvmod"):
            return None
        i = draft.words[i].head
        if _is_clause(draft, i):
            return i
    return None


def _deny(draft: Draft, one: int, cc: int, no: int, verb: int) -> list[Draft]:
    at = draft.place[cc]
    comma = 1 if draft.words[draft.order[at - 1]].text == "," else 0
    kept = draft.derive(draft.order[: at - comma])
    start = draft.first({i for i in draft.tree(one) if draft.place[i] < at})
    own = draft.order[at + 2 :]
    words = list(draft.words)
    for i in own:
        if words[i].head not in own or words[i].head == i:
            words[i] = words[i]._replace(head=words[one].head, dep=words[one].dep)
    words[no] = words[no]._replace(head=verb, dep="neg")
    front = [i for i in draft.order[:start] if i not in draft.tree(one)]
    helpers = [kid for kid in draft.kids(verb, *AUXILIARIES) if kid in front]
    if helpers or draft.lower(verb) in _BE:
        place = front.index(helpers[0] if helpers else verb) + 1
        return [kept, draft.derive([*front[:place], no, *front[place:], *own], words, front)]
    subject = draft.subject(verb)
    plural = subject is not None and (words[subject].tag in ("NNS", "NNPS") or draft.lower(subject) in ("they", "we", "you", "i"))
    do = _insert(words, verb, "did" if words[verb].tag == "VBD" else "do" if plural else "does", verb, "aux")
    new = _reword(words, verb, plain_form(words[verb].text), "VB")
    if words[new].head == verb:
        words[new] = words[new]._replace(head=new)
    place = front.index(verb)
    order = [*front[:place], do, no, new, *front[place + 1 :], *own]
    return [kept, draft.derive(order, words, set(order) - set(own) - {no})]


def _bind_respectively(draft: Draft) -> list[Draft] | None:
    """Bind two lists member by member, or leave the sentence whole."""
    mark = next((i for i in draft.order if draft.lower(i) == "respectively"), None)
    if mark is None:
        return None
    chains = [chain for chain in (_chain(draft, i) for i in draft.order if draft.kids(i, "conj") and draft.dep(i) != "conj") if len(chain) > 1]
    if len(chains) != 2 or len(chains[0]) != len(chains[1]) or any(draft.words[i].pos not in ("NOUN", "PROPN", "NUM") for chain in chains for i in chain):
        return [draft.derive(draft.order, final=True)]
    parts = []
    for k in range(len(chains[0])):
        part = draft.without({mark} | _comma_beside(draft, {mark}))
        own: set[int] = set()
        for chain in chains:
            own |= _without_joined(part, chain[k], set(chain))
            part = _member(part, chain, k, k > 0)
        part.inherited = frozenset(part.order) - own
        parts.append(_singular(part, chains[0][k]))
    return parts


def _member(draft: Draft, chain: list[int], k: int, share: bool) -> Draft:
    """A draft with one member of a chain in place of all."""
    joined = set(chain)
    bare = _without_joined(draft, chain[k], joined)
    head = chain[0]
    if k == 0:
        kept = draft.without(draft.tree(head) - bare)
        end = max(draft.place[i] for i in chain)
        return kept.derive(kept.order, inherited=[i for i in kept.order if draft.place[i] > end and i not in bare])
    left = [
        kid for kid in draft.kids(head)
        if draft.place[kid] < draft.place[head] and draft.dep(kid) in ("det", "poss", "amod", "predet", "aux", "mark") and not _has_left(draft, chain[k])
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
    return any(draft.place[kid] < draft.place[noun] and draft.dep(kid) in ("det", "poss", "nummod", "predet", "amod") for kid in draft.kids(noun))


_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}


def _singular(draft: Draft, subject: int) -> Draft:
    """Let the verb agree with a subject that became singular."""
    verb = draft.words[subject].head
    if draft.dep(subject) not in SUBJECTS or draft.words[subject].tag in ("NNS", "NNPS") or draft.lower(subject) in ("they", "we", "you", "i"):
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
    new = _reword(words, finite, form, "VBZ")
    if words[new].head == finite:
        words[new] = words[new]._replace(head=new)
    inherited = [new] if finite in draft.inherited else []
    return draft.derive(_swap(draft, finite, words, new), words, inherited)


_ROLES = ("dobj", "attr", "acomp", "oprd", "prep", "agent")


def _split_joined_words(draft: Draft) -> list[Draft] | None:
    for head in draft.order:
        if not draft.kids(head, "conj") or draft.dep(head) == "conj":
            continue
        role = draft.dep(head)
        verb = _role_verb(draft, head)
        if verb is None or role in SUBJECTS or not _asserted(draft, verb):
            continue
        chain = _chain(draft, head)
        if not _may_split_words(draft, verb, head, chain, role):
            continue
        both = _both(draft, chain)
        return [_member(draft, chain, k, k > 0).without(both) for k in range(len(chain))]
    return None


_NOMINAL_PATH = frozenset("dobj attr acomp oprd prep agent pobj nsubj nsubjpass appos acl relcl dative pcomp".split())
PATH = _NOMINAL_PATH


def _role_verb(draft: Draft, head: int) -> int | None:
    """The stated verb above a noun, an adjective or a preposition."""
    i = head
    for _ in range(8):
        if draft.dep(i) == "amod" and i == head and ADJECTIVES:
            i = draft.words[i].head
            continue
        if draft.dep(i) not in PATH:
            return None
        i = draft.words[i].head
        if _is_clause(draft, i) and (draft.dep(i) not in PATH or draft.words[i].head == i):
            return i
    return None


ADJECTIVES = True


def _may_split_words(draft: Draft, verb: int, head: int, chain: list[int], role: str) -> bool:
    if _is_choice(draft, chain) or not _is_clause(draft, verb):
        return False
    if not any(draft.lower(kid) in ("and", "&", "but") for member in chain for kid in draft.kids(member, "cc")):
        return False
    tags = {draft.words[member].pos for member in chain}
    if tags - {"NOUN", "PROPN", "ADJ", "ADP", "SCONJ", "VERB"} or ("ADJ" in tags and tags & {"NOUN", "PROPN"}):
        return False
    if _is_collective(draft, verb, chain):
        return False
    if len(chain) == 2 and f"{draft.lower(chain[0])}/{draft.lower(chain[1])}" in _FIXED:
        return False
    if any(_is_negative(draft, member) for member in chain) and not _is_but_no(draft, chain):
        return False
    if draft.kids(chain[-1], "relcl", "acl") and len(chain) > 1 and not _after_comma(draft, draft.kids(chain[-1], "relcl", "acl")[0]):
        return False
    return True


_GROUPS = frozenset(
    "mixture combination blend number total sum average mix pair comparison difference differences relationship relationships ratio balance group set list range "
    "collection series sequence variety choice distinction link connection conflict agreement gap distance border boundary".split()
)


def _is_collective(draft: Draft, verb: int, chain: list[int]) -> bool:
    """Whether something says that the members of a chain act or count as one."""
    if plain_form(draft.words[verb].text) in _COLLECTIVE_VERBS:
        return True
    near = {i for i in draft.tree(chain[0])} | set(draft.kids(verb, "advmod"))
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


def _is_but_no(draft: Draft, chain: list[int]) -> bool:
    return len(chain) == 2 and any(draft.lower(kid) == "but" for kid in draft.kids(chain[0], "cc")) and not _is_negative(draft, chain[0])


RULES: tuple[Rule, ...] = (
    _bind_respectively,
    _split_relative,
    _split_apposition,
    _split_joined_clauses,
    _split_subordinate,
    _split_participle,
    _split_but_not,
    _split_gapping,
    _split_two_complements,
    _split_joined_words,
)
