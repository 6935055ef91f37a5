"""What each command does, from its options to what it prints."""

from __future__ import annotations

import argparse
import datetime as dt
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from pipelines.options import NightlyConfig, UsageError, check_checker, check_place, default_run_id, read_calibration, utc_time

if TYPE_CHECKING:
    from cases.grading import Question
    from cases.replies import Generator
    from pipelines.gap import Scorer
    from pipelines.runs import Folder
    from transforms.entailment import EntailmentChecker

EXIT_GATE = 4
log = logging.getLogger(__name__)
# Redirected to a file or a log there is no terminal to ask: tables then get the width that they need.
console = Console() if sys.stdout.isatty() else Console(width=160)


def nightly(options: argparse.Namespace) -> int:
    """Run the job, write the report, print the table."""
    from pipelines.nightly import run_nightly
    from pipelines.report import summary_table
    from pipelines.runs import is_finished

    given = _given(NightlyConfig, options)
    given["run_id"] = options.run_id or default_run_id()
    given["as_of"] = utc_time(options.as_of) if options.as_of else None
    given["slices"] = tuple(tuple(name.strip() for name in names.split(",")) for names in options.slice)
    given["record"] = options.calibration
    config = NightlyConfig(**given)
    started = time.monotonic()
    code = run_nightly(config)
    folder = config.folder
    try:
        # A report that fails says nothing about the run.
        if is_finished(folder):
            console.print(summary_table(folder))
            print_warnings(folder)
            _print_gold(folder, options)
            _print_pages(folder)
    except Exception:
        log.exception("the run is finished, but its report could not be made: %s", folder)
    console.print(f"{'passed' if code == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s: {config.folder}", soft_wrap=True)
    return code


