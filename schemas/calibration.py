"""Hand-made labels of pairs, and the calibration record that they give: how far a checker may be believed, family by family."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from schemas.claims import FAMILIES, OTHER_FAMILY
from schemas.types import Column

ALL = "all"
UNITS = ("edge", "claim")
LABEL_VALUES = ("supported", "unsupported", "unsure")
# Rows from a queue were chosen for how they look: no error rate may be read from them.
SAMPLE_QUEUE, CLOSED_QUEUES = "sample", ("flagged", "review")
FRAME_KINDS = ("traffic", "elsewhere")
# What a label of a run's own traffic has as its frame, before the run's id.
RUN_FRAME = "run="
_FORMAT = 1
_REMEDY = "write it again with `nearmiss calibrate --labels`"


class Label(NamedTuple):
    """One row of a label sheet: what a person reads, what they say, where the row was drawn, and last what the checker says."""

    label: Annotated[str | None, Column("whether the premise establishes the claim; null: not labelled", values=LABEL_VALUES)]
    claim: Annotated[str, Column("the claim in words")]
    premise: Annotated[str, Column("the passage with its context, or all passages that the claim cites, one after the other")]
    families: Annotated[list[str], Column("the attributes that the claim states, or other")]
    span: Annotated[str | None, Column("the words of the passage that are cited; null: the whole passage")] = None
    question: Annotated[str | None, Column("what the user asked")] = None
    uri: Annotated[str | None, Column("where the document can be read")] = None
    unit: Annotated[str, Column("what is labelled: one edge, or a claim with all that it cites", values=UNITS)] = "edge"
    answer_id: Annotated[str | None, Column("the answer; null: the row is a cluster of its own")] = None
    claim_id: Annotated[str | None, Column("the claim within the answer")] = None
    evidence_id: Annotated[str | None, Column("the span cited")] = None
    version: Annotated[str | None, Column("the version that was judged")] = None
    frame: Annotated[str | None, Column("what the row was drawn from: run=ID, or words of your own; null: unknown")] = None
    stratum: Annotated[str | None, Column("the part of the frame that it was drawn from")] = None
    inclusion_probability: Annotated[float, Column("how likely the row was to be drawn", minimum=0, maximum=1)] = 1.0
    queue: Annotated[str | None, Column("sample or null; flagged and review never enter an error rate")] = None
    checker: Annotated[str | None, Column("name of the checker that judged the row")] = None
    n_windows: Annotated[int | None, Column("premises tried", minimum=0)] = None
    p_entailment: Annotated[float | None, Column("the checker's probability of support", minimum=0, maximum=1)] = None
    supported: Annotated[bool | None, Column("the checker's verdict; null: to be judged")] = None


class Rate(NamedTuple):
    """A share with its 95 % interval; all None where there is nothing to divide by."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class ReliabilityBin(NamedTuple):
    """Labels with similar scores: the mean score, the share that is supported (both weighted), how many there are."""

    predicted: float
    observed: float
    n: int


class CheckerError(NamedTuple):
    """What the labels of one unit and family say of the checker: rates weighted by inclusion, variances clustered by answer.

    `labelled` and `observed` are the weighted shares that people and the checker call supported. Variances are 0 where a class is
    empty. `traffic`: the labels are a random sample of a run's traffic (it comes from the record's frame).
    """

    unit: str
    family: str
    n: int
    n_clusters: int
    n_supported: int
    n_unsupported: int
    clusters_supported: int
    clusters_unsupported: int
    agreement: Rate
    kappa: Rate
    sensitivity: Rate
    specificity: Rate
    calibration_error: float | None
    reliability: tuple[ReliabilityBin, ...]
    labelled: float
    observed: float
    var_labelled: float
    var_observed: float
    cov_labelled_observed: float
    var_sensitivity: float
    var_specificity: float
    cov_sensitivity_specificity: float
    traffic: bool = False


