"""Redact what people read: configured fields and patterns (e-mail, phone, ids) give way to stable pseudonyms.

A pseudonym is a keyed hash: the same value gets the same one in every table and on every night with the same key, and without the
key nobody can try values until one fits.
"""

from __future__ import annotations

import ast
import hashlib
import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import apache_beam as beam

from schemas.flagged import Flagged
from schemas.rejects import Reject
from transforms.cut_json import CUT_MARK, read_cut_json
from transforms.tables import MAX_RECORD_JSON
from transforms.tallies import Tally

RowT = TypeVar("RowT", bound=NamedTuple)
# 48 bits: among a million different values, two share a pseudonym in one night of 500.
DIGEST_BYTES = 6
LEAST_KEY = 16
# A field, and the columns that hold its words or ids under another name.
FIELDS: dict[str, tuple[str, ...]] = {
    "answer_id": (),
    "claim_id": (),
    "evidence_id": ("evidence_ids", "retrieved"),
    "doc_id": (),
    "question": (),
    "answer": ("claim", "mismatch"),
    "claim": ("mismatch",),
    "passage": ("text", "quote", "mismatch", "change"),
    "context": (),
    "uri": (),
    "version": ("superseded_by",),
    "build": (),
    "principals": (),
    "attributes": (),
}
# Their words turn up in messages that quote more than a whole value.
TEXTS = frozenset({"question", "answer", "claim", "passage", "context"})
WITHHELD = "what the error said is withheld: it may quote redacted text"
_BOUNDS = ("span_start", "span_end", "premise_start", "premise_end")
_ATTRIBUTE = re.compile(r"attributes\..+")
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
# As much of a cut value as tells its place in a message.
_PREFIX = 100
_QUOTED = re.compile(r"(?<!\w)(['\"])((?:[^\\]|\\.)*?)\1(?!\w)", re.DOTALL)
# A shorter value is replaced in a message only in quotes: 1 is not row 1.
_SHORT = 4


class Found(NamedTuple):
    """A stretch of text to replace: what kind of thing it is, and its value in one spelling."""

    start: int
    end: int
    kind: str
    value: str


class Edit(NamedTuple):
    """A replaced stretch, in the old text and in the new."""

    start: int
    end: int
    new_start: int
    new_end: int


# --- patterns ---------------------------------------------------------------------------------------------------------------------

# The part before the @ starts where no such character stands before, and is bounded: long nonsense is looked at once.
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-][\w.+%'-]{0,255}(?:@|%40)(?:[\w-]+\.)+[\w-]{2,}", re.IGNORECASE)
_IP = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)"
    r"|(?=[0-9a-f]{0,4}:)[0-9a-f:]{2,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:]|\.\d))",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")


def _emails(text: str, _: str | None) -> Iterator[tuple[int, int, str]]:
    for match in _EMAIL.finditer(text):
        yield match.start(), match.end(), match[0].lower().replace("%40", "@")


def _phones(text: str, region: str | None) -> Iterator[tuple[int, int, str]]:
    # Without a region only numbers with their country's code are numbers of anything.
    if region is None and not any(plus in text for plus in "+＋"):
        return
    import phonenumbers

    for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID):
        yield match.start, match.end, phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)


def _addresses(text: str, _: str | None) -> Iterator[tuple[int, int, str]]:
    for match in _IP.finditer(text):
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            continue
        yield match.start(), match.end(), str(getattr(address, "ipv4_mapped", None) or address)


def _ibans(text: str, _: str | None) -> Iterator[tuple[int, int, str]]:
    for match in _IBAN.finditer(text):
        plain = match[0].replace(" ", "")
        # ISO 7064, mod 97-10: letters count from 10.
        if int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1:
            yield match.start(), match.end(), plain


PATTERNS: dict[str, Callable[[str, str | None], Iterator[tuple[int, int, str]]]] = {
    "email": _emails,
    "phone": _phones,
    "ip": _addresses,
    "iban": _ibans,
}


