"""The command line: `python -m pipelines COMMAND`, installed as `nearmiss COMMAND`."""

from __future__ import annotations

import argparse
import datetime as dt
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from pipelines.options import (
    NightlyConfig,
    UsageError,
    bundled_checker,
    check_checker,
    default_run_id,
    default_workers,
    read_calibration,
    utc_time,
)
from transforms.citations import GRAMMARS
from transforms.support import PARTS

if TYPE_CHECKING:
    from transforms.entailment import EntailmentChecker

EXIT_USAGE = 2
log = logging.getLogger(__name__)
# Redirected to a file or a log there is no terminal to ask: tables then get the width that they need.
console = Console() if sys.stdout.isatty() else Console(width=160)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for name, value in (("GX_ANALYTICS_ENABLED", "false"), ("TOKENIZERS_PARALLELISM", "false"), ("HF_HUB_OFFLINE", "1")):
        os.environ.setdefault(name, value)
    options, rest = _parser().parse_known_args(arguments)
    if options.command is not nightly and rest:
        _parser().error(f"unrecognized arguments: {' '.join(rest)}")
    stray = [one for i, one in enumerate(rest) if not one.startswith("-") and (i == 0 or not rest[i - 1].startswith("-"))]
    if stray:
        _parser().error(f"unrecognized arguments: {' '.join(stray)}; quote a glob so that the shell leaves it alone")
    options.beam_args = tuple(rest)
    if getattr(options, "hub", False):
        os.environ["HF_HUB_OFFLINE"] = "0"
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", force=True)
    for package in ("pipelines", "transforms"):
        logging.getLogger(package).setLevel(logging.INFO)
    try:
        return options.command(options)
    except UsageError as error:
        print(f"nearmiss: {error}", file=sys.stderr)
        return EXIT_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nearmiss", description="Measure how often a cited span establishes the claim that it hangs from."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function: object, name: str, text: str) -> argparse.ArgumentParser:
        # Options of the runner follow ours untouched; an abbreviation of ours must not swallow one.
        added = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(command=function)
        return added

    run = command(nightly, "nightly", "Measure a log of answers against its evidence; further options go to Beam.")
    run.add_argument("--answers", required=True, help="Parquet files of answers (path or glob)")
    run.add_argument("--evidence", required=True, help="Parquet files of evidence (path or glob)")
    run.add_argument("--output", required=True, help="folder for runs; this one goes into OUTPUT/run=RUN_ID")
    run.add_argument("--run-id", default=None, help="name of the run (default: the time, UTC)")
    run.add_argument("--as-of", default=None, help="the moment that counts as now, UTC (default: the latest answered_at)")
    run.add_argument("--overwrite", action="store_true", help="replace a run of the same id")
    run.add_argument("--allow-missing-evidence", action="store_true", help="pass the gate although evidence could not be read")
    run.add_argument("--shards", type=int, default=1, help="files a table")
    run.add_argument("--flagged", type=int, default=20, help="flagged pairs a family and status")
    run.add_argument("--gold", type=Path, default=None, help="gold file to print beside the run (made by `sample`)")
    _splitter_options(run)
    _score_options(run)
    _checker_options(run, threads=max(1, (os.cpu_count() or 1) // default_workers()))

    one = command(judge, "judge", "Judge premise and hypothesis pairs from a JSON Lines file.")
    one.add_argument("--pairs", type=Path, required=True)
    one.add_argument("--output", type=Path, required=True)
    one.add_argument(
        "--whole", action="store_true", help="take each premise as one window (default: windows of one to three sentences)"
    )
    _score_options(one)
    _checker_options(one, threads=os.cpu_count() or 1)

    cut = command(split, "split", "Split texts from a JSON Lines file into propositions.")
    cut.add_argument("--input", type=Path, required=True)
    cut.add_argument("--output", type=Path, required=True)
    _splitter_options(cut)

    own = command(sample, "sample", "Write the shipped sample: answers.parquet, evidence.parquet, gold.jsonl.")
    own.add_argument("--output", type=Path, required=True)

    against = command(agreement, "agreement", "Hold a run against experts' labels of its sentences.")
    against.add_argument("--run", required=True)
    for name in ("labels", "answers", "evidence"):
        against.add_argument(f"--{name}", type=Path, required=True)

    page = command(report, "report", "Write report.html of a finished run again.")
    page.add_argument("--run", required=True)

    command(columns, "columns", "Print the columns of every table as Markdown.")

    teach = command(train, "train", "Train a checker on NLI pairs.")
    teach.add_argument("--data", type=Path, required=True, help="folder of NAME.jsonl[.gz]")
    teach.add_argument("--base", type=Path, required=True, help="folder of the model to start from")
    teach.add_argument("--output", type=Path, required=True, help="folder for the checker; checkpoints inside it are resumed")
    teach.add_argument("--mixture", type=Path, default=Path(__file__).with_name("mixture.yaml"), help="passes, sets and caps, YAML")
    teach.add_argument("--pairs", type=int, default=None, help="take at most so many pairs a pass")
    teach.add_argument("--device", default="cpu")
    teach.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    teach.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")

    fit = command(calibrate, "calibrate", "Fit a checker's support score on labelled pairs and store it in its folder.")
    fit.add_argument("--data", type=Path, required=True, help="folder of labelled sets, NAME.jsonl[.gz]")
    _checker_options(fit, threads=os.cpu_count() or 1)

    exam = command(evaluate, "evaluate", "Measure a checker on labelled sets and generated near misses.")
    exam.add_argument("--data", type=Path, required=True, help="folder of labelled sets, NAME.jsonl[.gz]")
    exam.add_argument(
        "--embeddings", type=Path, default=None, help="folder of an encoder: its similarity is measured beside the checker"
    )
    exam.add_argument(
        "--calibrate", action="store_true", help="fit the support score first, as `calibrate` does, on the same scores"
    )
    exam.add_argument("--card", action="store_true", help="write the model card into the checker's folder")
    _score_options(exam)
    _checker_options(exam, threads=os.cpu_count() or 1)
    return parser


def _splitter_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--markers", default=GRAMMARS, type=lambda names: tuple(names.split(",")), help=f"marker grammars, of {','.join(GRAMMARS)}"
    )
    parser.add_argument("--parser", default="", help="folder or package of a spaCy model (default: en_core_web_sm as installed)")


def _score_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--without",
        default=(),
        type=lambda names: tuple(names.split(",")),
        help=f"parts of the support score to switch off, of {','.join(PARTS)}",
    )


