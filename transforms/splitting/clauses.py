"""Split a parsed sentence into propositions: rule by rule, and never where the meaning would change."""

from __future__ import annotations

from transforms.splitting.appositions import split_apposition
from transforms.splitting.coordination import split_joined_clauses
from transforms.splitting.denial import split_but_not
from transforms.splitting.drafts import Draft, Rule
from transforms.splitting.gapping import split_gapping, split_two_complements
from transforms.splitting.lists import bind_respectively, split_joined_words
from transforms.splitting.mending import mend
from transforms.splitting.parsing import Word
from transforms.splitting.participles import split_participle
from transforms.splitting.relatives import split_relative
from transforms.splitting.subordination import split_subordinate
from transforms.splitting.vocabulary import FINITE_TAGS
from transforms.vocabulary import vocabulary

# The first that applies is taken, so that what is said in passing goes before lists are cut.
RULES: tuple[Rule, ...] = (
    bind_respectively,
    split_relative,
    split_apposition,
    split_joined_clauses,
    split_subordinate,
    split_participle,
    split_but_not,
    split_gapping,
    split_two_complements,
    split_joined_words,
)
# A sentence that would need more is a list or no prose at all.
MAX_PROPOSITIONS = 12
MAX_STEPS = 200

# Words that a proposition may lack: they join, refer back, or agree with what another proposition holds.
_DROPPED = vocabulary(
    "and or but nor yet so then also both either that which who whom whose where when because since as although though while "
    "whereas even it they he she him her them its their is are was were be been being has have had do does did the a an i you "
    "we this these those making respectively plus not n't to of in as well"
)


def is_instruction(words: list[Word]) -> bool:
    """Tell whether a parsed sentence asks for something: it starts, or goes on behind a label's colon, with a bare verb."""
    draft = Draft(words, list(range(len(words))))
    root = draft.root
    if root is None or draft.tag(root) != "VB" or draft.subject(root) is not None or draft.auxiliaries(root):
        return False
    return root == 0 or draft.words[root - 1].text == ":"


def split_clauses(words: list[Word]) -> list[Draft]:
    """Split a sentence's words into propositions, in the order of their own words; the sentence as it is where no rule applies.

    Every word of content is in some proposition; each proposition has a finite verb. The same words give the same propositions.

    >>> from transforms.splitting.parsing import load_parser
    >>> from transforms.splitting.shadow import cast_shadow
    >>> (words,) = load_parser().parse([cast_shadow("Acme, founded in 1998, makes pumps")])
    >>> [" ".join(draft.words[i].text for i in draft.order) for draft in split_clauses(words)]
    ['Acme was founded in 1998', 'Acme makes pumps']
    """
    whole = Draft(mend(words), list(range(len(words))))
    if sum(word.head == i for i, word in enumerate(whole.words)) != 1:
        return [whole]  # the parser itself sees no single sentence
    drafts = _apply_all(whole)
    if not _covers(drafts, whole):
        return [whole]
    drafts = [draft if draft.final else _tidy(draft) for draft in drafts]
    unique = {tuple(draft.words[i].text for i in draft.order): draft for draft in reversed(drafts)}
    return sorted(unique.values(), key=_own_place) if len(unique) > 1 else [whole]


def _apply_all(whole: Draft) -> list[Draft]:
    """Split until no rule applies to any part, or the bounds are reached."""
    pending, steps = [whole], 0
    done: list[Draft] = []
    while pending:
        draft = pending.pop()
        steps += 1
        exhausted = draft.final or steps > MAX_STEPS or len(done) + len(pending) > MAX_PROPOSITIONS
        parts = None if exhausted else _apply_first(draft)
        if parts is None:
            done.append(draft)
        else:
            pending.extend(parts)
    return done


def _apply_first(draft: Draft) -> list[Draft] | None:
    """The parts by the first rule all of whose parts are sentences."""
    for rule in RULES:
        parts = rule(draft)
        if parts and all(_has_finite_verb(part) for part in parts):
            return parts
    return None


def _has_finite_verb(draft: Draft) -> bool:
    return any(draft.tag(i) in FINITE_TAGS for i in draft.order)


def _covers(drafts: list[Draft], whole: Draft) -> bool:
    """Whether every word of content is in some proposition."""
    held = {i for draft in drafts for i in draft.order}
    lost = [i for i in whole.order if i not in held and not whole.words[i].is_mark]
    return all(whole.lower(i) in _DROPPED or _is_reworded(whole, i, drafts) for i in lost)


def _is_reworded(whole: Draft, i: int, drafts: list[Draft]) -> bool:
    """Whether some proposition holds another form of a word, which has the word's bounds."""
    start, end = whole.words[i].start, whole.words[i].end
    forms = (draft.words[k] for draft in drafts for k in draft.order if k >= len(whole.words))
    return any((form.start, form.end) == (start, end) for form in forms)


def _tidy(draft: Draft) -> Draft:
    """Drop the commas in front of which words are gone, but for those behind what is fronted."""
    root = draft.root
    subject = None if root is None else draft.subject(root)
    opening = 0 if subject is None else draft.first(draft.tree(subject))
    kept = [i for place, i in enumerate(draft.order) if 0 < place < opening or not _is_loose_comma(draft, place)]
    return draft.derive(kept, final=draft.final)


def _is_loose_comma(draft: Draft, place: int) -> bool:
    i = draft.order[place]
    if draft.words[i].text != "," or draft.words[i].start < 0:
        return False
    return place == 0 or draft.order[place - 1] != i - 1


def _own_place(draft: Draft) -> tuple[int, int]:
    """Where the last of a proposition's own words starts; of two that share it the shorter comes first."""
    own = [i for i in draft.order if i not in draft.inherited and not draft.words[i].is_mark] or draft.order
    places = [draft.words[i].start for i in own]
    return (max(places), -min(places))
