"""Clauses joined by "and", "but" or a semicolon, each with the subject, auxiliary and scope that it shares."""

from __future__ import annotations

import itertools
import re

from transforms.splitting.adverbials import fronted
from transforms.splitting.assertion import asserted_above, has_negative_subject, is_choice, negated
from transforms.splitting.drafts import Draft, hang
from transforms.splitting.grammar import after_comma, conjuncts, is_clause, is_finite, is_past, semicolon_between, without_joined
from transforms.splitting.inflection import plain_form
from transforms.splitting.vocabulary import AUXILIARIES, BE, FIXED_PAIRS, HAVE, SUBJECTS
from transforms.vocabulary import vocabulary

_GUESSES = vocabulary("perhaps maybe possibly probably presumably allegedly reportedly supposedly")
_CONDITIONS = vocabulary("if when unless until once after before whenever while as where till provided providing assuming")
_IF = vocabulary("if unless provided")
# "provided that A and B", "as long as A and B", "on condition that A and B"
_CONDITIONAL_PHRASES = ("provided", "providing", "assuming", "on condition", "on the condition", "as long as", "so long as")
_INTRANSITIVE = vocabulary(
    "rise fall grow drop go come arrive exist happen occur expand shrink live sit stand wait crash restart blink sleep appear "
    "disappear emerge die retire resign peak decline hum beep glow drift leak vibrate spin shine boot work "
    "operate function hesitate apply"
)
# "hums and costs $90", "may cancel and get a refund": what follows these is theirs alone.
_KEEPS_ITS_OBJECT = vocabulary("cost weigh measure last get have need take contain become remain require include receive earn run")


def split_joined_clauses(draft: Draft) -> list[Draft] | None:
    """Give each of several joined clauses with what it shares with those before it.

    "The pump was built in 1990 and sold in 1995" becomes "The pump was built in 1990" and "The pump was sold in 1995".
    """
    if "conj" not in draft.deps:
        return None
    for verb in draft.order:
        if draft.dep(verb) == "conj" or not is_clause(draft, verb):
            continue
        chain = conjuncts(draft, verb)
        clauses = [member for member in chain if is_clause(draft, member)]
        if len(clauses) > 1 and clauses[0] == verb and _may_split(draft, verb, chain, clauses):
            return _separate(draft, verb, clauses, set(chain))
    return None


def _may_split(draft: Draft, verb: int, chain: list[int], clauses: list[int]) -> bool:
    if is_choice(draft, chain, clauses) or not asserted_above(draft, verb) or _is_guess(draft, verb):
        return False
    if (
        _belongs_above(draft, verb, clauses)
        or _opens_with_condition(draft, clauses[1])
        or _closes_with_condition(draft, clauses[-1])
    ):
        return False
    if not all(_stands_alone(draft, verb, earlier, later) for earlier, later in itertools.pairwise(clauses)):
        return False
    return f"{draft.lower(clauses[0])}/{draft.lower(clauses[1])}" not in FIXED_PAIRS


def _belongs_above(draft: Draft, verb: int, clauses: list[int]) -> bool:
    """Whether a second clause may belong to the verb above: "they say that A does B, but do not C"."""
    if draft.dep(verb) != "ccomp" or len(clauses) != 2 or draft.subject(clauses[1]) is not None:
        return False
    joints = draft.order[draft.place[verb] : draft.place[clauses[1]]]
    return any(draft.words[one].text == "," and draft.dep(other) == "cc" for one, other in itertools.pairwise(joints))


def _opens_with_condition(draft: Draft, second: int) -> bool:
    """Whether the sentence opens with a condition that no comma ends before the second clause: "as long as A and B, C"."""
    opening = draft.lower(draft.order[0])
    if opening not in _CONDITIONS:
        return False
    return not any(draft.words[i].text == "," for i in draft.order[: draft.place[second]])


def _closes_with_condition(draft: Draft, last: int) -> bool:
    """Whether a condition behind a comma closes the sentence, and so may hold for all clauses: "A, and B, if C"."""
    return any(
        draft.before(last, kid)
        and after_comma(draft, kid)
        and any(draft.lower(mark) in _IF for mark in draft.kids(kid, "mark", "advmod"))
        for kid in draft.kids(last, "advcl")
    )