def _given(config: type, options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a configuration that options of the same name give."""
    return {one.name: getattr(options, one.name) for one in fields(config) if hasattr(options, one.name)}


def validate(options: argparse.Namespace) -> int:
    """Hold the input against its contracts; returns 3 where a row is rejected or a stop is not met."""
    from pipelines.data_docs import read_validation, write_data_docs
    from pipelines.validation import ValidateConfig, run_validation, told, validation_table

    config = ValidateConfig(**_given(ValidateConfig, options))
    code = run_validation(config)
    console.print(validation_table(read_validation(config.output)))
    for line in told(config.output):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    try:
        console.print(f"data docs: {write_data_docs(config.output)}", soft_wrap=True)
    except Exception:
        log.exception("the input is validated, but its Data Docs could not be made: %s", config.output)
    console.print(f"{'passed' if code == 0 else 'FAILED'}: {config.output}", soft_wrap=True)
    return code


def print_warnings(folder: Folder) -> None:
    """Print what a run warns of; it changes no exit code."""
    from pipelines.runs import read_manifest

    for warning in read_manifest(folder)["warnings"]:
        console.print(f"warning: {warning}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def _print_gold(folder: str, options: argparse.Namespace) -> None:
    if options.gold is None:
        return
    from pipelines.sample import compare_with_gold, error_lines, gold_table, read_gold

    comparison = compare_with_gold(folder, read_gold(options.gold), Path(options.evidence))
    console.print(gold_table(comparison))
    for line in error_lines(comparison):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for difference in comparison.differences:
        console.print(f"differs from gold: {difference}", markup=False)


def judge(options: argparse.Namespace) -> int:
    """Judge pairs from a file."""
    from pipelines.judge import judge_file
    from transforms.entailment import CheckerConfig

    check_checker(options.checker, options.hub)
    config = CheckerConfig(options.checker, options.batch_size, options.threads, options.device, offline=not options.hub)
    calibration = read_calibration(options.checker, options.without)
    judged = judge_file(options.pairs, options.output, config, calibration, options.whole)
    console.print(f"judged {judged} pairs: {options.output}", soft_wrap=True)
    return 0


def split(options: argparse.Namespace) -> int:
    """Split texts from a file."""
    from pipelines.judge import split_file

    console.print(
        f"split {split_file(options.input, options.output, options.parser, options.markers)} texts: {options.output}",
        soft_wrap=True,
    )
    return 0


def sample(options: argparse.Namespace) -> int:
    """Write the shipped sample."""
    from pipelines.sample import write_sample

    written = write_sample(options.output)
    console.print(
        f"wrote {len(written.answers)} answers and {len(written.evidence)} evidence rows: {options.output}", soft_wrap=True
    )
    return 0


def agreement(options: argparse.Namespace) -> int:
    """Print the agreement with experts."""
    from pipelines.agreement import agreement_table, labelled_sentences

    console.print(agreement_table(*labelled_sentences(options.run, options.labels, options.answers, options.evidence)))
    return 0


def report(options: argparse.Namespace) -> int:
    """Write the report and the Data Docs of a finished run."""
    from pipelines.report import summary_table

    console.print(summary_table(options.run))
    _print_pages(options.run)
    return 0


def _print_pages(folder: str) -> None:
    from pipelines.data_docs import write_data_docs
    from pipelines.report import write_report

    console.print(f"report: {write_report(folder)}", soft_wrap=True)
    console.print(f"data docs: {write_data_docs(folder)}", soft_wrap=True)


def columns(options: argparse.Namespace) -> int:
    """Print the columns of every table."""
    from pipelines.columns import columns_markdown

    print(columns_markdown(), end="")
    return 0


def train(options: argparse.Namespace) -> int:
    """Train a checker."""
    from pipelines.mixture import check_sets, load_mixture
    from pipelines.train import TrainingConfig, train_checker

    config = TrainingConfig(device=options.device, threads=options.threads, precision=options.precision, max_pairs=options.pairs)
    try:
        passes = load_mixture(options.mixture)
        check_sets(options.data, passes)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    console.print(f"checker: {train_checker(options.data, options.base, options.output, config, passes)}", soft_wrap=True)
    return 0


def labels(options: argparse.Namespace) -> int:
    """Draw a sheet of pairs to label."""
    from pipelines.labels import export_labels

    drawn = export_labels(options.run, options.answers, options.evidence, options.output, options.size, options.unit, options.seed)
    console.print(f"drew {drawn['drawn']} of {drawn['run']} in {len(drawn) - 2} strata: {options.output}", soft_wrap=True)
    return 0


def _measure_labels(options: argparse.Namespace) -> int:
    from pipelines.checker_error import calibration_record, judge_labels, record_table, to_judge
    from pipelines.labels import read_labels
    from schemas.calibration import write_record
    from transforms.checkers import checker_name

    if options.output is None:
        raise UsageError("--labels needs --output; name the record to write")
    check_checker(options.checker, options.hub)
    calibration, sheet = read_calibration(options.checker), read_labels(options.labels)
    name = calibration.named(checker_name(options.checker))
    if to_judge(sheet):
        sheet = judge_labels(sheet, _loaded(options), calibration, name)
    record = calibration_record(sheet, calibration, name, options.choose_threshold)
    write_record(record, options.output)
    console.print(record_table(record))
    console.print(", ".join(f"{what} {n}" for what, n in (record.counts or {}).items()), soft_wrap=True)
    console.print(f"calibration record: {options.output}", soft_wrap=True)
    return 0


def calibrate(options: argparse.Namespace) -> int:
    """Fit a checker's support score, or measure its error on labels."""
    if options.labels:
        return _measure_labels(options)
    if options.output or options.choose_threshold:
        raise UsageError("--output and --choose-threshold go with --labels; --data writes into the checker's folder")
    from pipelines.calibrate import fit_calibration
    from pipelines.scoring import score_sets

    calibration = fit_calibration(score_sets(_loaded(options), options.data)[0])
    console.print(f"calibration: {calibration.write(options.checker)}, thresholds {calibration.thresholds}", soft_wrap=True)
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Measure a checker."""
    from pipelines.calibrate import fit_calibration
    from pipelines.evaluate import ablation_table, embedder, evaluate_checker, family_table, set_table, write_card
    from pipelines.scoring import score_sets

    checker = _loaded(options)
    scored, near_misses = score_sets(checker, options.data, embedder(options.embeddings) if options.embeddings else None)
    if options.calibrate:
        fit_calibration(scored).write(options.checker)
    calibration = read_calibration(options.checker, options.without)
    found = evaluate_checker(checker, calibration, scored, near_misses)
    for table in (set_table(found, f"{options.checker} on labelled sets"), ablation_table(found), family_table(found)):
        console.print(table)
    console.print(f"expected calibration error over the sets labelled by people: {found.calibration_error:.3f}")
    if options.card:
        card = write_card(
            Path(options.checker), found, calibration, f"Measured on {dt.date.today()}, {options.threads} CPU threads"
        )
        console.print(f"card: {card}", soft_wrap=True)
    return 0


def suite(options: argparse.Namespace) -> int:
    """Run the near-miss suite; returns 4 where a family falls below its floor."""
    from cases.situations import load_situations
    from cases.suite import load_suite
    from pipelines import suite as suites
    from pipelines.gap import encoder_folder, gap_rows, similarity_scorers
    from pipelines.suite_report import lines, tables, write_report
    from transforms.checkers import checker_name

    floors = suites.read_floors(options.fail_under)
    try:
        cases, situations = load_suite(options.cases), load_situations(options.situations)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    price = suites.read_price(options.price)
    scorers = similarity_scorers(encoder_folder(options.embeddings))
    everything: tuple[Question, ...] = (*cases, *situations)
    generator, name = _generator(options, everything, scorers)
    checker, calibration = _loaded(options), read_calibration(options.checker, options.without)
    results = suites.run_suite(everything, generator, checker, calibration, options.concurrency)
    found = suites.SuiteReport(name, checker_name(options.checker), results, gap_rows(checker, calibration, cases, scorers), price)
    for table in tables(found):
        console.print(table)
    for line in lines(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for path in write_report(found, options.output) if options.output else ():
        console.print(f"written: {path}", soft_wrap=True)
    faults = suites.below(found.families, floors)
    for fault in faults:
        print(f"nearmiss: {fault}", file=sys.stderr)
    return EXIT_GATE if faults else 0


def _generator(options: argparse.Namespace, cases: Sequence[Question], scorers: Mapping[str, Scorer]) -> tuple[Generator, str]:
    """The generator asked for, and its name."""
    from cases.baselines import baseline
    from pipelines.endpoint import Endpoint, endpoint
    from pipelines.gap import similarity_of
    from pipelines.generators import from_module, recorded

    if options.recorded:
        return recorded(options.recorded, cases), str(options.recorded)
    if options.endpoint:
        if not options.model:
            raise UsageError("--endpoint needs --model; name the model to ask for")
        config = Endpoint(
            options.endpoint,
            options.model,
            timeout=options.timeout,
            retries=options.retries,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
        )
        return endpoint(config), f"{options.model} at {options.endpoint}"
    if options.generator:
        return from_module(options.generator), options.generator
    alike = {name: similarity_of(scorer) for name, scorer in scorers.items()}
    try:
        return baseline(options.baseline, cases, alike), options.baseline
    except ValueError as error:
        raise UsageError(str(error)) from error


def compact(options: argparse.Namespace) -> int:
    """Put the parts of a store together and drop what no run has used for long."""
    from transforms.store import ROW_TYPES, Store, stored_versions
    from transforms.store import compact as compact_parts

    if options.days < 1:
        raise UsageError(f"--days must be at least 1: {options.days}")
    check_place(options.verdict_store, "--verdict-store")
    versions = {name: stored_versions(options.verdict_store, name) for name in ROW_TYPES}
    if not any(versions.values()):
        raise UsageError(f"no store: {options.verdict_store}; give the folder that `nightly --verdict-store` was given")
    today = dt.datetime.now(dt.timezone.utc).date()
    for name, found_versions in versions.items():
        for version in found_versions:
            found = compact_parts(Store(options.verdict_store, name, version, today), options.days)
            console.print(f"{name}: {found['parts']} parts, {found['rows']} rows kept, {found['expired']} expired ({version})")
    return 0


def mine(options: argparse.Namespace) -> int:
    """Propose near misses."""
    from pipelines.mining import mine as mine_evidence

    found = mine_evidence(options.evidence, options.output, options.limit, options.mutate, options.parser)
    for what, n in found.counts.items():
        console.print(f"{what}: {n}", markup=False, highlight=False)
    console.print(f"{len(found.proposals)} proposals, {found.written} of them as cases to review")
    for path in found.files:
        console.print(f"written: {path}", soft_wrap=True)
    return 0


def _loaded(options: argparse.Namespace) -> EntailmentChecker:
    from transforms.entailment import CheckerConfig, EntailmentChecker

    check_checker(options.checker, options.hub)
    return EntailmentChecker(
        CheckerConfig(options.checker, options.batch_size, options.threads, options.device, offline=not options.hub)
    )
