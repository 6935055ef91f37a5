"""Correct parses in which a clause was read as something else, before anything is split along them."""

from __future__ import annotations

from collections.abc import Callable

from transforms.splitting import reattachment, retagging
from transforms.splitting.parses import Parse
from transforms.splitting.parsing import Word

# Each looks at one word, and tells whether it changed the parse. What later ones look at, earlier ones put in place.
CORRECTIONS: tuple[Callable[[Parse, int], bool], ...] = (
    reattachment.lift_from_auxiliary,
    reattachment.join_loose_verb,
    reattachment.join_verb_to_verb,
    reattachment.begin_list_with_comparative,
    retagging.read_noun,
    retagging.read_verb_of_sentence,
    reattachment.make_subject_of_object,
    retagging.read_verb_in_compound,
    reattachment.take_subject_from_list,
    retagging.read_verb_behind_and,
    retagging.read_verb_behind_modal,
    retagging.read_participle_in_list,
    reattachment.join_twin_complement,
    reattachment.make_list_of_apposition,
    reattachment.put_first_clause_first,
)


def mend(words: list[Word]) -> list[Word]:
    """Give the words of a sentence with their parse corrected word by word; a correction that would leave no tree is dropped.

    >>> from transforms.splitting.parsing import load_parser
    >>> from transforms.splitting.shadow import cast_shadow
    >>> (words,) = load_parser().parse([cast_shadow("Iron melts at 1,538 degrees.")])
    >>> [(word.text, word.pos) for word in words[:2]], [(word.text, word.pos) for word in mend(words)[:2]]
    ([('Iron', 'NOUN'), ('melts', 'NOUN')], [('Iron', 'NOUN'), ('melts', 'VERB')])
    """
    parse = Parse(words)
    for correct in CORRECTIONS:
        for i in range(len(words)):
            if correct(parse, i):
                words = list(parse.words) if parse.is_tree() else words
                parse.words = list(words)
    return words
