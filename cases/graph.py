"""A claim-evidence graph: what an answer declares to hang from what, and the figures that follow from the verdicts on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cases.retrieval import share


class GraphClaim(NamedTuple):
    """A claim by its id; an optional one may go without evidence."""

    claim_id: str
    required: bool = True


class GraphEdge(NamedTuple):
    """A declared citation: the claim is said to hang from the evidence."""

    claim_id: str
    evidence_id: str


class GraphFigures(NamedTuple):
    """What a graph amounts to; a figure without a denominator is None. `edges` = those judged + `unjudged`."""

    completeness: float | None
    precision: float | None
    edges: int
    unjudged: int


@dataclass(frozen=True)
class ClaimGraph:
    """Claims, evidence ids, declared edges, and for each judged edge whether its evidence establishes its claim.

    Raises ValueError that names every fault at once: doubles, ids that nothing declares, verdicts on edges that nothing declares.
    """

    claims: tuple[GraphClaim, ...]
    evidence: tuple[str, ...]
    edges: tuple[GraphEdge, ...]
    verdicts: Mapping[GraphEdge, bool]

    def __post_init__(self) -> None:
        if faults := list(_faults(self)):
            raise ValueError("\n".join(faults))


def graph_figures(graph: ClaimGraph) -> GraphFigures:
    """Return completeness and precision of a graph, each from 0 to 1, with its number of edges.

    completeness = required claims with at least one edge / required claims: what is declared, not what holds. (Elsewhere a dangling
    citation is set aside first; here it is refused when the graph is built.)
    precision = supported edges / judged edges, of required and optional claims alike; an edge without a verdict stands outside.

    >>> claims = (GraphClaim("a"), GraphClaim("b"))
    >>> edges = (GraphEdge("a", "p"), GraphEdge("a", "q"))
    >>> graph_figures(ClaimGraph(claims, ("p", "q"), edges, {edges[0]: True, edges[1]: False}))
    GraphFigures(completeness=0.5, precision=0.5, edges=2, unjudged=0)
    """
    required = [claim.claim_id for claim in graph.claims if claim.required]
    cited = {edge.claim_id for edge in graph.edges}
    return GraphFigures(
        completeness=share(sum(claim_id in cited for claim_id in required), len(required)),
        precision=share(sum(graph.verdicts.values()), len(graph.verdicts)),
        edges=len(graph.edges),
        unjudged=len(graph.edges) - len(graph.verdicts),
    )


def _faults(graph: ClaimGraph) -> Iterator[str]:
    claim_ids = [claim.claim_id for claim in graph.claims]
    yield from _doubles("claim", claim_ids)
    yield from _doubles("evidence", graph.evidence)
    yield from _doubles("edge", map(tuple, graph.edges))
    for edge in graph.edges:
        if edge.claim_id not in claim_ids:
            yield f"edge {tuple(edge)} hangs from an unknown claim: {edge.claim_id!r}; declare the claim, or take the edge out"
        if edge.evidence_id not in graph.evidence:
            yield f"edge {tuple(edge)} cites unknown evidence: {edge.evidence_id!r}; declare the evidence, or take the edge out"
    undeclared = [tuple(edge) for edge in graph.verdicts if edge not in graph.edges]
    yield from (
        f"verdict on an edge that is not declared: {edge}; declare the edge, or take the verdict out" for edge in undeclared
    )


def _doubles(what: str, items: Iterable[object]) -> Iterator[str]:
    yield from (f"{what} stands {n} times: {item!r}; keep one" for item, n in Counter(items).items() if n > 1)
