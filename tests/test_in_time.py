"""Evidence in time, causes, slices, the gate and what is flagged: through the job."""

from __future__ import annotations

import json

import pytest
from builders import answer, evidence, utc
from test_judging import CALLS
from test_nightly import fake_checker, ratios, run, statuses  # noqa: F401 (a fixture)

from pipelines.manifest import EXIT_CODES
from pipelines.options import UsageError
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation, StructuredClaim

OLD = evidence(version="1", valid_to=utc(2026, 2), source_type="primary")
NEW = evidence(version="2", text="Logs are kept for 7 days.", valid_from=utc(2026, 2), source_type="primary")


def test_an_answer_whose_source_moved_is_up_for_review(tmp_path, fake_checker):  # noqa: F811
    answers = [answer("before", answered_at=utc(2026, 1)), answer("after"), answer("wrong", "Logs are kept for 9 days [1].")]
    code, folder = run(tmp_path, fake_checker, answers, [OLD, NEW])
    assert code == 0
    (row,) = read_run_table(folder, "review")
    assert row == {
        "answer_id": "before",
        "answered_at": utc(2026, 1),
        "question": "How long?",
        "claim_id": row["claim_id"],
        "claim": "Logs are kept for 30 days",
        "evidence_id": "logs",
        "version": "1",
        "now_status": "superseded",
        "superseded_by": "2",
        "source_type": "primary",
        "text_changed": True,
        "change": "'30 days' -> '7 days'",
        "change_families": ["quantity"],
        "supported": True,
        "supported_now": False,
    }
    assert {row["answer_id"]: row["supported"] for row in read_run_table(folder, "verdicts")} == {
        "before": True,
        "after": False,
        "wrong": False,
    }


def test_an_answer_from_the_future_does_not_decide_what_now_is(tmp_path, fake_checker):  # noqa: F811
    answers, rows = [answer("a1"), answer("late", answered_at=utc(2999))], [evidence(valid_to=utc(2027))]
    code, folder = run(tmp_path, fake_checker, answers, rows)
    assert code == 0
    assert {str(row["date"]) for row in read_run_table(folder, "aggregates")} == {"2026-03-01"}
    assert read_run_table(folder, "review") == []
    assert "values of answered_at break" in " ".join(read_manifest(folder)["warnings"])
    _, folder = run(tmp_path, fake_checker, answers[1:], rows, "two")
    assert {str(row["date"]) for row in read_run_table(folder, "aggregates")} == {"2999-01-01"}


def test_a_claim_that_an_older_version_establishes_is_stale(tmp_path, fake_checker):  # noqa: F811
    _, folder = run(tmp_path, fake_checker, [answer("after")], [OLD, NEW])
    (claim,) = read_run_table(folder, "claims")
    assert (claim["outcome"], claim["cause"]) == ("unsupported", "stale")
    assert ratios(folder)["all", "cause_stale"] == (1.0, 1)


def test_a_retracted_source_is_up_for_review_without_a_change(tmp_path, fake_checker):  # noqa: F811
    _, folder = run(tmp_path, fake_checker, [answer()], [evidence(status="retracted", retracted_at=utc(2026, 3, 2))])
    found = [(row["now_status"], row["text_changed"], row["supported_now"]) for row in read_run_table(folder, "review")]
    assert found == [("retracted", False, None)]


def test_several_versions_valid_at_once_are_counted(tmp_path, fake_checker):  # noqa: F811
    rows = [evidence(version="1"), evidence(version="2", valid_from=utc(2026))]
    _, folder = run(tmp_path, fake_checker, [answer()], rows)
    assert read_manifest(folder)["counts"]["edges.several_versions_valid"] == 1
    assert [row["version"] for row in read_run_table(folder, "verdicts")] == ["2"]


def test_what_the_budget_leaves_out_is_counted_and_the_rest_is_the_same_every_time(tmp_path, fake_checker):  # noqa: F811
    answers = [answer(f"a{i}", "Logs are kept for 9 days [1].", retrieved=["logs", "other"]) for i in range(20)]
    rows = [OLD, NEW, evidence("other", "Logs are kept for 9 days.")]
    causes = []
    for run_id in ("one", "two"):
        _, folder = run(tmp_path, fake_checker, answers, rows, run_id, further_claims=5)
        counts = read_manifest(folder)["counts"]
        assert (counts["questions.claims"], counts["questions.claims_beyond_budget"]) == (5, 15)
        causes.append([(row["answer_id"], row["cause"]) for row in read_run_table(folder, "claims")])
        assert (counts["causes.supported_elsewhere"], counts["causes.not_sought"]) == (5, 15)
        assert ratios(folder)["all", "cause_supported_elsewhere"] == (1.0, 5)
    assert causes[0] == causes[1]


