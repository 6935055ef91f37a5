"""Count how often 95 % intervals cover the true rate, over answers whose edges fare alike, beside a cluster bootstrap.

usage: intervals.py [--replications 5000] [--seed 1] [--bootstrap 200] [--laws few,many,skewed] [--drop 0]

An answer is one of finitely many kinds (its denominator, its numerator), so that a sample of answers is a multinomial draw of
kinds: exact, and as fast for 5,000 answers as for ten. So is a bootstrap sample.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from transforms.intervals import Estimate, RatioSums, effective_n, macro, micro, sums_of, variance

ANSWERS = (10, 20, 50, 100, 500, 5000)
RATES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
ALIKE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
LEAST, MOST, ENOUGH = 0.93, 0.97, 10
Z, DRAWS = 1.959964, 300


class Cell(NamedTuple):
    """A situation: how many answers, their rate, the correlation within an answer, how much worse long answers do."""

    law: str
    answers: int
    rate: float
    alike: float
    drop: float = 0.0


class Kinds(NamedTuple):
    """The kinds of answers: numerators, denominators and probabilities, each [kinds]."""

    above: np.ndarray
    below: np.ndarray
    chance: np.ndarray


class Found(NamedTuple):
    """What came out for one estimate in one cell; the bootstrap's values are NaN where it did not run."""

    coverage: float
    width: float
    boot_coverage: float
    boot_width: float
    information: float


def edges_law(law: str) -> tuple[np.ndarray, np.ndarray]:
    """How many edges an answer has, and how probably. Means: few 2.1, many 5, skewed 6 (standard deviation 5)."""
    if law == "few":
        return np.array([1, 2, 3, 5, 8, 12]), np.array([0.55, 0.27, 0.08, 0.05, 0.03, 0.02])
    if law == "many":
        edges = np.arange(1, 22)
        chance = stats.poisson.pmf(edges - 1, 4)
    else:
        edges = np.arange(1, 50)
        chance = stats.nbinom.pmf(edges - 1, 1.2, 1.2 / 6.2)
    return edges, chance / chance.sum()


def kinds_of(cell: Cell) -> Kinds:
    """Beta-binomial numerators; the likeliest kinds first, which makes draws fast."""
    above, below, chance = [], [], []
    law = edges_law(cell.law)
    for edges, share in zip(*law, strict=True):
        rate = cell.rate - cell.drop * (edges > law[0] @ law[1])
        hits = np.arange(edges + 1)
        above.append(hits)
        below.append(np.full(edges + 1, edges))
        chance.append(share * hits_law(hits, edges, rate, cell.alike))
    joined = np.concatenate(chance)
    order = np.argsort(-joined, kind="stable")
    return Kinds(np.concatenate(above)[order], np.concatenate(below)[order], joined[order] / joined.sum())


def hits_law(hits: np.ndarray, edges: int, rate: float, alike: float) -> np.ndarray:
    if not alike:
        return np.asarray(stats.binom.pmf(hits, edges, rate))
    scale = (1 - alike) / alike
    return np.asarray(stats.betabinom.pmf(hits, edges, rate * scale, (1 - rate) * scale))


def samples(cell: Cell, kinds: Kinds, replications: int, seed: int) -> np.ndarray:
    """How often each kind occurs [replications, kinds]."""
    rng = np.random.default_rng([seed, cell.answers, round(cell.rate * 1000), round(cell.alike * 1000)])
    return rng.multinomial(cell.answers, kinds.chance, size=replications)


def summed(kinds: Kinds, counts: np.ndarray) -> Iterator[RatioSums]:
    """The sums of each sample, as the job would add them up."""
    each = np.array([sums_of(int(a), int(b)) for a, b in zip(kinds.above, kinds.below, strict=True)], dtype=np.int64)
    for row in (counts @ each).tolist():
        yield RatioSums(*row)


def information(cell: Cell, kinds: Kinds) -> tuple[float, float]:
    """Effective n times rate times (1 - rate), of micro (edges / design effect) and macro (answers / theirs)."""
    mean, inverse = kinds.chance @ kinds.below, kinds.chance @ (1 / kinds.below)
    size = kinds.chance @ kinds.below**2 / mean
    spread = cell.rate * (1 - cell.rate)
    edges = cell.answers * mean / (1 + (size - 1) * cell.alike)
    return float(edges * spread), float(cell.answers / (cell.alike + (1 - cell.alike) * inverse) * spread)


def truth(kinds: Kinds) -> tuple[float, float]:
    """What micro and macro estimate."""
    return float(kinds.chance @ kinds.above / (kinds.chance @ kinds.below)), float(kinds.chance @ (kinds.above / kinds.below))


