"""A run over hostile input: markup, script links, formulas and words to recognise, wherever a stranger's text can stand."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest
from builders import answer, checker_folder, evidence, utc
from test_judging import FakeHandler

from pipelines import nightly
from pipelines.data_docs import write_data_docs
from pipelines.nightly import run_nightly
from pipelines.options import NightlyConfig
from pipelines.report import write_report
from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.evidence import Evidence
from schemas.types import to_table

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=http://tracker.example/x.png onerror=alert(1)>"
# A slash cannot stand in a name of a file or a run.
NAME = "<script>alert(1)<svg onload=alert(2)>"
RUN = "<script>alert(1)<img-src=x-onerror=alert(2)>"
FORMULA = "=HYPERLINK(1)"
# Words that stand nowhere but in answers, questions and evidence.
WORDS = ("xanthippe", "quokka", "zugzwang", "ytterbium")
LINKS = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "\tjava\nscript:alert(1)",
    "\x01javascript:alert(1)",
    "java\0script:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "DATA:text/html;base64,PHNjcmlwdD4=",
    "vbscript:msgbox(1)",
    "//tracker.example/x",
    "file:///etc/passwd",
    '" onmouseover="alert(1)',
    'https://docs.example/a?b="><script>alert(1)</script>',
)


class Planted(NamedTuple):
    """A finished run, its files of input, and what was logged from INFO up meanwhile."""

    folder: Path
    answers: str
    evidence: str
    code: int
    logged: list[str]


class _Kept(logging.Handler):
    def __init__(self, kept: list[str]) -> None:
        super().__init__(logging.INFO)
        self.kept = kept
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(self.format(record))


def hostile_log() -> tuple[list[Answer], list[Evidence]]:
    """Answers and evidence that meet every part of the report: flagged, reviewed, rejected, sliced."""
    told = f"{WORDS[0]} {SCRIPT}"
    rows = [
        evidence(
            f"{SCRIPT}{i}",
            f"{SCRIPT} {WORDS[1]} {IMAGE}. Logs are kept.",
            context=f"{IMAGE} {WORDS[2]}",
            uri=link,
            valid_to=utc(2026, 4),
        )
        for i, link in enumerate(LINKS)
    ]
    rows.append(evidence("poison", f"A poison of {WORDS[3]}."))
    rows.append(evidence("long", "https://docs.example/" + "very-long-path/" * 40 + "end"))
    claims = [StructuredClaim("c", told, True, ["poison"]), StructuredClaim("c", told, True, [])]
    answers = [
        answer(
            f"{SCRIPT}{i}",
            f"{FORMULA} {told} says {i} {IMAGE} [1].",
            question=f"{FORMULA} {told} {IMAGE}?",
            citations=[DeclaredCitation(row.evidence_id, marker="1")],
            build=IMAGE,
            attributes={"team": SCRIPT},
        )
        for i, row in enumerate(rows)
    ]
    answers += [answer("double", told, citations=None, claims=claims), answer("same", told), answer("same", f"{told} again")]
    answers.append(answer("x" * 300, f"{told} [7].", question=told))
    return answers, rows


def planted_run(folder: Path) -> Planted:
    """Run the job on the hostile log under a strict umask, then write report and Data Docs."""
    answers, rows = hostile_log()
    files = {"answers": folder / f"answers {NAME}.parquet", "evidence": folder / f"evidence {NAME}.parquet"}
    checker, logged = checker_folder(folder / "checker"), []
    pq.write_table(to_table(Answer, answers), files["answers"])
    pq.write_table(to_table(Evidence, rows), files["evidence"])
    (folder / f"answers {NAME}-2.parquet").write_bytes(b"not parquet")
    handler, mask, level = _Kept(logged), os.umask(0o077), logging.root.level
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nightly, "EntailmentHandler", lambda config, locate: FakeHandler())
            patch.setattr(tempfile, "tempdir", str(folder / "temporary"))
            (folder / "temporary").mkdir()
            # Not by patching the attribute: loggers remember what they may say until a level is set.
            logging.root.setLevel(logging.INFO)
            logging.root.addHandler(handler)
            config = NightlyConfig(
                str(folder / "answers *.parquet"),
                str(files["evidence"]),
                str(folder / "runs"),
                RUN,
                checker,
                max_unjudged=1,
                max_rejected=1,
                slices=(("team",), ("build",)),
                as_of=utc(2026, 5),
            )
            code = run_nightly(config)
            write_report(config.folder)
            write_data_docs(config.folder)
    finally:
        os.umask(mask)
        logging.root.removeHandler(handler)
        logging.root.setLevel(level)
    return Planted(Path(config.folder), str(files["answers"]), str(files["evidence"]), code, logged)
