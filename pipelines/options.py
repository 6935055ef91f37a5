"""What a nightly run is told: checked when it is built, before a runner starts."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path

from apache_beam.io.filesystems import FileSystems

from schemas.calibration import CalibrationRecord, read_record
from schemas.contract import Contract, contracts
from schemas.expectations import Expectation
from transforms.checkers import check_folder, checker_name
from transforms.citations import GRAMMARS
from transforms.propositions import splitter_name
from transforms.redaction import Redaction
from transforms.splitting.parsing import ParserNotFound
from transforms.support import PARTS, Calibration, checked_parts
from transforms.user_suite import read_user_suite

DEFAULT_MODEL = "nearmiss-minilm"


class UsageError(ValueError):
    """The command cannot be carried out as it was given: exit code 2."""


class RunBroken(RuntimeError):
    """A run that broke off: the disk, the memory or a worker gave out, or a bug did it; nothing in its folder counts: exit 5."""


def bundled_checker() -> str:
    """The folder of the checker that ships with the package."""
    return str(Path(str(resources.files("models"))) / DEFAULT_MODEL)


def check_checker(source: str, hub: bool) -> None:
    """Refuse a checker folder that cannot judge, before anything runs: missing files, labels that say nothing of entailment, a
    broken calibration."""
    folder = Path(source)
    if hub and not folder.is_dir():
        return
    if not folder.is_dir():
        raise UsageError(f"no such checker folder: {source!r}; give a folder, or a hub id together with --hub")
    try:
        check_folder(source)
    except ValueError as error:
        raise UsageError(str(error)) from error
    read_calibration(source)


def read_calibration(source: str, without: Collection[str] = ()) -> Calibration:
    """The calibration of a checker without the parts named; raises UsageError for an unknown part or a broken file."""
    try:
        off = checked_parts(without)
        return Calibration.read(source, tuple(part for part in PARTS if part not in off))
    except ValueError as error:
        raise UsageError(str(error)) from error


def check_parser(model: str) -> None:
    """Refuse a run without a spaCy model that the splitter knows, before anything runs."""
    try:
        splitter_name(model)
    except (ParserNotFound, OSError, ValueError, KeyError) as error:
        raise UsageError(str(error)) from error


def check_markers(grammars: tuple[str, ...]) -> None:
    """Refuse a grammar of markers that nobody knows."""
    unknown = sorted(set(grammars) - set(GRAMMARS))
    if unknown:
        raise UsageError(f"unknown marker grammars: {', '.join(unknown)}; choose from {', '.join(GRAMMARS)}")


def check_slices(slices: tuple[tuple[str, ...], ...]) -> None:
    """Refuse a slice that names nothing, or one attribute twice."""
    for names in slices:
        if not all(names) or len(set(names)) < len(names):
            raise UsageError(f"a slice names attributes, or build, each once: {','.join(names)!r}; write it like product,locale")


def read_expectations(path: str) -> dict[str, list[Expectation]]:
    """A user's own expectations by suite name, none without a path; raises UsageError that names every fault of the file."""
    try:
        return read_user_suite(path) if path else {}
    except ValueError as error:
        raise UsageError(str(error)) from error


def utc_time(text: str) -> dt.datetime:
    """Parse an ISO time; without a zone it is UTC.

    >>> utc_time("2026-01-02").isoformat()
    '2026-01-02T00:00:00+00:00'
    """
    try:
        moment = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise UsageError(f"not a time: {text!r}; write it like 2026-11-30T04:00:00Z") from error
    return moment.replace(tzinfo=dt.timezone.utc) if moment.tzinfo is None else moment.astimezone(dt.timezone.utc)


def check_place(folder: str, option: str) -> None:
    """Refuse a folder whose name would be read as a pattern: Beam lists files by pattern, and other folders would match."""
    if found := [character for character in folder if character in "*?[]"]:
        raise UsageError(f"{option} is one folder: {folder!r}; choose a name without {' '.join(dict.fromkeys(found))}")


def find_files(pattern: str, what: str) -> list[str]:
    """Expand a path or glob; raises UsageError where nothing matches."""
    try:
        matches = FileSystems.match([pattern])[0].metadata_list
    except Exception as error:
        raise UsageError(f"cannot look for {what}: {pattern!r}: {error}") from error
    if not matches:
        raise UsageError(f"no {what} file matches {pattern!r}; check the path, and quote a glob so that the shell leaves it alone")
    return sorted(match.path for match in matches)


