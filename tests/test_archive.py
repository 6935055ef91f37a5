"""The four-document archive and its table: what is cited, what is established and what is complete are three things."""

import re

import pytest

from cases.retrieval import (
    AnswerFigures,
    CitedClaim,
    GoldFact,
    answer_figures,
    citation_presence,
    document_recall,
    fact_coverage,
    fact_recall,
    load_archive,
    support,
)
from cases.sample import build_sample
from cases.suite import load_suite

ARCHIVE = load_archive()
IDS = [document.doc_id for document in ARCHIVE.documents]


def _fact(name, *evidence):
    return GoldFact(name, name, tuple(map(frozenset, evidence)))


# --- the table --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("A", AnswerFigures(abstained=False, presence=1.0, support=1 / 3, coverage=1 / 3)),
        ("B", AnswerFigures(abstained=False, presence=1.0, support=1.0, coverage=1 / 3)),
        ("C", AnswerFigures(abstained=False, presence=1.0, support=1.0, coverage=1.0)),
    ],
)
def test_the_figures_of_the_answers(name, figures):
    assert answer_figures(ARCHIVE.answers[name], ARCHIVE.facts) == figures


@pytest.mark.parametrize(
    ("k", "documents", "facts"), [(1, 0.0, 0.0), (2, 0.0, 0.0), (3, 1 / 2, 1 / 3), (4, 1.0, 1.0), (9, 1.0, 1.0)]
)
def test_the_recall_of_the_ranking(k, documents, facts):
    assert document_recall(ARCHIVE.ranking, ARCHIVE.needed, k, IDS) == documents
    assert fact_recall(ARCHIVE.ranking, ARCHIVE.facts, k, IDS) == facts


def test_an_empty_answer_abstains():
    assert answer_figures((), ARCHIVE.facts) == AnswerFigures(abstained=True, presence=None, support=None, coverage=0.0)


# --- the archive ------------------------------------------------------------------------------------------------------------------


def test_everything_that_is_named_is_there():
    assert IDS == ["D1", "D2", "D3", "D4"]
    assert sorted(ARCHIVE.ranking) == IDS
    assert {doc_id for fact in ARCHIVE.facts for one in fact.evidence for doc_id in one} == ARCHIVE.needed == {"D1", "D3"}
    cited = {doc_id for claims in ARCHIVE.answers.values() for claim in claims for doc_id in claim.citations}
    assert cited == {"D1", "D2", "D3", "D4"}


def test_a_claim_that_states_a_fact_is_supported_by_its_evidence_and_by_nothing_else():
    evidence = {fact.fact_id: fact.evidence for fact in ARCHIVE.facts}
    claims = [claim for claims in ARCHIVE.answers.values() for claim in claims if claim.states]
    assert [any(one <= set(claim.citations) for one in evidence[claim.states]) for claim in claims] == [
        claim.supported for claim in claims
    ]


def test_the_archive_is_its_own():
    sample = build_sample()
    texts = [text for case in load_suite() for text in (case.question, case.claim, *(chunk.text for chunk in case.context))]
    told = "\n".join([*texts, *(row.text for row in sample.evidence), *(row.answer for row in sample.answers)]).casefold()
    sentences = [part for document in ARCHIVE.documents for part in re.split(r"(?<=\.)\s+", document.text)]
    assert [words for words in ("brindle", "ambleford", *sentences) if words.casefold() in told] == []


# --- definitions ------------------------------------------------------------------------------------------------------------------


def test_any_evidence_set_finds_a_fact_and_only_as_a_whole():
    facts = [_fact("either", {"a"}, {"b", "c"})]
    assert [fact_recall(ranking, facts, 2) for ranking in (["a", "x"], ["b", "c"], ["b", "x"], ["c"], [])] == [
        1.0,
        1.0,
        0.0,
        0.0,
        0.0,
    ]


def test_a_claim_without_a_citation_is_outside_support_and_covers_nothing():
    claims = [CitedClaim("x", ("a",), True, "x"), CitedClaim("y", (), True, "y")]
    facts = [_fact("x", {"a"}), _fact("y", {"b"})]
    assert answer_figures(claims, facts) == AnswerFigures(abstained=False, presence=0.5, support=1.0, coverage=0.5)
    assert support(claims[1:]) is None


def test_a_fact_that_two_claims_state_is_covered_once():
    claims = [CitedClaim("x", ("a",), True, "x"), CitedClaim("x again", ("a",), True, "x")]
    assert fact_coverage(claims, [_fact("x", {"a"}), _fact("y", {"b"})]) == 0.5


def test_no_denominator_no_number():
    assert [
        document_recall(["a"], [], 1),
        fact_recall(["a"], [], 1),
        citation_presence([]),
        support([]),
        fact_coverage([CitedClaim("x", ("a",), True)], []),
    ] == [None] * 5


# --- faults -----------------------------------------------------------------------------------------------------------------------


def test_a_ranking_that_cannot_be_counted_is_refused_with_all_its_faults():
    faults = [
        "k is less than 1: 0; ask for the first 1 or more documents",
        "document is ranked more than once: 'a'; keep its best rank",
        "unknown document: 'x'; use one of a, b",
        "unknown document: 'z'; use one of a, b",
    ]
    with pytest.raises(ValueError, match="k is less") as raised:
        document_recall(["a", "z", "a"], ["x"], 0, documents=["a", "b"])
    assert str(raised.value).splitlines() == faults
    with pytest.raises(ValueError, match="k is less") as raised:
        fact_recall(["a", "z", "a"], [_fact("f", {"x"})], 0, documents=["a", "b"])
    assert str(raised.value).splitlines() == faults


def test_facts_that_cannot_be_counted_are_refused():
    with pytest.raises(ValueError, match="fact") as raised:
        fact_recall(["a"], [_fact("f", {"a"}), _fact("f", {"a"}), _fact("g"), _fact("h", {"a"}, set())], 1)
    assert str(raised.value).splitlines() == [
        "fact stands more than once: 'f'; rename all but one",
        "fact has an empty evidence set: 'g'; name the documents that it needs",
        "fact has an empty evidence set: 'h'; name the documents that it needs",
    ]
    with pytest.raises(ValueError, match=r"^claim states an unknown fact: 'y'; use one of x$"):
        fact_coverage([CitedClaim("y", ("a",), True, "y")], [_fact("x", {"a"})])
