"""Statements in the manner of rate cards: every label is found again from the words alone."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from itertools import product
from typing import NamedTuple

import pytest
import yaml

from cases.headings import scope_heading
from cases.mutations import SCOPES
from cases.statements import statement_rows

SHAPES = yaml.safe_load((resources.files("cases") / "statements.yaml").read_text(encoding="utf-8"))
VALUE = {"{n}": r"(?P<value>\d+)", "{v}": r"(?P<value>\d+\.\d+)", "{d}": r"(?P<value>\d+ [A-Z][a-z]+ \d{4})"}
WRITTEN = {scope.written.lower(): scope for scope in SCOPES}
ASKED = WRITTEN | {scope.asked.lower(): scope for scope in SCOPES}


class Said(NamedTuple):
    """What a sentence says, read back from its words."""

    shape: int
    thing: str
    value: str | None
    unit: str | None
    scope: object


def any_of(texts):
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))


def reader(phrasing, shape, scopes):
    body = re.escape(phrasing)
    slots = {**VALUE, "{thing}": f"(?P<thing>{any_of(shape['things'])})", "{unit}": f"(?P<unit>{any_of(shape.get('unit', ['-']))})"}
    for slot, pattern in slots.items():
        body = body.replace(re.escape(slot), pattern)
    return re.compile(f"(?:(?P<front>{any_of(scopes)}), )?{body}(?: (?P<back>{any_of(scopes)}))?", re.IGNORECASE)


READERS = [
    (number, voice, reader(phrasing, shape, WRITTEN if voice == "says" else ASKED))
    for number, shape in enumerate(SHAPES)
    for voice in ("says", "asks")
    for phrasing in shape[voice]
]


def read(sentence, voices):
    """Give everything that a sentence says in any phrasing of `voices`."""
    said = set()
    for number, voice, pattern in READERS:
        match = pattern.fullmatch(sentence) if voice in voices else None
        if match:
            parts = match.groupdict()
            scope = parts["front"] or parts["back"]
            thing = parts["thing"].lower()
            said.add(Said(number, thing, parts.get("value"), parts.get("unit"), scope and ASKED[scope.lower()]))
    return said


def one_of(sentence, voices):
    (said,) = read(sentence, voices)
    return said


def told_by(premise):
    """What a premise says; the last part of a heading scopes it."""
    heading, _, body = premise.rpartition(": ")
    told = [one_of(part, ("says",)) for part in body[:-1].split(". ")]
    if not heading:
        return told
    assert [one.scope for one in told] == [None]
    (scope,) = [one for one in SCOPES if scope_heading(one) == heading.split(" > ")[-1]]
    return [told[0]._replace(scope=scope)]


@pytest.fixture(scope="module")
def rows():
    """2,000 rows, each with what its premise and its claim say."""
    return [(row, told_by(row.premise), one_of(row.hypothesis[:-1], ("says", "asks"))) for row in statement_rows(2_000, 7)]


def test_an_entailed_claim_is_made_by_exactly_one_fact_and_another_by_none(rows):
    wrong = []
    for row, told, asked in rows:
        made = told.count(asked)
        everywhere = asked._replace(scope=None) in told
        if (row.label == "entailment" and made != 1) or (row.label == "unsupported" and (made or everywhere)):
            wrong.append(row)
    assert wrong == []
    assert {row.label for row, _, _ in rows} == {"entailment", "unsupported"}


def test_a_premise_says_nothing_twice_and_nothing_of_one_thing_in_one_scope(rows):
    assert [row for row, told, _ in rows if len({(one.thing, one.scope) for one in told}) < len(told)] == []
    assert {len(told) for _, told, _ in rows} == {1, 2, 3}
    assert {len({one.shape for one in told}) for _, told, _ in rows} == {1}


def differs(one, other):
    return {name for name in Said._fields if getattr(one, name) != getattr(other, name)}


def test_a_claim_that_nothing_makes_is_one_attribute_from_a_fact(rows):
    own = {"scope": {"scope", "value"}, "entity": {"thing", "value"}, "quantity": {"value", "unit"}, "date": {"value"}}
    for row, told, asked in rows:
        if row.label == "unsupported":
            assert any(differs(one, asked) <= own[row.family] for one in told), row


def test_labels_families_shapes_and_scopes_all_occur(rows):
    labels = Counter(row.label for row, _, _ in rows)
    assert 0.40 < labels["entailment"] / len(rows) < 0.50
    assert {row.family for row, _, _ in rows if row.label == "unsupported"} == {"scope", "entity", "quantity", "date"}
    assert {asked.shape for _, _, asked in rows} == set(range(len(SHAPES)))
    assert {asked.scope for _, _, asked in rows} == {*SCOPES, None}
    assert 100 < sum(" > " in row.premise for row, _, _ in rows) < 400


def test_the_rows_of_a_seed_are_always_the_same():
    first = list(statement_rows(30, 3))
    assert first == list(statement_rows(30, 3))
    assert first[:10] == list(statement_rows(10, 3))
    assert first != list(statement_rows(30, 4))
    assert list(statement_rows(0, 3)) == []


def test_every_shape_has_two_things_and_each_phrasing_names_all_that_differs():
    for shape, voice in product(SHAPES, ("says", "asks")):
        assert len(set(shape["things"])) == len(shape["things"]) > 1
        slots = {frozenset(re.findall(r"{\w+}", phrasing)) for phrasing in (*shape["says"], *shape[voice])}
        assert len(slots) == 1, shape[voice]
        assert ("{unit}" in shape["says"][0]) == ("unit" in shape)
