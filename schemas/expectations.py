"""The contract of a row as Great Expectations: derived from the one declaration, free of the library itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.types import Field, fields

LENGTH_SUFFIX = "_length"
# What a broken expectation does: the row leaves as a reject, it stays and is counted, or the run fails.
SEVERITIES = ("reject", "warn", "stop")
# Who decides an expectation: the library on batches of values, the schemas of the files, or an aggregate over the whole table.
VALUES, SCHEMA, AGGREGATE = "values", "schema", "aggregate"


class Expectation(NamedTuple):
    """One expectation: the class name in `great_expectations.expectations`, its arguments, and what breaking it does.

    It is met where the share of good values over the whole table is at least `mostly`. `declared` ones come from the schemas, the
    others from the user.
    """

    kind: str
    arguments: dict[str, Any]
    severity: str = "reject"
    mostly: float = 1.0
    decided_by: str = VALUES
    declared: bool = True

    @property
    def columns(self) -> list[str]:
        """The columns that it looks at."""
        one = [self.arguments[name] for name in ("column", "column_A", "column_B") if name in self.arguments]
        return one or list(self.arguments["column_list"])

    @property
    def column(self) -> str:
        """Those columns as one name.

        >>> Expectation("ExpectCompoundColumnsToBeUnique", {"column_list": ["evidence_id", "version"]}).column
        'evidence_id, version'
        """
        return ", ".join(self.columns)

    def met(self, evaluated: int, unexpected: int) -> bool:
        """Whether enough of the values are good.

        >>> [Expectation("ExpectColumnValuesToNotBeNull", {}, "warn", 0.9).met(10, bad) for bad in (0, 1, 2)]
        [True, True, False]
        """
        return not unexpected or (evaluated - unexpected) / evaluated >= self.mostly


class Suite(NamedTuple):
    """The expectations on one flat frame: a table's rows, or one of its lists of structs (`column`)."""

    name: str
    column: str | None
    expectations: tuple[Expectation, ...]


def suites(
    row_type: type,
    table: str,
    started: dt.datetime | None = None,
    added: Mapping[str, Sequence[Expectation]] | None = None,
) -> tuple[Suite, ...]:
    """Derive one suite for a table's own columns and one for each of its lists of structs.

    `started` is the moment, UTC, after which a time that is `not_future` draws a warning (None: such times are not looked at),
    `added` are a user's expectations by suite name.

    >>> from schemas.evidence import Evidence
    >>> [(suite.name, suite.expectations[0].kind) for suite in suites(Evidence, "evidence")]
    [('evidence', 'ExpectColumnValuesToBeOfType')]
    """
    more = added or {}
    own = (*_types(row_type), *_unique(row_type), *_frame(row_type, started), *more.get(table, ()))
    nested = [
        Suite(f"{table}.{f.name}", f.name, (*_frame(f.item_type, started), *more.get(f"{table}.{f.name}", ())))
        for f in fields(row_type)
        if f.item_type
    ]
    return (Suite(table, None, own), *nested)


def unique_columns(row_type: type) -> list[str]:
    """The columns that tell the rows of a table apart, together; none where nothing is promised."""
    return [f.name for f in fields(row_type) if f.column.unique]


def frame_columns(row_type: type, nested: str | None) -> dict[str, pa.DataType]:
    """The columns of a suite's frame: scalars as they are, a list as its number of entries, a text's length beside it.

    >>> from schemas.answers import StructuredClaim, Answer
    >>> sorted(frame_columns(Answer, "claims"))[:6]
    ['answer_id_length', 'answer_length', 'build_length', 'claim_id', 'end', 'evidence_ids']
    """
    lengths = {f"{f.name}{LENGTH_SUFFIX}": pa.int64() for f in fields(row_type) if f.arrow_type == pa.string()}
    own = fields(row_type) if nested is None else fields({f.name: f.item_type for f in fields(row_type)}[nested])
    kinds = {f.name: pa.int64() if pa.types.is_list(f.arrow_type) else f.arrow_type for f in own}
    return {**{name: kind for name, kind in kinds.items() if is_scalar(kind)}, **lengths}


def _types(row_type: type) -> list[Expectation]:
    return [
        Expectation("ExpectColumnValuesToBeOfType", {"column": f.name, "type_": str(f.arrow_type)}, decided_by=SCHEMA)
        for f in fields(row_type)
    ]


def _unique(row_type: type) -> list[Expectation]:
    names = unique_columns(row_type)
    if len(names) == 1:
        return [Expectation("ExpectColumnValuesToBeUnique", {"column": names[0]}, decided_by=AGGREGATE)]
    return [Expectation("ExpectCompoundColumnsToBeUnique", {"column_list": names}, decided_by=AGGREGATE)] if names else []


def _frame(row_type: type | None, started: dt.datetime | None) -> list[Expectation]:
    return [expectation for field in fields(row_type) for expectation in _column(field, started)] if row_type else []


def _column(field: Field, started: dt.datetime | None) -> list[Expectation]:
    name, column = field.name, field.column
    found = [Expectation(kind, arguments, column.severity) for kind, arguments in _held(field)]
    if column.not_future and started is not None:
        found.append(
            Expectation("ExpectColumnValuesToBeBetween", {"column": name, "min_value": None, "max_value": started}, "warn")
        )
    return found


def _held(field: Field) -> list[tuple[str, dict[str, Any]]]:
    name, column = field.name, field.column
    found: list[tuple[str, dict[str, Any]]] = []
    if not field.nullable and (is_scalar(field.arrow_type) or pa.types.is_list(field.arrow_type)):
        found.append(("ExpectColumnValuesToNotBeNull", {"column": name}))
    if column.values is not None:
        found.append(("ExpectColumnValuesToBeInSet", {"column": name, "value_set": list(column.values)}))
    if column.min_length is not None:
        found.append(("ExpectColumnValueLengthsToBeBetween", {"column": name, "min_value": column.min_length}))
    if column.pattern is not None:
        found.append(("ExpectColumnValuesToMatchRegex", {"column": name, "regex": column.pattern}))
    if column.minimum is not None or column.maximum is not None:
        found.append(("ExpectColumnValuesToBeBetween", {"column": name, "min_value": column.minimum, "max_value": column.maximum}))
    if column.after is not None:
        found.append(_greater(name, column.after, or_equal=False))
    if column.at_least is not None:
        found.append(_greater(name, column.at_least, or_equal=True))
    if column.within is not None:
        found.append(_greater(column.within + LENGTH_SUFFIX, name, or_equal=True))
    return found


def _greater(larger: str, smaller: str, *, or_equal: bool) -> tuple[str, dict[str, Any]]:
    arguments = {"column_A": larger, "column_B": smaller, "or_equal": or_equal, "ignore_row_if": "either_value_is_missing"}
    return "ExpectColumnPairValuesAToBeGreaterThanB", arguments


def is_scalar(arrow_type: pa.DataType) -> bool:
    """Whether a column can stand in a flat frame as it is."""
    return not pa.types.is_nested(arrow_type)
