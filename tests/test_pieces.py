"""Pieces of a premise: all of it, each within the room, neighbours overlapping."""

from __future__ import annotations

from itertools import pairwise

import pytest
from builders import evidence
from hypothesis import given
from hypothesis import strategies as st

from transforms.pieces import cut_pieces
from transforms.premises import Premise, pair_of, widen_premises


@pytest.mark.parametrize(
    ("tokens", "room", "overlap", "pieces"),
    [
        (0, 5, 2, [(0, 0)]),
        (5, 5, 2, [(0, 5)]),
        (6, 5, 2, [(0, 5), (1, 6)]),
        (11, 5, 2, [(0, 5), (3, 8), (6, 11)]),
        (12, 4, 64, [(0, 4), (2, 6), (4, 8), (6, 10), (8, 12)]),
        (3, 1, 64, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_pieces(tokens, room, overlap, pieces):
    assert cut_pieces(tokens, room, overlap) == pieces


@given(st.integers(0, 3_000), st.integers(1, 600), st.integers(0, 100))
def test_nothing_is_lost_and_all_but_the_only_piece_are_full(tokens, room, overlap):
    pieces = cut_pieces(tokens, room, overlap)
    assert (pieces[0][0], pieces[-1][1]) == (0, tokens)
    assert all(end - start == min(room, tokens) for start, end in pieces)
    assert all(end - start >= min(overlap, room // 2) and a < start for (a, end), (start, _) in pairwise(pieces))


def test_no_room_is_an_error():
    with pytest.raises(ValueError, match="no room for the premise: room=0"):
        cut_pieces(5, 0)


def test_the_lead_of_a_premise_is_its_context_and_scope():
    passage = evidence(text="This section applies to Riga. Logs are kept. Metrics too.", context="Retention")
    premises = widen_premises(passage)
    assert [premise.text[premise.lead :] for premise in premises] == [(passage.text or "")[p.start : p.end] for p in premises]
    assert {premise.text[: premise.lead] for premise in premises} == {"Retention: ", "Retention: This section applies to Riga. "}


def test_the_same_text_with_another_lead_is_another_pair():
    """Else either could stand for both, and a long premise would be cut now here, now there."""
    pairs = [pair_of("Logs are kept", (Premise(start, 20, "Riga: logs are kept."),)) for start in (0, 6)]
    assert pairs[0].pair_id != pairs[1].pair_id
