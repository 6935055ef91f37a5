"""Cut answers into claims: structured ones as they are, others proposition by proposition."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.answers import Answer
from schemas.claims import Claim, Span
from schemas.rejects import Reject
from schemas.stores import StoredSplit
from schemas.types import to_plain
from transforms.citations import GRAMMARS, Marker, find_markers, markup, strip_markers
from transforms.language import is_foreign
from transforms.requires_evidence import abstention_kind, evidence_reason
from transforms.sentences import Sentence, mask_code, split_sentences
from transforms.splitting.attachment import Holder, attach_markers
from transforms.splitting.clauses import is_instruction, split_clauses
from transforms.splitting.drafts import Draft
from transforms.splitting.parsing import Parser, Word, find_model, load_parser, parser_name
from transforms.splitting.shadow import Shadow, cast_shadow
from transforms.splitting.table_rows import split_row
from transforms.splitting.wording import char_spans, word_claim
from transforms.store import LookUp, Store
from transforms.tables import record_json, register_rows

RULES_VERSION = "propositions-1"
# Past this many characters a sentence is a list or no prose at all, and stays whole.
MAX_LENGTH = 1200
# About a book chapter: past this many characters a row holds no answer but a fault of the log, and would cost hours.
MAX_ANSWER = 200_000


# A sentence that only opines may state something in its second half; questions, instructions and the like stay whole.
_SPLIT_REASONS = (None, "opinion", "hedge")


class InvalidClaims(ValueError):
    """Structured claims that contradict themselves."""


class OversizedAnswer(ValueError):
    """A text too long to be an answer."""


class SplitAnswer(NamedTuple):
    """An answer with its claims; `labels[i]` are the markers that hang from `claims[i]`, in order, doubles included; `unplaced`
    those that stand where no claim is."""

    answer: Answer
    claims: list[Claim]
    labels: list[list[str]]
    unplaced: list[str]
    unparsed: int


register_rows(Answer, Claim, SplitAnswer)


def splitter_name(model: str = "") -> str:
    """What every claim carries: version of the rules, of spaCy and of its model, and a hash of the model's files."""
    return f"{RULES_VERSION} {parser_name(find_model(model))}"


def split_answer(answer: Answer, parser: Parser | None = None, grammars: tuple[str, ...] = GRAMMARS) -> SplitAnswer:
    """Cut an answer into claims with offsets; see split_answers.

    >>> import datetime as dt
    >>> moment = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    >>> answer = Answer("a", moment, "?", "Logs are kept 7 days and metrics 30 days.", None)
    >>> [claim.text for claim in split_answer(answer).claims]
    ['Logs are kept 7 days', 'Metrics are kept 30 days']
    """
    return split_answers([answer], parser, grammars)[0]


def split_answers(
    answers: Sequence[Answer], parser: Parser | None = None, grammars: tuple[str, ...] = GRAMMARS
) -> list[SplitAnswer]:
    """Cut answers into claims with offsets, one result an answer; how many are cut together changes nothing.

    Structured claims are taken as they are, but for markers in their words. Otherwise each sentence is cut into its propositions,
    and each of them takes the markers of the `grammars` that it stands in front of. Raises InvalidClaims where structured claims
    contradict themselves, OversizedAnswer past 200,000 characters.
    """
    parser = parser or load_parser()
    outlines = [_outline(answer, grammars) for answer in answers]
    shadows = [piece.shadow for outline in outlines for piece in outline.pieces if piece.shadow is not None]
    parsed = iter(parser.parse(shadows))
    splitter = f"{RULES_VERSION} {parser.name}"
    return [_fill(outline, parsed, splitter) for outline in outlines]


class _Piece(NamedTuple):
    """A sentence with its markers; `shadow` where it is to be parsed."""

    number: int
    sentence: Sentence
    markers: list[Marker]
    text: str
    reason: str | None
    shadow: Shadow | None


class _Outline(NamedTuple):
    answer: Answer
    pieces: list[_Piece]
    markers: list[Marker]
    unparsed: int


