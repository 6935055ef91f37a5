"""Hold input rows against their contract with Great Expectations; what fails leaves as a reject with its reason."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from schemas.expectations import LENGTH_SUFFIX, Expectation, Suite, is_scalar, suites
from schemas.rejects import Reject
from schemas.types import fields, from_plain
from transforms.tables import Batch, record_json

if TYPE_CHECKING:
    import pandas as pd

_thread = threading.local()


class Fault(NamedTuple):
    """One broken expectation of one row."""

    row: int
    column: str
    message: str


class Tally(NamedTuple):
    """How one expectation fared on one batch; tallies of batches add up."""

    suite: str
    kind: str
    column: str
    evaluated: int
    unexpected: int


def check_table(table: pa.Table, row_type: type) -> tuple[list[Fault], list[Tally]]:
    """Run the declared suites of `row_type` on a table; faults name the row by position in the table.

    Each list of structs is checked as a flat frame of its own, because nested columns are unreliable in the library.
    """
    faults: list[Fault] = []
    tallies: list[Tally] = []
    for suite in suites(row_type):
        frame, parents = _flatten(table, row_type, suite)
        if not len(frame):
            continue
        for expectation, rows in zip(suite.expectations, _validate(frame, suite), strict=True):
            column = (
                expectation.arguments.get("column") or f"{expectation.arguments['column_A']}, {expectation.arguments['column_B']}"
            )
            tallies.append(Tally(suite.name, expectation.kind, column, len(frame), len(rows)))
            faults.extend(Fault(int(parents[i]), column, _explain(suite, expectation, frame, i)) for i in rows)
    return faults, tallies


def _flatten(table: pa.Table, row_type: type, suite: Suite) -> tuple[pd.DataFrame, list[int]]:
    """The flat frame that a suite looks at, with the position of each frame row's parent in `table`."""
    lengths = {
        f"{f.name}{LENGTH_SUFFIX}": pc.utf8_length(table.column(f.name)) for f in fields(row_type) if f.arrow_type == pa.string()
    }
    if suite.column is None:
        columns = {f.name: table.column(f.name) for f in fields(row_type)}
        return _frame({**columns, **lengths}), list(range(table.num_rows))
    nested = table.column(suite.column).combine_chunks()
    parents = pc.list_parent_indices(nested)
    flat = pa.Table.from_struct_array(pc.list_flatten(nested))
    outer = {name: lengths_column.take(parents) for name, lengths_column in lengths.items()}
    return _frame({**dict(zip(flat.column_names, flat.columns, strict=True)), **outer}), parents.to_pylist()


def _frame(columns: dict[str, Any]) -> pd.DataFrame:
    # A list only has to be there: its length stands for it, as a scalar.
    flat = {
        name: column if is_scalar(column.type) else pc.list_value_length(column)
        for name, column in columns.items()
        if not pa.types.is_map(column.type)
    }
    return pa.table(flat).to_pandas()


def _validate(frame: pd.DataFrame, suite: Suite) -> list[list[int]]:
    """Positions of the unexpected rows, an entry an expectation."""
    batch = _batch_definition(suite).get_batch(batch_parameters={"dataframe": frame})
    result = batch.validate(_expectation_suite(suite), result_format="COMPLETE")
    found: list[list[int]] = [[] for _ in suite.expectations]
    for one in result.results:
        if one.exception_info.get("raised_exception"):
            raise RuntimeError(f"{suite.name}: {one.expectation_config.type} failed: {one.exception_info.get('exception_message')}")
        found[one.expectation_config.meta["position"]] = one.result.get("unexpected_index_list") or []
    return found


def _batch_definition(suite: Suite) -> Any:
    """One context a thread, built on first use: a shared one gives wrong verdicts without an error."""
    if not hasattr(_thread, "definitions"):
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        _thread.source = context.data_sources.add_pandas("frames")
        _thread.definitions = {}
    if suite.name not in _thread.definitions:
        asset = _thread.source.add_dataframe_asset(suite.name)
        _thread.definitions[suite.name] = asset.add_batch_definition_whole_dataframe(suite.name)
    return _thread.definitions[suite.name]


def _expectation_suite(suite: Suite) -> Any:
    import great_expectations as gx

    built = [getattr(gx.expectations, e.kind)(**e.arguments, meta={"position": i}) for i, e in enumerate(suite.expectations)]
    return gx.ExpectationSuite(name=suite.name, expectations=built)


def _explain(suite: Suite, expectation: Expectation, frame: pd.DataFrame, row: int) -> str:
    """What is wrong with one value, in words."""
    arguments = expectation.arguments
    where = suite.column + "." if suite.column else ""
    if "column_A" in arguments:
        larger, smaller = arguments["column_A"], arguments["column_B"]
        return (
            f"{where}{smaller} must be {'at most' if arguments['or_equal'] else 'below'} {larger}: "
            f"{smaller}={_shown(frame[smaller].iloc[row])}, {larger}={_shown(frame[larger].iloc[row])}; re-export the record"
        )
    name = arguments["column"]
    value = _shown(frame[name].iloc[row])
    if expectation.kind == "ExpectColumnValuesToNotBeNull":
        return f"{where}{name} must not be null; fill it in or drop the record"
    if expectation.kind == "ExpectColumnValuesToBeInSet":
        return f"{where}{name} must be one of {', '.join(arguments['value_set'])}: {value}"
    if expectation.kind == "ExpectColumnValueLengthsToBeBetween":
        return f"{where}{name} must have at least {arguments['min_value']} characters: {value}"
    if arguments["max_value"] is None:
        return f"{where}{name} must be at least {arguments['min_value']}: {value}"
    return f"{where}{name} must lie between {arguments['min_value']} and {arguments['max_value']}: {value}"


def _shown(value: Any) -> str:
    """A value of a frame as its record has it: frames turn integers with nulls among them into floats."""
    return repr(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass
class CheckContract(beam.PTransform):
    """Turn batches into records that keep the contract.

    Goes out: a dict of `records` (source, record), `rejects`, `tallies` (suite results of each batch) and, for whoever has to
    know that a record existed, `broken` (the record as a dict with its faulty columns).
    """

    row_type: type
    step: str
    id_column: str

    def expand(self, batches: beam.PCollection[Batch]) -> dict[str, beam.PCollection]:
        checked = batches | "RunSuites" >> beam.ParDo(_RunSuites(self.row_type, self.step, self.id_column)).with_outputs(
            "rejects", "tallies", "broken", main="records"
        )
        return {tag: checked[tag] for tag in ("records", "rejects", "tallies", "broken")}


@dataclass
class _RunSuites(beam.DoFn):
    row_type: type
    step: str
    id_column: str

    def process(self, batch: Batch) -> Iterator[Any]:
        faults, tallies = check_table(batch.table, self.row_type)
        by_row: dict[int, list[Fault]] = defaultdict(list)
        for fault in faults:
            by_row[fault.row].append(fault)
        for i, record in enumerate(batch.records):
            source = f"{batch.source}&row={i}"
            if i not in by_row:
                yield source, from_plain(self.row_type, record)
                continue
            message = f"{source} ({self.id_column}={record[self.id_column]!r}): " + "; ".join(fault.message for fault in by_row[i])
            yield beam.pvalue.TaggedOutput(
                "rejects", Reject(self.step, "contract", message, source, record[self.id_column], record_json(record))
            )
            yield beam.pvalue.TaggedOutput("broken", (record, sorted({fault.column for fault in by_row[i]})))
        for tally in tallies:
            yield beam.pvalue.TaggedOutput("tallies", (tally[:3], tally[3:]))
