"""Change of how many a statement holds: some, most, all; sometimes and always; one of and the only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cases.mutations.record import CHANGED, STRONGER, UNSUPPORTED, WEAKER, Mutation, Relations, change, pick

FAMILY = "aggregation"
_COUNTED = "people|students|countries|users|companies|patients|customers|scientists|states|cities|members|workers|of the"
_SHAPES = (
    (r"\b(?:some|several|many|most|a few|half) of\b", ("all of",), STRONGER),
    (r"^(?:Some|Several|Many|Most|A few|A number of)\b(?= [a-z]+)", ("All",), STRONGER),
    (rf"\b(?:some|several|many|most)\b(?= (?:{_COUNTED}))", ("all",), STRONGER),
    (r"\b(?:[Aa]ll) (?:of )?(?=the|these|those|their|his|her|its)", ("some of ", "most of "), WEAKER),
    (r"^All (?=[a-z]+s\b)", ("Some ", "Most "), WEAKER),
    (r"^(?:Every|Each) ", ("Not every ",), CHANGED),
    (r"\b(?:often|sometimes|usually|frequently|generally|occasionally|mostly)\b", ("always",), STRONGER),
    (r"\balways\b", ("often", "sometimes", "usually"), WEAKER),
    (r"\bone of the\b(?= \w+)", ("the only one of the",), Relations(UNSUPPORTED, None)),
    (r"\b(?:an average of|on average)\b", ("exactly", "at least"), CHANGED),
    (r"\bboth\b", ("only one of",), CHANGED),
    (r"^Some (?=[a-z]+s\b)", ("Most ",), STRONGER),
    (r"^A few (?=[a-z]+s\b)", ("Most ",), STRONGER),
    (r"\bmajority\b", ("minority",), CHANGED),
    (r"\bmost\b(?= of)", ("a minority",), CHANGED),
)


def mutate_aggregation(sentence: str) -> Iterator[Mutation]:
    """Every change of the share or number of things for which `sentence` holds."""
    for pattern, options, relations in _SHAPES:
        match = re.search(pattern, sentence)
        if match:
            yield from change(sentence, *match.span(), pick(options, sentence), FAMILY, "share", relations)