def _outline(answer: Answer, grammars: tuple[str, ...]) -> _Outline:
    """Everything about an answer that needs no parser."""
    if len(answer.answer) > MAX_ANSWER:
        raise OversizedAnswer(f"the answer has {len(answer.answer)} characters, more than {MAX_ANSWER}; log the answer alone")
    if answer.claims is not None:
        return _Outline(answer, [], [], 0)
    declared = frozenset(citation.marker for citation in answer.citations or [] if citation.marker)
    markers, unparsed = find_markers(mask_code(answer.answer), grammars, declared)
    foreign = is_foreign(answer.answer)
    starts = [marker.start for marker in markers]
    pieces = []
    for index, sentence in enumerate(split_sentences(answer.answer, declared)):
        ranges = [*sentence.column_bounds, (sentence.start, sentence.end)]
        own = [one for start, end in ranges for one in markers[bisect_left(starts, start) : bisect_left(starts, end)]]
        pieces.append(_piece(index, sentence, own, foreign))
    return _Outline(answer, pieces, markers, len(unparsed))


def _piece(index: int, sentence: Sentence, markers: list[Marker], foreign: bool) -> _Piece:
    text = strip_markers(sentence.text, markers, offset=sentence.start)
    reason = _reason(text, sentence.text, foreign)
    whole = reason not in _SPLIT_REASONS or sentence.kind == "table_row" or len(sentence.text) > MAX_LENGTH or len(text.split()) < 3
    shadow = None if whole else cast_shadow(sentence.text, markup(sentence.text, markers, sentence.start)[0])
    return _Piece(index, sentence, markers, text, reason, shadow)


def _reason(text: str, sentence: str, foreign: bool) -> str | None:
    """Why a claim needs no evidence. What is too short to tell follows the language of its answer."""
    if is_foreign(text) or (foreign and len(text.split()) < 8):
        return "unsupported_language"
    return evidence_reason(text, sentence)


def _fill(outline: _Outline, parsed: Iterator[list[Word]], splitter: str) -> SplitAnswer:
    answer = outline.answer
    if answer.claims is not None:
        return _structured(answer, splitter)
    claims: list[Claim] = []
    labels: list[list[str]] = []
    placed: set[Marker] = set()
    for piece in outline.pieces:
        words = next(parsed) if piece.shadow is not None else []
        if piece.reason is None and is_instruction(words):
            piece, words = piece._replace(reason="imperative"), []
        found = list(_claims(piece, words, answer.answer_id, splitter))
        if not found and claims and piece.markers:
            # Markers alone on a line hang from what stands before them.
            labels[-1].extend(marker.label for marker in piece.markers)
            placed.update(piece.markers)
        for claim, markers in found:
            claims.append(claim)
            labels.append([marker.label for marker in markers])
            placed.update(markers)
    unplaced = [marker.label for marker in outline.markers if marker not in placed]
    return SplitAnswer(answer, claims, labels, unplaced, outline.unparsed)


class _Part(NamedTuple):
    text: str
    own: list[Span]
    inherited: list[Span]
    markers: list[Marker]


def _claims(piece: _Piece, words: list[Word], answer_id: str, splitter: str) -> Iterator[tuple[Claim, list[Marker]]]:
    parts = list(_parts(piece, words))
    for k, part in enumerate(parts, start=1):
        reason = _part_reason(piece, part, len(parts))
        claim = Claim(
            answer_id=answer_id,
            claim_id=f"c{piece.number}" if len(parts) == 1 else f"c{piece.number}.{k}",
            text=part.text,
            start=min(span.start for span in part.own),
            end=max(span.end for span in part.own),
            spans=sorted({*part.own, *part.inherited}),
            inherited=part.inherited,
            heading=piece.sentence.heading,
            sentence=piece.number,
            requires_evidence=reason is None,
            reason=reason,
            stated_reason=abstention_kind(part.text) if reason == "abstention" else None,
            families=[],
            cited=[],
            splitter=splitter,
        )
        yield claim, part.markers


def _part_reason(piece: _Piece, part: _Part, n_parts: int) -> str | None:
    if piece.sentence.kind == "table_row":
        return piece.reason if piece.reason == "unsupported_language" else None
    return piece.reason if n_parts == 1 else evidence_reason(part.text, part.text)


def _parts(piece: _Piece, words: list[Word]) -> Iterator[_Part]:
    if piece.sentence.kind == "table_row" and piece.reason != "unsupported_language":
        yield from (_Part(cell.text, cell.own, cell.inherited, cell.markers) for cell in split_row(piece.sentence, piece.markers))
        return
    drafts = split_clauses(words) if words else []
    parts = list(_propositions(piece, words, drafts)) if len(drafts) > 1 else []
    if piece.reason is not None and all(evidence_reason(part.text, part.text) for part in parts):
        parts = []
    if parts:
        yield from parts
    elif any(character.isalnum() for character in piece.text):
        yield _Part(piece.text, _spans_between(piece.sentence, piece.markers), [], piece.markers)


