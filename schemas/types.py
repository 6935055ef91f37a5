"""Declare a row once: a NamedTuple whose fields are `Annotated[type, Column(...)]`.

`arrow_schema`, `column_docs` and `schemas.expectations` read that declaration, so that none of them can drift from it.
"""

from __future__ import annotations

import datetime as dt
import functools
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import pyarrow as pa

RowT = TypeVar("RowT", bound=NamedTuple)
TIMESTAMP = pa.timestamp("us", tz="UTC")
_SCALARS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    dt.datetime: TIMESTAMP,
    dt.date: pa.date32(),
}


@dataclass(frozen=True)
class Column:
    """What the contract says of one column, beyond its type.

    `values` lists the only values allowed, `min_length` bounds strings, `pattern` is a regular expression found in them, `minimum`
    and `maximum` bound numbers, `after` names the column that this one must exceed, `at_least` one that it must not be below,
    `within` the text column whose length it must not exceed. `unique` marks the columns that tell a table's rows apart, together.
    A time that is `not_future` lies before the start of the run; one that does not is a warning, whatever the `severity` (reject,
    warn or stop) with which the rest is held.
    """

    doc: str
    values: tuple[str, ...] | None = None
    min_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    after: str | None = None
    within: str | None = None
    pattern: str | None = None
    at_least: str | None = None
    unique: bool = False
    not_future: bool = False
    severity: str = "reject"


class Field(NamedTuple):
    """One declared column, resolved: Arrow type, whether null is allowed, whether a file may lack the column."""

    name: str
    arrow_type: pa.DataType
    nullable: bool
    optional: bool
    column: Column
    item_type: type | None


@functools.cache
def fields(row_type: type) -> tuple[Field, ...]:
    """Resolve the declared columns of a row type, in order.

    A column is nullable where its type admits None, and optional (a file may lack it) where it has a default.
    """
    hints = get_type_hints(row_type, include_extras=True)
    defaults: Mapping[str, Any] = getattr(row_type, "_field_defaults", {})
    return tuple(_field(name, hint, name in defaults) for name, hint in hints.items())


def _field(name: str, hint: Any, optional: bool) -> Field:
    annotated, column = get_args(hint) if get_origin(hint) is Annotated else (hint, Column(""))
    inner, nullable = _strip_none(annotated)
    return Field(name, _arrow_type(inner), nullable, optional, column, _item_type(inner))


def _strip_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (types.UnionType, typing.Union):
        rest = [arg for arg in get_args(hint) if arg is not type(None)]
        return rest[0], True
    return hint, False


def _item_type(hint: Any) -> type | None:
    """The row type of a list of structs, else None."""
    if get_origin(hint) is list and hasattr(get_args(hint)[0], "_fields"):
        return get_args(hint)[0]
    return None


def _arrow_type(hint: Any) -> pa.DataType:
    if hint in _SCALARS:
        return _SCALARS[hint]
    if get_origin(hint) is list:
        return pa.list_(_arrow_type(get_args(hint)[0]))
    if get_origin(hint) is dict:
        return pa.map_(pa.string(), pa.string())
    if hasattr(hint, "_fields"):
        return pa.struct([pa.field(f.name, f.arrow_type) for f in fields(hint)])
    raise TypeError(f"no Arrow type for {hint!r}; use str, int, float, bool, datetime, date, list, dict or a declared row")


def arrow_schema(row_type: type) -> pa.Schema:
    """Build the Arrow schema of a declared row; nested rows become structs, datetimes are microseconds in UTC."""
    return pa.schema([pa.field(f.name, f.arrow_type) for f in fields(row_type)])


def column_docs(row_type: type) -> dict[str, str]:
    """Map each column to its one-line documentation."""
    return {f.name: f.column.doc for f in fields(row_type)}


def to_table(row_type: type, rows: Iterable[Any]) -> pa.Table:
    """Build an Arrow table of declared rows (nested NamedTuples become structs).

    >>> class Point(NamedTuple):
    ...     x: Annotated[int, Column("metres east")]
    >>> to_table(Point, [Point(1), Point(2)]).to_pydict()
    {'x': [1, 2]}
    """
    return pa.Table.from_pylist([to_plain(row) for row in rows], schema=arrow_schema(row_type))


def to_plain(value: Any) -> Any:
    """Turn NamedTuples into dicts, at every depth."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_plain(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def from_plain(row_type: type[RowT], record: Mapping[str, Any]) -> RowT:
    """Build a declared row from a dict (as `pa.Table.to_pylist` gives it); missing optional columns take their default."""
    values = {}
    for field in fields(row_type):
        value = record.get(field.name)
        if value is None:
            continue
        if field.item_type is not None:
            value = [from_plain(field.item_type, item) for item in value]
        elif pa.types.is_map(field.arrow_type):
            value = dict(value)
        values[field.name] = value
    required = {f.name: None for f in fields(row_type) if not f.optional}
    return row_type(**{**required, **values})  # type: ignore[call-overload]
