"""Title and heading paths to stand in front of a passage, as evidence carries them; a heading may be what scopes it."""

from __future__ import annotations

import random
import re

from cases.mutations import Scope
from cases.mutations.record import words

# Invented; none is a name of the shipped sample or of the near-miss suite.
_NAMES = words(
    "Aldra Brisk Calvo Denby Everly Fossan Gantry Holcot Imber Juno Kestrel Lumen Mavis Nordal Orla Pexton Quill Rovan Selby Tavish"
)
_KINDS = tuple(
    one.replace("_", " ")
    for one in words(
        """handbook service_terms price_list release_notes user_guide safety_sheet annual_review test_report staff_rules help_centre
        product_page travel_policy storage_rules patient_leaflet support_terms tariff newsletter field_notes minutes encyclopedia"""
    )
)
_SECTIONS = tuple(
    one.replace("_", " ")
    for one in words(
        """Overview Background Limits Fees Deadlines History Details Exceptions Results General_terms Use Care Notes Members Rules
        Questions_and_answers Before_you_start Contact Changes Appendix"""
    )
)


def heading(rng: random.Random, scope: Scope | None = None) -> str:
    """Make a heading path, its last part the scope where one is given.

    >>> heading(random.Random(3))
    'Holcot minutes > Care'
    """
    parts = [f"{rng.choice(_NAMES)} {rng.choice(_KINDS)}", *rng.sample(_SECTIONS, rng.choice((0, 1, 1, 2)))]
    if scope is not None:
        parts.append(scope_heading(scope))
    return " > ".join(parts)


def headed(text: str, rng: random.Random, scope: Scope | None = None) -> str:
    """Put a heading path in front of a passage, as premises carry the `context` of their evidence."""
    return f"{heading(rng, scope)}: {text}"


def scope_heading(scope: Scope) -> str:
    """The scope as a heading says it.

    >>> scope_heading(Scope("environment", "in the test environment", "in test"))
    'Test environment'
    """
    named = re.sub(r"^(?:in|on|for|to) (?:the )?", "", scope.written)
    return named if re.search(r"\d", named) else f"{named[0].upper()}{named[1:]}"
