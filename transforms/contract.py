"""Hold rows against their contract with Great Expectations; input rows that break it leave as rejects with the reason."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from schemas.contract import Contract
from schemas.expectations import LENGTH_SUFFIX, VALUES, Expectation, Suite, is_scalar, unique_columns
from schemas.rejects import Reject
from schemas.types import fields, from_plain
from transforms.suites import Outcome, run_suite
from transforms.tables import Batch, record_json
from transforms.tallies import MAX_EXAMPLES, Key, Tally

if TYPE_CHECKING:
    import pandas as pd

MAX_ID = 80


class Fault(NamedTuple):
    """One broken expectation of one row."""

    row: int
    column: str
    message: str


class Frame(NamedTuple):
    """What a suite looks at: flat rows, the position of each one's parent in the table, and the ids of the table's rows."""

    rows: pd.DataFrame
    parents: list[int]
    ids: pa.Table


def check_table(table: pa.Table, contract: Contract) -> tuple[list[Fault], list[tuple[Key, Tally]]]:
    """Run a contract's suites on a table; faults name the row by position in the table, and are of expectations that reject.

    Each list of structs is checked as a flat frame of its own, because nested columns are unreliable in the library.
    """
    faults: list[Fault] = []
    tallies: list[tuple[Key, Tally]] = []
    for suite in contract.suites:
        places = [i for i, expectation in enumerate(suite.expectations) if expectation.decided_by == VALUES]
        frame = _flatten(table, contract.row_type, suite)
        if not len(frame.rows) or not places:
            continue
        expectations = [suite.expectations[i] for i in places]
        for place, one, outcome in zip(places, expectations, run_suite(frame.rows, suite.name, expectations), strict=True):
            tallies.append(((suite.name, place), _tally(frame, one, outcome)))
            if one.severity == "reject":
                faults.extend(Fault(frame.parents[i], _label(one), explain(suite, one, frame.rows, i)) for i in outcome.rows)
    return faults, tallies


def _label(expectation: Expectation) -> str:
    # Edges into a broken row are told by its columns whose fault they are; a user's own rule is nobody's.
    return expectation.column if expectation.declared else f"{expectation.column} (yours)"


def _flatten(table: pa.Table, row_type: type, suite: Suite) -> Frame:
    ids = table.select(unique_columns(row_type))
    texts = [f.name for f in fields(row_type) if f.arrow_type == pa.string()]
    lengths = {f"{name}{LENGTH_SUFFIX}": pc.utf8_length(table.column(name)) for name in texts}
    if suite.column is None:
        columns = {f.name: table.column(f.name) for f in fields(row_type)}
        return Frame(_frame({**columns, **lengths}), list(range(table.num_rows)), ids)
    nested = table.column(suite.column).combine_chunks()
    parents = pc.list_parent_indices(nested)
    flat = pa.Table.from_struct_array(pc.list_flatten(nested))
    outer = {name: lengths_column.take(parents) for name, lengths_column in lengths.items()}
    rows = _frame({**dict(zip(flat.column_names, flat.columns, strict=True)), **outer})
    return Frame(rows, parents.to_pylist(), ids)


def _frame(columns: dict[str, Any]) -> pd.DataFrame:
    return pa.table({name: _scalar(column) for name, column in columns.items() if not pa.types.is_map(column.type)}).to_pandas()


def _scalar(column: Any) -> Any:
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us"))
    # A list only has to be there: its length stands for it.
    return column if is_scalar(column.type) else pc.list_value_length(column)


def _tally(frame: Frame, expectation: Expectation, outcome: Outcome) -> Tally:
    examples = {_example(frame, expectation, row) for row in outcome.rows[:MAX_EXAMPLES]} - {""}
    return Tally(outcome.evaluated, outcome.unexpected, tuple(sorted(examples)))


def _example(frame: Frame, expectation: Expectation, row: int) -> str:
    """A row by its ids, and what breaks the expectation where that is no text: words of answers and passages stay out."""
    ids = frame.ids.slice(frame.parents[row], 1).to_pylist()[0] if frame.ids.column_names else {}
    told = ", ".join(f"{name}={str(value)[:MAX_ID]!r}" for name, value in ids.items())
    values = {name: frame.rows[name].iloc[row] for name in expectation.columns if name not in ids}
    plain = ", ".join(f"{name}={shown(value)}" for name, value in values.items() if not isinstance(value, str))
    return ": ".join(part for part in (told, plain) if part)


def explain(suite: Suite, expectation: Expectation, frame: pd.DataFrame, row: int) -> str:
    """What is wrong with one value, in words."""
    arguments = expectation.arguments
    where = suite.column + "." if suite.column else ""
    if not expectation.declared:
        values = ", ".join(f"{name}={shown(frame[name].iloc[row])}" for name in expectation.columns)
        return f"{where}{expectation.column} must keep your {expectation.kind}: {values}; mend the record or the expectation"
    if "column_A" in arguments:
        larger, smaller = arguments["column_A"], arguments["column_B"]
        return (
            f"{where}{smaller} must be {'at most' if arguments['or_equal'] else 'below'} {larger}: "
            f"{smaller}={shown(frame[smaller].iloc[row])}, {larger}={shown(frame[larger].iloc[row])}; re-export the record"
        )
    name = arguments["column"]
    value = shown(frame[name].iloc[row])
    if expectation.kind == "ExpectColumnValuesToNotBeNull":
        return f"{where}{name} must not be null; fill it in or drop the record"
    if expectation.kind == "ExpectColumnValuesToBeInSet":
        return f"{where}{name} must be one of {', '.join(arguments['value_set'])}: {value}"
    if expectation.kind == "ExpectColumnValueLengthsToBeBetween":
        return f"{where}{name} must have at least {arguments['min_value']} characters: {value}"
    if expectation.kind == "ExpectColumnValuesToMatchRegex":
        return f"{where}{name} must match {arguments['regex']}: {value}"
    if arguments["max_value"] is None:
        return f"{where}{name} must be at least {arguments['min_value']}: {value}"
    return f"{where}{name} must lie between {arguments['min_value']} and {arguments['max_value']}: {value}"


def shown(value: Any) -> str:
    """A value of a frame as its record has it: frames turn integers with nulls among them into floats."""
    if isinstance(value, dt.datetime):
        return f"{value}Z"
    return repr(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass
class CheckContract(beam.PTransform):
    """Turn batches into records that keep the contract.

    Goes out: a dict of `records` (source, record), `rejects`, `tallies` (suite results of each batch) and, for whoever has to
    know that a record existed, `broken` (the record as a dict with its faulty columns).
    """

    contract: Contract
    id_column: str

    def expand(self, batches: beam.PCollection[Batch]) -> dict[str, beam.PCollection]:
        checked = batches | "RunSuites" >> beam.ParDo(_RunSuites(self.contract, self.id_column)).with_outputs(
            "rejects", "tallies", "broken", main="records"
        )
        return {tag: checked[tag] for tag in ("records", "rejects", "tallies", "broken")}


@dataclass
class _RunSuites(beam.DoFn):
    contract: Contract
    id_column: str

    def process(self, batch: Batch) -> Iterator[Any]:
        faults, tallies = check_table(batch.table, self.contract)
        by_row: dict[int, list[Fault]] = defaultdict(list)
        for fault in faults:
            by_row[fault.row].append(fault)
        for i, record in enumerate(batch.records):
            source = f"{batch.source}&row={i}"
            if i not in by_row:
                yield source, from_plain(self.contract.row_type, record)
                continue
            message = f"{source} ({self.id_column}={record[self.id_column]!r}): " + "; ".join(fault.message for fault in by_row[i])
            yield beam.pvalue.TaggedOutput(
                "rejects", Reject(self.contract.table, "contract", message, source, record[self.id_column], record_json(record))
            )
            yield beam.pvalue.TaggedOutput("broken", (record, sorted({fault.column for fault in by_row[i]})))
        for tally in tallies:
            yield beam.pvalue.TaggedOutput("tallies", tally)
