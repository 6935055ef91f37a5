"""Spans judged together: ALCE's situations (Gao et al. 2023), through the job."""

from __future__ import annotations

import pytest
from builders import answer, evidence, verdict
from test_judging import CALLS
from test_nightly import fake_checker, ratios, run  # noqa: F401 (a fixture)

from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation, StructuredClaim
from transforms.joint import Part, joint_premise, roles

LOGS, EXPORTS, OTHER = "Logs are kept for 30 days", "Exports are kept for 7 days", "The office is in Riga"
ROWS = [evidence("logs", f"{LOGS}."), evidence("exports", f"{EXPORTS}."), evidence("other", f"{OTHER}."), evidence("more", "More.")]
BOTH = f"{LOGS} and {EXPORTS}"


def claimed(text, *cited):
    return answer(text=text, citations=None, claims=[StructuredClaim("c", text, True, list(cited))])


@pytest.mark.parametrize(
    ("text", "cited", "outcome", "roles_found", "precision", "joint_precision", "sets"),
    [
        # Support needs two passages: neither proves the claim alone, both do together.
        (BOTH, ("logs", "exports"), ("supported", "joint"), {"logs": "needed", "exports": "needed"}, (0.0, 2), (1.0, 2), 1),
        # One is irrelevant: the other proves the claim alone.
        (LOGS, ("logs", "other"), ("supported", "alone"), {"logs": "sole", "other": "irrelevant"}, (0.5, 2), (0.5, 2), 0),
        # One is irrelevant beside two that are needed.
        (
            BOTH,
            ("other", "logs", "exports"),
            ("supported", "joint"),
            {"logs": "needed", "exports": "needed", "other": "irrelevant"},
            (0.0, 3),
            (0.666667, 3),
            1,
        ),
        # More than three are all seen.
        (
            BOTH,
            ("other", "more", "logs", "exports"),
            ("supported", "joint"),
            {"logs": "needed", "exports": "needed", "other": "irrelevant", "more": "irrelevant"},
            (0.0, 4),
            (0.5, 4),
            1,
        ),
        # Redundant: both prove it alone; neither is held against the answer.
        (LOGS, ("logs", "twin"), ("supported", "alone"), {"logs": "redundant", "twin": "redundant"}, (1.0, 2), (1.0, 2), 0),
        # Nothing together either.
        (BOTH, ("logs", "other"), ("unsupported", None), {"logs": None, "other": None}, (0.0, 2), (0.0, 2), 1),
        # Dangling: stays in the denominators.
        (LOGS, ("logs", "nowhere"), ("supported", "alone"), {"logs": "sole", "nowhere": None}, (0.5, 2), (0.5, 2), 0),
        # Uncited: a failure of recall, none of precision.
        (LOGS, (), ("uncited", None), {}, (None, 0), (None, 0), 0),
    ],
)
def test_alce(tmp_path, fake_checker, text, cited, outcome, roles_found, precision, joint_precision, sets):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, [claimed(text, *cited)], [*ROWS, evidence("twin", f"Again: {LOGS}.")])
    assert code == 0
    (claim,) = read_run_table(folder, "claims")
    assert (claim["outcome"], claim["support"]) == outcome
    rows = read_run_table(folder, "verdicts")
    assert {row["evidence_id"]: row["role"] for row in rows if not row["joint"]} == roles_found
    assert sum(row["joint"] for row in rows) == sets
    found = ratios(folder)
    assert found["all", "citation_precision"] == precision
    assert found["all", "citation_precision_joint"] == joint_precision
    assert found["all", "citation_recall"] == (float(outcome[0] == "supported"), 1)


def test_questions_are_asked_only_where_they_matter_and_counted(tmp_path, fake_checker):  # noqa: F811
    CALLS.clear()
    _, folder = run(tmp_path, fake_checker, [claimed(BOTH, "other", "logs", "exports")], ROWS, further_claims=0)
    counts = read_manifest(folder)["counts"]
    # Three edges, the set of three, and the set without each of them.
    assert (counts["pairs.unique"], counts["questions.joint"], counts["questions.without"]) == (7, 1, 3)
    assert read_manifest(folder)["model_calls"] == counts["pairs.windows"] == len(CALLS) == 7
    CALLS.clear()
    _, folder = run(tmp_path, fake_checker, [claimed(BOTH, "logs", "exports")], ROWS, "two", further_claims=0)
    # Of two spans each was judged alone: leaving one out asks nothing new.
    assert len(CALLS) == 3
    CALLS.clear()
    run(tmp_path, fake_checker, [claimed(LOGS, "other", "logs")], ROWS, "three", further_claims=0)
    assert len(CALLS) == 2


def test_the_row_of_a_set_says_what_was_judged(tmp_path, fake_checker):  # noqa: F811
    _, folder = run(tmp_path, fake_checker, [claimed(BOTH, "logs", "exports")], ROWS)
    (row,) = [row for row in read_run_table(folder, "verdicts") if row["joint"]]
    assert (row["evidence_id"], row["status"], row["supported"], row["n_windows"]) == ("logs + exports", "judged", True, 1)
    assert all(identity["holds"] for identity in read_manifest(folder)["identities"])


def test_a_set_that_cannot_be_judged_leaves_the_claim_open(tmp_path, fake_checker, monkeypatch):  # noqa: F811
    rows = [evidence("logs", f"{LOGS} poi"), evidence("exports", "son Nothing.")]
    monkeypatch.setattr("transforms.joint.joint_premise", lambda parts: ("poison", True))
    _, folder = run(tmp_path, fake_checker, [claimed(BOTH, "logs", "exports")], rows)
    (claim,) = read_run_table(folder, "claims")
    assert (claim["outcome"], claim["cause"]) == ("unjudged", None)
    assert all(identity["holds"] for identity in read_manifest(folder)["identities"])


def test_spans_that_do_not_fit_together_give_their_best_windows():
    long = Part("a", "1", "word " * 299, "The window.")
    assert joint_premise([long, Part("b", "1", "Two words", "Two words")]) == ("The window. Two words", False)
    assert joint_premise([long._replace(whole="word " * 298), Part("b", "1", "Two words", "")])[1] is True


def test_the_same_words_under_two_ids_stand_once():
    assert joint_premise([Part("a", "1", "Same.", "Same."), Part("b", "1", "Same.", "Same.")]) == ("Same.", True)


def test_roles_of_edges_that_were_not_judged_are_open():
    edges = [verdict("a"), verdict("b", status="unjudged", label=None), verdict("c")]
    without = {("a", None): False, ("c", None): None}
    assert roles(edges, joint=True, without=without) == ["needed", None, None]
    assert roles(edges, joint=None, without={}) == [None, None, None]


def test_a_citation_by_marker_counts_through_its_set(tmp_path, fake_checker):  # noqa: F811
    citations = [DeclaredCitation("logs", "1"), DeclaredCitation("exports", "2"), DeclaredCitation("other", "3")]
    text = "Logs are kept for 30 days and Exports are kept for 7 days [1][2][3]."
    _, folder = run(tmp_path, fake_checker, [answer(text=text, citations=citations)], ROWS)
    assert ratios(folder)["all", "citation_recall"][0] == 1.0
