"""Score a checker on labelled dev sets, choose its threshold on named halves of them and write its card."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader
from rich.table import Table

from pipelines.agreement import balanced_accuracy, best_balanced_accuracy, per_cent
from pipelines.train import read_pairs
from schemas.evidence import Evidence
from transforms.entailment import THRESHOLDS_FILE, EntailmentChecker, Probabilities, WindowToJudge, judge_all, read_thresholds
from transforms.judging import PairVerdict, decide
from transforms.overlap import token_f1
from transforms.premises import widen_premises
from transforms.tables import stable_hash

# Judged as they are: premise and hypothesis are single sentences. All other sets are judged by windows, as the nightly job does.
WHOLE_PREMISE_SETS = ("mnli_dev3000", "snli_dev2000")
# Real claims against real pages: the nearest to what the nightly job sees. Only rows of half 0 choose the threshold.
THRESHOLD_SETS = ("factcheck_gpt", "wice_dev")
ROWS_A_SET = 200


class ScoredPair(NamedTuple):
    """A labelled pair with the checker's probabilities and the words that premise and hypothesis share."""

    half: int
    label: str
    probabilities: Probabilities
    overlap: float

    @property
    def supported(self) -> bool:
        """Whether the label says that the premise establishes the hypothesis."""
        return self.label in ("entailment", "supported")


