"""Name the error families that a claim can fall into, and the ones by which a premise differs from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import apache_beam as beam

from schemas.claims import FAMILIES, OTHER_FAMILY, Claim
from transforms.attributes import Difference, extract
from transforms.attributes import compare as compare_attributes

RULES = "families-2"


class Mismatch(NamedTuple):
    """One way in which a premise differs from a claim."""

    family: str
    words: str


def families_of(claim: str) -> list[str]:
    """The families whose attribute a claim states, in the order of FAMILIES; `other` where it states none.

    >>> families_of("EU logs must be kept for 30 days")
    ['scope', 'quantity', 'modality']
    >>> families_of("The pump is blue")
    ['other']
    """
    stated = {one.family for one in extract(claim)}
    return [family for family in FAMILIES if family in stated] or [OTHER_FAMILY]


def compare(claim: str, premise: str) -> list[Mismatch]:
    """Name the attributes of `claim` that `premise` states otherwise or not at all, a Mismatch a family at most.

    >>> compare("Retention in AMER is 30 days", "Retention is 20 days in AMER and 30 days in EMEA")
    [Mismatch(family='scope', words='AMER against EMEA'), Mismatch(family='quantity', words='30 days against 20 days')]
    """
    compared = compare_attributes(claim, premise)
    differences = [*compared.differs, *(Difference(one.family, one, None) for one in compared.missing)]
    words = {family: [one.words for one in differences if one.family == family] for family in FAMILIES}
    return [Mismatch(family, "; ".join(dict.fromkeys(found))) for family, found in words.items() if found]


@dataclass
class TagFamilies(beam.PTransform):
    """Give each claim its families."""

    def expand(self, claims: beam.PCollection[Claim]) -> beam.PCollection[Claim]:
        return claims | "TagClaim" >> beam.Map(lambda claim: claim._replace(families=families_of(claim.text))).with_output_types(
            Claim
        )
