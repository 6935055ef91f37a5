"""Split a parsed sentence into propositions: rule by rule, and never where the meaning would change."""

from __future__ import annotations

from transforms.splitting.coordination import split_joined_clauses
from transforms.splitting.drafts import Draft, Rule
from transforms.splitting.gapping import split_but_not, split_gapping, split_two_complements
from transforms.splitting.lists import bind_respectively, split_joined_words
from transforms.splitting.mending import mend
from transforms.splitting.modifiers import split_apposition, split_participle, split_relative
from transforms.splitting.parsing import Word
from transforms.splitting.subordination import split_subordinate
from transforms.splitting.vocabulary import vocabulary


def split_clauses(words: list[Word]) -> list[Draft]:
    """Split a sentence's words into propositions, in the order of their own words; the sentence as it is where no rule applies."""
    whole = Draft(mend(words), list(range(len(words))))
    if sum(word.head == i for i, word in enumerate(whole.words)) != 1:
        return [whole]  # the parser itself sees no single sentence
    pending, done, steps = [whole], [], 0
    while pending:
        draft = pending.pop()
        steps += 1
        parts = None if draft.final or steps > MAX_STEPS or len(done) + len(pending) > MAX_PROPOSITIONS else _apply(draft)
        if parts is None:
            done.append(draft)
        else:
            pending.extend(parts)
    if not _covers(done, whole):
        return [whole]
    done = [draft if draft.final else _tidy(draft) for draft in done]
    unique = {tuple(draft.words[i].text for i in draft.order): draft for draft in reversed(done)}
    return sorted(unique.values(), key=_own_place) if len(unique) > 1 else [whole]


MAX_PROPOSITIONS = 24

MAX_STEPS = 200


def _apply(draft: Draft) -> list[Draft] | None:
    for rule in RULES:
        parts = rule(draft)
        if parts and all(_is_sound(part) for part in parts):
            return [part for part in parts if part.order]
    return None


def _tidy(draft: Draft) -> Draft:
    """Drop the commas behind which words are gone, but for those behind what is fronted."""
    root = next((i for i in draft.order if draft.words[i].head == i), None)
    subject = draft.subject(root) if root is not None else None
    opening = draft.first(draft.tree(subject)) if subject is not None else 0
    kept = []
    for place, i in enumerate(draft.order):
        loose = draft.words[i].text == "," and draft.words[i].start >= 0 and (place == 0 or draft.order[place - 1] != i - 1)
        if not loose or 0 < place < opening:
            kept.append(i)
    return draft.derive(kept, final=draft.final)


def _is_sound(draft: Draft) -> bool:
    """Whether a part is a sentence: it has a finite verb."""
    return any(draft.words[i].tag in ("VBZ", "VBP", "VBD", "MD") for i in draft.order)


_DROPPED = vocabulary(
    "and or but nor yet so then also both either that which who whom whose where when because since as although though while "
    "whereas even it they he she him her them its their is are was were be been being has have had do does did the a an i you "
    "we this these those making respectively plus not n't to of in as well"
)


def _covers(drafts: list[Draft], whole: Draft) -> bool:
    """Whether every word of content is in some proposition."""
    held = {i for draft in drafts for i in draft.order}
    lost = [i for i in whole.order if i not in held and any(c.isalnum() for c in whole.words[i].text)]
    return all(whole.lower(i) in _DROPPED or _is_reworded(whole, i, drafts) for i in lost)


def _is_reworded(whole: Draft, i: int, drafts: list[Draft]) -> bool:
    word = whole.words[i]
    return any(
        draft.words[k].start == word.start and draft.words[k].end == word.end
        for draft in drafts
        for k in draft.order
        if k >= len(whole.words)
    )


def _own_place(draft: Draft) -> tuple[int, int]:
    own = [i for i in draft.order if i not in draft.inherited and any(c.isalnum() for c in draft.words[i].text)] or draft.order
    places = [draft.words[i].start for i in own]
    return (max(places), -min(places))


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
