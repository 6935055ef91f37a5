"""Write the shipped sample as Parquet, and hold a run on it against its gold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from rich.table import Table

from cases.sample import GoldAnswer, Sample, build_sample, gold_from_json, gold_to_json
from pipelines.accuracy import balanced_accuracy, best_in_hindsight
from pipelines.judge import write_jsonl
from pipelines.runs import Folder, read_manifest, read_run_table
from schemas.answers import Answer
from schemas.evidence import Evidence
from schemas.types import from_plain, to_table
from transforms.overlap import token_f1
from transforms.premises import widen_premises


def write_sample(folder: Path) -> Sample:
    """Write answers.parquet, evidence.parquet and gold.jsonl into `folder`; the same bytes every time."""
    sample = build_sample()
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(to_table(Answer, sample.answers), folder / "answers.parquet", compression="zstd")
    pq.write_table(to_table(Evidence, sample.evidence), folder / "evidence.parquet", compression="zstd")
    write_jsonl(folder / "gold.jsonl", map(gold_to_json, sample.gold))
    return sample


class JudgedEdge(NamedTuple):
    """A judged edge of the sample: what gold says, what the checker says and how much the words overlap."""

    family: str
    expected: bool
    found: bool
    overlap: float
    claim: str
    evidence_id: str
    p_entailment: float


class GoldComparison(NamedTuple):
    """A run against gold: `differences` are of what no model decides and should be empty; `edges` are the model's part."""

    differences: list[str]
    edges: list[JudgedEdge]

    @property
    def errors(self) -> list[JudgedEdge]:
        """The edges on which the checker and gold differ."""
        return [edge for edge in self.edges if edge.expected != edge.found]


def read_gold(path: Path) -> list[GoldAnswer]:
    """Read a gold file."""
    return [gold_from_json(json.loads(line)) for line in path.read_text(encoding="utf-8").split("\n") if line]


def compare_with_gold(run: Folder, gold: list[GoldAnswer], evidence: Path) -> GoldComparison:
    """Compare claims, statuses, versions and answer states with gold exactly, and the verdicts edge by edge."""
    claims, verdicts = _by_answer(read_run_table(run, "claims")), _by_answer(read_run_table(run, "verdicts"))
    passages = {(row["evidence_id"], row["version"]): from_plain(Evidence, row) for row in pq.read_table(evidence).to_pylist()}
    differences = _state_differences(read_manifest(run)["counts"], gold)
    edges: list[JudgedEdge] = []
    for answer in gold:
        if answer.state in ("duplicate", "rejected"):
            continue
        own = claims.get(answer.answer_id, [])
        differences += _differences(
            answer.answer_id,
            "claims",
            [tuple(claim) for claim in answer.claims],
            [(row["text"], row["requires_evidence"], row["reason"]) for row in own],
        )
        position = {row["claim_id"]: i for i, row in enumerate(own)}
        found = {
            (position.get(row["claim_id"], -1), row["evidence_id"], row["version"]): row
            for row in verdicts.get(answer.answer_id, [])
            if not row["joint"]
        }
        expected = {(edge.claim, edge.evidence_id, edge.version): edge for edge in answer.edges}
        differences += _differences(
            answer.answer_id,
            "edges",
            sorted(((*key, edge.status) for key, edge in expected.items()), key=str),
            sorted(((*key, row["status"]) for key, row in found.items()), key=str),
        )
        edges += [
            _judged_edge(edge, found[key], own[edge.claim]["text"], passages)
            for key, edge in expected.items()
            if edge.supported is not None and key in found and found[key]["status"] == "judged"
        ]
    return GoldComparison(differences, edges)


def _by_answer(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["answer_id"], []).append(row)
    return grouped


def _state_differences(counts: dict[str, int], gold: list[GoldAnswer]) -> list[str]:
    expected = Counter(answer.state for answer in gold)
    found = {state: counts.get(f"answers.{state}", 0) for state in ("evaluated", "abstained", "empty", "no_claims")}
    found["duplicate"] = counts.get("rejects.answers.duplicate_answer", 0)
    found["rejected"] = sum(n for name, n in counts.items() if name.startswith("rejects.answers.")) - found["duplicate"]
    return [f"answers {state}: gold {expected[state]}, run {n}" for state, n in found.items() if expected[state] != n]


def _differences(answer_id: str, what: str, expected: list[Any], found: list[Any]) -> list[str]:
    if expected == found:
        return []
    return [f"{answer_id}, {what}: gold {one!r}, run {other!r}" for one, other in _unequal(expected, found)]


def _unequal(expected: list[Any], found: list[Any]) -> list[tuple[Any, Any]]:
    longest = max(len(expected), len(found))
    padded = zip(expected + [None] * (longest - len(expected)), found + [None] * (longest - len(found)), strict=True)
    return [(one, other) for one, other in padded if one != other]


def _judged_edge(gold: Any, verdict: dict[str, Any], claim: str, passages: dict[Any, Evidence]) -> JudgedEdge:
    passage = passages[verdict["evidence_id"], verdict["version"]]
    overlap = max(token_f1(premise.text, claim) for premise in widen_premises(passage, claim))
    return JudgedEdge(gold.family, gold.supported, verdict["supported"], overlap, claim, gold.evidence_id, verdict["p_entailment"])


def best_overlap(edges: list[JudgedEdge]) -> float:
    """Balanced accuracy of token F1 at the threshold that hindsight would choose on these edges."""
    return best_in_hindsight([edge.expected for edge in edges], [edge.overlap for edge in edges])


def checker_accuracy(edges: list[JudgedEdge]) -> float:
    """Balanced accuracy of the checker on judged edges."""
    return balanced_accuracy([edge.expected for edge in edges], [edge.found for edge in edges])


def gold_table(comparison: GoldComparison) -> Table:
    """Measured beside gold, by the family that makes an edge a near miss."""
    edges = comparison.edges
    summary = Table(
        title="The run beside gold",
        title_justify="left",
        caption=f"balanced accuracy over {len(edges)} judged edges: checker {100 * checker_accuracy(edges):.1f}, token F1 at its "
        f"best threshold {100 * best_overlap(edges):.1f}; other differences from gold: {len(comparison.differences)}",
    )
    for column in ("near miss in", "edges", "supported in gold", "supported in run", "checker right"):
        summary.add_column(column, justify="left" if column == "near miss in" else "right")
    for family in sorted({edge.family for edge in edges}):
        part = [edge for edge in edges if edge.family == family]
        summary.add_row(
            family,
            str(len(part)),
            str(sum(edge.expected for edge in part)),
            str(sum(edge.found for edge in part)),
            f"{sum(edge.expected == edge.found for edge in part)} of {len(part)}",
        )
    return summary


def error_lines(comparison: GoldComparison) -> list[str]:
    """The checker's errors, one a line: near misses that it took for support first, the surest in front."""
    errors = sorted(comparison.errors, key=lambda edge: (edge.expected, -abs(edge.p_entailment - 0.5), edge.claim))
    return [
        f"The checker's errors ({len(errors)}):",
        *(
            f"  {'missed support' if edge.expected else 'took for support, ' + edge.family} "
            f"(p={edge.p_entailment:.2f}): {edge.claim} "
            f"<- {edge.evidence_id}"
            for edge in errors
        ),
    ]
