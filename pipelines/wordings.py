"""Read sentences for mining: which are candidates, what wording they share with others, and what they state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from cases.alignment import Mention, Statement, tokens
from cases.mining import Difference
from transforms.attributes import Attribute, extract
from transforms.attributes.amounts import Amount
from transforms.attributes.numerals import START_WORDS
from transforms.attributes.record import FUNCTION_WORDS
from transforms.attributes.units import unit_named
from transforms.splitting.parsing import Word
from transforms.vocabulary import vocabulary

MIN_WORDS, MAX_WORDS = 6, 45
# Content words beside what differs that two sentences must share: "the default is 10" has too few to be about one matter.
MIN_SHARED = 3

_ATTRIBUTES = {
    "region": "region",
    "plan": "tier",
    "product": "product",
    "environment": "product",
    "date": "date",
    "time": "date",
    "weekday": "date",
    "version": "version",
    "period": "period",
    "season": "period",
    "part of": "period",
    "relative": "horizon",
    "role": "role",
    "name": "name",
    "reference": "name",
    "language": "name",
    "negation": "negation",
    "direction": "direction",
    "modality condition": "condition",
    "modality exception": "exception",
    "modality plan": "plan",
}
# What a kind that the table leaves out is, by its family.
_OTHERWISE = {"scope": "audience", "quantity": "value", "modality": "modal", "aggregation": "quantifier"}
_SPOKEN = frozenset({"polarity", "modality", "aggregation"})
_ENDS = re.compile(r"""[.!]["'”’)\]]*\Z""")
_STARTS = re.compile(r"""["'“‘`]?(?:[A-Z0-9$€£]|--?[a-z]|[a-z]+[_-]\w|[a-z]+[A-Z0-9])""")
# What such a sentence is about stands in another one.
_LEANS = vocabulary(
    """he she it they we you i his her its their this that these those such there here however but and or so also then thus
    therefore otherwise instead both neither former latter likewise similarly additionally moreover furthermore hence again
    another alternatively whether see note"""
)
_LEANING = re.compile(
    r"\b(?:this|these|those|the (?:above|below|former|latter|same|following)|that (?:time|case|point|date|day|way|reason))\b"
    # No subject: may be used, only useful, sets the key, if not specified, when called; or one that says nothing: the option is.
    r"|\A(?:may|can|must|should|will|is|are|was|be|does|has|only|same|similar|used|unless otherwise)\b"
    r"|\A(?:if|when|set) (?:not |un)?(?:specified|set|true|false|given|omitted|enabled|present|to true|to false)\b"
    r"|\A(?:if|when|once|unless) [a-z]+ed,|\A(?:some|all|most|many|few|others|none) (?:is|are|of them)\b"
    r"|\A(?:defaults to|[a-z]+[^s\W]s (?:the|an?|whether|how|which|what))\b|\A(?:an? )?(?:\w+[- ]separated )?list of\b"
    r"|\A(?:the )?(?:default|option|command|function|file|value|argument|parameter|field|flag|program|method|string|data|minimum"
    r"|maximum)(?: value| size| length| used| given| specified| returned)? (?:is|are|can|may|must|will|should|has|for|[a-z]+s)\b",
    re.IGNORECASE,
)
# Entries of a changelog say what was done, seldom to what; "name A list of ..." is a heading that ran into its text.
_ENTRY = re.compile(
    r"\A(?:added|dropped|updated|bump(?:ed|s)?|removed|refresh(?:ed)?|renamed|merged?|reverts?|reverted|backport(?:ed)?|implemented"
    r"|increased|decreased|improved|changed|deprecated|fix(?:es)?|fixed (?:an?|the|some|bugs?|crash|memory|issues?)"
    r"|update (?:to|standards)|support for)\b|\A\S+[./_]\S*: "
    r"|\A(?:[\w./+-]{1,30}: )+(?:add|drop|fix|update|bump|remove|rename|use|move|support|enable|disable|make|build|set|new|don't)"
    r"(?:e?d|s)?\b"
    r"|\A(?:--?[A-Za-z]|(?=\S*[A-Za-z])\S*[\d_(]|(?-i:[A-Z]{3}))\S* (?:- )?(?-i:[A-Z][a-z]+|An?) |\A[^.,;]{3,60} - (?-i:[A-Z])"
    r"|\A\d+ if\b",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"©|\(c\)|copyright|all rights reserved|licen[cs]e|warrant|cookie|subscribe|newsletter|sign (?:in|up)|log in|click here"
    r"|privacy policy|terms of (?:use|service)|read more|et al\b|isbn|doi:|retrieved|\bpp?\.|last (?:updated|modified)|maintainer"
    r"|closes:|thanks? to|@",
    re.IGNORECASE,
)
_ODD = re.compile(r"https?:|[a-z][.][A-Z][a-z]|[][{}<>|\\=~^]|[.][.][.]|…|\s[-+*/]{2,}\s|::")
_IDENTIFIER = re.compile(r"--?[A-Za-z]|[A-Za-z]\w*_\w|[a-z]+[A-Z]|[A-Z]{2,}|[A-Za-z]+-?\d|[a-z]+-[a-z]+-\d")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_SMALL = re.compile(r"\b[a-z]+\b")
_PLAIN = re.compile(r"[a-z]+(?:['-][a-z]+)*\Z")
_BEHIND_NAME = re.compile(r"(?:\S\s(?=[A-Z])|\A(?=[A-Z]{2}))(\w[\w+]*)\s\Z")
_VERSION_BEFORE = re.compile(r"\b(?:version|release)s?\b[^.,;]{0,40}\Z", re.IGNORECASE)
_DECIMAL = re.compile(r"\d+(?:\.\d+)+")
_CLAUSE = re.compile(
    r",?\s(?:if|unless|except|provided that|as long as|excluding)\s[^,.;:]*(?=[.])|\A(?:If|Unless|Except)\s[^,.;:]*,\s"
)


