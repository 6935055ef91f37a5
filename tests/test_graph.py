"""The claim-evidence graph: its figures, and what it refuses."""

import pytest

from cases.graph import ClaimGraph, GraphClaim, GraphEdge, GraphFigures, graph_figures

TWO = (GraphClaim("c1"), GraphClaim("c2"))
GOOD, BAD, BESIDE = GraphEdge("c1", "e1"), GraphEdge("c1", "e2"), GraphEdge("o1", "e2")


def test_one_of_two_required_claims_has_an_edge_that_holds_and_one_that_does_not():
    graph = ClaimGraph(TWO, ("e1", "e2"), (GOOD, BAD), {GOOD: True, BAD: False})
    assert graph_figures(graph) == GraphFigures(completeness=0.5, precision=0.5, edges=2, unjudged=0)


def test_an_optional_claim_changes_precision_and_not_completeness():
    claims = (*TWO, GraphClaim("o1", required=False))
    graph = ClaimGraph(claims, ("e1", "e2"), (GOOD, BAD, BESIDE), {GOOD: True, BAD: False, BESIDE: False})
    assert graph_figures(graph) == GraphFigures(completeness=0.5, precision=1 / 3, edges=3, unjudged=0)


def test_an_edge_without_a_verdict_counts_for_completeness_and_stands_outside_precision():
    graph = ClaimGraph(TWO, ("e1", "e2"), (GOOD, GraphEdge("c2", "e2")), {GOOD: True})
    assert graph_figures(graph) == GraphFigures(completeness=1.0, precision=1.0, edges=2, unjudged=1)


@pytest.mark.parametrize(
    ("graph", "figures"),
    [
        (ClaimGraph((), (), (), {}), GraphFigures(None, None, 0, 0)),
        (ClaimGraph(TWO, ("e1",), (), {}), GraphFigures(0.0, None, 0, 0)),
        (ClaimGraph(TWO, ("e1",), (GOOD,), {}), GraphFigures(0.5, None, 1, 1)),
        (ClaimGraph((GraphClaim("o1", False),), ("e2",), (BESIDE,), {BESIDE: False}), GraphFigures(None, 0.0, 1, 0)),
    ],
)
def test_no_denominator_no_number(graph, figures):
    assert graph_figures(graph) == figures


def test_all_faults_come_at_once():
    claims, edges = (GraphClaim("c1"), GraphClaim("c1", False)), (GOOD, GOOD, GraphEdge("c7", "e9"))
    with pytest.raises(ValueError, match="claim stands") as raised:
        ClaimGraph(claims, ("e1", "e1"), edges, {BAD: True})
    assert str(raised.value).splitlines() == [
        "claim stands 2 times: 'c1'; keep one",
        "evidence stands 2 times: 'e1'; keep one",
        "edge stands 2 times: ('c1', 'e1'); keep one",
        "edge ('c7', 'e9') hangs from an unknown claim: 'c7'; declare the claim, or take the edge out",
        "edge ('c7', 'e9') cites unknown evidence: 'e9'; declare the evidence, or take the edge out",
        "verdict on an edge that is not declared: ('c1', 'e2'); declare the edge, or take the verdict out",
    ]