def _propositions(piece: _Piece, words: list[Word], drafts: list[Draft]) -> Iterator[_Part]:
    start, text = piece.sentence.start, piece.sentence.text
    hidden, code = markup(text, piece.markers, start)
    texts = [word_claim(draft, text, sorted([*hidden, *code]), len(words)) for draft in drafts]
    ends = [word.end + start for word in words if not word.is_mark]
    holders = [_holder(draft, words_of_it, start) for draft, words_of_it in zip(drafts, texts, strict=True)]
    attached = attach_markers(holders, piece.markers, ends)
    for draft, words_of_it, markers in zip(drafts, texts, attached, strict=True):
        own = char_spans(draft, [i for i in draft.order if i not in draft.inherited], text, start)
        inherited = char_spans(draft, [i for i in draft.order if i in draft.inherited], text, start)
        yield _Part(words_of_it, own or inherited, inherited if own else [], markers)


def _holder(draft: Draft, text: str, offset: int) -> Holder:
    ends = {i: draft.words[i].end + offset for i in draft.order if draft.words[i].end > 0 and not draft.words[i].is_mark}
    own = frozenset(end for i, end in ends.items() if i not in draft.inherited)
    return Holder(text, own, frozenset(ends.values()) - own)


def _spans_between(sentence: Sentence, markers: list[Marker]) -> list[Span]:
    """The sentence's characters without its markers."""
    spans, start = [], sentence.start
    for marker_start, marker_end in sorted({(marker.start, marker.end) for marker in markers}):
        if marker_start > start:
            spans.append(Span(start, marker_start))
        start = max(start, marker_end)
    return [*spans, Span(start, sentence.end)] if start < sentence.end else spans


def _structured(answer: Answer, splitter: str) -> SplitAnswer:
    given = answer.claims or []
    ids = [claim.claim_id for claim in given]
    # An empty list declares nothing, as null does: then the claims' own ids are the declaration.
    declared = {citation.evidence_id for citation in answer.citations or []}
    for claim in given:
        if ids.count(claim.claim_id) > 1:
            raise InvalidClaims(f"claims hold the claim_id {claim.claim_id!r} twice; give each claim its own id")
        if not all(claim.evidence_ids):
            raise InvalidClaims(f"claim {claim.claim_id!r} has an empty evidence_id: {claim.evidence_ids}; name it or leave it out")
        if len(set(claim.evidence_ids)) < len(claim.evidence_ids):
            raise InvalidClaims(f"claim {claim.claim_id!r} names an evidence_id twice: {claim.evidence_ids}; name each once")
        unknown = sorted(set(claim.evidence_ids) - declared) if declared else []
        if unknown:
            raise InvalidClaims(
                f"claim {claim.claim_id!r} names evidence that the answer's citations do not declare: {unknown}; declare it"
            )
    claims = []
    for index, claim in enumerate(given):
        text = strip_markers(claim.text, find_markers(mask_code(claim.text))[0]) or claim.text
        reason = _structured_reason(text, claim.requires_evidence)
        spans = [] if claim.start is None or claim.end is None else [Span(claim.start, claim.end)]
        claims.append(
            Claim(
                answer_id=answer.answer_id,
                claim_id=claim.claim_id,
                text=text,
                start=claim.start,
                end=claim.end,
                spans=spans,
                inherited=[],
                heading=None,
                sentence=index,
                requires_evidence=reason is None,
                reason=reason,
                stated_reason=abstention_kind(text) if reason == "abstention" else None,
                families=[],
                cited=[],
                splitter=splitter,
            )
        )
    return SplitAnswer(answer, claims, [list(claim.evidence_ids) for claim in given], [], 0)


def _structured_reason(text: str, requires_evidence: bool) -> str | None:
    """A generator's own word decides, but for what only the words can tell: an abstention, a language nobody here knows."""
    found = _reason(text, text, foreign=False)
    if found in ("abstention", "unsupported_language"):
        return found
    return None if requires_evidence else "declared"


def answer_state(text: str, claims: list[Claim]) -> str:
    """evaluated, or why not: empty, no_claims, abstained (abstention claims and no required one).

    >>> answer_state("   ", [])
    'empty'
    """
    if not text.strip():
        return "empty"
    if not claims:
        return "no_claims"
    abstains = any(claim.reason == "abstention" for claim in claims)
    return "abstained" if abstains and not any(claim.requires_evidence for claim in claims) else "evaluated"


