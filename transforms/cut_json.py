"""Read JSON that was cut off: what is whole stays, the text that the cut went through ends in a mark."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

CUT_MARK = "… (cut)"
# Of a text that was cut so much goes with it: half an e-mail address or number is found by no pattern.
CUT_MARGIN = 200
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WHOLE = re.compile(r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}


class _End(NamedTuple):
    """Where a cut text can be closed: so much of it, and the brackets that are open there."""

    text: str
    open: str

    @property
    def closed(self) -> str:
        return self.text + "".join(_CLOSERS[bracket] for bracket in reversed(self.open))


def read_cut_json(text: str) -> Any:
    """Parse JSON, or as much of it as is there; None where nothing is.

    >>> read_cut_json('{"a": [1, 2], "b": "whole", "c": tr')
    {'a': [1, 2], 'b': 'whole'}
    >>> read_cut_json('{"a": "' + "x" * 205)
    {'a': 'xxxxx… (cut)'}
    """
    try:
        return json.loads(text)
    except ValueError:
        end = _last_end(text)
    try:
        return None if end is None else json.loads(end.closed)
    except ValueError:
        return None


def _last_end(text: str) -> _End | None:
    """The last place where the text can be closed: inside the value that is cut, else before what is not whole."""
    opened, end, i = "", None, 0
    while i < len(text):
        character = text[i]
        if character == '"':
            whole = _STRING.match(text, i)
            if whole is None:
                return _inside(text, i, opened) or end
            i = whole.end()
            end = _End(text[:i], opened) if _is_value(text, i - len(whole[0]), opened) else end
            continue
        if character in _CLOSERS:
            opened += character
            end = _End(text[: i + 1], opened)
        elif character in "}]":
            opened = opened[:-1]
            end = _End(text[: i + 1], opened)
        elif character == ",":
            end = _End(text[:i], opened)
        i += 1
    return end


def _is_value(text: str, start: int, opened: str) -> bool:
    return opened.endswith("[") or text[:start].rstrip().endswith(":")


def _inside(text: str, start: int, opened: str) -> _End | None:
    """Close the text that begins at `start`, if it is a value: a key without one is nothing."""
    if not _is_value(text, start, opened):
        return None
    whole = _WHOLE.match(text, start + 1)
    content = json.loads(f'"{whole[0] if whole else ""}"', strict=False)
    return _End(text[:start] + json.dumps(content[:-CUT_MARGIN] + CUT_MARK), opened)
