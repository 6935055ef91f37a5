"""Sets of words as rules are written with them."""


def vocabulary(words: str) -> frozenset[str]:
    """Give the words of a text between white space.

    >>> sorted(vocabulary("and or"))
    ['and', 'or']
    """
    return frozenset(words.split())
