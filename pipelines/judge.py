"""Judge pairs from a file and split texts from a file: the two operations that people use on their own."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipelines.options import UsageError, check_markers, check_parser
from schemas.answers import Answer
from transforms.citations import GRAMMARS
from transforms.entailment import CheckerConfig, EntailmentChecker, JudgedWindow, WindowToJudge, judge_all, read_thresholds
from transforms.propositions import SplitAnswer, split_answers
from transforms.splitting.parsing import load_parser


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


def judge_file(pairs: Path, output: Path, config: CheckerConfig) -> int:
    """Judge `{"id", "premise", "hypothesis"}` rows, in input order; each premise is taken whole, as one window."""
    rows = read_jsonl(pairs, ("id", "premise", "hypothesis"))
    windows = [WindowToJudge(str(i), 0, row["premise"], row["hypothesis"]) for i, row in enumerate(rows)]
    threshold = read_thresholds(config.source)
    judged = judge_all(EntailmentChecker(config), windows)
    return write_jsonl(output, (_verdict(row["id"], one, threshold) for row, one in zip(rows, judged, strict=True)))


def _verdict(row_id: str, judged: JudgedWindow, threshold: float) -> dict[str, Any]:
    p = judged.probabilities
    if p is None:
        return {
            "id": row_id,
            "label": None,
            "p_entailment": None,
            "p_neutral": None,
            "p_contradiction": None,
            "supported": None,
            "error": judged.error,
        }
    return {
        "id": row_id,
        "label": p.label,
        "p_entailment": p.entailment,
        "p_neutral": p.neutral,
        "p_contradiction": p.contradiction,
        "supported": p.entailment >= threshold,
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