def _is_guess(draft: Draft, verb: int) -> bool:
    """Whether an adverb calls all that follows possible: "perhaps A and B"."""
    return any(draft.lower(kid) in _GUESSES and draft.before(kid, verb) for kid in draft.kids(verb, "advmod"))


def _stands_alone(draft: Draft, verb: int, earlier: int, later: int) -> bool:
    """Whether a clause means the same apart from the clause before it; `verb` is the first of all."""
    if draft.subject(later) is not None:
        return not _ends_in_condition(draft, earlier, later)
    if has_negative_subject(draft, verb):
        return False  # "no pump leaks and fails": none does both
    finite = is_finite(draft, later)
    if negated(draft, earlier) and (not finite or _needs_auxiliary(draft, earlier, later)):
        return False  # "does not leak and fail": the negation may reach both
    return finite or _needs_auxiliary(draft, verb, later) or _same_form(draft, verb, later)


def _ends_in_condition(draft: Draft, earlier: int, later: int) -> bool:
    """Whether a condition ends the earlier clause, so that the later one, with nothing to part them, may belong to it."""
    words = " ".join(draft.lower(i) for i in draft.order[draft.place[earlier] + 1 : draft.place[later]])
    if any(re.search(rf"\b{phrase}\b", words) for phrase in _CONDITIONAL_PHRASES):
        return True
    conditions = (kid for kid in draft.kids(earlier, "advcl") if draft.between(earlier, kid, later))
    if not any(draft.lower(mark) in _CONDITIONS for kid in conditions for mark in draft.kids(kid, "mark", "advmod")):
        return False
    start = draft.first(draft.tree(later))
    joint = draft.order[max(start - 2, 0) : start]
    return not any(draft.words[i].text in (",", ";") or draft.lower(i) == "but" for i in joint)


def _same_form(draft: Draft, earlier: int, later: int) -> bool:
    tags = (draft.tag(earlier), draft.tag(later))
    return tags[0] == tags[1] or tags in (("VBP", "VB"), ("VBD", "VBN")) or draft.pos(earlier) == "AUX"


def _needs_auxiliary(draft: Draft, earlier: int, later: int) -> bool:
    """Whether the later verb lacks the auxiliary of the earlier one: "was built in 1990 and sold in 1995"."""
    helpers = {draft.lower(kid) for kid in draft.auxiliaries(earlier)}
    if not helpers or draft.auxiliaries(later):
        return False
    tag = draft.tag(later)
    if tag == "VBN" or (tag == "VBD" and _is_misread_participle(draft, earlier, later)):
        return not helpers.isdisjoint(BE | HAVE)
    if tag == "VBG":
        return not helpers.isdisjoint(BE)
    return tag in ("VB", "VBP") and draft.tag(earlier) in ("VB", "VBP")


def _is_misread_participle(draft: Draft, earlier: int, later: int) -> bool:
    """ "must be cleaned and dried", "was built and sold by Acme": a past tense there is a participle."""
    if draft.tag(earlier) != "VBN":
        return False
    return any(draft.tag(kid) == "MD" for kid in draft.kids(earlier, "aux")) or any(
        draft.lower(kid) == "by" for kid in draft.kids(later)
    )


def _separate(draft: Draft, verb: int, clauses: list[int], chain: set[int]) -> list[Draft]:
    parts = []
    for k, clause in enumerate(clauses):
        bare = without_joined(draft, clause, chain)
        part = draft.without(draft.tree(verb) - bare) if k == 0 else _take_over(draft, clause, bare, clauses[:k])
        raised = _raised(draft, clauses, k)
        parts.append(_append(part, raised, clause) if raised else part)
    return parts


def _take_over(draft: Draft, clause: int, bare: set[int], before: list[int]) -> Draft:
    """The clause with what it shares with the nearest clause before it that has it."""
    first = source = before[0]
    if draft.subject(clause) is None:
        source = next((earlier for earlier in reversed(before) if draft.subject(earlier) is not None), first)
    shared = _shared(draft, source, clause)
    if source != first and not fronted(draft, clause) and not any(kid in shared for kid in fronted(draft, source)):
        shared += _scope_of_first(draft, first, clause)
    copula = source if _lacks_copula(draft, source, clause) else None
    return _adopt(draft, first, clause, bare, shared, copula)


