"""Mine near misses from evidence: sentences that already differ in one attribute, as proposals for cases that a person reviews."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from cases.alignment import similarity
from cases.mined_cases import OVERVIEW, Proposal, Source, cases_text, made_proposals, overview
from cases.mining import near_miss
from cases.mutations import names_of
from pipelines.labels import guarded
from pipelines.options import UsageError, check_parser, find_files
from pipelines.wordings import fault, form, is_anchored, is_whole, known_names, statement, wordings
from schemas.claims import FAMILIES
from schemas.evidence import Evidence
from transforms.attributes import compare, extract
from transforms.citations import find_markers, strip_markers
from transforms.overlap import token_f1
from transforms.sentences import sentence_bounds
from transforms.splitting.parsing import load_parser
from transforms.splitting.shadow import cast_shadow
from transforms.tables import conform, schema_fault

# A sentence in so many documents is boilerplate.
BOILERPLATE_DOCUMENTS = 5
# Of one wording at most so many pairs are compared, and so many proposed: templates do not crowd out the rest.
MAX_COMPARED, MAX_PROPOSED = 400, 4
# A sentence that shares less of its words is on another matter; of one document at most so many are looked at.
OTHER_MATTER, MAX_NEAR = 0.35, 200

_COLUMNS = ("evidence_id", "version", "doc_id", "text", "status", "context")


class Sentence(NamedTuple):
    """One sentence of the evidence, without markers and Markdown; `place` counts the sentences of its passage from 0."""

    evidence_id: str
    version: str
    place: int
    doc_id: str
    text: str
    context: str
    current: bool


class Mined(NamedTuple):
    """What a mining run found: all proposals, best first within a family; how many became cases; what happened to sentences and
    pairs, counted; the files."""

    proposals: list[Proposal]
    written: int
    counts: dict[str, int]
    files: list[Path]


def mine(evidence: str, output: Path, limit: int = 50, mutated: int = 0, parser: str = "") -> Mined:
    """Mine the evidence at a path or glob; write `<family>.yaml` and `proposals.csv` into the folder `output`.

    At most `limit` pairs a family become cases, the most alike first; the overview lists every proposal. With `mutated`, so many
    pairs a family are added that cases.mutations makes of sentences without a natural near miss. `parser` is a spaCy model's folder
    or package. The same evidence gives the same bytes, whatever the order of its rows. Raises UsageError where the evidence cannot
    be read, the model is missing or `output` holds cases already.
    """
    if limit < 1 or mutated < 0:
        raise UsageError(f"mining needs a limit of 1 or more and 0 or more mutated pairs: limit={limit}, mutated={mutated}")
    if held := sorted(path.name for path in output.glob("*.yaml")):
        raise UsageError(f"{output} holds cases already: {', '.join(held)}; move them, or name another folder")
    check_parser(parser)
    counts: Counter[str] = Counter()
    sentences = read_sentences(find_files(evidence, "evidence"), counts)
    proposals = _that_state(find_proposals(sentences, counts), parser, counts)
    chosen = [one for family in FAMILIES for one in [two for two in proposals if two.family == family][:limit]]
    made = _that_state(_made(sentences, proposals, mutated), parser, Counter()) if mutated else []
    by_document: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_document[sentence.doc_id].append(sentence)
    written = [_completed(one, by_document) for one in (*chosen, *made)]
    return Mined([*proposals, *made], len(written), dict(sorted(counts.items())), _write([*proposals, *made], written, output))


# --- sentences --------------------------------------------------------------------------------------------------------------------


def read_sentences(paths: Sequence[str], counts: Counter[str]) -> list[Sentence]:
    """Read evidence files and cut them into sentences, sorted; raises UsageError that names file and fix."""
    rows = {
        (row["evidence_id"], row["version"], row["doc_id"], row["text"], row["context"] or "", row["status"] == "current")
        for path in paths
        for row in _rows(path)
        if row["text"] and row["text"].strip()
    }
    if not rows:
        raise UsageError(f"{', '.join(paths)}: no row has a text; mining needs evidence with passages")
    counts["passages"] = len(rows)
    return [sentence for row in sorted(rows) for sentence in _sentences(*row)]


def _rows(path: str) -> list[dict[str, Any]]:
    try:
        file = pq.ParquetFile(path)
        if wrong := schema_fault(file.schema_arrow, Evidence):
            raise UsageError(f"{path}: {wrong.message}")
        table = conform(file.read([name for name in _COLUMNS if name in file.schema_arrow.names]), Evidence)
        table.validate(full=True)
        return table.select(_COLUMNS).to_pylist()
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}; write the file again") from error


def _sentences(evidence_id: str, version: str, doc_id: str, text: str, context: str, current: bool) -> Iterator[Sentence]:
    for place, (start, end) in enumerate(sentence_bounds(text)):
        written = text[start:end]
        ending = written.rstrip(" \n\t*_`\"'”’)")[-1:]
        markers = find_markers(written)[0] if "[" in written or not written.isascii() else []
        words = strip_markers(written, markers) + (ending if ending and ending in ".!?…" else "")
        yield Sentence(evidence_id, version, place, doc_id, words, " ".join(context.split()), current)


def _candidates(sentences: Iterable[Sentence], counts: Counter[str]) -> list[Sentence]:
    """The sentences that can be one side of a near miss, each text of a context once, without what many documents hold."""
    documents: dict[str, set[str]] = defaultdict(set)
    first: dict[tuple[str, str], Sentence] = {}
    for sentence in sentences:
        if reason := fault(sentence.text):
            counts[f"sentences: {reason}"] += 1
            continue
        documents[sentence.text].add(sentence.doc_id)
        if first.setdefault((sentence.text, sentence.context), sentence) is not sentence:
            counts["sentences: repeated"] += 1
    kept = [one for one in first.values() if len(documents[one.text]) < BOILERPLATE_DOCUMENTS]
    counts["sentences: boilerplate"] += len(first) - len(kept)
    counts["sentences: candidates"] = len(kept)
    return kept


# --- pairs ------------------------------------------------------------------------------------------------------------------------


def find_proposals(sentences: Sequence[Sentence], counts: Counter[str]) -> list[Proposal]:
    """Find the near misses among sentences, the most alike first within a family; what is left out is counted."""
    counts["sentences"] = len(sentences)
    candidates = _candidates(sentences, counts)
    names = known_names(one.text for one in candidates)
    worded: dict[tuple[str, ...], list[Sentence]] = defaultdict(list)
    for sentence in candidates:
        for wording in wordings(sentence.text, names):
            worded[wording].append(sentence)
    shared = sorted(wording for wording, members in worded.items() if len(members) > 1)
    counts["wordings: of two sentences or more"] = len(shared)
    found: dict[tuple[str, str], Proposal] = {}
    for wording in shared:
        for proposal in _of_wording(sorted(worded[wording], key=lambda one: (one.text, one)), names, counts):
            first, second = sorted((proposal.supports.text, proposal.resembles.text))
            found.setdefault((first, second), proposal)
    return sorted(found.values(), key=_rank)


def _of_wording(members: list[Sentence], names: frozenset[str], counts: Counter[str]) -> Iterator[Proposal]:
    """The near misses of one wording, neighbours in the alphabet first; a hot wording is not compared to its end."""
    size = len(members)
    compared = proposed = 0
    for i, j in ((i, i + step) for step in range(1, size) for i in range(size - step)):
        if compared == MAX_COMPARED:
            counts["wordings: hot"] += 1
            counts["pairs: not compared, of hot wordings"] += size * (size - 1) // 2 - compared
            return
        compared += 1
        proposal = _proposal(members[i], members[j], names)
        if proposal is None:
            continue
        if _are_versions(members[i], members[j]) and proposal.family != "date":
            counts["pairs: versions of one text"] += 1
        elif proposed == MAX_PROPOSED:
            counts["pairs: more of one wording"] += 1
        else:
            proposed += 1
            yield proposal


def _that_state(proposals: list[Proposal], parser: str, counts: Counter[str]) -> list[Proposal]:
    """The proposals whose sentences state something on their own."""
    parses = load_parser(parser).parse([cast_shadow(one.supports.sentence) for one in proposals]) if proposals else []
    forms = [form(parse) for parse in parses]
    stated = [one for one, told in zip(proposals, forms, strict=True) if told == "statement"]
    instructed = [one for one, told in zip(proposals, forms, strict=True) if told == "instruction" and _instructs(one)]
    kept = sorted([*stated, *(one._replace(instruction=True) for one in instructed)], key=_rank)
    counts["pairs: no statement"] = len(proposals) - len(kept)
    counts["pairs: proposed"] = len(kept)
    return kept


def _rank(one: Proposal) -> tuple[int, bool, float, Source, Source]:
    """Of a family first what states something, and of that first what is most alike."""
    return FAMILIES.index(one.family), one.instruction, -one.similarity, one.supports, one.resembles


def _instructs(proposal: Proposal) -> bool:
    """Whether an instruction with this difference says enough: wash at 30 degrees, do not wash; not: list all operations of X,
    switch to level 11, which describe a command or a change."""
    governs = proposal.differs[0]
    return governs.attribute in ("negation", "modal") or (
        governs.attribute in ("value", "unit", "date", "period")
        and any(letter.isalpha() or letter in "%°$€£" for letter in governs.words[0])
    )


def _are_versions(one: Sentence, other: Sentence) -> bool:
    """Whether one sentence replaces the other: versions of a span, or the rest of a document whose span has been replaced."""
    if one.evidence_id == other.evidence_id:
        return one.version != other.version
    return one.doc_id == other.doc_id and one.current != other.current and one.context == other.context


def _proposal(one: Sentence, other: Sentence, names: frozenset[str]) -> Proposal | None:
    """The pair with the headings in front where these differ in the attribute, else without them."""
    one, other = sorted((one, other), key=lambda sentence: (not sentence.current, sentence))
    for lead in (True, False) if one.context != other.context else (one.context != "",):
        texts = (_shown(one, lead), _shown(other, lead))
        read = statement(texts[0], names)
        differs = near_miss(read, statement(texts[1], names), _agree)
        if differs and is_anchored(read, differs):
            return Proposal(differs, _source(one, lead), _source(other, lead), similarity(*texts))
    return None


def _agree(one: str, other: str) -> bool:
    """Whether a text states nothing but what the other states too, in other words: 24 months and 2 years."""
    compared = compare(one, other)
    return not compared.differs and not compared.missing


def _shown(sentence: Sentence, lead: bool) -> str:
    return f"{sentence.context}: {sentence.text}" if lead and sentence.context else sentence.text


def _source(sentence: Sentence, lead: bool = True) -> Source:
    chunk_id = f"{sentence.evidence_id}@{sentence.version}#{sentence.place}"
    return Source(chunk_id, sentence.doc_id, _shown(sentence, lead), sentence.text)


# --- cases ------------------------------------------------------------------------------------------------------------------------


def _made(sentences: Sequence[Sentence], found: Sequence[Proposal], mutated: int) -> list[Proposal]:
    """Pairs made of sentences that no natural near miss has."""
    taken = {source.sentence for one in found for source in (one.supports, one.resembles)}
    plain = {one.text: one for one in reversed(sentences) if one.text not in taken and fault(one.text) is None}
    return list(made_proposals([_source(one) for one in plain.values()], names_of(plain), mutated))


def _completed(proposal: Proposal, by_document: dict[str, list[Sentence]]) -> Proposal:
    """Add sentences of the same documents: two on other matters, and for an aggregate a single case."""
    documents = dict.fromkeys((proposal.supports.doc_id, proposal.resembles.doc_id))
    near = [one for doc_id in documents for one in by_document[doc_id][:MAX_NEAR] if is_whole(one.text)]
    pair = (proposal.supports.sentence, proposal.resembles.sentence)
    alike = {one: max(token_f1(one.text, text) for text in pair) for one in near}
    beside: dict[str, Sentence] = {}
    for one in near:
        if alike[one] < OTHER_MATTER:
            beside.setdefault(one.text, one)
    instance = None
    if proposal.family == "aggregation":
        single = [one for one in near if alike[one] >= OTHER_MATTER and one.text not in pair and not _is_aggregate(one.text)]
        instance = max(single, key=lambda one: (alike[one], one), default=None)
    return proposal._replace(
        beside=tuple(map(_source, list(beside.values())[:2])), instance=_source(instance) if instance else None
    )


def _is_aggregate(text: str) -> bool:
    return any(one.family == "aggregation" for one in extract(text))


def _write(proposals: Sequence[Proposal], written: Sequence[Proposal], output: Path) -> list[Path]:
    """Write the cases of each family and the overview of all proposals."""
    output.mkdir(parents=True, exist_ok=True)
    files = []
    for family in FAMILIES:
        if ours := [one for one in written if one.family == family]:
            files.append(output / f"{family}.yaml")
            files[-1].write_text(cases_text(ours), encoding="utf-8")
    files.append(output / "proposals.csv")
    ids = {one.case_id for one in written}
    with files[-1].open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(OVERVIEW)
        writer.writerows(map(guarded, overview(one, one.case_id in ids)) for one in proposals)
    return files
