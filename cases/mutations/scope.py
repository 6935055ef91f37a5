"""Change for whom or where: places, groups, plans, regions; give a sentence a scope that it lacked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cases.mutations.record import CHANGED, SAME, Mutation, change, pairs, pick, swap_within, swap_words, words

FAMILY = "scope"
_GROUPS = (
    words("Europe Asia Africa Australia Antarctica"),
    ("North America", "South America", "Central America", "Southeast Asia", "the Middle East", "Eastern Europe", "Western Europe"),
    words(
        """France Germany Italy Spain Japan China India Canada Brazil Mexico Russia Poland Sweden Norway Egypt Kenya Turkey
        Argentina Ireland Scotland England Portugal Greece Austria Switzerland Belgium Denmark Finland Nigeria Pakistan
        Indonesia"""
    ),
    words("""California Texas Florida Ohio Michigan Illinois Virginia Georgia Oregon Arizona Colorado Pennsylvania Nevada"""),
    words(
        """London Paris Berlin Madrid Rome Tokyo Beijing Moscow Chicago Boston Seattle Sydney Toronto Vienna Dublin Delhi
        Mumbai"""
    ),
    words("French German Italian Spanish Japanese Chinese Indian Canadian Brazilian Mexican Russian Polish Swedish"),
    words("northern southern eastern western"),
    words("children adults teenagers"),
    words("employees contractors volunteers"),
    words("students teachers"),
    ("small businesses", "large companies"),
)
_PAIRS = pairs(
    """men/women, boys/girls, man/woman, boy/girl, inside/outside, indoors/outdoors, indoor/outdoor, urban/rural,
    domestic/international, public/private, local/national, federal/state, males/females, male/female, customers/suppliers,
    patients/doctors, upper/lower"""
)


class Scope(NamedTuple):
    """A scope in the words of a document and in those of a user; scopes of one group exclude each other."""

    group: str
    written: str
    asked: str


_REGIONS = pairs(
    """us-east-1/the US, eu-central-1/the EU, ap-southeast-2/Australia, ap-northeast-1/Japan, ca-central-1/Canada,
    sa-east-1/Brazil, eu-west-2/the UK, ap-south-1/India"""
)
_AREAS = pairs(
    """the European Union/EU, the United States/US, the United Kingdom/UK, Japan/Japanese, Canada/Canadian,
    Australia/Australian, Germany/German, Switzerland/Swiss"""
)
_AUDIENCES = pairs(
    """adults/grown-ups, children under twelve/young children, pensioners/retired people,
    full-time employees/staff who work full time, contractors/contract workers, students/students"""
)
_PLANS = words("Free Starter Team Business Enterprise Premium")
SCOPES = [
    *(Scope("region", f"in {code}", f"in {area}") for code, area in _REGIONS),
    *(Scope("area", f"for customers in {name}", f"for {other} customers") for name, other in _AREAS),
    *(Scope("plan", f"on the {name} plan", f"for {name} subscribers") for name in _PLANS),
    *(Scope("audience", f"for {name}", f"for {other}") for name, other in _AUDIENCES),
    *(Scope("environment", f"in the {name} environment", f"in {name}") for name in ("production", "staging", "test")),
    *(Scope("model", f"for the {name}", f"for the {name} model") for name in ("X200", "X300", "P40", "Mini 2", "Mini 3")),
]


def mutate_scopes(sentence: str) -> Iterator[Mutation]:
    """Every change of a place or group that `sentence` states."""
    yield from swap_within(sentence, _GROUPS, FAMILY, "place")
    yield from swap_words(sentence, _PAIRS, FAMILY, "group", CHANGED)
    for scope in SCOPES:
        start = sentence.find(scope.written)
        end = start + len(scope.written)
        if start >= 0 and not re.match(r"\w", sentence[end:]):
            other = pick([one for one in SCOPES if one.group == scope.group and one != scope], sentence)
            yield from change(sentence, start, end, other.written, FAMILY, "scope", CHANGED)
            yield from change(sentence, start, end, other.asked, FAMILY, "scope_asked", CHANGED)
            yield from change(sentence, start, end, scope.asked, FAMILY, "same_scope", SAME)


def scoped(sentence: str, scope: Scope) -> str:
    """Give `sentence` a scope at its end.

    >>> scoped("Logs are kept for 30 days.", SCOPES[0])
    'Logs are kept for 30 days in us-east-1.'
    """
    body, dot = re.fullmatch(r"(.*?)(\s*[.!]?)", sentence.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{body} {scope.written}{dot or '.'}"
