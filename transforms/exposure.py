"""Find sibling passages, which say the same but for one attribute: where documents enumerate, a near miss can happen."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import apache_beam as beam

from schemas.claims import FAMILIES, OTHER_FAMILY
from schemas.evidence import Evidence
from transforms.attributes import Attribute
from transforms.attributes.amounts import Amount
from transforms.attributes.extracting import read
from transforms.attributes.lists import word_list
from transforms.attributes.record import FUNCTION_WORDS, Reading, stem
from transforms.sentences import sentence_bounds
from transforms.tables import register_rows, stable_hash
from transforms.vocabulary import vocabulary

RULES = "siblings-1"
MAX_SENTENCES = 200
# What is left of a masked sentence fits too much with fewer content words.
MIN_WORDS = 2

# What of a sentence is masked beside the family itself, for a sibling may differ in the value that such an attribute governs.
_GOVERNED = {"scope": ("quantity", "date"), "entity": ("quantity", "date"), "date": ("quantity",)}
_IN_HEADINGS = frozenset({"scope", "date", "entity"})
# Families whose words a sibling may leave out altogether: no mark stands for them.
_TRACELESS = ("polarity", "modality", "aggregation")
_CLAUSES = frozenset({"condition", "exception"})
_CLAUSE_ENDS = frozenset(word_list(", ; : . ! ?"))
# Words that come and go with a negation or a modal: is kept, must be kept, does not keep.
_FORM_WORDS = vocabulary("a an the is are be been being am was were do does did has have had to")
# What else a word says that a family masks.
_RESIDUES = {
    "polarity": {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall", "without": "with"},
    "modality": {"cannot": "not"},
}
# [12] and the 12 behind "in England.12" point to notes.
_NOTE_MARKS = re.compile(r"\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]|(?<=[a-z]{3}[.,])\d{1,3}(?=\s|$)")
_ACROSS, _WITHIN = ("values", "evidence_id", "doc_id"), ("values", "evidence_id")
_CHUNK = 1_000
_BEGINNING, _END = (moment.replace(tzinfo=dt.timezone.utc) for moment in (dt.datetime.min, dt.datetime.max))
_Period = tuple[dt.datetime | None, dt.datetime | None]
_stem = lru_cache(maxsize=1 << 16)(stem)
_SAME_RELATION = {"~": "=", "within": "="}


class SiblingKey(NamedTuple):
    """What one sentence leaves when a family is masked: siblings have equal skeletons and other values of the family."""

    family: str
    skeleton: int
    values: int


class Stated(NamedTuple):
    """What a passage states of a family in one of its sentences, and what tells it from its siblings."""

    values: int
    evidence_id: str
    doc_id: str
    version: str
    valid_from: dt.datetime | None = None
    valid_to: dt.datetime | None = None


register_rows(SiblingKey, Stated)


class _Masked(NamedTuple):
    """A sentence or heading without one family: its words and marks in order, the values masked, the number of content words."""

    words: tuple[str, ...]
    values: tuple[str, ...]
    content: int


def sibling_keys(evidence: Evidence) -> list[SiblingKey]:
    """Key each sentence of the cited part of a passage by what is left of it when a family is masked.

    The cited part are the sentences that hold the span, or all of a passage cited whole (200 at most). Goes out: distinct keys,
    sorted. Two passages of different evidence ids are siblings in a family where they have keys of equal family and skeleton and of
    different values; of one document only where both are valid at one time.

    A mark says what kind of value it stands for, and the noun that a number counts stays: 10 seats are no sibling of 10 days. With
    scope, entity and date go the quantities (and dates) that they may govern. A negation, modal or quantifier leaves no mark, a
    condition goes with its clause: a sentence without one has siblings with one. Where `context` states a scope, entity or date,
    the sentence is keyed under it once more, both masked. With fewer than two content words left (one, under its context) a
    sentence has no key. Deterministic; linear in the text.

    >>> must, may = (Evidence("e", "1", "d", f"Logs {modal} be kept in Spain.", "current") for modal in ("must", "may"))
    >>> [a.family for a, b in zip(sibling_keys(must), sibling_keys(may)) if a.skeleton == b.skeleton and a.values != b.values]
    ['modality']
    """
    heading = read(f"{evidence.context.strip()}:") if evidence.context and evidence.context.strip() else None
    keys = {
        SiblingKey(family, stable_hash("\x1f".join(masked.words)), stable_hash("\x1f".join(masked.values)))
        for sentence in _cited_sentences(evidence)
        for family, masked in _masked_sentences(read(_NOTE_MARKS.sub("", sentence)), heading)
        if masked.content >= MIN_WORDS
    }
    return sorted(keys)


def _cited_sentences(evidence: Evidence) -> list[str]:
    text = evidence.text or ""
    bounds = sentence_bounds(text)
    if evidence.span_start is not None and evidence.span_end is not None:
        bounds = [(start, end) for start, end in bounds if start < evidence.span_end and end > evidence.span_start]
    return [text[start:end] for start, end in bounds[:MAX_SENTENCES]]


def _masked_sentences(sentence: Reading, heading: Reading | None) -> Iterator[tuple[str, _Masked]]:
    """What is left of a sentence for each family that it states or may leave out, and once more under a heading that states it."""
    stated = {one.family for one in sentence.found}
    whole = _masked(sentence, OTHER_FAMILY)
    for family in _TRACELESS:
        yield family, _masked(sentence, family) if family in stated else whole
    headed = {one.family for one in heading.found} if heading else set()
    for family in FAMILIES:
        if family in _TRACELESS or family not in stated | headed:
            continue
        own = _masked(sentence, family)
        if family in stated:
            yield family, own
        if heading is not None and family in headed & _IN_HEADINGS and own.content:
            over = _masked(heading, family)
            yield family, _Masked((*over.words, ":", *own.words), (*over.values, *own.values), over.content + own.content)


def _masked(reading: Reading, family: str) -> _Masked:
    """Replace what a family states, and what it governs, by marks."""
    own = [one for one in reading.found if one.family == family]
    governed = [one for one in reading.found if one.family in _GOVERNED.get(family, ())]
    marks = _marks(reading, [*own, *governed])
    words: list[str] = []
    content = 0
    for i, word in enumerate(reading.words):
        if i in marks:
            words.extend(marks[i])
        elif word.low[0].isalnum() and word.low not in _FORM_WORDS:
            words.append(_stem(word.low))
            content += word.low not in FUNCTION_WORDS and word.low[0].isalpha()
    return _Masked(tuple(words), tuple(_value(one, reading) for one in own), content)


def _marks(reading: Reading, masked: list[Attribute]) -> dict[int, tuple[str, ...]]:
    """What stands for each word that is masked: a mark for the first of an attribute, nothing for the others."""
    marks: dict[int, tuple[str, ...]] = {}
    for one in masked:
        words = _words_of(one, reading)
        if any(i in marks for i in words):
            # Children from 6 to 11: the audience, and its age again.
            marks.update((i, ()) for i in words if i not in marks)
        else:
            marks.update((i, ()) for i in words)
            marks[words.start] = _mark(one)
    return marks


def _words_of(one: Attribute, reading: Reading) -> range:
    """The words that an attribute takes: without the noun that it counts, with the clause that it begins."""
    words = reading.words
    first, end = (bisect_left(words, place, key=lambda word: word.start) for place in (one.start, one.end))
    if isinstance(one.value, Amount):
        while end > first + 1 and _stem(words[end - 1].low) in one.value.nouns:
            end -= 1
    elif one.kind in _CLAUSES:
        while end < len(words) and words[end].text not in _CLAUSE_ENDS:
            end += 1
    elif one.family == "aggregation" and reading.low(end) == "of":
        end += 1
    return range(first, end)


def _mark(one: Attribute) -> tuple[str, ...]:
    if isinstance(one.value, Amount):
        return ("<money>" if one.kind == "money" else f"<{one.value.unit}>",)
    if one.kind == "direction":
        return (f"<{one.value[0]}>",) if isinstance(one.value, tuple) else ()
    if one.family in _TRACELESS:
        return _residue(one)
    return (f"<{one.kind}>",)


def _residue(one: Attribute) -> tuple[str, ...]:
    """What else a word says whose family is masked: can of cannot, must of mustn't."""
    low = one.words.lower().replace("’", "'")
    if low.endswith("n't") and one.family == "modality":
        return ("not",)
    plain = _RESIDUES.get(one.family, {}).get(low) or (low.removesuffix("n't") if low.endswith("n't") else None)
    return (plain,) if plain and plain not in _FORM_WORDS else ()


