"""What is kept between nights: only what is new is judged and split, and nothing damages or mixes what is kept."""

from __future__ import annotations

import datetime as dt
import io
import os
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import answer, checker_folder, evidence, utc
from test_judging import CALLS
from test_nightly import fake_checker, random_log, run  # noqa: F401 (a fixture)

from pipelines.__main__ import main
from pipelines.nightly import run_nightly
from pipelines.options import NightlyConfig
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation
from schemas.stores import StoredVerdict
from schemas.types import to_table
from transforms import store as store_module
from transforms.store import ReadStore, Store, _latest, compact, list_parts, read_part, write_part

EXPERTQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "answers" / "expertqa"
DAY = dt.date(2026, 3, 10)


def night(tmp_path, checker, answers, rows, run_id, **options):
    CALLS.clear()
    code, folder = run(
        tmp_path, checker, answers, rows, run_id, verdict_store=str(tmp_path / "store"), as_of=utc(2026, 3), **options
    )
    assert code == 0
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}, read_manifest(folder)


def parts(tmp_path, name):
    return sorted((tmp_path / "store" / name).rglob("part-*.parquet"))


def test_a_second_night_on_the_same_traffic_calls_nothing_and_writes_the_same_bytes(tmp_path, fake_checker):  # noqa: F811
    answers, rows = random_log(random.Random(3), 60)
    answers.append(answer("huge", "Logs are kept. " * 14_000))
    # Without what fails: a pair that the checker fails on is tried again every night.
    rows = [row for row in rows if "poison" not in (row.text or "")]
    first, manifest = night(tmp_path, fake_checker, answers, rows, "one")
    assert manifest["model_calls"] == len(CALLS) > 0
    assert manifest["parser_calls"] > 0
    second, manifest = night(tmp_path, fake_checker, answers, rows, "two")
    assert (manifest["model_calls"], manifest["parser_calls"], CALLS) == (0, 0, [])
    assert first == second
    assert all(identity["holds"] for identity in manifest["identities"])
    bare, manifest = {}, None
    _, folder = run(tmp_path, fake_checker, answers, rows, "bare", as_of=utc(2026, 3))
    bare = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}
    assert bare == first


def test_a_changed_text_is_judged_again_and_nothing_else(tmp_path, fake_checker):  # noqa: F811
    answers = [answer("a1"), answer("a2", "Exports are kept for 7 days [1].", citations=[DeclaredCitation("exports", "1")])]
    rows = [evidence(), evidence("exports", "Exports are kept for 7 days.")]
    night(tmp_path, fake_checker, answers, rows, "one")
    assert len(CALLS) == 2
    _, manifest = night(tmp_path, fake_checker, answers, [rows[0], rows[1]._replace(text="Exports were kept for 7 days.")], "two")
    assert (len(CALLS), manifest["counts"]["pairs.known"], manifest["parser_calls"]) == (1, 1, 0)


def test_a_changed_answer_is_split_again_and_nothing_else(tmp_path, fake_checker):  # noqa: F811
    answers = [answer(f"a{i}", f"Logs are kept for {i} days [1].") for i in range(1, 4)]
    night(tmp_path, fake_checker, answers, [evidence()], "one")
    _, manifest = night(tmp_path, fake_checker, [*answers[:2], answer("a3", "Logs are blue [1].")], [evidence()], "two")
    assert (manifest["parser_calls"], len(CALLS)) == (1, 1)
    renamed = [one._replace(answer_id=f"b{one.answer_id}", question="Another?") for one in answers]
    _, manifest = night(tmp_path, fake_checker, renamed, [evidence()], "three")
    assert (manifest["parser_calls"], manifest["model_calls"]) == (0, 0)
    _, manifest = night(
        tmp_path, fake_checker, [answer("a1", "Logs are kept for 1 days [1].", citations=None)], [evidence()], "four"
    )
    # Which markers are declared is part of what splitting reads.
    assert manifest["parser_calls"] == 1