# --- configuration ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Redaction:
    """What to redact, checked when it is built: raises ValueError with every fault.

    `fields` are names of FIELDS or `attributes.NAME`; `patterns` names of PATTERNS; `regexes` one's own, by name. Telephone numbers
    without a country's code are those of `phone_region`. `key` makes the pseudonyms.
    """

    key: bytes = field(repr=False)
    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    regexes: Mapping[str, str] = field(default_factory=dict)
    phone_region: str | None = None

    def __post_init__(self) -> None:
        if faults := list(self._faults()):
            raise ValueError("; ".join(faults))

    def _faults(self) -> Iterator[str]:
        if len(self.key) < LEAST_KEY:
            yield f"the key has {len(self.key)} bytes; give {LEAST_KEY} or more, at random"
        if not self.fields and not self.patterns and not self.regexes:
            yield "nothing is named; give fields or patterns"
        for name in self.fields:
            if name not in FIELDS and not _ATTRIBUTE.match(name):
                yield f"unknown field {name!r}; choose from {', '.join(FIELDS)}, attributes.NAME"
        for name in self.patterns:
            if name not in PATTERNS:
                yield f"unknown pattern {name!r}; choose from {', '.join(PATTERNS)}, or give NAME: REGEX"
        for name, regex in self.regexes.items():
            yield from _regex_faults(name, regex)
        if self.phone_region is not None and self.phone_region not in _regions():
            yield f"unknown phone_region {self.phone_region!r}; give a country in two letters, like DE"

    @property
    def key_id(self) -> str:
        """Tells keys apart without telling the key: pseudonyms of two runs compare only under the same."""
        return hashlib.blake2b(b"key", key=self._short_key, digest_size=4).hexdigest()

    @property
    def _short_key(self) -> bytes:
        # blake2b takes 64 bytes of key.
        return self.key if len(self.key) <= 64 else hashlib.blake2b(self.key).digest()

    @property
    def kinds(self) -> dict[str, str]:
        """The columns that are replaced whole, each with the field that it belongs to."""
        covered = {column: name for name in self.fields for column in FIELDS.get(name, ())}
        return {**covered, **{name: name for name in self.fields}}

    def pseudonym(self, kind: str, value: str) -> str:
        """The name that stands for a value.

        >>> one = Redaction(b"sixteen bytes or more", patterns=("email",))
        >>> one.pseudonym("email", "ann@example.org") == one.pseudonym("email", "ann@example.org")
        True
        """
        named = f"{kind}\x1f{value}".encode("utf-8", "replace")
        return f"<{kind}:{hashlib.blake2b(named, key=self._short_key, digest_size=DIGEST_BYTES).hexdigest()}>"


def _regex_faults(name: Any, regex: Any) -> Iterator[str]:
    if not isinstance(name, str) or not _NAME.match(name) or name in PATTERNS or name in FIELDS:
        yield f"a pattern of your own needs a name of its own, in small letters: {name!r}"
    try:
        if re.compile(regex).search(""):
            yield f"pattern {name!r} matches the empty text: {regex!r}"
    except (re.error, TypeError) as error:
        yield f"pattern {name!r} is no regular expression: {regex!r}: {error}"


def _regions() -> frozenset[str]:
    import phonenumbers

    return frozenset(phonenumbers.SUPPORTED_REGIONS)


# --- texts ------------------------------------------------------------------------------------------------------------------------


def find(text: str, redaction: Redaction, known: Iterable[Found] = ()) -> list[Found]:
    """Find what to replace in a text, `known` stretches included; what overlaps becomes one, named for what starts first."""
    found = list(known)
    for name in redaction.patterns:
        found += [Found(start, end, name, value) for start, end, value in PATTERNS[name](text, redaction.phone_region)]
    for name, regex in redaction.regexes.items():
        found += [Found(*match.span(), name, match[0]) for match in re.finditer(regex, text) if match[0]]
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:
            kept[-1] = kept[-1]._replace(end=one.end, value=text[kept[-1].start : one.end])
    return kept


def replace(text: str, found: Iterable[Found], redaction: Redaction) -> tuple[str, list[Edit]]:
    """Put pseudonyms in the place of what was found; says where each stands."""
    parts, edits, last, length = [], [], 0, 0
    for one in found:
        name = redaction.pseudonym(one.kind, one.value)
        start = length + one.start - last
        parts += [text[last : one.start], name]
        last, length = one.end, start + len(name)
        edits.append(Edit(one.start, one.end, start, length))
    return "".join((*parts, text[last:])), edits


