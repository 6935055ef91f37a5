"""The contract of a row as Great Expectations: derived from the one declaration, free of the library itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from schemas.types import Field, fields

LENGTH_SUFFIX = "_length"


class Expectation(NamedTuple):
    """One expectation: the class name in `great_expectations.expectations` and its arguments."""

    kind: str
    arguments: dict[str, Any]


class Suite(NamedTuple):
    """The expectations on one flat frame: the row itself, or one of its lists of structs."""

    name: str
    column: str | None
    expectations: list[Expectation]


def suites(row_type: type) -> list[Suite]:
    """Derive one suite for the row's scalar columns and one for each list of structs.

    >>> from schemas.evidence import Evidence
    >>> [(suite.name, suite.expectations[0].kind) for suite in suites(Evidence)]
    [('Evidence', 'ExpectColumnValuesToNotBeNull')]
    """
    nested = [Suite(f"{row_type.__name__}.{f.name}", f.name, _frame(f.item_type)) for f in fields(row_type) if f.item_type]
    return [Suite(row_type.__name__, None, _frame(row_type)), *nested]


def _frame(row_type: type) -> list[Expectation]:
    return [expectation for field in fields(row_type) for expectation in _column(field)]


def _column(field: Field) -> list[Expectation]:
    name, column = field.name, field.column
    found: list[Expectation] = []
    if not field.nullable and (is_scalar(field.arrow_type) or pa.types.is_list(field.arrow_type)):
        found.append(Expectation("ExpectColumnValuesToNotBeNull", {"column": name}))
    if column.values is not None:
        found.append(Expectation("ExpectColumnValuesToBeInSet", {"column": name, "value_set": list(column.values)}))
    if column.min_length is not None:
        found.append(Expectation("ExpectColumnValueLengthsToBeBetween", {"column": name, "min_value": column.min_length}))
    if column.minimum is not None or column.maximum is not None:
        bounds = {"min_value": column.minimum, "max_value": column.maximum}
        found.append(Expectation("ExpectColumnValuesToBeBetween", {"column": name, **bounds}))
    if column.after is not None:
        found.append(_greater(name, column.after, or_equal=False))
    if column.within is not None:
        found.append(_greater(column.within + LENGTH_SUFFIX, name, or_equal=True))
    return found


def _greater(larger: str, smaller: str, *, or_equal: bool) -> Expectation:
    arguments = {"column_A": larger, "column_B": smaller, "or_equal": or_equal, "ignore_row_if": "either_value_is_missing"}
    return Expectation("ExpectColumnPairValuesAToBeGreaterThanB", arguments)


def is_scalar(arrow_type: pa.DataType) -> bool:
    """Whether a column can stand in a flat frame as it is."""
    return not pa.types.is_nested(arrow_type)