def test_another_span_that_the_user_may_not_read_is_no_support_elsewhere(tmp_path, fake_checker):  # noqa: F811
    rows = [NEW, evidence("secret", "Logs are kept for 30 days.", principals=["legal"])]
    answers = [answer("a1", retrieved=["logs", "secret"]), answer("a2", retrieved=["logs", "secret"], principals=["legal"])]
    _, folder = run(tmp_path, fake_checker, answers, rows)
    assert {row["answer_id"]: row["supported_by"] for row in read_run_table(folder, "claims")} == {"a1": [], "a2": ["secret"]}


def test_slices_have_their_own_rows(tmp_path, fake_checker):  # noqa: F811
    answers = [
        answer("a1", attributes={"product": "logs", "locale": "en"}, build="7"),
        answer("a2", "Logs are kept for 9 days [1].", attributes={"product": "logs"}),
        answer("a3"),
    ]
    _, folder = run(tmp_path, fake_checker, answers, [evidence()], slices=(("product",), ("product", "build"), ("product",)))
    rows = [row for row in read_run_table(folder, "aggregates") if row["metric"] == "edge_precision" and row["family"] == "all"]
    assert {(row["slice"], row["average"]): (row["value"], row["n"], row["n_clusters"]) for row in rows} == {
        ("all", "micro"): (0.666667, 3, 3),
        ("all", "macro"): (0.666667, 3, 3),
        ("product=logs", "micro"): (0.5, 2, 2),
        ("product=logs", "macro"): (0.5, 2, 2),
        ("product=(none)", "micro"): (1.0, 1, 1),
        ("product=(none)", "macro"): (1.0, 1, 1),
        ("product=logs,build=7", "micro"): (1.0, 1, 1),
        ("product=logs,build=7", "macro"): (1.0, 1, 1),
        ("product=logs,build=(none)", "micro"): (0.0, 1, 1),
        ("product=logs,build=(none)", "macro"): (0.0, 1, 1),
        ("product=(none),build=(none)", "micro"): (1.0, 1, 1),
        ("product=(none),build=(none)", "macro"): (1.0, 1, 1),
    }
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert read_manifest(folder)["slices"] == ["product", "product,build"]


@pytest.mark.parametrize("slices", [("",), ("product", "product"), ("product", "")])
def test_a_slice_that_names_nothing_is_refused(tmp_path, fake_checker, slices):  # noqa: F811
    with pytest.raises(UsageError, match="a slice names attributes"):
        run(tmp_path, fake_checker, [answer()], [evidence()], slices=(slices,))


def test_14_one_of_two_unjudged_trips_the_gate_and_never_passes_as_one(tmp_path, fake_checker):  # noqa: F811
    answers = [answer("a1"), answer("a2", citations=[DeclaredCitation("bad", marker="1")])]
    rows = [evidence(), evidence("bad", "This passage is poison.")]
    code, folder = run(tmp_path, fake_checker, answers, rows, max_unjudged=0.1)
    assert code == EXIT_CODES["coverage"] == 3
    assert not (folder / "_SUCCESS").exists()
    (reason,) = json.loads((folder / "_FAILED").read_text())
    assert reason["message"].startswith("1 of 2 edges unjudged, a share of 0.5000: more than --max-unjudged 0.1")
    assert statuses(folder) == {"judged": 1, "unjudged": 1}
    assert ratios(folder)["all", "precision_judged"] == (1.0, 1)
    assert run(tmp_path, fake_checker, answers, rows, "two", max_unjudged=0.5)[0] == 0


@pytest.mark.parametrize(
    ("answers", "rows", "what"),
    [
        ([answer("a1"), answer(None)], [evidence()], "1 of 2 answers rejected"),
        ([answer()], [evidence(), evidence("odd", status="odd")], "1 of 2 evidence rejected"),
    ],
)
def test_too_many_rejected_rows_trip_the_gate(tmp_path, fake_checker, answers, rows, what):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, answers, rows, max_rejected=0.4)
    assert code == 3
    assert [reason["message"].split(",")[0] for reason in json.loads((folder / "_FAILED").read_text())] == [what]


def test_duplicates_are_no_loss(tmp_path, fake_checker):  # noqa: F811
    assert run(tmp_path, fake_checker, [answer(), answer()], [evidence(), evidence()], max_rejected=0)[0] == 0


