"""Which passages have a sibling one attribute away, sentence by sentence and through the pipeline."""

from __future__ import annotations

import itertools
import random

import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import evidence, utc
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.claims import FAMILIES
from schemas.evidence import Evidence
from transforms.exposure import (
    FindSiblings,
    SiblingKey,
    Stated,
    are_siblings,
    representatives,
    sibling_keys,
    with_siblings,
)


def shared_families(one: Evidence, other: Evidence) -> str:
    """The families in which two passages are siblings, by their keys alone."""
    pairs = itertools.product(sibling_keys(one), sibling_keys(other))
    found = {a.family for a, b in pairs if a[:2] == b[:2] and a.values != b.values}
    return " ".join(family for family in FAMILIES if family in found)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Logs are kept for 30 days in the EU.", "Logs are kept for 7 days in AMER.", "scope"),
        ("Audit logs are kept for 30 days in the EU.", "Audit logs are kept for 30 days in AMER.", "scope"),
        ("The Team plan has 10 paid seats included.", "The Business plan has 50 paid seats included.", "scope"),
        ("The P40 pumps 40 litres at full power.", "The P60 pumps 60 litres at full power.", "scope"),
        ("Audit logs are kept for 30 days.", "Audit logs are kept for 7 days.", "quantity"),
        ("Audit logs are kept for 12 months.", "Audit logs are kept for one year.", ""),
        ("Audit logs are kept for 30 days.", "Audit logs are kept for about 30 days.", ""),
        ("Audit logs are kept for 30 days.", "Audit logs are kept within 30 days.", ""),
        ("The Team plan includes 10 paid seats.", "The Team plan includes 20 paid seats.", "quantity"),
        ("The Team plan includes 10 paid seats.", "The Team plan includes 20 paid exports.", ""),
        ("Every paid seat costs 10 euros.", "Every paid seat costs $12.", "quantity"),
        ("Queries are limited in version 2.1 of the server.", "Queries are limited in version 2.2 of the server.", "date"),
        ("The memory limit was 4 GB in March 2024.", "The memory limit was 8 GB in May 2025.", "date"),
        ("The old flaw was found by Ilse Brandner.", "The old flaw was found by Tomas Reuter.", "entity"),
        ("Audit logs are kept safely.", "Audit logs are not kept safely.", "polarity"),
        ("The plan includes paid support.", "The plan doesn't include paid support.", "polarity"),
        ("Guests can export all data sets.", "Guests can't export all data sets.", "polarity"),
        ("Guests can export all data sets.", "Guests cannot export all data sets.", "polarity"),
        ("Exports need a signed form with a stamp.", "Exports need a signed form without a stamp.", "polarity"),
        ("Net revenue rose in Hamburg again.", "Net revenue fell in Hamburg again.", "polarity"),
        ("Audit logs must be kept safely.", "Audit logs may be kept safely.", "modality"),
        ("Audit logs must be kept safely.", "Audit logs are kept safely.", "modality"),
        ("Guests cannot export data sets.", "Guests must export data sets.", ""),
        ("Guests get write access.", "Guests get write access if the owner agrees.", "modality"),
        ("Guests get write access if they ask.", "Guests get write access unless they leave.", "modality"),
        ("Most answers cite two good sources.", "All answers cite two good sources.", "aggregation"),
        ("Most of the answers cite sources.", "All answers cite sources.", "aggregation"),
        ("Audit logs are kept for 30 days.", "Audit logs are kept for 30 days.", ""),
        ("Audit logs are kept for 30 days.", "Crash dumps are kept for 7 days.", ""),
        # Two attributes away; and too little left to be the same statement.
        ("Audit logs must be kept for 30 days.", "Audit logs may be kept for 7 days.", ""),
        ("Wait for 30 days.", "Wait for 7 days.", ""),
        # Numbers of notes are no quantities.
        ("Perspective was part of a wider trend.[53]", "Perspective was part of a wider trend.[59]", ""),
        ("Perspective was a trend in England.1 More.", "Perspective was a trend in England.31 More.", ""),
        ("", "Audit logs are kept for 7 days.", ""),
    ],
)
def test_siblings_of_a_sentence(one, other, expected):
    a, b = (evidence(name, text) for name, text in (("a", one), ("b", other)))
    assert shared_families(a, b) == expected
    assert shared_families(b, a) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("Plans > Basic", "10 seats"), ("Plans > Pro", "10 seats"), "scope"),
        (("Plans > Basic", "10 seats are included."), ("Plans > Pro", "25 seats are included."), "scope quantity"),
        (
            ("Plans > Basic", "Audit logs are kept for 30 days."),
            ("Plans > Pro", "Audit logs are kept for 7 days."),
            "scope quantity",
        ),
        (("Plans > Basic", "10 seats"), ("Prices > Pro", "10 seats"), ""),
        (("Plans > Basic", "10 seats"), (None, "10 seats"), ""),
        (("Plans > Basic", "10 seats"), ("Plans > Basic", "10 seats"), ""),
        (("Release notes > v2.1", "The cache holds 4 GB."), ("Release notes > v2.2", "The cache holds 8 GB."), "date quantity"),
    ],
)
def test_a_heading_may_carry_the_attribute(one, other, expected):
    a, b = (evidence(name, text, context=context) for name, (context, text) in (("a", one), ("b", other)))
    assert shared_families(a, b) == expected


def test_only_the_sentences_that_hold_the_span_are_keyed():
    text = "Audit logs are kept for 30 days. Crash dumps are kept for 7 days."
    first = evidence(text="Audit logs are kept for 30 days.")
    assert sibling_keys(evidence(text=text, span_start=24, span_end=31)) == sibling_keys(first)
    both = {*sibling_keys(first), *sibling_keys(evidence(text="Crash dumps are kept for 7 days."))}
    assert sibling_keys(evidence(text=text)) == sorted(both)


