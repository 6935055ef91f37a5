"""Name the slices of traffic that an answer belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.answers import Answer
from transforms.redaction import Redaction, redact_slice

BUILD = "build"
NONE = "(none)"


def slices_of(answer: Answer, declared: Sequence[tuple[str, ...]], redaction: Redaction | None = None) -> list[str]:
    """Name an answer's slice for each declared combination of attributes, or of `build`; what it lacks is `(none)`.

    Values are redacted here, before anything is summed: two spellings of one pseudonym are one slice.

    >>> import datetime as dt
    >>> answer = Answer("a", dt.datetime(2026, 1, 1), "", "", None, build="7", attributes={"product": "logs"})
    >>> slices_of(answer, [("product",), ("product", "build", "locale")])
    ['product=logs', 'product=logs,build=7,locale=(none)']
    """
    values = {**(answer.attributes or {}), BUILD: answer.build}
    return [",".join(_part(name, values.get(name), redaction) for name in names) for names in declared]


def _part(name: str, value: str | None, redaction: Redaction | None) -> str:
    return redact_slice(name, value, redaction) if value and redaction else f"{name}={value or NONE}"
