"""Tell English from the languages that neither the splitter nor the checker knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# Creoles and Scots that identifiers take short English for.
ENGLISH = frozenset({"en", "sco", "pcm"})
MIN_LETTERS = 20
# Words that no other language shares: they spare the identifier most sentences.
_TELLING = re.compile(r"\b(?:the|and|are|with|that|from|this|which)\b", re.IGNORECASE)
MIN_PROBABILITY = 0.75


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def is_foreign(text: str) -> bool:
    """Whether a text is clearly in another language than English; short or mixed ones are not.

    >>> is_foreign("Die Protokolle werden 30 Tage lang aufbewahrt."), is_foreign("Logs are kept for 30 days in Zürich.")
    (True, False)
    """
    if _TELLING.search(text) or sum(character.isalpha() for character in text) < MIN_LETTERS:
        return False
    language, probability = _identifier().classify(text)
    return language not in ENGLISH and probability >= MIN_PROBABILITY
