"""Corrected support rates: bias and coverage in a seeded simulation, and on sentences that experts labelled.

usage: correction.py [--replications 5000]                                the simulation
       correction.py --run RUN --labels L --answers A --evidence E        200 random splits of sentences that experts labelled
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipelines.agreement import LabelledSentence, labelled_sentences
from pipelines.checker_error import CELLS, Moments, moments
from schemas.calibration import CheckerError, Rate
from transforms.correction import Corrected, corrected, corrected_part
from transforms.intervals import RatioSums, micro, sums_of

SEED = 20261130
DESIGNS = ("random", "scored", "elsewhere")


class Cell(NamedTuple):
    """One setting: the checker, tonight's true rate, labels (about so many), night (answers), correlation within answers, and how
    labels were drawn: `random` from the same traffic, `scored` from it with odds by the checker's word, `elsewhere` balanced."""

    sensitivity: float
    specificity: float
    rate: float
    labels: int
    night: int
    correlation: float
    design: str


class Outcomes(NamedTuple):
    """What an answer's edges may be, cell by cell [k, 4], and how likely [k]."""

    counts: np.ndarray
    chances: np.ndarray


# Judged edges of an answer: 3.2 on average.
SIZES = {1: 0.2, 2: 0.2, 3: 0.2, 4: 0.15, 5: 0.15, 6: 0.1}
LABEL_SIZES = {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25}
_POINTS = 24


