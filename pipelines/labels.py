"""Label sheets: draw judged pairs of a finished run for people to label, in CSV that opens in a spreadsheet, and read them back."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from pipelines.judge import read_jsonl
from pipelines.options import UsageError, find_files
from pipelines.runs import Folder, read_manifest, read_run_table
from schemas.calibration import CLOSED_QUEUES, LABEL_VALUES, RUN_FRAME, SAMPLE_QUEUE, UNITS, Label
from schemas.claims import FAMILIES, OTHER_FAMILY
from transforms.tables import stable_hash

SCORE_BINS = 5
# Spreadsheets cut a cell at 32,767 characters, or let it spill over.
LONGEST_CELL = 32_000
_CUT = " [… cut, {} characters more: see uri]"
# What a spreadsheet takes for a formula (OWASP, CSV injection); an apostrophe in front makes it text.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_MEANS = {"entailment": "supported", "neutral": "unsupported", "contradiction": "unsupported"}
_FAULTS_SHOWN = 20


# --- drawing ----------------------------------------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """A judged edge, or a claim with its judged edges, that may be drawn; `edges` are rows of the verdicts table."""

    key: str
    claim: dict[str, Any]
    edges: tuple[dict[str, Any], ...]

    @property
    def score(self) -> float:
        """The best probability of support among its edges."""
        return max(float(edge["p_entailment"] or 0.0) for edge in self.edges)


def export_labels(
    run: Folder, answers: str, evidence: str, output: Path, size: int = 300, unit: str = "edge", seed: str = "nearmiss"
) -> dict[str, int]:
    """Draw `size` pairs of a finished run and write them as a sheet; the same run and seed give the same bytes.

    Drawn by lot within strata of family and score. Returns the number of pairs and of those drawn by stratum, and under `run` and
    `drawn` the sums. Raises UsageError where the run has nothing to draw, a passage is not in the evidence, or `size` is below the
    number of strata.
    """
    if unit not in UNITS:
        raise UsageError(f"no such unit: {unit!r}; choose from {', '.join(UNITS)}")
    strata = stratified(_candidates(run, unit))
    drawn = allotted({name: len(part) for name, part in strata.items()}, size)
    chosen = [
        (one, name, drawn[name] / len(part))
        for name, part in strata.items()
        for one in sorted(part, key=lambda one: (_lot(seed, one.key), one.key))[: drawn[name]]
    ]
    # In an order of their own, so that a sheet labelled half way is a sample too.
    chosen.sort(key=lambda one: (_lot(f"{seed} order", one[0].key), one[0].key))
    questions = {row["answer_id"]: row["question"] for row in _rows(answers, "answers", ("answer_id", "question"))}
    passages = {
        (row["evidence_id"], row["version"]): row
        for row in _rows(evidence, "evidence", ("evidence_id", "version", "text", "context", "uri"))
    }
    frame = RUN_FRAME + read_manifest(run)["run_id"]
    write_sheet(output, (_label(one, unit, frame, stratum, p, questions, passages) for one, stratum, p in chosen))
    return {**drawn, "drawn": sum(drawn.values()), "run": sum(map(len, strata.values()))}


def _candidates(run: Folder, unit: str) -> list[Candidate]:
    claims = {(row["answer_id"], row["claim_id"]): row for row in read_run_table(run, "claims")}
    edges: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in read_run_table(run, "verdicts"):
        # A row of a joint set is no edge.
        if row["status"] == "judged" and not row.get("joint"):
            edges[row["answer_id"], row["claim_id"]].append(row)
    if not edges:
        raise UsageError(f"{run} holds no judged edge: there is nothing to label")
    if unit == "edge":
        return [
            Candidate("\x1f".join((*key, edge["evidence_id"], str(edge["version"]))), claims[key], (edge,))
            for key, own in sorted(edges.items())
            for edge in own
        ]
    decided = ("supported", "unsupported")
    return [
        Candidate("\x1f".join(key), claims[key], tuple(own))
        for key, own in sorted(edges.items())
        if claims[key]["outcome"] in decided
    ]


def stratified(candidates: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """Part candidates by family and score. Families overlap: a claim with several counts for the rarest among the candidates."""
    n = Counter(family for one in candidates for family in one.claim["families"])
    order = (*FAMILIES, OTHER_FAMILY)
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for one in candidates:
        family = min(one.claim["families"] or [OTHER_FAMILY], key=lambda family: (n[family], order.index(family)))
        place = min(int(one.score * SCORE_BINS), SCORE_BINS - 1)
        strata[f"{family} {place / SCORE_BINS:.1f}-{(place + 1) / SCORE_BINS:.1f}"].append(one)
    return dict(sorted(strata.items()))


def allotted(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many to draw from each stratum: one at least, the others by the square root of its size, at most all.

    Between proportional (best for the whole) and equal (best for each stratum). Raises UsageError where `total` is below the
    number of strata.

    >>> allotted({"a": 100, "b": 4, "c": 1}, 13)
    {'a': 10, 'b': 2, 'c': 1}
    """
    if total < len(sizes):
        raise UsageError(
            f"--size is below the number of strata: {total}, and {len(sizes)} of family and score hold pairs; ask for more"
        )
    drawn = dict.fromkeys(sizes, 1)
    for _ in range(min(total, sum(sizes.values())) - len(sizes)):
        open_strata = [name for name in sizes if drawn[name] < sizes[name]]
        drawn[max(open_strata, key=lambda name: math.sqrt(sizes[name]) / (drawn[name] + 1))] += 1
    return drawn


