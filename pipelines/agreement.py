"""Hold a run against experts' labels of the same sentences, beside word overlap as the baseline."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from rich.table import Table

from pipelines.accuracy import balanced_accuracy, best_cut, best_in_hindsight
from pipelines.runs import Folder, read_run_table
from schemas.evidence import Evidence
from schemas.types import from_plain
from transforms.overlap import token_f1
from transforms.premises import widen_premises

LABELLED = ("Complete", "Partial", "Incomplete")


class LabelledSentence(NamedTuple):
    """One sentence with the expert's word (support is Complete), the run's and the best word overlap of its edges."""

    answer_id: str
    system: str
    expert: bool
    run: bool
    overlap: float


def labelled_sentences(run: Folder, labels: Path, answers: Path, evidence: Path) -> tuple[list[LabelledSentence], dict[str, int]]:
    """Match labels with the claims of a run by their place in the answer.

    A sentence counts where one of its edges was judged; it is supported when all its required claims are. Returns the sentences and
    counts of what was left out, by reason.
    """
    texts = {row["answer_id"]: row for row in pq.read_table(answers, columns=["answer_id", "answer", "build"]).to_pylist()}
    passages = {(row["evidence_id"], row["version"]): from_plain(Evidence, row) for row in pq.read_table(evidence).to_pylist()}
    claims, verdicts = defaultdict(list), defaultdict(list)
    for row in read_run_table(run, "claims"):
        claims[row["answer_id"]].append(row)
    for row in read_run_table(run, "verdicts"):
        if not row["joint"]:
            verdicts[row["answer_id"], row["claim_id"]].append(row)
    sentences: list[LabelledSentence] = []
    left_out: dict[str, int] = defaultdict(int)
    for label in pq.read_table(labels).to_pylist():
        if label["support"] not in LABELLED:
            left_out[f"label {label['support']}"] += 1
            continue
        system = texts[label["answer_id"]]["build"]
        own = _claims_at(label["claim"], texts[label["answer_id"]]["answer"], claims[label["answer_id"]])
        edges = [(claim, edge) for claim in own for edge in verdicts[claim["answer_id"], claim["claim_id"]]]
        if not any(edge["status"] == "judged" for _, edge in edges):
            statuses = sorted({edge["status"] for _, edge in edges}) or ["no edge" if own else "not found"]
            left_out[f"{system}: {'+'.join(statuses)}"] += 1
            continue
        expert = label["support"] == "Complete"
        sentences.append(LabelledSentence(label["answer_id"], system, expert, _supported(own), _overlap(edges, passages)))
    return sentences, dict(sorted(left_out.items()))


class Intervals(NamedTuple):
    """95 % intervals of balanced accuracy: the run's, that of word overlap at its threshold in hindsight, and of the first less the
    second."""

    run: tuple[float, float]
    overlap: tuple[float, float]
    difference: tuple[float, float]


def bootstrap_intervals(sentences: Sequence[LabelledSentence], rounds: int = 2000, seed: int = 20261130) -> Intervals | None:
    """A seeded percentile bootstrap over answers, since the sentences of one answer share its sources.

    Rounds that lack a class are left out. None where a class is empty.
    """
    cut = best_cut([one.expert for one in sentences], [one.overlap for one in sentences])
    answers = {answer_id: i for i, answer_id in enumerate(dict.fromkeys(one.answer_id for one in sentences))}
    if not answers:
        return None
    counts = np.zeros((len(answers), 6))
    for one in sentences:
        said = one.overlap >= cut
        counts[answers[one.answer_id]] += (1, one.run, said, 0, 0, 0) if one.expert else (0, 0, 0, 1, not one.run, not said)
    drawn = np.random.default_rng(seed).multinomial(len(answers), np.full(len(answers), 1 / len(answers)), rounds) @ counts
    drawn = drawn[(drawn[:, 0] > 0) & (drawn[:, 3] > 0)]
    if not len(drawn):
        return None
    run, overlap = ((drawn[:, i] / drawn[:, 0] + drawn[:, 3 + i] / drawn[:, 3]) / 2 for i in (1, 2))
    return Intervals(*(_middle(values) for values in (run, overlap, run - overlap)))


def _middle(values: np.ndarray) -> tuple[float, float]:
    low, high = np.percentile(values, (2.5, 97.5))
    return float(low), float(high)


def _claims_at(sentence: str, answer: str, claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims that stand mostly inside a labelled sentence of the answer."""
    place = re.search(r"\s+".join(map(re.escape, sentence.split())), answer)
    if place is None:
        return []
    start, end = place.span()
    return [
        claim
        for claim in claims
        if claim["start"] is not None and 2 * (min(end, claim["end"]) - max(start, claim["start"])) > claim["end"] - claim["start"]
    ]


def _supported(claims: list[dict[str, Any]]) -> bool:
    required = [claim for claim in claims if claim["requires_evidence"]]
    return bool(required) and all(claim["outcome"] == "supported" for claim in required)


def _overlap(edges: list[tuple[dict[str, Any], dict[str, Any]]], passages: dict[Any, Evidence]) -> float:
    """The best overlap of each claim with a window of its cited passages, the same windows as the checker's; of those the worst."""
    best: dict[str, float] = defaultdict(float)
    for claim, edge in edges:
        passage = passages.get((edge["evidence_id"], edge["version"]))
        scores = [token_f1(premise.text, claim["text"]) for premise in widen_premises(passage, claim["text"])] if passage else []
        best[claim["claim_id"]] = max((best[claim["claim_id"]], *scores))
    return min(best.values())


def agreement_table(sentences: list[LabelledSentence], left_out: dict[str, int]) -> Table:
    """Balanced accuracy of the run and of word overlap against the experts, pooled and for each system."""
    table = Table(
        title="Agreement with the experts (balanced accuracy, support Complete against Partial or Incomplete; 95 % over answers)",
        caption="left out: " + ", ".join(f"{reason} {n}" for reason, n in left_out.items()),
        title_justify="left",
    )
    for column in ("system", "n", "complete", "run", "token F1, best threshold in hindsight", "difference"):
        table.add_column(column, justify="left" if column == "system" else "right")
    for system in ("pooled", *sorted({one.system for one in sentences})):
        part = [one for one in sentences if system in ("pooled", one.system)]
        experts, intervals = [one.expert for one in part], bootstrap_intervals(part)
        run = balanced_accuracy(experts, [one.run for one in part])
        overlap = best_in_hindsight(experts, [one.overlap for one in part])
        cells = zip((run, overlap, run - overlap), intervals or (None, None, None), strict=True)
        table.add_row(system, str(len(part)), str(sum(experts)), *(_with_interval(*cell) for cell in cells))
    return table


def _with_interval(value: float, interval: tuple[float, float] | None) -> str:
    return f"{per_cent(value)} ({per_cent(interval[0])} to {per_cent(interval[1])})" if interval else per_cent(value)


def per_cent(value: float | None) -> str:
    """A ratio as per cent with one decimal; a dash where it is None or not a number."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.1f}"