def mixed(mean: float, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates of answers [p] with this mean and correlation within an answer, and their chances [p]: quantiles of a beta."""
    from scipy.stats import beta

    if not correlation:
        return np.array([mean]), np.array([1.0])
    size = 1 / correlation - 1
    points = beta.ppf((np.arange(_POINTS) + 0.5) / _POINTS, mean * size, (1 - mean) * size)
    # The quantile means are off a little: the mean has to be exact, for bias is what is measured.
    low, high = points[points < mean], points[points >= mean]
    share = (mean - low.mean()) / (high.mean() - low.mean())
    return points, np.where(points < mean, (1 - share) / len(low), share / len(high))


def outcomes(sizes: dict[int, float], rate: float, sensitivity: float, specificity: float, correlation: float) -> Outcomes:
    """All outcomes of an answer, its edges sharing a true rate and its errors a rate of errors, both correlated."""
    rates, rate_chances = mixed(rate, correlation)
    # One quantile moves both error rates of an answer: some passages are hard.
    hits, hit_chances = mixed(sensitivity, correlation / 2)
    passes, pass_chances = mixed(specificity, correlation / 2)
    cells, chances = [], []
    for (p, q), (se, s1), (sp, s0) in itertools.product(
        zip(rates, rate_chances, strict=True), zip(hits, hit_chances, strict=True), zip(passes, pass_chances, strict=True)
    ):
        cells.append((p * se, p * (1 - se), (1 - p) * (1 - sp), (1 - p) * sp))
        chances.append(q * s1 * s0)
    of_edge, weight = np.array(cells), np.array(chances)
    counts, likely = [], []
    for size, share in sizes.items():
        for split in itertools.product(range(size + 1), repeat=4):
            if sum(split) == size:
                ways = math.factorial(size) / math.prod(map(math.factorial, split))
                counts.append(split)
                likely.append(share * ways * float(weight @ np.prod(of_edge ** np.array(split), axis=1)))
    found = np.array(likely)
    return Outcomes(np.array(counts), found / found.sum())


def draw(found: Outcomes, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Outcomes [*shape, 4] of so many replications and answers."""
    return found.counts[np.searchsorted(np.cumsum(found.chances)[:-1], rng.random(shape))]


def label_sets(cell: Cell, replications: int, rng: np.random.Generator) -> Iterator[CheckerError]:
    """One error a replication, measured by the code that measures labels."""
    keep = np.array([0.4, 1.0, 0.4, 1.0]) if cell.design == "scored" else np.ones(4)
    rate = 0.5 if cell.design == "elsewhere" else cell.rate
    found = cached_outcomes(tuple(LABEL_SIZES.items()), rate, cell.sensitivity, cell.specificity, cell.correlation)
    answers = round(cell.labels / float(found.chances @ found.counts @ keep))
    for start in range(0, replications, 500):
        drawn = draw(found, (min(500, replications - start), answers), rng)
        counts = rng.binomial(drawn, keep) if cell.design == "scored" else drawn
        measured = moments(counts / keep, (counts / keep**2).sum(1))
        yield from errors_of(measured, counts, cell.design != "elsewhere")


def errors_of(measured: Moments, counts: np.ndarray, traffic: bool) -> Iterator[CheckerError]:
    """The errors [replications] of label counts [replications, answers, 4]."""
    supported, unsupported = counts[..., :2].sum(-1), counts[..., 2:].sum(-1)
    n = np.stack(
        [
            counts.sum((1, 2)),
            ((supported + unsupported) > 0).sum(1),
            supported.sum(1),
            unsupported.sum(1),
            (supported > 0).sum(1),
            (unsupported > 0).sum(1),
        ],
        1,
    ).tolist()
    columns = zip(*(np.asarray(column).tolist() for column in measured), strict=True)
    for sizes, values in zip(n, columns, strict=True):
        one = Moments(*values)
        yield CheckerError(
            "edge", "all", *sizes, Rate(), Rate(), Rate(one.sensitivity), Rate(one.specificity), None, (), one.labelled,
            one.observed, one.var_labelled, one.var_observed, one.cov_labelled_observed, one.var_sensitivity, one.var_specificity,
            one.cov_sensitivity_specificity, traffic,
        )  # fmt: skip


_CACHE: dict[Any, Outcomes] = {}


def cached_outcomes(sizes: tuple[tuple[int, float], ...], *setting: float) -> Outcomes:
    key = (sizes, *setting)
    if key not in _CACHE:
        _CACHE[key] = outcomes(dict(sizes), *setting)  # type: ignore[arg-type]
    return _CACHE[key]


# Edges of an answer that were not judged, so many with these chances.
UNJUDGED = {0: 0.5, 1: 0.3, 3: 0.2}
FULL_SHARE = {0: 1.0}


def nights(cell: Cell, unjudged: dict[int, float], replications: int, rng: np.random.Generator) -> np.ndarray:
    """Sums [replications, 22] over a night's answers: what RatioSums holds of a/j, then of a/b up to the products, then of j/b."""
    found = cached_outcomes(tuple(SIZES.items()), cell.rate, cell.sensitivity, cell.specificity, cell.correlation)
    likely: dict[tuple[int, int, int], float] = {}
    for counts, chance in zip(found.counts.tolist(), found.chances.tolist(), strict=True):
        for more, share in unjudged.items():
            key = (counts[0] + counts[2], sum(counts), sum(counts) + more)
            likely[key] = likely.get(key, 0.0) + chance * share
    products = np.array([[*sums_of(a, j), *sums_of(a, b)[:6], *sums_of(j, b)[:6]] for a, j, b in likely])
    chances = np.array(list(likely.values()))
    return rng.multinomial(cell.night, chances / chances.sum(), replications) @ products


class Found(NamedTuple):
    """What a cell gave for one method: corrections given, mean error and its Monte Carlo error, spread of the estimate, coverage,
    median width, and the raw rate's mean error and coverage."""

    cell: Cell
    method: str
    given: int
    replications: int
    bias: float
    spread: float
    coverage: float
    width: float
    raw_bias: float
    raw_coverage: float

    @property
    def error(self) -> float:
        """The Monte Carlo error of the bias."""
        return self.spread / math.sqrt(max(1, self.given))

    @property
    def coverage_error(self) -> float:
        """The Monte Carlo error of a coverage of 95 %."""
        return math.sqrt(0.95 * 0.05 / max(1, self.given))


def simulate(cell: Cell, replications: int, part: bool = False, seed: int = SEED) -> list[Found]:
    """Correct so many nights, each by labels of its own; by every method that the design allows."""
    rng = np.random.default_rng([seed, *(round(1000 * float(value)) for value in cell[:6]), DESIGNS.index(cell.design), part])
    sums = nights(cell, UNJUDGED if part else FULL_SHARE, replications, rng).tolist()
    errors = list(label_sets(cell, replications, rng))
    truth = cell.rate * (SHARE if part else 1)
    return [
        _found(cell, truth, [_correct(one, error, part, whole) for one, error in zip(sums, errors, strict=True)], sums, whole)
        for whole in ((False,) if cell.design == "elsewhere" else (True, False))
    ]


_JUDGED, _MORE = (sum(size * chance for size, chance in sizes.items()) for sizes in (SIZES, UNJUDGED))
SHARE = _JUDGED / (_JUDGED + _MORE)


def _correct(sums: Sequence[int], error: CheckerError, part: bool, whole: bool) -> Corrected:
    judged, whole_sums, shares = RatioSums(*sums[:10]), RatioSums(*sums[10:16]), RatioSums(*sums[16:])
    if not part:
        return corrected(judged, error, whole_traffic=whole)
    return corrected_part(whole_sums, judged, shares, error, whole_traffic=whole)


def _found(cell: Cell, truth: float, results: list[Corrected], sums: list[list[int]], whole: bool) -> Found:
    given = [one for one in results if one.value is not None]
    estimates = np.array([one.estimate for one in given])
    low, high = (np.array([getattr(one, name) for one in given]) for name in ("low", "high"))
    raw = np.array([one[11] / one[12] for one in sums])
    half = 1.96 * np.sqrt(raw * (1 - raw) / np.array([one[12] for one in sums]))
    many = len(given) > 1
    return Found(
        cell,
        "prediction-powered" if whole else "rogan-gladen",
        len(given),
        len(results),
        float(estimates.mean() - truth) if many else math.nan,
        float(estimates.std(ddof=1)) if many else math.nan,
        float(((low <= truth) & (truth <= high)).mean()) if many else math.nan,
        float(np.median(high - low)) if many else math.nan,
        float(raw.mean() - truth),
        float((abs(raw - truth) <= half).mean()),
    )


# --- the simulation's report ------------------------------------------------------------------------------------------------------

CHECKERS = ((0.7, 0.7), (0.7, 0.95), (0.95, 0.7), (0.85, 0.85), (0.95, 0.95))
RATES, LABELS, NIGHTS, CORRELATIONS = (0.05, 0.2, 0.5, 0.8, 0.95), (100, 200, 400), (50, 300, 2000), (0.0, 0.5)
LEAST_COVERAGE, MOSTLY = 0.93, 0.95


def grid() -> Iterator[tuple[Cell, bool]]:
    """Every cell on the judged part alone, and a smaller grid of judged share times corrected rate."""
    for (sensitivity, specificity), *rest in itertools.product(CHECKERS, RATES, LABELS, NIGHTS, CORRELATIONS, DESIGNS):
        yield Cell(sensitivity, specificity, *rest), False
    for (sensitivity, specificity), *rest in itertools.product(CHECKERS, (0.2, 0.5, 0.8), (200,), (300,), CORRELATIONS, DESIGNS):
        yield Cell(sensitivity, specificity, *rest), True


def is_biased(found: Found) -> bool:
    """Whether the bias exceeds a tenth of the estimate's spread (Cochran 1977: less does not matter) beyond Monte Carlo error."""
    return abs(found.bias) - 3 * found.error > found.spread / 10


def covers_too_little(found: Found) -> bool:
    """Whether fewer than 93 % of the intervals hold the truth."""
    return found.coverage < LEAST_COVERAGE


def misleading(found: Found) -> float:
    """The share of all nights, corrected or not, that print an interval without the truth."""
    return (1 - found.coverage) * found.given / found.replications


def is_inner(found: Found) -> bool:
    """Whether the truth is away from the bounds."""
    return 0.2 <= found.cell.rate <= 0.8


def described(found: Found) -> str:
    """One line on a cell."""
    cell = found.cell
    return (
        f"{cell.sensitivity}/{cell.specificity} rate {cell.rate} labels {cell.labels} ({cell.design}) night {cell.night} "
        f"icc {cell.correlation} {found.method}: given {found.given / found.replications:.3f}, bias {found.bias:+.4f} "
        f"(Monte Carlo error {found.error:.4f}, spread {found.spread:.3f}), coverage {found.coverage:.4f} "
        f"(Monte Carlo error {found.coverage_error:.4f}), median width {found.width:.3f}"
    )


def summary(title: str, found: Sequence[Found]) -> Iterator[str]:
    """Lines on cells that belong together: those in which nearly every night was corrected, then the others."""
    often = [one for one in found if one.given >= MOSTLY * one.replications]
    seldom = [one for one in found if 100 <= one.given < MOSTLY * one.replications]
    yield f"{title}: {len(found)} cells; {len(often)} with a correction in 95 % of the nights, {len(seldom)} with one in fewer"
    for what, part in (("95 %", often), ("fewer", seldom)):
        if not part:
            continue
        inner = [one for one in part if is_inner(one)] or part
        cover, short = sorted(one.coverage for one in part), sum(map(covers_too_little, part))
        worst = max(inner, key=lambda one: abs(one.bias) / one.spread)
        yield (
            f"  {what}: coverage least {cover[0]:.4f}, median {cover[len(cover) // 2]:.4f}, below {LEAST_COVERAGE}: {short} of "
            f"{len(part)}; nights with an interval that misses: at most {max(map(misleading, part)):.3f}; "
            f"rates .2-.8: bias largest {max(abs(one.bias) for one in inner):.4f}, in spreads "
            f"{abs(worst.bias) / worst.spread:.3f}, beyond a tenth: {sum(map(is_biased, inner))} of {len(inner)}; "
            f"raw rate: median bias {np.median([abs(one.raw_bias) for one in part]):.3f}, median coverage "
            f"{np.median([one.raw_coverage for one in part]):.3f}"
        )


def report_simulation(replications: int) -> None:
    """Run the grid and print its summary and every miss."""
    started, groups = time.monotonic(), defaultdict[tuple[str, str, bool], list[Found]](list)
    for cell, part in grid():
        for found in simulate(cell, replications, part):
            groups[found.method, cell.design, part].append(found)
    print(f"{replications} replications a cell, seed {SEED}, {time.monotonic() - started:.0f} s")
    for (method, design, part), found in groups.items():
        for line in summary(f"{method}, labels {design}{', part of all that count' if part else ''}", found):
            print(line)
    for key, found in groups.items():
        often = [one for one in found if one.given >= MOSTLY * one.replications]
        for one in sorted(often, key=lambda one: one.coverage):
            if covers_too_little(one) or (is_inner(one) and is_biased(one)):
                print(f"miss{' (part)' if key[2] else ''}: {described(one)}")


# --- experts' sentences -----------------------------------------------------------------------------------------------------------


class Split(NamedTuple):
    """One half corrected by the labels of the other: its raw and corrected rate against the experts' rate, and the interval of the
    difference of corrected and experts' rate."""

    raw: float
    corrected: float
    low: float
    high: float
    width: float


def cells_of(sentences: Sequence[LabelledSentence]) -> np.ndarray:
    """Counts [answers, 4] of sentences by answer and cell."""
    answers = {answer_id: i for i, answer_id in enumerate(dict.fromkeys(one.answer_id for one in sentences))}
    counts = np.zeros((len(answers), 4), dtype=int)
    for one in sentences:
        counts[answers[one.answer_id], CELLS.index((one.expert, one.run))] += 1
    return counts


def total(pairs: Iterable[tuple[int, int]]) -> RatioSums:
    """The sums of answers' (above, below)."""
    sums = RatioSums()
    for above, below in pairs:
        sums = sums.plus(sums_of(above, below))
    return sums


def split_once(cells: np.ndarray, first: np.ndarray, whole: bool) -> Split | str:
    """Correct the answers outside `first` [answers] by the labels of those inside; the reason where there is no correction."""
    inside, outside = cells[first], cells[~first]
    error = next(errors_of(moments(inside[None] * 1.0, inside[None].sum(1) * 1.0), inside[None], True))
    night = total((int(one[0] + one[2]), int(one.sum())) for one in outside)
    experts = micro(total((int(one[0] + one[1]), int(one.sum())) for one in outside))
    found = corrected(night, error, whole_traffic=whole)
    if found.value is None or experts.value is None:
        return found.reason or "no label"
    # Newcombe's square-and-add: as if both were independent: cautious, for both rates move together.
    low = found.value - experts.value - math.hypot(found.value - found.low, experts.high - experts.value)
    high = found.value - experts.value + math.hypot(found.high - found.value, experts.value - experts.low)
    raw = night.above / night.below
    return Split(abs(raw - experts.value), abs(found.value - experts.value), low, high, found.high - found.low)


def report_splits(sentences: Sequence[LabelledSentence], splits: int) -> None:
    """Print how the corrected rate of a half fares against the experts' rate, by both methods."""
    cells = cells_of(sentences)
    measured = moments(cells[None] * 1.0, cells[None].sum(1) * 1.0)
    print(
        f"{cells.sum()} sentences of {len(cells)} answers: experts {measured.labelled[0]:.3f}, run {measured.observed[0]:.3f}, "
        f"sensitivity {measured.sensitivity[0]:.3f}, specificity {measured.specificity[0]:.3f}"
    )
    for method, whole in (("prediction-powered", True), ("rogan-gladen", False)):
        rng = np.random.default_rng(SEED)
        halves = [rng.permutation(len(cells)) < len(cells) // 2 for _ in range(splits)]
        found = [split_once(cells, first, whole) for first in halves]
        given = [one for one in found if isinstance(one, Split)]
        reasons = sorted({re.split(":| is ", one)[0] for one in found if isinstance(one, str)})
        covered = np.mean([one.low <= 0 <= one.high for one in given])
        print(
            f"{method}: corrected in {len(given)} of {splits} splits{f' (else: {reasons})' if reasons else ''}; "
            f"median absolute error {np.median([one.corrected for one in given]):.3f}, "
            f"raw {np.median([one.raw for one in given]):.3f}; the interval of the difference covers 0 in {covered:.1%} "
            f"(its median width {np.median([one.high - one.low for one in given]):.3f}); "
            f"median width of the corrected interval {np.median([one.width for one in given]):.3f}"
        )


def main() -> None:
    """Run the simulation, or the splits where a run is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=5000)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--run", default=None)
    for name in ("labels", "answers", "evidence"):
        parser.add_argument(f"--{name}", type=Path, default=None)
    options = parser.parse_args()
    if options.run is None:
        report_simulation(options.replications)
    else:
        report_splits(labelled_sentences(options.run, options.labels, options.answers, options.evidence)[0], options.splits)


if __name__ == "__main__":
    main()