def is_whole(text: str) -> bool:
    """Whether a text is a sentence from its start to its full stop.

    >>> is_whole("Logs are kept for one month."), is_whole("kept for one month and")
    (True, False)
    """
    return bool(_ENDS.search(text) and _STARTS.match(text)) and len(text.split()) >= MIN_WORDS


def fault(text: str) -> str | None:
    """Why a sentence is no candidate, None where it is one.

    >>> fault("It is kept for 30 days in the archive.")
    'leans on another sentence'
    """
    words = text.split()
    if not _ENDS.search(text) or not _STARTS.match(text):
        return "fragment"
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return "too short or too long"
    if words[0].casefold().strip("\"'“‘(,") in _LEANS or _LEANING.search(text):
        return "leans on another sentence"
    if _BOILERPLATE.search(text):
        return "boilerplate"
    if _ENTRY.search(text):
        return "entry without a subject"
    letters = sum(letter.isalpha() or letter == " " for letter in text)
    return "code or table" if _ODD.search(text) or letters < 0.75 * len(text) else None


def known_names(texts: Iterable[str]) -> frozenset[str]:
    """Words that are written with a capital within sentences, twice or more, and never without: at the start of one they are
    names too.

    >>> sorted(known_names(["We met in Porto.", "Trains to Porto run daily.", "All of All is all."]))
    ['Porto']
    """
    capital: Counter[str] = Counter()
    small: set[str] = set()
    for text in texts:
        capital.update(_CAPITAL.findall(text))
        small.update(_SMALL.findall(text))
    return frozenset(word for word, n in capital.items() if n > 1 and word.lower() not in small)


