"""Read for whom, where and of which product something holds: regions, plans, audiences, environments, products."""

from __future__ import annotations

import re
from typing import NamedTuple

from transforms.attributes.numerals import read_number
from transforms.attributes.places import CASED, NAMES, area_of_code
from transforms.attributes.record import FUNCTION_WORDS, Reading
from transforms.attributes.units import unit_named
from transforms.vocabulary import vocabulary

_CODE = re.compile(r"\b[a-z]{2,12}-(?:gov-)?(?:north|south|east|west|central)(?:north|south|east|west)?-?\d\b")
_TIERS = vocabulary("free basic starter standard plus pro premium business enterprise trial team professional ultimate hobby")
_TIER_NOUNS = vocabulary("plan plans tier tiers edition editions package packages subscription subscriptions level")
_TIER_HOLDERS = vocabulary(
    "customer customers user users account accounts seat seats subscriber subscribers member members workspace workspaces services"
)
_ENVIRONMENTS = {"production": "production", "staging": "staging", "sandbox": "sandbox"}
# Within a group one audience is not another: adults are no children, contractors no employees.
_AUDIENCES = {
    "age": "adult adults|child children kid kids|infant infants baby babies toddler toddlers newborns"
    "|adolescent adolescents teenager teenagers teens|elderly seniors pensioners",
    "work": "employee employees|manager managers|contractor contractors|intern interns|apprentice apprentices|trainee trainees"
    "|volunteer volunteers|freelancer freelancers",
    "access": "admin admins administrator administrators|guest guests|viewer viewers|editor editors|owner owners",
    "parent": "mother mothers|father fathers",
    "sex": "men|women",
    "school": "student students|teacher teachers|pupil pupils|professor professors",
    "contract": "full-time|part-time|temporary",
}
_AUDIENCE = {
    form: (group, forms.split()[0]) for group, sets in _AUDIENCES.items() for forms in sets.split("|") for form in forms.split()
} | {"grown-ups": ("age", "adult"), "grown-up": ("age", "adult")}
_AGED = frozenset({"people", "person", "persons", "someone", "patients", "anyone", "those", "users", "girls", "boys", "customers"})
_OVER = frozenset({"over", "above"})
_UNDER = frozenset({"under", "below"})
_OUTSIDE = frozenset({"outside", "excluding", "except"})
# Names with these before their number are places in a document, or measures.
_NO_PRODUCT = vocabulary(
    """the a an in on at by of for to from since until after before over under above below about between and or but with
    within without than if when while as only also per every each all any some most no not version release edition figure
    table section chapter article page appendix step part day week month year quarter january february march april may
    june july august september october november december up least them he she it we they you take takes"""
)
_PRODUCT = re.compile(
    r"(?<![\w.-])(?P<code>[A-Z]{1,4}-?\d{1,4}[A-Za-z]?)(?![\w%]|[.,]\d)|\b(?P<name>[a-z]?[A-Z][A-Za-z]{1,20})\s(?P<number>\d{1,4})(?![\w%:]|[.,]\d|-\d)"
)
_REFERENCES = frozenset(
    {"error", "alarm", "code", "advisory", "flight", "room", "gate", "case", "form", "ticket", "rule", "law", "question"}
)
_SPOKEN = vocabulary("english french german spanish portuguese italian polish dutch japanese chinese korean russian swedish danish")
_CURRENCY_CODES = frozenset({"EUR", "USD", "GBP", "CHF", "JPY", "INR"})


class Age(NamedTuple):
    """People by age, in years, both ends included where known."""

    low: float
    high: float


def note_codes(reading: Reading) -> None:
    """Find the regions of cloud providers: us-east-1."""
    for match in _CODE.finditer(reading.text):
        if area_of_code(match.group()):
            note_scope(reading, "region", match.group(), *match.span())


def note_products(reading: Reading) -> None:
    """Find products by model name: P40, Skarv 4; equal only by name."""
    words_at = {word.start: i for i, word in enumerate(reading.words)}
    for match in _PRODUCT.finditer(reading.text):
        start, end = match.span()
        if not reading.free(start, end) or (match["name"] or "").lower() in _NO_PRODUCT or match.group()[:3] in _CURRENCY_CODES:
            continue
        number = words_at.get(match.start("number")) if match["number"] else None
        if number is not None and _is_counted(reading, number):
            continue
        name = match.group().replace("-", "").lower()
        before = reading.text[max(0, start - 16) : start].lower().split()[-1:]
        if (match["name"] or "").lower() in _REFERENCES or (before and before[0] in _REFERENCES):
            reading.note("entity", "reference", name.split()[-1], start, end)
        else:
            reading.note("scope", "product", name, start, end)


def _is_counted(reading: Reading, number: int) -> bool:
    """Whether the number after a capitalised word measures: Velorin 50 mg, Orders 10 times."""
    following = reading.words[number + 1].text if number + 1 < len(reading.words) else ""
    return (
        following in ("%", "°", "percent")
        or unit_named(following, True) is not None
        or following.lower() in ("to", "times", "of", "out")
    )


