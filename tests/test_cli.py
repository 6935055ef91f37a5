"""The command line as a user meets it: files in, files out, exit codes, errors that name file and field."""

from __future__ import annotations

import argparse
import difflib
import json
import re
from dataclasses import fields
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from builders import answer, checker_folder, evidence
from test_nightly import fake_checker, run  # noqa: F401 (a fixture)

from cases.suite import load_suite
from pipelines.__main__ import _parser, main
from pipelines.options import NightlyConfig, UsageError, utc_time
from pipelines.report import write_report
from pipelines.runs import read_manifest, read_run_table
from pipelines.validation import ValidateConfig
from schemas.evidence import Evidence
from schemas.types import to_table
from transforms.checkers import checker_name
from transforms.support import KINDS, PARTS, Calibration, Features, Fit

TEXT = "Logs are kept for 30 days [1][2]. Shall I go on?"
NIGHTLY = ["nightly", "--answers", "none.parquet", "--evidence", "none.parquet", "--output", "out"]


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_split(tmp_path):
    source = jsonl(
        tmp_path / "in.jsonl", {"id": "a", "text": "Logs are kept for 30 days [1][2]. Shall I go on?"}, {"id": "b", "text": ""}
    )
    assert main(["split", "--input", source, "--output", str(tmp_path / "out.jsonl")]) == 0
    assert read(tmp_path / "out.jsonl") == [
        {
            "id": "a",
            "propositions": [
                {
                    "text": "Logs are kept for 30 days",
                    "start": 0,
                    "end": 33,
                    "spans": [[0, 26], [32, 33]],
                    "inherited": [],
                    "heading": None,
                    "citations": ["1", "2"],
                    "requires_evidence": True,
                    "reason": None,
                },
                {
                    "text": "Shall I go on",
                    "start": 34,
                    "end": 48,
                    "spans": [[34, 48]],
                    "inherited": [],
                    "heading": None,
                    "citations": [],
                    "requires_evidence": False,
                    "reason": "question",
                },
            ],
        },
        {"id": "b", "propositions": []},
    ]


def test_split_knows_the_grammars_it_is_told(tmp_path, capsys):
    source = jsonl(
        tmp_path / "in.jsonl", {"id": "a", "text": "# Plans\n\nLogs are kept for 30 days [1] ([policy](https://x.example))."}
    )
    output = str(tmp_path / "out.jsonl")
    assert main(["split", "--input", source, "--output", output, "--markers", "numeric"]) == 0
    (claim,) = read(tmp_path / "out.jsonl")[0]["propositions"]
    assert (claim["citations"], claim["heading"]) == (["1"], "Plans")
    assert main(["split", "--input", source, "--output", output, "--markers", "numeric,roman"]) == 2
    assert "unknown marker grammars: roman; choose from numeric, superscript" in capsys.readouterr().err


@pytest.mark.model
def test_judge_keeps_the_order_of_the_input(tmp_path):
    rows = [
        {"id": "long", "premise": "The shop in Riga opens at nine. " * 5, "hypothesis": "The shop opens at nine"},
        {"id": "short", "premise": "It rains.", "hypothesis": "The pump is made of steel"},
        {"id": "long", "premise": "A dog sleeps on the sofa.", "hypothesis": "An animal is sleeping"},
    ]
    assert main(["judge", "--pairs", jsonl(tmp_path / "in.jsonl", *rows), "--output", str(tmp_path / "out.jsonl")]) == 0
    found = read(tmp_path / "out.jsonl")
    assert [row["id"] for row in found] == ["long", "short", "long"]
    assert [row["supported"] for row in found] == [True, False, True]
    scores = {"p_entailment", "p_neutral", "p_contradiction", "supported"}
    assert set(found[0]) == {"id", "label", *scores, "premise_start", "premise_end", "n_windows"}
    assert [row["n_windows"] for row in found] == [12, 1, 1]
    start, end = found[0]["premise_start"], found[0]["premise_end"]
    assert rows[0]["premise"][start:end].startswith("The shop in Riga opens at nine.")
    assert all(abs(row["p_entailment"] + row["p_neutral"] + row["p_contradiction"] - 1) < 2e-4 for row in found)


