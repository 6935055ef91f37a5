"""One support score: the model's probabilities, the attribute comparison and the word coverage, joined by a small logistic."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from transforms.attributes import compare
from transforms.entailment import Probabilities
from transforms.families import RULES
from transforms.overlap import word_coverage

if TYPE_CHECKING:
    import numpy

CALIBRATION_FILE = "calibration.json"
# What can be switched off; the model's own probabilities are always there.
PARTS = ("attributes", "coverage")
# A pair with one premise, and a pair whose windows compete: the best of many is likelier to be high by chance.
KINDS = ("sentence", "window")
# The model's own probabilities are four decimals: beyond these their log odds say nothing.
_LEAST = 1e-4
_PENALTY = 1e-4
_REMEDY = "fit the calibration again, or delete the file to judge by the model's own probabilities"


class Features(NamedTuple):
    """What is known of a window: log odds of entailment and contradiction, families that differ, families that the premise does
    not state, and the share of the claim's content words that it holds."""

    entailment: float
    contradiction: float
    differs: float
    missing: float
    coverage: float


# More of this never lowers (1) or never raises (-1) the score.
SIGNS = Features(1, -1, -1, -1, 1)
_PART_OF = {"differs": "attributes", "missing": "attributes", "coverage": "coverage"}


def features_of(probabilities: Probabilities, premise: str, hypothesis: str, parts: Collection[str] = PARTS) -> Features:
    """Measure a window; what belongs to a part outside `parts` is 0 and costs nothing.

    >>> p = Probabilities(0.5, 0.3, 0.2)
    >>> features_of(p, "Logs are kept for 7 days in Riga.", "Logs are kept for 30 days since 2024")[2:]
    (1, 1, 0.6)
    """
    differs, missing = set[str](), set[str]()
    if "attributes" in parts:
        compared = compare(hypothesis, premise)
        differs = {one.family for one in compared.differs}
        missing = {one.family for one in compared.missing} - differs
    coverage = word_coverage(premise, hypothesis) if "coverage" in parts else 0.0
    return Features(
        _log_odds(probabilities.entailment), _log_odds(probabilities.contradiction), len(differs), len(missing), coverage
    )


def _log_odds(p: float) -> float:
    clipped = min(max(p, _LEAST), 1 - _LEAST)
    return math.log(clipped / (1 - clipped))


@dataclass(frozen=True)
class Fit:
    """A logistic over Features, and the probability from which a pair counts as supported.

    Raises ValueError where a weight has the wrong sign, a number is not finite or the threshold is no probability.
    """

    intercept: float
    weights: Features
    threshold: float = 0.5

    def __post_init__(self) -> None:
        for name, value in (("intercept", self.intercept), *self.weights._asdict().items()):
            if not math.isfinite(value):
                raise ValueError(f"{name} must be finite: {value!r}")
        for name, weight, sign in zip(Features._fields, self.weights, SIGNS, strict=True):
            if weight * sign < 0:
                raise ValueError(f"the weight of {name} must not be {'below' if sign > 0 else 'above'} 0: {weight!r}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be a probability: {self.threshold!r}")

    @property
    def is_identity(self) -> bool:
        """Whether it leaves the model's probabilities as they are."""
        return self.intercept == 0 and self.weights == _IDENTITY

    def probability(self, features: Features) -> float:
        """The calibrated probability of support."""
        z = self.intercept + sum(weight * value for weight, value in zip(self.weights, features, strict=True))
        return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


_IDENTITY = Features(1, 0, 0, 0, 0)
# The subsets of PARTS by the names that they have in the file.
_SUBSETS = {"+".join(("model", *parts)): parts for n in range(len(PARTS) + 1) for parts in combinations(PARTS, n)}


def names_in(parts: Collection[str]) -> tuple[str, ...]:
    """The features in use with these parts, in the order of Features.

    >>> names_in(("coverage",))
    ('entailment', 'contradiction', 'coverage')
    """
    return tuple(name for name in Features._fields if name not in _PART_OF or _PART_OF[name] in parts)


def kind_of(n_windows: int) -> str:
    """The kind of a pair with so many premises."""
    return KINDS[n_windows > 1]


