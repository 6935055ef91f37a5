"""What belongs to what: values to scopes, arguments to places in a relation; and claims that mix them up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import resources
from typing import Any

import yaml

from cases.mutations import SCOPES, Scope
from cases.near_misses import NearMiss

_MARKETS = [
    Scope("market", "in AMER", "in the Americas"),
    Scope("market", "in EMEA", "in Europe, the Middle East and Africa"),
    Scope("market", "in APAC", "in Asia and the Pacific"),
]
_VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21, 25, 28, 30, 35, 40, 45, 50, 60, 75, 90, 100, 120, 150)


def binding_rows(n: int, seed: int) -> Iterator[NearMiss]:
    """Yield `n` rows, half of them entailed: a sentence that binds values or arguments, and a claim that keeps or mixes them."""
    table = yaml.safe_load((resources.files("cases") / "bindings.yaml").read_text(encoding="utf-8"))
    rng = random.Random(seed)
    for _ in range(n):
        yield _list_row(table, rng) if rng.random() < 0.6 else _relation_row(table, rng)


def _list_row(table: dict[str, Any], rng: random.Random) -> NearMiss:
    """ "S is 20 days in AMER and 30 days in EMEA": which of them holds in AMER?"""
    subject = rng.choice(table["subjects"])
    group = rng.choice(sorted({one.group for one in (*SCOPES, *_MARKETS)}))
    scopes = rng.sample([one for one in (*SCOPES, *_MARKETS) if one.group == group], 3)
    unit = rng.choice(subject["unit"])
    values = [f"{n} {unit}" for n in rng.sample(_VALUES, 3)]
    shape = rng.choice(table["lists"])
    told = 3 if "{v3}" in shape else 2
    slots = {f"w{i + 1}": one.written for i, one in enumerate(scopes)} | {f"v{i + 1}": one for i, one in enumerate(values)}
    asked = rng.randrange(told)
    entailed = rng.random() < 0.5
    value = values[asked] if entailed else rng.choice([one for i, one in enumerate(values) if i != asked])
    words = rng.choice((scopes[asked].written, scopes[asked].asked))
    claim = rng.choice(table["asks"]).format(s=subject["name"], v1=value, w1=words)
    label, family = ("entailment", "scope") if entailed else ("unsupported", rng.choice(("scope", "quantity")))
    return NearMiss(_sentence(shape.format(s=subject["name"], **slots)), _sentence(claim), label, family, "bound_value")


def _relation_row(table: dict[str, Any], rng: random.Random) -> NearMiss:
    """ "Speed is distance divided by time": not the other way round."""
    relation = rng.choice(table["relations"])
    slots = dict(zip("abc", rng.sample(table["pools"][relation["pool"]], 3), strict=True))
    entailed = rng.random() < 0.5
    claim = rng.choice(relation["says" if entailed else "not"])
    # Its own words or others: a verdict that follows the wording learns nothing about the places.
    premise = rng.choice(relation["says"])
    label = "entailment" if entailed else "unsupported"
    return NearMiss(_sentence(premise.format(**slots)), _sentence(claim.format(**slots)), label, "entity", "bound_argument")


def _sentence(text: str) -> str:
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in text.rstrip(".").split(". "))
