"""Read a user's own expectations from JSON: checked as a whole before anything runs, all faults at once."""

from __future__ import annotations

import datetime as dt
import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.contract import OUTPUTS, contracts
from schemas.expectations import SEVERITIES, Expectation, frame_columns
from transforms.suites import run_suite

Columns = Mapping[str, pa.DataType]
DEFAULT_SEVERITY = "warn"
# Row by row in the library's eyes, but what a row's verdict is depends on the others of its batch, or on the library's own types.
_REFUSED = {
    "ExpectColumnValuesToBeUnique": "a batch does not see the whole table; keys are declared unique, and counted over all of it",
    "ExpectCompoundColumnsToBeUnique": "a batch does not see the whole table; keys are declared unique, and counted over all of it",
    "ExpectColumnValuesToBeIncreasing": "rows come in no order",
    "ExpectColumnValuesToBeDecreasing": "rows come in no order",
    "ExpectColumnValueZScoresToBeLessThan": "it needs the mean of the whole table, and a batch sees a part; bound the values",
    "ExpectColumnValuesToNotBeOutliers": "it needs the spread of the whole table, and a batch sees a part; bound the values",
    "ExpectColumnValuesToBeOfType": "types are held by the declaration of the table already",
    "ExpectColumnValuesToBeInTypeList": "types are held by the declaration of the table already",
}
_AGGREGATE = "it says something of a table, not of each row, and a batch sees a part of it; use one that holds row by row"
# One value of each type, on which an expectation has to run before it meets a night's data.
_SAMPLES: dict[pa.DataType, Any] = {
    pa.string(): "a",
    pa.int64(): 1,
    pa.float64(): 0.5,
    pa.bool_(): True,
    pa.timestamp("us", tz="UTC"): dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
    pa.date32(): dt.date(2026, 1, 1),
}