def wordings(text: str, names: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Give the wording of a sentence: the first letters of its words that belong to no attribute; once more without its condition.

    >>> list(wordings("Audit logs must be kept for 30 days if stored.", frozenset()))
    [('audi', 'logs', 'kept', 'stor'), ('audi', 'logs', 'kept')]
    """
    clause = _CLAUSE.search(text)
    variants = [text, text[: clause.start()] + text[clause.end() :]] if clause else [text]
    yield from dict.fromkeys(key for variant in variants if len(set(key := _wording(variant, names))) >= MIN_SHARED)


def _wording(text: str, names: frozenset[str]) -> tuple[str, ...]:
    words = [text[start:end] for start, end in tokens(text)]
    if words and words[0][0].isupper() and words[0] not in names:
        words[0] = words[0].lower()
    return tuple(word[:4] for word in words if _PLAIN.match(word) and not _states(word))


@lru_cache(maxsize=1 << 16)
def _states(word: str) -> bool:
    """Whether a small word may belong to an attribute: those are compared later."""
    return word in FUNCTION_WORDS or word in START_WORDS or unit_named(word, False) is not None or bool(extract(word))


def form(parse: Sequence[Word]) -> str:
    """Tell a parsed sentence as a "statement" with subject and finite verb, an "instruction", or a "phrase" that is neither."""
    root = next((i for i, word in enumerate(parse) if word.head == i), None)
    if root is None:
        return "phrase"
    held = [word for i, word in enumerate(parse) if word.head == root and i != root]
    finite = parse[root].tag in _FINITE or any(word.tag in _FINITE and word.dep in ("aux", "auxpass") for word in held)
    if finite and any(word.dep in _SUBJECTS for word in held):
        return "statement"
    return "instruction" if parse[root].tag in ("VB", "VBP") else "phrase"


def is_anchored(read: Statement, differs: Sequence[Difference]) -> bool:
    """Whether a sentence says of what its value or date is: by a name or a scope, or by enough other words."""
    if len(differs) > 1 or differs[0].family not in ("quantity", "date"):
        return True
    named = any(one.family in ("scope", "entity") for one in read.mentions)
    return named or len(set(_wording(read.text, frozenset()))) > MIN_SHARED


@lru_cache(maxsize=4096)
def statement(text: str, names: frozenset[str]) -> Statement:
    """Read what a sentence states, and the names that only their look tells: flags, code, a known name at its start."""
    found = [mention for one in extract(text) if (mention := _mention(one, text)) is not None]
    taken = [(one.start, one.end) for one in found if one.family not in _SPOKEN]
    for i, (start, end) in enumerate(tokens(text)):
        word = text[start:end]
        named = (_IDENTIFIER.match(word) is not None and unit_named(word, True) is None) or (i == 0 and word in names)
        if named and not any(first < end and start < last for first, last in taken):
            found.append(Mention("entity", "name", start, end, word.lower()))
    return Statement(text, tuple(sorted(found, key=lambda one: (one.start, one.end, one.family))))


def _mention(one: Attribute, text: str) -> Mention | None:
    if one.kind == "ordinal":
        return None
    bare = isinstance(one.value, Amount) and one.value.unit == "number"
    if bare and (name := _BEHIND_NAME.search(text[: one.start])) and name[1].lower() not in FUNCTION_WORDS:
        # ISO 8859-8 is no amount; Python 3.8 is a version.
        return _version(one)
    if bare and _VERSION_BEFORE.search(text[: one.start]) and _DECIMAL.match(one.words):
        return _version(one)
    kind = f"{one.family} {one.kind}" if one.family == "modality" else one.kind
    attribute = _ATTRIBUTES.get(kind) or _OTHERWISE.get(one.family, "name")
    # Of a denial or a modal what it acts on is no part of what it says.
    value = one.kind if one.family in _SPOKEN and one.kind != "direction" else one.value
    return Mention(one.family, attribute, one.start, one.end, value)


def _version(one: Attribute) -> Mention | None:
    version = _DECIMAL.match(one.words)
    return version and Mention("date", "version", one.start, one.start + version.end(), version.group())
