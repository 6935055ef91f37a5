"""A step that runs twice writes once, and a run that is started again leaves nothing of the one before."""

from __future__ import annotations

import pytest
from builders import answer, evidence
from test_nightly import fake_checker, run  # noqa: F401 (a fixture)

from pipelines import nightly
from pipelines.manifest import Gate, pass_gate
from pipelines.options import NightlyConfig, UsageError
from pipelines.runs import read_manifest, read_run_table
from schemas.rejects import Reject
from transforms.tables import WriteTable


def test_a_shard_that_is_written_twice_is_there_once(tmp_path):
    table = WriteTable(Reject, str(tmp_path), "rejects", key=lambda row: (row.step, row.record_id))
    rows = [Reject("answers", "contract", "no", "f", str(i), None) for i in range(3)]
    first, second = table._write((0, [*rows, None])), table._write((0, rows[::-1]))
    assert first == second
    assert [path.name for path in tmp_path.iterdir()] == ["rejects-00000-of-00001.parquet"]


def test_a_gate_that_is_passed_twice_passes_once(tmp_path):
    manifest = {"counts": {"answers.evaluated": 1, "evidence.kept": 1}, "identities": []}
    for _ in range(2):
        assert pass_gate(manifest, str(tmp_path), Gate()) == str(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["_SUCCESS"]


def test_a_run_of_the_same_id_is_refused_while_the_first_is_at_work(tmp_path, fake_checker):  # noqa: F811
    config = NightlyConfig("a", "e", str(tmp_path), "one", fake_checker)
    nightly._prepare_folder(config)
    with pytest.raises(UsageError, match="or --overwrite when no run is at work"):
        nightly._prepare_folder(config)


@pytest.mark.parametrize("beam_args", [("--runner=Foo",), ("--runner", "Foo")])
def test_a_runner_that_is_none_costs_no_run(tmp_path, fake_checker, beam_args):  # noqa: F811
    _, folder = run(tmp_path, fake_checker, [answer()], [evidence()])
    with pytest.raises(UsageError, match="no such runner: --runner"):
        run(tmp_path, fake_checker, [answer()], [evidence()], overwrite=True, beam_args=beam_args)
    assert (folder / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"verdict_store": "store", "checker": "hub/checker", "hub": True},
            "--verdict-store needs a checker folder, not the hub id",
        ),
        ({"run_id": "o*"}, "a run id names a folder: 'o\\*'"),
        ({"run_id": "on?"}, "a run id names a folder"),
        ({"run_id": "../one"}, "a run id names a folder"),
        ({"output": "run[1]"}, r"--output is one folder: 'run\[1\]'; choose a name without \[ \]"),
        ({"verdict_store": "st*re"}, "--verdict-store is one folder"),
    ],
)
def test_a_name_that_would_match_other_folders_is_refused(fake_checker, options, message):  # noqa: F811
    with pytest.raises(UsageError, match=message):
        NightlyConfig(**{"answers": "a", "evidence": "e", "output": "o", "run_id": "one", "checker": fake_checker, **options})


def test_a_run_of_the_same_id_is_refused_and_replaced_only_when_told(tmp_path, fake_checker):  # noqa: F811
    _, folder = run(tmp_path, fake_checker, [answer("a1"), answer("a2")], [evidence()], shards=3)
    (folder / "report.html").write_text("old")
    with pytest.raises(UsageError, match="the run directory exists already"):
        run(tmp_path, fake_checker, [answer("a1")], [evidence()])
    _, folder = run(tmp_path, fake_checker, [answer("a1")], [evidence()], overwrite=True)
    tables = sorted(path.name for path in folder.glob("*.parquet"))
    assert tables == sorted(file["name"] for file in read_manifest(folder)["files"])
    assert all(name.endswith("-of-00001.parquet") for name in tables)
    assert [row["answer_id"] for row in read_run_table(folder, "claims")] == ["a1"]
    assert not (folder / "report.html").exists()