@dataclass(frozen=True)
class NightlyConfig:
    """One nightly run.

    `parser` is a spaCy model's folder or package (default: en_core_web_sm as it is installed).
    `markers` are the grammars in which the answers cite.
    `without` are the parts of the support score that are switched off.
    `as_of` is the moment that "now" means (default: the latest answered_at in the log, so that tables never depend on the clock).
    `threads` are torch's threads in each worker.
    `slices` are combinations of attributes (or `build`) to measure by, `record` the calibration record that corrects the rates.
    `verdict_store` is a folder that keeps verdicts and splits between nights.
    `max_unjudged` and `max_rejected` are shares that the gate lets pass.
    `expectations` is a JSON file of the user's own expectations, held beside the declared ones.
    `previous` is the folder of the run that the input is compared with (default: the run before in `output`), or none.
    `redact` is a file that says what to redact in the tables that people read.
    `further_claims` and `further_spans` bound what is judged for the sake of causes: claims a run, other spans a claim.
    """

    answers: str
    evidence: str
    output: str
    run_id: str
    checker: str = ""
    parser: str = ""
    markers: tuple[str, ...] = GRAMMARS
    without: tuple[str, ...] = ()
    as_of: dt.datetime | None = None
    overwrite: bool = False
    allow_missing_evidence: bool = False
    threads: int = 1
    batch_size: int = 32
    device: str = "cpu"
    hub: bool = False
    shards: int = 1
    flagged: int = 20
    slices: tuple[tuple[str, ...], ...] = ()
    record: str = ""
    max_unjudged: float = 0.1
    max_rejected: float = 0.1
    further_claims: int = 2_000
    further_spans: int = 5
    expectations: str = ""
    previous: str = ""
    redact: str = ""
    verdict_store: str = ""
    beam_args: tuple[str, ...] = ()
    started_at: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.timezone.utc))

    def __post_init__(self) -> None:
        if not self.run_id or re.search(r"[\s/\\*?\[\]]", self.run_id):
            raise UsageError(f"a run id names a folder: {self.run_id!r}; use letters, digits, dots, dashes and underscores")
        check_place(self.output, "--output")
        check_place(self.verdict_store, "--verdict-store")
        for name in ("threads", "batch_size", "shards", "flagged"):
            if getattr(self, name) < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1: {getattr(self, name)}")
        if not self.checker:
            object.__setattr__(self, "checker", bundled_checker())
        for name in ("max_unjudged", "max_rejected"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"--{name.replace('_', '-')} is a share from 0 to 1: {getattr(self, name)}")
        for name in ("further_claims", "further_spans"):
            if getattr(self, name) < 0:
                raise UsageError(f"--{name.replace('_', '-')} must not be below 0: {getattr(self, name)}")
        check_checker(self.checker, self.hub)
        check_parser(self.parser)
        check_markers(self.markers)
        check_slices(self.slices)
        object.__setattr__(self, "slices", tuple(dict.fromkeys(self.slices)))
        if self.verdict_store and not Path(self.checker).is_dir():
            raise UsageError(
                f"--verdict-store needs a checker folder, not the hub id {self.checker!r}, under which other weights may stand "
                "tomorrow; download it and give its folder"
            )
        self._check_record()
        _ = self.redaction
        _ = self.contracts

    def _check_record(self) -> None:
        """Refuse a record of another checker: its error says nothing of this one's."""
        calibration, record = self.calibration, self.calibration_record
        if record is not None and record.checker != (name := calibration.named(checker_name(self.checker))):
            raise UsageError(
                f"{self.record} is the error of another checker: {record.checker!r}, this run judges with {name!r}; label pairs of "
                "this one and write a record with `nearmiss calibrate --labels`"
            )

    @cached_property
    def calibration_record(self) -> CalibrationRecord | None:
        """The checker's measured error, where a record is given."""
        if not self.record:
            return None
        try:
            return read_record(self.record)
        except ValueError as error:
            raise UsageError(str(error)) from error

    @cached_property
    def calibration(self) -> Calibration:
        """How the checker's probabilities become the support score, under the thresholds of the record where it has some."""
        calibration, record = read_calibration(self.checker, self.without), self.calibration_record
        return calibration.under(record.thresholds) if record is not None and record.thresholds else calibration

    @cached_property
    def contracts(self) -> dict[str, Contract]:
        """What each table of the run is held against, the user's own expectations included."""
        return contracts(self.started_at, read_expectations(self.expectations))

    @cached_property
    def redaction(self) -> Redaction | None:
        """What to redact, where a file says so."""
        from pipelines.redaction import read_redaction

        return read_redaction(self.redact, self.slices) if self.redact else None

    @property
    def folder(self) -> str:
        """The run's own directory."""
        return FileSystems.join(self.output, f"run={self.run_id}")


def default_run_id() -> str:
    """A run id from the clock, UTC."""
    return dt.datetime.now(dt.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
