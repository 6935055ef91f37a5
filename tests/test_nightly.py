"""The job end to end: bad input, reconciliation, the same bytes twice, and the same numbers as a direct computation."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import DirectOptions, StandardOptions
from builders import answer, evidence, utc
from test_judging import FakeHandler

from pipelines import nightly
from pipelines.manifest import identities
from pipelines.nightly import pipeline_options, run_nightly
from pipelines.options import NightlyConfig, UsageError
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.evidence import Evidence
from schemas.types import to_table
from transforms.edges import resolve_citations
from transforms.entailment import WindowToJudge
from transforms.evidence import join_edge
from transforms.families import families_of
from transforms.judging import PairVerdict, decide, finish_verdict
from transforms.metrics import score_answer
from transforms.premises import PendingEdge, pair_of, widen_premises
from transforms.propositions import split_answer, splitter_name


@pytest.fixture
def fake_checker(monkeypatch, tmp_path):
    """A checker folder that says nothing, and a handler that matches words: fast, for everything that no model decides."""
    monkeypatch.setattr(nightly, "EntailmentHandler", lambda config, locate: FakeHandler())
    (tmp_path / "checker").mkdir()
    (tmp_path / "checker" / "config.json").write_text('{"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}}')
    (tmp_path / "checker" / "model.safetensors").touch()
    (tmp_path / "checker" / "tokenizer.json").touch()
    return str(tmp_path / "checker")


def write(path, row_type, rows):
    pq.write_table(to_table(row_type, rows), path)
    return str(path)


def run(tmp_path, checker, answers, rows, run_id="one", **options):
    config = NightlyConfig(
        write(tmp_path / "answers.parquet", Answer, answers) if isinstance(answers, list) else answers,
        write(tmp_path / "evidence.parquet", Evidence, rows) if isinstance(rows, list) else rows,
        str(tmp_path / "runs"),
        run_id,
        checker,
        **options,
    )
    return run_nightly(config), Path(config.folder)


def statuses(folder):
    return Counter(row["status"] for row in read_run_table(folder, "verdicts"))


def test_what_the_readme_promises(tmp_path, fake_checker):
    answers = [
        answer("a1"),
        answer("a2", "Logs are kept for 7 days [1]. Exports are free [9]."),
        answer("a3", ""),
        answer("a4", "```\nx = 1\n```"),
        answer("a5", "The provided documents do not say how long logs are kept [1]."),
    ]
    code, folder = run(tmp_path, fake_checker, answers, [evidence()])
    assert code == 0
    assert (folder / "_SUCCESS").exists()
    assert not (folder / "_FAILED").exists()
    counts = read_manifest(folder)["counts"]
    assert {name: n for name, n in counts.items() if name.startswith("answers.") and n} == {
        "answers.read": 5,
        "answers.files_read": 1,
        "answers.evaluated": 2,
        "answers.empty": 1,
        "answers.no_claims": 1,
        "answers.abstained": 1,
    }
    assert statuses(folder) == {"judged": 2, "dangling": 1, "abstained": 1}
    values = {(row["family"], row["metric"]): (row["value"], row["n"], row["low"]) for row in read_run_table(folder, "aggregates")}
    assert values["all", "citation_precision"] == (0.333333, 3, None)
    assert values["all", "citation_recall"] == (0.333333, 3, None)
    assert values["all", "completeness"] == (0.666667, 3, None)
    assert values["scope", "edge_precision"] == (None, 0, None)
    assert all(identity["holds"] for identity in read_manifest(folder)["identities"])
    flagged = read_run_table(folder, "flagged")
    assert {(row["claim"], row["passage"], row["status"]) for row in flagged} == {
        ("Logs are kept for 7 days", "Logs are kept for 30 days.", "judged"),
        ("Exports are free", None, "dangling"),
    }


def test_two_runs_give_the_same_bytes(tmp_path, fake_checker):
    rng = random.Random(1)
    answers, rows = random_log(rng, 40)
    folders = [run(tmp_path, fake_checker, answers, rows, run_id)[1] for run_id in ("one", "two")]
    first, second = ({path.name: path.read_bytes() for path in folder.glob("*.parquet")} for folder in folders)
    assert first == second
    assert len(first) == 5


@pytest.mark.parametrize("seed", range(3))
def test_the_job_equals_a_direct_computation(tmp_path, fake_checker, seed):
    answers, rows = random_log(random.Random(seed), 60)
    code, folder = run(tmp_path, fake_checker, answers, rows)
    assert code == 0
    expected = direct_ratios(answers, rows)
    found = {
        (row["family"], row["metric"]): (round((row["value"] or 0) * row["n"]), row["n"])
        for row in read_run_table(folder, "aggregates")
    }
    assert {key: ratio for key, ratio in found.items() if ratio[1]} == expected


def random_log(rng, n):
    """Answers by marker and by structured claim over evidence in several states."""
    facts = [
        f"{thing} {verb} for {days} days"
        for thing in ("Logs are", "Exports are", "EU backups must be")
        for verb in ("kept", "not kept")
        for days in (7, 30)
    ]
    rows = []
    for i, fact in enumerate(facts):
        rows.append(
            evidence(
                f"e{i}",
                rng.choice([f"{fact}.", f"Nothing. {fact}. More.", "", f"{fact} and a poison."]),
                version="1",
                valid_to=utc(2026, 2),
                principals=rng.choice([None, None, ["legal"]]),
            )
        )
        rows.append(evidence(f"e{i}", f"{rng.choice(facts)}.", version="2", valid_from=utc(2026, rng.choice([2, 3]))))
    return [_random_answer(rng, f"a{i}", facts) for i in range(n)], rows


def _random_answer(rng, answer_id, facts):
    ids = [f"e{i}" for i in range(len(facts) + 2)]
    moment = utc(2026, rng.choice([1, 2, 3]))
    picked = [(rng.choice(facts), rng.sample(ids, rng.randint(0, 3))) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.4:
        claims = [StructuredClaim(f"c{i}", fact, rng.random() < 0.8, cited) for i, (fact, cited) in enumerate(picked)]
        return answer(answer_id, ". ".join(fact for fact, _ in picked), citations=None, claims=claims, answered_at=moment)
    declared = [DeclaredCitation(evidence_id, marker=str(i)) for i, evidence_id in enumerate(ids)]
    text = " ".join(f"{fact} {''.join(f'[{ids.index(e)}]' for e in cited)}." for fact, cited in picked)
    return answer(answer_id, text, citations=declared[:-1], answered_at=moment)


def direct_ratios(answers, rows):
    """The same ratios in memory, without Beam."""
    versions, handler, sums = defaultdict(list), FakeHandler(), defaultdict(lambda: (0, 0))
    for row in rows:
        versions[row.evidence_id].append(row)
    for one in answers:
        resolved, verdicts = resolve_citations(split_answer(one)), []
        tagged = [claim._replace(families=families_of(claim.text)) for claim in resolved.claims]
        for edge in resolved.edges:
            joined = join_edge(edge, versions[edge.evidence_id], [], utc(2026, 3), incomplete=False)
            finished = base_verdict(edge, joined)
            if joined.status == "judged":
                pair = pair_of(edge.claim, widen_premises(joined.evidence, edge.claim))
                judged = None
                for i, premise in enumerate(pair.premises):
                    window = handler._judge(WindowToJudge("p", i, premise.text, edge.claim))
                    entry = PairVerdict(i, window.probabilities, window.error)
                    judged = entry if judged is None else decide(judged, entry)
                bounds = tuple((premise.start, premise.end) for premise in pair.premises)
                finished = finish_verdict(PendingEdge(pair.pair_id, finished, bounds), judged, pair, 0.5, "fake")
            verdicts.append(finished)
        for key, (above, below) in score_answer(tagged, verdicts).ratios.items():
            sums[key] = (sums[key][0] + above, sums[key][1] + below)
    return {key: ratio for key, ratio in sums.items() if ratio[1]}


def base_verdict(edge, joined):
    from schemas.verdicts import Verdict

    return Verdict(edge.answer_id, edge.claim_id, edge.sentence, edge.evidence_id, status=joined.status, splitter=splitter_name())


def test_a_poison_pair_is_unjudged_and_the_rest_is_scored(tmp_path, fake_checker):
    rows = [evidence(), evidence("bad", "This passage is poison.")]
    answers = [answer("a1"), answer("a2", citations=[DeclaredCitation("bad", marker="1")])]
    code, folder = run(tmp_path, fake_checker, answers, rows)
    assert code == 0
    assert statuses(folder) == {"judged": 1, "unjudged": 1}
    values = {(row["family"], row["metric"]): (row["value"], row["n"]) for row in read_run_table(folder, "aggregates")}
    assert values["all", "citation_precision"] == (1.0, 1)
    assert [(row["reason"], row["n_rows"]) for row in read_run_table(folder, "rejects")] == [("judging_failed", 0)]


def test_duplicates_conflicts_and_broken_rows_are_named_and_the_rest_is_scored(tmp_path, fake_checker):
    answers = [
        answer("twice"),
        answer("twice"),
        answer("torn"),
        answer("torn", "Something else [1]."),
        answer(None),
        answer("good"),
        answer("double", claims=[StructuredClaim("c", "One", True, []), StructuredClaim("c", "Two", True, [])], citations=None),
        answer("broken", citations=[DeclaredCitation("bad-span", marker="1")]),
        answer("unknown", citations=[DeclaredCitation("none", "1")]),
    ]
    rows = [evidence(), evidence("bad-span", span_start=3, span_end=900), evidence("odd", status="fresh")]
    code, folder = run(tmp_path, fake_checker, answers, rows)
    assert code == 0
    found = sorted((row["step"], row["reason"], str(row["record_id"]), row["n_rows"]) for row in read_run_table(folder, "rejects"))
    assert found == [
        ("answers", "conflicting_answer", "torn", 1),
        ("answers", "conflicting_answer", "torn", 1),
        ("answers", "contract", "None", 1),
        ("answers", "duplicate_answer", "twice", 1),
        ("answers", "invalid_claims", "double", 1),
        ("evidence", "contract", "bad-span", 1),
        ("evidence", "contract", "odd", 1),
        ("join", "unknown_evidence", "unknown/c0/none", 0),
    ]
    assert statuses(folder) == {"judged": 2, "bad_span": 1, "dangling": 1}


def test_an_unreadable_evidence_file_trips_the_gate(tmp_path, fake_checker):
    write(tmp_path / "evidence-1.parquet", Evidence, [evidence()])
    (tmp_path / "evidence-2.parquet").write_bytes(b"not parquet")
    answers = [answer("a1"), answer("a2", citations=[DeclaredCitation("lost", marker="1")])]
    code, folder = run(tmp_path, fake_checker, answers, str(tmp_path / "evidence-*.parquet"))
    assert code == 3
    assert not (folder / "_SUCCESS").exists()
    assert [reason["kind"] for reason in json.loads((folder / "_FAILED").read_text())] == ["coverage"]
    assert statuses(folder) == {"judged": 1, "unjudged": 1}
    code, folder = run(tmp_path, fake_checker, answers, str(tmp_path / "evidence-*.parquet"), "two", allow_missing_evidence=True)
    assert code == 0
    assert statuses(folder) == {"judged": 1, "unjudged": 1}


@pytest.mark.parametrize("broken", ["answers", "evidence"])
def test_nothing_readable_is_exit_code_2(tmp_path, fake_checker, broken):
    paths = {
        "answers": write(tmp_path / "answers.parquet", Answer, [answer()]),
        "evidence": write(tmp_path / "evidence.parquet", Evidence, [evidence()]),
    }
    Path(paths[broken]).write_bytes(b"PAR1 broken")
    code, folder = run(tmp_path, fake_checker, paths["answers"], paths["evidence"])
    assert code == 2
    assert (folder / "_FAILED").exists()


def test_a_list_where_structs_are_due_names_file_column_and_types(tmp_path, fake_checker):
    good = to_table(Answer, [answer("good")])
    bad = to_table(Answer, [answer("bad")])
    pq.write_table(good, tmp_path / "answers-1.parquet")
    position = bad.schema.get_field_index("citations")
    pq.write_table(bad.set_column(position, "citations", pa.array([["logs"]])), tmp_path / "answers-2.parquet")
    code, folder = run(tmp_path, fake_checker, str(tmp_path / "answers-*.parquet"), [evidence()])
    assert code == 0
    (reject,) = read_run_table(folder, "rejects")
    assert (reject["reason"], reject["n_rows"]) == ("wrong_type", 1)
    assert "answers-2.parquet: column 'citations' has the wrong type: found list<" in reject["message"]
    assert "expected list<" in reject["message"]


def test_usage_errors_name_the_value(tmp_path, fake_checker):
    with pytest.raises(UsageError, match="no answers file matches"):
        run(tmp_path, fake_checker, str(tmp_path / "none-*.parquet"), [evidence()])
    run(tmp_path, fake_checker, [answer()], [evidence()])
    with pytest.raises(UsageError, match="the run directory exists already"):
        run(tmp_path, fake_checker, [answer()], [evidence()])
    assert run(tmp_path, fake_checker, [answer()], [evidence()], overwrite=True)[0] == 0


def test_a_broken_identity_is_told_apart():
    assert [one.holds for one in identities({"answers.read": 2, "answers.evaluated": 1}, {})] == [False] + [True] * 6


def test_a_shared_pair_keeps_each_passage_its_own_bounds(tmp_path, fake_checker):
    rows = [
        evidence("near"),
        evidence("far", "Some other words stand here. Logs are kept for 30 days.", span_start=29, span_end=40),
    ]
    citations = [DeclaredCitation("near", marker="1"), DeclaredCitation("far", marker="2")]
    code, folder = run(tmp_path, fake_checker, [answer(text="Logs are kept for 30 days [1][2].", citations=citations)], rows)
    assert code == 0
    assert read_manifest(folder)["counts"]["pairs.unique"] == 1
    verdicts = read_run_table(folder, "verdicts")
    assert [(row["evidence_id"], row["premise_start"], row["premise_end"]) for row in verdicts] == [
        ("far", 29, 55),
        ("near", 0, 26),
    ]


def test_evidence_without_a_name_trips_the_gate_and_hides_no_dangling_edge_in_silence(tmp_path, fake_checker):
    answers = [answer("a1"), answer("a2", citations=[DeclaredCitation("none", marker="1")])]
    code, folder = run(tmp_path, fake_checker, answers, [evidence(), evidence("", "Nameless.")])
    assert code == 3
    assert statuses(folder) == {"judged": 1, "unjudged": 1}


def test_rows_that_are_all_rejected_are_nothing_readable(tmp_path, fake_checker):
    code, _ = run(tmp_path, fake_checker, [answer(None)], [evidence()])
    assert code == 2
    code, _ = run(tmp_path, fake_checker, [answer()], [evidence(status="odd")], "two")
    assert code == 2


def test_a_newer_version_that_broke_its_contract_is_not_replaced_by_an_older_one(tmp_path, fake_checker):
    rows = [evidence(version="1"), evidence(version="2", valid_from=utc(2026, 2), source_type="rumour")]
    code, folder = run(tmp_path, fake_checker, [answer("before", answered_at=utc(2026, 1)), answer("after")], rows)
    assert code == 0
    assert [(row["answer_id"], row["version"], row["status"]) for row in read_run_table(folder, "verdicts")] == [
        ("after", "2", "unjudged"),
        ("before", "1", "judged"),
    ]


def test_one_worker_in_memory_unless_told_otherwise():
    plain = pipeline_options(()).view_as(DirectOptions)
    assert (plain.direct_running_mode, plain.direct_num_workers) == ("in_memory", 1)
    told = pipeline_options(("--direct_running_mode=multi_processing", "--direct_num_workers=3")).view_as(DirectOptions)
    assert (told.direct_running_mode, told.direct_num_workers) == ("multi_processing", 3)
    assert pipeline_options(("--runner=DataflowRunner",)).view_as(StandardOptions).runner == "DataflowRunner"