def _checker_options(parser: argparse.ArgumentParser, threads: int) -> None:
    parser.add_argument("--checker", default=bundled_checker(), help="folder of a sequence classifier (or a hub id, with --hub)")
    parser.add_argument("--hub", action="store_true", help="let a hub id be downloaded")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=threads, help="torch threads a worker")
    parser.add_argument("--device", default="cpu")


def nightly(options: argparse.Namespace) -> int:
    """Run the job, write the report, print the table."""
    from pipelines.nightly import run_nightly
    from pipelines.report import summary_table, write_report
    from pipelines.runs import is_finished

    config = NightlyConfig(
        answers=options.answers,
        evidence=options.evidence,
        output=options.output,
        run_id=options.run_id or default_run_id(),
        checker=options.checker,
        parser=options.parser,
        markers=options.markers,
        without=options.without,
        as_of=utc_time(options.as_of) if options.as_of else None,
        overwrite=options.overwrite,
        allow_missing_evidence=options.allow_missing_evidence,
        threads=options.threads,
        batch_size=options.batch_size,
        device=options.device,
        hub=options.hub,
        shards=options.shards,
        flagged=options.flagged,
        beam_args=options.beam_args,
    )
    started = time.monotonic()
    code = run_nightly(config)
    folder = config.folder
    try:
        # A report that fails says nothing about the run.
        if is_finished(folder):
            console.print(summary_table(folder))
            _print_gold(folder, options)
            console.print(f"report: {write_report(folder)}", soft_wrap=True)
    except Exception:
        log.exception("the run is finished, but its report could not be made: %s", folder)
    console.print(f"{'passed' if code == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s: {config.folder}", soft_wrap=True)
    return code


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
    """Write the report of a finished run."""
    from pipelines.report import summary_table, write_report

    console.print(summary_table(options.run))
    console.print(f"report: {write_report(options.run)}", soft_wrap=True)
    return 0


def columns(options: argparse.Namespace) -> int:
    """Print the columns of every table."""
    from pipelines.columns import columns_markdown

    print(columns_markdown(), end="")
    return 0


def train(options: argparse.Namespace) -> int:
    """Train a checker."""
    from pipelines.mixture import load_mixture
    from pipelines.train import TrainingConfig, train_checker

    config = TrainingConfig(device=options.device, threads=options.threads, precision=options.precision, max_pairs=options.pairs)
    console.print(
        f"checker: {train_checker(options.data, options.base, options.output, config, load_mixture(options.mixture))}",
        soft_wrap=True,
    )
    return 0


def calibrate(options: argparse.Namespace) -> int:
    """Fit a checker's support score."""
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


def _loaded(options: argparse.Namespace) -> EntailmentChecker:
    from transforms.entailment import CheckerConfig, EntailmentChecker

    check_checker(options.checker, options.hub)
    return EntailmentChecker(
        CheckerConfig(options.checker, options.batch_size, options.threads, options.device, offline=not options.hub)
    )


if __name__ == "__main__":
    sys.exit(main())