def test_the_most_urgent_pairs_come_first_and_no_answer_fills_the_sample(tmp_path, fake_checker):  # noqa: F811
    denied = [answer(f"no{i}", "Logs are not kept for 30 days [1].") for i in range(2)]
    plain = [answer(f"x{i}", f"Logs are {word} [1].") for i, word in enumerate(("blue", "big", "round"))]
    loud = answer("loud", " ".join(f"Logs are {word} [1]." for word in ("green", "small", "square", "wooden", "cheap")))
    moved = answer("moved", "Logs are tall [2].", citations=[DeclaredCitation("moved", "2")], answered_at=utc(2026, 1))
    was, now = evidence("moved", "Old.", valid_to=utc(2026, 2)), evidence("moved", "New.", version="2", valid_from=utc(2026, 2))
    _, folder = run(tmp_path, fake_checker, [*plain, loud, *denied, moved], [evidence(), was, now])
    flagged = [row for row in read_run_table(folder, "flagged") if row["family"] == "other"]
    assert [row["rank"] for row in flagged] == list(range(1, len(flagged) + 1))
    assert sum(row["answer_id"] == "loud" for row in flagged) == 3
    assert flagged[0]["answer_id"] == "moved"
    assert (flagged[0]["now_status"], flagged[0]["superseded_by"], flagged[0]["change"]) == ("superseded", "2", "'Old' -> 'New'")
    denials = [row for row in read_run_table(folder, "flagged") if row["family"] == "polarity"]
    assert {row["label"] for row in denials} == {"contradiction"}


def test_11_support_in_another_span_of_the_answer_is_named(tmp_path, fake_checker):  # noqa: F811
    citations = [DeclaredCitation("one", "1"), DeclaredCitation("two", "2")]
    rows = [evidence("one", "It was Founded in 1998."), evidence("two", "It is in Riga.")]
    _, folder = run(tmp_path, fake_checker, [answer(text="Founded in 1998 [2].", citations=citations)], rows)
    (claim,) = read_run_table(folder, "claims")
    assert (claim["outcome"], claim["cause"], claim["supported_by"]) == ("unsupported", "supported_elsewhere", ["one"])


def test_11_an_uncited_claim_names_the_span_that_was_shown(tmp_path, fake_checker):  # noqa: F811
    found = answer(text="Logs are kept for 30 days.", citations=None, retrieved=["other", "logs"])
    _, folder = run(tmp_path, fake_checker, [found], [evidence(), evidence("other", "Other.")])
    (claim,) = read_run_table(folder, "claims")
    assert (claim["outcome"], claim["cause"], claim["supported_by"]) == ("uncited", "supported_elsewhere", ["logs"])


def test_9_a_dangling_marker_counts_in_precision_recall_and_its_own_rate(tmp_path, fake_checker):  # noqa: F811
    citations = [DeclaredCitation(f"e{i}", str(i)) for i in (1, 2, 3)]
    _, folder = run(tmp_path, fake_checker, [answer(text="Kept 35 days [9].", citations=citations)], [evidence("e1")])
    found = ratios(folder)
    for metric, value in (
        ("citation_precision", 0.0),
        ("edge_precision", 0.0),
        ("citation_recall", 0.0),
        ("completeness", 0.0),
        ("dangling_rate", 1.0),
    ):
        assert found["all", metric] == (value, 1)
    assert found["all", "precision_judged"] == (None, 0)


def test_29_what_the_context_holds_beyond_the_answer_costs_nothing(tmp_path, fake_checker):  # noqa: F811
    facts = [f"Fact {i} holds" for i in range(10)]
    rows = [evidence(f"e{i}", f"{fact}.") for i, fact in enumerate(facts)]
    claims = [StructuredClaim(f"c{i}", fact, True, [f"e{i}"]) for i, fact in enumerate(facts[:5])]
    shown = [row.evidence_id for row in rows]
    CALLS.clear()
    _, folder = run(tmp_path, fake_checker, [answer(claims=claims, citations=None, retrieved=shown)], rows)
    found = ratios(folder)
    assert [found["all", metric] for metric in ("citation_precision", "citation_recall", "completeness")] == [(1.0, 5)] * 3
    assert len(CALLS) == 5


def test_49_each_of_two_markers_proves_its_own_claim(tmp_path, fake_checker):  # noqa: F811
    citations = [DeclaredCitation("basic", "1"), DeclaredCitation("pro", "2")]
    rows = [evidence("basic", "Here Basic has 10 seats."), evidence("pro", "Here Pro has 50.")]
    text = "Basic has 10 seats and Pro has 50 [1][2]."
    claims = [
        StructuredClaim("c0", "Basic has 10 seats", True, ["basic", "pro"]),
        StructuredClaim("c1", "Pro has 50", True, ["basic", "pro"]),
    ]
    _, folder = run(tmp_path, fake_checker, [answer(text=text, citations=citations)], rows)
    found = ratios(folder)
    assert [row["outcome"] for row in read_run_table(folder, "claims")] in (["supported"] * 2, ["supported"])
    assert found["all", "citation_precision"][0] == 1.0
    _, folder = run(tmp_path, fake_checker, [answer(text=text, citations=None, claims=claims)], rows, "two")
    assert ratios(folder)["all", "edge_precision"] == (0.5, 4)
    assert ratios(folder)["all", "citation_recall"] == (1.0, 2)
