"""Change how firmly: may for is, must for may, plans for facts; add a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.mutations.record import STRONGER, UNSUPPORTED, WEAKER, Mutation, Relations, change, pick, words

FAMILY = "modality"
# What is planned or expected is not established; and a fact does not establish that it was once planned.
_PLANNED = Relations(None, UNSUPPORTED)
_FIRMER = Relations(UNSUPPORTED, None)


def _states(verbs: str, *more: str) -> str:
    """A pattern of `verbs` where they state something: nothing behind them denies, softens or (`more`) passes it on."""
    behind = "|".join(("not|n't|able|likely|expected|planned|going|to|said|believed", *more))
    return rf"\b(?:{verbs})\b(?!\s+(?:{behind})\b)"


_SOFTENED = (
    (_states("is|are", "there"), ("may be", "might be", "could be"), WEAKER),
    (_states("was|were"), ("may have been", "might have been", "could have been"), WEAKER),
    (r"\b(?:has|have) been\b", ("may have been", "might have been"), WEAKER),
    (r"\bwill\b(?!\s+not)", ("may", "might", "could"), WEAKER),
    (
        _states("is|are", "there", r"\w+ing"),
        ("is expected to be", "is planned to be", "is likely to be", "was supposed to be", "should be"),
        _PLANNED,
    ),
    (
        _states("was|were", r"\w+ing"),
        ("was expected to be", "was planned to be", "was supposed to be", "would have been"),
        _PLANNED,
    ),
    (r"\bmust\b(?!\s+not|\s+have)", ("should", "may", "can"), _PLANNED),
)
_HARDENED = (
    (r"\bmay\b(?!\s+not|\s+\d|\s+(?:have|be))", ("must", "will always"), STRONGER),
    (r"\bmay be\b", ("is definitely", "must be"), _FIRMER),
    (r"\b(?:might|could) be\b", ("is definitely",), _FIRMER),
    (r"\bcan\b(?!\s+not|\s+be)", ("must",), _FIRMER),
    (r"\bcan be\b", ("must be",), _FIRMER),
    (r"\bshould\b(?!\s+not|\s+have)", ("must",), STRONGER),
    (r"\b(?:is|are) likely to\b", ("is certain to",), _FIRMER),
    (r"\bmay have\b", ("must have",), _FIRMER),
)
_CONDITIONS = (
    "If the board approves, {}",
    "If the weather allows it, {}",
    "Unless the customer objects, {}",
    "Provided that the fee is paid, {}",
    "If the test succeeds, {}",
    "{} if the manager agrees.",
    "{} unless the contract says otherwise.",
    "Only if it is requested, {}",
    "{}, provided that funds are available.",
    "{} once the permit has been granted.",
)
_HEDGES = (
    "It is possible that {}",
    "There are plans that {}",
    "It has been proposed that {}",
    "Some people believe that {}",
    "It was once rumoured that {}",
)
_SUBORDINATE = re.compile(r"\b(?:who|which|that|if|when|because)\b")
_COMMON_STARTS = frozenset(
    words(
        """the a an this these there he she it they we you in on some all many most two three people his her its their our men
        women one several no every each both"""
    )
)


def mutate_modality(sentence: str) -> Iterator[Mutation]:
    """Every change of how firmly `sentence` is meant."""
    if sentence.rstrip().endswith("?"):
        return
    for shapes, operator in ((_SOFTENED, "soften"), (_HARDENED, "harden")):
        for pattern, options, relations in shapes:
            match = re.search(pattern, sentence)
            if match and not _SUBORDINATE.search(sentence[: match.start()]):
                after = pick(options, sentence)
                if match.group() in ("are", "were"):
                    after = after.replace("is ", "are ").replace("was ", "were ")
                yield from change(sentence, *match.span(), after, FAMILY, operator, relations)
    yield from _condition(sentence)


def _condition(sentence: str) -> Iterator[Mutation]:
    """A condition or a doubt around the whole sentence: it does not establish the sentence without."""
    body = sentence.strip().rstrip(".!")
    if not 4 <= len(body.split()) <= 30 or not sentence.strip()[:1].isupper():
        return
    for shapes, operator in ((_CONDITIONS, "condition"), (_HEDGES, "doubt")):
        shape = pick(shapes, sentence, operator)
        text = shape.format(body if shape.startswith("{") else _inner(body))
        text = text if text.endswith(".") else f"{text}."
        yield Mutation(FAMILY, operator, text, 0, "", shape.replace("{}", "").strip(), None, UNSUPPORTED)


def _inner(body: str) -> str:
    """`body` behind other words: its first letter small unless a name or "I" starts it."""
    first, second = body.split()[:2]
    starts_with_name = first == "I" or second[:1].isupper() or first.lower() not in _COMMON_STARTS
    return body if starts_with_name else body[0].lower() + body[1:]
