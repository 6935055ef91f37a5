"""Judge pairs: each distinct pair once, in batches that the same pairs always form, then fanned out to its edges."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.ml.inference.base import ModelHandler, RunInference

from schemas.rejects import Reject
from schemas.stores import StoredVerdict
from schemas.verdicts import Verdict
from transforms.entailment import JudgedWindow, Probabilities, WindowToJudge, length_sorted_batches
from transforms.families import compare
from transforms.premises import Pair, PendingEdge
from transforms.store import LookUp, Store
from transforms.support import Calibration, kind_of
from transforms.tables import register_rows, stable_hash

# Few groups keep batches of similar length; as many as these keep one group in memory at ten million windows.
GROUPS = 16


class PairVerdict(NamedTuple):
    """What the checker says of a pair: the window that decides, or the error that kept it from being judged."""

    window: int
    probabilities: Probabilities | None
    error: str | None


register_rows(PairVerdict)


def decide(first: PairVerdict, second: PairVerdict) -> PairVerdict:
    """Of two windows of one pair, the one that decides: an error before any verdict, then the likelier to entail, then the earlier.

    A pair with a window that could not be judged is not judged at all: the missing one might have been the support.
    """
    return min(
        first, second, key=lambda one: (one.error is None, -(one.probabilities.entailment if one.probabilities else 0), one.window)
    )


class DecidePair(beam.CombineFn):
    """Reduce the windows of a pair to the one that decides."""

    def create_accumulator(self) -> PairVerdict | None:
        return None

    def add_input(self, accumulator: PairVerdict | None, window: PairVerdict) -> PairVerdict:
        return window if accumulator is None else decide(accumulator, window)

    def merge_accumulators(self, accumulators: Iterable[PairVerdict | None]) -> PairVerdict | None:
        merged = None
        for accumulator in accumulators:
            if accumulator is not None:
                merged = self.add_input(merged, accumulator)
        return merged

    def extract_output(self, accumulator: PairVerdict | None) -> PairVerdict | None:
        return accumulator


def calibrate_window(judged: JudgedWindow, calibration: Calibration) -> PairVerdict:
    """What one window says of its pair, its probabilities those of the support score."""
    window, p = judged.window, judged.probabilities
    if p is not None:
        p = calibration.calibrated(p, window.premise, window.hypothesis, kind_of(window.n_windows))
    return PairVerdict(window.window, p, judged.error)


class JudgedPair(NamedTuple):
    """A pair with what the checker says of it."""

    pair: Pair
    verdict: PairVerdict

    def is_supported(self, thresholds: Mapping[str, float]) -> bool | None:
        """Whether the pair reaches the threshold of its kind; None where the checker failed on it."""
        p = self.verdict.probabilities
        return None if p is None else p.entailment >= thresholds[kind_of(len(self.pair.premises))]


register_rows(JudgedPair)


def finish_verdict(pending: PendingEdge, judged: JudgedPair, thresholds: Mapping[str, float], checker: str) -> Verdict:
    """Complete a pending verdict with what the checker says of its pair; a pair that it failed on is `unjudged`."""
    p, pair = judged.verdict.probabilities, judged.pair
    if p is None:
        return pending.verdict._replace(status="unjudged")
    supported = bool(judged.is_supported(thresholds))
    differences = [] if supported else compare(pair.hypothesis, pair.premises[judged.verdict.window].text)
    start, end = pending.bounds[judged.verdict.window] if pending.bounds else (None, None)
    return pending.verdict._replace(
        premise_start=start,
        premise_end=end,
        label=p.label,
        p_entailment=p.entailment,
        p_neutral=p.neutral,
        p_contradiction=p.contradiction,
        threshold=thresholds[kind_of(len(pair.premises))],
        supported=supported,
        checker=checker,
        mismatch="; ".join(f"{one.family}: {one.words}" for one in differences) or None,
        mismatch_families=[one.family for one in differences],
    )


@dataclass
class JudgeUnique(beam.PTransform):
    """Judge each distinct pair once, unless it is known already.

    Comes in: a dict of `pairs`, repeated as often as they are asked, and where there is a store `known` ((pair_id, StoredVerdict)).
    Goes out: a dict of `judged` ((pair_id, JudgedPair)), `fresh` (StoredVerdicts to keep), `rejects` (pairs that the checker failed
    on) and `counts`.
    """

    handler: ModelHandler
    calibration: Calibration
    batch_size: int = 32
    store: Store | None = None

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        unique = (
            tables["pairs"]
            | "KeyPairs" >> beam.Map(lambda pair: (pair.pair_id, pair))
            | "KeepOne" >> beam.CombinePerKey(lambda pairs: next(iter(pairs)))
        )
        known = {"known": tables["known"]} if self.store else {}
        looked = {"asked": unique, **known} | "LookUp" >> LookUp(self.store, _fits)
        windows = (
            looked["new"]
            | "CutWindows" >> beam.FlatMap(_windows)
            | "GroupWindows" >> beam.GroupByKey()
            | "FormBatches" >> beam.FlatMap(lambda group, size: length_sorted_batches(group[1], size), self.batch_size)
            | "SpreadBatches" >> beam.Reshuffle()
        )
        scored = windows | "RunChecker" >> RunInference(self.handler)
        decided = (
            scored
            | "ReadVerdicts" >> beam.FlatMap(_read_windows, self.calibration)
            | "DecidePairs" >> beam.CombinePerKey(DecidePair())
        )
        sides = {"pairs": looked["new"], "decided": decided}
        new = sides | "MeetOnPair" >> beam.CoGroupByKey() | "PutTogether" >> beam.MapTuple(_judged)
        judged = (new, looked["found"] | "JudgedBefore" >> beam.Map(_judged_before)) | "NewAndKnown" >> beam.Flatten()
        return {
            "judged": judged,
            "fresh": self._fresh(new, looked["again"]),
            "rejects": judged | "RejectFailed" >> beam.FlatMapTuple(_reject_failed),
            "counts": _counts(windows, scored, judged, looked["found"]),
        }

    def _fresh(self, new: beam.PCollection, again: beam.PCollection) -> beam.PCollection[StoredVerdict]:
        if self.store is None:
            return again
        kept = new | "KeepNew" >> beam.FlatMap(_stored, self.store.day)
        return (kept, again) | "Fresh" >> beam.Flatten()


def _fits(pair: Pair, known: StoredVerdict) -> bool:
    return known.window < len(pair.premises)


def _judged_before(found: tuple[str, Pair, StoredVerdict]) -> tuple[str, JudgedPair]:
    pair_id, pair, known = found
    p = Probabilities(known.p_entailment, known.p_neutral, known.p_contradiction)
    return pair_id, JudgedPair(pair, PairVerdict(known.window, p, None))


def _stored(keyed: tuple[str, JudgedPair], day: dt.date) -> Iterator[StoredVerdict]:
    """What is kept of a pair; a pair that the checker failed on is tried again the next night."""
    pair_id, judged = keyed
    if judged.verdict.probabilities is not None:
        yield StoredVerdict(pair_id, day, judged.verdict.window, *judged.verdict.probabilities)


@dataclass
class JudgePairs(beam.PTransform):
    """Judge the pairs of pending edges.

    Comes in: a dict of `edges` (PendingEdge) and what JudgeUnique takes. Goes out: a dict of `verdicts` (one an edge) and what it
    gives.
    """

    judge: JudgeUnique
    checker: str

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        judged = {name: table for name, table in tables.items() if name != "edges"} | "JudgeUnique" >> self.judge
        edges = tables["edges"] | "SplitPending" >> beam.ParDo(_split_pending).with_outputs("done", main="waiting")
        thresholds = self.judge.calibration.thresholds
        finished = (
            {"judged": judged["judged"], "edges": edges.waiting}
            | "MeetOnPair" >> beam.CoGroupByKey()
            | "FanOut" >> beam.FlatMap(_fan_out, thresholds, self.checker).with_output_types(Verdict)
        )
        return {**judged, "verdicts": (finished, edges.done) | "AllVerdicts" >> beam.Flatten()}


def _windows(keyed: tuple[str, Pair]) -> Iterator[tuple[int, WindowToJudge]]:
    pair_id, pair = keyed
    for i, premise in enumerate(pair.premises):
        yield (
            stable_hash(f"{pair_id}:{i}") % GROUPS,
            WindowToJudge(pair_id, i, premise.text, pair.hypothesis, premise.lead, len(pair.premises)),
        )


def _read_windows(result: Any, calibration: Calibration) -> Iterator[tuple[str, PairVerdict]]:
    for judged in _judged_windows(result):
        yield judged.window.pair_id, calibrate_window(judged, calibration)


def _judged_windows(result: Any) -> list[JudgedWindow]:
    return getattr(result, "inference", result)


def _split_pending(pending: PendingEdge) -> Iterator[Any]:
    if pending.pair_id is None:
        yield beam.pvalue.TaggedOutput("done", pending.verdict)
    else:
        yield pending.pair_id, pending


def _judged(pair_id: str, sides: dict[str, Any]) -> tuple[str, JudgedPair]:
    (pair,) = sides["pairs"]
    return pair_id, JudgedPair(pair, next(iter(sides["decided"]), PairVerdict(0, None, "the passage has no sentence")))


def _fan_out(group: tuple[str, dict[str, Any]], thresholds: Mapping[str, float], checker: str) -> Iterator[Verdict]:
    _, sides = group
    judged = next(iter(sides["judged"]))
    for pending in sides["edges"]:
        yield finish_verdict(pending, judged, thresholds, checker)


def _reject_failed(pair_id: str, judged: JudgedPair) -> Iterator[Reject]:
    if judged.verdict.error is not None:
        message = f"the checker failed on this pair: {judged.verdict.error}; what hangs from it is unjudged"
        yield Reject("judge", "judging_failed", message, "", pair_id, None, 0)


def _count_split(result: Any) -> tuple[str, int]:
    return "pairs.windows_split", sum(window.pieces > 1 for window in _judged_windows(result))


def _count_judged(_: str, judged: JudgedPair) -> list[tuple[str, int]]:
    return [("pairs.unique", 1), ("pairs.failed" if judged.verdict.error else "pairs.judged", 1)]


def _counts(
    batches: beam.PCollection, scored: beam.PCollection, judged: beam.PCollection, hits: beam.PCollection
) -> beam.PCollection:
    counted = (
        hits | "CountHits" >> beam.Map(lambda _: ("pairs.known", 1)),
        batches | "CountWindows" >> beam.Map(lambda windows: ("pairs.windows", len(windows))),
        scored | "CountSplit" >> beam.Map(_count_split),
        judged | "CountJudged" >> beam.FlatMapTuple(_count_judged),
    )
    return counted | "AllCounts" >> beam.Flatten()
