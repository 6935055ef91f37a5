"""Participles beside a noun or a clause: "Founded in 1998, ...", "..., making it the oldest"."""

from __future__ import annotations

from transforms.splitting.assertion import asserted, predicate_subject
from transforms.splitting.drafts import Draft, hang, insert_be, insert_word, reword
from transforms.splitting.grammar import after_comma, comma_beside, is_clause, is_past, is_prepositional, nominal
from transforms.splitting.inflection import past_tense, plain_form, third_person
from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import AUXILIARIES, NOUNS_AND_PRONOUNS, PLURAL_TAGS, SUBJECTS
from transforms.vocabulary import vocabulary

_LISTING = vocabulary("including include includes included such like comprise comprises contain contains")
_CONDITIONAL = vocabulary("once when if unless until though although where whenever")
# What still holds where the sentence tells of the present: "based in Oslo" is, "founded in 1998" was.
_STATES = vocabulary(
    "based located known called named made written used owned led headquartered considered situated coated equipped connected "
    "priced intended aimed sold supported required included limited held run managed found hosted powered rated valued"
)


def split_participle(draft: Draft) -> list[Draft] | None:
    """Give the sentence without a participle, and what the participle says of its noun.

    "Founded in 1998, Acme makes pumps" becomes "Acme makes pumps" and "Acme was founded in 1998".
    """
    if not draft.deps & {"acl", "advcl", "prep"}:
        return None
    for verb in draft.order:
        noun = _told_of(draft, verb) if _is_bare_participle(draft, verb) else None
        if noun is not None:
            tree = draft.tree(verb)
            return [draft.without(tree | comma_beside(draft, tree)), _tell(draft, verb, noun)]
    return None


def _is_bare_participle(draft: Draft, verb: int) -> bool:
    """Whether a word is a participle without a subject, an auxiliary or a conjunction of its own."""
    if draft.dep(verb) not in ("acl", "advcl", "prep") or draft.tag(verb) not in ("VBN", "VBG") or draft.head(verb) == verb:
        return False
    if is_prepositional(draft, verb) or draft.kids(verb, "mark", *SUBJECTS, *AUXILIARIES):
        return False
    if _is_in_list(draft, verb) or _is_in_compound(draft, verb):
        return False
    before = (kid for kid in draft.kids(verb) if draft.before(kid, verb))
    return not any(draft.tag(kid) in ("IN", "WRB") or draft.lower(kid) in _CONDITIONAL for kid in before)


def _is_in_list(draft: Draft, verb: int) -> bool:
    """Whether a participle is rather the middle of a list: "by asking, admitting and promising"."""
    if draft.tag(verb) != "VBG" or not draft.kids(verb, "conj"):
        return False
    return any(draft.tag(i) == "VBG" and draft.dep(i) in ("pcomp", "xcomp", "dobj") for i in draft.order[: draft.place[verb]])


def _is_in_compound(draft: Draft, verb: int) -> bool:
    """Whether a participle is part of a name: "the left descending artery", "including vision loss, hearing impairments"."""
    if any(draft.before(kid, verb) and draft.pos(kid) in ("DET", "NOUN", "PROPN", "ADJ") for kid in draft.kids(verb)):
        return True
    start = draft.first(draft.tree(verb))
    return draft.tag(verb) == "VBG" and any(draft.lower(i) in _LISTING for i in draft.order[max(start - 8, 0) : start])


def _told_of(draft: Draft, verb: int) -> int | None:
    """The noun that a participle tells of; None where the participle defines it or that is unsure."""
    noun = _noun_beside(draft, verb) if draft.dep(verb) == "acl" else _noun_of_clause(draft, verb)
    if noun is None or draft.pos(noun) not in NOUNS_AND_PRONOUNS or draft.dep(noun) == "expl":
        return None
    return noun


def _noun_beside(draft: Draft, verb: int) -> int | None:
    subject = predicate_subject(draft, draft.head(verb))
    if subject is not None:
        return subject
    return draft.head(verb) if after_comma(draft, verb) else None


