"""Every fault in the input: what happens, what is counted, how the job ends. docs/faults.md is made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import answer, evidence
from test_nightly import fake_checker, run  # noqa: F401 (a fixture)

from pipelines.runs import is_finished, read_manifest, read_run_table
from schemas.answers import Answer, DeclaredCitation
from schemas.evidence import Evidence
from schemas.types import to_table

DOCS = Path(__file__).resolve().parents[1] / "docs" / "faults.md"
GOOD = [answer(f"a{i}") for i in range(3)]
ROWS = [evidence(), evidence("exports", "Exports are kept for 7 days.")]


class Outcome(NamedTuple):
    """How a run ended: rows read, rows in the tables, rows rejected by reason, edges by status, exit code."""

    answers_in: int
    answers_out: int
    evidence_in: int
    evidence_out: int
    rejected: dict[str, int]
    edges: dict[str, int]
    code: int


class Fault(NamedTuple):
    """One fault: its input, what the job does about it in words, and what must come out."""

    name: str
    happens: str
    write: Callable[[Path], None]
    expected: Outcome
    options: dict[str, Any] = {}  # noqa: RUF012


def write(path: Path, row_type: type, rows: list[Any], **options: Any) -> Path:
    pq.write_table(to_table(row_type, rows), path, **options)
    return path


def put(folder: Path, answers: list[Any] = GOOD, rows: list[Any] = ROWS, **options: Any) -> None:
    write(folder / "answers-1.parquet", Answer, answers, **options)
    write(folder / "evidence-1.parquet", Evidence, rows, **options)


def damaged(name: str, damage: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Good tables, and a second file of one of them that is damaged."""

    def writer(folder: Path) -> None:
        put(folder)
        rows = [answer(f"b{i}") for i in range(2)] if name == "answers" else [evidence("more")]
        path = write(folder / f"{name}-2.parquet", Answer if name == "answers" else Evidence, rows, write_page_checksum=True)
        path.write_bytes(damage(path.read_bytes()))

    return writer


def flipped(content: bytes) -> bytes:
    """One bit of the first data page, past its header, is another; its checksum tells."""
    place = content.index(b"b0") if b"b0" in content else content.index(b"more")
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def torn_name(content: bytes) -> bytes:
    """The name of a column in the footer is no UTF-8."""
    return content.replace(b"question", b"\xffuestion")


def doubled(folder: Path) -> None:
    put(folder)
    table = to_table(Answer, [answer("twice")])
    pq.write_table(table.append_column("answer", table.column("answer")), folder / "answers-2.parquet")


def retyped(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(column), column, values)


def evolved(folder: Path) -> None:
    """Three exports of three ages: without optional columns, with unknown ones, with wider types."""
    put(folder, GOOD[:1])
    older = to_table(Answer, GOOD[1:2]).select(["answer_id", "answered_at", "question", "answer", "citations"])
    pq.write_table(older, folder / "answers-2.parquet")
    newer = to_table(Answer, GOOD[2:]).append_column("mood", pa.array(["calm"]))
    pq.write_table(retyped(newer, "answer", newer.column("answer").cast(pa.large_string())), folder / "answers-3.parquet")


def surrogates(folder: Path) -> None:
    """Text that is no UTF-8, in the declared type and in the one that other writers prefer."""
    put(folder)
    for i, kind in enumerate((pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()))):
        table = to_table(Answer, [answer(f"s{i}", "Logs are kept for 30 days QQQ [1].")])
        path = folder / f"answers-{i + 2}.parquet"
        text = table.column("answer").combine_chunks()
        retyped_text = text.dictionary_encode() if pa.types.is_dictionary(kind) else text.cast(kind)
        pq.write_table(retyped(table, "answer", retyped_text), path, compression="none", use_dictionary=False)
        path.write_bytes(path.read_bytes().replace(b"QQQ", b"\xed\xa0\x80"))


def odd_values(folder: Path) -> None:
    """A float where an integer is due is refused as a file; the rest of the kind as rows."""
    put(
        folder,
        rows=[
            *ROWS,
            evidence("past", span_start=5, span_end=900),
            evidence("before", span_start=-1, span_end=4),
            evidence("far", span_start=0, span_end=2**40),
        ],
    )
    table = to_table(Evidence, [evidence("nan", span_start=1, span_end=4)])
    pq.write_table(retyped(table, "span_start", pa.array([float("nan")])), folder / "evidence-2.parquet")


def ids(folder: Path) -> None:
    torn = [answer("torn"), answer("torn", "Something else [1].")]
    put(folder, [*GOOD, GOOD[0], answer(None), answer(""), *torn], [*ROWS, ROWS[0], evidence("x"), evidence("x", "Other.")])


