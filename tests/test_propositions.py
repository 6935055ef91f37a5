"""Claims keep their offsets, whatever the text; edges never repeat."""

from __future__ import annotations

import pytest
from builders import answer
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.answers import DeclaredCitation, StructuredClaim
from transforms.edges import resolve_citations
from transforms.propositions import InvalidClaims, split_answer

PIECES = st.sampled_from(
    [
        "Logs are kept for 30 days",
        "It is free",
        " [1]",
        "[2]",
        "[1, 3]",
        "[2-4]",
        ". ",
        "? ",
        "\n\n",
        "\n- ",
        "# Plans\n",
        "`list[0]`",
        "| a | b |\n|---|---|\n| c | d |\n",
        "**bold**",
        "¹",
        "备份保留。",
        "e.g. ",
        "v2.10",
        "([doc](https://x.example/a_(b)))",
        "\ud83d\ude80",
        "```\n",
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_offsets_and_counts_hold_for_any_text(text):
    declared = [DeclaredCitation(f"e{i}", marker=str(i)) for i in (1, 2, 3)]
    resolved = resolve_citations(split_answer(answer(text=text, citations=declared)))
    keys = [edge.key for edge in resolved.edges]
    assert len(keys) == len(set(keys))
    for claim in resolved.claims:
        assert 0 <= claim.start < claim.end <= len(text)
        own = [span for span in claim.spans if span not in claim.inherited] or claim.spans
        assert all(claim.start <= span.start < span.end <= claim.end for span in own)
        assert claim.requires_evidence == (claim.reason is None)
    sentences = [claim.sentence for claim in resolved.claims]
    assert sentences == sorted(sentences)


def edges(text, declared):
    resolved = resolve_citations(split_answer(answer(text=text, citations=[DeclaredCitation(e, marker=m) for m, e in declared])))
    return [(edge.claim, edge.evidence_id, edge.status) for edge in resolved.edges], resolved


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("Load fell 12% [1, 3].", [("1", "a"), ("3", "c")], [("Load fell 12%", "a", None), ("Load fell 12%", "c", None)]),
        (
            "Load fell 12% [2-4].",
            [("2", "b"), ("4", "d")],
            [("Load fell 12%", "b", None), ("Load fell 12%", "3", "dangling"), ("Load fell 12%", "d", None)],
        ),
        ("Kept 35 days [9].", [("1", "a"), ("2", "b"), ("3", "c")], [("Kept 35 days", "9", "dangling")]),
        ("A is fast. B is cheap [1].", [("1", "a")], [("B is cheap", "a", None)]),
        ("It is free [1].", [("1", "a"), ("1", "b")], [("It is free", "a", None), ("It is free", "b", None)]),
        ("It is free [D7].", [("1", "D7")], [("It is free", "D7", None)]),
        ("The documents do not say [1].", [("1", "a")], [("The documents do not say", "a", "abstained")]),
        ("备份保留三十五天。[1]", [("1", "a")], [("备份保留三十五天", "a", "unsupported_language")]),
    ],
)
def test_markers_become_edges(text, declared, expected):
    assert edges(text, declared)[0] == expected


def test_doubled_markers_are_one_edge_and_counted():
    found, resolved = edges("X is fast [1][1].", [("1", "a")])
    assert (found, resolved.duplicates) == ([("X is fast", "a", None)], 1)


def test_ranges_hang_from_the_claims_they_overlap_and_what_has_no_place_is_unmapped():
    text = "Logs are kept. Exports are free."
    citations = [
        DeclaredCitation("a", answer_start=0, answer_end=14),
        DeclaredCitation("b", answer_start=15, answer_end=32),
        DeclaredCitation("c"),
    ]
    resolved = resolve_citations(split_answer(answer(text=text, citations=citations)))
    assert [(edge.claim_id, edge.evidence_id, edge.status) for edge in resolved.edges] == [
        ("c0", "a", None),
        ("c1", "b", None),
        ("unplaced", "c", "unmapped"),
    ]


@pytest.mark.parametrize(
    ("claims", "citations", "message"),
    [
        ([StructuredClaim("c", "One", True, []), StructuredClaim("c", "Two", True, [])], None, "hold the claim_id 'c' twice"),
        ([StructuredClaim("c", "One", True, ["a", "a"])], None, "names an evidence_id twice"),
        ([StructuredClaim("c", "One", True, ["a", None])], None, "has an empty evidence_id"),
        ([StructuredClaim("c", "One", True, ["a"])], [DeclaredCitation("b")], r"do not declare: \['a'\]"),
    ],
)
def test_structured_claims_that_contradict_themselves_are_refused(claims, citations, message):
    with pytest.raises(InvalidClaims, match=message):
        split_answer(answer(claims=claims, citations=citations))


def test_structured_claims_are_taken_as_they_are_and_versions_come_from_citations():
    claims = [StructuredClaim("x", "Logs are kept [1].", True, ["a"], 0, 18), StructuredClaim("y", "Nice!", False, ["b"])]
    resolved = resolve_citations(
        split_answer(answer(claims=claims, citations=[DeclaredCitation("a", version="3"), DeclaredCitation("b")]))
    )
    assert [(one.claim_id, one.text, one.start, one.reason, one.cited) for one in resolved.claims] == [
        ("x", "Logs are kept", 0, None, ["a"]),
        ("y", "Nice", None, "declared", ["b"]),
    ]
    assert [(edge.evidence_id, edge.version) for edge in resolved.edges] == [("a", "3"), ("b", None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Retention [1]\nIt is free.", [("unplaced", "a", "unmapped")]),
        ("[1]\n\nIt is free.", [("unplaced", "a", "unmapped")]),
        ("It is free.\n\n[1]", [("c0", "a", None)]),
    ],
)
def test_a_marker_outside_every_claim_is_unmapped_not_lost(text, expected):
    assert [(edge.claim_id, edge.evidence_id, edge.status) for edge in edges(text, [("1", "a")])[1].edges] == expected


def test_an_answer_that_declares_nothing_may_name_evidence_itself():
    resolved = resolve_citations(split_answer(answer(text="It is free [doc-1].", citations=[])))
    assert [(edge.evidence_id, edge.status) for edge in resolved.edges] == [("doc-1", None)]
    named = [StructuredClaim("c", "It is free", True, ["doc-1"])]
    assert [edge.evidence_id for edge in resolve_citations(split_answer(answer(claims=named, citations=[]))).edges] == ["doc-1"]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The documents do not say [1].", "no_evidence"),
        ("The sources contradict each other.", "conflicting"),
        ("I don't have access to that document.", "no_access"),
        ("There is not enough information to answer this.", "insufficient"),
        ("Logs are kept for 30 days [1].", None),
    ],
)
def test_an_abstention_says_why(text, stated):
    assert [claim.stated_reason for claim in split_answer(answer(text=text)).claims] == [stated]