def _lot(seed: str, key: str) -> int:
    return stable_hash(f"{seed}\x1f{key}")


def _rows(pattern: str, what: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for path in find_files(pattern, what):
        try:
            file = pq.ParquetFile(path)
            rows = file.read([name for name in columns if name in file.schema_arrow.names]).to_pylist()
        except (OSError, ValueError) as error:
            raise UsageError(f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; write the file again") from error
        yield from ({**dict.fromkeys(columns), **row} for row in rows)


def _label(
    one: Candidate,
    unit: str,
    frame: str,
    stratum: str,
    probability: float,
    questions: Mapping[str, str],
    passages: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Label:
    edge, claim = one.edges[0], one.claim
    found = [_passage(row, passages) for row in one.edges]
    alone = unit == "edge"
    start, end = edge["span_start"], edge["span_end"]
    span = found[0]["text"][start:end] if alone and start is not None and end is not None else None
    texts = [f"{row['context'].strip()}:\n{row['text']}" if (row["context"] or "").strip() else row["text"] for row in found]
    return Label(
        label=None,
        claim=claim["text"],
        premise="\n\n".join(dict.fromkeys(texts)),
        families=claim["families"],
        span=span,
        question=questions.get(claim["answer_id"]),
        uri="; ".join(dict.fromkeys(row["uri"] for row in found if row["uri"])) or None,
        unit=unit,
        answer_id=claim["answer_id"],
        claim_id=claim["claim_id"],
        evidence_id=edge["evidence_id"] if alone else None,
        version=edge["version"] if alone else None,
        frame=frame,
        stratum=stratum,
        inclusion_probability=probability,
        queue=SAMPLE_QUEUE,
        checker=edge["checker"],
        n_windows=edge["n_windows"] if alone else None,
        p_entailment=one.score,
        supported=edge["supported"] if alone else claim["outcome"] == "supported",
    )


def _passage(edge: Mapping[str, Any], passages: Mapping[tuple[str, str], Mapping[str, Any]]) -> Mapping[str, Any]:
    found = passages.get((edge["evidence_id"], edge["version"]))
    if found is None or not found["text"]:
        place = f"evidence_id={edge['evidence_id']!r}, version={edge['version']!r}"
        raise UsageError(f"a judged passage is not in --evidence: {place}; give the evidence files of the run")
    return found


# --- writing ----------------------------------------------------------------------------------------------------------------------


def write_sheet(path: Path, labels: Iterable[Label]) -> int:
    """Write labels as CSV (UTF-8 with a mark, so that spreadsheets know it); returns the number of rows."""
    rows = [[_cell(value) for value in label] for label in labels]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Label._fields)
        writer.writerows(rows)
    return len(rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return guarded("; ".join(value))
    return guarded(value) if isinstance(value, str) else repr(value)


def guarded(text: str) -> str:
    """Make a text safe as a cell: cut to what a cell holds, an apostrophe in front of what would be a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("'tis")
    ("'=1+1", "''=1+1", "'tis")
    """
    text = text.replace("\0", "\ufffd")
    text = text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + _CUT.format(len(text) - LONGEST_CELL)
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Take the apostrophe of `guarded` off again.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


# --- reading ----------------------------------------------------------------------------------------------------------------------


class Sheet(NamedTuple):
    """The rows of a file that may enter an error rate, unlabelled and unsure ones among them, and what became of all of them."""

    labels: list[Label]
    counts: dict[str, int]


def read_labels(path: Path) -> Sheet:
    """Read labels from CSV (as `export_labels` writes it, or as a spreadsheet saves that) or JSON Lines (`.jsonl`).

    `premise` and `claim` are needed, `label` may be empty; every other field has a default. Raises UsageError that names every
    fault with row, field, value and fix.
    """
    is_lines = path.suffix in (".jsonl", ".json")
    plain: list[dict[str, Any]] = read_jsonl(path, ("premise", "claim")) if is_lines else _csv_rows(path)
    # Spreadsheets count the header as row 1.
    first = 1 if is_lines else 2
    faults: list[str] = []
    labels = [_read_row(row, f"row {i}", faults) for i, row in enumerate(plain, start=first)]
    faults += _repeated(labels, first)
    if faults:
        more = f"\n  and {len(faults) - _FAULTS_SHOWN} more" if len(faults) > _FAULTS_SHOWN else ""
        listed = "".join(f"\n  {fault}" for fault in faults[:_FAULTS_SHOWN])
        raise UsageError(f"{path}: {len(faults)} faults in {len(labels)} rows:{listed}{more}")
    kept = [label for label in labels if label.queue not in CLOSED_QUEUES]
    queued = Counter(f"queue {label.queue}" for label in labels if label.queue in CLOSED_QUEUES)
    said = Counter(label.label or "not labelled" for label in kept)
    return Sheet(kept, {"rows": len(labels), **dict(sorted(queued.items())), **dict(sorted(said.items()))})


def _csv_rows(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            file.seek(0)
            # A spreadsheet saves with the separator of its country.
            rows = list(csv.DictReader(file, delimiter=max(",;\t", key=header.count), restkey="", strict=True))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}; save it as CSV UTF-8") from error
    except csv.Error as error:
        raise UsageError(f"{path} is not CSV: {error}; save the sheet as CSV UTF-8") from error
    if not rows:
        raise UsageError(f"{path} holds no rows below its header; label a sheet made by `nearmiss labels`")
    lacking = [name for name in ("label", "claim", "premise") if name not in rows[0]]
    if lacking:
        raise UsageError(f"{path} has no column {', '.join(lacking)}; found {', '.join(filter(None, rows[0]))}")
    return [{name: unguarded(cell) if isinstance(cell, str) else cell for name, cell in row.items()} for row in rows]


def _read_row(row: Mapping[str, Any], where: str, faults: list[str]) -> Label:
    """A row as a Label; what cannot be read goes to `faults` and takes its default."""

    def read(name: str, parse: Callable[[Any], Any], fix: str, default: Any = None) -> Any:
        value = row.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            return default
        try:
            return parse(value)
        except (ValueError, TypeError, AttributeError, KeyError):
            faults.append(f"{where}: {name} {_short(value)}: {fix}")
            return default

    texts = {name: read(name, _text, "give a text") for name in _TEXTS}
    for name in ("claim", "premise"):
        if texts[name] is None:
            faults.append(f"{where}: {name} is empty: give the text that was labelled")
    frame, families = texts["frame"], "families" if row.get("families") else "family"
    probability = read("inclusion_probability", _share, "a probability above 0 and at most 1")
    supported = read("supported", _flag, "true or false")
    if probability is None and (frame or "").startswith(RUN_FRAME):
        faults.append(f"{where}: inclusion_probability is empty, and the frame is {frame!r}: a row drawn from a run carries it")
    if probability == 0:
        faults.append(f"{where}: inclusion_probability 0: what is never drawn cannot be in a sheet; a probability above 0")
    if supported is not None and texts["checker"] is None:
        faults.append(f"{where}: checker is empty, and supported is {supported}: name the checker, or leave supported empty")
    return Label(
        label=read("label", _one_of((*LABEL_VALUES, *_MEANS)), f"one of {', '.join((*LABEL_VALUES, *_MEANS))}, or empty"),
        families=read(families, _families, f"of {', '.join((*FAMILIES, OTHER_FAMILY))}, separated by semicolons", []),
        unit=read("unit", _one_of(UNITS), f"one of {', '.join(UNITS)}", UNITS[0]),
        inclusion_probability=1.0 if probability is None else probability,
        queue=read(
            "queue", _one_of((SAMPLE_QUEUE, *CLOSED_QUEUES)), f"one of {', '.join((SAMPLE_QUEUE, *CLOSED_QUEUES))}, or empty"
        ),
        n_windows=read("n_windows", lambda value: int(float(value)), "a whole number"),
        p_entailment=read("p_entailment", _share, "a probability"),
        supported=supported,
        **{**texts, "claim": texts["claim"] or "", "premise": texts["premise"] or ""},
    )


_TEXTS = (
    "claim",
    "premise",
    "span",
    "question",
    "uri",
    "answer_id",
    "claim_id",
    "evidence_id",
    "version",
    "frame",
    "stratum",
    "checker",
)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _one_of(values: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        word = value.strip().lower()
        if word not in values:
            raise ValueError(word)
        return _MEANS.get(word, word)

    return read


def _families(value: Any) -> list[str]:
    words = re.split(r"[;,\s]+", value.strip().lower()) if isinstance(value, str) else list(value)
    if not {word for word in words if word} <= {*FAMILIES, OTHER_FAMILY}:
        raise ValueError(value)
    return list(dict.fromkeys(word for word in words if word))


def _share(value: Any) -> float:
    share = float(value.strip().replace(",", ".") if isinstance(value, str) else value)
    if not 0 <= share <= 1:
        raise ValueError(share)
    return share


def _flag(value: Any) -> bool:
    return {"true": True, "false": False, "1": True, "0": False}[str(value).strip().lower()]


def _repeated(labels: Sequence[Label], first: int) -> Iterator[str]:
    """Faults of pairs that stand twice: they would count twice."""
    seen: dict[Any, int] = {}
    for i, label in enumerate(labels, start=first):
        key = (
            label.unit,
            label.frame,
            label.answer_id,
            label.claim_id,
            label.evidence_id,
            label.version,
            label.claim,
            label.premise,
        )
        if label.answer_id is not None and seen.setdefault(key, i) != i:
            yield f"row {i}: the same pair as row {seen[key]} (answer_id {label.answer_id!r}): keep one of them, with one label"
