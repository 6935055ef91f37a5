"""Label sheets: what is drawn and how likely, cells that a spreadsheet leaves alone, every fault of a file at once."""

from __future__ import annotations

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import builders
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.__main__ import main
from pipelines.labels import allotted, export_labels, guarded, read_labels, unguarded, write_sheet
from pipelines.options import UsageError
from schemas.answers import Answer
from schemas.calibration import Label
from schemas.claims import Claim
from schemas.evidence import Evidence
from schemas.types import to_table
from schemas.verdicts import Verdict

PLANTED = '=HYPERLINK("http://x","y")\nsecond "line", ünïcode – 研究 \''


def write_run(folder: Path, claims: list[Claim], verdicts: list[Verdict], evidence: list[Evidence]) -> dict[str, Any]:
    """Write a run with its inputs; returns what `export_labels` is called with."""
    run = folder / "run=r1"
    run.mkdir()
    for name, row_type, rows in (("claims", Claim, claims), ("verdicts", Verdict, verdicts)):
        pq.write_table(to_table(row_type, rows), run / f"{name}.parquet")
    files = [{"table": name, "name": f"{name}.parquet"} for name in ("claims", "verdicts")]
    (run / "manifest.json").write_text(json.dumps({"run_id": "r1", "files": files}))
    answers = [builders.answer(answer_id) for answer_id in sorted({one.answer_id for one in claims})]
    pq.write_table(to_table(Answer, answers), folder / "answers.parquet")
    pq.write_table(to_table(Evidence, evidence), folder / "evidence.parquet")
    return {"run": run, "answers": str(folder / "answers.parquet"), "evidence": str(folder / "evidence.parquet")}


def judged(answer_id: str, claim_id: str = "c0", p: float = 0.9, evidence_id: str = "logs", **fields: Any) -> Verdict:
    values = {"version": "1", "p_entailment": p, "supported": p >= 0.5, "checker": "m@1", "n_windows": 1, "answer_id": answer_id}
    return builders.verdict(evidence_id, claim_id, **{**values, **fields})


