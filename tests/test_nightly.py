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
from builders import answer, checker_folder, evidence, utc, verdict
from test_judging import FakeHandler

from pipelines import nightly
from pipelines.manifest import identities
from pipelines.nightly import pipeline_options, run_nightly
from pipelines.options import NightlyConfig, UsageError
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.claims import FAMILIES
from schemas.evidence import Evidence
from schemas.types import to_table
from schemas.verdicts import EDGE_STATUSES
from transforms.edges import resolve_citations
from transforms.entailment import WindowToJudge
from transforms.evidence import BrokenEvidence, join_edge, older_versions, version_as_of
from transforms.exposure import Stated, are_siblings, sibling_keys
from transforms.families import families_of
from transforms.joint import span_key
from transforms.judging import JudgedPair, PairVerdict, decide, finish_verdict
from transforms.metrics import score_answer
from transforms.premises import PendingEdge, Premise, pair_of, pending_verdict, widen_premises
from transforms.propositions import split_answer
from transforms.questions import Reply, context_of
from transforms.slicing import slices_of

THRESHOLDS = {"sentence": 0.5, "window": 0.5}


@pytest.fixture
def fake_checker(monkeypatch, tmp_path):
    """A checker folder that says nothing, and a handler that matches words: fast, for everything that no model decides."""
    monkeypatch.setattr(nightly, "EntailmentHandler", lambda config, locate: FakeHandler())
    return checker_folder(tmp_path / "checker")


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
        **{"max_unjudged": 1, "max_rejected": 1, **options},
    )
    return run_nightly(config), Path(config.folder)


def statuses(folder):
    return Counter(row["status"] for row in read_run_table(folder, "verdicts") if not row["joint"])


def ratios(folder):
    return {
        (row["family"], row["metric"]): (row["value"], row["n"])
        for row in read_run_table(folder, "aggregates")
        if row["average"] == "micro" and row["slice"] == "all"
    }


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
        "answers.parsed": 5,
        "answers.evaluated": 2,
        "answers.empty": 1,
        "answers.no_claims": 1,
        "answers.abstained": 1,
    }
    assert statuses(folder) == {"judged": 2, "dangling": 1, "abstained": 1}
    values = ratios(folder)
    assert values["all", "citation_precision"] == (0.333333, 3)
    assert values["all", "citation_recall"] == (0.333333, 3)
    assert values["all", "completeness"] == (0.666667, 3)
    assert values["scope", "edge_precision"] == (None, 0)
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
    assert len(first) == 6


@pytest.mark.parametrize("seed", range(3))
def test_the_job_equals_a_direct_computation(tmp_path, fake_checker, seed):
    answers, rows = random_log(random.Random(seed), 150)
    slices = (("product",), ("product", "build"))
    code, folder = run(tmp_path, fake_checker, answers, rows, slices=slices, as_of=NOW)
    assert code == 0
    expected = direct_ratios(answers, rows, slices)
    found = {
        (row["slice"], row["family"], row["metric"]): (round((row["value"] or 0) * row["n"]), row["n"])
        for row in read_run_table(folder, "aggregates")
        if row["average"] == "micro"
    }
    assert {key: ratio for key, ratio in found.items() if ratio[1]} == expected
    assert set(statuses(folder)) == set(EDGE_STATUSES)


FACTS = [
    f"{thing} {verb} for {days} days"
    for thing in ("Logs are", "Exports are", "EU backups must be")
    for verb in ("kept", "not kept")
    for days in (7, 30)
]


def random_log(rng, n):
    """Answers by marker and by structured claim over evidence in every state, several versions valid at once among them."""
    rows = []
    for i, fact in enumerate(FACTS):
        readers = rng.choice([None, None, ["legal"], ["sales"]])
        source = {
            "source_type": rng.choice([None, "primary", "secondary"]),
            "statement_kind": rng.choice([None, "norm", "measured"]),
        }
        text = rng.choice([f"{fact}.", f"Nothing. {fact}. More.", "", f"{fact} and a poison.", f"{fact.replace(' not', '')}."])
        rows.append(evidence(f"e{i}", text, version="1", valid_to=utc(2026, 2), principals=readers, **source))
        rows.append(evidence(f"e{i}", f"{rng.choice(FACTS)}.", version="2", valid_from=utc(2026, rng.choice([2, 3])), **source))
        if rng.random() < 0.3:
            rows.append(evidence(f"e{i}", f"{fact}.", version="3", valid_from=utc(2026, 2, 15)))
        if rng.random() < 0.2:
            rows.append(evidence(f"e{i}", "Broken.", version="4", valid_from=utc(2026, 2, 20), span_start=1, span_end=99))
    rows.append(evidence("poison", "This is a poison."))
    poisoned = answer("poisoned", citations=[DeclaredCitation("poison", marker="1")])
    return [poisoned, *(_random_answer(rng, f"a{i}") for i in range(n))], rows


