"""Measure a checker on labelled dev sets and on generated near misses, part by part, and write its card."""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader
from rich.table import Table

from cases.near_misses import NearMiss
from pipelines.accuracy import NORMAL_95, balanced_accuracy, best_in_hindsight, wilson_interval
from pipelines.agreement import per_cent
from pipelines.calibrate import (
    Bin,
    Scores,
    ablation,
    expected_calibration_error,
    leave_one_out,
    reliability,
)
from pipelines.scoring import ScoredSet, near_miss_set, score_set
from schemas.claims import FAMILIES
from schemas.verdicts import LABELS
from transforms.entailment import EntailmentChecker
from transforms.support import KINDS, Calibration

SIBLINGS = "siblings"


class SetScore(NamedTuple):
    """How a checker does on one dev set; ratios, None where nothing was measured. `low` and `high` bound `balanced` (95 %)."""

    name: str
    n: int
    three_way: float | None
    balanced: float | None
    low: float | None
    high: float | None
    overlap: float | None
    similarity: float | None
    calibration_error: float


class FamilyScore(NamedTuple):
    """Near misses of one family: how many changed claims were refused, how many kept ones accepted; Wilson intervals (95 %)."""

    family: str
    changed: int
    refused: float
    refused_low: float
    refused_high: float
    kept: int
    accepted: float
    accepted_low: float
    accepted_high: float


class Evaluation(NamedTuple):
    """All that is measured of a checker."""

    sets: list[SetScore]
    ablation: dict[str, dict[str, float]]
    families: list[FamilyScore]
    curve: list[Bin]
    calibration_error: float
    windows_a_second: float | None


def evaluate_checker(
    checker: EntailmentChecker, calibration: Calibration, scored: Sequence[ScoredSet], near_misses: list[NearMiss]
) -> Evaluation:
    """Measure `scored` sets by leaving one out, and `near_misses`, which took no part in a fit, by `calibration` as it ships."""
    left_out = leave_one_out(scored, calibration.parts)
    human = [one for one in scored if one.dev.human]
    expected = np.concatenate([one.supported for one in human])
    scores = np.concatenate([left_out[one.dev.name].scores for one in human])
    started = time.perf_counter()
    near = score_set(checker, *near_miss_set(near_misses)) if near_misses else None
    speed = len(near.features) / (time.perf_counter() - started) if near else None
    return Evaluation(
        [_set_score(one, left_out[one.dev.name]) for one in scored],
        ablation(scored),
        _family_scores(near, [_group_of(row) for row in near_misses], calibration) if near else [],
        reliability(expected, scores),
        expected_calibration_error(expected, scores),
        speed,
    )


def _group_of(row: NearMiss) -> str:
    """The family of a near miss, or SIBLINGS where the premise holds the claim's sibling beside it: harder, whatever the family."""
    return SIBLINGS if row.operator == "sibling" else row.family


def _family_scores(near: ScoredSet, families: list[str], calibration: Calibration) -> list[FamilyScore]:
    sentence, window = (calibration.fit_of(kind) for kind in KINDS)
    said = near.scores(sentence, window) >= np.where(near.windowed, window.threshold, sentence.threshold)
    found = []
    for family in (*FAMILIES, SIBLINGS):
        mine = np.array([one == family for one in families])
        changed, kept = mine & ~near.supported, mine & near.supported
        if changed.any() and kept.any():
            found.append(FamilyScore(family, *_share(~said[changed]), *_share(said[kept])))
    return found


def _share(hits: np.ndarray) -> tuple[int, float, float, float]:
    """How many, the share, and its Wilson interval."""
    share = float(hits.mean())
    return len(hits), share, *wilson_interval(share, len(hits))


def _set_score(one: ScoredSet, found: Scores) -> SetScore:
    value = balanced_accuracy(one.supported, found.supported)
    sides = [found.supported[one.supported], ~found.supported[~one.supported]]
    half = NORMAL_95 * math.sqrt(sum(side.mean() * (1 - side.mean()) / len(side) for side in sides if len(side))) / 2
    return SetScore(
        one.dev.name,
        len(one.labels),
        _three_way(one, found.scores),
        value,
        value - half,
        min(1.0, value + half),
        best_in_hindsight(one.supported, one.overlap),
        None if np.isnan(one.similarity).any() else best_in_hindsight(one.supported, one.similarity),
        expected_calibration_error(one.supported, found.scores),
    )


def _three_way(one: ScoredSet, scores: np.ndarray) -> float | None:
    """Share of labels met where a set has all three and takes premises whole: entailment by the score, the rest by the model."""
    if set(one.labels) != set(LABELS) or one.windowed.any():
        return None
    rest = one.probabilities[:, 1:] / np.maximum(one.probabilities[:, 1:].sum(axis=1, keepdims=True), 1e-9)
    label = np.argmax(np.column_stack([scores, (1 - scores)[:, None] * rest]), axis=1)
    return float(np.mean([LABELS[i] == wanted for i, wanted in zip(label, one.labels, strict=True)]))