def redact_text(text: str, redaction: Redaction) -> str:
    """Redact the patterns in a text.

    >>> redact_text("Write to Ann@example.org.", Redaction(b"sixteen bytes or more", patterns=("email",)))
    'Write to <email:8fe464a5a0a0>.'
    """
    return replace(text, find(text, redaction), redaction)[0]


def moved(offset: int | None, edits: Sequence[Edit], is_end: bool) -> int | None:
    """Where an offset of the old text stands in the new one; one inside a replaced stretch takes in the whole pseudonym.

    >>> edits = [Edit(5, 9, 5, 20)]
    >>> [moved(offset, edits, is_end=False) for offset in (3, 5, 7, 9, 12)], moved(7, edits, is_end=True)
    ([3, 5, 5, 20, 23], 20)
    """
    if offset is None:
        return None
    shift = 0
    for edit in edits:
        if offset <= edit.start:
            break
        if offset < edit.end:
            return edit.new_end if is_end else edit.new_start
        shift = edit.new_end - edit.end
    return offset + shift


# --- rows -------------------------------------------------------------------------------------------------------------------------


def redact_row(row: RowT, redaction: Redaction) -> RowT:
    """Redact a row's texts; of a flagged pair the bounds of span and premise follow its passage."""
    kinds = redaction.kinds
    changed: dict[str, Any] = {
        name: _replaced(value, kinds.get(name), redaction) for name, value in row._asdict().items() if isinstance(value, str)
    }
    if isinstance(row, Flagged) and row.passage:
        passage = row.passage
        whole = [Found(0, len(passage), kinds["passage"], passage)] if "passage" in kinds else find(passage, redaction)
        edits = replace(passage, whole, redaction)[1]
        changed |= {name: moved(getattr(row, name), edits, name.endswith("_end")) for name in _BOUNDS}
    return row._replace(**changed)


def _replaced(text: str, kind: str | None, redaction: Redaction) -> str:
    if not kind or not text:
        return redact_text(text, redaction)
    # The whole of a cut value is not known: its pseudonym would be another night by night.
    return f"<{kind}:cut>" if text.endswith(CUT_MARK) else redaction.pseudonym(kind, text)


def redact_reject(reject: Reject, redaction: Redaction) -> Reject:
    """Redact a reject: its record field by field, and those fields' values wherever message, id or source repeat them."""
    record = None if reject.record is None else _with_mapping(read_cut_json(reject.record))
    values = list(_field_values(record, "", redaction.kinds))
    if redaction.fields and len(reject.record or "") >= MAX_RECORD_JSON:
        # A message may quote a field that the cut took from the record.
        values += [("quoted", one[2]) for one in _QUOTED.finditer(reject.message) if one[2]]
    texts: dict[str, Any] = {name: _without(getattr(reject, name), values, redaction) for name in ("message", "record_id")}
    texts["source"] = redact_text(reject.source, redaction)
    if reject.reason in ("judging_failed", "split_failed") and TEXTS.intersection(redaction.fields):
        texts["message"] = WITHHELD
    redacted = None if record is None else json.dumps(_redacted(record, "", redaction), ensure_ascii=False, sort_keys=True)
    return reject._replace(**texts, record=redacted)


def _with_mapping(record: Any) -> Any:
    """Arrow gives a map as a list of pairs."""
    if isinstance(record, dict) and isinstance(record.get("attributes"), list):
        return {**record, "attributes": dict(pair for pair in record["attributes"] if len(pair) == 2)}
    return record


def _without(text: str | None, values: Sequence[tuple[str, str]], redaction: Redaction) -> str | None:
    """A text without the values named, as they are or as a Python literal shows them, and without the patterns."""
    if not text:
        return text
    known = [
        Found(*match.span(), kind, value)
        for kind, value in values
        for spelled in {value, repr(value)[1:-1]}
        for match in re.finditer(_place(spelled), text, re.DOTALL)
    ]
    new, last = [], 0
    for one in find(text, redaction, known):
        new += [text[last : one.start], _replaced(one.value, one.kind, redaction)]
        last = one.end
    return "".join((*new, text[last:]))