def covered(estimates: list[Estimate], rate: float) -> tuple[float, float]:
    """The share of intervals that hold the rate, and their median width."""
    bounds = np.array([(one.low, one.high) for one in estimates])
    return hold(bounds, rate), float(np.median(bounds[:, 1] - bounds[:, 0]))


def hold(bounds: np.ndarray, rate: float) -> float:
    """The share of bounds [n, (low, high)] that hold the rate, rounding errors aside."""
    return float(np.mean((bounds[:, 0] <= rate + 1e-9) & (rate - 1e-9 <= bounds[:, 1])))


def bootstrap(kinds: Kinds, counts: np.ndarray, seed: int) -> np.ndarray:
    """Percentile intervals of micro and macro from answers drawn with replacement [samples, (micro, macro), (low, high)]."""
    rng, bounds = np.random.default_rng(seed), []
    for row in counts:
        seen = np.flatnonzero(row)
        drawn = rng.multinomial(row.sum(), row[seen] / row.sum(), size=DRAWS)
        above, below = kinds.above[seen], kinds.below[seen]
        ratios = np.stack([(drawn @ above) / (drawn @ below), drawn @ (above / below) / row.sum()])
        bounds.append(np.quantile(ratios, [0.025, 0.975], axis=1).T)
    return np.array(bounds)


def run_cell(cell: Cell, replications: int, seed: int, boots: int = 0) -> tuple[Found, Found, list[RatioSums]]:
    """Micro, macro, and the sums that they came from."""
    kinds = kinds_of(cell)
    counts = samples(cell, kinds, replications, seed)
    sums = list(summed(kinds, counts))
    found = []
    bounds = bootstrap(kinds, counts[:boots], seed) if boots else np.full((1, 2, 2), np.nan)
    for rule, rate, told, ends in zip((micro, macro), truth(kinds), information(cell, kinds), bounds.swapaxes(0, 1), strict=True):
        coverage, width = covered([rule(one) for one in sums], rate)
        boot_width = float(np.median(ends[:, 1] - ends[:, 0]))
        found.append(Found(coverage, width, hold(ends, rate) if boots else math.nan, boot_width, told))
    return found[0], found[1], sums


def naive_wilson(sums: RatioSums) -> Estimate:
    """As if every edge were independent."""
    return _wilson(sums, sums.below)


def linearised(sums: RatioSums) -> Estimate:
    """The textbook interval: ratio and cluster-robust standard error, t with clusters - 1 degrees of freedom."""
    rate, half = sums.above / sums.below, float(special.stdtrit(sums.clusters - 1, 0.975)) * math.sqrt(variance(sums))
    return Estimate(rate, rate - half, rate + half, sums.below, sums.clusters)


def logit(sums: RatioSums) -> Estimate:
    """The same on the logit scale; 0 % and 100 % as in `korn_graubard`."""
    rate, spread = sums.above / sums.below, variance(sums)
    if not spread:
        return korn_graubard(sums)
    half = float(special.stdtrit(sums.clusters - 1, 0.975)) * math.sqrt(spread) / (rate * (1 - rate))
    ends = (float(special.expit(special.logit(rate) + sign * half)) for sign in (-1, 1))
    return Estimate(rate, *ends, sums.below, sums.clusters)


def plain_effective_n(sums: RatioSums) -> float:
    """rate * (1 - rate) / variance, at most the edges; as many as answers count where the variance is 0."""
    rate, spread = sums.above / sums.below, variance(sums)
    return min(sums.below, rate * (1 - rate) / spread) if spread else sums.below**2 / sums.below_below


def korn_graubard(sums: RatioSums) -> Estimate:
    """Clopper-Pearson at the effective n, which is cut for the degrees of freedom (Korn and Graubard, 1998)."""
    n = plain_effective_n(sums) * (Z / float(special.stdtrit(sums.clusters - 1, 0.975))) ** 2
    rate = sums.above / sums.below
    low = float(special.betaincinv(n * rate, n * (1 - rate) + 1, 0.025)) if rate > 0 else 0.0
    high = float(special.betaincinv(n * rate + 1, n * (1 - rate), 0.975)) if rate < 1 else 1.0
    return Estimate(rate, low, high, sums.below, sums.clusters)


def plain_wilson(sums: RatioSums) -> Estimate:
    """Wilson at the effective n (Franco and others, 2019)."""
    return _wilson(sums, plain_effective_n(sums))


def steadied_wilson(sums: RatioSums) -> Estimate:
    """Wilson at the effective n of ours, with neither its t quantile nor its bound for one or two hits."""
    return _wilson(sums, effective_n(sums))


