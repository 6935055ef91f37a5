"""Rows that break their contract are found by position and named with their fix."""

from __future__ import annotations

import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import answer, evidence

from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.evidence import Evidence
from schemas.types import to_table
from transforms.contract import CheckContract, check_table
from transforms.tables import Batch


def faults(row_type, rows):
    return [(fault.row, fault.message) for fault in sorted(check_table(to_table(row_type, rows), row_type)[0])]


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


def test_check_contract_keeps_rejects_and_counts():
    table = to_table(Evidence, [evidence(), evidence("bad", status="odd")])
    batch = Batch("file#row_group=0", table, table.to_pylist())
    with _TestPipeline() as pipeline:
        checked = pipeline | beam.Create([batch]) | CheckContract(Evidence, "evidence", "evidence_id")
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
        failed = checked["tallies"] | beam.Filter(lambda tally: tally[1][1] > 0)
        assert_that(failed, equal_to([(("Evidence", "ExpectColumnValuesToBeInSet", "status"), (2, 1))]), label="Failed")
