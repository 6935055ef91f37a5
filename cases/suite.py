"""The near-miss suite: two passages one attribute apart, as a case with an answer and as a case that has to be declined.

One file a family (`data/<family>.yaml`), one entry a pair, nothing written twice:

    - id: scope-message-traces                        # unique in the suite
      question: How long can I search EU traces?      # what the user asks
      claim: EU traces are searchable for 45 days.    # what the passage under `supports` establishes, in the user's words
      answer_contains: ["45"]                         # words of the claim that every right answer holds; may be left out
      origin: mutated                                 # one attribute differs; mined: also what it governs
      differs:
        region: [eu-central-1, us-west-2]             # attribute: [words in `supports`, words in `resembles`]
      also: [ca-west-1, sa-east-1]                    # further words for the first attribute; may be left out
      context:                                        # what the generator is shown, in this order
        - supports: brackwell/retention#4             # role: chunk id
          text: Traces in eu-central-1 stay searchable for 45 days.
          span: stay searchable for 45 days           # the words that are cited; once in the text
        - resembles: brackwell/retention#5
          text: Traces in us-west-2 stay searchable for 45 days.
          span: stay searchable for 45 days
        - beside: brackwell/retention#6               # same document, other matter; without a span: cited as a whole
          text: Receipts are deleted together with the mailbox.

A pair becomes two cases: `both-present` shows everything and expects the supporting chunk to be cited and none that resembles it;
`true-absent` lacks that chunk and has to be declined. Of several `resembles`, `differs` speaks of the first.

No case shows the words of `also`. Each of them, in the place of the first attribute's words in the supporting passage, makes a
further near miss, exactly one attribute apart: `passage_pairs` sets every near miss of a pair beside the passage that it resembles.

In the aggregation family the claim is about a population. A role more, `instance`, is a single case that fits the claim; `supports`
states the aggregate itself and stands in a third case only, `control`. `both-present` (the instance and what resembles it) and
`true-absent` (without the instance) both have to be declined: single cases establish nothing about all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from schemas.claims import FAMILIES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

VARIANTS = ("both-present", "true-absent", "control")
ORIGINS = ("mutated", "mined")
BEHAVIOURS = ("answer", "decline")
# What a near miss of the family changes; `value` is also what another attribute governs in a mined pair.
ATTRIBUTES = {
    "scope": ("region", "tier", "audience", "product"),
    "date": ("date", "version", "period", "horizon"),
    "quantity": ("value", "unit", "measure"),
    "entity": ("name", "role"),
    "polarity": ("negation", "direction"),
    "modality": ("modal", "plan", "condition", "exception"),
    "aggregation": ("quantifier",),
}
_ROLES = ("supports", "resembles", "instance", "beside")
_NEEDED = ("id", "question", "claim", "origin", "differs", "context")
_FIELDS = (*_NEEDED, "answer_contains", "also")
_CHUNK_FIELDS = (*_ROLES, "text", "span")


class Chunk(NamedTuple):
    """One passage of a context; the cited span is [span_start, span_end) of its text, or all of it where both are None."""

    chunk_id: str
    text: str
    span_start: int | None = None
    span_end: int | None = None

    @property
    def clip(self) -> str:
        """The bare words of the span.

        >>> Chunk("c", "Logs are kept for 30 days.", 9, 25).clip
        'kept for 30 days'
        """
        return self.text[self.span_start : self.span_end]


def make_chunk(chunk_id: str, text: str, span: str | None) -> Chunk:
    """Make a chunk whose cited span is quoted; without one all of it is cited.

    >>> make_chunk("c", "Logs are kept for 30 days.", "30 days")
    Chunk(chunk_id='c', text='Logs are kept for 30 days.', span_start=18, span_end=25)
    """
    if span is None:
        return Chunk(chunk_id, text)
    start = text.index(span)
    return Chunk(chunk_id, text, start, start + len(span))


class Difference(NamedTuple):
    """An attribute, with its words in the supporting passage and in the one that resembles it."""

    attribute: str
    supporting: str
    resembling: str


class Expectation(NamedTuple):
    """What a generator has to do with a case: this alone decides whether it passes."""

    family: str
    behaviour: str
    answer_contains: tuple[str, ...]
    cited_chunks_include: tuple[str, ...]
    cited_chunks_exclude: tuple[str, ...]


class Case(NamedTuple):
    """One question over one context; the cases of a pair share everything but variant, context and expectation."""

    id: str
    pair: str
    variant: str
    origin: str
    question: str
    claim: str
    differs: tuple[Difference, ...]
    context: tuple[Chunk, ...]
    expect: Expectation
    also: tuple[str, ...] = ()

    @property
    def gold(self) -> str:
        """The right answer in words, where there is one."""
        return self.claim


class PassagePair(NamedTuple):
    """A passage that establishes the claim, and one that resembles it and does not."""

    family: str
    pair: str
    origin: str
    claim: str
    true: Chunk
    near: Chunk


class _Entry(NamedTuple):
    """A pair as it stands in a file, unchecked."""

    file: str
    family: str
    fields: dict[str, Any]


def load_suite(folder: Traversable | None = None) -> tuple[Case, ...]:
    """Load every case of the YAML files in `folder`, of the shipped suite where none is given.

    Cases come in the order of FAMILIES and of each file, the variants of a pair in the order of VARIANTS. Raises ValueError that
    names every fault at once: file, id, field, value and what to do.

    >>> cases = load_suite()
    >>> (cases[0].id, cases[0].expect.family, cases[1].expect.behaviour)
    ('scope-message-traces/both-present', 'scope', 'decline')
    """
    folder = resources.files("cases") / "data" if folder is None else folder
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".yaml"))
    faults = [] if files else [f"no cases: {str(folder)!r} holds no .yaml file; name the folder that does"]
    entries: list[_Entry] = []
    for name in sorted(files, key=_rank):
        found, wrong = _read(name, (folder / name).read_text(encoding="utf-8"))
        entries += found
        faults += wrong
    faults += [f"{entry.file}: {entry.fields.get('id')!r}: {fault}" for entry in entries for fault in _faults(entry)]
    faults += list(_doubles(entries))
    if faults:
        raise ValueError("\n".join(faults))
    return tuple(case for entry in entries for case in _expand(entry))


def _rank(name: str) -> tuple[int, str]:
    family = name.removesuffix(".yaml")
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES), name


def _read(name: str, text: str) -> tuple[list[_Entry], list[str]]:
    """Read one file into entries and the faults of the file itself."""
    family = name.removesuffix(".yaml")
    if family not in FAMILIES:
        return [], [f"{name}: unknown family: {family!r}; name the file after one of {', '.join(FAMILIES)}"]
    try:
        rows = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [], [f"{name}: not YAML: {' '.join(str(error).split())}; mend the line"]
    if not isinstance(rows, list) or not rows:
        return [], [f"{name}: expected a list of pairs, got {short(rows)}; start each pair with `- id:`"]
    faults = [f"{name}: expected a pair, got {short(row)}; start it with `- id:`" for row in rows if not isinstance(row, dict)]
    return [_Entry(name, family, row) for row in rows if isinstance(row, dict)], faults


def _doubles(entries: list[_Entry]) -> Iterator[str]:
    """Name each id that two pairs have; chunk ids may recur between pairs, for documents do."""
    for pair_id, n in Counter(str(entry.fields.get("id")) for entry in entries).items():
        if n > 1:
            files = ", ".join(dict.fromkeys(entry.file for entry in entries if str(entry.fields.get("id")) == pair_id))
            yield f"{files}: {pair_id!r}: id: stands {n} times in the suite; rename all but one"


# --- faults -----------------------------------------------------------------------------------------------------------------------


def _faults(entry: _Entry) -> Iterator[str]:
    """Yield what is wrong with an entry, each as `field: problem, value; fix`."""
    fields = entry.fields
    yield from (f"{key}: unknown field; use {', '.join(_FIELDS)}" for key in fields if key not in _FIELDS)
    yield from (f"{key}: missing; add it" for key in _NEEDED if key not in fields)
    for key in ("id", "question", "claim"):
        if key in fields and not is_text(fields[key]):
            yield f"{key}: expected text, got {short(fields[key])}; write words, in quotes where YAML reads them otherwise"
    if "origin" in fields and fields["origin"] not in ORIGINS:
        yield f"origin: unknown, {fields['origin']!r}; use {' or '.join(ORIGINS)}"
    yield from _answer_faults(fields)
    chunks = fields.get("context", [])
    if not isinstance(chunks, list) or not all(isinstance(chunk, dict) for chunk in chunks):
        yield f"context: expected a list of chunks, got {short(chunks)}; start each with `- supports:` or another role"
        return
    broken = [fault for index, chunk in enumerate(chunks, start=1) for fault in _chunk_faults(index, chunk)]
    yield from broken
    if "context" in fields and not broken:
        yield from _context_faults(entry.family, chunks)
        yield from _difference_faults(entry)
        yield from _also_faults(entry.fields)


def _answer_faults(fields: dict[str, Any]) -> Iterator[str]:
    wanted = fields.get("answer_contains", [])
    if not isinstance(wanted, list) or not all(is_text(words) for words in wanted):
        yield f"answer_contains: expected a list of texts, got {short(wanted)}; put numbers in quotes"
    elif is_text(fields.get("claim")):
        missing = [words for words in wanted if words.casefold() not in fields["claim"].casefold()]
        yield from (f"answer_contains: {words!r} is not in the claim; take words from the claim" for words in missing)


def _chunk_faults(index: int, chunk: dict[str, Any]) -> Iterator[str]:
    where = f"context[{index}]"
    yield from (f"{where}.{key}: unknown field; use {', '.join(_CHUNK_FIELDS)}" for key in chunk if key not in _CHUNK_FIELDS)
    roles = [role for role in _ROLES if role in chunk]
    if len(roles) != 1:
        yield f"{where}: expected one role, got {', '.join(roles) or 'none'}; give the chunk id under one of {', '.join(_ROLES)}"
        return
    for key in (roles[0], "text"):
        if not is_text(chunk.get(key)):
            yield f"{where}.{key}: expected text, got {short(chunk.get(key))}; write words"
    if "span" not in chunk:
        if roles[0] != "beside":
            yield f"{where}.span: missing; quote the words of the text that are cited"
    elif not is_text(chunk["span"]):
        yield f"{where}.span: expected text, got {short(chunk['span'])}; quote words of the text"
    elif is_text(chunk.get("text")) and (n := chunk["text"].count(chunk["span"])) != 1:
        fix = "quote more words" if n else "quote the text letter by letter"
        yield f"{where}.span: {chunk['span']!r} occurs {n} times in the text; {fix}"


def _context_faults(family: str, chunks: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what keeps a variant from being built out of the chunks."""
    n = Counter(_role(chunk) for chunk in chunks)
    aggregation = family == "aggregation"
    if n["supports"] != 1:
        variant = "control" if aggregation else "both-present"
        yield f"context: {n['supports']} chunks under `supports`, so there is no {variant} case; mark exactly one"
    if not n["resembles"]:
        yield "context: no chunk under `resembles`, so there is no true-absent case; add the near miss"
    if aggregation and not n["instance"]:
        yield "context: no chunk under `instance`, so there is no both-present case; add a single case that fits the claim"
    if n["instance"] and not aggregation:
        yield "context: a chunk under `instance` outside the aggregation family; use `resembles` or `beside`"
    ids = Counter(chunk[_role(chunk)] for chunk in chunks)
    yield from (f"context: chunk id {name!r} stands {times} times; rename all but one" for name, times in ids.items() if times > 1)


