"""Name the slices of traffic that an answer belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.answers import Answer

BUILD = "build"
NONE = "(none)"


def slices_of(answer: Answer, declared: Sequence[tuple[str, ...]]) -> list[str]:
    """Name an answer's slice for each declared combination of attributes, or of `build`; what it lacks is `(none)`.

    >>> import datetime as dt
    >>> answer = Answer("a", dt.datetime(2026, 1, 1), "", "", None, build="7", attributes={"product": "logs"})
    >>> slices_of(answer, [("product",), ("product", "build", "locale")])
    ['product=logs', 'product=logs,build=7,locale=(none)']
    """
    values = {**(answer.attributes or {}), BUILD: answer.build}
    return [",".join(f"{name}={values.get(name) or NONE}" for name in names) for names in declared]
