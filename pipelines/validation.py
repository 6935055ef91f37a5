"""Hold answers and evidence against their contracts, and do nothing else: `nearmiss validate`."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam
import fsspec
import pyarrow.parquet as pq
from apache_beam.io.filesystems import FileSystems
from rich.table import Table

from pipelines.data_docs import read_validation
from pipelines.manifest import VALIDATION, write_json
from pipelines.nightly import make_pipeline, read_contracted
from pipelines.options import RunBroken, UsageError, check_place, find_files, read_expectations
from pipelines.redaction import read_redaction
from schemas.contract import INPUTS, Contract, contracts
from schemas.expectations import AGGREGATE, SEVERITIES
from schemas.rejects import Reject
from transforms.redaction import Redaction, RedactRows, RedactTallies
from transforms.tables import WriteTable
from transforms.tallies import add_tallies, unmet, validation

REJECTS = "rejects"
OK, NOTHING_READ, BROKEN = 0, 2, 3


@dataclass(frozen=True)
class ValidateConfig:
    """What to hold against what. `output` is a folder of its own for the results."""

    answers: str
    evidence: str
    output: str
    expectations: str = ""
    redact: str = ""
    overwrite: bool = False
    beam_args: tuple[str, ...] = ()
    started_at: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.timezone.utc))

    def __post_init__(self) -> None:
        check_place(self.output, "--output")
        read_expectations(self.expectations)
        _ = self.redaction

    @property
    def redaction(self) -> Redaction | None:
        """What to redact, where a file says so."""
        return read_redaction(self.redact) if self.redact else None

    @property
    def contracts(self) -> dict[str, Contract]:
        """What the two input tables are held against."""
        return contracts(self.started_at, read_expectations(self.expectations), INPUTS)


@dataclass
class ValidateInputs(beam.PTransform):
    """Read both tables under their contracts and write validation.json and the rejects.

    Comes in: a dict of `answers` and `evidence` paths. Goes out: the validation results.
    """

    folder: str
    contracts: Mapping[str, Contract]
    redaction: Redaction | None = None

    def expand(self, paths: dict[str, beam.PCollection]) -> beam.PCollection[list[dict[str, Any]]]:
        read = {table: paths[table] | f"Read{table.title()}" >> read_contracted(held) for table, held in self.contracts.items()}
        rejects = [one["rejects"] for one in read.values()] | "AllRejects" >> beam.Flatten()
        redacted = rejects | "RedactRejects" >> RedactRows(self.redaction)
        written = redacted | "WriteRejects" >> WriteTable(Reject, self.folder, REJECTS, _reject_key)
        tallies = [one["tallies"] for one in read.values()] | "AllTallies" >> beam.Flatten()
        tallies |= "RedactTallies" >> RedactTallies(self.redaction)
        sums = tallies | "SumTallies" >> beam.CombinePerKey(add_tallies) | "ListTallies" >> beam.combiners.ToList()
        suites = [suite for held in self.contracts.values() for suite in held.suites]
        return sums | "WriteValidation" >> beam.Map(_write, self.folder, suites, beam.pvalue.AsIter(written))


def _reject_key(row: Reject) -> tuple[Any, ...]:
    return row.step, row.reason, row.source, row.record_id, row.message


def _write(tallies: list[Any], folder: str, suites: Sequence[Any], _: Iterable[Any]) -> list[dict[str, Any]]:
    results = validation(suites, tallies)
    write_json(FileSystems.join(folder, VALIDATION), results)
    return results


def run_validation(config: ValidateConfig) -> int:
    """Validate and return the exit code: 0 ok, 2 nothing of a table could be used, 3 a row was rejected or a stop not met.

    Exact copies of a record are no fault: one is kept. Raises UsageError where no file matches or the folder holds results already,
    RunBroken where the job broke off.
    """
    found = {table: find_files(getattr(config, table), table) for table in INPUTS}
    pipeline = make_pipeline(config.beam_args)
    _check_folder(config)
    paths = {table: pipeline | f"{table.title()}Files" >> beam.Create(files) for table, files in found.items()}
    _ = paths | "ValidateInputs" >> ValidateInputs(config.output, config.contracts, config.redaction)
    try:
        pipeline.run().wait_until_finish()
    except Exception as error:
        raise RunBroken(config.output) from error
    return outcome(read_validation(config.output), read_rejected(config.output))


def _check_folder(config: ValidateConfig) -> None:
    results = FileSystems.join(config.output, VALIDATION)
    if FileSystems.exists(results):
        if not config.overwrite:
            raise UsageError(f"{config.output} holds validation results already; choose another --output or pass --overwrite")
        FileSystems.delete([results])
    try:
        if not FileSystems.exists(config.output):
            FileSystems.mkdirs(config.output)
    except OSError as error:
        raise UsageError(f"cannot write {config.output}: {error}; give another --output") from error


def read_rejected(folder: str) -> dict[str, dict[str, int]]:
    """Input rows lost, by table and reason; a file that cannot be read counts at least once."""
    files, path = fsspec.core.url_to_fs(folder)
    lost: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for name in files.glob(f"{path}/{REJECTS}-*.parquet"):
        for row in pq.read_table(name, filesystem=files, columns=["step", "reason", "n_rows"]).to_pylist():
            lost[row["step"]][row["reason"]] += max(row["n_rows"], 1)
    return {table: dict(reasons) for table, reasons in lost.items()}


def outcome(suites: Sequence[Mapping[str, Any]], rejected: Mapping[str, Mapping[str, int]]) -> int:
    """The exit code that results come to."""
    for table in INPUTS:
        # A table that is empty but sound is no answers at all, and evidence that nobody has written yet.
        if not _usable(suites, table) and (table == "answers" or rejected.get(table)):
            return NOTHING_READ
    lost = any(not reason.startswith("duplicate_") for reasons in rejected.values() for reason in reasons)
    return BROKEN if lost or unmet(suites, "stop") else OK


def _usable(suites: Sequence[Mapping[str, Any]], table: str) -> int:
    """The records of a table that kept the contract: those whose uniqueness was looked at."""
    results = next(suite["results"] for suite in suites if suite["suite"] == table)
    return next(one["evaluated"] for one in results if one["decided_by"] == AGGREGATE)


def validation_table(suites: Sequence[Mapping[str, Any]]) -> Table:
    """The results as a table for the terminal: every suite, and every expectation that was not met."""
    table = Table(title="Contracts", title_justify="left")
    for name in ("suite", "expectation", "severity", "values", "unexpected"):
        table.add_column(name, justify="right" if name in ("values", "unexpected") else "left")
    for suite in suites:
        met = sum(one["success"] for one in suite["results"])
        table.add_row(suite["suite"], f"{met} of {len(suite['results'])} met", "", "", "", style="" if suite["success"] else "bold")
        for one in (one for one in suite["results"] if not one["success"]):
            told = (f"{one['expectation']} {one['column']}", one["severity"], str(one["evaluated"]), str(one["unexpected"]))
            table.add_row("", *told, style="yellow" if one["severity"] == "warn" else "red")
    return table


def told(folder: str) -> list[str]:
    """What a person has to know beside the table: rows lost by reason, then every expectation that was not met, in words."""
    suites = read_validation(folder)
    rejected = read_rejected(folder)
    lost = [f"{table}: {n} rows rejected, {reason}" for table in sorted(rejected) for reason, n in sorted(rejected[table].items())]
    return [*lost, *(f"{severity}: {one['message']}" for severity in SEVERITIES for one in unmet(suites, severity))]
