"""Word overlap: the baseline that a checker has to beat, a part of the support score, a tie-breaker where premises are too many."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from transforms.attributes.lists import word_list
from transforms.attributes.record import FUNCTION_WORDS, stem

_WORD = re.compile(r"\w+(?:[.,:-]\w+)*")
_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMERALS = {
    word: str(value)
    for value, word in enumerate(word_list("one two three four five six seven eight nine ten eleven twelve"), start=1)
}


def token_f1(premise: str, hypothesis: str) -> float:
    """Harmonic mean of word precision and recall between two texts, as in SQuAD, case folded, doubles counted.

    >>> round(token_f1("Logs are kept for 30 days.", "Logs are kept for 7 days."), 2)
    0.83
    """
    ours, theirs = Counter(_WORD.findall(premise.casefold())), Counter(_WORD.findall(hypothesis.casefold()))
    shared = sum((ours & theirs).values())
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def word_coverage(premise: str, hypothesis: str) -> float:
    """The share of the hypothesis's content words that occur in the premise, each counted once; 1.0 where it has none.

    >>> word_coverage("The pump stores three samples.", "Storing 3 sample tubes")
    0.75
    """
    wanted = _wanted(hypothesis)
    return len(wanted & content_words(premise)) / len(wanted) if wanted else 1.0


def content_words(text: str) -> frozenset[str]:
    """The distinct content words of a text: case folded, stripped of endings, numbers without thousands separators, one as 1.

    >>> sorted(content_words("It isn't one of the 1,200 Pumps."))
    ['1', '1200', 'pump']
    """
    return frozenset(filter(None, map(_content, set(_TOKEN.findall(text.casefold())))))


def _content(token: str) -> str:
    if token[0].isdigit():
        return token.replace(",", "")
    word = token.replace("’", "'").removesuffix("'s")
    if word in FUNCTION_WORDS or word.endswith("n't"):
        return ""
    return _NUMERALS.get(word) or stem(word)


# A claim meets many windows; those of one claim come in batches of different lengths, between other claims.
_wanted = lru_cache(maxsize=2048)(content_words)