def read_user_suite(path: str | Path) -> dict[str, list[Expectation]]:
    """Read expectations by suite name (answers, answers.citations, evidence, claims, ...) from a JSON file.

    Raises ValueError that names each fault with its file, entry, value and fix: no JSON, an unknown table, expectation, column,
    argument or severity, a `mostly` or an output table that rejects, an expectation that does not hold row by row or cannot run.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_no_twins)
    except OSError as error:
        raise ValueError(f"cannot read the expectations {path}: {error.strerror}; give a JSON file") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}; mend the file") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path}: an object of lists by table is needed, not {type(found).__name__}; see docs/contracts.md")
    faults: list[str] = []
    read = {name: list(_read_suite(name, entries, faults)) for name, entries in found.items()}
    if faults:
        raise ValueError("\n".join(f"{path}: {fault}" for fault in faults))
    return read


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ValueError(f"{', '.join(map(repr, twins))} occurs more than once in one object")
    return dict(pairs)


def suite_columns() -> dict[str, Columns]:
    """The columns of every suite's frame, by suite name.

    >>> list(suite_columns())[:4]
    ['answers', 'answers.citations', 'answers.claims', 'evidence']
    """
    return {suite.name: frame_columns(one.row_type, suite.column) for one in contracts().values() for suite in one.suites}


def _read_suite(name: str, entries: Any, faults: list[str]) -> Iterator[Expectation]:
    known = suite_columns()
    if name not in known:
        faults.append(f"unknown table {name!r}; {_choose(name, known)}")
        return
    if not isinstance(entries, list):
        faults.append(f"{name}: a list of expectations is needed, not {type(entries).__name__}; write [{{...}}]")
        return
    for i, entry in enumerate(entries):
        told = list(_faults(name, entry, known[name]))
        faults.extend(f"{name}[{i}]: {fault}" for fault in told)
        if not told:
            yield _expectation(entry, known[name])


def _faults(suite: str, entry: Any, columns: Columns) -> Iterator[str]:
    """What is wrong with one entry; whether it can run is asked last, when everything else is right."""
    if not isinstance(entry, dict) or not isinstance(entry.get("expectation"), str):
        yield f'an object with an "expectation" is needed: {entry!r}; write {{"expectation": "ExpectColumnValuesToBeInSet", ...}}'
        return
    kind = entry["expectation"]
    unknown = _unknown_kind(kind)
    if unknown:
        yield unknown
        return
    told = [*_setting_faults(suite, entry), *_argument_faults(kind, entry, columns)]
    yield from told or _run_faults(_expectation(entry, columns), columns)


def _unknown_kind(kind: str) -> str | None:
    import great_expectations as gx
    from great_expectations.expectations import expectation as bases

    rowwise = (bases.ColumnMapExpectation, bases.ColumnPairMapExpectation, bases.MulticolumnMapExpectation)
    known = [name for name, one in vars(gx.expectations).items() if isinstance(one, type) and name != "Expectation"]
    if kind not in known:
        return f"unknown expectation {kind!r}; {_choose(kind, [name for name in known if name not in _REFUSED])}"
    if kind in _REFUSED or not issubclass(getattr(gx.expectations, kind), rowwise):
        return f"{kind} cannot be used: {_REFUSED.get(kind, _AGGREGATE)}"
    return None


def _setting_faults(suite: str, entry: Mapping[str, Any]) -> Iterator[str]:
    severity, mostly = entry.get("severity", DEFAULT_SEVERITY), entry.get("mostly", 1.0)
    if severity not in SEVERITIES:
        yield f"unknown severity {severity!r}; choose from {', '.join(SEVERITIES)}"
    if isinstance(mostly, bool) or not isinstance(mostly, int | float) or not 0 < mostly <= 1:
        yield f"mostly is a share above 0, up to 1: {mostly!r}; write 0.99"
    elif mostly < 1 and severity == "reject":
        yield f"mostly {mostly!r} cannot reject: whether it holds shows when all rows are read; make its severity warn or stop"
    if severity == "reject" and suite.split(".")[0] in OUTPUTS:
        yield f"rows of {suite} cannot be rejected: they are the run's own; make the severity warn or stop"


def _argument_faults(kind: str, entry: Mapping[str, Any], columns: Columns) -> Iterator[str]:
    import great_expectations as gx

    made = getattr(gx.expectations, kind)
    places = [name for name in ("column", "column_A", "column_B", "column_list") if name in made.__fields__]
    known = sorted({*places, *made.success_keys, *({"ignore_row_if"} & set(made.__fields__))} - {"mostly"})
    for name in sorted(set(entry) - {"expectation", "severity", "mostly", *known}):
        yield f"{kind} has no argument {name!r}; {_choose(name, known)}"
    for name in places:
        yield from _column_faults(kind, name, entry.get(name), columns)


def _column_faults(kind: str, name: str, value: Any, columns: Columns) -> Iterator[str]:
    named = value if name == "column_list" else [value]
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        yield f"{kind} needs {name}: {value!r}; {_choose('', columns)}"
        return
    for one in named:
        if one not in columns:
            yield f"unknown column {one!r}; {_choose(one, columns)}"


def _run_faults(expectation: Expectation, columns: Columns) -> Iterator[str]:
    sample = pa.table({name: pa.array([_SAMPLES[kind]], kind) for name, kind in columns.items()})
    naive = [column.cast(pa.timestamp("us")) if pa.types.is_timestamp(column.type) else column for column in sample.columns]
    try:
        run_suite(pa.table(naive, sample.column_names).to_pandas(), "sample", [expectation])
    # What the library raises of arguments that do not fit is anything, and all of it is the entry's fault.
    except Exception as error:
        told = _one_line(error).removeprefix("sample: ")
        yield f"{told}; mend its arguments" if expectation.kind in told else f"{expectation.kind} cannot be built: {told}; mend it"


def _expectation(entry: Mapping[str, Any], columns: Columns) -> Expectation:
    arguments = {name: value for name, value in entry.items() if name not in ("expectation", "severity", "mostly")}
    on_times = pa.types.is_timestamp(columns.get(arguments.get("column", ""), pa.null()))
    times = {name: _time(value) for name, value in arguments.items() if on_times and name in ("min_value", "max_value")}
    severity, mostly = entry.get("severity", DEFAULT_SEVERITY), float(entry.get("mostly", 1.0))
    return Expectation(entry["expectation"], {**arguments, **times}, severity, mostly, declared=False)


def _time(value: Any) -> Any:
    """An ISO time as a time, UTC where it says nothing; anything else as it is."""
    try:
        moment = dt.datetime.fromisoformat(value.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        return value
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)


def _choose(value: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(value, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"


def _one_line(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    if callable(errors):
        return ", ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors())
    return " ".join(str(error).split())