def _wilson(sums: RatioSums, n: float) -> Estimate:
    rate = sums.above / sums.below
    middle, half = rate + Z * Z / (2 * n), Z * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))
    return Estimate(rate, (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n), sums.below, sums.clusters)


RULES: dict[str, Callable[[RatioSums], Estimate]] = {
    "ours": micro,
    "naive Wilson": naive_wilson,
    "linearised t": linearised,
    "logit t": logit,
    "Korn-Graubard": korn_graubard,
    "Wilson": plain_wilson,
    "Wilson, steadied n": steadied_wilson,
}


def misses(coverage: float, told: float, allowance: float = 0.0) -> bool:
    """Whether a coverage is outside what is required, give or take an allowance for chance."""
    return coverage < LEAST - allowance or (told >= ENOUGH and coverage > MOST + allowance)


def standard_error(coverage: float, replications: int) -> float:
    return math.sqrt(coverage * (1 - coverage) / replications)


def compare(sums: list[RatioSums], rate: float, told: float, tally: dict[str, list[tuple[float, float]]]) -> None:
    for name, rule in RULES.items():
        tally[name].append((covered([rule(one) for one in sums], rate)[0], told))


def show(cell: Cell, name: str, found: Found, replications: int) -> str:
    mark = "OUTSIDE" if misses(found.coverage, found.information) else ""
    return (
        f"{cell.law:7}{cell.answers:5} {cell.rate:5.2f} {cell.alike:5.2f} {name:6}{found.information:9.1f}"
        f"{found.coverage:9.4f} ±{standard_error(found.coverage, replications):.4f}{found.width:9.4f}"
        f"{found.boot_coverage:10.3f}{found.boot_width:9.4f} {mark}"
    )


def show_extremes(rows: list[tuple[Cell, str, Found]]) -> None:
    """Least and most coverage by law, answers and estimate, and the width over the bootstrap's."""
    print("\nlaw    answers estimate  least  most where n*p*(1-p) >= 10   bootstrap least   width / bootstrap's (median)")
    for law, answers, name in sorted({(cell.law, cell.answers, name) for cell, name, _ in rows}):
        part = [found for cell, kind, found in rows if (cell.law, cell.answers, kind) == (law, answers, name)]
        most = max((found.coverage for found in part if found.information >= ENOUGH), default=math.nan)
        ratio = np.median([found.width / found.boot_width for found in part if found.boot_width > 0] or [math.nan])
        least, boot = min(found.coverage for found in part), min(found.boot_coverage for found in part)
        print(f"{law:7}{answers:6} {name:9}{least:8.4f}{most:8.4f}{boot:40.3f}{ratio:17.2f}")


def show_rules(tally: dict[str, list[tuple[float, float]]]) -> None:
    print("\nmicro, on half of the samples:   least coverage   cells under 93 %   over 97 % where n*p*(1-p) >= 10")
    for name, told in tally.items():
        over = sum(coverage > MOST and enough >= ENOUGH for coverage, enough in told)
        print(f"{name:33}{min(told)[0]:.4f}{sum(coverage < LEAST for coverage, _ in told):19}{over:12}   of {len(told)}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bootstrap", type=int, default=200, help="samples to bootstrap, 300 draws each; 0: none")
    parser.add_argument("--laws", default="few,many,skewed")
    parser.add_argument("--drop", type=float, default=0.0, help="how much lower the rate is in answers longer than the mean")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    rows: list[tuple[Cell, str, Found]] = []
    tally: dict[str, list[tuple[float, float]]] = {name: [] for name in RULES}
    print("law  answers  rate alike         n*p*q coverage             width bootstrap    width")
    for cell in itertools.starmap(Cell, itertools.product(options.laws.split(","), ANSWERS, RATES, ALIKE, [options.drop])):
        if cell.rate <= cell.drop:
            continue
        # Widths hardly vary among samples of 5,000 answers, and each takes long.
        boots = options.bootstrap // 4 if cell.answers == max(ANSWERS) else options.bootstrap
        *both, sums = run_cell(cell, options.replications, options.seed, boots)
        compare(sums[: max(1, options.replications // 2)], truth(kinds_of(cell))[0], both[0].information, tally)
        for name, found in zip(("micro", "macro"), both, strict=True):
            rows.append((cell, name, found))
            print(show(cell, name, found, options.replications), flush=True)
    show_extremes(rows)
    show_rules(tally)
    outside = [row for row in rows if misses(row[2].coverage, row[2].information)]
    print(f"\noutside the requirement: {len(outside)} of {len(rows)}")
    for cell, name, found in outside:
        print(show(cell, name, found, options.replications))


if __name__ == "__main__":
    main()