def _value(one: Attribute, reading: Reading) -> str:
    """What an attribute says, the same for all ways to say it."""
    value = one.value
    if isinstance(value, Amount):
        return f"{_SAME_RELATION.get(value.relation, value.relation)} {value.low:.9g} {value.high:.9g} {value.unit}"
    if one.kind in _CLAUSES:
        return " ".join((one.kind, *(_stem(reading.words[i].low) for i in _words_of(one, reading))))
    # Negations and modals are recorded with the words that they act on, which the skeleton holds.
    said = value[0] if one.family in ("polarity", "modality") and one.kind != "direction" and isinstance(value, tuple) else value
    return f"{one.kind} {said}"


def are_siblings(one: Stated, other: Stated) -> bool:
    """Whether two passages with equal keys but for their values are siblings.

    >>> spain, italy = Stated(1, "es", "prices", "1"), Stated(2, "it", "prices", "1")
    >>> are_siblings(spain, italy), are_siblings(spain, italy._replace(evidence_id="es"))
    (True, False)
    """
    if one.values == other.values or one.evidence_id == other.evidence_id:
        return False
    return one.doc_id != other.doc_id or _meet(one, other)


def _meet(one: Stated, other: Stated) -> bool:
    """Whether two passages are valid at one time: else they are two versions of one place, under two ids."""
    return (one.valid_from or _BEGINNING) < (other.valid_to or _END) and (other.valid_from or _BEGINNING) < (one.valid_to or _END)