def note_scopes(reading: Reading) -> None:
    """Find regions by name, plans, audiences with their ages, and environments."""
    for i, word in enumerate(reading.words):
        if reading.taken[word.start] or not word.low[0].isalpha():
            continue
        low = word.low.replace("’", "'").removesuffix("'s")
        if low in _SPOKEN and reading.low(i - 1) in ("into", "in", "speak", "speaks", "spoken", "to"):
            reading.note("entity", "language", low, word.start, word.end)
        elif (pair := f"{word.low} {reading.low(i + 1)}") in NAMES and word.text[0].isupper():
            note_scope(reading, "region", NAMES[pair], word.start, reading.words[i + 1].end)
        elif (
            low in NAMES
            and reading.low(i + 1) != "$"
            and (word.text.isupper() if low == "us" else word.text[0].isupper() or (low not in CASED and len(low) > 6))
        ):
            note_scope(reading, "region", NAMES[low], word.start, word.end)
        elif word.low in _TIERS and _is_tier(reading, i):
            note_scope(reading, "plan", word.low, word.start, word.end)
        elif word.low in _ENVIRONMENTS and reading.low(i + 1) not in ("of",):
            note_scope(reading, "environment", word.low, word.start, word.end)
        else:
            _note_audience(reading, i)
    for i, word in enumerate(reading.words):
        if word.low in _TIER_NOUNS and i and not reading.taken[word.start] and _names_plan(reading, i - 1):
            before = reading.words[i - 1]
            note_scope(reading, "plan", before.low, before.start, before.end)


def _names_plan(reading: Reading, i: int) -> bool:
    word = reading.words[i]
    return word.text[0].isupper() and not word.initial and not reading.taken[word.start] and word.low not in FUNCTION_WORDS


def _is_tier(reading: Reading, i: int) -> bool:
    """Whether a word like Free or Standard names a plan: by a noun beside it, or by a capital within the sentence."""
    word, following = reading.words[i], reading.low(i + 1)
    if following in _TIER_NOUNS or (following in _TIER_HOLDERS and word.text[0].isupper()):
        return True
    if following in ("and", "or", ",") and reading.low(i + 2) in _TIERS:
        return True
    # A heading like "Rate card > Team: ..." names it too.
    return word.text[0].isupper() and (not word.initial or (reading.low(i - 1) == ">" and following in (":", ">")))


def _note_audience(reading: Reading, i: int) -> None:
    words = reading.words
    low, start, end = words[i].low, words[i].start, words[i].end
    if reading.low(i + 1) == "-" and (compound := f"{low}-{reading.low(i + 2)}") in _AUDIENCE:
        low, end = compound, words[i + 2].end
    if low in _AUDIENCE:
        group, name = _AUDIENCE[low]
        aged = _age(reading, i + 1) if group == "age" else None
        if aged is not None:
            note_scope(reading, "age", aged[0], start, aged[1])
        note_scope(reading, group, name, start, end)
    elif low in _AGED and (aged := _age(reading, i + 1)) is not None:
        note_scope(reading, "age", aged[0], start, aged[1])


def _age(reading: Reading, i: int) -> tuple[Age, int] | None:
    """The age behind an audience: over 12, under 6 years, from 6 to 11, aged 18 or older, of eleven."""
    low = reading.low(i)
    if low in ("aged", "who", "are", "older", "younger"):
        i += 1 + (reading.low(i + 1) in ("than", "are"))
    if low not in _OVER | _UNDER | {"from", "aged", "older", "younger", "of", "between"}:
        return None
    if low not in ("aged", "older", "younger"):
        i += 1
    if i >= len(reading.words) or (number := read_number(reading.words, i)) is None or number.share or not 0 < number.value < 120:
        return None
    value, end = number.value, number.end
    upper: float | None = None
    if reading.low(end) in ("to", "-", "–", "and") and end + 1 < len(reading.words):
        second = read_number(reading.words, end + 1)
        if second is not None:
            upper, end = second.value, second.end
    if reading.low(end) in ("percent", "%", ",") and reading.low(end) != ",":
        return None
    plural = reading.low(end) in ("year", "years")
    last = reading.words[end if plural else end - 1].end
    if low in _OVER or low == "older" or (reading.low(end + plural) == "or" and reading.low(end + plural + 1) in ("older", "over")):
        return Age(value, float("inf")), last
    if low in _UNDER or low == "younger":
        return Age(0, value), last
    return Age(value, upper if upper is not None else value), last


def note_scope(reading: Reading, kind: str, name: object, start: int, end: int) -> None:
    """Record a scope, as its complement behind "outside" or "except"."""
    before = [word for word in reading.text[max(0, start - 24) : start].lower().split() if word not in ("the", "of", "for")]
    value = ("outside", name) if before and before[-1] in _OUTSIDE else name
    reading.note("scope", kind, value, start, end)
