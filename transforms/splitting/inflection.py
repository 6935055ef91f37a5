"""Other forms of a verb."""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {"is": "be", "are": "be", "was": "be", "were": "be", "am": "be"}


@lru_cache(maxsize=4096)
def plain_form(verb: str) -> str:
    """The infinitive of a verb.

    >>> plain_form("cutting"), plain_form("rose")
    ('cut', 'rise')
    """
    from lemminflect import getLemma

    found = getLemma(verb.lower(), "VERB")
    return found[0] if found else verb.lower()


@lru_cache(maxsize=4096)
def past_tense(verb: str) -> str:
    """
    >>> past_tense("cutting")
    'cut'
    """
    from lemminflect import getInflection

    found = getInflection(plain_form(verb), "VBD")
    return found[0] if found else verb


@lru_cache(maxsize=4096)
def third_person(verb: str) -> str:
    """
    >>> third_person("weighing")
    'weighs'
    """
    from lemminflect import getInflection

    found = getInflection(plain_form(verb), "VBZ")
    return found[0] if found else verb


@lru_cache(maxsize=4096)
def is_verb(word: str) -> bool:
    """Whether a word can be a form of a verb.

    >>> is_verb("melts"), is_verb("oxygen")
    (True, False)
    """
    from lemminflect import getAllLemmas

    return "VERB" in getAllLemmas(word.lower())
