"""Drift: the profile adds up, noise does not warn, a change does and says by how much; tables and exit code never depend on it."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import answer, claim, evidence
from hypothesis import given
from hypothesis import strategies as st
from test_nightly import fake_checker, random_log, run  # noqa: F401 (a fixture)

from pipelines.commands import print_warnings
from pipelines.drift import (
    Comparison,
    Earlier,
    chi_squared,
    compare_profiles,
    drift_of,
    earlier_run,
    merge_sparse,
    schema_changes,
    stability_index,
    two_shares,
    with_limits,
)
from pipelines.options import UsageError
from pipelines.report import write_report
from pipelines.runs import read_drift, read_manifest
from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.types import to_plain, to_table
from transforms.metrics import ScoredAnswer
from transforms.profile import Share, add_up, assemble, column_types, null_shares, profile_batch, profile_claims
from transforms.tables import Batch


def batch(rows):
    return Batch("file", to_table(Answer, rows), [to_plain(row) for row in rows])


def profile_of(rows, claims=(), types=None):
    """A profile in memory: one file of answers and what they state."""
    table = to_table(Answer, rows)
    kinds = column_types(table.schema) if types is None else types
    parts = [(("answers", "files", "", ""), (1,)), *((("answers", "types", name, kind), (1,)) for name, kind in kinds.items())]
    parts += profile_batch("answers", batch(rows))
    for one in claims:
        parts += profile_claims(ScoredAnswer(list(one), [], [], {}))
    grouped = defaultdict(list)
    for key, sums in parts:
        grouped[key].append(sums)
    return json.loads(json.dumps(assemble((key, add_up(sums)) for key, sums in grouped.items())))


# --- the profile ------------------------------------------------------------------------------------------------------------------


def test_nulls_are_counted_in_columns_and_in_members_of_lists():
    rows = [
        answer("a1", build="7"),
        answer("a2", citations=[DeclaredCitation("logs", "1"), DeclaredCitation("logs")]),
        answer("a3", citations=None),
    ]
    shares = null_shares(to_table(Answer, rows))
    assert shares["build"] == Share(3, 2, 3, 2, 2)
    assert shares["citations"] == Share(3, 1, 3, 1, 1)
    assert shares["citations.marker"] == Share(3, 1, 5, 2, 1)
    assert shares["claims.text"] == Share()


def test_a_profile_holds_counts_lengths_citations_and_families():
    structured = [StructuredClaim("c", "x", True, ["logs", "more"])]
    rows = [answer("a1", "x" * 64), answer("a2", ""), answer("a3", None, claims=structured)]
    found = profile_of(rows, [[claim("c0"), claim("c1", families=["other"], reason="question")], []])
    table = found["tables"]["answers"]
    assert (table["files"], table["rows"], table["types"]["answer"]) == (1, 3, {"string": 1})
    assert table["histograms"] == {
        "answer_length": {
            "edges": [0, 1, 64, 128, 256, 512, 1024, 2048, 4096, 8192],
            "counts": [1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
            "n": 2,
            "sum": 64,
        },
        "citations": {"edges": [0, 1, 2, 3, 4, 5, 7, 10, 15, 20], "counts": [0, 2, 1, 0, 0, 0, 0, 0, 0, 0], "n": 3, "sum": 4},
    }
    assert found["claims"]["families"]["quantity"] == {"n": 2, "part": 1, "n_n": 4, "n_part": 2, "part_part": 1}
    assert {name: one["part"] for name, one in found["claims"]["reasons"].items() if one["part"]} == {"required": 1, "question": 1}
    assert found["tables"]["evidence"] == {"files": 0, "rows": 0, "types": {}, "nulls": {}, "histograms": {}}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1), st.integers(1, 9))
def test_sums_do_not_depend_on_how_they_are_merged(parts, size):
    pieces = [add_up(parts[i : i + size]) for i in range(0, len(parts), size)]
    assert add_up(pieces) == add_up(parts) == add_up([add_up([]), *reversed(parts)])


# --- statistics -------------------------------------------------------------------------------------------------------------------


def test_two_shares_is_the_textbook_z_and_clusters_lower_it():
    plain = two_shares(Share(400, 40, 400, 40, 40), Share(400, 80, 400, 80, 80))
    assert plain == pytest.approx(3.961, abs=1e-3)
    # The same shares in 40 clusters of ten that are all or nothing: a design effect of ten.
    clumped = two_shares(Share(400, 40, 4000, 400, 400), Share(400, 80, 4000, 800, 800))
    assert clumped == pytest.approx(plain / 10**0.5)
    assert two_shares(Share(), Share(9, 9, 9, 9, 9)) is None
    assert two_shares(Share(1000, 0, 1000), Share(1000, 0, 1000)) is None


def test_sparse_bins_are_merged_until_each_side_expects_five():
    assert merge_sparse([1, 1, 1, 1], [1, 1, 1, 1]) == []
    assert merge_sparse([9, 0, 9, 1], [9, 0, 9, 1]) == [(9, 9), (10, 10)]
    assert merge_sparse([0] * 4, [5] * 4) == []


def test_chi_squared_agrees_with_scipy():
    from scipy.stats import chi2_contingency

    bins = [(60, 40), (30, 30), (10, 30)]
    assert chi_squared(bins) == pytest.approx(chi2_contingency(list(zip(*bins, strict=True)), correction=False).statistic)
    assert stability_index(bins) == pytest.approx(0.289, abs=1e-3)


def test_limits_share_one_percent_among_all_comparisons():
    shares = [Comparison("a", 0, 0, 9, 9, "change", 0, 0.05, "z", 0)] * 10
    histogram = Comparison("b", 0, 0, 9, 9, "stability index", 0, 0.1, "chi-squared", 0, 3)
    limits = [one.limit for one in with_limits([*shares, histogram])]
    assert limits == pytest.approx([3.317] * 10 + [16.468], abs=1e-3)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_nights_of_the_same_traffic_seldom_warn(share):
    rng = random.Random(7)

    def night():
        n_claims = [rng.choice([1, 2, 3, 8]) for _ in range(400)]
        # Claims of an answer are alike: half of the answers state the family twice as often.
        families = [["quantity"] if rng.random() < share * rng.choice([0.2, 1.8]) else ["other"] for _ in range(400)]
        rows = [
            answer(f"a{i}", "x" * int(rng.lognormvariate(6, 1)), build=None if rng.random() < share else "7") for i in range(400)
        ]
        return profile_of(rows, [[claim(families=own)] * n for n, own in zip(n_claims, families, strict=True)])

    nights = [night() for _ in range(60)]
    warned = [compare_profiles(before, now)["warnings"] for before, now in itertools.pairwise(nights)]
    assert sum(map(bool, warned)) <= 2


# --- comparing --------------------------------------------------------------------------------------------------------------------


def test_schema_changes_name_the_column_and_both_types():
    rows = [answer()]
    before, now = profile_of(rows), profile_of(rows)
    types = now["tables"]["answers"]["types"]
    types["tenant"] = {"string": 1}
    types["answer"] = {"large_string": 1}
    del types["build"]
    assert schema_changes(before, now) == [
        "answers: column answer changed: string in 1 file before, large_string in 1 file now",
        "answers: column build gone: string in 1 file before, absent in 1 file now",
        "answers: column tenant added: absent in 1 file before, string in 1 file now",
    ]
    # What the files lack is not told a second time as a share of nulls.
    assert not [one for one in compare_profiles(before, now)["comparisons"] if "build" in one["what"]]


def test_a_column_that_only_some_files_have_is_a_change():
    before, now = profile_of([answer()]), profile_of([answer()])
    now["tables"]["answers"]["files"] = 2
    now["tables"]["answers"]["types"] = {
        name: dict.fromkeys(kinds, 2) for name, kinds in before["tables"]["answers"]["types"].items()
    }
    assert schema_changes(before, now) == []
    now["tables"]["answers"]["types"]["build"] = {"string": 1}
    assert schema_changes(before, now) == [
        "answers: column build changed: string in 1 file before, absent and string in 2 files now"
    ]


def test_shares_and_histograms_that_move_are_told_with_numbers():
    before = profile_of(
        [answer(f"a{i}", "x" * (50 + i), build="7") for i in range(200)], [[claim(families=["quantity"])] for _ in range(200)]
    )
    now = profile_of(
        [answer(f"a{i}", "x" * (300 + i), build="7" if i % 2 else None, citations=[]) for i in range(200)],
        [[claim(families=["quantity" if i % 4 else "scope"])] for i in range(200)],
    )
    noise = "noise stays below {} (5 comparisons)".format
    assert compare_profiles(before, now)["warnings"] == [
        f"null share of answers.build: 0.0 % (n=200) before, 50.0 % (n=200) now; 50.0 points; z 11.5, {noise(3.1)}",
        "answers: answer length: 149.5 on average (n=200) before, 399.5 (n=200) now; population stability index 11.03, "
        f"another population; chi-squared 400.0 (3 df), {noise(14.8)}",
        "answers: citations: 1.0 on average (n=200) before, 0.0 (n=200) now; population stability index 11.93, "
        f"another population; chi-squared 400.0 (1 df), {noise(9.5)}",
        f"claims that state quantity: 100.0 % (n=200) before, 75.0 % (n=200) now; 25.0 points; z 7.6, {noise(3.1)}",
        f"claims that state scope: 0.0 % (n=200) before, 25.0 % (n=200) now; 25.0 points; z 7.6, {noise(3.1)}",
    ]


# --- in a run ---------------------------------------------------------------------------------------------------------------------


def plain_log(n, **fields):
    return [answer(f"a{i}", f"Logs are kept for {i} days [1].", **fields) for i in range(n)]


def other_schema(path):
    table = to_table(Answer, [answer()])
    table = table.set_column(table.schema.get_field_index("question"), "question", pa.array([7]))
    pq.write_table(table.append_column("extra", pa.array([1])), path)
    return str(path)


def test_a_run_is_held_against_the_run_before_and_its_tables_do_not_depend_on_it(tmp_path, fake_checker):  # noqa: F811
    rows = [evidence()]
    code, first = run(tmp_path, fake_checker, plain_log(60, build="7"), rows, "1")
    assert (code, read_manifest(first)["warnings"]) == (0, [])
    assert read_drift(first)["reason"] == "no earlier run that succeeded in this output folder"
    # A file of another schema is rejected and its run fails; its columns are told, and it is nobody's run before.
    code, second = run(tmp_path, fake_checker, other_schema(tmp_path / "other.parquet"), rows, "2")
    assert code == 2
    assert read_manifest(second)["warnings"] == [
        "answers: column extra added: absent in 1 file before, int64 in 1 file now",
        "answers: column question changed: string in 1 file before, int64 in 1 file now",
    ]
    code, third = run(tmp_path, fake_checker, plain_log(60), rows, "3")
    (warning,) = read_manifest(third)["warnings"]
    assert code == 0
    assert warning.startswith("null share of answers.build: 0.0 % (n=60) before, 100.0 % (n=60) now; 100.0 points; z 11.0")
    assert Path(read_drift(third)["previous"]).name == "run=1"
    page = Path(write_report(third)).read_text(encoding="utf-8")
    assert "Input drift" in page
    assert warning.split(";")[0] in page
    code, alone = run(tmp_path, fake_checker, plain_log(60), rows, "4", previous="none")
    assert (code, read_manifest(alone)["warnings"]) == (0, [])
    tables = [{path.name: path.read_bytes() for path in folder.glob("*.parquet")} for folder in (third, alone)]
    assert tables[0] == tables[1]
    assert (third / "profile.json").read_bytes() == (alone / "profile.json").read_bytes()


def test_the_profile_reconciles_with_the_counts(tmp_path, fake_checker):  # noqa: F811
    answers, rows = random_log(random.Random(3), 60)
    pq.write_table(to_table(Answer, [*answers, *answers[:2], answer(None)]), tmp_path / "answers-1.parquet")
    pq.write_table(to_table(Answer, answers[:3]).drop_columns(["question"]), tmp_path / "answers-2.parquet")
    (tmp_path / "answers-3.parquet").write_bytes(b"not parquet")
    _, folder = run(tmp_path, fake_checker, str(tmp_path / "answers-*.parquet"), rows)
    counts, profile = read_manifest(folder)["counts"], json.loads((folder / "profile.json").read_text())
    table = profile["tables"]["answers"]
    assert (counts["answers.read"], table["rows"], counts["rejects.answers.missing_column"]) == (67, 64, 3)
    assert (table["files"], sum(table["types"]["question"].values())) == (2, 1)
    assert profile["tables"]["evidence"]["rows"] == counts["evidence.read"]
    assert {one["n"] for one in profile["claims"]["families"].values()} == {counts["claims.split"]}
    assert sum(one["part"] for one in profile["claims"]["reasons"].values()) == counts["claims.split"]
    assert profile["claims"]["reasons"]["required"]["part"] == counts["claims.required"]
    assert all(one["holds"] for one in read_manifest(folder)["identities"])


def finished(output, name, profile="{}"):
    folder = output / f"run={name}"
    folder.mkdir(parents=True)
    (folder / "profile.json").write_text(profile)
    (folder / "_SUCCESS").touch()
    return folder


def test_the_run_before_is_the_last_that_succeeded_with_a_smaller_id(tmp_path):
    assert earlier_run(str(tmp_path / "none"), "3") == Earlier(reason="no earlier run that succeeded in this output folder")
    profile = '{"version": 1}'
    for name in ("20260101T000000Z", "20260102T000000Z", "20260103T000000Z", "20260104T000000Z"):
        finished(tmp_path, name, profile)
    (tmp_path / "run=20260103T000000Z" / "_SUCCESS").unlink()
    found = earlier_run(str(tmp_path), "20260104T000000Z")
    assert (Path(found.folder).name, found.profile) == ("run=20260102T000000Z", {"version": 1})
    assert earlier_run(str(tmp_path), "20260104T000000Z", "none").profile is None
    named = str(tmp_path / "run=20260104T000000Z")
    assert earlier_run(str(tmp_path), "20260101T000000Z", named) == Earlier(named, {"version": 1})


def test_a_profile_that_cannot_be_read_is_refused_when_named_and_a_warning_when_found(tmp_path, fake_checker):  # noqa: F811
    broken = finished(tmp_path / "runs", "0", "{")
    with pytest.raises(UsageError, match=r"no run to compare with: .*run=0: .*; give the folder of a run, or none"):
        run(tmp_path, fake_checker, [answer()], [evidence()], "1", previous=str(broken))
    with pytest.raises(UsageError, match=r"it has no profile\.json"):
        run(tmp_path, fake_checker, [answer()], [evidence()], "1", previous=str(tmp_path))
    (warning,) = drift_of(earlier_run(str(tmp_path / "runs"), "1"), profile_of([answer()]))["warnings"]
    assert warning.startswith("the profile of the run before cannot be read: ")
    strange = drift_of(Earlier("run=x", {"version": 1, "tables": {}}), profile_of([answer()]))
    assert strange["warnings"] == ["the profile of run=x does not read as one: KeyError: 'answers'"]


def test_warnings_reach_the_terminal_as_they_are(tmp_path, capsys):
    (tmp_path / "manifest.json").write_text(json.dumps({"warnings": ["answers: column [red] added"]}))
    print_warnings(tmp_path)
    assert capsys.readouterr().out == "warning: answers: column [red] added\n"
