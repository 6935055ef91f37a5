"""Rows that break their contract are found by position and named with their fix."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, NamedTuple

import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import answer, evidence, utc

from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.contract import contract
from schemas.evidence import Evidence
from schemas.expectations import suites
from schemas.types import Column, to_table
from transforms.contract import CheckContract, check_table
from transforms.tables import Batch


def faults(row_type, rows):
    held = contract({Answer: "answers", Evidence: "evidence"}[row_type])
    return [(fault.row, fault.message) for fault in sorted(check_table(to_table(row_type, rows), held)[0])]


def named(tally):
    (name, position), found = tally
    one = next(suite for suite in contract(name.split(".")[0]).suites if suite.name == name).expectations[position]
    return name, one.kind, one.column, *found


def test_good_rows_have_no_faults():
    assert faults(Evidence, [evidence(), evidence(span_start=0, span_end=4), evidence(text=None), evidence(text="")]) == []
    assert faults(Answer, [answer(), answer(text="", citations=None), answer(claims=[])]) == []


def test_evidence_faults_name_column_value_and_fix():
    rows = [
        evidence(),
        evidence("", status="odd"),
        evidence(span_start=2, span_end=99),
        evidence(span_start=5, span_end=5),
        evidence(None),
        evidence(span_start=-1, span_end=2),
    ]
    assert faults(Evidence, rows) == [
        (1, "evidence_id must have at least 1 characters: ''"),
        (1, "status must be one of current, superseded, retracted: 'odd'"),
        (2, "span_end must be at most text_length: span_end=99, text_length=26; re-export the record"),
        (3, "span_start must be below span_end: span_start=5, span_end=5; re-export the record"),
        (4, "evidence_id must not be null; fill it in or drop the record"),
        (5, "span_start must be at least 0: -1"),
    ]


def test_nested_rows_are_checked_and_lead_back_to_their_answer():
    rows = [
        answer(),
        answer(citations=[DeclaredCitation("a"), DeclaredCitation("b", answer_start=3, answer_end=400)]),
        answer(claims=[StructuredClaim("", "text", True, [])]),
    ]
    assert faults(Answer, rows) == [
        (1, "citations.answer_end must be at most answer_length: answer_end=400, answer_length=30; re-export the record"),
        (2, "claims.claim_id must have at least 1 characters: ''"),
    ]


def test_every_kind_of_rule_becomes_an_expectation():
    class Row(NamedTuple):
        name: Annotated[str, Column("", min_length=1, pattern="^[a-z]+$", unique=True)]
        low: Annotated[float | None, Column("", minimum=0, maximum=1, severity="warn")]
        high: Annotated[float | None, Column("", at_least="low", severity="stop")]
        kind: Annotated[str | None, Column("", values=("a", "b"))]
        seen_at: Annotated[dt.datetime | None, Column("", not_future=True)]
        until: Annotated[dt.datetime | None, Column("", after="seen_at")]

    ignored = {"ignore_row_if": "either_value_is_missing"}
    held = [one[:3] for one in suites(Row, "rows", utc(2026))[0].expectations if one.decided_by == "values"]
    assert held == [
        ("ExpectColumnValuesToNotBeNull", {"column": "name"}, "reject"),
        ("ExpectColumnValueLengthsToBeBetween", {"column": "name", "min_value": 1}, "reject"),
        ("ExpectColumnValuesToMatchRegex", {"column": "name", "regex": "^[a-z]+$"}, "reject"),
        ("ExpectColumnValuesToBeBetween", {"column": "low", "min_value": 0, "max_value": 1}, "warn"),
        (
            "ExpectColumnPairValuesAToBeGreaterThanB",
            {"column_A": "high", "column_B": "low", "or_equal": True, **ignored},
            "stop",
        ),
        ("ExpectColumnValuesToBeInSet", {"column": "kind", "value_set": ["a", "b"]}, "reject"),
        ("ExpectColumnValuesToBeBetween", {"column": "seen_at", "min_value": None, "max_value": utc(2026)}, "warn"),
        (
            "ExpectColumnPairValuesAToBeGreaterThanB",
            {"column_A": "until", "column_B": "seen_at", "or_equal": False, **ignored},
            "reject",
        ),
    ]
    others = [(one.kind, one.column, one.decided_by) for one in suites(Row, "rows")[0].expectations if one.decided_by != "values"]
    assert others == [
        *(("ExpectColumnValuesToBeOfType", name, "schema") for name in Row._fields),
        ("ExpectColumnValuesToBeUnique", "name", "aggregate"),
    ]


def test_a_time_in_the_future_is_a_warning_and_rejects_nothing():
    held = contract("answers", utc(2026))
    found, tallies = check_table(to_table(Answer, [answer(answered_at=utc(2026)), answer("late", answered_at=utc(2026, 2))]), held)
    assert found == []
    assert [
        (held.suites[0].expectations[i].severity, tally) for (name, i), tally in tallies if name == "answers" and tally.unexpected
    ] == [("warn", (2, 1, ("answer_id='late': answered_at=2026-02-01 00:00:00Z",)))]


def test_check_contract_keeps_rejects_and_counts():
    table = to_table(Evidence, [evidence(), evidence("bad", status="odd")])
    batch = Batch("file#row_group=0", table, table.to_pylist())
    with _TestPipeline() as pipeline:
        checked = pipeline | beam.Create([batch]) | CheckContract(contract("evidence"), "evidence_id")
        assert_that(checked["records"], equal_to([("file#row_group=0&row=0", evidence())]), label="Records")
        told = checked["rejects"] | beam.Map(lambda reject: (reject.reason, reject.record_id, reject.message))
        assert_that(
            told,
            equal_to(
                [
                    (
                        "contract",
                        "bad",
                        "file#row_group=0&row=1 (evidence_id='bad'): status must be one of current, superseded, retracted: 'odd'",
                    )
                ]
            ),
            label="Told",
        )
        failed = checked["tallies"] | beam.Filter(lambda tally: tally[1].unexpected > 0) | beam.Map(named)
        told = ("evidence", "ExpectColumnValuesToBeInSet", "status", 2, 1, ("evidence_id='bad', version='1'",))
        assert_that(failed, equal_to([told]), label="Failed")
