"""Score a checker on labelled dev sets: raw probabilities and features of every window, kept apart from any calibration."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from cases.bindings import binding_rows
from cases.headings import headed
from cases.near_misses import NearMiss
from pipelines.mixture import balanced, near_misses_of_rows, read_pairs
from schemas.evidence import Evidence
from transforms.entailment import EntailmentChecker, Probabilities, WindowToJudge, judge_all
from transforms.overlap import token_f1
from transforms.premises import widen_premises
from transforms.support import KINDS, Features, Fit, features_of
from transforms.tables import stable_hash

DECLARED = Path(__file__).with_name("dev_sets.yaml")
# Sentences that no training row holds.
NEAR_MISS_SOURCES = ("mnli_dev3000", "snli_dev2000", "fever_symmetric", "fool_me_twice")
NEAR_MISSES_A_FAMILY = 120
# Not one that a pass of the bundled checker was trained under: generated rows would come again.
NEAR_MISS_SEED = 7
SUPPORTED = ("entailment", "supported")


class DevSet(NamedTuple):
    """One labelled set and how it is judged; the fields are explained in dev_sets.yaml."""

    name: str
    file: str
    split: str | None = None
    rows: int | None = None
    by_claim: bool = False
    whole: bool = False
    human: bool = False
    fit: tuple[str, ...] = ()
    threshold: str | None = None


class DevRow(NamedTuple):
    """A labelled claim with the passages that it is held against, each cut into windows by itself."""

    label: str
    hypothesis: str
    passages: tuple[str, ...]


@dataclass(frozen=True)
class ScoredSet:
    """The scores of a set of n rows with w windows in all.

    `features` [w, 5] in the order of Features and `probabilities` [w, 3] are the model's, before calibration; row i has the windows
    from `starts[i]` on. `whole` [n, 3] are the probabilities for the likeliest passage taken whole, `overlap` [n] the best token F1
    of a window, `similarity` [n] the best cosine of embeddings (NaN where not measured).
    """

    dev: DevSet
    labels: tuple[str, ...]
    starts: np.ndarray
    features: np.ndarray
    probabilities: np.ndarray
    whole: np.ndarray
    overlap: np.ndarray
    similarity: np.ndarray

    @cached_property
    def supported(self) -> np.ndarray:
        """[n] whether the label says that the passages establish the claim."""
        return np.array([label in SUPPORTED for label in self.labels])

    @cached_property
    def windowed(self) -> np.ndarray:
        """[n] whether a row has more than one window."""
        return np.diff([*self.starts, len(self.features)]) > 1

    def best(self, scores: np.ndarray) -> np.ndarray:
        """[n] the best of the window scores [w] of each row."""
        return np.maximum.reduceat(scores, self.starts)

    def best_windows(self, scores: np.ndarray) -> np.ndarray:
        """[n] the position of the best window of each row, the first of equals."""
        ends = [*self.starts[1:], len(scores)]
        return np.array([start + int(np.argmax(scores[start:end])) for start, end in zip(self.starts, ends, strict=True)])

    def scores(self, sentence: Fit, window: Fit) -> np.ndarray:
        """[n] the calibrated probability of support of each row under the fit of its kind."""
        return np.where(
            self.windowed, self.best(probabilities(window, self.features)), self.best(probabilities(sentence, self.features))
        )


def probabilities(fit: Fit, features: np.ndarray) -> np.ndarray:
    """[w] the probabilities that `fit` gives to `features` [w, 5]."""
    return 1 / (1 + np.exp(-np.clip(fit.intercept + features @ np.array(fit.weights), -500, 500)))


def load_dev_sets(data: Path, declared: Path = DECLARED) -> dict[DevSet, list[DevRow]]:
    """Read the sets in `data`: the declared ones that are there, and any other NAME.jsonl[.gz]."""
    files = {path.name.split(".")[0]: path for path in sorted(data.iterdir()) if path.name.endswith((".jsonl", ".jsonl.gz"))}
    if not files:
        raise ValueError(f"no NAME.jsonl[.gz] in {data}; give a folder of labelled pairs (id, premise, hypothesis, label)")
    known = [
        DevSet(**{"file": one["name"], **one, "fit": tuple(one.get("fit", ()))})
        for one in yaml.safe_load(declared.read_text(encoding="utf-8"))
    ]
    sets = [one for one in known if one.file in files]
    sets += [DevSet(name, name, human=True, fit=KINDS) for name in files if name not in {one.file for one in known}]
    found = {one: _rows(one, list(read_pairs(files[one.file]))) for one in sets}
    return {one: rows for one, rows in found.items() if rows}


def load_near_misses(data: Path) -> tuple[list[NearMiss], list[NearMiss]]:
    """Near misses made of the sentences in `data` that are held out of training: one half for fitting, one for measuring.

    The halves share no claim; half of the premises stand under a heading, as evidence with a `context` does. None where `data`
    holds none of NEAR_MISS_SOURCES.
    """
    paths = sorted(path for path in data.iterdir() if path.name.split(".")[0] in NEAR_MISS_SOURCES)
    made = near_misses_of_rows(chain.from_iterable(map(read_pairs, paths)))
    rows = [*made, *binding_rows(NEAR_MISSES_A_FAMILY, NEAR_MISS_SEED)] if paths else []
    halves = ([row for row in rows if stable_hash(row.hypothesis) % 2 == half] for half in (0, 1))
    fitting, measuring = (_half_headed(balanced(half, NEAR_MISSES_A_FAMILY, NEAR_MISS_SEED)) for half in halves)
    return fitting, measuring


def _half_headed(rows: list[NearMiss]) -> list[NearMiss]:
    rng = random.Random(NEAR_MISS_SEED)
    return [row._replace(premise=headed(row.premise, rng)) if rng.random() < 0.5 else row for row in rows]


def near_miss_set(rows: list[NearMiss]) -> tuple[DevSet, list[DevRow]]:
    """Near misses as a set that takes part in the fit."""
    return DevSet("near misses", "near misses", fit=("sentence",)), [
        DevRow(row.label, row.hypothesis, (row.premise,)) for row in rows
    ]


def _rows(dev: DevSet, pairs: list[dict[str, Any]]) -> list[DevRow]:
    pairs = [pair for pair in pairs if dev.split is None or pair.get("split") == dev.split]
    if not dev.by_claim:
        pairs = sorted(pairs, key=lambda pair: stable_hash(f"{dev.file}:{pair['id']}"))[: dev.rows]
        return [DevRow(pair["label"], pair["hypothesis"], (pair["premise"],)) for pair in pairs]
    claims: dict[str, list[dict[str, Any]]] = {}
    for pair in pairs:
        claims.setdefault(pair["hypothesis"], []).append(pair)
    chosen = sorted(claims, key=lambda claim: stable_hash(f"{dev.file}:{claim}"))[: dev.rows]
    return [
        DevRow(
            next((pair["label"] for pair in claims[claim] if pair["label"] in SUPPORTED), claims[claim][0]["label"]),
            claim,
            tuple(pair["premise"] for pair in claims[claim]),
        )
        for claim in chosen
    ]


def score_sets(checker: EntailmentChecker, data: Path, embed: Any = None) -> tuple[list[ScoredSet], list[NearMiss]]:
    """Score every set in `data` and the near misses for fitting; returns them with the near misses that are kept for measuring."""
    fitting, measuring = load_near_misses(data)
    sets = [*load_dev_sets(data).items(), *([near_miss_set(fitting)] if fitting else [])]
    return [score_set(checker, dev, rows, embed) for dev, rows in sets], measuring


def score_set(checker: EntailmentChecker, dev: DevSet, rows: list[DevRow], embed: Any = None) -> ScoredSet:
    """Judge every window of every row, and the passages whole. Rows that the checker fails on raise RuntimeError.

    `embed` maps a list of texts to unit vectors [n, d]; without it similarities are NaN.
    """
    cut = [[window for passage in row.passages for window in _cut(dev, passage, row.hypothesis)] for row in rows]
    starts = np.cumsum([0, *map(len, cut[:-1])])
    windows = [WindowToJudge(str(i), k, text, row.hypothesis) for i, row in enumerate(rows) for k, text in enumerate(cut[i])]
    judged = _judge(checker, windows)
    whole = [WindowToJudge(str(i), k, text, row.hypothesis) for i, row in enumerate(rows) for k, text in enumerate(row.passages)]
    judged_whole: dict[str, Probabilities] = {}
    for window, p in zip(whole, _judge(checker, whole), strict=True):
        judged_whole[window.pair_id] = max(judged_whole.get(window.pair_id, p), p)
    overlap = np.array([token_f1(window.premise, window.hypothesis) for window in windows])
    return ScoredSet(
        dev,
        tuple(row.label for row in rows),
        starts,
        np.array([features_of(p, w.premise, w.hypothesis) for p, w in zip(judged, windows, strict=True)], dtype=float),
        np.array(judged),
        np.array([judged_whole[str(i)] for i in range(len(rows))]),
        np.maximum.reduceat(overlap, starts),
        np.maximum.reduceat(_similarity(embed, windows), starts),
    )


def _cut(dev: DevSet, passage: str, claim: str) -> Iterator[str]:
    if dev.whole:
        yield passage
    else:
        yield from (premise.text for premise in widen_premises(Evidence("", "", "", passage, "current"), claim))


def _judge(checker: EntailmentChecker, windows: list[WindowToJudge]) -> list[Any]:
    judged = judge_all(checker, windows)
    for one in judged:
        if one.probabilities is None:
            raise RuntimeError(f"the checker failed on {one.window.hypothesis[:60]!r}: {one.error}")
    return [one.probabilities for one in judged]


def _similarity(embed: Any, windows: list[WindowToJudge]) -> np.ndarray:
    if embed is None:
        return np.full(len(windows), np.nan)
    place = {text: i for i, text in enumerate(dict.fromkeys(chain.from_iterable((w.premise, w.hypothesis) for w in windows)))}
    vectors = embed(list(place))
    return np.sum(vectors[[place[w.premise] for w in windows]] * vectors[[place[w.hypothesis] for w in windows]], axis=1)


def whole_features(scored: ScoredSet) -> np.ndarray:
    """[n, 5] features of the passages taken whole: the model's alone, nothing of attributes and words."""
    p = np.clip(scored.whole, 1e-4, 1 - 1e-4)
    log_odds = np.log(p / (1 - p))
    features = np.zeros((len(p), len(Features._fields)))
    features[:, 0], features[:, 1] = log_odds[:, 0], log_odds[:, 2]
    return features