def embedder(folder: Path) -> Callable[[list[str]], np.ndarray]:
    """Mean-pooled unit embeddings of the encoder in `folder`: the similarity that a checker has to beat."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True).eval()

    def embed(texts: list[str]) -> np.ndarray:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        found = np.zeros((len(texts), model.config.hidden_size))
        for start in range(0, len(order), 64):
            at = order[start : start + 64]
            batch = tokenizer([texts[i] for i in at], truncation=True, max_length=256, padding=True, return_tensors="pt")
            with torch.inference_mode():
                hidden, mask = model(**batch).last_hidden_state, batch["attention_mask"][..., None]
            pooled = torch.nn.functional.normalize((hidden * mask).sum(dim=1) / mask.sum(dim=1), dim=1)
            found[at] = pooled.numpy()
        return found

    return embed


def set_table(found: Evaluation, title: str) -> Table:
    """Every dev set with n, three-way accuracy, balanced accuracy with its interval, the baselines and the calibration error."""
    table = _table(
        title, "set", "n", "three-way", "balanced", "95 %", "token F1", "similarity", "ECE",
        caption="per cent; fits and thresholds from the other sets, those of token F1 and similarity from the very rows scored",
    )  # fmt: skip
    for one in found.sets:
        interval = f"{per_cent(one.low)} to {per_cent(one.high)}"
        table.add_row(
            one.name, str(one.n), *map(per_cent, (one.three_way, one.balanced)), interval,
            *map(per_cent, (one.overlap, one.similarity, one.calibration_error)),
        )  # fmt: skip
    return table


def ablation_table(found: Evaluation) -> Table:
    """Balanced accuracy by arm and set, thresholds from the other sets."""
    names = [one.name for one in found.sets]
    table = _table("balanced accuracy, thresholds from the other sets", "arm", *names)
    for arm, values in found.ablation.items():
        table.add_row(arm, *(per_cent(values[name]) for name in names))
    return table


def family_table(found: Evaluation) -> Table:
    """Near misses by family."""
    table = _table("near misses from held-out sentences", "family", "changed", "refused", "95 %", "kept", "accepted", "95 %")
    for one in found.families:
        refused = f"{per_cent(one.refused_low)} to {per_cent(one.refused_high)}"
        accepted = f"{per_cent(one.accepted_low)} to {per_cent(one.accepted_high)}"
        table.add_row(
            one.family, str(one.changed), per_cent(one.refused), refused, str(one.kept), per_cent(one.accepted), accepted
        )  # fmt: skip
    return table


def _table(title: str, *columns: str, caption: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", caption=caption)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left")
    return table


def write_card(folder: Path, found: Evaluation, calibration: Calibration, measured: str) -> Path:
    """Write the model card and its picture from what training, calibration and evaluation left; `measured` says when and where."""
    passes = [json.loads((folder / "training.json").read_text(encoding="utf-8"))]
    while isinstance(passes[0]["base"], dict):
        passes.insert(0, passes[0]["base"])
    environment = Environment(
        loader=PackageLoader("pipelines"), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    learned: dict[str, dict[int, Any]] = defaultdict(dict)
    for i, one in enumerate(passes):
        for name, cap in _sets_of(one).items():
            learned[name][i] = cap
    values = {
        "name": folder.name,
        "passes": passes,
        "learned": learned,
        "licences": _LICENCES,
        "fits": {kind: calibration.fit_of(kind) for kind in KINDS},
        "fitted_on": calibration.fitted_on,
        "measured": measured,
        "found": found,
        "megabytes": round((folder / "model.safetensors").stat().st_size / 1e6),
        "number": per_cent,
        "isnan": math.isnan,
    }
    (folder / "README.md").write_text(environment.get_template("model_card.md").render(values), encoding="utf-8")
    (folder / "reliability.svg").write_text(environment.get_template("reliability.svg").render(values), encoding="utf-8")
    return folder / "README.md"


def _sets_of(one: dict[str, Any]) -> dict[str, Any]:
    """What a pass learned from: set names to caps, generated rows among them. The first two passes were recorded otherwise."""
    if "mixture" in one:
        return dict(one["mixture"])
    how = one["pass"]
    made = {"near misses": f"{how['near_misses']['rows']} a family and label"} if how["near_misses"] else {}
    if how.get("near_misses", {}).get("siblings"):
        made["siblings"] = f"{how['near_misses']['siblings']} a label"
    if how.get("headed"):
        made["headings"] = f"on {how['headed']:.0%} of short premises"
    return {**how["sets"], **made, **{name: how[name] for name in ("statements", "bindings") if how.get(name)}}


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
    "near misses": "generated from the sets above (cases/near_misses.py)",
    "siblings": "generated from the sets above (cases/near_misses.py)",
    "headings": "generated (cases/headings.py)",
    "statements": "generated (cases/statements.yaml)",
    "bindings": "generated (cases/bindings.yaml)",
}