def test_at_most_200_sentences_are_keyed():
    sentences = [f"Rack number {i} holds spare parts." for i in range(300)]
    assert sibling_keys(evidence(text=" ".join(sentences))) == sibling_keys(evidence(text=" ".join(sentences[:200])))


def test_keys_are_the_same_in_every_process():
    keys = [key for key in sibling_keys(evidence(text="Audit logs are kept for 30 days.")) if key.family == "quantity"]
    assert keys == [SiblingKey("quantity", 1364613956315366149, 1595159841727491224)]


@given(text=st.text(max_size=200), context=st.none() | st.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_any_text_has_keys(text, context):
    keys = sibling_keys(evidence(text=text, context=context))
    assert keys == sorted(set(keys))


MOMENTS = st.sampled_from([None, utc(2024), utc(2025), utc(2026)])
STATED = st.builds(
    Stated,
    st.integers(1, 3),
    st.sampled_from("abcd"),
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from("12"),
    MOMENTS,
    MOMENTS,
)


def brute_force(group: list[Stated]) -> list[Stated]:
    return [row for row in group if any(are_siblings(row, other) for other in group)]


@given(group=st.lists(STATED, max_size=12))
@settings(max_examples=300, deadline=None)
def test_siblings_in_a_group_are_those_of_all_pairs(group):
    assert list(with_siblings(group)) == brute_force(group)


def test_siblings_in_a_large_group_are_those_of_all_pairs():
    """Larger than the part that is summed up at once; what differs stands last."""
    group = [Stated(1, f"e{i}", f"d{i % 7}", "1") for i in range(2500)]
    assert list(with_siblings(group)) == []
    odd = Stated(2, "odd", "d3", "1")
    assert list(with_siblings([*group, odd])) == [*group, odd]
    late = odd._replace(valid_from=utc(2026))
    early = [row._replace(valid_to=utc(2026)) for row in group]
    assert list(with_siblings([*early, late])) == [*(row for row in early if row.doc_id != "d3"), late]


FIELDS = st.sampled_from([("values",), ("values", "evidence_id"), ("values", "evidence_id", "doc_id")])


@given(rows=st.lists(STATED, max_size=30), fields=FIELDS, query=STATED, data=st.data())
@settings(max_examples=300, deadline=None)
def test_representatives_decide_as_all_do_however_they_are_merged(rows, fields, query, data):
    def differs(among: list[Stated]) -> bool:
        return any(all(getattr(row, field) != getattr(query, field) for field in fields) for row in among)

    cut = data.draw(st.integers(0, len(rows)))
    whole = representatives(rows, fields)
    merged = representatives([*representatives(rows[cut:], fields), *representatives(rows[:cut], fields)], fields)
    assert differs(whole) == differs(merged) == differs(rows)
    assert len(whole) <= {1: 2, 2: 5, 3: 16}[len(fields)]


SENTENCES = [
    f"Audit logs {modal} kept for {days} days in {region}."
    for modal, days, region in itertools.product(("are", "must be", "are not"), (7, 30), ("Spain", "Italy"))
]
ROWS = st.builds(
    evidence,
    st.sampled_from("abc"),
    st.lists(st.sampled_from(SENTENCES), max_size=2).map(" ".join),
    st.sampled_from("123"),
    valid_from=MOMENTS,
)


def exposed_by_pairs(rows: list[Evidence]) -> list[tuple[tuple[str, str], tuple[str, ...]]]:
    """The same by comparing every key with every other."""
    keyed = [
        (key.family, key.skeleton, Stated(key.values, row.evidence_id, row.doc_id, row.version, row.valid_from, row.valid_to))
        for row in rows
        for key in sibling_keys(row)
    ]
    found: dict[tuple[str, str], set[str]] = {}
    for (family, skeleton, one), (other_family, other_skeleton, other) in itertools.product(keyed, keyed):
        if (family, skeleton) == (other_family, other_skeleton) and are_siblings(one, other):
            found.setdefault((one.evidence_id, one.version), set()).add(family)
    return [(row, tuple(family for family in FAMILIES if family in names)) for row, names in found.items()]


@given(rows=st.lists(ROWS, max_size=9, unique_by=lambda row: (row.evidence_id, row.version)))
@settings(max_examples=5, deadline=None)
def test_the_pipeline_finds_what_all_pairs_find(rows):
    with _TestPipeline() as pipeline:
        found = pipeline | beam.Create(rows, reshuffle=False) | FindSiblings()
        assert_that(found, equal_to(exposed_by_pairs(rows)))


def test_versions_are_no_siblings():
    rows = [
        evidence("spain", "Audit logs are kept for 30 days in Spain.", "1", valid_to=utc(2025)),
        evidence("spain", "Audit logs are kept for 7 days in Spain.", "2", valid_from=utc(2025)),
        evidence("italy", "Audit logs are kept for 7 days in Italy.", "2", valid_from=utc(2025)),
        # The whole passage under an id of its own: at any time it says the same as its span.
        evidence("both", "Audit logs are kept for 30 days in Spain. Fees apply.", "1", valid_to=utc(2025)),
        evidence("both", "Audit logs are kept for 7 days in Spain. Fees apply.", "2", valid_from=utc(2025)),
        evidence("alone", "Crash dumps are kept for 7 days in Spain.", "1"),
    ]
    random.Random(0).shuffle(rows)
    with _TestPipeline() as pipeline:
        found = pipeline | beam.Create(rows) | FindSiblings()
        expected = [(("spain", "2"), ("scope",)), (("italy", "2"), ("scope",)), (("both", "2"), ("scope",))]
        assert_that(found, equal_to(expected))
