"""The sample: answers over invented documents, with gold that says what every claim and every edge must become."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple

import yaml

from schemas.answers import Answer, DeclaredCitation, StructuredClaim
from schemas.claims import FAMILIES, NOT_REQUIRED_REASONS, OTHER_FAMILY
from schemas.evidence import Evidence
from schemas.types import to_plain
from schemas.verdicts import FAILED_STATUSES

STATES = ("evaluated", "abstained", "empty", "no_claims", "duplicate", "rejected")
_TOPICS = ("retention", "pricing", "service", "releases", "devices", "hr", "leaflets", "catalogue", "forms", "digest")
_WITHOUT_DOCUMENTS = ("forms", "digest")
_LOCALES = ("en-GB", "en-US", "en-IN")
_BUILDS = ("2025.9.1", "2025.9.2")
_FIRST_ANSWER = dt.datetime(2025, 9, 8, 7, 30, tzinfo=dt.timezone.utc)
_BETWEEN_ANSWERS = dt.timedelta(minutes=53)
_MARKERS = re.compile(r"\[(\d+(?:\s*[-,]\s*\d+)*)\]")
_CLIP = re.compile(r"\{(\w+)\|([^{}|]+)\}")
_VERSIONLESS = ("dangling", "no_version", "abstained")


class GoldEdge(NamedTuple):
    """What the edge between a claim (by its index in the answer) and a cited span must become."""

    claim: int
    evidence_id: str
    status: str
    version: str | None = None
    supported: bool | None = None
    family: str = OTHER_FAMILY


class GoldClaim(NamedTuple):
    """A claim that the answer makes, in words."""

    text: str
    requires_evidence: bool = True
    reason: str | None = None


class GoldAnswer(NamedTuple):
    """What must become of one answer row."""

    answer_id: str
    state: str
    claims: list[GoldClaim]
    edges: list[GoldEdge]


class Sample(NamedTuple):
    """The two input tables and their gold, one gold entry an answer row."""

    answers: list[Answer]
    evidence: list[Evidence]
    gold: list[GoldAnswer]


class Sentence(NamedTuple):
    """One annotated sentence; `gold` is one verdict for all its edges, or one by marker or evidence id."""

    text: str
    gold: Any = None
    requires_evidence: bool = True


def build_sample() -> Sample:
    """Build the shipped sample from its YAML files.

    Returns answers and evidence as declared rows (all times UTC) with one gold entry an answer row, in the same order; an exact
    duplicate row comes last and has the state `duplicate`. Deterministic. Raises ValueError where the files contradict themselves.

    >>> [len(rows) >= 150 for rows in build_sample()]
    [True, True, True]
    """
    evidence = [row for topic in _TOPICS if topic not in _WITHOUT_DOCUMENTS for row in _evidence(_load(f"documents-{topic}.yaml"))]
    versions = _versions(evidence)
    entries = [(topic, number, entry) for topic in _TOPICS for number, entry in enumerate(_load(f"answers-{topic}.yaml"), start=1)]
    answers, gold, duplicates = [], [], []
    for index, (topic, number, entry) in enumerate(entries):
        answer = _answer(f"{topic}-{number:03d}", index, topic, entry, list(versions))
        answers.append(answer)
        gold.append(_gold(answer, entry, versions))
        duplicates += [answer] if entry.get("duplicate") else []
    return Sample(answers + duplicates, evidence, gold + [GoldAnswer(a.answer_id, "duplicate", [], []) for a in duplicates])


def gold_to_json(gold: GoldAnswer) -> dict[str, Any]:
    """Turn a gold entry into plain dicts and lists, ready for json.dumps.

    >>> gold_to_json(GoldAnswer("a", "empty", [], []))
    {'answer_id': 'a', 'state': 'empty', 'claims': [], 'edges': []}
    """
    return to_plain(gold)


def gold_from_json(record: Mapping[str, Any]) -> GoldAnswer:
    """Read a gold entry back from what `gold_to_json` gave.

    >>> gold_from_json({"answer_id": "a", "state": "abstained", "claims": [{"text": "No idea"}], "edges": []}).claims[0].text
    'No idea'
    """
    claims = [GoldClaim(**claim) for claim in record["claims"]]
    return GoldAnswer(record["answer_id"], record["state"], claims, [GoldEdge(**edge) for edge in record["edges"]])


def claim_text(sentence: str) -> str:
    """Strip a sentence to its claim: no markers, no bullet, no end punctuation, single spaces.

    >>> claim_text("- Logs [2] are kept for 30 days. [1, 3]")
    'Logs are kept for 30 days'
    """
    words = re.sub(r"\s+", " ", re.sub(r"\s*" + _MARKERS.pattern, "", sentence)).strip()
    return words.removeprefix("- ").rstrip(".!? ")


def markers_in(sentence: str) -> list[str]:
    """List the markers of a sentence in order, ranges expanded, duplicates merged.

    >>> markers_in("Both [1, 3] and later [2-4][1].")
    ['1', '3', '2', '4']
    """
    parts = [part.strip() for group in _MARKERS.findall(sentence) for part in group.split(",")]
    return list(dict.fromkeys(marker for part in parts for marker in _expand(part)))


def _expand(part: str) -> list[str]:
    first, _, last = (bound.strip() for bound in part.partition("-"))
    return [str(number) for number in range(int(first), int(last or first) + 1)]


def _load(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load(resources.files("cases").joinpath("sample", name).read_text(encoding="utf-8"))


def _moment(value: Any) -> dt.datetime | None:
    return None if value is None else dt.datetime.fromisoformat(str(value)).replace(tzinfo=dt.timezone.utc)


# --- evidence ---------------------------------------------------------------------------------------------------------------------


def _evidence(documents: list[dict[str, Any]]) -> Iterator[Evidence]:
    """Read each passage into one row for each span marked in it as {name|clip}, and one for the whole where asked."""
    for document in documents:
        for passage in document["passages"]:
            text, spans = unmark(passage["text"])
            common = _common(document, passage, text)
            for name, (start, end) in spans.items():
                yield Evidence(evidence_id=f"{passage['key']}-{name}", span_start=start, span_end=end, **common)
            for evidence_id, (start, end) in passage.get("broken_spans", {}).items():
                yield Evidence(evidence_id=evidence_id, span_start=start, span_end=end, **common)
            if passage.get("whole"):
                yield Evidence(evidence_id=passage["key"], **common)


def unmark(marked: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """Take the span marks {name|clip} out of a passage; returns the text and the spans by name.

    >>> unmark("Logs are kept for {logs|30 days}.")
    ('Logs are kept for 30 days.', {'logs': (18, 25)})
    """
    text, spans, read = "", {}, 0
    for match in _CLIP.finditer(marked):
        text += marked[read : match.start()]
        if match[1] in spans:
            raise ValueError(f"two spans have one name: {match[1]!r} in {marked[:60]!r}; rename one")
        spans[match[1]] = (len(text), len(text) + len(match[2]))
        text, read = text + match[2], match.end()
    text += marked[read:]
    if "{" in text or "}" in text:
        raise ValueError(f"stray brace in a passage: {text[:60]!r}; write spans as {{name|clip}}")
    return text, spans


def _common(document: Mapping[str, Any], passage: Mapping[str, Any], text: str) -> dict[str, Any]:
    kind = passage.get("kind", document.get("kind"))
    return {
        "version": str(passage.get("version", "1")),
        "doc_id": document["doc_id"],
        "text": text,
        "status": _status(passage),
        "uri": document["uri"],
        "context": " > ".join([document["title"], *([passage["path"]] if "path" in passage else [])]),
        "valid_from": _moment(passage.get("from")),
        "valid_to": _moment(passage.get("to")),
        "published_at": _moment(passage.get("from")),
        "retracted_at": _moment(passage.get("retracted")),
        "superseded_by": passage.get("superseded_by"),
        "statement_kind": kind,
        "source_type": passage.get("source_type", document.get("source_type", "primary")),
        "principals": passage.get("principals"),
    }


def _status(passage: Mapping[str, Any]) -> str:
    if "retracted" in passage:
        return "retracted"
    return "superseded" if "superseded_by" in passage else "current"


def _versions(evidence: list[Evidence]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in evidence:
        if row.version in found.setdefault(row.evidence_id, []):
            raise ValueError(f"evidence row given twice: {row.evidence_id!r} version {row.version!r}; rename one")
        found[row.evidence_id].append(row.version)
    return found


# --- answers ----------------------------------------------------------------------------------------------------------------------


def _answer(answer_id: str, index: int, topic: str, entry: Mapping[str, Any], known: list[str]) -> Answer:
    text = entry["answer"] if "answer" in entry else _join(entry)
    citations = _citations(entry, text)
    claims = _structured(entry, text)
    cited = [citation.evidence_id for citation in citations or []] + [eid for claim in claims or [] for eid in claim.evidence_ids]
    return Answer(
        answer_id,
        _moment(entry.get("at")) or _FIRST_ANSWER + index * _BETWEEN_ANSWERS,
        entry["q"],
        text,
        citations,
        claims,
        retrieved=_retrieved(index, cited, known),
        build=_BUILDS[index % 2],
        principals=entry.get("principals"),
        attributes={"product": topic, "locale": _LOCALES[index % 3]},
    )


def _join(entry: Mapping[str, Any]) -> str:
    """Lay out the sentences: headings and bullets on lines of their own, null items as paragraph breaks."""
    if "claims" in entry:
        return " ".join(f"{item[0]}." for item in entry["claims"])
    text = ""
    for item in entry["say"]:
        words = item[0] if isinstance(item, list) else item
        if words is None:
            text = text.rstrip() + "\n\n"
        elif words.startswith("#"):
            text = f"{text}{words}\n\n"
        else:
            bullet = words.startswith("- ") and text and not text.endswith("\n\n")
            text = f"{text.rstrip()}\n{words} " if bullet else f"{text}{words} "
    return text.rstrip()


def _citations(entry: Mapping[str, Any], text: str) -> list[DeclaredCitation] | None:
    declared = entry.get("cite")
    if declared is None and "ranges" not in entry:
        return None
    by_marker = {None: declared} if isinstance(declared, list) else declared or {}
    rows = [_declared(marker, target) for marker, targets in by_marker.items() for target in _as_list(targets)]
    for evidence_id, words in entry.get("ranges", {}).items():
        start = text.index(words)
        rows.append(DeclaredCitation(evidence_id, answer_start=start, answer_end=start + len(words)))
    return rows


def _declared(marker: Any, target: Any) -> DeclaredCitation:
    fields = {"id": target} if isinstance(target, str) else target
    name = None if marker is None else str(marker)
    return DeclaredCitation(fields["id"], name, version=fields.get("version"), quote=fields.get("quote"))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _structured(entry: Mapping[str, Any], text: str) -> list[StructuredClaim] | None:
    if "claims" not in entry:
        return None
    same_id, same_evidence = (entry.get("break") == fault for fault in ("same_claim_id", "same_evidence"))
    rows = []
    for index, (words, gold, *rest) in enumerate(entry["claims"]):
        start = text.find(words)
        span = {"start": start, "end": start + len(words)} if start >= 0 else {}
        evidence_ids = list(gold) * (2 if same_evidence else 1)
        rows.append(StructuredClaim("c0" if same_id else f"c{index}", words, not rest, evidence_ids, **span))
    return rows


def _retrieved(index: int, cited: list[str], known: list[str]) -> list[str] | None:
    """Give most answers the ids that they cite and two more; every tenth has none logged."""
    if index % 10 == 9:
        return None
    fillers = [known[(index * 7) % len(known)], known[(index * 11 + 5) % len(known)]]
    return [eid for eid in dict.fromkeys(cited + fillers) if eid in known]


# --- gold -------------------------------------------------------------------------------------------------------------------------


def _gold(answer: Answer, entry: Mapping[str, Any], versions: Mapping[str, list[str]]) -> GoldAnswer:
    if entry.get("state") in ("empty", "no_claims", "rejected"):
        return GoldAnswer(answer.answer_id, entry["state"], [], [])
    sentences = list(_sentences(entry))
    claims = [_gold_claim(sentence) for sentence in sentences]
    edges = [
        _gold_edge(answer, index, evidence_id, gold, versions)
        for index, sentence in enumerate(sentences)
        for evidence_id, gold in _hangs_from(sentence, entry, answer)
    ]
    abstains = any(claim.reason == "abstention" for claim in claims) and not any(claim.requires_evidence for claim in claims)
    return GoldAnswer(answer.answer_id, "abstained" if abstains else "evaluated", claims, edges)


def _sentences(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    for words, gold, *rest in entry.get("claims", []):
        yield Sentence(words, gold, not rest)
    for item in entry.get("say", []):
        if isinstance(item, list) and len(item) == 3:
            # A sentence of several propositions: each with its own annotation, all with the markers at its end.
            markers = " ".join(found.group() for found in _MARKERS.finditer(item[0]))
            yield from (Sentence(f"{words} {markers}", gold) for words, gold in item[2])
        elif isinstance(item, list):
            yield Sentence(*item)
        elif item is not None and not item.startswith("#"):
            yield Sentence(item)


def _gold_claim(sentence: Sentence) -> GoldClaim:
    reason = sentence.gold if sentence.gold in NOT_REQUIRED_REASONS else None if sentence.requires_evidence else "declared"
    return GoldClaim(claim_text(sentence.text), reason is None, reason)


def _hangs_from(sentence: Sentence, entry: Mapping[str, Any], answer: Answer) -> Iterator[tuple[str, Any]]:
    """Yield each span that the sentence cites with its annotation; an undeclared marker stands for itself."""
    if "claims" in entry:
        yield from sentence.gold.items()
        return
    for marker in markers_in(sentence.text):
        declared = [c.evidence_id for c in answer.citations or [] if c.marker == marker]
        for evidence_id in declared or [marker]:
            yield evidence_id, _annotation(sentence.gold, int(marker), evidence_id)
    for evidence_id, words in entry.get("ranges", {}).items():
        if words in sentence.text:
            yield evidence_id, entry["range_gold"][evidence_id]


def _annotation(gold: Any, marker: int, evidence_id: str) -> Any:
    return gold.get(marker, gold.get(evidence_id)) if isinstance(gold, dict) else gold


def _requested(answer: Answer, evidence_id: str) -> str | None:
    """The version that the answer asked for, where it did."""
    return next((one.version for one in answer.citations or [] if one.evidence_id == evidence_id), None)


def _gold_edge(answer: Answer, claim: int, evidence_id: str, gold: Any, versions: Mapping[str, list[str]]) -> GoldEdge:
    verdict, _, version = str(gold).partition("@")
    status = {"abstention": "abstained"}.get(verdict, verdict if verdict in FAILED_STATUSES else "judged")
    if status == "judged" and verdict not in ("ok", OTHER_FAMILY, *FAMILIES):
        raise ValueError(f"edge without annotation: {gold!r} ({answer.answer_id}, {evidence_id!r}); write ok, a family or a status")
    if status in _VERSIONLESS:
        return GoldEdge(claim, evidence_id, status, _requested(answer, evidence_id) if status == "no_version" else None)
    known = versions.get(evidence_id, [])
    if version not in known and (version or len(known) != 1):
        raise ValueError(f"unclear version: {gold!r} of {known} ({answer.answer_id}, {evidence_id!r}); write {verdict}@version")
    supported = verdict == "ok" if status == "judged" else None
    return GoldEdge(claim, evidence_id, status, version or known[0], supported, verdict if verdict in FAMILIES else OTHER_FAMILY)
