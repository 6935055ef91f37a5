"""Situations: what the literature on evaluating cited answers asks of a generator, each as one question over one context.

They stand in `situations.yaml`, one entry each:

    - id: joint-laser-badge                           # unique in the file
      kind: joint_evidence                            # one of KINDS
      question: May a new apprentice book the laser cutter?
      risk: medium                                    # what a wrong answer would cost: low, medium or high
      behaviour: answer                               # or decline
      context:                                        # what the generator is shown, in this order
        - id: workshop#8                              # unique in the situation
          text: The laser cutter may be booked by everyone who holds badge C.
          span: may be booked by everyone             # the words that are cited; once in the text; left out: the whole passage
        - id: apprentices#3
          text: Apprentices receive badge C after a month.
      claims:                                         # what a right answer says; left out where it has to decline
        - text: An apprentice with badge C may book the laser cutter.
          answer_contains: [badge C]                  # words of the claim that every right answer holds; may be left out
          evidence: [workshop#8, apprentices#3]       # chunks that must be cited, all of them
      allowed: []                                     # chunks that may be cited besides; may be left out

Whatever is neither evidence nor allowed must not be cited. A decline says why with `reason`, one of ABSTENTION_KINDS; every
`unanswerable` situation is one. Sources that conflict are answered where the context says which of them ranks, and declined as
`conflicting` where nothing decides. Orders inside a passage are text: following them is the fault that the situation is there for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from cases.suite import BEHAVIOURS, Chunk, Expectation, is_text, make_chunk, short
from schemas.claims import ABSTENTION_KINDS

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

KINDS = (
    "direct_fact",
    "joint_evidence",
    "computed_number",
    "negated_condition",
    "conflicting_sources",
    "superseded_version",
    "right_number_wrong_sentence",
    "planted_instructions",
    "unanswerable",
)
RISKS = ("low", "medium", "high")
_NEEDED = ("id", "kind", "question", "risk", "behaviour", "context")
_FIELDS = (*_NEEDED, "claims", "allowed", "reason")
_CHUNK_FIELDS = ("id", "text", "span")
_CLAIM_FIELDS = ("text", "answer_contains", "evidence")
_CHOICES = {"kind": KINDS, "risk": RISKS, "behaviour": BEHAVIOURS}


class GoldClaim(NamedTuple):
    """A claim of a right answer: words that the answer must hold, and the chunks that establish it, each needed."""

    text: str
    answer_contains: tuple[str, ...]
    evidence: tuple[str, ...]


class Situation(NamedTuple):
    """One question over one context; `reason` says why it has to be declined and is None where it has an answer."""

    id: str
    kind: str
    question: str
    claims: tuple[GoldClaim, ...]
    context: tuple[Chunk, ...]
    risk: str
    reason: str | None
    expect: Expectation

    @property
    def gold(self) -> str:
        """The right answer in words; empty where it has to be declined."""
        return " ".join(claim.text for claim in self.claims)


def load_situations(file: Traversable | None = None) -> tuple[Situation, ...]:
    """Load the situations of a YAML file, of the shipped one where none is given.

    They come in the order of the file, each with an expectation whose family is its kind. Raises ValueError that names every fault
    at once: file, id, field, value and what to do.

    >>> situation = load_situations()[0]
    >>> (situation.id, situation.risk, situation.reason)
    ('direct-locker-codes', 'low', None)
    >>> situation.expect.cited_chunks_exclude
    ('gantrel/locker-guide#2', 'gantrel/locker-guide#9')
    """
    file = resources.files("cases") / "situations.yaml" if file is None else file
    entries, faults = _read(file.read_text(encoding="utf-8"))
    faults += [f"{entry.get('id')!r}: {fault}" for entry in entries for fault in _faults(entry)]
    times = Counter(str(entry.get("id")) for entry in entries)
    faults += [f"{name!r}: id: stands {n} times; rename all but one" for name, n in times.items() if n > 1]
    if faults:
        raise ValueError("\n".join(f"{file.name}: {fault}" for fault in faults))
    return tuple(map(_situation, entries))


def _read(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Read a file into entries and the faults of the file itself."""
    try:
        rows = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [], [f"not YAML: {' '.join(str(error).split())}; mend the line"]
    if not isinstance(rows, list) or not rows:
        return [], [f"expected a list of situations, got {short(rows)}; start each with `- id:`"]
    faults = [f"expected a situation, got {short(row)}; start it with `- id:`" for row in rows if not isinstance(row, dict)]
    return [row for row in rows if isinstance(row, dict)], faults


# --- faults -----------------------------------------------------------------------------------------------------------------------


