"""A proposition in the making: words of a sentence as a tree that is rearranged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import AUXILIARIES, SUBJECTS


class Draft:
    """A proposition in the making: words of a sentence in their order, as a tree of their own.

    `order` are indices into `words` (those past the sentence's own are inserted ones); `inherited` are words that another draft
    holds as its own; a `final` draft is not split further. Drafts are never changed, only derived.
    """

    def __init__(self, words: list[Word], order: list[int], inherited: frozenset[int] = frozenset(), final: bool = False) -> None:
        self.words = words
        self.order = order
        self.inherited = inherited
        self.final = final

    @cached_property
    def _kids(self) -> dict[int, list[int]]:
        kids: dict[int, list[int]] = {}
        for i in self.order:
            if self.words[i].head != i:
                kids.setdefault(self.words[i].head, []).append(i)
        return kids

    @cached_property
    def deps(self) -> frozenset[str]:
        """The labels of dependency that occur: most rules need one of them and can do without a look at the words."""
        return frozenset(self.words[i].dep for i in self.order)

    @cached_property
    def place(self) -> dict[int, int]:
        """The position of each word in `order`."""
        return {word: place for place, word in enumerate(self.order)}

    def lower(self, i: int) -> str:
        """Give the text of word `i` in lower case."""
        return self.words[i].text.lower()

    def tag(self, i: int) -> str:
        """Give the Penn Treebank tag of word `i`."""
        return self.words[i].tag

    def pos(self, i: int) -> str:
        """Give the universal part of speech of word `i`."""
        return self.words[i].pos

    def dep(self, i: int) -> str:
        """Give the label of what word `i` is to its head."""
        return self.words[i].dep

    def head(self, i: int) -> int:
        """Give the word that word `i` hangs from: itself for the root, perhaps one that the draft does not hold."""
        return self.words[i].head

    @cached_property
    def root(self) -> int | None:
        """The word that hangs from none, the first if there are several."""
        return next((i for i in self.order if self.words[i].head == i), None)

    def kids(self, i: int, *deps: str) -> list[int]:
        """Give the words that hang from word `i`, in order; of `deps` alone, where any are named."""
        kids = self._kids.get(i)
        if not kids:
            return []
        return [kid for kid in kids if self.words[kid].dep in deps] if deps else kids

    def tree(self, i: int) -> set[int]:
        """Give word `i` with all that hangs from it, directly or not."""
        found, pending = {i}, [i]
        while pending:
            for kid in self._kids.get(pending.pop(), ()):
                if kid not in found:
                    found.add(kid)
                    pending.append(kid)
        return found

    def trees(self, tokens: Iterable[int]) -> set[int]:
        """Give the words of several trees together."""
        return {i for token in tokens for i in self.tree(token)}

    def subject(self, verb: int) -> int | None:
        """Give the head of a verb's own subject, the first if there are several."""
        return next((kid for kid in self._kids.get(verb, ()) if self.words[kid].dep in SUBJECTS), None)

    def subjects(self, verb: int) -> list[int]:
        """Give the heads of all of a verb's own subjects, in order."""
        return self.kids(verb, *SUBJECTS)

    def auxiliaries(self, verb: int) -> list[int]:
        """Give a verb's own auxiliaries, in order."""
        return self.kids(verb, *AUXILIARIES)

    def first(self, tokens: Iterable[int]) -> int:
        """Give the position of the first of some words; raises KeyError for a word that the draft does not hold."""
        return min(self.place[i] for i in tokens)

    def last(self, tokens: Iterable[int]) -> int:
        """Give the position of the last of some words; raises KeyError for a word that the draft does not hold."""
        return max(self.place[i] for i in tokens)

    def before(self, earlier: int, later: int) -> bool:
        """Tell whether one word stands before another; raises KeyError for a word that the draft does not hold."""
        return self.place[earlier] < self.place[later]

    def between(self, left: int, i: int, right: int) -> bool:
        """Tell whether word `i` stands between two others; raises KeyError for a word that the draft does not hold."""
        return self.place[left] < self.place[i] < self.place[right]

    def ordered(self, tokens: Iterable[int]) -> list[int]:
        """Give words in the order in which they stand; raises KeyError for a word that the draft does not hold."""
        return sorted(tokens, key=self.place.__getitem__)

    def derive(
        self, order: Iterable[int], words: list[Word] | None = None, inherited: Iterable[int] = (), final: bool = False
    ) -> Draft:
        """Give a draft of other words; what was inherited stays so, and `inherited` come on top."""
        order = list(order)
        return Draft(words or self.words, order, (self.inherited | frozenset(inherited)) & frozenset(order), final)

    def without(self, tokens: set[int]) -> Draft:
        """Give a draft that lacks some words."""
        return self.derive(i for i in self.order if i not in tokens)


# Gives the parts of a draft, or None where it finds nothing to split.
Rule = Callable[[Draft], "list[Draft] | None"]


def hang(words: list[Word], i: int, head: int, dep: str = "") -> None:
    """Hang word `i` from another one (from itself: as the root), under another label where one is given."""
    words[i] = words[i]._replace(head=head, dep=dep or words[i].dep)


def hang_loose(words: list[Word], piece: Iterable[int], head: int, dep: str) -> None:
    """Hang those words of a piece that nothing else in it holds from `head`."""
    piece = set(piece)
    for i in piece:
        if words[i].head not in piece or words[i].head == i:
            hang(words, i, head, dep)


def insert_word(words: list[Word], text: str, head: int, dep: str, pos: str = "AUX", tag: str = "VBZ") -> int:
    """Add a word that the sentence does not hold, and give its index; it has the bounds of none."""
    words.append(Word(-1, -1, text, tag, pos, dep, head))
    return len(words) - 1


def reword(words: list[Word], i: int, text: str, tag: str) -> int:
    """Add another form of word `i`, which takes its place in the tree, and give its index."""
    words.append(words[i]._replace(text=text, tag=tag))
    new = len(words) - 1
    for k, word in enumerate(words):
        if word.head == i:
            words[k] = word._replace(head=new)
    return new


def insert_be(words: list[Word], plural: bool) -> int:
    """Add an "is" or "are" as the root, and give its index."""
    return insert_word(words, "are" if plural else "is", len(words), "ROOT")
