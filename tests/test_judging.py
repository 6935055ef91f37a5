"""Pairs are judged once and fanned out; a poison pair costs only itself."""

from __future__ import annotations

import apache_beam as beam
import pytest
from apache_beam.ml.inference.base import ModelHandler
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import evidence, verdict
from hypothesis import given
from hypothesis import strategies as st

from transforms.entailment import JudgedWindow, Probabilities, WindowToJudge, length_sorted_batches
from transforms.judging import DecidePair, JudgedPair, JudgePairs, JudgeUnique, PairVerdict, finish_verdict
from transforms.premises import PendingEdge, pair_of, widen_premises
from transforms.support import KINDS, PARTS, Calibration, Features, Fit

CALLS: list[str] = []


class FakeHandler(ModelHandler):
    """Entails where the premise holds the hypothesis, or every part of it between "and", word for word; contradicts where it holds
    the hypothesis but for "not"; fails on the word poison."""

    def load_model(self):
        return None

    def run_inference(self, batch, model, inference_args=None):
        return [[self._judge(window) for window in windows] for windows in batch]

    def _judge(self, window):
        CALLS.append(window.pair_id)
        if "poison" in window.premise:
            return JudgedWindow(window, None, "ValueError: poison")
        held = all(part in window.premise for part in window.hypothesis.split(" and "))
        denied = not held and " not" in window.hypothesis and window.hypothesis.replace(" not", "") in window.premise
        p = Probabilities(0.9, 0.1, 0.0) if held else Probabilities(0.1, 0.1, 0.8) if denied else Probabilities(0.2, 0.7, 0.1)
        return JudgedWindow(window, p, None, pieces=2 if window.premise.startswith("Nothing here. Logs") else 1)

    def batch_elements_kwargs(self):
        return {"min_batch_size": 1, "max_batch_size": 1}


def pend(pair, evidence_id):
    return PendingEdge(pair.pair_id, verdict(evidence_id), tuple((premise.start, premise.end) for premise in pair.premises))


def test_each_pair_is_judged_once_and_every_edge_gets_its_verdict():
    CALLS.clear()
    two = pair_of("Logs are kept", widen_premises(evidence(text="Nothing here. Logs are kept for 30 days.")))
    poison = pair_of("Logs are kept", widen_premises(evidence(text="A poison. Logs are kept for 30 days.")))
    edges = [
        pend(two, "e1"),
        pend(two, "e2"),
        pend(poison, "e3"),
        PendingEdge(None, verdict("e4", status="dangling")),
    ]
    with _TestPipeline() as pipeline:
        tables = {"edges": pipeline | "Edges" >> beam.Create(edges), "pairs": pipeline | "Pairs" >> beam.Create([two, two, poison])}
        judged = tables | JudgePairs(JudgeUnique(FakeHandler(), Calibration.identity()), "fake")
        found = judged["verdicts"] | beam.Map(
            lambda one: (one.evidence_id, one.status, one.supported, one.p_entailment, one.premise_start)
        )
        assert_that(
            found,
            equal_to(
                [
                    ("e1", "judged", True, 0.9, 0),
                    ("e2", "judged", True, 0.9, 0),
                    ("e3", "unjudged", False, None, None),
                    ("e4", "dangling", False, None, None),
                ]
            ),
            label="Verdicts",
        )
        rejects = judged["rejects"] | beam.Map(lambda one: (one.reason, one.record_id, one.n_rows))
        assert_that(rejects, equal_to([("judging_failed", poison.pair_id, 0)]), label="Rejects")
        counts = judged["counts"] | beam.CombinePerKey(sum)
        assert_that(
            counts,
            equal_to(
                [("pairs.unique", 2), ("pairs.windows", 6), ("pairs.windows_split", 1), ("pairs.judged", 1), ("pairs.failed", 1)]
            ),
            label="Counts",
        )
    assert sorted(CALLS) == sorted([two.pair_id, poison.pair_id] * 3)


