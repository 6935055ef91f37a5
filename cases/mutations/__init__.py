"""Change one attribute of a sentence, by family: what near misses are made of, for training, suites and measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cases.mutations.aggregation import mutate_aggregation
from cases.mutations.date import mutate_dates
from cases.mutations.entity import mutate_entities, names_of
from cases.mutations.modality import mutate_modality
from cases.mutations.polarity import mutate_polarity
from cases.mutations.quantity import mutate_quantities
from cases.mutations.record import Mutation, pick
from cases.mutations.scope import SCOPES, Scope, mutate_scopes, scoped

__all__ = ["SCOPES", "Mutation", "Scope", "mutate", "names_of", "pick", "scoped"]


def mutate(sentence: str, names: Mapping[str, Sequence[str]] | None = None) -> list[Mutation]:
    """Every mutation of `sentence`, in a fixed order; `names` (of `names_of`) is what named things may be replaced by.

    >>> [one.text for one in mutate("Logs are kept for 30 days.") if one.operator in ("number", "numeral")]
    ['Logs are kept for 31 days.', 'Logs are kept for thirty days.']
    """
    return [
        *mutate_quantities(sentence),
        *mutate_dates(sentence),
        *mutate_scopes(sentence),
        *mutate_entities(sentence, names or {}),
        *mutate_polarity(sentence),
        *mutate_modality(sentence),
        *mutate_aggregation(sentence),
    ]