def score_sets(checker: EntailmentChecker, data: Path) -> dict[str, list[ScoredPair]]:
    """Score every NAME.jsonl[.gz] in `data`: whole premises in full, windowed sets on 200 rows drawn by a hash of the id."""
    paths = sorted(path for path in data.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz")))
    return {path.name.split(".")[0]: _score_set(checker, path) for path in paths}


def _score_set(checker: EntailmentChecker, path: Path) -> list[ScoredPair]:
    name, rows = path.name.split(".")[0], list(read_pairs(path))
    whole = name in WHOLE_PREMISE_SETS
    if not whole:
        rows = sorted(rows, key=lambda row: stable_hash(f"{name}:{row['id']}"))[:ROWS_A_SET]
    windows = [window for i, row in enumerate(rows) for window in _windows(str(i), row, whole)]
    decided: dict[str, PairVerdict] = {}
    overlaps: dict[str, float] = {}
    for judged in judge_all(checker, windows):
        window = judged.window
        one = PairVerdict(window.window, judged.probabilities, judged.error)
        decided[window.pair_id] = decide(decided[window.pair_id], one) if window.pair_id in decided else one
        overlaps[window.pair_id] = max(overlaps.get(window.pair_id, 0.0), token_f1(window.premise, window.hypothesis))
    scored = ((row, decided[str(i)], overlaps[str(i)]) for i, row in enumerate(rows) if str(i) in decided)
    return [
        ScoredPair(half_of(row["id"]), row["label"], verdict.probabilities, overlap)
        for row, verdict, overlap in scored
        if verdict.probabilities is not None
    ]


def _windows(pair_id: str, row: dict[str, Any], whole: bool) -> list[WindowToJudge]:
    passage = Evidence(pair_id, "", "", row["premise"], "current")
    texts = [row["premise"]] if whole else [premise.text for premise in widen_premises(passage, row["hypothesis"])]
    return [WindowToJudge(pair_id, i, text, row["hypothesis"]) for i, text in enumerate(texts)]


def half_of(row_id: str) -> int:
    """Which half of a dev set a row belongs to: 0 may choose thresholds, 1 is for measuring."""
    return stable_hash(row_id) % 2


def accuracy_at(pairs: list[ScoredPair], threshold: float) -> float | None:
    """Balanced accuracy of `supported` at a threshold."""
    return balanced_accuracy([pair.supported for pair in pairs], [pair.probabilities.entailment >= threshold for pair in pairs])


def best_threshold(sets: Iterable[list[ScoredPair]]) -> float:
    """The threshold, in hundredths, with the best mean balanced accuracy over `sets`; of equals the one nearest to 0.5."""
    halves = list(sets)
    if not halves:
        raise ValueError(f"no set to choose a threshold on; the data folder must hold {' and '.join(THRESHOLD_SETS)}")
    steps = [step / 100 for step in range(2, 99)]
    return max(steps, key=lambda step: (round(sum(accuracy_at(pairs, step) or 0 for pairs in halves), 9), -abs(step - 0.5)))


def choose_threshold(folder: Path, sets: dict[str, list[ScoredPair]]) -> float:
    """Choose the threshold on half 0 of the named sets and store it in the checker's folder."""
    chosen_on = [name for name in THRESHOLD_SETS if name in sets]
    threshold = best_threshold([[pair for pair in sets[name] if pair.half == 0] for name in chosen_on])
    record = {"supported": threshold, "chosen_on": [f"{name}, half 0" for name in chosen_on], "rule": "best mean balanced accuracy"}
    (folder / THRESHOLDS_FILE).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return threshold


class SetScore(NamedTuple):
    """How a checker does on one dev set; ratios, None where a class is empty."""

    name: str
    n: int
    three_way: float | None
    balanced: float | None
    overlap: float | None


def score_set(name: str, pairs: list[ScoredPair], threshold: float) -> SetScore:
    """Score one set; rows that chose the threshold are left out."""
    pairs = [pair for pair in pairs if name not in THRESHOLD_SETS or pair.half == 1]
    three_way = len({pair.label for pair in pairs}) == 3
    right = sum(pair.probabilities.label == pair.label for pair in pairs) / len(pairs) if three_way else None
    overlap = best_balanced_accuracy([pair.supported for pair in pairs], [pair.overlap for pair in pairs])
    return SetScore(name, len(pairs), right, accuracy_at(pairs, threshold), overlap)


def score_table(folder: Path, sets: dict[str, list[ScoredPair]]) -> Table:
    """Every dev set with n, three-way accuracy, balanced accuracy of `supported` and word overlap at its best threshold."""
    threshold = read_thresholds(str(folder))
    table = Table(
        title=f"{folder.name} on dev sets, threshold {threshold}",
        title_justify="left",
        caption="per cent; the threshold was chosen elsewhere, that of token F1 on the very rows that it is scored on",
    )
    for column in ("set", "n", "three-way accuracy", "balanced accuracy", "token F1"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for score in (score_set(name, pairs, threshold) for name, pairs in sets.items()):
        table.add_row(score.name, str(score.n), *map(per_cent, score[2:]))
    return table


_LICENCES = {
    "mnli": "OANC and others",
    "snli": "CC BY-SA 4.0",
    "snli_train18k": "CC BY-SA 4.0",
    "cad_nli": "Apache-2.0",
    "conjnli": "MIT",
    "negnli": "MIT",
    "fever_gold": "CC BY-SA 3.0",
    "scitail": "Apache-2.0",
    "citation_integrity": "MIT",
    "infotabs": "Apache-2.0",
    "fever_binary_docnli": "CC BY-SA 3.0 (FEVER), BSD",
    "breaking_nli": "CC BY-SA 4.0",
    "hans_regen": "MIT",
    "help": "CC BY-SA 4.0",
    "respectively": "CC BY 4.0",
    "scone": "CC0",
    "recursive_nps": "MIT",
}


def write_card(folder: Path, sets: dict[str, list[ScoredPair]], measured: str) -> Path:
    """Write the model card from what training, threshold choice and scoring left; `measured` says when and where."""
    passes = [json.loads((folder / "training.json").read_text(encoding="utf-8"))]
    while isinstance(passes[0]["base"], dict):
        passes.insert(0, passes[0]["base"])
    chosen = json.loads((folder / THRESHOLDS_FILE).read_text(encoding="utf-8"))
    template = Environment(
        loader=PackageLoader("pipelines"), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    card = template.get_template("model_card.md").render(
        name=folder.name,
        passes=passes,
        chosen=chosen,
        licences=_LICENCES,
        measured=measured,
        rows=ROWS_A_SET,
        scores=[score_set(name, pairs, chosen["supported"]) for name, pairs in sets.items()],
        number=per_cent,
    )
    (folder / "README.md").write_text(card, encoding="utf-8")
    return folder / "README.md"
