"""Read what a checker learns from: a declared mixture of labelled pairs, generated near misses and distractor sentences."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from cases.bindings import binding_rows
from cases.headings import headed
from cases.mutations import names_of
from cases.near_misses import NearMiss, near_misses_of
from cases.statements import statement_rows
from schemas.claims import FAMILIES
from schemas.verdicts import LABELS

# Two-way rows know only whether the claim is established: "unsupported" is everything but entailment.
TARGETS = {**{label: i for i, label in enumerate(LABELS)}, "supported": 0, "unsupported": len(LABELS)}
# Longer premises hold too much for one change to decide, and as distractors they would crowd out the pair.
_SHORT_PREMISE = 60


class TrainingPair(NamedTuple):
    """One pair to learn from; `target` indexes LABELS, or is len(LABELS) for "not entailment"."""

    premise: str
    hypothesis: str
    target: int


@dataclass(frozen=True)
class Pass:
    """One pass over the data: how, and over what.

    `sets` maps a set's name (NAME.jsonl or NAME.jsonl.gz) to the rows taken at most (None: all). `near_misses` maps "from" to
    the sets whose entailed pairs are mutated, "rows" to how many rows of a family and label are kept and "siblings" to how many
    of a label where the value of another scope stands beside, on top; `statements` and `bindings` are numbers of rows of
    cases/statements.yaml and cases/bindings.yaml. A share `distracted` of the short premises
    of `distracted_sets` gets other premises of its set around it, and a share `headed` of all short premises a heading in front.
    """

    sets: dict[str, int | None]
    learning_rate: float = 1e-4
    epochs: float = 1.0
    batch_size: int = 64
    seed: int = 20261130
    near_misses: dict[str, Any] = field(default_factory=dict)
    statements: int = 0
    bindings: int = 0
    distracted: float = 0.0
    distracted_sets: tuple[str, ...] = ()
    headed: float = 0.0

    def __post_init__(self) -> None:
        if self.epochs <= 0 or self.batch_size < 1 or self.learning_rate <= 0:
            numbers = f"epochs={self.epochs}, batch_size={self.batch_size}, learning_rate={self.learning_rate}"
            raise ValueError(f"nothing to train, all of these must be above 0: {numbers}")
        if any(cap is not None and (not isinstance(cap, int) or cap < 1) for cap in self.sets.values()):
            raise ValueError(f"a pass maps set names to a number of pairs or null: sets={self.sets}")
        if self.near_misses and set(self.near_misses) - {"siblings"} != {"from", "rows"}:
            asked = "`from` (set names), `rows` (a family and label) and, if wanted, `siblings` (a label)"
            raise ValueError(f"near_misses takes {asked}: near_misses={self.near_misses}")


def load_mixture(path: Path) -> list[Pass]:
    """Read a mixture file: a list of passes, each with the fields of Pass. ValueError names the line or an unknown field."""
    try:
        passes = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {path}: {' '.join(str(error).split())}; mend the line") from error
    known = {one.name for one in fields(Pass)}
    if not isinstance(passes, list) or not passes or not all(isinstance(one, dict) and "sets" in one for one in passes):
        raise ValueError(f"a mixture is a list of passes, each with `sets`: {path}")
    for one in passes:
        if unknown := sorted(set(one) - known):
            raise ValueError(f"unknown field {unknown[0]!r} in a pass of {path}; known: {', '.join(sorted(known))}")
    return [_pass_of(one) for one in passes]


def _pass_of(values: dict[str, Any]) -> Pass:
    # YAML takes 1e-4 for a text: its numbers need a point.
    numbers = {name: float(values[name]) for name in ("learning_rate", "epochs", "distracted", "headed") if name in values}
    return Pass(**(values | numbers | {"distracted_sets": tuple(values.get("distracted_sets", ()))}))


def read_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a .jsonl or .jsonl.gz file of pairs: id, premise, hypothesis, label."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def read_pass(data: Path, one: Pass) -> list[TrainingPair]:
    """Read the pairs of one pass from `data`, shuffled by a hash of the seed and the row's id or text."""
    chosen: list[tuple[str, TrainingPair]] = []
    for name, cap in one.sets.items():
        ranked = ((_rank(one.seed, str(row["id"])), row) for row in read_pairs(_data_file(data, name)))
        rows = sorted(ranked, key=itemgetter(0))[:cap]
        around = _distract(rows, one) if name in one.distracted_sets else [row["premise"] for _, row in rows]
        for (rank, row), premise in zip(rows, around, strict=True):
            if row["label"] not in TARGETS:
                raise ValueError(f"unknown label {row['label']!r} in {name} (id={row['id']!r}); known: {', '.join(TARGETS)}")
            chosen.append((rank, TrainingPair(premise, row["hypothesis"], TARGETS[row["label"]])))
    for made in (*_near_misses(data, one), *statement_rows(one.statements, one.seed), *binding_rows(one.bindings, one.seed)):
        pair = TrainingPair(made.premise, made.hypothesis, TARGETS[made.label])
        chosen.append((_rank(one.seed, made.premise + made.hypothesis), pair))
    return _head([pair for _, pair in sorted(chosen)], one)