HOT = [answer(f"h{i}", f"Logs are kept for {i} days [1].") for i in range(2000)]
BROKEN_EDGE = [*GOOD, answer("lost", citations=[DeclaredCitation("more", "1")])]


def lost_evidence(folder: Path) -> None:
    damaged("evidence", lambda content: content[: len(content) // 2])(folder)
    write(folder / "answers-1.parquet", Answer, BROKEN_EDGE)


FAULTS = [
    Fault("nothing wrong", "all is scored", put, Outcome(3, 3, 2, 2, {}, {"judged": 3}, 0)),
    Fault(
        "an answers file cut short",
        "a reject that names the file; the rest is scored",
        damaged("answers", lambda content: content[:-20]),
        Outcome(3, 3, 2, 2, {"unreadable_file": 0}, {"judged": 3}, 0),
    ),
    Fault(
        "the same, under the default gate",
        "the coverage gate trips: one file of two is lost",
        damaged("answers", lambda content: content[:-20]),
        Outcome(3, 3, 2, 2, {"unreadable_file": 0}, {"judged": 3}, 3),
        {"max_rejected": 0.1},
    ),
    Fault(
        "a file that is no Parquet",
        "a reject that names the file; the rest is scored",
        damaged("answers", lambda content: b"PAR1 but not"),
        Outcome(3, 3, 2, 2, {"unreadable_file": 0}, {"judged": 3}, 0),
    ),
    Fault(
        "an empty file (0 bytes)",
        "a reject that names the file; the rest is scored",
        damaged("answers", lambda content: b""),
        Outcome(3, 3, 2, 2, {"unreadable_file": 0}, {"judged": 3}, 0),
    ),
    Fault(
        "a flipped bit in a page (checksums on)",
        "the row group is rejected, its rows counted as read",
        damaged("answers", flipped),
        Outcome(5, 3, 2, 2, {"unreadable_file": 2}, {"judged": 3}, 0),
        {"max_rejected": 0.5},
    ),
    Fault(
        "that, under the default gate",
        "the coverage gate trips",
        damaged("answers", flipped),
        Outcome(5, 3, 2, 2, {"unreadable_file": 2}, {"judged": 3}, 3),
        {"max_rejected": 0.1},
    ),
    Fault(
        "flipped bits in a footer, so that a name in it is no text",
        "a reject that names the file; the rest is scored",
        damaged("answers", torn_name),
        Outcome(3, 3, 2, 2, {"unreadable_file": 0}, {"judged": 3}, 0),
    ),
    Fault(
        "a column that stands in a file twice",
        "a reject that names file and column; the rest is scored",
        doubled,
        Outcome(4, 3, 2, 2, {"wrong_type": 1}, {"judged": 3}, 0),
    ),
    Fault(
        "an evidence file cut short",
        "edges into it are unjudged, the gate trips",
        lost_evidence,
        Outcome(4, 4, 2, 2, {"unreadable_file": 0}, {"judged": 3, "unjudged": 1}, 3),
    ),
    Fault(
        "the same with --allow-missing-evidence",
        "edges into it are unjudged, the run passes",
        lost_evidence,
        Outcome(4, 4, 2, 2, {"unreadable_file": 0}, {"judged": 3, "unjudged": 1}, 0),
        {"allow_missing_evidence": True},
    ),
    Fault(
        "files of several schemas: columns missing, unknown, wider",
        "missing optional columns are null, unknown ones counted",
        evolved,
        Outcome(3, 3, 2, 2, {}, {"judged": 3}, 0),
    ),
    Fault(
        "null, empty, double and conflicting ids",
        "each a reject with its reason; one of equals is kept",
        ids,
        Outcome(
            8,
            3,
            5,
            2,
            {"contract": 2, "duplicate_answer": 1, "conflicting_answer": 2, "duplicate_evidence": 1, "conflicting_evidence": 2},
            {"judged": 3},
            0,
        ),
    ),
    Fault(
        "NaN for an integer, spans out of range",
        "the file of another type is rejected, the rows leave one by one",
        odd_values,
        Outcome(3, 3, 6, 2, {"wrong_type": 1, "contract": 3}, {"judged": 3}, 3),
    ),
    Fault(
        "lone surrogates in a text",
        "replaced by U+FFFD and counted",
        surrogates,
        Outcome(6, 6, 2, 2, {}, {"judged": 6}, 0),
    ),
    Fault(
        "evidence that every answer cites",
        "each distinct pair once; the rest is fanned out",
        lambda folder: put(folder, HOT, ROWS),
        Outcome(2000, 2000, 2, 2, {}, {"judged": 2000}, 0),
    ),
    Fault(
        "an answer of 5 MB",
        "a reject (200,000 characters at most)",
        lambda folder: put(folder, [*GOOD, answer("huge", "Logs are kept for 30 days [1]. " * 170_000)]),
        Outcome(4, 3, 2, 2, {"oversized": 1}, {"judged": 3}, 0),
    ),
    Fault(
        "a row group of 20,000 rows",
        "read and scored like any other",
        lambda folder: put(folder, [answer(f"e{i}", "") for i in range(20_000)]),
        Outcome(20_000, 20_000, 2, 2, {}, {}, 0),
    ),
    Fault(
        "no rows at all",
        "nothing of the answers could be read",
        lambda folder: put(folder, []),
        Outcome(0, 0, 2, 2, {}, {}, 2),
    ),
]


# Asserted by tests/test_broken_runs.py, tests/test_validation.py, tests/test_store.py and tests/test_idempotence.py.
BREAKING = (
    "",
    "Faults of the machine and of what the run is given, each a test too:",
    "",
    "| fault | what happens | exit code |",
    "|---|---|---|",
    "| a row group of 200,000 rows | `validate` reads it at once and finds the one copy (the whole job: 20,000 above) | 0 |",
    "| the run is killed while it writes | no `_SUCCESS`; its id is refused, with --overwrite all is as if undisturbed | 2, 0 |",
    "| a worker process is killed | the run breaks off, or Beam's local runner waits until it is stopped; no `_SUCCESS` | 5 |",
    "| the disk is full | the run breaks off and names it; no `_SUCCESS` | 5 |",
    "| the output cannot be written | refused before anything runs | 2 |",
    "| a checker folder without a file | refused before anything runs, by the name of the file | 2 |",
    "| weights cut short | refused before anything runs, by the name of the file | 2 |",
    "| weights of other shapes than config.json | the run breaks off and names folder and tensor | 5 |",
    "| a batch does not fit into memory | halved until it does; a pair that fails alone is unjudged | 0 |",
    "| a damaged or foreign part in the verdict store | set aside, its pairs are judged again | 0 |",
    "| a verdict store that cannot be written | a warning; the next night judges again | 0 |",
    "| the same run id again | refused; with --overwrite nothing of the old run stays, whatever its number of shards | 2, 0 |",
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_survived_and_counted(tmp_path, fake_checker, fault):  # noqa: F811
    fault.write(tmp_path)
    code, folder = run(
        tmp_path, fake_checker, str(tmp_path / "answers-*.parquet"), str(tmp_path / "evidence-*.parquet"), **fault.options
    )
    assert outcome(folder, code) == fault.expected
    assert is_finished(folder)
    assert (folder / "_SUCCESS").exists() == (code == 0)
    assert all(identity["holds"] for identity in read_manifest(folder)["identities"])


def outcome(folder: Path, code: int) -> Outcome:
    counts = read_manifest(folder)["counts"]
    rejected: dict[str, int] = {}
    for row in read_run_table(folder, "rejects"):
        rejected[row["reason"]] = rejected.get(row["reason"], 0) + row["n_rows"]
    edges: dict[str, int] = {}
    for row in read_run_table(folder, "verdicts"):
        edges[row["status"]] = edges.get(row["status"], 0) + (not row["joint"])
    out = sum(counts.get(f"answers.{state}", 0) for state in ("evaluated", "abstained", "empty", "no_claims"))
    return Outcome(counts["answers.read"], out, counts["evidence.read"], counts.get("evidence.kept", 0), rejected, edges, code)


def faults_markdown() -> str:
    """The table of docs/faults.md."""
    lines = [
        "# Faults\n",
        "Made from `tests/test_faults.py` (`make accept-faults`), which asserts every row. Rows in = rows out + rejected.\n",
        "| fault | what happens | answers in, out | evidence in, out | rejected rows | edges | exit code |",
        "|---|---|---|---|---|---|---|",
    ]
    for fault in FAULTS:
        found = fault.expected
        cells = (
            fault.name,
            fault.happens,
            f"{found.answers_in}, {found.answers_out}",
            f"{found.evidence_in}, {found.evidence_out}",
            ", ".join(f"{reason} {n}" for reason, n in found.rejected.items()) or "–",
            ", ".join(f"{status} {n}" for status, n in found.edges.items()) or "–",
            str(found.code),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((*lines, *BREAKING)) + "\n"


def test_the_docs_table_is_what_the_tests_assert():
    assert DOCS.read_text(encoding="utf-8") == faults_markdown(), "run: make accept-faults"


def test_rows_in_are_rows_out_and_rejected():
    for fault in FAULTS:
        found = fault.expected
        assert found.answers_in + found.evidence_in == found.answers_out + found.evidence_out + sum(found.rejected.values())
