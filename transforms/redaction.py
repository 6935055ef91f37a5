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

from schemas.contract import INPUTS, OUTPUTS
from schemas.flagged import Flagged
from schemas.rejects import Reject
from schemas.types import fields
from transforms.contract import MAX_ID
from transforms.cut_json import CUT_MARK, read_cut_json
from transforms.tables import MAX_RECORD_JSON
from transforms.tallies import Key, Tally

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
    "answer": ("claim",),
    "claim": (),
    "passage": ("text", "quote"),
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
# Columns of our own words, wherever one table says so: a pattern that happens to match one of them finds nobody.
OURS = frozenset(one.name for row_type in (*INPUTS.values(), *OUTPUTS.values()) for one in fields(row_type) if one.column.values)
# What `mismatch` quotes, in pieces that no pattern would find.
_MISMATCHED = ("claim", "passage", "context")
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
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
# Tried at every group, for what stands before a colon may be a label: db:2001:db8::1. Groups end with a colon, but for the last.
_IPV6 = re.compile(
    r"(?<!\w)(?=((?:[0-9a-f]{1,4}:|::)(?:[0-9a-f]{0,4}:){0,6}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}|(?<=::))(?!\w|:\w|\.\d)))",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<!\w)(?=([A-Za-z]{2}\d{2}(?:[\s-]?[A-Za-z0-9]{4}){2,7}(?:[\s-]?[A-Za-z0-9]{1,3})?(?!\w)))")
_IBAN_LENGTHS = range(15, 35)


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
    found = [(match.start(), match[0]) for match in _IPV4.finditer(text)]
    found += [(match.start(), match[1]) for match in _IPV6.finditer(text)]
    for start, written in found:
        try:
            address = ipaddress.ip_address(written)
        except ValueError:
            continue
        yield start, start + len(written), str(getattr(address, "ipv4_mapped", None) or address)


def _ibans(text: str, _: str | None) -> Iterator[tuple[int, int, str]]:
    for match in _IBAN.finditer(text):
        # The words that follow may look like a part of it: the longest that the check digits confirm.
        for end in [word.end() for word in re.finditer(r"\w(?!\w)", match[1])][::-1]:
            plain = re.sub(r"[\s-]", "", match[1][:end]).upper()
            # ISO 7064, mod 97-10: letters count from 10.
            if len(plain) in _IBAN_LENGTHS and int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1:
                yield match.start(), match.start() + end, plain
                break


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
        # YAML reads NO as no.
        if self.phone_region is not None and str(self.phone_region) not in _regions():
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
    """Redact a row's texts, our own words aside; of a flagged pair the bounds of span and premise follow its passage."""
    kinds = _kinds(redaction, getattr(row, "status", ""))
    texts = {name: text for name, text in row._asdict().items() if isinstance(text, str) and name not in OURS}
    changed: dict[str, Any] = {name: _replaced(text, kinds.get(name), redaction) for name, text in texts.items()}
    withheld = {"mismatch": any(changed[name] != texts[name] for name in _MISMATCHED if name in texts)}
    # A change quotes a text of today that the row does not hold.
    withheld["change"] = bool(redaction.patterns or redaction.regexes or "passage" in kinds)
    changed |= {name: f"<{name}:withheld>" for name in withheld if withheld[name] and texts.get(name)}
    if isinstance(row, Flagged) and row.passage:
        passage = row.passage
        whole = [Found(0, len(passage), kinds["passage"], passage)] if "passage" in kinds else find(passage, redaction)
        edits = replace(passage, whole, redaction)[1]
        changed |= {name: moved(getattr(row, name), edits, name.endswith("_end")) for name in _BOUNDS}
    return row._replace(**changed)


def _kinds(redaction: Redaction, state: str) -> dict[str, str]:
    """The columns that are replaced whole; an evidence id that no evidence has is a marker, in the answer's own words."""
    marker = "answer" in redaction.fields and state in ("dangling", "unknown_evidence")
    return {**({"evidence_id": "answer"} if marker else {}), **redaction.kinds}