def _difference_faults(entry: _Entry) -> Iterator[str]:
    differs = entry.fields.get("differs")
    if not isinstance(differs, dict) or not all(_is_two_texts(words) for words in differs.values()):
        if differs is not None:
            yield f"differs: expected `attribute: [words in supports, in resembles]`, got {short(differs)}; put numbers in quotes"
        return
    known = [attribute for attributes in ATTRIBUTES.values() for attribute in attributes]
    yield from (f"differs.{key}: unknown attribute; use one of {', '.join(known)}" for key in differs if key not in known)
    if next(iter(differs), None) not in ATTRIBUTES[entry.family]:
        yield f"differs: begins with {next(iter(differs), None)!r}; begin with one of {', '.join(ATTRIBUTES[entry.family])}"
    origin = entry.fields.get("origin")
    if origin in ORIGINS and (origin == "mutated") != (len(differs) == 1):
        yield f"differs: {len(differs)} attributes in a pair that is {origin!r}; mutated has one, mined more"
    for side, role in enumerate(("supports", "resembles")):
        text = next((chunk["text"] for chunk in entry.fields["context"] if role in chunk), "")
        for key, words in differs.items():
            if text and words[side] not in text:
                yield f"differs.{key}: {words[side]!r} is not in the chunk under `{role}`; quote the text letter by letter"


