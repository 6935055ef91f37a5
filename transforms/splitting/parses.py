"""A parse that is corrected in place."""

from __future__ import annotations

from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import AUXILIARIES, FINITE_TAGS, SUBJECTS


class Parse:
    """The words of a sentence as the parser hung them, to be hung and labelled otherwise."""

    def __init__(self, words: list[Word]) -> None:
        self.words = list(words)

    def __len__(self) -> int:
        return len(self.words)

    def lower(self, i: int) -> str:
        """Give the text of word `i` in lower case."""
        return self.words[i].text.lower()

    def kids(self, i: int, *deps: str) -> list[int]:
        """Give the words that hang from word `i`, in order; of `deps` alone, where any are named."""
        return [kid for kid, word in enumerate(self.words) if word.head == i != kid and (not deps or word.dep in deps)]

    def has_subject(self, verb: int) -> bool:
        """Tell whether a verb has a subject of its own."""
        return bool(self.kids(verb, *SUBJECTS))

    def is_finite(self, verb: int) -> bool:
        """Tell whether a verb is finite or has a finite auxiliary."""
        return any(self.words[i].tag in FINITE_TAGS for i in (verb, *self.kids(verb, *AUXILIARIES)))

    def first(self, i: int) -> int:
        """Give the first word of the tree of word `i`."""
        return min(self._tree(i))

    def last(self, i: int) -> int:
        """Give the last word of the tree of word `i`."""
        return max(self._tree(i))

    def _tree(self, i: int) -> set[int]:
        tree, pending = {i}, [i]
        while pending:
            new = [kid for kid in self.kids(pending.pop()) if kid not in tree]
            tree.update(new)
            pending.extend(new)
        return tree

    def clause_above(self, i: int) -> int | None:
        """Give the nearest verb that word `i` stands under; None where there is no verb up to the root."""
        for _ in self.words:
            i = self.words[i].head
            if self.words[i].pos in ("VERB", "AUX"):
                return i
        return None

    def is_tree(self) -> bool:
        """Tell whether every word leads to a root."""
        good: set[int] = set()
        for i in range(len(self.words)):
            path = set()
            while i not in good and self.words[i].head != i:
                if i in path:
                    return False
                path.add(i)
                i = self.words[i].head
            good |= path
        return True

    def hang(self, i: int, head: int, dep: str = "") -> None:
        """Hang word `i` from another one (from itself: as the root), under another label where one is given."""
        self.words[i] = self.words[i]._replace(head=head, dep=dep or self.words[i].dep)

    def hang_joints(self, tokens: list[int], head: int) -> None:
        """Hang those of some words from `head` that join: conjunctions and punctuation."""
        for i in tokens:
            if self.words[i].dep in ("cc", "punct"):
                self.hang(i, head)

    def retag(self, i: int, tag: str, pos: str) -> None:
        """Read word `i` as another part of speech."""
        self.words[i] = self.words[i]._replace(tag=tag, pos=pos)
