"""Ratios of one answer, and their sums over answers."""

from __future__ import annotations

import datetime as dt

import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import claim, context, verdict

from schemas.aggregates import METRICS
from transforms.metrics import ALL_FAMILIES, CitationMetrics, ScoredAnswer, score_answer
from transforms.outcomes import citation_outcome, claim_outcome

YES = {"supported": True, "label": "entailment"}


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], "uncited"),
        ([verdict(**YES)], "supported"),
        ([verdict()], "unsupported"),
        ([verdict(status="dangling", label=None)], "unsupported"),
        ([verdict(), verdict("b", **YES)], "supported"),
        ([verdict(), verdict("b", status="unjudged", label=None)], "unjudged"),
        ([verdict(**YES), verdict("b", status="unjudged", label=None)], "supported"),
        ([verdict(status="unmapped", label=None)], "uncited"),
    ],
)
def test_claim_outcome(edges, expected):
    assert claim_outcome(claim(), edges) == expected


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([verdict(**YES)], True),
        ([verdict(**YES), verdict(claim_id="c1")], True),
        ([verdict()], False),
        ([verdict(**YES), verdict(claim_id="c1", label="contradiction")], False),
        ([verdict(status="dangling", label=None)], False),
        ([verdict(status="unjudged", label=None)], None),
        ([verdict(status="abstained", label=None)], None),
    ],
)
def test_citation_outcome(edges, expected):
    assert citation_outcome(edges) is expected


def test_ratios_of_one_answer():
    """Two claims in one sentence cite both spans; each span proves one of them (acceptance case 49)."""
    claims = [claim("c0"), claim("c1", families=["scope"])]
    verdicts = [verdict("one", "c0", **YES), verdict("one", "c1"), verdict("two", "c0"), verdict("two", "c1", **YES)]
    ratios = score_answer(context(), claims, verdicts).ratios
    assert {metric: ratio for (family, metric), ratio in ratios.items() if family == "all"} == {
        "citation_recall": (2, 2),
        "recall_judged": (2, 2),
        "recall_judged_share": (2, 2),
        "completeness": (2, 2),
        "conflict_rate": (0, 2),
        "secondary_only_rate": (0, 2),
        "partial_rate": (0, 1),
        "edge_precision": (2, 4),
        "precision_judged": (2, 4),
        "judged_share": (4, 4),
        "dangling_rate": (0, 4),
        "mismatch_rate": (0, 4),
        "irrelevant_rate": (2, 4),
        "redundant_rate": (0, 4),
        "exposure": (0, 4),
        "precision_unexposed": (2, 4),
        "citation_precision": (2, 2),
        "citation_precision_joint": (2, 2),
    }
    assert ratios["scope", "edge_precision"] == (1, 2)
    assert ratios["other", "mismatch_rate"] == (2, 4)


def test_an_undecided_claim_leaves_the_denominators():
    ratios = score_answer(context(), [claim()], [verdict(status="unjudged", label=None)]).ratios
    assert ratios == {("all", "completeness"): (1, 1), ("quantity", "completeness"): (1, 1)}


def test_a_sentence_is_partial_where_its_claims_differ():
    claims = [claim("c0"), claim("c1"), claim("c2", sentence=1), claim("c3", sentence=2, requires_evidence=False, reason="opinion")]
    ratios = score_answer(context(), claims, [verdict(**YES), verdict("b", "c1"), verdict("c", "c2", **YES)]).ratios
    assert ratios["all", "partial_rate"] == (1, 2)


def test_exposed_edges_are_told_from_the_rest():
    verdicts = [verdict("a", exposed=["scope", "date"], **YES), verdict("b", exposed=["scope"]), verdict("c", **YES)]
    ratios = score_answer(context(), [claim()], verdicts).ratios
    found = {
        (family, metric): ratios[family, metric]
        for family in ("all", "scope", "date", "entity")
        for metric in ("exposure", "precision_exposed", "precision_unexposed")
        if (family, metric) in ratios
    }
    assert found == {
        ("all", "exposure"): (2, 3),
        ("all", "precision_exposed"): (1, 2),
        ("all", "precision_unexposed"): (1, 1),
        ("scope", "exposure"): (2, 3),
        ("scope", "precision_exposed"): (1, 2),
        ("scope", "precision_unexposed"): (1, 1),
        ("date", "exposure"): (1, 3),
        ("date", "precision_exposed"): (1, 1),
        ("date", "precision_unexposed"): (1, 2),
        ("entity", "exposure"): (0, 3),
        ("entity", "precision_unexposed"): (2, 3),
    }


def test_every_slice_has_every_row_and_nothing_is_null_but_empty_ones():
    ratio = {("all", "edge_precision"): (1, 2)}
    answers = [ScoredAnswer([], [], [], ratio, ("build=7",)), ScoredAnswer([], [], [], {("all", "edge_precision"): (1, 1)})]
    day = dt.date(2026, 3, 1)
    with _TestPipeline() as pipeline:
        found = pipeline | beam.Create(answers) | CitationMetrics.PerSlice(day)
        told = (
            found
            | beam.Filter(lambda row: row.n > 0)
            | beam.Map(lambda row: (row.slice, row.family, row.metric, row.average, row.value, row.n, row.n_clusters))
        )
        expected = [
            ("all", "all", "edge_precision", "micro", 0.666667, 3, 2),
            ("all", "all", "edge_precision", "macro", 0.75, 2, 2),
            ("build=7", "all", "edge_precision", "micro", 0.5, 2, 1),
            ("build=7", "all", "edge_precision", "macro", 0.5, 1, 1),
        ]
        assert_that(told, equal_to(expected), label="Told")
        empty = (
            found
            | beam.Filter(lambda row: row.n == 0)
            | beam.Map(lambda row: (row.slice, row.value, row.low, row.high))
            | beam.combiners.Count.PerElement()
        )
        rows = 2 * len(METRICS) * len(ALL_FAMILIES) - 2
        assert_that(empty, equal_to([((name, None, None, None), rows) for name in ("all", "build=7")]), label="Empty")