def _also_faults(fields: dict[str, Any]) -> Iterator[str]:
    """Yield what keeps further near misses from being built."""
    also, differs = fields.get("also", []), fields.get("differs")
    if not isinstance(also, list) or not all(map(is_text, also)):
        yield f"also: expected a list of texts, got {short(also)}; put numbers in quotes"
        return
    yield from (f"also: {words!r} stands {n} times; strike out all but one" for words, n in Counter(also).items() if n > 1)
    if not also or not isinstance(differs, dict) or not differs or not all(map(_is_two_texts, differs.values())):
        return
    attribute, pair = next(iter(differs.items()))
    yield from (f"also: {words!r} stands in differs.{attribute}; strike it out here" for words in pair if words in also)
    yield from _place_faults(attribute, pair[0], next((chunk for chunk in fields["context"] if "supports" in chunk), {}))


def _place_faults(attribute: str, words: str, chunk: dict[str, Any]) -> Iterator[str]:
    """Yield what keeps other words from being put in the place of these."""
    text, span = chunk.get("text", ""), chunk.get("span", "")
    if (n := text.count(words)) > 1:
        yield f"differs.{attribute}: {words!r} occurs {n} times in the chunk under `supports`; quote more words or drop `also`"
    elif n and words not in span and _overlap(text, words, span):
        yield f"differs.{attribute}: {words!r} is cut in two by the span {short(span)}; move the span or drop `also`"