def calibration(parts):
    subsets = ((), ("attributes",), ("coverage",), PARTS)
    thresholds = {"sentence": 0.95, "window": 0.85}
    fits = {
        (kind, subset): Fit(0, Features(1, 0, -2 if "attributes" in subset else 0, 0, 0), thresholds[kind])
        for kind in KINDS
        for subset in subsets
    }
    return Calibration(fits, parts)


# The checker entails both sentences alike; only the attributes tell "may" from the plain statement: 0.9 is odds of 9, e ** -2 of
# them leave 0.5491.
@pytest.mark.parametrize(
    ("parts", "several", "hedged"),
    [
        (PARTS, (42, 0.9, 0.1, 0.85, True), (0, 0.5491, 0.4509, 0.95, False)),
        ((), (0, 0.9, 0.1, 0.85, True), (0, 0.9, 0.1, 0.95, False)),
    ],
)
def test_the_calibrated_score_decides_the_window_and_each_kind_has_its_threshold(parts, several, hedged):
    claim, hedge = "Logs are kept for 30 days", "It may be that Logs are kept for 30 days."
    pairs = {
        "several": pair_of(claim, widen_premises(evidence(text=f"{hedge} Logs are kept for 30 days."))),
        "hedged": pair_of(claim, widen_premises(evidence(text=hedge))),
    }
    with _TestPipeline() as pipeline:
        edges = [pend(pair, name) for name, pair in pairs.items()]
        tables = {"edges": pipeline | "Edges" >> beam.Create(edges), "pairs": pipeline | "Pairs" >> beam.Create(pairs.values())}
        verdicts = (tables | JudgePairs(JudgeUnique(FakeHandler(), calibration(parts)), "fake"))["verdicts"]
        found = verdicts | beam.Map(
            lambda one: (one.evidence_id, (one.premise_start, one.p_entailment, one.p_neutral, one.threshold, one.supported))
        )
        assert_that(found, equal_to([("several", several), ("hedged", hedged)]))


def test_the_first_of_the_likeliest_windows_decides_however_they_are_merged():
    windows = [PairVerdict(i, Probabilities(p, 1 - p, 0.0), None) for i, p in enumerate((0.2, 0.8, 0.8, 0.1))]

    @given(st.permutations(windows), st.integers(0, 4))
    def check(order, cut):
        combine = DecidePair()
        parts = []
        for part in (order[:cut], order[cut:]):
            accumulator = combine.create_accumulator()
            for window in part:
                accumulator = combine.add_input(accumulator, window)
            parts.append(accumulator)
        assert combine.extract_output(combine.merge_accumulators(parts)) == windows[1]

    check()


@pytest.mark.parametrize(("p", "supported"), [(0.5, True), (0.4999, False), (1.0, True)])
def test_the_threshold_itself_is_support(p, supported):
    pair = pair_of("Logs are kept for 30 days", widen_premises(evidence(text="Logs are kept for 7 days.")))
    pending = PendingEdge(pair.pair_id, verdict(), ((40, 65),))
    judged = JudgedPair(pair, PairVerdict(0, Probabilities(p, 1 - p, 0.0), None))
    found = finish_verdict(pending, judged, {"sentence": 0.5, "window": 0.9}, "fake")
    assert (found.premise_start, found.premise_end) == (40, 65)
    assert (found.supported, found.mismatch) == (supported, None if supported else "quantity: 30 days against 7 days")


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=30), st.randoms())
def test_the_same_windows_always_form_the_same_batches(texts, random):
    windows = [WindowToJudge(f"p{i}", 0, premise, hypothesis) for i, (premise, hypothesis) in enumerate(texts)]
    shuffled = random.sample(windows, len(windows))
    batches = list(length_sorted_batches(windows, 4))
    assert batches == list(length_sorted_batches(shuffled, 4))
    assert sorted(window for batch in batches for window in batch) == sorted(windows)