def _random_answer(rng, answer_id):
    if rng.random() < 0.1:
        text = rng.choice(["The documents do not say [1].", "", "备份保留三十五天。[1] 导出保留七天。[2] 日志保留三十天。"])
        return answer(answer_id, text, citations=[DeclaredCitation("e0", "1"), DeclaredCitation("e1", "2")])
    ids = [f"e{i}" for i in range(len(FACTS) + 2)]
    moment = utc(2026, rng.choice([1, 2, 3]), rng.choice([1, 27]))
    picked = [(rng.choice(FACTS), rng.sample(ids, rng.randint(0, 3))) for _ in range(rng.randint(0, 4))]
    some = {
        "answered_at": moment,
        "retrieved": rng.choice([None, [], rng.sample(ids, 6)]),
        "principals": rng.choice([None, ["legal"]]),
        "build": rng.choice([None, "7", "8"]),
        "attributes": rng.choice([None, {"product": "logs"}, {"product": "exports"}]),
    }
    if rng.random() < 0.5:
        joined = [(fact if rng.random() < 0.5 else f"{fact} and {rng.choice(FACTS)}", cited) for fact, cited in picked]
        claims = [StructuredClaim(f"c{i}", fact, rng.random() < 0.8, cited) for i, (fact, cited) in enumerate(joined)]
        return answer(answer_id, ". ".join(fact for fact, _ in joined), citations=None, claims=claims, **some)
    declared = [_random_citation(rng, i, evidence_id) for i, evidence_id in enumerate(ids)]
    text = " ".join(f"{fact} {''.join(f'[{ids.index(e)}]' for e in cited)}." for fact, cited in picked)
    ranged = [DeclaredCitation("e3", answer_start=0, answer_end=9)] if text and rng.random() < 0.2 else []
    heading = "# Plans [3]\n\n" if rng.random() < 0.2 else ""
    return answer(answer_id, heading + text, citations=[*declared[:-1], *ranged], **some)


def _random_citation(rng, i, evidence_id):
    odd = {"version": "1"} if rng.random() < 0.1 else {"version": "9"} if rng.random() < 0.1 else {}
    return DeclaredCitation(evidence_id, marker=str(i), quote="no such words" if rng.random() < 0.1 else None, **odd)


NOW = utc(2026, 3, 27)


def direct_ratios(answers, rows, slices=()):
    """The same ratios in memory, without Beam and without its lazy questions: everything is asked wherever it could matter."""
    broken = [BrokenEvidence(one.evidence_id, one.version, "bad_span", one.valid_from) for one in rows if one.version == "4"]
    whole = [one for one in rows if one.version != "4"]
    exposed, sums = brute_force_exposure(whole), defaultdict(lambda: (0, 0))
    for one in answers:
        resolved, context = resolve_citations(split_answer(one)), context_of(one, slices_of(one, slices))
        claims = {claim.claim_id: claim._replace(families=families_of(claim.text)) for claim in resolved.claims}
        edges, replies = defaultdict(list), []
        for edge in resolved.edges:
            versions = sorted((row for row in whole if row.evidence_id == edge.evidence_id), key=lambda row: row.version)
            lost = [row for row in broken if row.evidence_id == edge.evidence_id]
            joined = join_edge(edge, versions, lost, NOW, incomplete=False)
            found = pending_verdict(joined._replace(exposed=exposed.get((edge.evidence_id, joined.version), ())), "test")
            if joined.status == "judged":
                found = verdict_of(edge.claim, widen_premises(joined.evidence, edge.claim), found)
            edges[edge.claim_id].append(found)
        for claim in claims.values():
            replies += direct_replies(context, claim, edges[claim.claim_id], whole)
        scored = score_answer(context, claims.values(), [edge for own in edges.values() for edge in own], replies)
        for name in ("all", *context.slices):
            for (family, metric), (above, below) in scored.ratios.items():
                so_far = sums[name, family, metric]
                sums[name, family, metric] = (so_far[0] + above, so_far[1] + below)
    return {key: ratio for key, ratio in sums.items() if ratio[1]}