@dataclass
class SplitAnswers(beam.PTransform):
    """Cut answers into claims, parsed in batches, unless their split is known already.

    Comes in: a dict of `answers` ((source, Answer)) and where there is a store `known` ((key, StoredSplit)). Goes out: a dict of
    `splits`, `fresh` (StoredSplits to keep), `rejects` and `counts`.
    """

    model: str = ""
    grammars: tuple[str, ...] = GRAMMARS
    store: Store | None = None

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        keyed = tables["answers"] | "KeyAnswers" >> beam.Map(_keyed, self.grammars)
        known = {"known": tables["known"]} if self.store else {}
        looked = {"asked": keyed, **known} | "LookUp" >> LookUp(self.store)
        answers, fresh = looked["new"] | "NewAnswers" >> beam.Values(), looked["again"]
        split = (
            answers
            | "BatchAnswers" >> beam.BatchElements(min_batch_size=8, max_batch_size=64)
            | "SplitBatch" >> beam.ParDo(_SplitBatch(self.model, self.grammars)).with_outputs("rejects", main="splits")
        )
        if self.store is not None:
            kept = split.splits | "KeepNew" >> beam.Map(_stored, self.grammars, self.store.day)
            fresh = (kept, looked["again"]) | "Fresh" >> beam.Flatten()
        split_before = looked["found"] | "SplitBefore" >> beam.Map(_split_before)
        return {
            "splits": (split.splits, split_before) | "NewAndKnown" >> beam.Flatten(),
            "fresh": fresh,
            "rejects": split.rejects,
            "counts": answers | "CountParsed" >> beam.Map(lambda row: ("answers.parsed", int(_is_parsed(row[1])))),
        }


def _is_parsed(answer: Answer) -> bool:
    return answer.claims is None and len(answer.answer) <= MAX_ANSWER


def split_key(answer: Answer, grammars: tuple[str, ...]) -> str:
    """Name all that splitting reads of an answer: its text, its markers, its structured claims, and the grammars asked for."""
    markers = sorted({citation.marker or "" for citation in answer.citations or []})
    declared = sorted({citation.evidence_id for citation in answer.citations or []}) if answer.claims is not None else []
    read = json.dumps([answer.answer, markers, declared, to_plain(answer.claims), grammars], ensure_ascii=False)
    return hashlib.blake2b(read.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _keyed(row: tuple[str, Answer], grammars: tuple[str, ...]) -> tuple[str, tuple[str, Answer]]:
    return split_key(row[1], grammars), row


def _split_before(found: tuple[str, tuple[str, Answer], StoredSplit]) -> SplitAnswer:
    _, (_, answer), known = found
    claims = [claim._replace(answer_id=answer.answer_id) for claim in known.claims]
    return SplitAnswer(answer, claims, known.labels, known.unplaced, known.unparsed)


def _stored(split: SplitAnswer, grammars: tuple[str, ...], day: dt.date) -> StoredSplit:
    claims = [claim._replace(answer_id="") for claim in split.claims]
    return StoredSplit(split_key(split.answer, grammars), day, claims, split.labels, split.unplaced, split.unparsed)


class _SplitBatch(beam.DoFn):
    def __init__(self, model: str, grammars: tuple[str, ...]) -> None:
        self.model, self.grammars = model, grammars

    def setup(self) -> None:
        self.parser = load_parser(self.model)

    def process(self, batch: list[tuple[str, Answer]]) -> Iterator[Any]:
        try:
            yield from split_answers([answer for _, answer in batch], self.parser, self.grammars)
        except Exception:  # one answer that cannot be split must not take the others with it
            for source, answer in batch:
                yield self._split_or_reject(source, answer)

    def _split_or_reject(self, source: str, answer: Answer) -> Any:
        try:
            return split_answer(answer, self.parser, self.grammars)
        except Exception as error:
            named = (("invalid_claims", InvalidClaims), ("oversized", OversizedAnswer))
            reason = next((reason for reason, kind in named if isinstance(error, kind)), "split_failed")
            message = f"{source} (answer_id={answer.answer_id!r}): {error}"
            record = record_json(to_plain(answer))
            return beam.pvalue.TaggedOutput("rejects", Reject("answers", reason, message, source, answer.answer_id, record))
