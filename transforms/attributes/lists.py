"""Word lists as they are written in these modules: words apart by spaces, tables with a line a value."""

from __future__ import annotations


def word_list(words: str) -> list[str]:
    """The words of a list, in order."""
    return words.split()


def word_table(lines: str) -> dict[str, str]:
    """Read lines of `value: words` as word -> value; an underscore stands for a space.

    >>> word_table("total: altogether in_total")
    {'altogether': 'total', 'in total': 'total'}
    """
    pairs = (line.split(":") for line in lines.strip().splitlines())
    return {word.replace("_", " "): value.strip() for value, words in pairs for word in words.split()}