def _overlap(text: str, words: str, span: str) -> bool:
    return text.index(span) < text.index(words) + len(words) and text.index(words) < text.index(span) + len(span)


def is_text(value: Any) -> bool:
    """Whether a field holds words.

    >>> is_text("EU"), is_text(" "), is_text(7)
    (True, False, False)
    """
    return isinstance(value, str) and bool(value.strip())


def _is_two_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_text, value))


def short(value: Any) -> str:
    """Write a value for a message, its end cut off where it is long."""
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:57]}..."


# --- cases ------------------------------------------------------------------------------------------------------------------------


def _role(chunk: dict[str, Any]) -> str:
    return next(role for role in _ROLES if role in chunk)


def _expand(entry: _Entry) -> Iterator[Case]:
    """Turn a checked entry into its cases."""
    if entry.family == "aggregation":
        yield _case(entry, "both-present", without=("supports",))
        yield _case(entry, "true-absent", without=("supports", "instance"))
        yield _case(entry, "control", without=())
    else:
        yield _case(entry, "both-present", without=())
        yield _case(entry, "true-absent", without=("supports",))


def _case(entry: _Entry, variant: str, without: tuple[str, ...]) -> Case:
    fields = entry.fields
    shown = [chunk for chunk in fields["context"] if _role(chunk) not in without]
    return Case(
        id=f"{fields['id']}/{variant}",
        pair=fields["id"],
        variant=variant,
        origin=fields["origin"],
        question=fields["question"],
        claim=fields["claim"],
        differs=tuple(Difference(attribute, *words) for attribute, words in fields["differs"].items()),
        context=tuple(map(_chunk, shown)),
        expect=_expectation(entry, shown),
        also=tuple(fields.get("also", ())),
    )


