"""Turn a statement round: deny it, take a denial away, put the opposite word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.mutations.record import OPPOSED, SAME, Mutation, change, pairs, swap_words

FAMILY = "polarity"
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has been|have been|had been|can|could|will|would|should|must|does|do|did|has|have|had)\b"
    r"(?!\s+(?:not|never|no|n't|only|just|always|likely|nothing|none|neither|nobody)\b|n't|'t|n’t)"
)
_FULL_VERB = re.compile(r"^(?:has|have|had|do|does|did)\b")
_PARTICIPLE = re.compile(r"\w+(?:ed|en|ne|wn)|made|had|won|led|kept|lost|held|sold")
_DENIED = re.compile(
    r"\b(?P<auxiliary>is|are|was|were|can|could|will|would|should|does|do|did|has|have|had)(?:\s+not\b|n't\b|n’t\b)"
)
_NEGATIVE = re.compile(r"\b(?:not|no|none|never|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\b(?:who|which|that|if|when|because)\b")
_CONTRACTED = dict(
    pairs(
        """is not/isn't, are not/aren't, was not/wasn't, were not/weren't, does not/doesn't, did not/didn't, do not/don't,
        cannot/can't"""
    )
)
_CONTRACTIBLE = re.compile(rf"\b(?:{'|'.join(_CONTRACTED)})\b")
_OPPOSITES = pairs(
    """increase/decrease, increased/decreased, increases/decreases, increasing/decreasing, rose/fell, rise/fall, rises/falls,
    rising/falling, higher/lower, above/below, accepted/rejected, accept/reject, allowed/forbidden, allows/prevents,
    permitted/prohibited, enabled/disabled, won/lost, win/lose, includes/excludes, included/excluded, success/failure,
    successful/unsuccessful, succeeded/failed, open/closed, best/worst, largest/smallest, always/never, gain/loss, strong/weak,
    improved/worsened, improves/worsens, approved/rejected, hot/cold, positive/negative, legal/illegal, possible/impossible,
    able/unable, likely/unlikely, with/without, agree/disagree, true/false, important/unimportant, easy/difficult, common/rare,
    young/old, early/late, many/few, popular/unpopular, happy/unhappy, expensive/cheap, fast/slow, faster/slower,
    safe/dangerous, longer/shorter, larger/smaller, full/empty, alive/dead, near/far from, support/oppose, supported/opposed,
    required/optional, mandatory/optional, everyone/no one, everything/nothing, standing/sitting, awake/asleep,
    started/stopped"""
)
_DROPPED = re.compile(r"\b(?:never|no longer)\s+")


def mutate_polarity(sentence: str) -> Iterator[Mutation]:
    """Every way to turn `sentence` into its contrary by one change; a contraction is the same."""
    yield from _deny(sentence)
    for match in _DENIED.finditer(sentence):
        yield from change(sentence, *match.span(), match["auxiliary"], FAMILY, "affirm", OPPOSED)
    for match in _DROPPED.finditer(sentence):
        if match.start():
            yield from change(sentence, *match.span(), "", FAMILY, "affirm", OPPOSED)
    opposites = swap_words(sentence, _OPPOSITES, FAMILY, "opposite", OPPOSED)
    yield from (one for one in opposites if "without no " not in one.text)
    for match in _CONTRACTIBLE.finditer(sentence):
        yield from change(sentence, *match.span(), _CONTRACTED[match.group()], FAMILY, "contraction", SAME)


def _deny(sentence: str) -> Iterator[Mutation]:
    """Deny the first verb of the main clause: "is" becomes "is not" or "is never"."""
    match = _AUXILIARY.search(sentence)
    if not match or sentence.rstrip().endswith("?") or _NEGATIVE.search(sentence):
        return
    if _SUBORDINATE.search(sentence[: match.start()]) or _is_full_verb(match.group(), sentence[match.end() :]):
        return
    first = match.group().split()[0]
    for word in ("not", "never"):
        yield from change(sentence, match.start(), match.start() + len(first), f"{first} {word}", FAMILY, "deny", OPPOSED)


def _is_full_verb(auxiliary: str, rest: str) -> bool:
    """Whether "has" or "does" is the verb itself: no participle follows it."""
    following = rest.split()[:1]
    helps = bool(following and _PARTICIPLE.fullmatch(following[0]))
    return bool(_FULL_VERB.match(auxiliary)) and len(auxiliary.split()) == 1 and not helps