class Frame(NamedTuple):
    """What the labels were drawn from: the traffic of runs, or elsewhere (rows from anywhere, or of mixed origin)."""

    kind: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class CalibrationRecord:
    """A checker's measured error, family by family, as the nightly job takes it.

    `checker` is its name with hashes, as the verdicts table has it. `thresholds` by kind of pair were chosen on other labels than
    the rates were measured on; None: the rates hold at the checker's own. `counts` says what became of the rows read. Raises
    ValueError for a unit, family or frame that nobody knows, or a number out of range.
    """

    checker: str
    frame: Frame
    errors: tuple[CheckerError, ...]
    thresholds: Mapping[str, float] | None = None
    counts: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        _check(self.frame.kind in FRAME_KINDS, "frame.kind", self.frame.kind, f"choose from {', '.join(FRAME_KINDS)}")
        _check((self.frame.kind == "traffic") == bool(self.frame.runs), "frame.runs", self.frame.runs, "traffic names its runs")
        for kind, cut in (self.thresholds or {}).items():
            _check(0 <= cut <= 1, f"thresholds.{kind}", cut, "a threshold is a probability")
        seen = set[tuple[str, str]]()
        for error in self.errors:
            _check_error(error, f"errors[{error.unit}, {error.family}]")
            _check((error.unit, error.family) not in seen, "errors", (error.unit, error.family), "each unit and family once")
            seen.add((error.unit, error.family))
        traffic = self.frame.kind == "traffic"
        object.__setattr__(self, "errors", tuple(error._replace(traffic=traffic) for error in self.errors))

    def error_of(self, unit: str, family: str) -> CheckerError | None:
        """The error for a unit (edge or claim) and a family (or all); None where the record has no label of it."""
        return next((error for error in self.errors if (error.unit, error.family) == (unit, family)), None)


