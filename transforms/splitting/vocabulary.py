"""Sets of words."""


def vocabulary(words: str) -> frozenset[str]:
    """The words of a text between white space.

    >>> sorted(vocabulary("and or"))
    ['and', 'or']
    """
    return frozenset(words.split())