@dataclass(frozen=True)
class Calibration:
    """How a checker's probabilities become the support score: one Fit for every kind and subset of PARTS.

    `parts` are those in use; `fitted_on` names the sets that the fits come from. Raises ValueError for an unknown part or a fit
    that is absent.
    """

    fits: Mapping[tuple[str, tuple[str, ...]], Fit]
    parts: tuple[str, ...] = PARTS
    fitted_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", checked_parts(self.parts))
        for key in ((kind, parts) for kind in KINDS for parts in _SUBSETS.values()):
            if key not in self.fits:
                raise ValueError(
                    f"no fit for kind and parts {key}; give one for each of {', '.join(KINDS)} with each subset of parts"
                )

    @classmethod
    def identity(cls, threshold: float = 0.5, parts: tuple[str, ...] = PARTS, fitted_on: tuple[str, ...] = ()) -> Calibration:
        """The model's probabilities as they are, under one threshold."""
        fit = Fit(0, _IDENTITY, threshold)
        return cls({(kind, subset): fit for kind in KINDS for subset in _SUBSETS.values()}, parts, fitted_on)

    @classmethod
    def read(cls, folder: str | Path, parts: tuple[str, ...] = PARTS) -> Calibration:
        """The calibration in a checker's folder; the identity with threshold 0.5 where it has none.

        Raises ValueError that names file, field and value.
        """
        path, parts = Path(folder) / CALIBRATION_FILE, checked_parts(parts)
        if not path.exists():
            return cls.identity(parts=parts)
        try:
            record = _fields(json.loads(path.read_text(encoding="utf-8")), "the content", ("fits", "fitted_on"))
            return cls(_read_fits(record["fits"]), parts, _read_names(record["fitted_on"]))
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: {error}; {_REMEDY}") from error

    def write(self, folder: str | Path) -> Path:
        """Write all fits into a checker's folder, whatever parts are in use; the same calibration gives the same bytes."""
        fits = {kind: {name: _written(self.fits[kind, parts], parts) for name, parts in _SUBSETS.items()} for kind in KINDS}
        path = Path(folder) / CALIBRATION_FILE
        record = {"fits": fits, "fitted_on": list(self.fitted_on)}
        path.write_text(json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
        return path

    def fit_of(self, kind: str) -> Fit:
        """The fit in use for a kind."""
        return self.fits[kind, self.parts]

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold in use, kind by kind."""
        return {kind: self.fit_of(kind).threshold for kind in KINDS}

    def under(self, thresholds: Mapping[str, float]) -> Calibration:
        """The same score under other thresholds, by kind; a kind that is not named keeps its own."""
        fits = {
            (kind, parts): replace(fit, threshold=thresholds.get(kind, fit.threshold)) for (kind, parts), fit in self.fits.items()
        }
        return replace(self, fits=fits)

    def calibrated(self, probabilities: Probabilities, premise: str, hypothesis: str, kind: str) -> Probabilities:
        """Make p(entailment) the calibrated probability of support, to four decimals.

        Neutral and contradiction share the rest in the model's own proportion; where it gave them nothing it is neutral's.
        """
        fit = self.fit_of(kind)
        if fit.is_identity:
            return probabilities
        p = round(fit.probability(features_of(probabilities, premise, hypothesis, self.parts)), 4)
        others = probabilities.neutral + probabilities.contradiction
        contradiction = round((1 - p) * probabilities.contradiction / others, 4) if others else 0.0
        return Probabilities(p, abs(round(1 - p - contradiction, 4)), contradiction)

    def named(self, checker: str) -> str:
        """The name of a checker under this calibration: a hash is added for all that changes a probability.

        Thresholds change none and have their own column; the identity adds nothing.
        """
        fits = [self.fit_of(kind) for kind in KINDS]
        if all(fit.is_identity for fit in fits):
            return checker
        content = json.dumps([RULES, *([float(fit.intercept), *map(float, fit.weights)] for fit in fits)])
        return f"{checker}+{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def checked_parts(parts: Iterable[str]) -> tuple[str, ...]:
    """Give parts in the order of PARTS, each once; raises ValueError for an unknown one.

    >>> checked_parts(["coverage", "attributes", "coverage"])
    ('attributes', 'coverage')
    """
    given = set(parts)
    if given - set(PARTS):
        raise ValueError(f"unknown parts: {', '.join(sorted(given - set(PARTS)))}; choose from {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in given)


def _written(fit: Fit, parts: tuple[str, ...]) -> dict[str, Any]:
    weights = {name: getattr(fit.weights, name) for name in names_in(parts)}
    return {"intercept": fit.intercept, "weights": weights, "threshold": fit.threshold}


def _read_fits(record: Any) -> dict[tuple[str, tuple[str, ...]], Fit]:
    return {
        (kind, _SUBSETS[name]): _read_fit(fit, f"fits.{kind}.{name}", _SUBSETS[name])
        for kind, subsets in _fields(record, "fits", KINDS).items()
        for name, fit in _fields(subsets, f"fits.{kind}", _SUBSETS).items()
    }


def _read_fit(record: Any, where: str, parts: tuple[str, ...]) -> Fit:
    fields = _fields(record, where, ("intercept", "weights", "threshold"))
    weights = _fields(fields["weights"], f"{where}.weights", names_in(parts))
    for name, value in (("intercept", fields["intercept"]), ("threshold", fields["threshold"]), *weights.items()):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{where}: {name} must be a number, found {value!r}")
    try:
        return Fit(fields["intercept"], Features(0, 0, 0, 0, 0)._replace(**weights), fields["threshold"])
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _read_names(record: Any) -> tuple[str, ...]:
    if not isinstance(record, list) or not all(isinstance(name, str) for name in record):
        raise ValueError(f"fitted_on must be a list of names, found {record!r}")
    return tuple(record)


def _fields(record: Any, where: str, names: Collection[str]) -> dict[str, Any]:
    """An object with exactly these fields; raises ValueError that names the odd one."""
    if not isinstance(record, dict):
        raise ValueError(f"{where} must be an object, found {record!r}")
    for name in names:
        if name not in record:
            raise ValueError(f"{where} lacks the field {name!r}")
    unknown = sorted(set(record) - set(names))
    if unknown:
        raise ValueError(f"{where} has unknown fields: {', '.join(unknown)}")
    return record


def fit(features: numpy.ndarray, supported: numpy.ndarray, sample_weight: numpy.ndarray, parts: Collection[str] = PARTS) -> Fit:
    """Fit the logistic that makes `supported` likeliest, under SIGNS; its threshold is 0.5.

    Comes in: `features` [n, 5] in the order of Features, `supported` [n] true or false, `sample_weight` [n], of which only the
    proportions count. A small L2 penalty on the standardised features keeps separable data finite. Deterministic; numbers are
    rounded to six decimals. Raises ValueError for shapes that don't meet, numbers that are not finite, weights that are negative
    or sum to 0, and where one class has no weight; RuntimeError where the fit does not converge.
    """
    import numpy as np

    x, y, w = (np.asarray(one, dtype=np.float64) for one in (features, supported, sample_weight))
    _check_rows(x, y, w)
    w = w / w.sum()
    used = [Features._fields.index(name) for name in names_in(checked_parts(parts))]
    mean, sd = np.zeros(len(SIGNS)), np.ones(len(SIGNS))
    mean[used] = w @ x[:, used]
    spread = np.sqrt(w @ (x - mean) ** 2)
    sd[used] = np.where(spread[used] > 1e-9, spread[used], 1.0)
    v = _solved(((x - mean) / sd)[:, used], y, w, [(0, None) if SIGNS[i] > 0 else (None, 0) for i in used])
    weights = np.zeros(len(SIGNS))
    weights[used] = v[1:] / sd[used]
    # Adding 0.0 makes a negative zero a plain one.
    rounded = [round(float(one), 6) + 0.0 for one in (v[0] - weights @ mean, *weights)]
    return Fit(rounded[0], Features(*rounded[1:]))


def _solved(z: numpy.ndarray, y: numpy.ndarray, w: numpy.ndarray, bounds: list[tuple[int | None, int | None]]) -> numpy.ndarray:
    """Intercept and weights, within bounds, of the penalised logistic over standardised features."""
    import numpy as np
    from scipy.optimize import minimize

    def loss(v: Any) -> tuple[float, Any]:
        score = v[0] + z @ v[1:]
        residual = w * (1 / (1 + np.exp(-np.clip(score, -500, 500))) - y)
        value = w @ (np.logaddexp(0, score) - y * score) + _PENALTY / 2 * (v[1:] @ v[1:])
        return float(value), np.concatenate(([residual.sum()], z.T @ residual + _PENALTY * v[1:]))

    start, options = np.zeros(1 + z.shape[1]), {"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-8}
    solved = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(None, None), *bounds], options=options)
    if not solved.success:
        raise RuntimeError(f"the fit does not converge on {len(z)} rows: {solved.message}; look for features on a wild scale")
    return solved.x


def _check_rows(x: numpy.ndarray, y: numpy.ndarray, w: numpy.ndarray) -> None:
    if x.ndim != 2 or x.shape[1] != len(SIGNS) or y.shape != (len(x),) or w.shape != (len(x),):
        raise ValueError(
            f"features must be [n, {len(SIGNS)}], supported and sample_weight [n]: found {x.shape}, {y.shape} and {w.shape}"
        )
    for name, values, good in (
        ("features", x, abs(x) < math.inf),
        ("supported", y, (y == 0) | (y == 1)),
        ("sample_weight", w, (w >= 0) & (w < math.inf)),
    ):
        if not good.all():
            raise ValueError(f"{name} holds what cannot be fitted: {values[~good][0]!r}; leave such rows out")
    for label, name in ((1, "supported"), (0, "unsupported")):
        if not w[y == label].sum() > 0:
            raise ValueError(f"nothing to fit on: of {len(x)} rows none that is {name} has a weight; give rows of both classes")
