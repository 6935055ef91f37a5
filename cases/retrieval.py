"""What retrieval finds and what answers make of it: recall at k, citation presence, support and coverage against gold facts.

The shipped archive (`archive.yaml`) shows why no one of them stands for another. All figures run from 0 to 1, and none is given
without a denominator: then it is None, never 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

import yaml


class Document(NamedTuple):
    """One document of an archive, short enough to be one passage."""

    doc_id: str
    title: str
    text: str


class GoldFact(NamedTuple):
    """Something that a complete answer says; each set of documents in `evidence` suffices, and is needed as a whole."""

    fact_id: str
    text: str
    evidence: tuple[frozenset[str], ...]


class CitedClaim(NamedTuple):
    """A claim of an answer, labelled: whether what it cites establishes it, and which fact it states (None: none)."""

    text: str
    citations: tuple[str, ...]
    supported: bool
    states: str | None = None


class Archive(NamedTuple):
    """One question over a few documents: what is needed, what was found, and answers by name."""

    question: str
    documents: tuple[Document, ...]
    facts: tuple[GoldFact, ...]
    needed: frozenset[str]
    ranking: tuple[str, ...]
    answers: Mapping[str, tuple[CitedClaim, ...]]


class AnswerFigures(NamedTuple):
    """The figures of one answer; an answer without claims is an abstention."""

    abstained: bool
    presence: float | None
    support: float | None
    coverage: float | None


def load_archive() -> Archive:
    """Load the shipped archive.

    >>> archive = load_archive()
    >>> (archive.ranking, sorted(archive.needed), sorted(archive.answers))
    (('D2', 'D4', 'D1', 'D3'), ['D1', 'D3'], ['A', 'B', 'C'])
    """
    rows = yaml.safe_load((resources.files("cases") / "archive.yaml").read_text(encoding="utf-8"))
    return Archive(
        question=rows["question"],
        documents=tuple(Document(row["id"], row["title"], row["text"]) for row in rows["documents"]),
        facts=tuple(GoldFact(row["id"], row["text"], tuple(map(frozenset, row["evidence"]))) for row in rows["facts"]),
        needed=frozenset(rows["needed"]),
        ranking=tuple(rows["ranking"]),
        answers={
            name: tuple(CitedClaim(**{**claim, "citations": tuple(claim["citations"])}) for claim in claims)
            for name, claims in rows["answers"].items()
        },
    )


def share(part: int, whole: int) -> float | None:
    """Return part / whole, None where there is no whole.

    >>> (share(1, 4), share(0, 0))
    (0.25, None)
    """
    return part / whole if whole else None


# --- retrieval --------------------------------------------------------------------------------------------------------------------


def document_recall(
    ranking: Sequence[str], needed: Collection[str], k: int, documents: Collection[str] | None = None
) -> float | None:
    """Return the needed documents among the first k / needed documents; None where none is needed.

    A ranking may be shorter than k or leave documents out. Raises ValueError for k < 1, for a document that is ranked twice and,
    where the ids of all `documents` are given, for ids that are not among them.

    >>> document_recall(["D2", "D4", "D1", "D3"], {"D1", "D3"}, 3)
    0.5
    """
    _check(_ranking_faults(ranking, needed, k, documents))
    return share(len(set(needed) & set(ranking[:k])), len(set(needed)))


def fact_recall(
    ranking: Sequence[str], facts: Sequence[GoldFact], k: int, documents: Collection[str] | None = None
) -> float | None:
    """Return the facts found among the first k documents / facts; None without facts.

    A fact is found when all documents of one of its evidence sets are there. Raises ValueError as document_recall does, and for
    facts with one id or an empty evidence set.

    >>> facts = [GoldFact("x", "x", (frozenset({"D1"}),)), GoldFact("y", "y", (frozenset({"D1", "D3"}),))]
    >>> fact_recall(["D2", "D1", "D3"], facts, 2)
    0.5
    """
    named = {doc_id for fact in facts for one in fact.evidence for doc_id in one}
    _check([*_ranking_faults(ranking, named, k, documents), *_fact_faults(facts)])
    first = set(ranking[:k])
    return share(sum(any(one <= first for one in fact.evidence) for fact in facts), len(facts))


def _ranking_faults(ranking: Sequence[str], named: Collection[str], k: int, documents: Collection[str] | None) -> Iterator[str]:
    if k < 1:
        yield f"k is less than 1: {k}; ask for the first 1 or more documents"
    twice = [doc_id for doc_id, n in Counter(ranking).items() if n > 1]
    yield from (f"document is ranked more than once: {doc_id!r}; keep its best rank" for doc_id in twice)
    unknown = [] if documents is None else sorted({*ranking, *named} - set(documents))
    yield from (f"unknown document: {doc_id!r}; use one of {', '.join(sorted(documents or ()))}" for doc_id in unknown)


def _fact_faults(facts: Sequence[GoldFact]) -> Iterator[str]:
    twice = [fact_id for fact_id, n in Counter(fact.fact_id for fact in facts).items() if n > 1]
    yield from (f"fact stands more than once: {fact_id!r}; rename all but one" for fact_id in twice)
    unproved = [fact.fact_id for fact in facts if not fact.evidence or not all(fact.evidence)]
    yield from (f"fact has an empty evidence set: {fact_id!r}; name the documents that it needs" for fact_id in unproved)


def _check(faults: Iterable[str]) -> None:
    if found := list(faults):
        raise ValueError("\n".join(found))


# --- answers ----------------------------------------------------------------------------------------------------------------------


def citation_presence(claims: Sequence[CitedClaim]) -> float | None:
    """Return the claims that cite anything / claims; None without claims. It says nothing about what the citations are worth.

    >>> citation_presence([CitedClaim("Logs rot.", ("D1",), False), CitedClaim("Logs burn.", (), False)])
    0.5
    """
    return share(sum(bool(claim.citations) for claim in claims), len(claims))


def support(claims: Sequence[CitedClaim]) -> float | None:
    """Return the claims that their citations establish / claims that cite anything; None where none does.

    A claim without a citation is a matter of presence and coverage, not of support.

    >>> support([CitedClaim("Logs rot.", ("D1",), True), CitedClaim("Logs burn.", ("D1",), False)])
    0.5
    """
    cited = [claim for claim in claims if claim.citations]
    return share(sum(claim.supported for claim in cited), len(cited))


def fact_coverage(claims: Sequence[CitedClaim], facts: Sequence[GoldFact]) -> float | None:
    """Return the facts that a claim states and its citations establish / facts; None without facts, 0 for an empty answer.

    Raises ValueError for a claim that states an unknown fact, and for facts with one id or an empty evidence set.

    >>> fact_coverage([CitedClaim("x", ("D1",), True, "x")], [GoldFact(name, name, (frozenset({"D1"}),)) for name in "xy"])
    0.5
    """
    known = {fact.fact_id for fact in facts}
    unknown = sorted({claim.states for claim in claims if claim.states is not None} - known)
    faults = [f"claim states an unknown fact: {name!r}; use one of {', '.join(sorted(known))}" for name in unknown]
    _check([*_fact_faults(facts), *faults])
    established = {claim.states for claim in claims if claim.citations and claim.supported}
    return share(len(known & established), len(known))


def answer_figures(claims: Sequence[CitedClaim], facts: Sequence[GoldFact]) -> AnswerFigures:
    """Return the figures of one answer; an empty one has abstained: presence and support are undefined, and it covers nothing.

    >>> answer_figures([], [GoldFact("x", "x", (frozenset({"D1"}),))])
    AnswerFigures(abstained=True, presence=None, support=None, coverage=0.0)
    """
    return AnswerFigures(not claims, citation_presence(claims), support(claims), fact_coverage(claims, facts))
