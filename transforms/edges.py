"""Resolve the markers and ids that hang from claims into edges."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.answers import Answer, DeclaredCitation
from schemas.claims import Claim
from transforms.propositions import SplitAnswer, answer_state
from transforms.tables import register_rows

UNPLACED = "unplaced"


class Edge(NamedTuple):
    """One citation at one claim, not yet joined with its evidence; `status` is set where no join is needed to know it."""

    answer_id: str
    claim_id: str
    sentence: int
    evidence_id: str
    version: str | None
    quote: str | None
    status: str | None
    answered_at: dt.datetime
    principals: tuple[str, ...]
    claim: str

    @property
    def key(self) -> str:
        """Identify the edge among all edges."""
        return f"{self.answer_id}\x1f{self.claim_id}\x1f{self.evidence_id}\x1f{self.version or ''}\x1f{self.quote or ''}"


class ResolvedAnswer(NamedTuple):
    """An answer's claims with what they cite, its edges and what was counted on the way."""

    state: str
    claims: list[Claim]
    edges: list[Edge]
    duplicates: int
    unparsed: int


register_rows(Edge, ResolvedAnswer)


def resolve_citations(split: SplitAnswer) -> ResolvedAnswer:
    """Turn the labels at each claim into edges: one an evidence id and claim, doubles merged and counted.

    A marker stands for what `citations` declares under it, else for the evidence id of its own name; where the answer declares
    something, a label that it does not declare is `dangling`. Citations by character range hang from every claim that they
    overlap. What hangs from no claim (a range beside all claims, a marker in a heading) is `unmapped`, once. Edges of abstentions
    and of unsupported languages carry that as their status.
    """
    answer, structured = split.answer, split.answer.claims is not None
    declared = answer.citations or []
    resolve = _by_id if structured else _by_marker
    edges: list[Edge] = []
    claims, cited_twice = [], 0
    for claim, labels in zip(split.claims, split.labels, strict=True):
        named = [target for label in labels for target in resolve(label, declared)]
        named += [
            (citation, None) for citation in declared if not structured and citation.marker is None and _overlaps(citation, claim)
        ]
        own: dict[str, Edge] = {}
        for citation, status in named:
            edge = _edge(answer, claim, citation, status)
            cited_twice += edge.key in own
            own.setdefault(edge.key, edge)
        edges.extend(own.values())
        claims.append(claim._replace(cited=list(dict.fromkeys(edge.evidence_id for edge in own.values()))))
    if not structured:
        edges.extend(_unplaced(split, {edge.evidence_id for edge in edges}))
    return ResolvedAnswer(answer_state(answer.answer, claims), claims, edges, cited_twice, split.unparsed)


Target = tuple[DeclaredCitation, str | None]


def _by_marker(label: str, declared: list[DeclaredCitation]) -> list[Target]:
    found = [citation for citation in declared if citation.marker == label]
    found = found or [citation for citation in declared if citation.evidence_id == label]
    # An answer that declares nothing may still name evidence that the table defines: the join will tell.
    return [(citation, None) for citation in found] or [(DeclaredCitation(label), "dangling" if declared else None)]


def _by_id(evidence_id: str, declared: list[DeclaredCitation]) -> list[Target]:
    found = [citation for citation in declared if citation.evidence_id == evidence_id]
    return [(found[0] if found else DeclaredCitation(evidence_id), None)]


def _overlaps(citation: DeclaredCitation, claim: Claim) -> bool:
    """Whether a citation's range touches words that are the claim's own."""
    if citation.answer_start is None or citation.answer_end is None:
        return False
    own = [span for span in claim.spans if span not in claim.inherited] or claim.spans
    return any(citation.answer_start < span.end and citation.answer_end > span.start for span in own)


def _edge(answer: Answer, claim: Claim | None, citation: DeclaredCitation, status: str | None) -> Edge:
    """An edge at a claim, or at none."""
    if claim is not None and claim.reason in ("abstention", "unsupported_language"):
        status = "abstained" if claim.reason == "abstention" else "unsupported_language"
    return Edge(
        answer_id=answer.answer_id,
        claim_id=claim.claim_id if claim else UNPLACED,
        sentence=claim.sentence if claim else -1,
        evidence_id=citation.evidence_id,
        version=citation.version,
        quote=citation.quote,
        status=status,
        answered_at=answer.answered_at,
        principals=tuple(answer.principals or ()),
        claim=claim.text if claim else "",
    )


def _unplaced(split: SplitAnswer, placed: set[str]) -> Iterator[Edge]:
    """Citations that hang from no claim, one an evidence id that hangs from none."""
    declared = split.answer.citations or []
    loose = [citation for label in split.unplaced for citation, _ in _by_marker(label, declared)]
    loose += [citation for citation in declared if citation.marker is None]
    for citation in loose:
        if citation.evidence_id not in placed:
            placed.add(citation.evidence_id)
            yield _edge(split.answer, None, citation, "unmapped")


@dataclass
class ResolveCitations(beam.PTransform):
    """Resolve what claims cite.

    Goes out: a dict of `claims`, `edges`, `states` ((answer_id, state)) and `counts`, which say what every later step has to add
    up to.
    """

    def expand(self, splits: beam.PCollection[SplitAnswer]) -> dict[str, beam.PCollection]:
        resolved = splits | "ResolveAnswer" >> beam.Map(resolve_citations).with_output_types(ResolvedAnswer)
        tagged = resolved | "SortOut" >> beam.ParDo(_sort_out).with_outputs("edges", "states", "counts", main="claims")
        return {tag: tagged[tag] for tag in ("claims", "edges", "states", "counts")}


def _sort_out(resolved: ResolvedAnswer) -> Iterator[Any]:
    yield from resolved.claims
    for edge in resolved.edges:
        yield beam.pvalue.TaggedOutput("edges", edge)
    yield beam.pvalue.TaggedOutput("states", (resolved.state, 1))
    for name, n in (
        ("claims.split", len(resolved.claims)),
        ("edges.resolved", len(resolved.edges)),
        ("citations.merged_duplicates", resolved.duplicates),
        ("citations.unparsed_markers", resolved.unparsed),
    ):
        yield beam.pvalue.TaggedOutput("counts", (name, n))
