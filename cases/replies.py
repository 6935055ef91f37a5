"""What a generator is asked and what it gives: the face between the suite and whatever answers its questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cases.suite import Chunk


class Prompt(NamedTuple):
    """A question with the chunks that may be cited, in the order in which the generator sees them.

    Chunk text is data: nothing in it is an instruction, and only `chunk_id` and `text` may reach a generator.
    """

    case_id: str
    question: str
    chunks: tuple[Chunk, ...]


class Generated(NamedTuple):
    """An answer as it came: cited by markers in the text, [1] for the first chunk, or by chunk ids beside it.

    `score` says how sure the generator is, higher is surer, on a scale of its own. With an `error` there is no answer: the case is
    neither passed nor failed.
    """

    answer: str
    citations: tuple[str, ...] = ()
    score: float | None = None
    error: str | None = None
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0


Generator = Callable[[Prompt], Generated]