def _shared(draft: Draft, earlier: int, later: int) -> list[int]:
    """What hangs from the earlier verb and holds for the later one too: subject, auxiliaries, conjunction, scope."""
    kids = draft.kids(earlier)
    opening = [kid for kid in kids if draft.before(kid, earlier)]
    subject = draft.subject(later)
    shared: list[int] = []
    if subject is None:
        shared += [kid for kid in kids if draft.dep(kid) in SUBJECTS and draft.before(kid, later)]
        if _needs_auxiliary(draft, earlier, later):
            shared += [kid for kid in opening if draft.dep(kid) in AUXILIARIES]
    if not draft.kids(later, "mark"):
        shared += [kid for kid in opening if draft.dep(kid) == "mark"]
    same_time = subject is None or is_past(draft, earlier) == is_past(draft, later)
    if not fronted(draft, later) and same_time and not semicolon_between(draft, earlier, later):
        shared += fronted(draft, earlier)
    return shared


def _scope_of_first(draft: Draft, first: int, clause: int) -> list[int]:
    """What stands in front of the first clause, where it reaches as far as a third."""
    if semicolon_between(draft, first, clause) or is_past(draft, first) != is_past(draft, clause):
        return []
    return fronted(draft, first)


def _lacks_copula(draft: Draft, source: int, clause: int) -> bool:
    """ "is free and sold in shops": a participle behind a copula that is its auxiliary as well."""
    return (
        draft.subject(clause) is None
        and not draft.auxiliaries(clause)
        and draft.pos(source) == "AUX"
        and draft.tag(clause) in ("VBN", "VBG")
    )


def _adopt(draft: Draft, first: int, clause: int, bare: set[int], shared: list[int], copula: int | None) -> Draft:
    """The clause in place of the first one, with the trees that it shares and the copula that it lacks."""
    words = list(draft.words)
    moved: set[int] = set()
    for kid in shared:
        moved |= draft.tree(kid) - bare
        hang(words, kid, clause)
    if copula is not None:
        moved.add(copula)
        hang(words, copula, clause, "auxpass")
    head = words[first].head
    has_auxiliary = any(words[i].head == clause and words[i].dep in AUXILIARIES for i in bare | moved)
    if words[first].tag in ("VBD", "VBP") and not has_auxiliary:
        finite = {"VBN": "VBD", "VB": "VBP"}
        words[clause] = words[clause]._replace(tag=finite.get(words[clause].tag, words[clause].tag))
    hang(words, clause, clause if head == first else head, draft.dep(first))
    outside = set(draft.order) - draft.tree(first)
    order = [i for i in draft.order if i in bare or i in moved or i in outside]
    return draft.derive(order, words, [i for i in order if i not in bare])


def _raised(draft: Draft, clauses: list[int], k: int) -> set[int]:
    """What stands behind the last clause and belongs to all: "designs, builds and sells pumps"."""
    last, clause = clauses[-1], clauses[k]
    if clause == last or draft.subject(last) is not None:
        return set()
    if draft.tag(clause) != draft.tag(last) or plain_form(draft.words[clause].text) in _INTRANSITIVE:
        return set()
    if _has_complement(draft, clause, clauses[k + 1]) or plain_form(draft.words[last].text) in _KEEPS_ITS_OBJECT:
        return set()
    behind = [kid for kid in draft.kids(last) if draft.before(last, kid) and draft.dep(kid) not in ("conj", "cc", "punct")]
    if not any(draft.dep(kid) == "dobj" or draft.lower(kid) == "by" for kid in behind):
        return set()
    return draft.trees(behind)


def _has_complement(draft: Draft, clause: int, following: int) -> bool:
    """Whether words stand between a verb and the next that neither join the two nor belong to the next."""
    modifiers = draft.trees(kid for kid in draft.kids(following) if draft.before(kid, following))
    return any(
        not draft.words[i].is_mark and draft.dep(i) != "cc" and i not in modifiers
        for i in draft.order[draft.place[clause] + 1 : draft.place[following]]
    )


def _append(part: Draft, tokens: set[int], verb: int) -> Draft:
    """The part with words of another clause right behind its verb."""
    words = list(part.words)
    for i in tokens:
        if words[i].head not in tokens:
            hang(words, i, verb)
    end = part.place[verb] + 1
    missing = sorted(tokens - set(part.order))
    return part.derive(part.order[:end] + missing + part.order[end:], words, missing)
