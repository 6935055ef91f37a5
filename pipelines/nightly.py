"""The nightly job: logs of answers and evidence in, citation metrics out."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.data_docs import DATA_DOCS
from pipelines.drift import Earlier, WriteDrift, earlier_run, profile_counts
from pipelines.manifest import EXIT_CODES, FAILED, STARTED, Gate, WriteManifest, pass_gate, reject_counts
from pipelines.options import NightlyConfig, RunBroken, UsageError, bundled_checker, find_files
from pipelines.runs import read_failures
from schemas.aggregates import Aggregate
from schemas.answers import Answer
from schemas.calibration import CalibrationRecord
from schemas.claims import Claim
from schemas.contract import Contract
from schemas.evidence import Evidence
from schemas.flagged import Flagged
from schemas.rejects import Reject
from schemas.review import Review
from schemas.verdicts import Verdict
from transforms import conflicts, exposure
from transforms.checkers import checker_name
from transforms.column_types import CheckTypes
from transforms.contract import CheckContract
from transforms.correction import assumptions
from transforms.edges import ResolveCitations
from transforms.entailment import CheckerConfig, EntailmentHandler
from transforms.evidence import BrokenEvidence, JoinedEdge, JoinEvidenceAsOf
from transforms.exposure import FindSiblings
from transforms.families import RULES, TagFamilies
from transforms.flagging import SampleFlagged
from transforms.judging import JudgePairs, JudgeUnique
from transforms.metrics import CitationMetrics
from transforms.output_contract import CheckOutputs, TallyCopies
from transforms.premises import WidenPremises
from transforms.profile import ProfileClaims, ProfileTable
from transforms.propositions import SplitAnswers, splitter_name
from transforms.questions import AnswerContext, AskFurther, Budget, context_of
from transforms.redaction import Redaction, RedactRows, RedactTallies
from transforms.slicing import slices_of
from transforms.store import ReadStore, Store, WriteStore
from transforms.tables import ReadTables, WriteTable, record_json, write_bytes
from transforms.uniqueness import DropDuplicates

log = logging.getLogger(__name__)
Tables = dict[str, Any]
NOTES = (
    "families overlap: a claim counts in each family whose attribute it states",
    "low and high are 95 % intervals with answers as clusters (docs/intervals.md)",
    "citation_recall: a claim is supported by any one of its spans, or by all of them together where none supports it alone",
    "spans together are judged as one premise; where they outgrow it each passage gives its likeliest window "
    "(questions.joint_by_windows)",
    "causes and the text of today are judged for as many claims as `further` allows (questions.claims_beyond_budget: the rest)",
)
UNCORRECTED = "the rates carry the checker's own error: no calibration record was given"
_SPAN_COLUMNS = {"span_start", "span_end, span_start", "text_length, span_end", "span_end"}


@dataclass
class ReadContracted(beam.PTransform):
    """Read one input table: readable files, rows that keep the contract, one record an id."""

    contract: Contract
    noun: str
    id_column: str
    key: Any

    def expand(self, paths: beam.PCollection[str]) -> Tables:
        step = self.contract.table
        read = paths | "ReadTables" >> ReadTables(self.contract.row_type, step)
        types = read["schemas"] | "CheckTypes" >> CheckTypes(self.contract)
        checked = read["batches"] | "CheckContract" >> CheckContract(self.contract, self.id_column)
        unique = checked["records"] | "DropDuplicates" >> DropDuplicates(step, self.noun, self.key)
        copies = {"records": checked["records"], "rejects": unique["rejects"]} | "TallyCopies" >> TallyCopies(self.contract)
        rejects = (read["rejects"], checked["rejects"], unique["rejects"]) | "Rejects" >> beam.Flatten()
        profile = {name: read[name] for name in ("schemas", "batches")} | "ProfileTable" >> ProfileTable(step)
        return {
            "records": unique["records"],
            "conflicting": unique["broken"],
            "broken": checked["broken"],
            "rejects": rejects,
            "tallies": (types, checked["tallies"], copies) | "Tallies" >> beam.Flatten(),
            "counts": read["counts"],
            "profile": profile,
        }


def read_contracted(held: Contract) -> ReadContracted:
    """Read an input table as its contract has it."""
    if held.table == "answers":
        return ReadContracted(held, "answer", "answer_id", _answer_key)
    return ReadContracted(held, "evidence", "evidence_id", _evidence_key)


@dataclass
class MeasureCitations(beam.PTransform):
    """The dataflow: answers are cut into claims, claims joined with their evidence, pairs judged, verdicts added up.

    Comes in: a dict of `answers` and `evidence` paths. Goes out: a dict of every table of the run, its `counts`, `tallies` and
    `profile`.
    """

    config: NightlyConfig
    checker: CheckerConfig

    def expand(self, paths: dict[str, beam.PCollection]) -> Tables:
        contracts = self.config.contracts
        answers = paths["answers"] | "Answers" >> read_contracted(contracts["answers"])
        evidence = paths["evidence"] | "Evidence" >> read_contracted(contracts["evidence"])
        passages = evidence["records"] | "Passages" >> beam.Values()
        now = _now(answers["records"], self.config)
        contexts = answers["records"] | "KeepContexts" >> beam.Map(
            _context, self.config.slices, self.config.redaction
        ).with_output_types(AnswerContext)
        stores = self._stores()
        known = {name: answers["counts"].pipeline | f"Known{name.title()}" >> ReadStore(store) for name, store in stores.items()}
        split = {"answers": answers["records"], **_rows_of(known, "splits")} | "SplitAnswers" >> self._split(stores)
        resolved = split["splits"] | "ResolveCitations" >> ResolveCitations()
        claims = resolved["claims"] | "TagFamilies" >> TagFamilies()
        siblings = passages | "FindSiblings" >> FindSiblings()
        sides = {"edges": resolved["edges"], "evidence": passages, "broken": _broken(evidence), "siblings": siblings}
        joined = sides | "JoinEvidenceAsOf" >> JoinEvidenceAsOf(beam.pvalue.AsSingleton(now), _incomplete(evidence["rejects"]))
        widened = joined | "WidenPremises" >> WidenPremises(splitter_name(self.config.parser))
        verdicts_known = _rows_of(known, "verdicts")
        judged = {**widened, **verdicts_known} | "JudgePairs" >> JudgePairs(self._judge(stores), self._checker_name)
        found = {"claims": claims, "verdicts": judged["verdicts"], "contexts": contexts}
        further = {**found, **verdicts_known, "evidence": passages} | "AskFurther" >> self._ask_further(now, stores)
        scored = {**found, "replies": further["replies"]} | "ScoreAnswers" >> CitationMetrics.PerAnswer()
        day = beam.pvalue.AsSingleton(now | "Day" >> beam.Map(lambda moment: moment.date()))
        verdicts = scored | "Verdicts" >> beam.FlatMap(lambda answer: answer.verdicts).with_output_types(Verdict)
        outcomes = scored | "ClaimOutcomes" >> beam.FlatMap(lambda answer: answer.claims).with_output_types(Claim)
        flagged = {
            "verdicts": verdicts,
            "claims": claims,
            "contexts": contexts,
            "evidence": passages,
        } | "SampleFlagged" >> SampleFlagged(self.config.flagged)
        unknown = joined | "NameUnknown" >> beam.FlatMap(_unknown_evidence).with_output_types(Reject)
        steps = (answers, evidence, split, judged, further)
        tables = {
            "claims": outcomes,
            "verdicts": verdicts,
            "aggregates": scored | "AddUp" >> CitationMetrics.PerSlice(day, self.config.calibration_record),
            "flagged": flagged,
            "review": scored | "Reviews" >> beam.FlatMap(lambda answer: answer.reviews).with_output_types(Review),
            "rejects": (*(step["rejects"] for step in steps), unknown) | "AllRejects" >> beam.Flatten(),
        }
        profile = (answers["profile"], evidence["profile"], scored | "ProfileClaims" >> ProfileClaims())
        profile = profile | "AllProfiles" >> beam.Flatten()
        counts = (
            profile | "CountProfiled" >> beam.FlatMap(profile_counts),
            answers["counts"],
            evidence["counts"],
            resolved["counts"],
            judged["counts"],
            further["counts"],
            split["counts"],
            *(read["counts"] for read in known.values()),
            *_keep(stores, {"splits": (split["fresh"],), "verdicts": (judged["fresh"], further["fresh"])}),
            *_count(tables, resolved["states"], passages),
        )
        return {
            **tables,
            "counts": counts | "AllCounts" >> beam.Flatten(),
            "profile": profile,
            "tallies": (answers["tallies"], evidence["tallies"]) | "AllTallies" >> beam.Flatten(),
        }

    @property
    def _checker_name(self) -> str:
        return self.config.calibration.named(checker_name(self.checker.source))

    def _stores(self) -> dict[str, Store]:
        """The stores of this checker and splitter, where there is a place for them."""
        folder, day = self.config.verdict_store, self.config.started_at.date()
        if not folder:
            return {}
        versions = {"splits": splitter_name(self.config.parser), "verdicts": self._checker_name}
        return {name: Store(folder, name, f"1 {version}", day) for name, version in versions.items()}

    def _split(self, stores: dict[str, Store]) -> SplitAnswers:
        return SplitAnswers(self.config.parser, self.config.markers, stores.get("splits"))

    def _judge(self, stores: dict[str, Store]) -> JudgeUnique:
        # The bundled checker lies elsewhere on a remote worker: each finds its own.
        locate = bundled_checker if self.checker.source == bundled_checker() else None
        handler = EntailmentHandler(self.checker, locate)
        return JudgeUnique(handler, self.config.calibration, self.checker.batch_size, stores.get("verdicts"))

    def _ask_further(self, now: beam.PCollection[dt.datetime], stores: dict[str, Store]) -> AskFurther:
        budget = Budget(self.config.further_claims, self.config.further_spans)
        return AskFurther(self._judge(stores), self._checker_name, budget, beam.pvalue.AsSingleton(now))


def _rows_of(known: dict[str, Tables], name: str) -> dict[str, beam.PCollection]:
    return {"known": known[name]["rows"]} if name in known else {}


def _keep(stores: dict[str, Store], fresh: dict[str, tuple[beam.PCollection, ...]]) -> list[beam.PCollection]:
    """Write into each store what was not in it."""
    return [
        fresh[name] | f"Fresh{name.title()}" >> beam.Flatten() | f"Keep{name.title()}" >> WriteStore(store)
        for name, store in stores.items()
    ]


def _context(keyed: tuple[str, Answer], slices: tuple[tuple[str, ...], ...], redaction: Redaction | None) -> AnswerContext:
    return context_of(keyed[1], slices_of(keyed[1], slices, redaction))


def _answer_key(answer: Answer) -> str:
    return answer.answer_id


def _evidence_key(row: Evidence) -> str:
    return f"evidence_id={row.evidence_id!r}, version={row.version!r}"


def _now(answers: beam.PCollection, config: NightlyConfig) -> beam.PCollection[dt.datetime]:
    """The moment that the run calls now: told, or the latest answer; one from the future counts only where all are."""
    if config.as_of is not None:
        return answers.pipeline | "AsOf" >> beam.Create([config.as_of])
    epoch, started = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc), config.started_at
    return (
        answers
        | "AnsweredAt" >> beam.MapTuple(lambda _, answer: answer.answered_at)
        | "LatestAnswer"
        >> beam.CombineGlobally(lambda moments: max((epoch, *moments), key=lambda moment: (epoch < moment <= started, moment)))
    )


def _broken(evidence: Tables) -> beam.PCollection[BrokenEvidence]:
    """Evidence rows that edges may hang from although they cannot be used."""
    contract = evidence["broken"] | "BrokenRows" >> beam.FlatMapTuple(_broken_row)
    conflicting = evidence["conflicting"] | "ConflictingRows" >> beam.Map(
        lambda row: BrokenEvidence(row.evidence_id, row.version, "unjudged", row.valid_from, row.valid_to)
    )
    return (contract, conflicting) | "AllBroken" >> beam.Flatten()


def _broken_row(record: dict[str, Any], columns: list[str]) -> list[BrokenEvidence]:
    if not record["evidence_id"]:
        return []
    status = "bad_span" if set(columns) <= _SPAN_COLUMNS else "unjudged"
    # Times that contradict each other place the row nowhere: it may be the one that any edge needs.
    times = (None, None) if any("valid_" in column for column in columns) else (record["valid_from"], record["valid_to"])
    return [BrokenEvidence(record["evidence_id"], record["version"], status, *times)]


def _incomplete(rejects: beam.PCollection[Reject]) -> Any:
    """Whether evidence was lost that no edge can be traced to."""
    lost = (
        rejects
        | "Untraceable" >> beam.Map(lambda reject: not reject.record_id)
        | "AnyUntraceable" >> beam.CombineGlobally(lambda flags: any(flags))
    )
    return beam.pvalue.AsSingleton(lost)


def _unknown_evidence(joined: JoinedEdge) -> list[Reject]:
    """Name a cited id that the evidence table lacks; the edge stays in the tables, dangling."""
    edge = joined.edge
    if joined.status != "dangling" or edge.status == "dangling":
        return []
    message = (
        f"answer {edge.answer_id!r}, claim {edge.claim_id!r} cites the evidence_id {edge.evidence_id!r}, which the evidence table "
        "lacks; export it, or mend the citation"
    )
    ids = {"answer_id": edge.answer_id, "claim_id": edge.claim_id, "evidence_id": edge.evidence_id}
    return [Reject("join", "unknown_evidence", message, "", "/".join(ids.values()), record_json(ids), 0)]


def _count(tables: Tables, states: beam.PCollection, passages: beam.PCollection) -> list[beam.PCollection]:
    """What came out of the steps, counted at the tables themselves."""
    return [
        states | "CountStates" >> beam.MapTuple(lambda state, n: (f"answers.{state}", n)),
        passages | "CountEvidence" >> beam.Map(lambda _: ("evidence.kept", 1)),
        tables["claims"] | "CountClaims" >> beam.Map(lambda claim: (f"claims.{claim.reason or 'required'}", 1)),
        tables["claims"] | "CountOutcomes" >> beam.FlatMap(_outcome_counts),
        tables["verdicts"] | "CountEdges" >> beam.FlatMap(_edge_counts),
        tables["rejects"] | "CountRejects" >> beam.FlatMap(reject_counts),
    ]


def _outcome_counts(claim: Claim) -> Iterator[tuple[str, int]]:
    yield f"outcomes.{claim.outcome}", 1
    if claim.cause:
        yield f"causes.{claim.cause}", 1


def _edge_counts(verdict: Verdict) -> Iterator[tuple[str, int]]:
    if not verdict.joint:
        yield f"edges.{verdict.status}", 1
        yield "edges.several_versions_valid", int(verdict.n_valid > 1)


# What people read; claims and verdicts keep their words (docs/privacy.md), and aggregates are of slices redacted before the sums.
REDACTED = ("flagged", "review", "rejects")
_KEYS: dict[str, tuple[type, Any]] = {
    "claims": (Claim, lambda row: (row.answer_id, row.sentence, row.claim_id)),
    "verdicts": (
        Verdict,
        lambda row: (row.answer_id, row.sentence, row.claim_id, row.evidence_id, row.version, row.status, row.premise_start),
    ),
    "aggregates": (Aggregate, lambda row: (row.slice, row.family, row.metric, row.average)),
    "flagged": (Flagged, lambda row: (row.family, row.status, row.rank)),
    "review": (Review, lambda row: (row.answer_id, row.claim_id, row.evidence_id, row.version)),
    "rejects": (Reject, lambda row: (row.step, row.reason, row.source, row.record_id, row.message)),
}


@dataclass
class PublishRun(beam.PTransform):
    """Write the tables, then the manifest, then pass the gate."""

    config: NightlyConfig
    about: dict[str, Any]
    earlier: Earlier

    def expand(self, measured: Tables) -> beam.PCollection[str]:
        folder, redaction = self.config.folder, self.config.redaction
        redacted = {name: measured[name] | f"Redact{name.title()}" >> RedactRows(redaction) for name in REDACTED}
        tables = {**measured, **redacted}
        files = [
            tables[name] | f"Write{name.title()}" >> WriteTable(row_type, folder, name, key, self.config.shards)
            for name, (row_type, key) in _KEYS.items()
        ]
        written, contracts = files | "AllFiles" >> beam.Flatten(), self.config.contracts
        checked = written | "CheckOutputs" >> CheckOutputs(folder, contracts)
        tallies = (measured["tallies"], checked) | "AllTallies" >> beam.Flatten() | "RedactTallies" >> RedactTallies(redaction)
        parts = {"files": written, "counts": measured["counts"], "tallies": tallies}
        parts["warnings"] = measured["profile"] | "WriteDrift" >> WriteDrift(folder, self.earlier)
        return (
            parts
            | "WriteManifest" >> WriteManifest(folder, self.about, [s for one in contracts.values() for s in one.suites])
            | "PassGate" >> beam.Map(pass_gate, folder, _gate(self.config))
        )


def _gate(config: NightlyConfig) -> Gate:
    return Gate(config.max_unjudged, config.max_rejected, config.allow_missing_evidence)


def run_nightly(config: NightlyConfig) -> int:
    """Run the job and return its exit code: 0 ok, 1 an identity is broken, 2 bad input, 3 the coverage gate tripped or an
    expectation that stops was not met.

    Raises UsageError where no file matches or the run directory exists already, RunBroken where the job broke off.
    """
    answers, evidence = find_files(config.answers, "answers"), find_files(config.evidence, "evidence")
    earlier = earlier_run(config.output, config.run_id, config.previous)
    pipeline = make_pipeline(config.beam_args)
    _prepare_folder(config)
    checker = CheckerConfig(config.checker, config.batch_size, config.threads, config.device, offline=not config.hub)
    paths = {
        "answers": pipeline | "AnswerFiles" >> beam.Create(answers),
        "evidence": pipeline | "EvidenceFiles" >> beam.Create(evidence),
    }
    (
        paths
        | "MeasureCitations" >> MeasureCitations(config, checker)
        | "PublishRun" >> PublishRun(config, _about(config, answers, evidence), earlier)
    )
    try:
        pipeline.run().wait_until_finish()
    except Exception as error:
        # The gate raises so that a remote job fails too; here its reasons are at hand.
        if not FileSystems.exists(FileSystems.join(config.folder, FAILED)):
            raise RunBroken(config.folder) from error
    return exit_code(config.folder)


def _about(config: NightlyConfig, answers: list[str], evidence: list[str]) -> dict[str, Any]:
    calibration = config.calibration
    return {
        "run_id": config.run_id,
        "started_at": config.started_at.isoformat(timespec="seconds"),
        "nearmiss": package_version(),
        "answers": answers,
        "evidence": evidence,
        "as_of": config.as_of.isoformat() if config.as_of else "latest answered_at",
        "checker": calibration.named(checker_name(config.checker)),
        "thresholds": calibration.thresholds,
        "parts": list(calibration.parts),
        "calibrated_on": list(calibration.fitted_on),
        "splitter": splitter_name(config.parser),
        "markers": list(config.markers),
        "rules": {"families": RULES, "siblings": exposure.RULES, "observations": conflicts.RULES},
        "slices": [",".join(names) for names in config.slices],
        "gate": _gate(config)._asdict(),
        "further": {"claims": config.further_claims, "spans": config.further_spans},
        "record": config.record or None,
        "expectations": config.expectations or None,
        "redacted": _redacted(config.redaction),
        "verdict_store": config.verdict_store or None,
        "notes": [*NOTES, *_assumptions(config.calibration_record)],
    }


def _redacted(redaction: Redaction | None) -> dict[str, Any] | None:
    if redaction is None:
        return None
    patterns = [*redaction.patterns, *redaction.regexes]
    return {"fields": list(redaction.fields), "patterns": patterns, "key_id": redaction.key_id}


def _assumptions(record: CalibrationRecord | None) -> list[str]:
    if record is None:
        return [UNCORRECTED]
    return list(dict.fromkeys(sentence for error in record.errors for sentence in assumptions(error)))


def package_version() -> str:
    """The installed version, or `source` where the package is not installed."""
    try:
        return version("nearmiss")
    except PackageNotFoundError:
        return "source"


def _prepare_folder(config: NightlyConfig) -> None:
    # A bucket has no folders: what counts is whether something lies under the name.
    patterns = [FileSystems.join(config.folder, "*"), FileSystems.join(config.folder, DATA_DOCS, "*")]
    there = [found.path for match in FileSystems.match(patterns) for found in match.metadata_list]
    if there and not config.overwrite:
        raise UsageError(
            f"the run directory exists already: {config.folder}; choose another --run-id, or --overwrite when no run is at work"
        )
    try:
        if there:
            FileSystems.delete(there)
        if not FileSystems.exists(config.folder):
            FileSystems.mkdirs(config.folder)
        # A run may judge for long before its first table: a second one of its id is to find something.
        write_bytes(FileSystems.join(config.folder, STARTED), f"{config.started_at.isoformat()}\n".encode())
    except OSError as error:
        raise UsageError(f"cannot write the run directory {config.folder}: {error}; give another --output") from error


def pipeline_options(beam_args: tuple[str, ...]) -> PipelineOptions:
    """Beam's options: on this machine FnApiRunner with one worker in memory, unless told otherwise.

    With several worker threads (--direct_running_mode=multi_threading) Beam 2.77 now and then hands a starved worker bytes that are
    no elements: the run fails, or fills the memory. The checker uses the cores anyway.
    """
    local = (
        []
        if any(arg.startswith("--runner") for arg in beam_args)
        else ["--runner=FnApiRunner", "--direct_running_mode=in_memory", "--direct_num_workers=1"]
    )
    return PipelineOptions([*local, *beam_args])


def make_pipeline(beam_args: tuple[str, ...]) -> beam.Pipeline:
    """A pipeline with the runner that was asked for; raises UsageError where there is none."""
    try:
        return beam.Pipeline(options=pipeline_options(beam_args))
    except (ValueError, ImportError, AttributeError) as error:
        raise UsageError(f"no such runner: {' '.join(beam_args)}: {error}") from error


def exit_code(folder: str) -> int:
    """Read a run's outcome from its directory."""
    failures = read_failures(folder)
    for failure in failures:
        log.error("%s", failure["message"])
    return min((EXIT_CODES[failure["kind"]] for failure in failures), default=0)
