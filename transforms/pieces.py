"""Cut what a model cannot read at once into overlapping pieces that it can, so that no word of a premise is lost."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

# Tokens that neighbouring pieces share: most sentences lie whole in one of the two.
OVERLAP_TOKENS = 64


def cut_pieces(tokens: int, room: int, overlap: int = OVERLAP_TOKENS) -> list[tuple[int, int]]:
    """Cut `tokens` into pieces [start, end) of at most `room` that share `overlap`, or half the room where that is less.

    Every piece but the only one is full: the last reaches back as far as it may.

    >>> cut_pieces(9, 4, 1)
    [(0, 4), (3, 7), (5, 9)]
    >>> cut_pieces(3, 4)
    [(0, 3)]
    """
    if room < 1:
        raise ValueError(f"no room for the premise: room={room}; shorten the claim")
    step = room - min(overlap, room // 2)
    starts = range(0, max(1, tokens - room + step), step)
    return [(min(start, max(0, tokens - room)), min(start + room, tokens)) for start in starts]


def piece_positions(encoding: Any, lead: int, limit: int) -> list[list[int]]:
    """The token positions of each piece of an encoded (premise, claim): claim and special tokens whole, the premise in pieces.

    Comes in: an Encoding of the tokenizers library, the number of leading characters of the premise that scope the rest, and the
    tokens that a piece may have. Every piece repeats these leading words, unless they would fill more than half of its room.
    """
    premise = [i for i, side in enumerate(encoding.sequence_ids) if side == 0]
    frame = [i for i, side in enumerate(encoding.sequence_ids) if side != 0]
    room = limit - len(frame)
    kept = sum(1 for _ in takewhile(lambda i: encoding.offsets[i][1] <= lead, premise)) if lead else 0
    if kept > room // 2:
        kept = 0
    body = premise[kept:]
    return [sorted((*frame, *premise[:kept], *body[start:end])) for start, end in cut_pieces(len(body), room - kept)]
