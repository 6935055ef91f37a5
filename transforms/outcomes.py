"""Decide what became of a claim, a citation and an abstention, and name the cause where they failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.claims import CAUSES, Claim
from schemas.verdicts import FAILED_STATUSES, UNCOUNTED_STATUSES, Verdict
from transforms.conflicts import Side, prevailing
from transforms.joint import SpanKey, roles, span_key
from transforms.questions import KINDS, Reply


class Replies(NamedTuple):
    """What was asked further about one claim: the row of its joint set, the set without each span, which other spans establish it,
    which of its spans did in an older version, whether a span's text of today does, and whether it was `beyond` the budget."""

    joint: Verdict | None = None
    without: Mapping[SpanKey, bool | None] = {}
    elsewhere: tuple[str, ...] = ()
    older: frozenset[str] = frozenset()
    now: Mapping[str, bool | None] = {}
    beyond: bool = False


def read_replies(replies: Iterable[Reply]) -> Replies:
    """Sort the replies about one claim."""
    replies = sorted(replies, key=lambda one: (one.kind, one.evidence_id, one.version or ""))
    kinds = {kind: [one for one in replies if one.kind == kind] for kind in KINDS}
    return Replies(
        joint=kinds["joint"][0].verdict if kinds["joint"] else None,
        without={(one.evidence_id, one.version): one.supported for one in kinds["without"]},
        elsewhere=tuple(dict.fromkeys(one.evidence_id for one in kinds["elsewhere"] if one.supported)),
        older=frozenset(one.evidence_id for one in kinds["older"] if one.supported),
        now={one.evidence_id: one.supported for one in kinds["now"]},
        beyond=bool(kinds["beyond"]),
    )


def is_counted(verdict: Verdict) -> bool:
    """Whether an edge stands in the denominators: judged, or failed by the generator's own doing."""
    return verdict.status not in UNCOUNTED_STATUSES


def claim_outcome(claim: Claim, edges: Sequence[Verdict], joint: Verdict | None = None) -> str:
    """What became of a claim: support by any edge or by all judged ones together counts; undecided ones never make a claim fail.

    `unjudged` where nothing supports and an edge or the set could not be judged; `uncited` where nothing hangs from it.
    """
    if not claim.requires_evidence:
        return "not_required"
    asked = [*edges, joint] if joint is not None else edges
    if any(one.supported for one in asked):
        return "supported"
    if any(one.status == "unjudged" for one in asked):
        return "unjudged"
    return "unsupported" if any(is_counted(edge) for edge in edges) else "uncited"


def citation_outcome(edges: Sequence[Verdict], *, joint: bool = False) -> bool | None:
    """Whether a citation (its edges at one sentence) holds: one edge supported and none contradicted; None: not decided.

    With `joint` an edge that its claim's set of spans needs holds as well.
    """
    if any(edge.label == "contradiction" for edge in edges if edge.status == "judged"):
        return False
    if any(edge.supported or (joint and edge.role == "needed") for edge in edges):
        return True
    if any(edge.status == "unjudged" for edge in edges) or not any(is_counted(edge) for edge in edges):
        return None
    return False


def edge_cause(verdict: Verdict, retrieved: Sequence[str] | None, replies: Replies) -> str | None:
    """Why an edge does not support its claim, the first of CAUSES that applies; None where it does or was not decided."""
    if verdict.supported or not is_counted(verdict):
        return None
    if replies.beyond:
        return "not_sought"
    if verdict.status in FAILED_STATUSES:
        return "unlocatable"
    if retrieved is not None and verdict.evidence_id not in retrieved:
        return "not_shown"
    if replies.elsewhere:
        return "supported_elsewhere"
    if verdict.evidence_id in replies.older:
        return "stale"
    return "misread" if verdict.mismatch_families else "unknown"


def claim_cause(outcome: str | None, edges: Sequence[Verdict], replies: Replies) -> str | None:
    """Why a claim is unsupported or uncited: the first of CAUSES that any of its edges has."""
    if outcome not in ("unsupported", "uncited"):
        return None
    if replies.beyond:
        return "not_sought"
    causes = {edge.cause for edge in edges if edge.cause} | ({"supported_elsewhere"} if replies.elsewhere else set())
    return min(causes or {"unknown"}, key=CAUSES.index)


def finish_edges(edges: Sequence[Verdict], retrieved: Sequence[str] | None, replies: Replies) -> list[Verdict]:
    """Give the edges of a claim their roles, causes and what the text of today says."""
    joint = replies.joint.supported if replies.joint is not None else None
    return [
        edge._replace(
            role=role,
            cause=None if role == "needed" else edge_cause(edge, retrieved, replies),
            supported_now=replies.now.get(edge.evidence_id) if edge.supported and edge.text_changed else None,
        )
        for edge, role in zip(edges, roles(edges, joint, replies.without), strict=True)
    ]


def finish_claim(claim: Claim, edges: Sequence[Verdict], replies: Replies) -> Claim:
    """Give a claim its outcome; `edges` are finished."""
    outcome = claim_outcome(claim, edges, replies.joint)
    alone = [edge for edge in edges if edge.supported]
    supporting = alone or [edge for edge in edges if edge.role == "needed"]
    against = [edge for edge in edges if edge.status == "judged" and edge.label == "contradiction" and not edge.supported]
    conflicting = bool(alone and against)
    return claim._replace(
        outcome=outcome,
        support=("alone" if alone else "joint") if outcome == "supported" else None,
        conflicting=conflicting,
        prevailing=prevailing(claim.text, [_side(edge) for edge in (*alone, *against)]) if conflicting else None,
        secondary_only=outcome == "supported" and bool(supporting) and all(edge.source_type == "secondary" for edge in supporting),
        cause=claim_cause(outcome, edges, replies),
        supported_by=list(replies.elsewhere) if outcome in ("unsupported", "uncited") else [],
        observed_reason=observed_reason(edges) if claim.reason == "abstention" else None,
    )


def _side(edge: Verdict) -> Side:
    return Side(edge.evidence_id, edge.supported, edge.source_type, edge.statement_kind, edge.valid_from, edge.published_at)


def observed_reason(edges: Iterable[Verdict]) -> str | None:
    """Why an abstention gives no answer, by what its citations would have been; None where it cites nothing.

    What the user may not read says no_access, no version valid at the time stale, passages that are there insufficient, and
    nothing that can be found no_evidence; the first of these that any citation shows.
    """
    statuses = {edge.abstained_status for edge in edges if edge.abstained_status}
    for status, reason in (("forbidden", "no_access"), ("no_version", "stale"), ("judged", "insufficient")):
        if status in statuses:
            return reason
    return "no_evidence" if statuses & set(FAILED_STATUSES) else None


def edges_by_claim(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """The edges of an answer by claim, each claim's in the order of evidence id and version."""
    grouped: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda one: (one.sentence, one.claim_id, *map(str, span_key(one)))):
        grouped.setdefault(verdict.claim_id, []).append(verdict)
    return grouped
