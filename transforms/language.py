"""Tell English from the languages that neither the splitter nor the checker knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# Besides English, Scots and a creole that the identifier takes short English for.
ENGLISH = frozenset({"en", "sco", "pcm"})
# With fewer letters or a lower probability the identifier guesses.
MIN_LETTERS = 12
MIN_PROBABILITY = 0.75
# Words that no other language shares: they spare the identifier most sentences.
_TELLING = re.compile(r"\b(?:the|and|are|with|that|from|this|which)\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def is_foreign(text: str) -> bool:
    """Tell whether a text is clearly in another language than English; short or mixed ones are not.

    >>> is_foreign("Die Protokolle werden 30 Tage lang aufbewahrt."), is_foreign("Logs are kept for 30 days in Zürich.")
    (True, False)
    """
    if _TELLING.search(text) or sum(character.isalpha() for character in text) < MIN_LETTERS:
        return False
    language, probability = _identifier().classify(text)
    return language not in ENGLISH and probability >= MIN_PROBABILITY
