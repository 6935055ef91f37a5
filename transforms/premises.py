"""Widen a cited span to the premise that it is judged by: whole sentences, with the words that scope them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.evidence import Evidence
from schemas.verdicts import Verdict
from transforms.evidence import JoinedEdge
from transforms.overlap import token_f1
from transforms.sentences import sentence_bounds
from transforms.tables import register_rows

WINDOW_SENTENCES = 3
MAX_WINDOWS = 5_000
MAX_SENTENCE_WORDS = 150
MAX_PREMISE_WORDS = 300

# A sentence that says for whom or where the sentences after it hold.
_SCOPING = re.compile(
    r"^(?:unless otherwise|for the purposes? of|the following|all of the following|(?:this|these|the next)\s+"
    r"(?:section|page|chapter|table|policy|rules?|values?|figures?|limits?|terms?|prices?|paragraphs?)\b[^.]*\b(?:appl|cover|hold|concern|describe|refer|valid))"
    r"|:\s*$",
    re.IGNORECASE,
)


class Premise(NamedTuple):
    """What a claim is held against: characters [start, end) of the passage, and their text with its scope in front."""

    start: int
    end: int
    text: str

    @property
    def lead(self) -> int:
        """How many characters of the text scope the passage's own words behind them."""
        return max(0, len(self.text) - (self.end - self.start))


class Pair(NamedTuple):
    """A claim with the premises of one passage: the unit that is judged once, wherever it occurs."""

    pair_id: str
    hypothesis: str
    premises: tuple[Premise, ...]


class PendingEdge(NamedTuple):
    """An edge on its way to a verdict: `pair_id` names the pair that decides it, null where there is nothing to judge; `bounds`
    are the places of the pair's premises in this edge's own passage."""

    pair_id: str | None
    verdict: Verdict
    bounds: tuple[tuple[int, int], ...] = ()


register_rows(Premise, Pair, Verdict, PendingEdge)


def widen_premises(evidence: Evidence, claim: str = "", most: int = MAX_WINDOWS) -> tuple[Premise, ...]:
    """Cut the premises of a passage.

    A span widens to the sentences that hold it: one premise, or its windows where that outgrows the checker. A whole passage gives
    every window of one to three sentences, so that text appended to it only adds windows; beyond `most` windows (5,000) those that
    share most words with `claim` stay. Every premise carries `context` and the last sentence before it that scopes what follows.

    >>> passage = "These limits apply to us-east-1 only. Logs are kept for 30 days. Metrics too."
    >>> widen_premises(Evidence("e", "1", "d", passage, "current", span_start=55, span_end=62))[0].text
    'These limits apply to us-east-1 only. Logs are kept for 30 days.'
    """
    text = evidence.text or ""
    bounds = list(_bounded(text))
    if evidence.span_start is not None and evidence.span_end is not None:
        held = [i for i, (start, end) in enumerate(bounds) if start < evidence.span_end and end > evidence.span_start]
        whole = sum(len(text[start:end].split()) for start, end in bounds[held[0] : held[-1] + 1]) if held else 0
        ranges = [(held[0], held[-1] + 1)] if held and whole <= MAX_PREMISE_WORDS else _windows(held)
    else:
        ranges = _windows(range(len(bounds)))
    scopes = _scopes(text, bounds)
    premises = [_premise(evidence, bounds, scopes, first, last) for first, last in ranges]
    if len(premises) > most:
        ranked = sorted(premises, key=lambda premise: (-token_f1(premise.text, claim), premise.start, premise.end))
        premises = sorted(ranked[:most])
    return tuple(premises)


def _windows(sentences: Sequence[int]) -> list[tuple[int, int]]:
    """Every run of one to three neighbouring sentences, as [first, last)."""
    return [(i, i + size) for i in sentences for size in range(1, WINDOW_SENTENCES + 1) if i + size <= sentences[-1] + 1]


def _scopes(text: str, bounds: list[tuple[int, int]]) -> list[str | None]:
    """For each sentence the last one before it that scopes what follows."""
    scopes: list[str | None] = []
    current = None
    for start, end in bounds:
        scopes.append(current)
        if _SCOPING.search(text[start:end].strip()):
            current = text[start:end]
    return scopes


def _premise(evidence: Evidence, bounds: list[tuple[int, int]], scopes: list[str | None], first: int, last: int) -> Premise:
    start, end = bounds[first][0], bounds[last - 1][1]
    context = f"{evidence.context.strip()}:" if evidence.context and evidence.context.strip() else None
    parts = (context, scopes[first], (evidence.text or "")[start:end])
    return Premise(start, end, " ".join(part.strip() for part in parts if part))


def _bounded(text: str) -> Iterator[tuple[int, int]]:
    """Sentence bounds; one of over 150 words is cut at white space, so that few premises outgrow the checker."""
    for start, end in sentence_bounds(text):
        words = list(re.finditer(r"\S+", text[start:end]))
        for i in range(0, len(words), MAX_SENTENCE_WORDS):
            part = words[i : i + MAX_SENTENCE_WORDS]
            yield start + part[0].start(), start + part[-1].end()


def pair_of(claim: str, premises: tuple[Premise, ...]) -> Pair:
    """Name a pair by its content, so that the same question is asked once."""
    digest = hashlib.blake2b(digest_size=16)
    for text in (claim, *(f"{premise.lead} {premise.text}" for premise in premises)):
        digest.update(text.encode("utf-8", "replace") + b"\x1f")
    return Pair(digest.hexdigest(), claim, premises)


@dataclass
class WidenPremises(beam.PTransform):
    """Cut the premises of every edge that can be judged. Goes out: a dict of `edges` (pending) and `pairs`."""

    splitter: str

    def expand(self, joined: beam.PCollection[JoinedEdge]) -> dict[str, beam.PCollection]:
        widened = joined | "WidenPremise" >> beam.FlatMap(_pend, self.splitter).with_outputs("pairs", main="edges")
        return {"edges": widened.edges, "pairs": widened.pairs}


def _pend(joined: JoinedEdge, splitter: str) -> Iterator[Any]:
    verdict = pending_verdict(joined, splitter)
    if joined.status != "judged" or joined.evidence is None:
        yield PendingEdge(None, verdict)
        return
    pair = pair_of(joined.edge.claim, widen_premises(joined.evidence, joined.edge.claim))
    bounds = tuple((premise.start, premise.end) for premise in pair.premises)
    yield PendingEdge(pair.pair_id, verdict._replace(n_windows=len(pair.premises)), bounds)
    yield beam.pvalue.TaggedOutput("pairs", pair)


def pending_verdict(joined: JoinedEdge, splitter: str) -> Verdict:
    """What is known of an edge before it is judged."""
    edge, evidence, now = joined.edge, joined.evidence, joined.now
    verdict = Verdict(
        edge.answer_id,
        edge.claim_id,
        edge.sentence,
        edge.evidence_id,
        joined.version,
        joined.status,
        splitter=splitter,
        n_valid=joined.n_valid,
        exposed=list(joined.exposed),
        abstained_status=joined.abstained_status,
    )
    if evidence is not None:
        shared = ("span_start", "span_end", "source_type", "statement_kind", "valid_from", "published_at")
        verdict = verdict._replace(**{name: getattr(evidence, name) for name in shared})
    if now is not None:
        verdict = verdict._replace(
            now_status=now.status,
            superseded_by=now.superseded_by,
            text_changed=now.text_changed,
            change=now.change,
            change_families=list(now.change_families),
        )
    return verdict
