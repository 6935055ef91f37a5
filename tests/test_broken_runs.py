"""Runs that break off: killed, out of disk, out of memory, with a broken checker. Nothing half-written is ever taken for a run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from builders import answer, evidence

from pipelines.options import UsageError, bundled_checker, check_checker
from schemas.answers import Answer
from schemas.evidence import Evidence
from schemas.types import to_table
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    answers = [answer(f"a{i}", f"Logs are kept for {i} days [1]. The office number {i} is in Riga [1].") for i in range(150)]
    pq.write_table(to_table(Answer, answers), folder / "answers.parquet")
    pq.write_table(to_table(Evidence, [evidence()]), folder / "evidence.parquet")
    return folder


def start(command, tables, output, *options):
    paths = ["--answers", str(tables / "answers.parquet"), "--evidence", str(tables / "evidence.parquet"), "--output", str(output)]
    arguments = [sys.executable, "-m", "pipelines", command, *paths, *options]
    return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def nightly(tables, output, *options):
    return start("nightly", tables, output, "--run-id", "r", "--threads", "1", *options)


def finished(process, seconds=240):
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out + err


def table_bytes(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "run=r").glob("*.parquet")}


def wait_for(condition, process, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail(f"the moment to break the run never came: {finished(process)}")


@pytest.fixture(scope="module")
def undisturbed(tables, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    code, told = finished(nightly(tables, folder))
    assert code == 0, told
    return table_bytes(folder)


def test_a_run_killed_while_it_writes_counts_for_nothing_and_can_be_started_again(tables, tmp_path, undisturbed):
    process = nightly(tables, tmp_path)
    wait_for(lambda: list(tmp_path.rglob("*.parquet*")), process)
    process.kill()
    finished(process)
    assert not (tmp_path / "run=r" / "_SUCCESS").exists()
    code, told = finished(nightly(tables, tmp_path))
    assert code == 2
    assert "the run directory exists already" in told
    code, told = finished(nightly(tables, tmp_path, "--overwrite"))
    assert code == 0, told
    assert table_bytes(tmp_path) == undisturbed
    assert not [path for path in tmp_path.rglob("*") if ".part-" in path.name]


def test_a_worker_killed_in_the_middle_is_never_taken_for_a_run_and_a_second_one_is_whole(tables, tmp_path, undisturbed):
    process = nightly(tables, tmp_path, "--direct_running_mode=multi_processing", "--direct_num_workers=2")
    worker = wait_for(lambda: workers_of(process.pid), process)[0]
    time.sleep(5)
    os.kill(worker, signal.SIGKILL)
    try:
        code, told = finished(process, seconds=45)
        assert code == 5, told
        assert "the run broke off and counts for nothing" in told
    except subprocess.TimeoutExpired:
        # Beam's local runner waits for a worker that was lost before it reported: such a run is stopped from outside.
        process.kill()
        finished(process)
    assert not (tmp_path / "run=r" / "_SUCCESS").exists()
    code, told = finished(nightly(tables, tmp_path, "--overwrite"))
    assert code == 0, told
    assert table_bytes(tmp_path) == undisturbed


def workers_of(pid):
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    children = {int(row[0]) for row in rows if int(row[1]) == pid}
    return [int(row[0]) for row in rows if int(row[1]) in children and "sdk_worker_main" in row[2]]


@contextlib.contextmanager
def tmpfs(folder, options):
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_breaks_the_run(tables, tmp_path):
    with tmpfs(tmp_path / "small", "size=16k") as folder:
        code, told = finished(nightly(tables, folder))
        assert code == 5
        assert "No space left on device" in told
        assert not (folder / "run=r" / "_SUCCESS").exists()


def test_a_full_disk_breaks_a_validation_too(tables, tmp_path):
    with tmpfs(tmp_path / "small", "size=16k") as folder:
        code, told = finished(start("validate", tables, folder))
        assert code == 5
        assert "the run broke off and counts for nothing" in told
        assert not (folder / "validation.json").exists()


def test_a_read_only_output_is_refused_before_anything_runs(tables, tmp_path):
    with tmpfs(tmp_path / "fixed", "ro") as folder:
        code, told = finished(nightly(tables, folder))
        assert code == 2
        assert "cannot write the run directory" in told
        assert "Read-only file system" in told


@pytest.fixture
def checker(tmp_path):
    return Path(shutil.copytree(bundled_checker(), tmp_path / "checker"))


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_checker_without_a_file_is_refused_by_its_name(checker, name):
    (checker / name).unlink()
    with pytest.raises(UsageError, match=name.replace(".", r"\.")):
        check_checker(str(checker), hub=False)


def test_weights_of_other_shapes_break_the_run_by_the_name_of_the_tensor(tables, checker, tmp_path):
    from safetensors.torch import load_file, save_file

    weights = load_file(checker / "model.safetensors")
    name = next(name for name in weights if weights[name].dim() == 2)
    weights[name] = weights[name][:-1].clone()
    save_file(weights, checker / "model.safetensors", metadata={"format": "pt"})
    code, told = finished(nightly(tables, tmp_path / "runs", "--checker", str(checker)))
    assert code == 5
    assert f"BrokenChecker: cannot load the checker '{checker}'" in told
    assert name in told
    assert "withheld" not in told


def test_weights_cut_short_are_refused_before_anything_runs(checker):
    path = checker / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(UsageError, match=f"{path} is damaged: .*; copy it again"):
        check_checker(str(checker), hub=False)


def test_a_batch_that_does_not_fit_into_memory_is_halved_until_it_does(monkeypatch):
    checker = EntailmentChecker(CheckerConfig(bundled_checker()))
    windows = [WindowToJudge(f"p{i}", 0, f"Logs are kept for {i} days.", "Logs are kept") for i in range(8)]
    whole, forward, sizes = checker.judge(windows), checker.model.forward, []

    def scarce(*args, **kwargs):
        sizes.append(len(kwargs["input_ids"]))
        if sizes[-1] > 2:
            raise MemoryError("out of memory")
        return forward(*args, **kwargs)

    monkeypatch.setattr(checker.model, "forward", scarce)
    assert checker.judge(windows) == whole
    assert sizes == [8, 4, 2, 2, 4, 2, 2]