@pytest.fixture
def run(tmp_path: Path) -> dict[str, Any]:
    """A hundred answers: half date claims (some also quantity), half quantity, scores all over; one dangling, one joint row."""
    claims = [
        builders.claim(
            answer_id=f"a{i:03}", families=[["date", "quantity"], ["quantity"], ["quantity"]][i % 3], outcome="unsupported"
        )
        for i in range(100)
    ]
    verdicts = [judged(f"a{i:03}", p=i / 100) for i in range(100)]
    verdicts += [judged("a001", evidence_id="gone", status="dangling", p=0), judged("a002", evidence_id="both", joint=True)]
    return write_run(tmp_path, claims, verdicts, [builders.evidence(context="Retention", uri="https://x.example/1")])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_drawn_row_is_complete_and_the_verdict_stands_last(run: dict[str, Any], tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    drawn = export_labels(**run, output=sheet, size=30)
    assert (drawn["drawn"], drawn["run"]) == (30, 100)
    assert sheet.read_bytes().startswith(b"\xef\xbb\xbflabel,claim,premise,families,")
    rows = rows_of(sheet)
    assert list(rows[0])[-3:] == ["n_windows", "p_entailment", "supported"]
    one = next(row for row in rows if row["families"] == "date; quantity")
    place = int(one["answer_id"][1:])
    assert {name: value for name, value in one.items() if name not in ("inclusion_probability", "stratum")} == {
        "label": "",
        "claim": "Logs are kept for 30 days",
        "premise": "Retention:\nLogs are kept for 30 days.",
        "families": "date; quantity",
        "span": "",
        "question": "How long?",
        "uri": "https://x.example/1",
        "unit": "edge",
        "answer_id": one["answer_id"],
        "claim_id": "c0",
        "evidence_id": "logs",
        "version": "1",
        "frame": "run=r1",
        "queue": "sample",
        "checker": "m@1",
        "n_windows": "1",
        "p_entailment": repr(place / 100),
        "supported": str(place >= 50).lower(),
    }


def test_strata_partition_and_probabilities_are_drawn_over_size(run: dict[str, Any], tmp_path: Path) -> None:
    drawn = export_labels(**run, output=tmp_path / "sheet.csv", size=30)
    sizes = Counter(f"{'date' if i % 3 == 0 else 'quantity'} {i // 20 / 5:.1f}-{(i // 20 + 1) / 5:.1f}" for i in range(100))
    assert set(drawn) - {"drawn", "run"} == set(sizes)
    rows = rows_of(tmp_path / "sheet.csv")
    assert Counter(row["stratum"] for row in rows) == {name: drawn[name] for name in sizes}
    for row in rows:
        n = Fraction(drawn[row["stratum"]], sizes[row["stratum"]])
        assert float(row["inclusion_probability"]) == float(n)
    # The weights of a stratum's rows add up to its size: the sum over the sheet is the run.
    assert sum(1 / float(row["inclusion_probability"]) for row in rows) == pytest.approx(100)


def test_the_same_seed_draws_the_same_bytes_and_another_seed_others(run: dict[str, Any], tmp_path: Path) -> None:
    one, two, other = (tmp_path / f"{name}.csv" for name in "abc")
    export_labels(**run, output=one, size=30)
    export_labels(**run, output=two, size=30)
    export_labels(**run, output=other, size=30, seed="another")
    assert one.read_bytes() == two.read_bytes()
    assert {row["answer_id"] for row in rows_of(one)} != {row["answer_id"] for row in rows_of(other)}


def test_every_row_is_as_likely_as_it_says(run: dict[str, Any], tmp_path: Path) -> None:
    times, said = Counter[str](), dict[str, float]()
    for seed in range(200):
        export_labels(**run, output=tmp_path / "sheet.csv", size=30, seed=str(seed))
        for row in rows_of(tmp_path / "sheet.csv"):
            times[row["answer_id"]] += 1
            said[row["answer_id"]] = float(row["inclusion_probability"])
    assert len(said) == 100
    # Four standard deviations of a count of 200 draws.
    assert all(abs(times[one] / 200 - p) < 4 * (p * (1 - p) / 200) ** 0.5 for one, p in said.items())


def test_a_claim_is_drawn_with_all_passages_that_it_cites(tmp_path: Path) -> None:
    claims = [
        builders.claim(outcome="supported"),
        builders.claim("c1", outcome="unjudged"),
        builders.claim("c2", outcome="uncited"),
    ]
    verdicts = [judged("a1", p=0.7), judged("a1", p=0.2, evidence_id="more"), judged("a1", "c1")]
    evidence = [builders.evidence(), builders.evidence("more", "Metrics too.", context="Scope")]
    export_labels(**write_run(tmp_path, claims, verdicts, evidence), output=tmp_path / "sheet.csv", unit="claim")
    (row,) = rows_of(tmp_path / "sheet.csv")
    assert (row["premise"], row["supported"], row["p_entailment"], row["evidence_id"], row["inclusion_probability"]) == (
        "Logs are kept for 30 days.\n\nScope:\nMetrics too.",
        "true",
        "0.7",
        "",
        "1.0",
    )


def test_the_cited_words_are_shown(tmp_path: Path) -> None:
    verdicts = [judged("a1", span_start=0, span_end=4)]
    arguments = write_run(tmp_path, [builders.claim(outcome="supported")], verdicts, [builders.evidence()])
    export_labels(**arguments, output=tmp_path / "sheet.csv")
    assert rows_of(tmp_path / "sheet.csv")[0]["span"] == "Logs"


def test_what_cannot_be_drawn_says_why(run: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--size is below the number of strata: 3, and 10 of family and score"):
        export_labels(**run, output=tmp_path / "sheet.csv", size=3)
    pq.write_table(to_table(Evidence, [builders.evidence("other")]), tmp_path / "other.parquet")
    with pytest.raises(UsageError, match="not in --evidence: evidence_id='logs', version='1'"):
        export_labels(**{**run, "evidence": str(tmp_path / "other.parquet")}, output=tmp_path / "sheet.csv")
    (tmp_path / "empty").mkdir()
    nothing = write_run(tmp_path / "empty", [builders.claim()], [builders.verdict(status="dangling")], [builders.evidence()])
    with pytest.raises(UsageError, match="no judged edge"):
        export_labels(**nothing, output=tmp_path / "sheet.csv")


def test_the_command_says_how_much_it_drew(run: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = [part for name, value in run.items() for part in (f"--{name}", str(value))]
    assert main(["labels", *places, "--output", str(tmp_path / "sheet.csv"), "--size", "25"]) == 0
    assert "drew 25 of 100 in 10 strata" in capsys.readouterr().out
    assert len(rows_of(tmp_path / "sheet.csv")) == 25


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1, max_size=20), st.integers(0, 600))
def test_allotments_add_up_and_leave_no_stratum_out(sizes: dict[str, int], extra: int) -> None:
    total = len(sizes) + extra
    drawn = allotted(sizes, total)
    assert sum(drawn.values()) == min(total, sum(sizes.values()))
    assert all(1 <= drawn[name] <= sizes[name] for name in sizes)


# --- cells ------------------------------------------------------------------------------------------------------------------------


@given(st.text())
def test_a_guarded_cell_is_no_formula_and_comes_back(text: str) -> None:
    cell = guarded(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unguarded(cell) == text.replace("\0", "\ufffd")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(str.strip))
def test_any_text_survives_the_sheet(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    write_sheet(path, [Label(None, text, text, ["scope"], question="'=x", answer_id="'-1")])
    (label,) = read_labels(path).labels
    assert label == Label(None, text, text, ["scope"], question="'=x", answer_id="'-1")


def test_planted_formulas_come_back_as_they_were(tmp_path: Path) -> None:
    full = Label(
        "supported", PLANTED, f"@SUM(A1)\r\n{PLANTED}", ["scope", "date"], "\tx", "+1", "-1", "claim", "=a", "'=b", "e", "01",
        "run=1", "s", 1 / 3, "sample", "m@1", 2, 0.25, False,
    )  # fmt: skip
    write_sheet(tmp_path / "sheet.csv", [full])
    assert read_labels(tmp_path / "sheet.csv").labels == [full]
    assert all(not cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in rows_of(tmp_path / "sheet.csv")[0].values())


def test_a_long_passage_is_cut_and_says_so() -> None:
    assert guarded("x" * 40_000).endswith("x [… cut, 8000 characters more: see uri]")
    assert len(guarded("=" * 40_000)) < 32_767


# --- reading ----------------------------------------------------------------------------------------------------------------------


def sheet_of(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_words_for_labels_and_what_is_counted(tmp_path: Path) -> None:
    words = ("supported", " Entailment ", "NEUTRAL", "contradiction", "unsupported", "unsure", "", "  ")
    path = sheet_of(tmp_path / "s.csv", "label,claim,premise", *(f"{word},c,p{i}" for i, word in enumerate(words)))
    sheet = read_labels(path)
    expected = ["supported", "supported", "unsupported", "unsupported", "unsupported", "unsure", None, None]
    assert [one.label for one in sheet.labels] == expected
    assert sheet.counts == {"rows": 8, "not labelled": 2, "supported": 2, "unsupported": 3, "unsure": 1}


def test_rows_of_a_queue_never_enter(tmp_path: Path) -> None:
    path = sheet_of(
        tmp_path / "s.csv", "label,claim,premise,queue", "supported,c,p,", "supported,c,q,flagged", "unsupported,c,r,Review"
    )
    sheet = read_labels(path)
    assert [one.premise for one in sheet.labels] == ["p"]
    assert sheet.counts == {"rows": 3, "queue flagged": 1, "queue review": 1, "supported": 1}


def test_a_sheet_saved_elsewhere_is_read(tmp_path: Path) -> None:
    path = sheet_of(
        tmp_path / "s.csv",
        "label;claim;premise;family;inclusion_probability;p_entailment;n_windows;supported;checker;frame;notes",
        'supported;c;"one, two";Scope, date;0,5;1;2.0;FALSCH;m;run=1;x',
    )
    with pytest.raises(UsageError, match="supported 'FALSCH': true or false"):
        read_labels(path)
    path.write_text(path.read_text(encoding="utf-8").replace("FALSCH", "FALSE"), encoding="utf-8")
    assert read_labels(path).labels == [
        Label("supported", "c", "one, two", ["scope", "date"], frame="run=1", inclusion_probability=0.5, checker="m", n_windows=2,
              p_entailment=1.0, supported=False)
    ]  # fmt: skip


def test_json_lines_are_read(tmp_path: Path) -> None:
    rows = [
        {"premise": "p", "claim": "c", "label": "entailment", "family": "scope"},
        {"premise": "q", "claim": "=c", "label": None, "families": ["date", "other"], "supported": True, "checker": "m"},
    ]
    path = sheet_of(tmp_path / "s.jsonl", *map(json.dumps, rows))
    assert read_labels(path).labels == [
        Label("supported", "c", "p", ["scope"]),
        Label(None, "=c", "q", ["date", "other"], checker="m", supported=True),
    ]


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    path = sheet_of(
        tmp_path / "s.csv",
        "label,claim,premise,families,inclusion_probability,queue,supported,answer_id,claim_id,frame,checker",
        "maybe,c,p,scope,1,,,,,,",
        "supported,c,,colour,2,inbox,perhaps,,,,",
        "supported,c,p,,,,,,,run=1,",
        "supported,c,p,,0,,true,,,,",
        "supported,c,p,,,,,a1,c1,,",
        "unsupported,c,p,,,,,a1,c1,,",
    )
    with pytest.raises(UsageError) as error:
        read_labels(path)
    assert str(error.value).splitlines() == [
        f"{path}: 10 faults in 6 rows:",
        "  row 2: label 'maybe': one of supported, unsupported, unsure, entailment, neutral, contradiction, or empty",
        "  row 3: premise is empty: give the text that was labelled",
        "  row 3: inclusion_probability '2': a probability above 0 and at most 1",
        "  row 3: supported 'perhaps': true or false",
        "  row 3: families 'colour': of scope, date, quantity, entity, polarity, modality, aggregation, other, "
        "separated by semicolons",
        "  row 3: queue 'inbox': one of sample, flagged, review, or empty",
        "  row 4: inclusion_probability is empty, and the frame is 'run=1': a row drawn from a run carries it",
        "  row 5: inclusion_probability 0: what is never drawn cannot be in a sheet; a probability above 0",
        "  row 5: checker is empty, and supported is True: name the checker, or leave supported empty",
        "  row 7: the same pair as row 6 (answer_id 'a1'): keep one of them, with one label",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"label,claim\nsupported,c\n", "has no column premise; found label, claim"),
        (b"label,claim,premise\n", "holds no rows below its header"),
        ("label,claim,premise\nsupported,é,p".encode("cp1252"), "is not UTF-8"),
        (b'label,claim,premise\nsupported,"c"x,p', "is not CSV"),
    ],
)
def test_what_is_no_sheet_says_so(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "s.csv").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_labels(tmp_path / "s.csv")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"cannot read nowhere\.csv"):
        read_labels(Path("nowhere.csv"))