def _faults(entry: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an entry, each as `field: problem, value; fix`."""
    yield from (f"{key}: unknown field; use {', '.join(_FIELDS)}" for key in entry if key not in _FIELDS)
    yield from (f"{key}: missing; add it" for key in _NEEDED if key not in entry)
    for key in ("id", "question"):
        if key in entry and not is_text(entry[key]):
            yield f"{key}: expected text, got {short(entry[key])}; write words, in quotes where YAML reads them otherwise"
    for key, choices in _CHOICES.items():
        if key in entry and entry[key] not in choices:
            yield f"{key}: unknown, {short(entry[key])}; use {', '.join(choices)}"
    yield from _decline_faults(entry)
    chunks, claims = entry.get("context"), entry.get("claims", [])
    if "context" in entry:
        yield from _list_faults("context", chunks, _chunk_faults)
    yield from _list_faults("claims", claims, _claim_faults)
    yield from _id_faults(entry, _dicts(chunks), _dicts(claims))


def _decline_faults(entry: dict[str, Any]) -> Iterator[str]:
    """Yield where behaviour, reason, claims and kind contradict each other."""
    behaviour, reason = entry.get("behaviour"), entry.get("reason")
    if behaviour == "answer":
        if "reason" in entry:
            yield f"reason: {short(reason)} where the behaviour is 'answer'; take it out, or decline"
        if not entry.get("claims"):
            yield "claims: none where the behaviour is 'answer'; write what a right answer says"
        if entry.get("kind") == "unanswerable":
            yield "behaviour: 'answer' in an unanswerable situation; decline, or use another kind"
    if behaviour == "decline":
        if reason not in ABSTENTION_KINDS:
            yield f"reason: expected why it is declined, got {short(reason)}; use {', '.join(ABSTENTION_KINDS)}"
        if entry.get("claims"):
            yield f"claims: {short(entry['claims'])} where the behaviour is 'decline'; take them out, or answer"


def _list_faults(name: str, items: Any, faults: Callable[[dict[str, Any]], Iterator[str]]) -> Iterator[str]:
    """Yield what is wrong with a list of mappings: with the list itself, or with its items as `faults` finds it."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items) or (name == "context" and not items):
        first = "id" if name == "context" else "text"
        yield f"{name}: expected a list, got {short(items)}; start each of its items with `- {first}:`"
        return
    for index, item in enumerate(items, start=1):
        yield from (f"{name}[{index}].{fault}" for fault in faults(item))


def _chunk_faults(chunk: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key}: unknown field; use {', '.join(_CHUNK_FIELDS)}" for key in chunk if key not in _CHUNK_FIELDS)
    for key in ("id", "text"):
        if not is_text(chunk.get(key)):
            yield f"{key}: expected text, got {short(chunk.get(key))}; write words"
    if "span" in chunk and not is_text(chunk["span"]):
        yield f"span: expected text, got {short(chunk['span'])}; quote words of the text, or leave it out"
    elif "span" in chunk and is_text(chunk.get("text")) and (n := chunk["text"].count(chunk["span"])) != 1:
        fix = "quote more words" if n else "quote the text letter by letter"
        yield f"span: {chunk['span']!r} occurs {n} times in the text; {fix}"


def _claim_faults(claim: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key}: unknown field; use {', '.join(_CLAIM_FIELDS)}" for key in claim if key not in _CLAIM_FIELDS)
    if not is_text(claim.get("text")):
        yield f"text: expected text, got {short(claim.get('text'))}; write words"
    if not claim.get("evidence"):
        yield "evidence: missing; name the chunks that establish the claim"
    wanted = claim.get("answer_contains", [])
    if not _are_texts(wanted):
        yield f"answer_contains: expected a list of texts, got {short(wanted)}; put numbers in quotes"
    elif is_text(claim.get("text")):
        missing = [words for words in wanted if words.casefold() not in claim["text"].casefold()]
        yield from (f"answer_contains: {words!r} is not in the claim; take words from the claim" for words in missing)


def _id_faults(entry: dict[str, Any], chunks: list[dict[str, Any]], claims: list[dict[str, Any]]) -> Iterator[str]:
    """Yield chunk ids that stand twice, and those that evidence or `allowed` name although the context lacks them."""
    ids = [chunk["id"] for chunk in chunks if is_text(chunk.get("id"))]
    if not ids or len(ids) < len(chunks):
        return
    yield from (f"context: chunk id {name!r} stands {n} times; rename all but one" for name, n in Counter(ids).items() if n > 1)
    named = {f"claims[{index}].evidence": claim["evidence"] for index, claim in enumerate(claims, start=1) if claim.get("evidence")}
    for name, listed in {**named, "allowed": entry.get("allowed", [])}.items():
        if not _are_texts(listed):
            yield f"{name}: expected a list of chunk ids, got {short(listed)}; write them as [one, two]"
            continue
        yield from (f"{name}: {one!r} is not in the context; use one of {', '.join(ids)}" for one in listed if one not in ids)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def _dicts(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


# --- situations -------------------------------------------------------------------------------------------------------------------


def _situation(entry: dict[str, Any]) -> Situation:
    """Turn a checked entry into its situation."""
    claims = tuple(map(_gold_claim, entry.get("claims", [])))
    context = tuple(map(_chunk, entry["context"]))
    return Situation(
        id=entry["id"],
        kind=entry["kind"],
        question=entry["question"],
        claims=claims,
        context=context,
        risk=entry["risk"],
        reason=entry.get("reason"),
        expect=_expectation(entry, claims, context),
    )


def _gold_claim(claim: dict[str, Any]) -> GoldClaim:
    return GoldClaim(claim["text"], tuple(claim.get("answer_contains", ())), tuple(claim["evidence"]))


def _chunk(chunk: dict[str, Any]) -> Chunk:
    return make_chunk(chunk["id"], chunk["text"], chunk.get("span"))


def _expectation(entry: dict[str, Any], claims: tuple[GoldClaim, ...], context: tuple[Chunk, ...]) -> Expectation:
    needed = tuple(dict.fromkeys(name for claim in claims for name in claim.evidence))
    citable = {*needed, *entry.get("allowed", ())}
    return Expectation(
        family=entry["kind"],
        behaviour=entry["behaviour"],
        answer_contains=tuple(words for claim in claims for words in claim.answer_contains),
        cited_chunks_include=needed,
        cited_chunks_exclude=tuple(chunk.chunk_id for chunk in context if chunk.chunk_id not in citable),
    )
