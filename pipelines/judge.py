"""Judge pairs from a file and split texts from a file: the two operations that people use on their own."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pipelines.options import UsageError, check_markers, check_parser
from schemas.answers import Answer
from schemas.evidence import Evidence
from transforms.citations import GRAMMARS
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge, judge_all
from transforms.judging import PairVerdict, calibrate_window, decide
from transforms.premises import Premise, widen_premises
from transforms.propositions import SplitAnswer, split_answers
from transforms.splitting.parsing import load_parser
from transforms.support import Calibration, kind_of


def read_jsonl(path: Path, required: tuple[str, ...]) -> list[dict[str, Any]]:
    """Read JSON Lines whose objects hold `required` strings; raises UsageError that names file, line and field."""
    rows = []
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}; write it as UTF-8") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise UsageError(f"{path}, line {number} is not an object: {line[:80]!r}; write one object a line")
        for field in required:
            if not isinstance(row.get(field), str):
                raise UsageError(f"{path}, line {number}: field {field!r} must be a string, found {row.get(field)!r}")
        rows.append(row)
    if not rows:
        raise UsageError(f"{path} holds no rows; write one JSON object a line")
    return rows


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write JSON Lines; returns the number of rows."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", errors="replace")
    return len(lines)


def judge_file(pairs: Path, output: Path, config: CheckerConfig, calibration: Calibration, whole: bool = False) -> int:
    """Judge `{"id", "premise", "hypothesis"}` rows, in input order, by the windows of each premise as the nightly job does.

    With `whole` each premise is one window. A row goes out with the place of the window that decides, `premise_start` and
    `premise_end`, and how many there were, `n_windows`.
    """
    rows = read_jsonl(pairs, ("id", "premise", "hypothesis"))
    cut = [_premises(row["premise"], row["hypothesis"], whole) for row in rows]
    questions = [(row["hypothesis"], premises) for row, premises in zip(rows, cut, strict=True)]
    decided = judge_premises(EntailmentChecker(config), calibration, questions)
    return write_jsonl(
        output, (_verdict(row["id"], one, premises, calibration) for row, one, premises in zip(rows, decided, cut, strict=True))
    )


def judge_premises(
    checker: EntailmentChecker, calibration: Calibration, questions: Sequence[tuple[str, tuple[Premise, ...]]]
) -> list[PairVerdict]:
    """Judge each (claim, premises) in memory as JudgePairs does in a pipeline: the window that decides, in the order given."""
    windows = [
        WindowToJudge(str(i), k, premise.text, claim, premise.lead, len(premises))
        for i, (claim, premises) in enumerate(questions)
        for k, premise in enumerate(premises)
    ]
    decided: dict[str, PairVerdict] = {}
    for judged in judge_all(checker, windows):
        one, pair_id = calibrate_window(judged, calibration), judged.window.pair_id
        decided[pair_id] = decide(decided[pair_id], one) if pair_id in decided else one
    return [decided[str(i)] for i in range(len(questions))]


def _premises(text: str, claim: str, whole: bool) -> tuple[Premise, ...]:
    cut = () if whole else widen_premises(Evidence("", "", "", text, "current"), claim)
    return cut or (Premise(0, len(text), text),)


def _verdict(row_id: str, judged: PairVerdict, premises: tuple[Premise, ...], calibration: Calibration) -> dict[str, Any]:
    p, premise = judged.probabilities, premises[judged.window]
    return {
        "id": row_id,
        "label": p.label if p else None,
        "p_entailment": p.entailment if p else None,
        "p_neutral": p.neutral if p else None,
        "p_contradiction": p.contradiction if p else None,
        "supported": p.entailment >= calibration.thresholds[kind_of(len(premises))] if p else None,
        "premise_start": premise.start if p else None,
        "premise_end": premise.end if p else None,
        "n_windows": len(premises),
        **({} if p else {"error": judged.error}),
    }


def split_file(source: Path, output: Path, model: str = "", grammars: tuple[str, ...] = GRAMMARS) -> int:
    """Split `{"id", "text"}` rows into propositions with offsets, citations and whether they need evidence; each text is an answer.

    `spans` are all characters of a proposition, `inherited` those of them that another proposition of the sentence makes.
    """
    check_parser(model)
    check_markers(grammars)
    rows = read_jsonl(source, ("id", "text"))
    nothing = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    answers = [Answer(row["id"], nothing, "", row["text"], None) for row in rows]
    return write_jsonl(output, map(_propositions, split_answers(answers, load_parser(model), grammars)))


def _propositions(found: SplitAnswer) -> dict[str, Any]:
    return {
        "id": found.answer.answer_id,
        "propositions": [
            {
                "text": claim.text,
                "start": claim.start,
                "end": claim.end,
                "spans": [list(span) for span in claim.spans],
                "inherited": [list(span) for span in claim.inherited],
                "heading": claim.heading,
                "citations": list(dict.fromkeys(labels)),
                "requires_evidence": claim.requires_evidence,
                "reason": claim.reason,
            }
            for claim, labels in zip(found.claims, found.labels, strict=True)
        ],
    }
