"""What a sentence states, and what it denies, offers as a choice or leaves open: only what is stated may be split."""

from __future__ import annotations

import itertools

from transforms.splitting.drafts import Draft
from transforms.splitting.grammar import after_comma
from transforms.splitting.inflection import plain_form
from transforms.splitting.vocabulary import BE
from transforms.vocabulary import vocabulary

_NEGATIVE = vocabulary(
    "no not n't never neither nor nobody none nothing nowhere few little hardly rarely seldom barely scarcely without cannot"
)
_DENIALS = vocabulary("deny doubt prevent avoid refuse fail forbid prohibit exclude reject lack dispute disprove")
_CHOICES = vocabulary("or nor either neither and/or / whether")
_CHOICE_OPENERS = ("either", "neither")


def asserted(draft: Draft, i: int) -> bool:
    """Tell whether what word `i` governs is stated: no negation, choice or denial in it or above it."""
    for _ in draft.order:
        if negated(draft, i):
            return False
        head, dep = draft.head(i), draft.dep(i)
        if head == i:
            return True
        if dep not in ("conj", "ccomp", "xcomp"):
            return False
        if dep == "conj" and is_choice(draft, [head, i]):
            return False
        if dep != "conj" and plain_form(draft.words[head].text) in _DENIALS:
            return False
        i = head
    return False


def asserted_above(draft: Draft, verb: int) -> bool:
    """Tell the same of what is above a clause; the clause itself may be negated."""
    head = draft.head(verb)
    if head == verb:
        return True
    if draft.dep(verb) not in ("ccomp", "xcomp") or plain_form(draft.words[head].text) in _DENIALS:
        return False
    return asserted(draft, head)


def negated(draft: Draft, verb: int) -> bool:
    """Tell whether a verb is denied, by a word of its own or by its subject: "does not leak", "no pump leaks"."""
    if any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(verb)):
        return True
    return has_negative_subject(draft, verb)


def has_negative_subject(draft: Draft, verb: int) -> bool:
    """Tell whether a verb's subject is a negative one: "no pump leaks"."""
    return any(is_negative(draft, subject) for subject in draft.subjects(verb))


def is_negative(draft: Draft, noun: int) -> bool:
    """Tell whether a noun is a negative word or has one: "nobody", "no pump"."""
    return draft.lower(noun) in _NEGATIVE or any(draft.lower(kid) in _NEGATIVE for kid in draft.kids(noun))


def is_choice(draft: Draft, chain: list[int], members: list[int] | None = None) -> bool:
    """Tell whether "or" or the like joins a chain, or those of its `members` that are named."""
    joints = [kid for member in chain for kid in draft.kids(member, "cc", "preconj")]
    opening = draft.place[chain[0]]
    joints += [i for i in draft.order[max(opening - 1, 0) : opening] if draft.lower(i) in _CHOICE_OPENERS]
    for earlier, later in itertools.pairwise(chain):
        if (members is None or later in members) and _joint(draft, joints, earlier, later) in _CHOICES:
            return True
    return any(draft.lower(i) in _CHOICE_OPENERS for i in joints)


def _joint(draft: Draft, joints: list[int], earlier: int, later: int) -> str:
    """The word that joins two members: the last between them, or in "a, b or c" the first behind them."""
    between = [i for i in joints if draft.between(earlier, i, later)]
    if between:
        return draft.lower(max(between, key=draft.place.__getitem__))
    following = [i for i in joints if draft.before(later, i) and draft.dep(i) == "cc"]
    return draft.lower(min(following, key=draft.place.__getitem__)) if following else ""


def predicate_subject(draft: Draft, noun: int) -> int | None:
    """Give the subject of a stated "X is a N", of which a clause that hangs from N tells as well; None in any other sentence."""
    verb = draft.head(noun)
    if draft.dep(noun) != "attr" or draft.lower(verb) not in BE or not asserted(draft, verb):
        return None
    indefinite = any(draft.lower(kid) in ("a", "an") for kid in draft.kids(noun, "det"))
    below = draft.kids(noun, "relcl", "acl", "appos")
    if not indefinite and not (below and after_comma(draft, below[0])):
        return None
    subject = draft.subject(verb)
    return None if subject is None or draft.dep(subject) == "expl" or draft.lower(subject) == "there" else subject
