"""The manifest of a run: what went in, what came out, whether it adds up; and the gate that decides on it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from schemas.claims import CAUSES, NOT_REQUIRED_REASONS
from schemas.expectations import Suite
from schemas.rejects import FILE_REASONS, Reject
from schemas.verdicts import EDGE_STATUSES
from transforms.tables import WrittenFile, write_bytes
from transforms.tallies import add_tallies, unmet, validation

STARTED, SUCCESS, FAILED, MANIFEST, VALIDATION = "_STARTED", "_SUCCESS", "_FAILED", "manifest.json", "validation.json"
EXIT_CODES = {"identity": 1, "input": 2, "coverage": 3, "contract": 3, "broken": 5}
STATES = ("evaluated", "abstained", "empty", "no_claims")


class GateTripped(RuntimeError):
    """A finished run that must not be believed; its tables stay for inspection."""


class Identity(NamedTuple):
    """Two counts taken at different steps that have to be equal."""

    name: str
    left: int
    right: int

    @property
    def holds(self) -> bool:
        """Whether the two sides are equal."""
        return self.left == self.right


def identities(counts: dict[str, int], rows: dict[str, int]) -> list[Identity]:
    """The identities of a run: what each step took in against what the steps after it let out.

    `counts` are named counts of the graph, `rows` the rows of the written tables.
    """
    n: dict[str, int] = defaultdict(int, counts)
    lost = {step: _lost(counts, step) for step in ("answers", "evidence")}
    return [
        Identity(
            "answers read = evaluated + abstained + empty + no_claims + duplicate + rejected",
            n["answers.read"],
            sum(n[f"answers.{state}"] for state in STATES) + lost["answers"],
        ),
        Identity("evidence read = kept + duplicate + rejected", n["evidence.read"], n["evidence.kept"] + lost["evidence"]),
        Identity(
            "claims split = required + not required (by reason)",
            n["claims.split"],
            n["claims.required"] + sum(n[f"claims.{reason}"] for reason in NOT_REQUIRED_REASONS),
        ),
        Identity(
            "edges resolved = judged + each status", n["edges.resolved"], sum(n[f"edges.{status}"] for status in EDGE_STATUSES)
        ),
        Identity("unique pairs = judged + failed", n["pairs.unique"], n["pairs.judged"] + n["pairs.failed"]),
        Identity("claims split = rows of the claims table", n["claims.split"], rows.get("claims", 0)),
        Identity(
            "required claims = supported + unsupported + uncited + unjudged",
            n["claims.required"],
            sum(n[f"outcomes.{outcome}"] for outcome in ("supported", "unsupported", "uncited", "unjudged")),
        ),
        Identity(
            "unsupported + uncited claims = each cause",
            n["outcomes.unsupported"] + n["outcomes.uncited"],
            sum(n[f"causes.{cause}"] for cause in CAUSES),
        ),
        Identity(
            "edges resolved + joint sets asked = rows of the verdicts table",
            n["edges.resolved"] + n["questions.joint"],
            rows.get("verdicts", 0),
        ),
        Identity("claims split = profiled", n["claims.split"], n["profile.claims"]),
        *(
            Identity(
                f"{step} read = profiled + unreadable",
                n[f"{step}.read"],
                n[f"profile.{step}"] + sum(n[f"rejects.{step}.{reason}"] for reason in FILE_REASONS),
            )
            for step in ("answers", "evidence")
        ),
    ]


class Gate(NamedTuple):
    """What a run may lose and still be believed: shares of edges unjudged and of input rows rejected, and lost evidence."""

    max_unjudged: float = 0.1
    max_rejected: float = 0.1
    allow_missing_evidence: bool = False


def gate_reasons(manifest: dict[str, Any], gate: Gate) -> list[dict[str, str]]:
    """Why a run must not be believed: broken identities, nothing to read, or more lost on the way than the gate allows."""
    counts: dict[str, int] = defaultdict(int, manifest["counts"])
    reasons = [
        {"kind": "identity", "message": f"does not reconcile: {one['name']}: {one['left']} against {one['right']}"}
        for one in manifest["identities"]
        if not one["holds"]
    ]
    usable = {"answers": sum(counts[f"answers.{state}"] for state in STATES), "evidence": counts["evidence.kept"]}
    for step, n in usable.items():
        if not n and (step == "answers" or counts["evidence.read"] or not counts["evidence.files_read"]):
            reasons.append({"kind": "input", "message": f"nothing of the {step} could be read; see the rejects table"})
    # What the declaration promises of our own output is ours to keep: a broken promise is a bug, as a broken identity is.
    for one in manifest.get("stops", ()):
        reasons.append({"kind": "identity" if one["declared"] else "contract", "message": one["message"]})
    return [*reasons, *({"kind": "coverage", "message": message} for message in _coverage(counts, gate, bool(usable["evidence"])))]


def _coverage(counts: dict[str, int], gate: Gate, evidence: bool) -> Iterator[str]:
    lost = counts["evidence.unplaceable"]
    if lost and not gate.allow_missing_evidence and evidence:
        yield (
            f"{lost} evidence files, row groups or nameless rows could not be read: edges into them are unjudged; "
            "mend them (see the rejects table) or pass --allow-missing-evidence"
        )
    unjudged = counts["edges.unjudged"]
    yield from _above("edges unjudged", unjudged, unjudged + counts["edges.judged"], gate.max_unjudged, "--max-unjudged")
    for step in ("answers", "evidence"):
        rejected = _lost(counts, step) - counts[f"rejects.{step}.duplicate_{step.removesuffix('s')}"]
        yield from _above(f"{step} rejected", rejected, counts[f"{step}.read"], gate.max_rejected, "--max-rejected")
        # How many rows a file held that cannot be read, nobody knows.
        lost, read = counts[f"{step}.files_rejected"], counts[f"{step}.files_read"]
        yield from _above(f"{step} files rejected", lost, lost + read, gate.max_rejected, "--max-rejected")


def _above(what: str, part: int, whole: int, most: float, option: str) -> Iterator[str]:
    if whole and part / whole > most:
        yield f"{part} of {whole} {what}, a share of {part / whole:.4f}: more than {option} {most}; see the rejects table"


def _lost(counts: Mapping[str, int], step: str) -> int:
    return sum(n for name, n in counts.items() if name.startswith(f"rejects.{step}."))


def reject_counts(reject: Reject) -> Iterator[tuple[str, int]]:
    """Count a reject by step and reason, in input rows; evidence that no edge can be traced to is counted apart."""
    yield f"rejects.{reject.step}.{reject.reason}", reject.n_rows
    if reject.step == "evidence" and not reject.record_id:
        yield "evidence.unplaceable", 1


@dataclass
class WriteManifest(beam.PTransform):
    """Write validation.json and manifest.json once all tables are written.

    Comes in: a dict of `files`, `counts` ((name, n) in any number), `tallies` and `warnings` (one list). Goes out: the manifest.
    """

    folder: str
    about: dict[str, Any]
    suites: Sequence[Suite]

    def expand(self, parts: dict[str, beam.PCollection]) -> beam.PCollection[dict[str, Any]]:
        files = parts["files"] | "ListFiles" >> beam.combiners.ToList()
        counts = parts["counts"] | "SumCounts" >> beam.CombinePerKey(sum) | "ListCounts" >> beam.combiners.ToList()
        tallies = parts["tallies"] | "SumTallies" >> beam.CombinePerKey(add_tallies) | "ListTallies" >> beam.combiners.ToList()
        return files | "WriteManifest" >> beam.Map(
            _write_manifest,
            beam.pvalue.AsSingleton(counts),
            beam.pvalue.AsSingleton(tallies),
            beam.pvalue.AsSingleton(parts["warnings"]),
            self.folder,
            self.about,
            self.suites,
        )


def _write_manifest(
    files: list[WrittenFile],
    counts: list[tuple[str, int]],
    tallies: list[Any],
    warnings: list[str],
    folder: str,
    about: dict[str, Any],
    suites: Sequence[Suite],
) -> dict[str, Any]:
    written = [file._asdict() for file in sorted(files)]
    rows: dict[str, int] = defaultdict(int)
    for file in files:
        rows[file.table] += file.rows
    found = [{**one._asdict(), "holds": one.holds} for one in identities(dict(counts), rows)]
    calls = {name: dict(counts).get(of, 0) for name, of in (("model_calls", "pairs.windows"), ("parser_calls", "answers.parsed"))}
    results = validation(suites, tallies)
    told = {"warnings": [*warnings, *(one["message"] for one in unmet(results, "warn"))], "stops": unmet(results, "stop")}
    manifest = {**about, **calls, **told, "counts": dict(sorted(counts)), "identities": found, "files": written}
    write_json(FileSystems.join(folder, VALIDATION), results)
    write_json(FileSystems.join(folder, MANIFEST), manifest)
    return manifest


def write_json(path: str, content: Any) -> None:
    """Write JSON, indented, whole."""
    write_bytes(path, (json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n").encode("utf-8", "replace"))


def pass_gate(manifest: dict[str, Any], folder: str, gate: Gate) -> str:
    """Write `_SUCCESS`, or `_FAILED` with the reasons and raise GateTripped: the last thing that a run does."""
    reasons = gate_reasons(manifest, gate)
    if reasons:
        write_json(FileSystems.join(folder, FAILED), reasons)
        raise GateTripped("; ".join(reason["message"] for reason in reasons))
    write_bytes(FileSystems.join(folder, SUCCESS), b"")
    return folder
