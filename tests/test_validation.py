"""Contracts from end to end: severities, a user's own expectations, our own tables, and what a person gets to see of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import answer, claim, evidence, utc
from markupsafe import escape
from test_nightly import fake_checker, run, write

from pipelines import nightly
from pipelines import validation as validation_module
from pipelines.__main__ import main
from pipelines.data_docs import render_data_docs, write_data_docs
from pipelines.manifest import Gate, gate_reasons
from pipelines.options import NightlyConfig, RunBroken, UsageError
from pipelines.report import write_report
from pipelines.runs import read_manifest
from pipelines.validation import ValidateConfig, outcome, run_validation
from schemas.answers import Answer
from schemas.claims import Claim
from schemas.contract import contract, contracts
from schemas.evidence import Evidence
from schemas.expectations import Expectation
from schemas.types import to_table
from transforms.column_types import tally_types
from transforms.output_contract import CheckOutputs
from transforms.suites import run_suite
from transforms.tables import WrittenFile
from transforms.tallies import Tally, add_tallies, unmet, validation
from transforms.user_suite import read_user_suite

__all__ = ["fake_checker"]
SCRIPT = "<script>alert(1)</script>"


def user_file(tmp_path, content):
    path = tmp_path / "own.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def own(kind="ExpectColumnValueLengthsToBeBetween", column="question", **settings):
    return {"expectation": kind, "column": column, **settings}


def named(tallies, held):
    """Tallies of expectations that were not met, by name."""
    suites = {suite.name: suite for one in held.values() for suite in one.suites}
    found = [(suites[name].expectations[i], tally) for (name, i), tally in tallies]
    return sorted((one.kind, one.column, tally.evaluated, tally.unexpected) for one, tally in found if tally.unexpected)


def test_tallies_add_up_and_mostly_is_of_the_whole():
    held = contract("answers", added={"answers": [Expectation("ExpectColumnValuesToNotBeNull", {"column": "build"}, "warn", 0.9)]})
    key = ("answers", len(held.suites[0].expectations) - 1)
    merged = add_tallies([Tally(5, 1, ("answer_id='b'",)), Tally(5, 0)])
    result = validation(held.suites, [(key, merged)])[0]
    assert result["success"] is True
    assert result["results"][-1] == {
        "expectation": "ExpectColumnValuesToNotBeNull",
        "column": "build",
        "arguments": {"column": "build"},
        "severity": "warn",
        "mostly": 0.9,
        "decided_by": "values",
        "declared": True,
        "evaluated": 10,
        "unexpected": 1,
        "success": True,
        "examples": ["answer_id='b'"],
    }
    worse = validation(held.suites, [(key, add_tallies([merged, Tally(0, 1)]))])
    assert [one["message"] for one in unmet(worse, "warn")] == [
        "answers: 2 of 10 values of build break ExpectColumnValuesToNotBeNull (0.9 of them have to be good); see answer_id='b'"
    ]


def test_types_are_the_files_and_nested_ones_count():
    table = to_table(Answer, [answer()]).drop_columns(["question"])
    table = table.set_column(1, "answered_at", pa.array([utc(2026)], pa.timestamp("us")))
    table = table.set_column(3, "citations", pa.array([[{"evidence_id": 1}]]))
    held = contract("answers")
    assert named(tally_types(table.schema, 1, held), {"answers": held}) == [
        ("ExpectColumnValuesToBeOfType", "answered_at", 1, 1),
        ("ExpectColumnValuesToBeOfType", "citations", 1, 1),
        ("ExpectColumnValuesToBeOfType", "question", 1, 1),
    ]


def test_what_cannot_be_evaluated_never_passes():
    frame = to_table(Evidence, [evidence()]).select(["text"]).to_pandas()
    expectation = Expectation("ExpectColumnValuesToBeBetween", {"column": "text", "min_value": 1})
    with pytest.raises(RuntimeError, match="evidence: ExpectColumnValuesToBeBetween of text cannot be evaluated: "):
        run_suite(frame, "evidence", [expectation])


def test_every_fault_of_a_users_file_is_named_at_once(tmp_path):
    entries = [
        1,
        own("ExpectColumnMeanToBeBetween"),
        own("ExpectColumnValuesToBeInSe"),
        own("ExpectColumnValuesToBeInSet", "quest", value_sets=[1], severity="bad", mostly=2),
        own("ExpectColumnValuesToBeInSet", "build"),
        own("ExpectColumnValuesToMatchRegex", regex="("),
        own("ExpectColumnValuesToNotBeNull", mostly=0.5, severity="reject"),
        own("ExpectColumnValuesToBeUnique", "build"),
        own("ExpectColumnValuesToNotBeNull", "attributes", severity="stop"),
    ]
    content = {"answer": [], "answers": entries, "claims": [own("ExpectColumnValuesToNotBeNull", "text", severity="reject")]}
    with pytest.raises(ValueError, match=r"own\.json") as raised:
        read_user_suite(user_file(tmp_path, content))
    told = str(raised.value).replace(f"{tmp_path}/", "").splitlines()
    columns = "answer_id, answered_at, question, answer, citations, claims, retrieved, build, principals"
    lengths = "answer_id_length, question_length, answer_length, build_length"
    assert told == [
        "own.json: unknown table 'answer'; did you mean 'answers'?",
        'own.json: answers[0]: an object with an "expectation" is needed: 1; '
        'write {"expectation": "ExpectColumnValuesToBeInSet", ...}',
        "own.json: answers[1]: ExpectColumnMeanToBeBetween cannot be used: it says something of a table, not of each row, and a "
        "batch sees a part of it; use one that holds row by row",
        "own.json: answers[2]: unknown expectation 'ExpectColumnValuesToBeInSe'; did you mean 'ExpectColumnValuesToBeInSet'?",
        "own.json: answers[3]: unknown severity 'bad'; choose from reject, warn, stop",
        "own.json: answers[3]: mostly is a share above 0, up to 1: 2; write 0.99",
        "own.json: answers[3]: ExpectColumnValuesToBeInSet has no argument 'value_sets'; did you mean 'value_set'?",
        "own.json: answers[3]: unknown column 'quest'; did you mean 'question'?",
        "own.json: answers[4]: ExpectColumnValuesToBeInSet cannot be built: value_set: field required; mend it",
        "own.json: answers[5]: ExpectColumnValuesToMatchRegex of question cannot be evaluated: Invalid regular expression: "
        "missing ): (; mend its arguments",
        "own.json: answers[6]: mostly 0.5 cannot reject: whether it holds shows when all rows are read; make its severity warn or "
        "stop",
        "own.json: answers[7]: ExpectColumnValuesToBeUnique cannot be used: a batch does not see the whole table; keys are "
        "declared unique, and counted over all of it",
        f"own.json: answers[8]: unknown column 'attributes'; choose from {columns}, {lengths}",
        "own.json: claims[0]: rows of claims cannot be rejected: they are the run's own; make the severity warn or stop",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "own.json: not JSON: Expecting property name"),
        ("[]", "own.json: an object of lists by table is needed, not list"),
        ('{"answers": [], "answers": []}', "'answers' occurs more than once in one object"),
    ],
)
def test_a_users_file_that_is_no_suite_is_a_usage_error(tmp_path, content, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        ValidateConfig("a", "e", "o", user_file(tmp_path, content))


def test_times_of_a_user_are_utc_and_the_frames_are_too(tmp_path):
    entry = own("ExpectColumnValuesToBeBetween", "answered_at", min_value="2026-01-01T01:00:00+01:00", max_value="2026-06-01")
    read = read_user_suite(user_file(tmp_path, {"answers": [entry]}))["answers"][0]
    assert read.arguments == {"column": "answered_at", "min_value": utc(2026), "max_value": utc(2026, 6)}


def test_severities_of_the_validate_command(tmp_path, capsys):
    answers = [answer(f"a{i}", question="" if i < 2 else "How long?") for i in range(20)]
    late = [answer("late", answered_at=utc(2999)), answer("twice"), answer("twice"), answer(f"bad {SCRIPT}", question="x" * 99)]
    paths = {
        "answers": write(tmp_path / "answers.parquet", Answer, [*answers, *late]),
        "evidence": write(tmp_path / "evidence.parquet", Evidence, [evidence(), evidence("e2", uri="ftp://x")]),
    }
    expectations = {
        "answers": [own(max_value=50, severity="reject"), own(min_value=1, mostly=0.9), own(min_value=1, mostly=0.95)],
        "evidence": [own("ExpectColumnValuesToMatchRegex", "uri", regex="^https?:", severity="stop")],
    }
    output = tmp_path / "validated"
    arguments = ["validate", "--answers", paths["answers"], "--evidence", paths["evidence"], "--output", str(output)]
    assert main([*arguments, "--expectations", user_file(tmp_path, expectations)]) == 3
    unmet_ones = [
        (suite["suite"], one["expectation"], one["column"], one["severity"], one["evaluated"], one["unexpected"], one["examples"])
        for suite in json.loads((output / "validation.json").read_text())
        for one in suite["results"]
        if not one["success"]
    ]
    lengths = "ExpectColumnValueLengthsToBeBetween"
    assert unmet_ones == [
        ("answers", "ExpectColumnValuesToBeUnique", "answer_id", "reject", 23, 1, ["answer_id='twice'"]),
        (
            "answers",
            "ExpectColumnValuesToBeBetween",
            "answered_at",
            "warn",
            24,
            1,
            ["answer_id='late': answered_at=2999-01-01 00:00:00Z"],
        ),
        ("answers", lengths, "question", "reject", 24, 1, [f"answer_id='bad {SCRIPT}'"]),
        ("answers", lengths, "question", "warn", 24, 2, ["answer_id='a0'", "answer_id='a1'"]),
        ("evidence", "ExpectColumnValuesToMatchRegex", "uri", "stop", 1, 1, ["evidence_id='e2', version='1'"]),
    ]
    rejects = pq.read_table(output / "rejects-00000-of-00001.parquet").to_pylist()
    assert [(row["reason"], row["record_id"]) for row in rejects] == [("contract", f"bad {SCRIPT}"), ("duplicate_answer", "twice")]
    assert "question must keep your ExpectColumnValueLengthsToBeBetween: question='xxx" in rejects[0]["message"]
    assert "answers: 1 rows rejected, contract" in capsys.readouterr().out
    pages = {path.name: path.read_text(encoding="utf-8") for path in (output / "data_docs").iterdir()}
    assert sorted(pages) == ["answers.citations.html", "answers.claims.html", "answers.html", "evidence.html", "index.html"]
    assert "bad &lt;script&gt;alert(1)" in pages["answers.html"]
    assert "question" not in "".join(re.findall("xxx+", "".join(pages.values())))
    assert main(arguments) == 2
    assert "holds validation results already" in capsys.readouterr().err


def test_a_validation_can_be_redacted_and_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARMISS_REDACT_KEY", "a key for tests, long enough")
    paths = [
        write(tmp_path / "a.parquet", Answer, [answer(), answer("ada@example.org", question="ada@example.org?")]),
        write(tmp_path / "e.parquet", Evidence, [evidence()]),
    ]
    # A pattern with a group is as good as one without.
    expectations = {"answers": [own("ExpectColumnValuesToMatchRegex", regex="^(How|Why)", severity="reject")]}
    (tmp_path / "redact.yaml").write_text("patterns: [email]\nfields: [answer_id]\n")
    output = tmp_path / "out"
    options = {"expectations": user_file(tmp_path, expectations), "redact": str(tmp_path / "redact.yaml")}
    assert run_validation(ValidateConfig(*paths, str(output), **options)) == 3
    write_data_docs(output)
    (reject,) = pq.read_table(output / "rejects-00000-of-00001.parquet").to_pylist()
    assert reject["record_id"].startswith("<answer_id:")
    assert "<email:" in reject["record"]
    written = b"".join(path.read_bytes() for path in output.rglob("*") if path.is_file())
    assert b"ada@" not in written
    # A second try that breaks off leaves no results that could be taken for its own.
    monkeypatch.setattr(validation_module, "_write", _no_space)
    with pytest.raises(RunBroken):
        run_validation(ValidateConfig(*paths, str(output), overwrite=True))
    assert not (output / "validation.json").exists()


def test_an_output_below_a_file_is_a_usage_error(tmp_path):
    (tmp_path / "file").touch()
    paths = [
        write(tmp_path / "a.parquet", Answer, [answer()]),
        write(tmp_path / "e.parquet", Evidence, [evidence()]),
    ]
    with pytest.raises(UsageError, match=r"cannot write .*file/out: .*; give another --output"):
        run_validation(ValidateConfig(*paths, str(tmp_path / "file" / "out")))


def _no_space(*_):
    raise OSError(28, "No space left on device")


def test_good_input_passes_and_copies_are_no_fault(tmp_path):
    paths = [
        write(tmp_path / "a.parquet", Answer, [answer(), answer()]),
        write(tmp_path / "e.parquet", Evidence, [evidence()]),
    ]
    config = ValidateConfig(*paths, str(tmp_path / "out"))
    assert run_validation(config) == 0


def test_a_row_group_of_two_hundred_thousand_rows(tmp_path):
    answers = [answer(f"a{i}", "") for i in range(200_000)]
    answers[100_000] = answer("a0", "")
    paths = [write(tmp_path / "a.parquet", Answer, answers), write(tmp_path / "e.parquet", Evidence, [evidence()])]
    assert pq.ParquetFile(paths[0]).num_row_groups == 1
    output = tmp_path / "out"
    assert run_validation(ValidateConfig(*paths, str(output))) == 0
    (suite, *_) = json.loads((output / "validation.json").read_text())
    (unique,) = [one for one in suite["results"] if one["decided_by"] == "aggregate"]
    assert (unique["evaluated"], unique["unexpected"], unique["examples"]) == (200_000, 1, ["answer_id='a0'"])


def suites_with(**kept):
    """Validation results in which so many records of each table kept the contract."""
    suites = contracts(tables=kept).values()
    tallies = [
        ((one.table, i), Tally(kept[one.table], 0))
        for one in suites
        for i, expectation in enumerate(one.suites[0].expectations)
        if expectation.decided_by == "aggregate"
    ]
    return validation([suite for one in suites for suite in one.suites], tallies)


@pytest.mark.parametrize(
    ("kept", "rejected", "code"),
    [
        ({"answers": 1, "evidence": 1}, {}, 0),
        ({"answers": 1, "evidence": 0}, {}, 0),
        ({"answers": 0, "evidence": 1}, {}, 2),
        ({"answers": 1, "evidence": 0}, {"evidence": {"unreadable_file": 1}}, 2),
        ({"answers": 1, "evidence": 1}, {"answers": {"contract": 1}}, 3),
        ({"answers": 1, "evidence": 1}, {"answers": {"duplicate_answer": 1}}, 0),
        ({"answers": 1, "evidence": 1}, {"answers": {"conflicting_answer": 2}}, 3),
    ],
)
def test_exit_codes(kept, rejected, code):
    assert outcome(suites_with(**kept), rejected) == code


def test_our_own_tables_are_held_too(tmp_path):
    rows = [claim(), claim(), claim("c1", outcome="odd", start=9, end=3), claim("c2", families=[])]
    write(tmp_path / "claims.parquet", Claim, rows)
    held = {"claims": contract("claims")}
    with _TestPipeline() as pipeline:
        files = pipeline | beam.Create([WrittenFile("claims", "claims.parquet", 4, "")])
        tallies = files | CheckOutputs(str(tmp_path), held) | beam.CombinePerKey(add_tallies) | beam.combiners.ToList()
        assert_that(
            tallies | beam.FlatMap(named, held),
            equal_to(
                [
                    ("ExpectColumnPairValuesAToBeGreaterThanB", "end, start", 4, 1),
                    ("ExpectColumnValuesToBeInSet", "outcome", 1, 1),
                    ("ExpectCompoundColumnsToBeUnique", "answer_id, claim_id", 4, 2),
                ]
            ),
        )
    assert {one.severity for suite in held["claims"].suites for one in suite.expectations} == {"stop"}


@pytest.mark.parametrize(("declared", "kind"), [(True, "identity"), (False, "contract")])
def test_a_broken_promise_of_our_own_is_a_bug_and_a_users_stop_is_not(declared, kind):
    counts = {"answers.read": 1, "answers.evaluated": 1, "evidence.read": 1, "evidence.kept": 1}
    manifest = {"counts": counts, "identities": [], "stops": [{"declared": declared, "message": "claims: 1 of 2"}]}
    assert gate_reasons(manifest, Gate()) == [{"kind": kind, "message": "claims: 1 of 2"}]


def test_a_nightly_run_warns_and_stops(tmp_path, fake_checker):
    answers = [answer("a1"), answer("late", answered_at=utc(2999))]
    expectations = {
        "answers": [own(min_value=100, severity="warn")],
        "claims": [own("ExpectColumnValuesToMatchRegex", "text", regex="^Exports", severity="stop")],
    }
    code, folder = run(tmp_path, fake_checker, answers, [evidence()], expectations=user_file(tmp_path, expectations))
    assert code == 3
    manifest = read_manifest(folder)
    started = manifest["started_at"][:10]
    future, short = manifest["warnings"][-2:]
    assert future.startswith("answers: 1 of 2 values of answered_at break ExpectColumnValuesToBeBetween (max_value='" + started)
    assert future.endswith("; see answer_id='late': answered_at=2999-01-01 00:00:00Z")
    assert short == (
        "answers: 2 of 2 values of question break ExpectColumnValueLengthsToBeBetween (min_value=100); "
        "see answer_id='a1'; answer_id='late'"
    )
    stop = (
        "claims: 2 of 2 values of text break ExpectColumnValuesToMatchRegex (regex='^Exports'); "
        "see answer_id='a1', claim_id='c0'; answer_id='late', claim_id='c0'"
    )
    assert json.loads((folder / "_FAILED").read_text()) == [{"kind": "contract", "message": stop}]
    results = {suite["suite"]: suite for suite in json.loads((folder / "validation.json").read_text())}
    assert list(results) == [suite.name for one in contracts().values() for suite in one.suites]
    assert [name for name, suite in results.items() if not suite["success"]] == ["answers", "claims"]
    unique = [
        (name, one["evaluated"]) for name, suite in results.items() for one in suite["results"] if one["decided_by"] == "aggregate"
    ]
    rows = {file["table"]: file["rows"] for file in manifest["files"]}
    assert unique == [("answers", 2), ("evidence", 1), *((name, rows[name]) for name in ("claims", "aggregates", "flagged"))]
    assert write_data_docs(folder) == f"{folder}/data_docs/index.html"
    page = Path(write_report(folder)).read_text(encoding="utf-8")
    assert "This run failed: its numbers must not be believed." in page
    assert page.count(str(escape(stop))) == 2
    assert f"<li>warn: {escape(short)}</li>" in page
    assert 'href="data_docs/index.html"' in page
    config = NightlyConfig("a", "e", str(folder.parent), "one", fake_checker, overwrite=True)
    nightly._prepare_folder(config)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["_STARTED"]


def test_data_docs_load_nothing_and_run_nothing(tmp_path):
    kinds = [
        own("ExpectColumnValuesToMatchRegex", regex=re.escape(SCRIPT)),
        own("ExpectColumnValuesToBeInSet", value_set=[SCRIPT]),
        {
            "expectation": "ExpectColumnPairValuesToBeInSet",
            "column_A": "build",
            "column_B": "question",
            "value_pairs_set": [[SCRIPT, SCRIPT]],
        },
    ]
    held = contracts(utc(2026), read_user_suite(user_file(tmp_path, {"answers": kinds})))
    suites = [suite for one in held.values() for suite in one.suites]
    tallies = [((suite.name, i), Tally(3, 1, (SCRIPT,))) for suite in suites for i in range(len(suite.expectations))]
    pages = render_data_docs(validation(suites, tallies))
    assert list(pages) == ["index.html", *(suite.name + ".html" for suite in suites)]
    loading = re.compile(
        r"<script|<link(?! rel=\"icon\" href=\"data:,\")|<img|<iframe|\bsrc=|\bon\w+=|url\(|@import|https?:", re.IGNORECASE
    )
    assert {name: loading.findall(page) for name, page in pages.items()} == {name: [] for name in pages}
    assert {href for page in pages.values() for href in re.findall('href="([^"]*)"', page)} == {"data:,", *pages}
    assert all("&lt;script&gt;alert(1)&lt;/script&gt;" in page for page in pages.values())
    assert "values must belong to this set" in pages["answers.html"]
