"""Run expectations on a flat frame with Great Expectations: one context a thread, no network, row positions on demand."""

from __future__ import annotations

import datetime as dt
import logging
import os
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from schemas.expectations import Expectation

if TYPE_CHECKING:
    import pandas as pd

_thread = threading.local()


class Outcome(NamedTuple):
    """How one expectation fared on one frame: values looked at, how many of them break it, and in which rows they stand."""

    evaluated: int
    unexpected: int
    rows: list[int]


def run_suite(frame: pd.DataFrame, name: str, expectations: Sequence[Expectation]) -> list[Outcome]:
    """Run expectations on a frame, an Outcome each; nulls count as values only where the expectation is about them.

    The positions of rows are looked for only where something is wrong: they cost as much again. Raises RuntimeError where an
    expectation cannot be evaluated.
    """
    found = _results(frame, name, expectations, "BASIC")
    wrong = [i for i, one in enumerate(found) if one["unexpected_count"]]
    rows = _results(frame, name, [expectations[i] for i in wrong], "COMPLETE")
    at = {i: [int(row) for row in one["unexpected_index_list"]] for i, one in zip(wrong, rows, strict=True)}
    return [
        Outcome(one["element_count"] - one.get("missing_count", 0), one["unexpected_count"], at.get(i, []))
        for i, one in enumerate(found)
    ]


def _results(frame: pd.DataFrame, name: str, expectations: Sequence[Expectation], result_format: str) -> list[dict[str, Any]]:
    if not expectations:
        return []
    # A user's pattern may have groups: pandas warns that it does not use them.
    warnings.filterwarnings("ignore", "This pattern is interpreted as a regular expression, and has match groups")
    batch = _batch_definition(name).get_batch(batch_parameters={"dataframe": frame})
    result = batch.validate(_suite(name, expectations), result_format=result_format)
    found: list[dict[str, Any]] = [{} for _ in expectations]
    for one in result.results:
        position = one.expectation_config.meta["position"]
        if "unexpected_count" not in one.result:
            raise RuntimeError(
                f"{name}: {expectations[position].kind} of {expectations[position].column} cannot be evaluated: "
                f"{_exception(one.exception_info)}"
            )
        found[position] = one.result
    return found


def _exception(info: dict[str, Any]) -> str:
    """The library's own words: of the expectation, or of one of the metrics that it needs, by metric."""
    told = [info, *(part for part in info.values() if isinstance(part, dict))]
    return next((str(part["exception_message"]) for part in told if part.get("exception_message")), "no result")


def _batch_definition(name: str) -> Any:
    """One context a thread, built on first use: a shared one gives wrong verdicts without an error."""
    if not hasattr(_thread, "definitions"):
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        logging.getLogger("great_expectations").setLevel(logging.WARNING)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        _thread.source = context.data_sources.add_pandas("frames")
        _thread.definitions = {}
    if name not in _thread.definitions:
        asset = _thread.source.add_dataframe_asset(name)
        _thread.definitions[name] = asset.add_batch_definition_whole_dataframe(name)
    return _thread.definitions[name]


def _suite(name: str, expectations: Sequence[Expectation]) -> Any:
    import great_expectations as gx

    built = [build(one, {"position": i}) for i, one in enumerate(expectations)]
    return gx.ExpectationSuite(name=name, expectations=built)


def build(expectation: Expectation, meta: dict[str, Any] | None = None) -> Any:
    """The library's own object for an expectation."""
    import great_expectations as gx

    arguments = {name: naive(value) for name, value in expectation.arguments.items()}
    return getattr(gx.expectations, expectation.kind)(**arguments, meta=meta)


def naive(value: Any) -> Any:
    """A time as frames hold it: UTC without a zone, since pandas 3.1 warns wherever the library compares two columns with one.

    >>> naive(dt.datetime(2026, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))))
    datetime.datetime(2026, 1, 1, 0, 0)
    """
    return value.astimezone(dt.timezone.utc).replace(tzinfo=None) if isinstance(value, dt.datetime) and value.tzinfo else value
