"""Ratios of one answer, and their sums over answers."""

from __future__ import annotations

import datetime as dt
import itertools

import apache_beam as beam
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import claim, verdict
from hypothesis import given
from hypothesis import strategies as st

from transforms.metrics import CitationMetrics, ScoredAnswer, SumRatios, citation_outcome, claim_outcome, score_answer

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
    ratios = score_answer(claims, verdicts).ratios
    assert {metric: ratio for (family, metric), ratio in ratios.items() if family == "all"} == {
        "citation_recall": (2, 2),
        "completeness": (2, 2),
        "edge_precision": (2, 4),
        "precision_judged": (2, 4),
        "dangling_rate": (0, 4),
        "mismatch_rate": (0, 4),
        "citation_precision": (2, 2),
    }
    assert ratios["scope", "edge_precision"] == (1, 2)
    assert ratios["other", "mismatch_rate"] == (2, 4)


def test_an_undecided_claim_leaves_the_denominators():
    ratios = score_answer([claim()], [verdict(status="unjudged", label=None)]).ratios
    assert ratios == {("all", "completeness"): (1, 1), ("quantity", "completeness"): (1, 1)}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_sums_do_not_depend_on_how_they_are_merged(ratios, cuts):
    combine = SumRatios()

    def reduce(part):
        accumulator = combine.create_accumulator()
        for ratio in part:
            accumulator = combine.add_input(accumulator, ratio)
        return accumulator

    bounds = [0, *sorted(min(cut, len(ratios)) for cut in cuts), len(ratios)]
    parts = [reduce(ratios[start:end]) for start, end in itertools.pairwise(bounds)]
    assert combine.merge_accumulators(parts) == combine.merge_accumulators(parts[::-1]) == reduce(ratios)


def test_every_ratio_has_its_row_and_nothing_is_null_but_empty_ones():
    answers = [ScoredAnswer([], {("all", "edge_precision"): (1, 2)}), ScoredAnswer([], {("all", "edge_precision"): (1, 1)})]
    day = dt.date(2026, 3, 1)
    with _TestPipeline() as pipeline:
        found = pipeline | beam.Create(answers) | CitationMetrics.PerSlice(day)
        told = (
            found
            | beam.Filter(lambda row: row.n > 0)
            | beam.Map(lambda row: (row.family, row.metric, row.value, row.n, row.n_clusters))
        )
        assert_that(told, equal_to([("all", "edge_precision", 0.666667, 3, 2)]), label="Told")
        empty = found | beam.Filter(lambda row: row.n == 0) | beam.Map(lambda row: row.value) | beam.combiners.Count.PerElement()
        assert_that(empty, equal_to([(None, 62)]), label="Empty")
