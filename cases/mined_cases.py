"""Write proposals as cases in the format of cases/suite.py: loadable at once, marked for a person to word and accept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from cases.alignment import changed_words, similarity
from cases.mining import Difference
from cases.mutations import Mutation, mutate, pick
from cases.mutations.record import words as word_list

_HEAD = """\
# Proposals of `mine`, for a person to review: the format stands at the head of cases/suite.py.
# The claim is the supporting sentence itself and the question is a template: word both as a user would, then take these notes out.
"""
# An aggregation pair needs a single case that fits the claim; where the documents hold none, a person writes it here.
_NO_INSTANCE = "(To be written by the reviewer: a single case that fits the claim.)"
_ATTRIBUTES = {
    "unit": "unit",
    "version": "version",
    "group": "audience",
    "opposite": "direction",
    "deny": "negation",
    "condition": "condition",
}
_OTHERWISE = {
    "scope": "region",
    "date": "date",
    "quantity": "value",
    "entity": "name",
    "polarity": "negation",
    "modality": "modal",
    "aggregation": "quantifier",
}
_SUBJECT_ENDS = frozenset(
    word_list(
        """is are was were be has have had does do did will would can could may might must shall should not never no for in on at by
        to from with of that which who when if"""
    )
)
OVERVIEW = tuple(
    word_list(
        """case_id family origin form written similarity attribute words other_words governed_attribute governed_words
        other_governed_words supports resembles supports_id resembles_id"""
    )
)
_WIDTH = 132
_MIN_SPAN_WORDS = 4
# A clause or phrase that opens with these comes before the subject.
_LEADS = frozenset(word_list("if when unless once in on at for with before after since until by to from while during"))


class Source(NamedTuple):
    """A sentence as a chunk: `text` is what is shown, `sentence` the sentence alone, without the headings in front of it."""

    chunk_id: str
    doc_id: str
    text: str
    sentence: str


class Proposal(NamedTuple):
    """A near miss with what a case needs; `found` tells a natural one from one that cases.mutations made, `instruction` a sentence
    without a subject: what it speaks of may stand elsewhere."""

    differs: tuple[Difference, ...]
    supports: Source
    resembles: Source
    similarity: float
    found: bool = True
    instruction: bool = False
    beside: tuple[Source, ...] = ()
    instance: Source | None = None

    @property
    def family(self) -> str:
        """The family of the pair: that of the attribute that governs."""
        return self.differs[0].family

    @property
    def origin(self) -> str:
        """The origin as the suite counts it: mutated has one attribute, mined also what it governs, whoever wrote the sentences."""
        return "mutated" if len(self.differs) == 1 else "mined"

    @property
    def case_id(self) -> str:
        """An id from the two sentences and where they stand."""
        parts = (self.supports.chunk_id, self.supports.text, self.resembles.chunk_id, self.resembles.text)
        digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=5).hexdigest()
        return f"{'found' if self.found else 'made'}-{self.family}-{digest}"


def cases_text(proposals: Iterable[Proposal]) -> str:
    """The proposals of one family as a suite file."""
    return "\n".join((_HEAD, *map(_case_text, proposals)))


def _case_text(proposal: Proposal) -> str:
    kind = "found in the evidence" if proposal.found else "one sentence found, the other made of it"
    note = f"# review: {kind}, similarity {proposal.similarity:.2f}"
    note += "; of what is it said?" if proposal.instruction else ""
    if proposal.family == "aggregation":
        note += "; does the instance fit the claim?" if proposal.instance else "; the instance is to be written"
    return f"{note}\n{yaml.safe_dump([_case(proposal)], sort_keys=False, allow_unicode=True, width=_WIDTH)}"


def _case(proposal: Proposal) -> dict[str, Any]:
    cited = [("supports", proposal.supports, 0), ("resembles", proposal.resembles, 1)]
    chunks = [{role: one.chunk_id, "text": one.text, "span": _span(proposal, one, side)} for role, one, side in cited]
    if proposal.family == "aggregation":
        one = proposal.instance or Source(f"{proposal.case_id}-instance", "", _NO_INSTANCE, _NO_INSTANCE)
        chunks.append({"instance": one.chunk_id, "text": one.text, "span": one.text})
    chunks += [{"beside": one.chunk_id, "text": one.text} for one in proposal.beside]
    return {
        "id": proposal.case_id,
        "question": question(proposal.supports.sentence),
        "claim": proposal.supports.sentence,
        "origin": proposal.origin,
        "differs": {one.attribute: list(one.words) for one in proposal.differs},
        # The answer must not always stand first.
        "context": sorted(chunks, key=lambda chunk: _place(proposal.case_id, chunk["text"])),
    }


def _place(case_id: str, text: str) -> int:
    return pick(range(1 << 30), case_id, text)


def _span(proposal: Proposal, source: Source, side: int) -> str:
    """The cited words: for a governing attribute those beside it, as generators clip them; else the sentence."""
    sentence, words = source.sentence, proposal.differs[0].words[side]
    start = sentence.find(words)
    if proposal.family in ("scope", "date", "entity") and start >= 0:
        parts = [sentence[:start], sentence[start + len(words) :]]
        part = max(parts, key=len).strip(" ,.;:()\"'")
        if len(part.split()) >= _MIN_SPAN_WORDS and source.text.count(part) == 1:
            return part
    return sentence if source.text.count(sentence) == 1 else source.text


def overview(one: Proposal, written: bool) -> tuple[str, ...]:
    """One row of the overview, in the columns of OVERVIEW; `written` where it became a case."""
    governs = one.differs[0]
    governed = one.differs[1] if len(one.differs) > 1 else Difference("", "", ("", ""))
    return (
        one.case_id,
        one.family,
        "found" if one.found else "made",
        "instruction" if one.instruction else "statement",
        "yes" if written else "no",
        f"{one.similarity:.4f}",
        governs.attribute,
        *governs.words,
        governed.attribute,
        *governed.words,
        one.supports.text,
        one.resembles.text,
        one.supports.chunk_id,
        one.resembles.chunk_id,
    )


def question(sentence: str) -> str:
    """Ask for the matter of a sentence, by the words before its verb.

    >>> question("Audit logs in us-east-1 are kept for 30 days.")
    'What does the document say about audit logs in us-east-1?'
    """
    head, _, rest = sentence.rstrip(".!?").partition(", ")
    words = (rest if rest and head.split()[0].lower() in _LEADS else sentence.rstrip(".!?")).split()
    last = next((i for i, word in enumerate(words) if i and word.lower() in _SUBJECT_ENDS - {"in", "of", "for"}), 6)
    subject = " ".join(words[: min(last, 10)]).strip(" ,;:\"'()")
    first, _, second = subject.partition(" ")
    small = first in ("The", "A", "An") or (first[1:].islower() and not second[:1].isupper())
    return f"What does the document say about {first.lower() if small else first}{' ' + second if second else ''}?"


def made_proposals(sources: Sequence[Source], names: Mapping[str, Sequence[str]], limit: int) -> Iterator[Proposal]:
    """Give up to `limit` pairs a family that cases.mutations makes of `sources`, each sentence used once, in an order of chance
    that is the same every time."""
    taken = dict.fromkeys(_OTHERWISE, 0)
    for source in sorted(sources, key=lambda one: (pick(range(1 << 30), one.text), one)):
        options = [one for one in mutate(source.sentence, names) if one.relation in ("unsupported", "contradiction")]
        options = [one for one in options if taken[one.family] < limit]
        if options:
            # The family with the fewest pairs first.
            one = min(options, key=lambda one: (taken[one.family], pick(range(1 << 30), one.text)))
            taken[one.family] += 1
            yield _made(source, one)
        if min(taken.values()) == limit:
            return


def _made(source: Source, one: Mutation) -> Proposal:
    attribute = _ATTRIBUTES.get(one.operator, _OTHERWISE[one.family])
    if one.operator == "place" and one.before.islower() and not one.before.endswith("ern"):
        attribute = "audience"
    lead = source.text[: len(source.text) - len(source.sentence)]
    changed = Source(f"{source.chunk_id}~changed", source.doc_id, lead + one.text, one.text)
    words = changed_words(source.sentence, one.text)
    differs = (Difference(one.family, attribute, words),)
    return Proposal(differs, source, changed, similarity(source.sentence, one.text), found=False)