def test_another_checker_or_splitter_reads_nothing(tmp_path, fake_checker):  # noqa: F811
    night(tmp_path, fake_checker, [answer()], [evidence()], "one")
    checker_folder(Path(fake_checker), weights_of="another")
    _, manifest = night(tmp_path, fake_checker, [answer()], [evidence()], "two")
    assert (manifest["model_calls"], manifest["parser_calls"]) == (1, 0)
    assert len({path.parent for path in parts(tmp_path, "verdicts")}) == 2


def test_a_part_of_another_version_under_our_roof_is_set_aside(tmp_path):
    store, other = (Store(str(tmp_path), "verdicts", version, DAY) for version in ("one", "other"))
    row = StoredVerdict("k", DAY, 0, 0.9, 0.1, 0.0)
    foreign = Path(write_part(to_table(StoredVerdict, [row]), other))
    Path(store.place).mkdir(parents=True)
    shutil.copy(foreign, store.place)
    with pytest.raises(ValueError, match="not of this version"):
        read_part(list_parts(store)[0], store)


def flipped(content):
    middle = content.index(b"PAR1") + 30
    return content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :]


def other_columns(_):
    sink = io.BytesIO()
    pq.write_table(pa.table({"key": ["k"]}), sink)
    return sink.getvalue()


