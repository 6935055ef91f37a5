"""Other forms of a verb, for words that a proposition needs in another form than its sentence has them."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def plain_form(verb: str) -> str:
    """Give the infinitive of a verb; a word that is no verb comes back in lower case.

    >>> plain_form("cutting"), plain_form("rose")
    ('cut', 'rise')
    """
    from lemminflect import getLemma

    found = getLemma(verb.lower(), "VERB")
    return found[0] if found else verb.lower()


@lru_cache(maxsize=4096)
def past_tense(verb: str) -> str:
    """Give the past tense of a verb in any form; a word that is no verb comes back as it is.

    >>> past_tense("cutting")
    'cut'
    """
    return _inflect(verb, "VBD")


@lru_cache(maxsize=4096)
def third_person(verb: str) -> str:
    """Give the form with an -s of a verb in any form; a word that is no verb comes back as it is.

    >>> third_person("weighing")
    'weighs'
    """
    return _inflect(verb, "VBZ")


def _inflect(verb: str, tag: str) -> str:
    from lemminflect import getInflection

    found = getInflection(plain_form(verb), tag)
    return found[0] if found else verb


@lru_cache(maxsize=4096)
def is_verb(word: str) -> bool:
    """Tell whether a word can be a form of a verb.

    >>> is_verb("melts"), is_verb("oxygen")
    (True, False)
    """
    from lemminflect import getAllLemmas

    return "VERB" in getAllLemmas(word.lower())
