"""A proposition in the making: words of a sentence as a tree that is rearranged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from transforms.splitting.parsing import Word

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})

AUXILIARIES = frozenset({"aux", "auxpass"})


class Draft:
    """A proposition in the making: words of a sentence in their order, as a tree of their own.

    `order` are indices into `words` (those past the sentence's own are inserted ones); `inherited` are words that another draft
    holds as its own. Drafts are never changed, only derived.
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
        return frozenset(self.words[i].dep for i in self.order)

    def kids(self, i: int, *deps: str) -> list[int]:
        kids = self._kids.get(i)
        if not kids:
            return []
        return [kid for kid in kids if self.words[kid].dep in deps] if deps else kids

    def tree(self, i: int) -> set[int]:
        found, pending = {i}, [i]
        while pending:
            for kid in self._kids.get(pending.pop(), ()):
                if kid not in found:
                    found.add(kid)
                    pending.append(kid)
        return found

    @cached_property
    def place(self) -> dict[int, int]:
        return {word: place for place, word in enumerate(self.order)}

    def lower(self, i: int) -> str:
        return self.words[i].text.lower()

    def dep(self, i: int) -> str:
        return self.words[i].dep

    def subject(self, verb: int) -> int | None:
        return next((kid for kid in self._kids.get(verb, ()) if self.words[kid].dep in SUBJECTS), None)

    def first(self, tokens: Iterable[int]) -> int:
        return min(self.place[i] for i in tokens)

    def last(self, tokens: Iterable[int]) -> int:
        return max(self.place[i] for i in tokens)

    def text(self) -> str:
        return " ".join(self.words[i].text for i in self.order)

    def derive(
        self, order: Iterable[int], words: list[Word] | None = None, inherited: Iterable[int] = (), final: bool = False
    ) -> Draft:
        order = list(order)
        return Draft(words or self.words, order, (self.inherited | frozenset(inherited)) & frozenset(order), final)

    def without(self, tokens: set[int]) -> Draft:
        return self.derive(i for i in self.order if i not in tokens)

    def promote(self, old: int, new: int, shared: Iterable[int] = (), drop: Iterable[int] = ()) -> Draft:
        """Put the tree of `new` at the place of its ancestor `old`; `shared` are trees below `old` that move over to `new`."""
        kept = self.tree(new)
        moved: set[int] = set()
        words = list(self.words)
        for i in shared:
            if i not in kept:
                moved |= self.tree(i) - kept
                words[i] = words[i]._replace(head=new)
        head = words[old].head
        words[new] = words[new]._replace(head=new if head == old else head, dep=words[old].dep)
        gone = (self.tree(old) - kept - moved) | set(drop)
        order = [i for i in self.order if i not in gone]
        return Draft(words, order, (self.inherited | (frozenset(order) - kept)) & frozenset(order))


Rule = Callable[[Draft], "list[Draft] | None"]


def insert_word(words: list[Word], like: int, text: str, head: int, dep: str, pos: str = "AUX", tag: str = "VBZ") -> int:
    """Add a word that the sentence does not hold; it has the bounds of none."""
    words.append(Word(-1, -1, text, tag, pos, dep, head))
    return len(words) - 1


def reword(words: list[Word], i: int, text: str, tag: str) -> int:
    """Add another form of word `i`."""
    words.append(words[i]._replace(text=text, tag=tag))
    new = len(words) - 1
    for k, word in enumerate(words):
        if word.head == i:
            words[k] = word._replace(head=new)
    return new


def swap(draft: Draft, old: int, words: list[Word], new: int) -> list[int]:
    return [new if i == old else i for i in draft.order]