@pytest.mark.model
def test_judge_takes_premises_whole_when_told_to(tmp_path):
    row = {"id": "a", "premise": "It rains. The shop opens at nine.", "hypothesis": "The shop opens at nine"}
    assert main(["judge", "--whole", "--pairs", jsonl(tmp_path / "in.jsonl", row), "--output", str(tmp_path / "out.jsonl")]) == 0
    found = read(tmp_path / "out.jsonl")[0]
    assert (found["premise_start"], found["premise_end"], found["n_windows"]) == (0, len(row["premise"]), 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}\n", "in.jsonl, line 1: field 'id' must be a string, found None"),
        ('{"id": "a", "premise": 3, "hypothesis": "h"}\n', "in.jsonl, line 1: field 'premise' must be a string, found 3"),
        ("\nnot json\n", "in.jsonl, line 2 is not JSON"),
        ("[1]\n", "in.jsonl, line 1 is not an object"),
        ("", "in.jsonl holds no rows"),
    ],
)
def test_bad_rows_are_named(tmp_path, capsys, content, message):
    (tmp_path / "in.jsonl").write_text(content)
    assert main(["judge", "--pairs", str(tmp_path / "in.jsonl"), "--output", str(tmp_path / "out.jsonl")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nightly", "--answers", "none.parquet", "--evidence", "none.parquet", "--output", "out"],
            "no answers file matches 'none.parquet'",
        ),
        (
            ["nightly", "--answers", "a", "--evidence", "e", "--output", "out", "--checker", "nowhere"],
            "no such checker folder: 'nowhere'",
        ),
        ([*NIGHTLY, "--as-of", "soon"], "not a time: 'soon'"),
        ([*NIGHTLY, "--without", "attributes,words"], "unknown parts: words; choose from attributes, coverage"),
        (
            ["judge", "--pairs", "a", "--output", "b", "--without", "model"],
            "unknown parts: model; choose from attributes, coverage",
        ),
        ([*NIGHTLY, "--shards", "0"], "--shards must be at least 1: 0"),
        (["judge", "--pairs", "none.jsonl", "--output", "out.jsonl"], "cannot read none.jsonl"),
        (["report", "--run", "nowhere"], "not a finished run: nowhere"),
    ],
)
def test_usage_errors_are_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_line_separators_inside_a_text_do_not_cut_it(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "One\u2028two."}\n', encoding="utf-8")
    assert main(["split", "--input", str(tmp_path / "in.jsonl"), "--output", str(tmp_path / "out.jsonl")]) == 0
    assert len(read(tmp_path / "out.jsonl")) == 1


