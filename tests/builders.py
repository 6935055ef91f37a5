"""Small records for tests: what a test does not name gets a plain default."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from schemas.answers import Answer, DeclaredCitation
from schemas.claims import Claim
from schemas.evidence import Evidence
from schemas.verdicts import Verdict
from transforms.edges import Edge
from transforms.questions import AnswerContext


def checker_folder(folder: Path, weights_of: str = "") -> str:
    """Make a checker's folder that says nothing: enough for everything that no model decides."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text('{"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}}')
    (folder / "model.safetensors").write_bytes(save({}, metadata={"of": weights_of}))
    (folder / "tokenizer.json").touch()
    return str(folder)


def utc(year: int, month: int = 1, day: int = 1) -> dt.datetime:
    return dt.datetime(year, month, day, tzinfo=dt.timezone.utc)


def answer(answer_id: str = "a1", text: str = "Logs are kept for 30 days [1].", **fields: Any) -> Answer:
    fields.setdefault("citations", [DeclaredCitation("logs", marker="1")])
    return Answer(answer_id, fields.pop("answered_at", utc(2026, 3)), fields.pop("question", "How long?"), text, **fields)


def evidence(
    evidence_id: str = "logs", text: str | None = "Logs are kept for 30 days.", version: str = "1", **fields: Any
) -> Evidence:
    return Evidence(evidence_id, version, "doc", text, fields.pop("status", "current"), **fields)


def edge(evidence_id: str = "logs", **fields: Any) -> Edge:
    values = {
        "answer_id": "a1",
        "claim_id": "c0",
        "sentence": 0,
        "evidence_id": evidence_id,
        "version": None,
        "quote": None,
        "status": None,
        "answered_at": utc(2026, 3),
        "principals": (),
        "claim": "Logs are kept for 30 days",
    }
    return Edge(**{**values, **fields})


def claim(claim_id: str = "c0", **fields: Any) -> Claim:
    values = {
        "answer_id": "a1",
        "claim_id": claim_id,
        "text": "Logs are kept for 30 days",
        "start": 0,
        "end": 25,
        "spans": [],
        "inherited": [],
        "heading": None,
        "sentence": 0,
        "requires_evidence": True,
        "reason": None,
        "stated_reason": None,
        "families": ["quantity"],
        "cited": [],
        "splitter": "test",
    }
    return Claim(**{**values, **fields})


def verdict(evidence_id: str = "logs", claim_id: str = "c0", **fields: Any) -> Verdict:
    values = {"answer_id": "a1", "sentence": 0, "status": "judged", "label": "neutral"}
    return Verdict(claim_id=claim_id, evidence_id=evidence_id, **{**values, **fields})


def context(answer_id: str = "a1", **fields: Any) -> AnswerContext:
    values = {"question": "How long?", "build": None, "principals": (), "retrieved": None, "had": ()}
    return AnswerContext(answer_id, utc(2026, 3), **{**values, **fields})
