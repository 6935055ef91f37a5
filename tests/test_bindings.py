"""Bindings: a claim is entailed when it keeps what the sentence binds, and only then."""

from __future__ import annotations

import re
from importlib import resources

import pytest
import yaml

from cases.bindings import _MARKETS, binding_rows
from cases.mutations import SCOPES
from cases.near_misses import NearMiss

ROWS = list(binding_rows(1500, 11))
TABLE = yaml.safe_load((resources.files("cases") / "bindings.yaml").read_text(encoding="utf-8"))
UNITS = sorted({unit for subject in TABLE["subjects"] for unit in subject["unit"]}, key=len, reverse=True)
VALUE = re.compile(rf"\b\d+ (?:{'|'.join(UNITS)})\b")


def values_by_scope(premise: str) -> dict[str, str]:
    """The k-th scope of a sentence goes with its k-th value, in every shape."""
    found = {one.written: premise.lower().find(one.written.lower()) for one in (*SCOPES, *_MARKETS)}
    places = sorted((at, written) for written, at in found.items() if at >= 0)
    values = VALUE.findall(premise)
    return {written: value for (_, written), value in zip(places, values, strict=True)}


def scope_asked(claim: str) -> str:
    """The document's words for the scope of a claim, the longest that it holds."""
    held = [one for one in (*SCOPES, *_MARKETS) if one.written.lower() in claim.lower() or one.asked.lower() in claim.lower()]
    return max(
        held, key=lambda one: max(len(words) for words in (one.written, one.asked) if words.lower() in claim.lower())
    ).written


def test_a_value_is_entailed_for_its_own_scope_only() -> None:
    lists = [row for row in ROWS if row.operator == "bound_value"]
    assert len(lists) > 500
    for row in lists:
        bound = values_by_scope(row.premise)
        value = VALUE.search(row.hypothesis)
        assert value is not None, row
        assert (bound[scope_asked(row.hypothesis)] == value.group()) == (row.label == "entailment"), row


def said_by(relations: list[dict[str, list[str]]], text: str) -> set[tuple[int, str, str, str]]:
    """The relations, with their arguments, that a sentence states."""
    found = set()
    for i, relation in enumerate(relations):
        for template in relation["says"]:
            pattern = (
                re.escape(template).replace(r"\{a\}", "(?P<a>.+?)").replace(r"\{b\}", "(?P<b>.+?)").replace(r"\{c\}", "(?P<c>.+?)")
            )
            if match := re.fullmatch(pattern, text.rstrip("."), re.IGNORECASE):
                parts = match.groupdict()
                found.add((i, *(str(parts.get(slot, "")).lower() for slot in "abc")))
    return found


def test_a_relation_is_entailed_with_its_arguments_in_place_only() -> None:
    rows = [row for row in ROWS if row.operator == "bound_argument"]
    assert len(rows) > 400
    for row in rows:
        told, asked = (said_by(TABLE["relations"], text) for text in (row.premise, row.hypothesis))
        assert bool(told & asked) == (row.label == "entailment"), row


@pytest.mark.parametrize("label", ["entailment", "unsupported"])
def test_labels_are_about_even(label: str) -> None:
    assert 0.4 < sum(row.label == label for row in ROWS) / len(ROWS) < 0.6


def test_rows_depend_on_the_seed_alone() -> None:
    assert list(binding_rows(50, 11)) == ROWS[:50]
    assert list(binding_rows(50, 12)) != ROWS[:50]
    assert list(binding_rows(0, 1)) == []
    assert all(isinstance(row, NearMiss) for row in ROWS[:5])