def _head(pairs: list[TrainingPair], one: Pass) -> list[TrainingPair]:
    """The pairs, a share of those with a short premise under a heading, as windows of evidence with a `context` are."""
    if not one.headed:
        return pairs
    rng = random.Random(one.seed)
    return [
        pair._replace(premise=headed(pair.premise, rng))
        if rng.random() < one.headed and len(pair.premise.split()) <= _SHORT_PREMISE
        else pair
        for pair in pairs
    ]


def check_sets(data: Path, passes: Iterable[Pass]) -> None:
    """Raise FileNotFoundError, before anything is trained, for the first set of any pass that `data` lacks."""
    for one in passes:
        for name in (*one.sets, *one.near_misses.get("from", ())):
            _data_file(data, name)


def _data_file(data: Path, name: str) -> Path:
    for suffix in (".jsonl.gz", ".jsonl"):
        if (data / (name + suffix)).exists():
            return data / (name + suffix)
    raise FileNotFoundError(f"the mixture names a set that is not there: {data / name}.jsonl[.gz]; mend the mixture or the folder")


def _rank(seed: int, text: str) -> str:
    return hashlib.blake2b(f"{seed}:{text}".encode("utf-8", "replace"), digest_size=8).hexdigest() + text


def _distract(rows: list[tuple[str, dict[str, Any]]], one: Pass) -> list[str]:
    """The premises of `rows`, a share of the short ones between other short premises of the set, as windows of a passage are."""
    rng = random.Random(one.seed)
    short = [row["premise"] for _, row in rows if len(row["premise"].split()) <= _SHORT_PREMISE // 2]
    premises = []
    for _, row in rows:
        premise = row["premise"]
        if short and rng.random() < one.distracted and len(premise.split()) <= _SHORT_PREMISE:
            parts = [premise, *rng.sample(short, min(len(short), rng.choice((1, 1, 2))))]
            rng.shuffle(parts)
            premise = " ".join(part if part.rstrip()[-1:] in ".!?" else f"{part.rstrip()}." for part in parts)
        premises.append(premise)
    return premises


def _near_misses(data: Path, one: Pass) -> list[NearMiss]:
    if not one.near_misses:
        return []
    rows = [row for name in one.near_misses["from"] for row in read_pairs(_data_file(data, name))]
    made = list(near_misses_of_rows(rows))
    beside = balanced((row for row in made if row.operator == "sibling"), int(one.near_misses.get("siblings", 0)), one.seed)
    return list(dict.fromkeys([*balanced(made, int(one.near_misses["rows"]), one.seed), *beside]))


def near_misses_of_rows(rows: Iterable[dict[str, Any]]) -> Iterator[NearMiss]:
    """The near misses of all entailed pairs with a short premise among `rows`; names are swapped for names of the same rows."""
    rows = list(rows)
    names = names_of(row["hypothesis"] for row in rows)
    entailed = (row for row in rows if row["label"] in ("entailment", "supported"))
    pairs = [(row["premise"], row["hypothesis"]) for row in entailed if len(row["premise"].split()) <= _SHORT_PREMISE]
    return near_misses_of(pairs, names)


def balanced(rows: Iterable[NearMiss], most: int, seed: int) -> list[NearMiss]:
    """At most `most` rows of each family, entailed and not, drawn by a hash of seed and text; in a fixed order."""
    groups: dict[tuple[str, bool], list[tuple[str, NearMiss]]] = defaultdict(list)
    for row in rows:
        groups[row.family, row.label == "entailment"].append((_rank(seed, row.premise + row.hypothesis), row))
    order = [(family, entailed) for family in FAMILIES for entailed in (True, False)]
    return [row for key in order for _, row in sorted(groups[key])[:most]]