def _chunk(chunk: dict[str, Any]) -> Chunk:
    return make_chunk(chunk[_role(chunk)], chunk["text"], chunk.get("span"))


def _expectation(entry: _Entry, shown: list[dict[str, Any]]) -> Expectation:
    supporting = tuple(chunk["supports"] for chunk in shown if "supports" in chunk)
    return Expectation(
        family=entry.family,
        behaviour="answer" if supporting else "decline",
        answer_contains=tuple(entry.fields.get("answer_contains", ())) if supporting else (),
        cited_chunks_include=supporting,
        # Where nothing answers, nothing can be cited for an answer.
        cited_chunks_exclude=tuple(
            chunk[_role(chunk)] for chunk in shown if _role(chunk) in ("resembles", "instance") or not supporting
        ),
    )


# --- passage pairs ----------------------------------------------------------------------------------------------------------------


def passage_pairs(cases: Iterable[Case]) -> tuple[PassagePair, ...]:
    """Set each near miss of the suite beside the passage that it resembles.

    Takes the cases of whole pairs, as `load_suite` returns them. Gives for each pair, in their order, the near miss that is written
    out, then one for each of the words under `also`, whose chunk id is that of the true passage with `~1`, `~2` and so on.

    >>> pair = passage_pairs(load_suite())[1]
    >>> (pair.true.chunk_id, pair.near.chunk_id, pair.near.text[:37])
    ('brackwell/retention#4', 'brackwell/retention#4~1', 'Message traces written in us-east-1 s')
    """
    return tuple(pair for case in cases if case.expect.behaviour == "answer" for pair in _pairs(case))


def _pairs(case: Case) -> Iterator[PassagePair]:
    (true,) = (chunk for chunk in case.context if chunk.chunk_id in case.expect.cited_chunks_include)
    yield PassagePair(case.expect.family, case.pair, case.origin, case.claim, true, _near_miss(case))
    for number, words in enumerate(case.also, start=1):
        further = _mutated(true, f"{true.chunk_id}~{number}", case.differs[0].supporting, words)
        yield PassagePair(case.expect.family, case.pair, "mutated", case.claim, true, further)


def instance_pairs(cases: Iterable[Case]) -> tuple[PassagePair, ...]:
    """Set each single case that fits a claim about a population beside what resembles a support; `true` establishes nothing either.

    >>> {pair.family for pair in instance_pairs(load_suite())}
    {'aggregation'}
    """
    return tuple(
        PassagePair(case.expect.family, case.pair, case.origin, case.claim, chunk, _near_miss(case))
        for case in cases
        if case.variant == "control"
        for chunk in case.context
        if chunk.chunk_id in case.expect.cited_chunks_exclude and chunk != _near_miss(case)
    )


def _near_miss(case: Case) -> Chunk:
    """The chunk that `differs` speaks of, of a case with an answer."""
    return next(
        chunk
        for chunk in case.context
        if chunk.chunk_id in case.expect.cited_chunks_exclude and all(one.resembling in chunk.text for one in case.differs)
    )


def _mutated(chunk: Chunk, chunk_id: str, old: str, new: str) -> Chunk:
    """Put other words in the place of those that stand once in the chunk, and move its span along.

    >>> _mutated(Chunk("c", "In May, logs are kept.", 8, 21), "c~1", "May", "April")
    Chunk(chunk_id='c~1', text='In April, logs are kept.', span_start=10, span_end=23)
    """
    at, longer = chunk.text.index(old), len(new) - len(old)
    start, end = (edge and edge + longer * (edge > at) for edge in (chunk.span_start, chunk.span_end))
    return Chunk(chunk_id, chunk.text.replace(old, new), start, end)