def with_siblings(group: Iterable[Stated]) -> Iterator[Stated]:
    """Give those of a group (equal family and skeleton) that have a sibling in it, in its order.

    Reads the group four times, which Beam's grouped values allow, and keeps little of it: 16 representatives decide for documents
    against each other, then a few a period of validity within documents that this leaves open, mostly one.
    """
    across: list[Stated] = []
    rows = iter(group)
    while chunk := list(islice(rows, _CHUNK)):
        across = representatives([*across, *chunk], _ACROSS)
    if len({one.values for one in across}) < 2:
        return
    within: dict[str, dict[_Period, list[Stated]]] = {row.doc_id: {} for row in group if not _has_sibling(row, across)}
    for row in group:
        if row.doc_id in within:
            period = within[row.doc_id].setdefault((row.valid_from, row.valid_to), [])
            period[:] = representatives([*period, row], _WITHIN)
    for row in group:
        near = within.get(row.doc_id, {}).values()
        if _has_sibling(row, across) or any(_has_sibling(row, period) for period in near):
            yield row


def _has_sibling(row: Stated, among: Iterable[Stated]) -> bool:
    return any(are_siblings(row, other) for other in among)


def representatives(rows: Sequence[Stated], fields: Sequence[str]) -> list[Stated]:
    """Choose a few rows that decide as all do whether one of them differs from any given row in every field: 2, 5 or 16 at most
    for 1, 2 or 3 fields.

    The first row decides for all that share no field with it. For those that share a field, only rows that differ from the first in
    it count, and of these the representatives for the other fields decide. What decides for two parts decides for their union.

    >>> [row.evidence_id for row in representatives([Stated(1, name, "d", "1") for name in "abc"], ("values", "evidence_id"))]
    ['a', 'b']
    """
    if not rows:
        return []
    first, chosen = rows[0], [rows[0]]
    for field in fields:
        shared = getattr(first, field)
        others = [row for row in rows if getattr(row, field) != shared]
        chosen += representatives(others, [other for other in fields if other != field])
    return list(dict.fromkeys(chosen))


@dataclass
class FindSiblings(beam.PTransform):
    """Find the passages that have a sibling.

    Comes in: evidence rows, all versions, each (evidence_id, version) once. Goes out: ((evidence_id, version), its families in the
    order of FAMILIES), for exposed rows only. Exact, whatever the order of the rows; no pair is formed, and a skeleton that many
    passages share costs time linear in them.
    """

    def expand(self, evidence: beam.PCollection[Evidence]) -> beam.PCollection[tuple[tuple[str, str], tuple[str, ...]]]:
        return (
            evidence
            | "KeySentences" >> beam.FlatMap(_keyed)
            | "GroupSkeletons" >> beam.GroupByKey()
            | "FindExposed" >> beam.FlatMapTuple(_exposed)
            | "GroupFamilies" >> beam.GroupByKey()
            | "OrderFamilies" >> beam.MapTuple(_in_order).with_output_types(tuple[tuple[str, str], tuple[str, ...]])
        )


def _keyed(evidence: Evidence) -> Iterator[tuple[tuple[str, int], Stated]]:
    about = (evidence.evidence_id, evidence.doc_id, evidence.version, evidence.valid_from, evidence.valid_to)
    for key in sibling_keys(evidence):
        yield (key.family, key.skeleton), Stated(key.values, *about)


def _exposed(key: tuple[str, int], group: Iterable[Stated]) -> Iterator[tuple[tuple[str, str], str]]:
    for row in with_siblings(group):
        yield (row.evidence_id, row.version), key[0]


def _in_order(row: tuple[str, str], families: Iterable[str]) -> tuple[tuple[str, str], tuple[str, ...]]:
    found = set(families)
    return row, tuple(family for family in FAMILIES if family in found)