def verdict_of(claim, premises, pending):
    handler, judged = FakeHandler(), None
    pair = pair_of(claim, premises)
    for i, premise in enumerate(pair.premises):
        window = handler._judge(WindowToJudge("p", i, premise.text, claim))
        entry = PairVerdict(i, window.probabilities, window.error)
        judged = entry if judged is None else decide(judged, entry)
    bounds = tuple((premise.start, premise.end) for premise in pair.premises)
    return finish_verdict(PendingEdge(pair.pair_id, pending, bounds), JudgedPair(pair, judged), THRESHOLDS, "fake")


def supports(claim, text):
    found = verdict_of(claim, (Premise(0, len(text), text),), verdict())
    return None if found.status == "unjudged" else found.supported


def direct_replies(context, claim, edges, rows):
    """What the checker says to every question about a claim: all its spans, all without one, other spans, older versions."""
    judged = {span_key(edge): edge for edge in edges if edge.status == "judged"}
    order = sorted(judged, key=lambda key: (claim.cited.index(key[0]), *key))
    texts = {(row.evidence_id, row.version): row.text for row in rows}
    if len(judged) > 1 and not any(edge.supported for edge in judged.values()):
        joined = " ".join(dict.fromkeys(texts[key].strip() for key in order))
        row = verdict_of(claim.text, (Premise(0, len(joined), joined),), verdict("+", claim.claim_id, label=None, joint=True))
        yield Reply("joint", "", claim.claim_id, "+", None, row.supported, row)
        for key in order if row.supported else []:
            rest = " ".join(dict.fromkeys(texts[other].strip() for other in order if other != key))
            yield Reply("without", "", claim.claim_id, *key, supports(claim.text, rest))
    others = [evidence_id for evidence_id in context.had if evidence_id not in claim.cited][:5]
    for evidence_id in others if not any(edge.supported for edge in edges) else []:
        found = version_as_of([row for row in rows if row.evidence_id == evidence_id], context.answered_at)
        readable = found and (found.principals is None or set(found.principals) & set(context.principals))
        if readable and found.text and any(supports(claim.text, one.text) for one in widen_premises(found, claim.text)):
            poison = any(supports(claim.text, one.text) is None for one in widen_premises(found, claim.text))
            yield Reply("elsewhere", "", claim.claim_id, evidence_id, found.version, None if poison else True)
    for key in judged if not any(edge.supported for edge in edges) else []:
        versions = [row for row in rows if row.evidence_id == key[0]]
        (own,) = [row for row in versions if row.version == key[1]]
        for row in older_versions(own, versions):
            readable = row.principals is None or set(row.principals) & set(context.principals)
            if readable and row.text and "poison" not in row.text and supports(claim.text, row.text):
                yield Reply("older", "", claim.claim_id, key[0], row.version, supported=True)


def brute_force_exposure(rows):
    stated = [(key, one) for one in rows for key in sibling_keys(one)]
    exposed = defaultdict(set)
    for key, one in stated:
        if any(key[:2] == other[:2] and are_siblings(said(key, one), said(other, row)) for other, row in stated):
            exposed[one.evidence_id, one.version].add(key.family)
    return {row: tuple(family for family in FAMILIES if family in found) for row, found in exposed.items()}


def said(key, row):
    return Stated(key.values, row.evidence_id, row.doc_id, row.version, row.valid_from, row.valid_to)


def test_a_poison_pair_is_unjudged_and_the_rest_is_scored(tmp_path, fake_checker):
    rows = [evidence(), evidence("bad", "This passage is poison.")]
    answers = [answer("a1"), answer("a2", citations=[DeclaredCitation("bad", marker="1")])]
    code, folder = run(tmp_path, fake_checker, answers, rows)
    assert code == 0
    assert statuses(folder) == {"judged": 1, "unjudged": 1}
    values = ratios(folder)
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
    found = identities({"answers.read": 2, "answers.evaluated": 1}, {})
    assert [one.holds for one in found] == [False] + [True] * 9 + [False, True]


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