def _place(value: str) -> str:
    """Where a value stands as a word of its own, a short one in quotes; one that was cut takes all that follows it."""
    if value.endswith(CUT_MARK):
        return rf"{re.escape(value.removesuffix(CUT_MARK)[:_PREFIX])}.*"
    if len(value) < _SHORT:
        return rf"(?:(?<=['\"/])|\A){re.escape(value)}(?=['\"/]|\Z)"
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _children(value: Any, name: str) -> Iterator[tuple[Any, Any, str]]:
    """The parts of a record's value: (key, part, column that it counts as)."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key, part, f"attributes.{key}" if name == "attributes" else "claim" if (name, key) == ("claims", "text") else key
    else:
        for i, part in enumerate(value):
            yield i, part, name


def _redacted(value: Any, name: str, redaction: Redaction) -> Any:
    kinds = redaction.kinds
    if isinstance(value, str):
        return _replaced(value, kinds.get(name), redaction)
    if not isinstance(value, dict | list):
        return value
    if name in kinds:
        return _all_replaced(value, kinds[name], redaction)
    parts = [(key, _redacted(part, column, redaction)) for key, part, column in _children(value, name)]
    return dict(parts) if isinstance(value, dict) else [part for _, part in parts]


def _all_replaced(value: Any, kind: str, redaction: Redaction) -> Any:
    if isinstance(value, dict):
        return {key: _all_replaced(part, kind, redaction) for key, part in value.items()}
    if isinstance(value, list):
        return [_all_replaced(part, kind, redaction) for part in value]
    return _replaced(value, kind, redaction) if isinstance(value, str) else value


def _field_values(value: Any, name: str, kinds: Mapping[str, str], kind: str | None = None) -> Iterator[tuple[str, str]]:
    """The texts of a record that belong to fields, as (field, text), the longest of nested ones included."""
    kind = kind or kinds.get(name)
    if isinstance(value, str):
        if kind and value:
            yield kind, value
    elif isinstance(value, dict | list):
        for _, part, column in _children(value, name):
            yield from _field_values(part, column, kinds, kind)


def redact_tally(tally: Tally, redaction: Redaction, id_column: str) -> Tally:
    """Redact the rows that a tally names by their ids; `id_column` is what a bare id is one of."""
    return tally._replace(examples=tuple(sorted(_example(one, redaction, id_column) for one in tally.examples)))


_NAMED = re.compile(r"(\w+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")


def _example(text: str, redaction: Redaction, id_column: str) -> str:
    kinds = redaction.kinds
    named = list(_NAMED.finditer(text))
    if not named and id_column in kinds:
        return _replaced(text, kinds[id_column], redaction)
    values = [(kinds[one[1]], ast.literal_eval(one[2])) for one in named if one[1] in kinds]
    return _without(text, [(kind, value) for kind, value in values if value], redaction) or ""


@dataclass
class RedactRows(beam.PTransform):
    """Redact rows of one table; without a redaction they pass as they are."""

    redaction: Redaction | None

    def expand(self, rows: beam.PCollection) -> beam.PCollection:
        if self.redaction is None:
            return rows
        return rows | "RedactEach" >> beam.Map(_redact_any, self.redaction).with_output_types(rows.element_type)


def _redact_any(row: Any, redaction: Redaction) -> Any:
    return redact_reject(row, redaction) if isinstance(row, Reject) else redact_row(row, redaction)


@dataclass
class RedactTallies(beam.PTransform):
    """Redact the examples of validation results: (key, Tally) in and out."""

    redaction: Redaction | None

    def expand(self, tallies: beam.PCollection) -> beam.PCollection:
        if self.redaction is None:
            return tallies
        return tallies | "RedactExamples" >> beam.Map(_redact_tally, self.redaction)


def _redact_tally(keyed: tuple[tuple[str, int], Tally], redaction: Redaction) -> tuple[tuple[str, int], Tally]:
    key, tally = keyed
    return key, redact_tally(tally, redaction, "evidence_id" if key[0].lower().startswith("evidence") else "answer_id")