def test_a_glob_that_the_shell_expanded_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["nightly", "--answers", "a-1.parquet", "a-2.parquet", "--evidence", "e", "--output", "out"])
    assert "unrecognized arguments: a-2.parquet; quote a glob" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("labels", "message"), [('{"0": "LABEL_0"}', "means nothing here: 'LABEL_0'"), ('{"0": "neutral"}', "no entailment label")]
)
def test_a_checker_that_cannot_judge_is_refused_before_anything_runs(tmp_path, capsys, labels, message):
    checker_folder(tmp_path)
    (tmp_path / "config.json").write_text(f'{{"id2label": {labels}}}')
    assert main([*NIGHTLY, "--checker", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_a_run_names_its_calibration_and_is_refused_a_broken_one(tmp_path, fake_checker):  # noqa: F811
    fits = {
        (kind, parts): Fit(0, Features(0.5 if parts else 1, 0, 0, 0, 0), 0.7 if kind == "window" else 0.8)
        for kind in KINDS
        for parts in ((), ("attributes",), ("coverage",), PARTS)
    }
    path = Calibration(fits, fitted_on=("one set",)).write(fake_checker)
    plain = checker_name(fake_checker)
    named = Calibration(fits).named(plain)
    code, folder = run(tmp_path, fake_checker, [answer()], [evidence()], without=("attributes",))
    manifest, (row,) = read_manifest(folder), read_run_table(folder, "verdicts")
    assert code == 0
    assert (manifest["thresholds"], manifest["parts"]) == ({"sentence": 0.8, "window": 0.7}, ["coverage"])
    assert (manifest["checker"], manifest["calibrated_on"]) == (named, ["one set"])
    assert (row["checker"], row["p_entailment"], row["threshold"], row["supported"]) == (named, 0.75, 0.8, False)
    assert "supported from 0.8 (sentence), 0.7 (window)" in Path(write_report(folder)).read_text(encoding="utf-8")
    without = NightlyConfig("a", "e", "out", "one", fake_checker, without=PARTS).calibration
    assert (without.parts, without.named(plain)) == ((), plain)
    path.write_text("{}")
    with pytest.raises(UsageError, match=r"calibration\.json: the content lacks the field 'fits'; fit the calibration again"):
        NightlyConfig("a", "e", "out", "one", fake_checker)


def test_a_run_id_is_a_folder_name_and_times_are_utc():
    with pytest.raises(UsageError, match="a run id names a folder"):
        NightlyConfig("a", "e", "out", "../up")
    assert utc_time("2026-01-02T01:00:00+01:00").isoformat() == "2026-01-02T00:00:00+00:00"


def test_every_string_in_the_report_is_escaped_and_script_links_stay_text(tmp_path, fake_checker):  # noqa: F811
    planted = "<script>alert(1)</script>"
    answers = [answer(text=f"Logs {planted} are kept [1].", question=planted)]
    rows = [evidence(text=f"{planted} is a passage.", uri="javascript:alert(2)", context=planted)]
    _, folder = run(tmp_path, fake_checker, answers, rows)
    page = Path(write_report(folder)).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert re.findall(r'href="?([^">]*)', page.split("</head>")[1]) == ["data_docs/index.html"]


def test_mining_writes_cases_that_the_suite_reads(tmp_path, capsys):
    texts = (
        "Audit logs in us-east-1 are kept for 30 days.",
        "Audit logs in eu-central-1 are kept for 7 days.",
        "Receipts are deleted at once.",
    )
    rows = [evidence(f"ret-{i}", text) for i, text in enumerate(texts)]
    pq.write_table(to_table(Evidence, rows), tmp_path / "evidence.parquet")
    arguments = ["mine", "--evidence", str(tmp_path / "evidence.parquet"), "--output", str(tmp_path / "mined")]
    assert main(arguments) == 0
    assert "1 proposals, 1 of them as cases to review" in capsys.readouterr().out
    assert [(case.variant, case.origin) for case in load_suite(tmp_path / "mined")] == [
        ("both-present", "mined"),
        ("true-absent", "mined"),
    ]
    assert main(arguments) == 2
    assert "holds cases already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("mixture", "message"),
    [
        ("- {sets: [", "not YAML"),
        ("- {sets: {a: 1}, sead: 3}", "unknown field 'sead'"),
        ("- {sets: {pumps: 3}}", "the mixture names a set that is not there"),
        ("- {sets: {}, near_misses: {from: [pumps], rows: 3}}", "the mixture names a set that is not there"),
    ],
)
def test_training_is_refused_before_it_starts(tmp_path, capsys, mixture, message):
    (tmp_path / "mixture.yaml").write_text(mixture, encoding="utf-8")
    options = ["--data", str(tmp_path), "--base", str(tmp_path), "--output", str(tmp_path / "out")]
    assert main(["train", *options, "--mixture", str(tmp_path / "mixture.yaml")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("command", "config"),
    [("nightly", NightlyConfig), ("validate", ValidateConfig)],
)
def test_every_field_of_a_configuration_has_an_option(command, config):
    options = _parser().parse_args([command, "--answers", "a", "--evidence", "e", "--output", "o"])
    others = {"started_at", "beam_args"} | ({"slices", "record"} if config is NightlyConfig else set())
    assert {one.name for one in fields(config)} - set(vars(options)) == others


def test_an_option_that_is_nearly_one_of_ours_does_not_go_to_beam(capsys):
    for option in ("--redakt", "--expectation=own.json", "--verdict_store"):
        with pytest.raises(SystemExit) as exit_:
            main([*NIGHTLY, option])
        assert exit_.value.code == 2
        assert f"unrecognized arguments: {option.partition('=')[0]}; did you mean --" in capsys.readouterr().err
    assert main([*NIGHTLY, "--runner=FnApiRunner", "--temp_location=gs://bucket/temp"]) == 2
    assert "unrecognized" not in capsys.readouterr().err


def test_no_option_of_beam_is_nearly_one_of_ours():
    ours = [f"--{name.replace('_', '-')}" for name in vars(_parser().parse_args(NIGHTLY))]
    every = argparse.ArgumentParser(add_help=False, conflict_handler="resolve")
    for group in PipelineOptions.__subclasses__():
        group._add_argparse_args(every)
    beams = [option for action in every._actions for option in action.option_strings]
    assert len(beams) > 100
    assert {name: near for name in beams if (near := difflib.get_close_matches(name, ours, n=1, cutoff=0.8))} == {}
