"""The flagged sample: the same whatever the order, urgent pairs first."""

from __future__ import annotations

import itertools

import pytest
from builders import verdict
from hypothesis import given
from hypothesis import strategies as st

from transforms.flagging import Sampled, SmallestLots, failures, priority

LOTS = [((i % 3, f"{i:02d}"), Sampled("other", verdict(f"e{i}"))) for i in range(12)]


@given(st.permutations(LOTS), st.lists(st.integers(0, 12), max_size=4), st.integers(1, 13))
def test_a_sample_does_not_depend_on_how_it_is_merged(order, cuts, size):
    combine = SmallestLots(size)

    def reduce(part):
        accumulator = combine.create_accumulator()
        for lot in part:
            accumulator = combine.add_input(accumulator, lot)
        return accumulator

    parts = [reduce(order[start:end]) for start, end in itertools.pairwise([0, *sorted(cuts), len(order)])]
    assert combine.extract_output(combine.merge_accumulators(parts)) == sorted(LOTS)[:size]
    assert combine.extract_output(combine.merge_accumulators(parts[::-1])) == sorted(LOTS)[:size]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"label": "contradiction", "p_entailment": 0.4, "text_changed": True}, 0),
        ({"text_changed": True, "p_entailment": 0.05}, 1),
        ({"now_status": "retracted", "p_entailment": 0.4}, 1),
        ({"now_status": "current", "text_changed": False, "p_entailment": 0.1}, 2),
        ({"status": "dangling", "label": None}, 2),
        ({"p_entailment": 0.1001}, 3),
    ],
)
def test_contradictions_come_first_then_sources_that_moved_then_sure_failures(fields, expected):
    assert priority(verdict(**fields)) == expected


def test_only_failed_edges_are_drawn_once_a_family():
    assert [key for key, _ in failures(verdict(mismatch_families=["scope", "date"]))] == [
        ("scope", "judged", "a1"),
        ("date", "judged", "a1"),
    ]
    assert [key for key, _ in failures(verdict(status="dangling", label=None))] == [("other", "dangling", "a1")]
    for spared in (
        verdict(supported=True),
        verdict(status="unjudged", label=None),
        verdict(joint=True),
        verdict(status="abstained", label=None),
    ):
        assert list(failures(spared)) == []