def redact_slice(name: str, value: str, redaction: Redaction) -> str:
    """Redact an attribute's value as slices tell it, NAME=VALUE; the name is the run's own and stays.

    >>> redact_slice("team", "Ann@example.org", Redaction(b"sixteen bytes or more", patterns=("email",)))
    'team=<email:8fe464a5a0a0>'
    """
    text, start = f"{name}={value}", len(name) + 1
    known = [one._replace(start=one.start + start, end=one.end + start) for one in find(value, redaction)]
    found = [one._replace(start=max(one.start, start)) for one in find(text, redaction, known) if one.end > start]
    return replace(text, found, redaction)[0]


def _replaced(text: str, kind: str | None, redaction: Redaction) -> str:
    if not kind or not text:
        return redact_text(text, redaction)
    # The whole of a cut value is not known: its pseudonym would be another night by night.
    return f"<{kind}:cut>" if text.endswith(CUT_MARK) else redaction.pseudonym(kind, text)


def redact_reject(reject: Reject, redaction: Redaction) -> Reject:
    """Redact a reject: its record field by field, and those fields' values wherever message, id or source repeat them."""
    values: list[tuple[str, str]] = []

    def replaced(text: str, kind: str | None) -> str:
        values.extend([(kind, text)] if kind and text else [])
        return _replaced(text, kind, redaction)

    read = None if reject.record is None else _with_mapping(read_cut_json(reject.record))
    record = _each_text(read, replaced, _kinds(redaction, reject.reason))
    if redaction.fields and len(reject.record or "") >= MAX_RECORD_JSON:
        # A message may quote a field that the cut took from the record.
        values += [("quoted", one[2]) for one in _QUOTED.finditer(reject.message) if one[2]]
    texts: dict[str, Any] = {name: _without(getattr(reject, name), values, redaction) for name in ("message", "record_id")}
    texts["source"] = redact_text(reject.source, redaction)
    if reject.reason in ("judging_failed", "split_failed") and TEXTS.intersection(redaction.fields):
        texts["message"] = WITHHELD
    return reject._replace(**texts, record=None if record is None else json.dumps(record, ensure_ascii=False, sort_keys=True))


def _each_text(
    value: Any, change: Callable[[str, str | None], str], kinds: Mapping[str, str], name: str = "", kind: str | None = None
) -> Any:
    """A record with each of its texts changed, given the field that it belongs to, if any: the outermost."""
    kind = kind or kinds.get(name)
    if isinstance(value, str):
        return change(value, kind)
    if isinstance(value, list):
        return [_each_text(part, change, kinds, name, kind) for part in value]
    if isinstance(value, dict):
        return {key: _each_text(part, change, kinds, _column(name, key), kind) for key, part in value.items()}
    return value


def _column(name: str, key: str) -> str:
    """The column that a part of a record counts as."""
    return f"attributes.{key}" if name == "attributes" else "claim" if (name, key) == ("claims", "text") else key


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


_NAMED = re.compile(r"(\w+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")


def redact_tally(tally: Tally, redaction: Redaction) -> Tally:
    """Redact the ids by which a tally names rows, each NAME='VALUE'."""
    examples = (_NAMED.sub(lambda named: _redact_named(named, redaction), one) for one in tally.examples)
    return tally._replace(examples=tuple(sorted(examples)))


def _redact_named(named: re.Match[str], redaction: Redaction) -> str:
    name, value = named[1], ast.literal_eval(named[2])
    if name in OURS:
        return named[0]
    # An id that was cut may end in half of what a pattern finds.
    text = f"<{name}:cut>" if len(value) >= MAX_ID else _replaced(value, redaction.kinds.get(name), redaction)
    return f"{name}={text!r}"


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


def _redact_tally(keyed: tuple[Key, Tally], redaction: Redaction) -> tuple[Key, Tally]:
    return keyed[0], redact_tally(keyed[1], redaction)