def _noun_of_clause(draft: Draft, verb: int) -> int | None:
    """The subject of the clause; of a participle in brackets, what stands in front of them."""
    head = draft.head(verb)
    first = draft.first(draft.tree(verb))
    bracketed = draft.words[draft.order[first]].text == "("
    noun = draft.subject(head)
    if first > 0:
        if not after_comma(draft, verb):
            return None
        if draft.dep(verb) == "advcl" and bracketed:
            noun = draft.order[first - 1]
        elif draft.dep(verb) == "advcl" and draft.tag(verb) == "VBN":
            return None  # of the subject or of the nearest noun: who knows
    return noun if asserted(draft, head) else None


def _tell(draft: Draft, verb: int, noun: int) -> Draft:
    """The participle's words as a sentence about the noun, in the tense of the whole."""
    tree = draft.tree(verb)
    antecedent = draft.ordered(nominal(draft, noun) - tree)
    own = draft.ordered(tree - _edge_marks(draft, tree))
    plural = _is_several(draft, noun)
    past = is_past(draft, _root_above(draft, draft.head(verb)))
    words = list(draft.words)
    hang(words, noun, verb, "nsubj")
    hang(words, verb, verb, "ROOT")
    if draft.tag(verb) == "VBN":
        hang(words, noun, verb, "nsubjpass")
        be = insert_word(words, _be(past or draft.lower(verb) not in _STATES, plural), verb, "auxpass")
        return draft.derive([*antecedent, be, *own], words, antecedent)
    made = _tell_made(draft, verb, antecedent, words, plural) if draft.lower(verb) == "making" else None
    if made is not None:
        return made
    new = {}
    for participle in (verb, *(kid for kid in draft.kids(verb, "conj") if draft.tag(kid) == "VBG")):
        text = draft.words[participle].text
        form = past_tense(text) if past else plain_form(text) if plural else third_person(text)
        new[participle] = reword(words, participle, form, "VBD" if past else "VBZ")
    return draft.derive([*antecedent, *(new.get(i, i) for i in own)], words, antecedent)


def _edge_marks(draft: Draft, tree: set[int]) -> set[int]:
    edges = {draft.order[draft.first(tree)], draft.order[draft.last(tree)]}
    return {i for i in edges if draft.words[i].text in ("(", ")", ",")}


def _is_several(draft: Draft, noun: int) -> bool:
    if draft.tag(noun) in PLURAL_TAGS or draft.lower(noun) in ("they", "we", "you", "these", "those"):
        return True
    return bool(draft.kids(noun, "conj"))


def _root_above(draft: Draft, i: int) -> int:
    for _ in draft.order:
        i = draft.head(i)
    return i


def _be(past: bool, plural: bool) -> str:
    if past:
        return "were" if plural else "was"
    return "are" if plural else "is"


def _tell_made(draft: Draft, verb: int, antecedent: list[int], words: list[Word], plural: bool) -> Draft | None:
    """ "making it the oldest in the store": the subject is the oldest. None, and no word changed, where nothing like it stands."""
    tree = draft.tree(verb)
    complement = next(iter(draft.kids(verb, "ccomp", "oprd", "xcomp")), None)
    pronoun = next((i for i in draft.order if i in tree and draft.lower(i) in ("it", "them", "him", "her")), None)
    if complement is None or pronoun is None or draft.place[pronoun] != draft.place[verb] + 1:
        return None
    own = draft.ordered(tree - {verb, pronoun})
    if not own or any(is_clause(draft, i) and draft.tag(i) == "VB" for i in own):
        return None
    be = insert_be(words, plural)
    hang(words, complement, be, "attr")
    for i in (*antecedent, *own):
        if words[i].head in (verb, pronoun):
            hang(words, i, be)
    return draft.derive([*antecedent, be, *own], words, antecedent)