DAMAGES = {
    "truncated": lambda content: content[:-9],
    "flipped": flipped,
    "empty": lambda content: b"",
    "not parquet": lambda content: b"junk",
    "other columns": other_columns,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_part_is_set_aside_and_the_others_are_read(tmp_path, damage):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    first, second = (
        Path(write_part(to_table(StoredVerdict, [StoredVerdict(key, DAY, 0, 0.9, 0.1, 0.0)]), store)) for key in ("a", "b")
    )
    first.write_bytes(DAMAGES[damage](first.read_bytes()))
    with _TestPipeline() as pipeline:
        read = pipeline | ReadStore(store)
        assert_that(read["rows"] | beam.Keys(), equal_to(["b"]), "rows")
        counts = [("store.verdicts.parts_set_aside", 1), ("store.verdicts.parts_read", 1)]
        assert_that(read["counts"], equal_to(counts), "counts")
    assert sorted(path.name for path in first.parent.iterdir()) == sorted([f"{first.name}.corrupt", second.name])


def test_what_a_damaged_part_held_is_judged_again(tmp_path, fake_checker):  # noqa: F811
    before, _ = night(tmp_path, fake_checker, [answer()], [evidence()], "one")
    (part,) = parts(tmp_path, "verdicts")
    part.write_bytes(flipped(part.read_bytes()))
    after, manifest = night(tmp_path, fake_checker, [answer()], [evidence()], "two")
    assert before == after
    assert (manifest["model_calls"], manifest["counts"]["store.verdicts.parts_set_aside"]) == (1, 1)
    assert part.with_name(f"{part.name}.corrupt").exists()
    assert night(tmp_path, fake_checker, [answer()], [evidence()], "three")[1]["model_calls"] == 0


def test_runs_at_one_time_damage_nothing(tmp_path, fake_checker):  # noqa: F811
    def one(i):
        folder = tmp_path / str(i)
        folder.mkdir()
        answers = [answer(f"a{k}", f"Logs are kept for {k} days [1].") for k in range(i, i + 3)]
        return run(folder, fake_checker, answers, [evidence()], "r", verdict_store=str(tmp_path / "store"))[0]

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(one, range(3))) == [0, 0, 0]
    answers = [answer(f"a{k}", f"Logs are kept for {k} days [1].") for k in range(5)]
    _, manifest = night(tmp_path, fake_checker, answers, [evidence()], "all")
    assert (manifest["model_calls"], manifest["parser_calls"]) == (0, 0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_cannot_be_written_does_not_fail_the_night(tmp_path, fake_checker):  # noqa: F811
    (tmp_path / "store").mkdir(mode=0o500)
    _, manifest = night(tmp_path, fake_checker, [answer()], [evidence()], "one")
    assert manifest["counts"]["store.verdicts.rows_not_written"] == 1


def test_a_store_whose_place_is_a_file_does_not_fail_the_night(tmp_path, fake_checker):  # noqa: F811
    (tmp_path / "store").write_text("in the way")
    _, manifest = night(tmp_path, fake_checker, [answer()], [evidence()], "one")
    assert manifest["counts"]["store.verdicts.rows_not_written"] == 1


def test_compaction_keeps_the_latest_of_each_and_drops_what_nobody_used(tmp_path):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    old, used = dt.date(2025, 1, 1), dt.date(2026, 3, 1)
    for day, keys in ((old, "ab"), (used, "bc")):
        write_part(to_table(StoredVerdict, [StoredVerdict(key, day, 0, 0.9, 0.1, 0.0) for key in keys]), store)
    assert compact(store, days=90) == {"parts": 2, "rows": 2, "expired": 1}
    (part,) = list_parts(store)
    assert [(row["key"], row["used_on"]) for row in read_part(part, store).to_pylist()] == [("b", used), ("c", used)]
    assert compact(store, days=90) == {"parts": 1, "rows": 2, "expired": 0}
    assert list_parts(store) == [part]
    assert compact(store, days=1) == {"parts": 1, "rows": 0, "expired": 2}
    assert list_parts(store) == []


def test_compaction_keeps_what_every_night_uses(tmp_path):
    # Use is noted weekly: on its sixth day in use a row still has the day of the first.
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    write_part(to_table(StoredVerdict, [StoredVerdict("a", DAY - dt.timedelta(days=6), 0, 0.9, 0.1, 0.0)]), store)
    assert compact(store, days=1) == {"parts": 1, "rows": 1, "expired": 0}


def test_of_rows_of_one_day_the_same_one_stays_whatever_their_order(tmp_path):
    rows = [StoredVerdict("a", DAY, 0, p, 0.1, 0.0) for p in (0.8, 0.9)]
    assert _latest(rows) == _latest(rows[::-1]) == rows[1]
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    for row in rows:
        write_part(to_table(StoredVerdict, [row]), store)
    compact(store, days=1)
    (part,) = list_parts(store)
    assert [row["p_entailment"] for row in read_part(part, store).to_pylist()] == [0.9]


def test_a_part_out_of_reach_stays_and_the_others_are_read(tmp_path, monkeypatch):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    first, _ = (write_part(to_table(StoredVerdict, [StoredVerdict(key, DAY, 0, 0.9, 0.1, 0.0)]), store) for key in ("a", "b"))
    opened = store_module.open_file

    def scarce(path):
        if path == first:
            raise OSError(24, "Too many open files")
        return opened(path)

    monkeypatch.setattr(store_module, "open_file", scarce)
    with _TestPipeline() as pipeline:
        assert_that((pipeline | ReadStore(store))["rows"] | beam.Keys(), equal_to(["b"]))
    compact(store, days=1)
    monkeypatch.undo()
    assert first in list_parts(store)
    assert len(list_parts(store)) == 2


def test_writers_of_the_same_part_at_one_time_leave_it_whole(tmp_path):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    table = to_table(StoredVerdict, [StoredVerdict("a", DAY, 0, 0.9, 0.1, 0.0)])
    with ThreadPoolExecutor(4) as pool:
        for _ in range(50):
            (path,) = {job.result() for job in [pool.submit(write_part, table, store) for _ in range(4)]}
            assert [one.name for one in Path(store.place).iterdir()] == [Path(path).name]
            Path(path).unlink()


def test_what_broken_runs_left_goes_in_time(tmp_path):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    part = Path(write_part(to_table(StoredVerdict, [StoredVerdict("a", DAY, 0, 0.9, 0.1, 0.0)]), store))
    remains = [part.with_name("part-x.parquet.corrupt"), part.with_name("part-y.parquet.part-0123abcd")]
    for path in remains:
        path.touch()
    compact(store, days=2)
    assert all(path.exists() for path in remains)
    for path in remains:
        os.utime(path, times=(0, time.time() - 3 * 86_400))
    compact(store, days=2)
    assert list(part.parent.iterdir()) == [part]


def test_compaction_sets_damaged_parts_aside(tmp_path):
    store = Store(str(tmp_path), "verdicts", "one", DAY)
    good = write_part(to_table(StoredVerdict, [StoredVerdict("a", DAY, 0, 0.9, 0.1, 0.0)]), store)
    Path(store.place, "part-x.parquet").write_bytes(b"junk")
    assert compact(store, days=90) == {"parts": 2, "rows": 1, "expired": 0}
    assert list_parts(store) == [good]
    assert Path(store.place, "part-x.parquet.corrupt").exists()


def test_the_command_tidies_every_version_and_the_next_night_still_knows_all(tmp_path, fake_checker, capsys):  # noqa: F811
    for i in range(3):
        answers = [answer("a", f"Logs are kept for {i} days [1].")]
        run(tmp_path, fake_checker, answers, [evidence()], f"r{i}", verdict_store=str(tmp_path / "store"))
    assert (len(parts(tmp_path, "verdicts")), len(parts(tmp_path, "splits"))) == (3, 3)
    assert main(["compact", "--verdict-store", str(tmp_path / "store")]) == 0
    assert (len(parts(tmp_path, "verdicts")), len(parts(tmp_path, "splits"))) == (1, 1)
    assert "verdicts: 3 parts, 3 rows kept, 0 expired" in " ".join(capsys.readouterr().out.split())
    answers = [answer(f"a{i}", f"Logs are kept for {i} days [1].") for i in range(3)]
    _, manifest = night(tmp_path, fake_checker, answers, [evidence()], "all")
    assert (manifest["model_calls"], manifest["parser_calls"]) == (0, 0)
    assert main(["compact", "--verdict-store", str(tmp_path / "store"), "--days", "0"]) == 2
    assert main(["compact", "--verdict-store", str(tmp_path / "nowhere")]) == 2
    assert "no store: " in capsys.readouterr().err


@pytest.mark.skipif(not EXPERTQA.is_dir(), reason="the public answers are not on this machine")
def test_a_second_night_on_real_answers(tmp_path):
    answers, rows = (pq.read_table(EXPERTQA / f"{name}.parquet") for name in ("answers", "evidence"))
    answers = answers.filter(pc.equal(answers["build"], "rr_sphere_gpt4")).slice(0, 6)
    cited = {citation["evidence_id"] for row in answers["citations"].to_pylist() for citation in row or ()}
    rows = rows.filter(pc.is_in(rows["evidence_id"], pa.array(sorted(cited))))
    pq.write_table(answers, tmp_path / "answers.parquet")

    def real_night(table, run_id):
        pq.write_table(table, tmp_path / "evidence.parquet")
        paths = (str(tmp_path / "answers.parquet"), str(tmp_path / "evidence.parquet"), str(tmp_path / "runs"))
        config = NightlyConfig(*paths, run_id, threads=2, verdict_store=str(tmp_path / "store"), further_claims=0)
        assert run_nightly(config) == 0
        folder = Path(config.folder)
        return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}, read_manifest(folder)

    first, manifest = real_night(rows, "one")
    assert manifest["model_calls"] > 100
    second, manifest = real_night(rows, "two")
    assert first == second
    assert (manifest["model_calls"], manifest["parser_calls"]) == (0, 0)
    judged = read_run_table(tmp_path / "runs" / "run=one", "verdicts")
    changed = next(row["evidence_id"] for row in judged if row["status"] == "judged")
    texts = ["Something else." if one["evidence_id"] == changed else one["text"] for one in rows.to_pylist()]
    _, manifest = real_night(rows.set_column(rows.schema.get_field_index("text"), "text", pa.array(texts)), "three")
    # The new text is one sentence: one window for each claim that cites it, and nothing else. (A claim that fails now would also
    # ask for other spans, had it a budget.)
    asked = manifest["counts"]["pairs.unique"] - manifest["counts"]["pairs.known"]
    assert manifest["model_calls"] == asked > 0
    assert manifest["parser_calls"] == 0
    kept = [row for row in judged if changed not in row["evidence_id"] and not row["joint"]]
    again = {
        (row["answer_id"], row["claim_id"], row["evidence_id"]): row
        for row in read_run_table(tmp_path / "runs" / "run=three", "verdicts")
    }
    probabilities = ("p_entailment", "p_neutral", "p_contradiction", "supported")
    for row in kept:
        other = again[row["answer_id"], row["claim_id"], row["evidence_id"]]
        assert [row[name] for name in probabilities] == [other[name] for name in probabilities]
