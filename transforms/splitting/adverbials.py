"""What stands beside a clause and scopes or explains it: "In the EU, ...", "..., because ..."."""

from __future__ import annotations

from transforms.splitting.drafts import Draft
from transforms.splitting.grammar import after_comma, is_prepositional
from transforms.splitting.inflection import plain_form
from transforms.splitting.vocabulary import HAVE, SUBJECTS
from transforms.vocabulary import vocabulary

_DISCOURSE = vocabulary(
    "however therefore moreover furthermore additionally also thus hence meanwhile consequently nevertheless nonetheless "
    "otherwise overall finally similarly likewise instead first firstly second secondly third lastly again then indeed still "
    "yet so besides unfortunately fortunately interestingly notably specifically importantly generally actually basically "
    "personally maybe perhaps"
)
_CONNECTIVES = vocabulary(
    "for/example for/instance in/addition in/fact as/well in/contrast as/result on/hand in/summary in/conclusion in/short "
    "of/course in/general as/such at/all"
)
_SCOPES = ("prep", "advmod", "npadvmod", "advcl", "nmod", "dep", "pcomp", "agent")
# In front of a clause without a subject of its own less is sure to be a scope.
_SCOPES_OF_BARE_VERBS = ("prep", "npadvmod", "advcl")

_CAUSES = vocabulary("because since as")
_CONCESSIONS = vocabulary("although though while whereas whilst")
SUBORDINATORS = _CAUSES | _CONCESSIONS
# "as the manual says": of manner, not of cause.
_MANNER = vocabulary("mention note see discuss describe say show state expect follow know can")


def fronted(draft: Draft, verb: int) -> list[int]:
    """Give the heads of what stands in front of a clause's subject and scopes it, then the commas between."""
    subject = draft.subject(verb)
    limit = draft.place[verb] if subject is None else draft.first(draft.tree(subject))
    scopes = [
        kid
        for kid in draft.kids(verb, *(_SCOPES_OF_BARE_VERBS if subject is None else _SCOPES))
        if draft.last(draft.tree(kid)) < limit and _is_scope(draft, kid)
    ]
    if not scopes:
        return []
    start = draft.first(draft.tree(scopes[0]))
    end = max(draft.last(draft.tree(kid)) for kid in scopes)
    commas = [kid for kid in draft.kids(verb, "punct") if start < draft.place[kid] <= end + 1 and draft.lower(kid) == ","]
    return scopes + commas


def _is_scope(draft: Draft, i: int) -> bool:
    """Whether a fronted word narrows the clause: it is no "however" or "for example", and tells nothing by itself."""
    return (
        draft.lower(i) not in _DISCOURSE
        and not _is_connective(draft, i)
        and not subordinate_kind(draft, i)
        and not _is_participle(draft, i)
    )


def _is_connective(draft: Draft, preposition: int) -> bool:
    return any(f"{draft.lower(preposition)}/{draft.lower(kid)}" in _CONNECTIVES for kid in draft.kids(preposition, "pobj"))


def _is_participle(draft: Draft, i: int) -> bool:
    """Whether a fronted word heads "Founded in 1998, ...", which becomes a proposition of its own."""
    return (
        draft.dep(i) in ("advcl", "prep")
        and draft.tag(i) in ("VBN", "VBG")
        and not draft.kids(i, "mark", *SUBJECTS)
        and not is_prepositional(draft, i)
    )


def subordinate_kind(draft: Draft, clause: int) -> str:
    """Tell whether a subordinate clause states a cause or a concession: `cause`, `concession`, or nothing for all others."""
    subject = draft.subject(clause)
    if subject is None or draft.dep(clause) != "advcl":
        return ""
    mark = _subordinator(draft, clause)
    if mark == "because":
        return "cause"
    main = draft.head(clause)
    set_off = after_comma(draft, clause) or draft.before(clause, main)
    if draft.lower(clause) in ("do", "does", "did"):
        return ""  # "as do cats"
    if mark in ("since", "as"):
        return "" if not set_off or _tells_time(draft, main, mark) or _tells_manner(draft, clause, mark) else "cause"
    if mark == "while" and draft.before(clause, main) and draft.pos(subject) == "PRON":
        return ""  # "while you wait": of time
    return "concession" if mark in _CONCESSIONS and (set_off or mark != "while") else ""


def _subordinator(draft: Draft, clause: int) -> str:
    marks = (draft.lower(kid) for kid in draft.kids(clause, "mark", "advmod") if draft.before(kid, clause))
    return next((mark for mark in marks if mark in SUBORDINATORS), "")


def _tells_time(draft: Draft, main: int, mark: str) -> bool:
    """ "has grown since it was founded": behind a perfect "since" is of time."""
    return mark == "since" and any(draft.lower(kid) in HAVE for kid in draft.kids(main, "aux"))


def _tells_manner(draft: Draft, clause: int, mark: str) -> bool:
    return mark == "as" and plain_form(draft.words[clause].text) in _MANNER