def write_record(record: CalibrationRecord, path: str | Path) -> None:
    """Write a record as JSON; the same record gives the same bytes."""
    plain = {
        "format": _FORMAT,
        "checker": record.checker,
        "frame": {"kind": record.frame.kind, "runs": list(record.frame.runs)},
        "thresholds": None if record.thresholds is None else dict(record.thresholds),
        "counts": dict(record.counts or {}),
        "errors": [_plain_error(error) for error in record.errors],
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_record(path: str | Path) -> CalibrationRecord:
    """Read a record; raises ValueError that names file, field and value."""
    try:
        plain = _object(json.loads(Path(path).read_text(encoding="utf-8")), "the content", ("format", *_RECORD_FIELDS))
        _check(plain["format"] == _FORMAT, "format", plain["format"], f"this version reads format {_FORMAT}")
        frame = _object(plain["frame"], "frame", Frame._fields)
        return CalibrationRecord(
            _typed(plain["checker"], "checker", str),
            Frame(_typed(frame["kind"], "frame.kind", str), tuple(_list(frame["runs"], "frame.runs", _text))),
            tuple(_list(plain["errors"], "errors", _read_error)),
            None if plain["thresholds"] is None else _mapping(plain["thresholds"], "thresholds", _number),
            _mapping(plain["counts"], "counts", _count),
        )
    except OSError as error:
        raise ValueError(f"cannot read the calibration record {path}: {error.strerror}; {_REMEDY}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}; {_REMEDY}") from error


_RECORD_FIELDS = ("checker", "frame", "thresholds", "counts", "errors")
_RATES = ("agreement", "kappa", "sensitivity", "specificity")
_COUNTS = ("n", "n_clusters", "n_supported", "n_unsupported", "clusters_supported", "clusters_unsupported")
_VARIANCES = ("var_labelled", "var_observed", "var_sensitivity", "var_specificity")
_COVARIANCES = ("cov_labelled_observed", "cov_sensitivity_specificity")
_ERROR_FIELDS = tuple(name for name in CheckerError._fields if name != "traffic")


def _check(holds: bool, field: str, value: object, fix: str) -> None:
    if not holds:
        raise ValueError(f"field {field} cannot be {value!r}: {fix}")


def _check_error(error: CheckerError, where: str) -> None:
    families = (ALL, *FAMILIES, OTHER_FAMILY)
    _check(error.unit in UNITS, f"{where}.unit", error.unit, f"choose from {', '.join(UNITS)}")
    _check(error.family in families, f"{where}.family", error.family, f"choose from {', '.join(families)}")
    for name in (*_COUNTS, *_VARIANCES):
        _check(getattr(error, name) >= 0, f"{where}.{name}", getattr(error, name), "it must not be below 0")
    for name in _RATES:
        least = -1 if name == "kappa" else 0
        for part, value in zip(Rate._fields, getattr(error, name), strict=True):
            _check(value is None or least <= value <= 1, f"{where}.{name}.{part}", value, f"it lies between {least} and 1")
    for name in ("labelled", "observed"):
        _check(0 <= getattr(error, name) <= 1, f"{where}.{name}", getattr(error, name), "it lies between 0 and 1")
    counted = error.n_supported + error.n_unsupported
    _check(counted == error.n, f"{where}.n", error.n, f"supported and unsupported labels are {counted}")


def _plain_error(error: CheckerError) -> dict[str, Any]:
    plain = {name: getattr(error, name) for name in _ERROR_FIELDS}
    plain.update({name: plain[name]._asdict() for name in _RATES})
    return {**plain, "reliability": [one._asdict() for one in error.reliability]}


def _read_error(record: Any, where: str) -> CheckerError:
    plain = _object(record, where, _ERROR_FIELDS)
    values: dict[str, Any] = {name: _text(plain[name], f"{where}.{name}") for name in ("unit", "family")}
    values.update({name: _count(plain[name], f"{where}.{name}") for name in _COUNTS})
    values.update({name: _read_rate(plain[name], f"{where}.{name}") for name in _RATES})
    numbers = ("labelled", "observed", *_VARIANCES, *_COVARIANCES)
    values.update({name: _number(plain[name], f"{where}.{name}") for name in numbers})
    values["calibration_error"] = _maybe(plain["calibration_error"], f"{where}.calibration_error")
    values["reliability"] = tuple(_list(plain["reliability"], f"{where}.reliability", _read_bin))
    return CheckerError(**values)


def _read_rate(record: Any, where: str) -> Rate:
    plain = _object(record, where, Rate._fields)
    return Rate(*(_maybe(plain[name], f"{where}.{name}") for name in Rate._fields))


def _read_bin(record: Any, where: str) -> ReliabilityBin:
    plain = _object(record, where, ReliabilityBin._fields)
    n = _count(plain["n"], f"{where}.n")
    return ReliabilityBin(_number(plain["predicted"], f"{where}.predicted"), _number(plain["observed"], f"{where}.observed"), n)


def _object(value: Any, where: str, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        found = sorted(value) if isinstance(value, dict) else repr(value)[:80]
        raise ValueError(f"{where} must be an object with {', '.join(names)}; found {found}")
    return value


def _mapping(value: Any, where: str, read: Callable[[Any, str], Any]) -> dict[str, Any]:
    return {name: read(item, f"{where}.{name}") for name, item in _typed(value, where, dict).items()}


def _list(value: Any, where: str, read: Callable[[Any, str], Any]) -> list[Any]:
    return [read(item, f"{where}[{i}]") for i, item in enumerate(_typed(value, where, list))]


def _typed(value: Any, where: str, kind: type) -> Any:
    _check(isinstance(value, kind), where, value, f"expected {kind.__name__}")
    return value


def _text(value: Any, where: str) -> str:
    return str(_typed(value, where, str))


def _count(value: Any, where: str) -> int:
    _check(isinstance(value, int) and not isinstance(value, bool), where, value, "expected a whole number")
    return int(value)


def _number(value: Any, where: str) -> float:
    finite = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    _check(finite, where, value, "expected a finite number")
    return float(value)


def _maybe(value: Any, where: str) -> float | None:
    return None if value is None else _number(value, where)
