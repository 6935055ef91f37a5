"""Conflicts, causes, sources and abstentions: what became of a claim and why."""

from __future__ import annotations

import pytest
from builders import claim, utc, verdict

from schemas.claims import CAUSES
from transforms.outcomes import Replies, finish_claim, finish_edges, observed_reason, read_replies
from transforms.questions import Reply

YES = {"supported": True, "label": "entailment"}
NO = {"label": "contradiction"}


def finished(edges, replies=None, retrieved=None, **fields):
    replies = replies or Replies()
    return finish_claim(claim(**fields), finish_edges(edges, retrieved, replies), replies)


@pytest.mark.parametrize(
    ("edges", "replies", "retrieved", "cause"),
    [
        ([verdict(**YES)], Replies(), None, None),
        ([], Replies(), None, "unknown"),
        ([], Replies(elsewhere=("b",)), None, "supported_elsewhere"),
        ([verdict()], Replies(), None, "unknown"),
        ([verdict(mismatch_families=["scope"])], Replies(), ["logs"], "misread"),
        ([verdict(mismatch_families=["scope"])], Replies(older=frozenset({"logs"})), ["logs"], "stale"),
        ([verdict(mismatch_families=["scope"])], Replies(elsewhere=("b",), older=frozenset({"logs"})), None, "supported_elsewhere"),
        ([verdict()], Replies(elsewhere=("b",)), ["b"], "not_shown"),
        ([verdict(status="dangling", label=None)], Replies(), ["b"], "unlocatable"),
        ([verdict(status="forbidden", label=None), verdict("b", mismatch_families=["date"])], Replies(), None, "misread"),
        ([verdict(status="unjudged", label=None)], Replies(elsewhere=("b",)), None, None),
    ],
)
def test_the_cause_of_a_failed_claim(edges, replies, retrieved, cause):
    found = finished(edges, replies, retrieved)
    assert found.cause == cause
    assert found.supported_by == (list(replies.elsewhere) if found.outcome in ("unsupported", "uncited") else [])


def test_every_edge_has_its_own_cause():
    edges = [verdict(**YES), verdict("b", mismatch_families=["date"]), verdict("c"), verdict("d", status="unmapped", label=None)]
    assert [edge.cause for edge in finish_edges(edges, ["b"], Replies())] == [None, "misread", "not_shown", None]
    assert CAUSES.index("not_shown") < CAUSES.index("misread") < CAUSES.index("unknown")


def test_a_claim_that_needs_no_evidence_has_no_cause():
    assert finished([verdict()], requires_evidence=False, reason="opinion").cause is None


def test_a_conflict_is_supported_and_marked_and_the_better_source_prevails():
    secondary, primary = {"source_type": "secondary"}, {"source_type": "primary"}
    found = finished([verdict(**YES, **secondary), verdict("b", **NO, **primary), verdict("c", **NO, **secondary)])
    assert (found.outcome, found.conflicting, found.prevailing) == ("supported", True, "contradiction")
    found = finished([verdict(**YES, **primary), verdict("b", **NO, **secondary), verdict("c", **NO, **secondary)])
    assert (found.conflicting, found.prevailing) == (True, "support")
    found = finished([verdict(**YES), verdict("b", **NO)])
    assert (found.conflicting, found.prevailing) == (True, None)
    newer = finished([verdict(**YES, valid_from=utc(2025)), verdict("b", **NO, valid_from=utc(2024), published_at=utc(2026))])
    assert newer.prevailing == "support"
    assert finished([verdict(**YES), verdict("b")]).conflicting is False
    assert finished([verdict(**NO), verdict("b", **NO)]).conflicting is False


def test_support_by_secondary_sources_alone_is_told():
    secondary = {"source_type": "secondary"}
    assert finished([verdict(**YES, **secondary), verdict("b", source_type="primary")]).secondary_only is True
    assert finished([verdict(**YES, **secondary), verdict("b", **YES, source_type="primary")]).secondary_only is False
    joint = Replies(joint=verdict("a + b", joint=True, **YES), without={("a", None): False, ("b", None): False})
    both = finished([verdict("a", **secondary), verdict("b", **secondary)], joint)
    assert (both.support, both.secondary_only) == ("joint", True)


def test_replies_are_sorted_by_what_was_asked():
    replies = [
        Reply("now", "a1", "c0", "logs", "2", False),
        Reply("elsewhere", "a1", "c0", "z", "1", True),
        Reply("elsewhere", "a1", "c0", "b", "1", True),
        Reply("elsewhere", "a1", "c0", "c", "1", None),
        Reply("older", "a1", "c0", "logs", "1", True),
        Reply("older", "a1", "c0", "logs", "0", False),
        Reply("without", "a1", "c0", "logs", "1", None),
    ]
    found = read_replies(replies)
    assert found == Replies(None, {("logs", "1"): None}, ("b", "z"), frozenset({"logs"}), {"logs": False})
    assert found == read_replies(replies[::-1])


def test_the_text_of_today_is_told_of_supported_edges_whose_source_moved():
    edges = [verdict(text_changed=True, **YES), verdict("b", **YES), verdict("c", text_changed=True)]
    found = finish_edges(edges, None, Replies(now={"logs": False, "b": True, "c": True}))
    assert [edge.supported_now for edge in found] == [False, None, None]


@pytest.mark.parametrize(
    ("statuses", "reason"),
    [
        ([], None),
        (["judged"], "insufficient"),
        (["dangling"], "no_evidence"),
        (["empty_evidence", "judged"], "insufficient"),
        (["judged", "no_version"], "stale"),
        (["judged", "no_version", "forbidden"], "no_access"),
        (["unjudged"], None),
    ],
)
def test_an_abstention_is_explained_by_its_citations(statuses, reason):
    edges = [verdict(f"e{i}", status="abstained", label=None, abstained_status=status) for i, status in enumerate(statuses)]
    assert observed_reason(edges) == reason
    assert finished(edges, requires_evidence=False, reason="abstention").observed_reason == reason
