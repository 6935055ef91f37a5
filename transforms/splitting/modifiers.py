"""Relative clauses, appositions and participles: what a sentence says of a noun in passing."""

from __future__ import annotations

from transforms.splitting.drafts import AUXILIARIES, SUBJECTS, Draft, insert_word, reword
from transforms.splitting.grammar import (
    BE,
    PREPOSITIONAL,
    QUANTITY_NOUNS,
    after_comma,
    asserted,
    comma_beside,
    is_clause,
    is_past,
    is_prepositional,
    nominal,
)
from transforms.splitting.inflection import past_tense, plain_form, third_person
from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import vocabulary

_RELATIVES = vocabulary("which who whom whose that where")

_OF_CLAUSE = vocabulary("mean make allow lead result cause help ensure enable")


def split_relative(draft: Draft) -> list[Draft] | None:
    if "relcl" not in draft.deps:
        return None
    for verb in draft.order:
        if draft.dep(verb) != "relcl" or draft.words[verb].head == verb:
            continue
        noun = draft.words[verb].head
        pronoun = next(
            (
                i
                for i in draft.order
                if i in draft.tree(verb)
                and draft.lower(i) in _RELATIVES
                and draft.words[i].tag in ("WDT", "WP", "WP$", "WRB", "DT", "IN")
            ),
            None,
        )
        if pronoun is None or draft.place[pronoun] > draft.place[verb]:
            continue
        predicate = _predicate_subject(draft, noun)
        if after_comma(draft, verb) and not (predicate is not None and draft.dep(pronoun) in SUBJECTS):
            if draft.lower(pronoun) == "which" and _refers_to_clause(draft, verb, noun):
                continue
            antecedent = sorted(nominal(draft, noun) - draft.tree(verb), key=draft.place.__getitem__)
        elif predicate is not None and draft.dep(pronoun) in SUBJECTS and _is_set_off(draft, draft.tree(verb)):
            antecedent = sorted(draft.tree(predicate), key=draft.place.__getitem__)
            noun = predicate
        else:
            continue
        relative = _fill_relative(draft, verb, pronoun, noun, antecedent)
        if relative is None:
            continue
        tree = draft.tree(verb)
        return [draft.without(tree | comma_beside(draft, tree)), relative]
    return None


def _is_set_off(draft: Draft, tree: set[int]) -> bool:
    """Whether nothing that might belong to a clause follows it."""
    end = draft.last(tree) + 1
    return end >= len(draft.order) or draft.words[draft.order[end]].pos in ("PUNCT", "CCONJ")


def _predicate_subject(draft: Draft, noun: int) -> int | None:
    """The subject of "X is a N", which a relative clause of N tells of."""
    verb = draft.words[noun].head
    if draft.dep(noun) != "attr" or draft.lower(verb) not in BE or not asserted(draft, verb):
        return None
    indefinite = any(draft.lower(kid) in ("a", "an") for kid in draft.kids(noun, "det"))
    below = list(draft.kids(noun, "relcl", "acl", "appos"))
    if not indefinite and not (below and after_comma(draft, below[0])):
        return None
    subject = draft.subject(verb)
    return None if subject is None or draft.dep(subject) == "expl" or draft.lower(subject) == "there" else subject


def _refers_to_clause(draft: Draft, verb: int, noun: int) -> bool:
    lemma = plain_form(draft.words[verb].text)
    if draft.lower(noun) in QUANTITY_NOUNS or draft.words[noun].pos == "NUM" or lemma == "mean":
        return True
    return lemma in _OF_CLAUSE and draft.dep(noun) not in SUBJECTS and draft.words[noun].pos != "PROPN"


def _fill_relative(draft: Draft, verb: int, pronoun: int, noun: int, antecedent: list[int]) -> Draft | None:
    tree = draft.tree(verb)
    words = list(draft.words)
    words[verb] = words[verb]._replace(head=verb, dep="ROOT")
    order = [i for i in draft.order if i in tree]
    at = order.index(pronoun)
    kind = draft.lower(pronoun)
    parent = draft.words[pronoun].head
    if kind == "whose":
        words[noun] = words[noun]._replace(head=parent, dep="poss")
        mark = insert_word(words, pronoun, "'s", noun, "case", "PART", "POS")
        order[at : at + 1] = [*antecedent, mark]
    elif kind == "where":
        mark = insert_word(words, pronoun, "in", verb, "prep", "ADP", "IN")
        words[noun] = words[noun]._replace(head=mark, dep="pobj")
        comma = insert_word(words, pronoun, ",", verb, "punct", "PUNCT", ",")
        order = [*order[:at], mark, *antecedent, comma, *order[at + 1 :]]
    elif draft.dep(pronoun) in SUBJECTS or (draft.dep(pronoun) == "pobj" and (at < 1 or order[at - 1] != parent or at > 1)):
        words[noun] = words[noun]._replace(head=parent, dep=draft.dep(pronoun))
        order[at : at + 1] = []
        at = order.index(parent) + 1 if draft.dep(pronoun) == "pobj" and parent in order else at
        order[at:at] = antecedent
    elif draft.dep(pronoun) == "pobj":
        words[noun] = words[noun]._replace(head=parent, dep="pobj")
        order = [i for i in order if i not in (pronoun, parent)] + [parent, *antecedent]
    elif draft.dep(pronoun) == "dobj":
        words[noun] = words[noun]._replace(head=parent, dep="dobj")
        order.pop(at)
        end = order.index(parent) + 1
        order[end:end] = antecedent
    else:
        return None
    return draft.derive(order, words, antecedent)


def split_apposition(draft: Draft) -> list[Draft] | None:
    if "appos" not in draft.deps:
        return None
    for appos in draft.order:
        if draft.dep(appos) != "appos" or not after_comma(draft, appos):
            continue
        noun = draft.words[appos].head
        tree = draft.tree(appos)
        if not _is_closed(draft, tree) or not _is_description(draft, appos, noun):
            continue
        predicate = _predicate_subject(draft, noun)
        noun = noun if predicate is None else predicate
        words = list(draft.words)
        antecedent = sorted(nominal(draft, noun) - tree, key=draft.place.__getitem__)
        plural = draft.words[noun].tag in ("NNS", "NNPS")
        be = insert_word(words, appos, "are" if plural else "is", len(words), "ROOT")
        words[be] = words[be]._replace(head=be)
        words[noun] = words[noun]._replace(head=be, dep="nsubj")
        words[appos] = words[appos]._replace(head=be, dep="attr")
        own = [i for i in draft.order if i in tree]
        told = draft.derive([*antecedent, be, *own], words, antecedent)
        return [draft.without(tree | comma_beside(draft, tree)), told]
    return None


def _is_closed(draft: Draft, tree: set[int]) -> bool:
    """Whether a comma, a bracket or the end follows, as it does behind an apposition."""
    end = draft.last(tree) + 1
    return (
        end >= len(draft.order)
        or draft.words[draft.order[end]].text in (",", ")", ".", ";", "–", "—", ":")
        or draft.words[draft.order[end - 1]].text in (")", ",")
    )


def _is_description(draft: Draft, appos: int, noun: int) -> bool:
    word = draft.words[appos]
    if draft.lower(appos) == "one" and draft.kids(appos, "prep"):
        return True
    if _is_listed(draft, appos):
        return False
    if word.pos not in ("NOUN", "PROPN") or draft.words[noun].pos not in ("NOUN", "PROPN", "PRON"):
        return False
    first = draft.order[draft.first(draft.tree(appos))]
    determined = draft.words[first].tag in ("DT", "PRP$") and draft.lower(first) not in ("no", "all", "each", "every")
    if draft.kids(appos, "conj") and (not determined or any(is_clause(draft, kid) for kid in draft.kids(appos, "conj"))):
        return False
    if draft.kids(appos, "nummod") and not determined:
        return False
    if determined:
        return True
    return (bool(draft.kids(appos, "prep", "relcl", "acl")) and word.pos == "NOUN") or (
        word.pos == "PROPN" and draft.words[noun].pos == "NOUN" and len(draft.tree(appos)) > 1 and draft.words[noun].tag == "NN"
    )


def _is_listed(draft: Draft, appos: int) -> bool:
    """Whether an apposition is rather the middle of a list: another comma and an "and" follow."""
    end = draft.last(draft.tree(appos))
    behind = [draft.lower(i) for i in draft.order[end + 1 : end + 3]]
    return behind[:1] == ["and"] or (
        behind == [",", "and"] and not any(is_clause(draft, i) for i in draft.order[end + 3 : end + 5])
    )


_CONDITIONAL = frozenset({"once", "when", "if", "unless", "until", "though", "although", "where", "whenever"})
_STATES = vocabulary(
    "based located known called named made written used owned led headquartered considered situated coated equipped connected "
    "priced intended aimed sold supported required included limited held run managed found hosted powered rated valued"
)


def split_participle(draft: Draft) -> list[Draft] | None:
    if not draft.deps & {"acl", "advcl", "prep"}:
        return None
    for verb in draft.order:
        word = draft.words[verb]
        if word.dep not in ("acl", "advcl", "prep") or word.tag not in ("VBN", "VBG") or draft.lower(verb) in PREPOSITIONAL:
            continue
        if draft.kids(verb, "mark", *SUBJECTS, *AUXILIARIES) or word.head == verb or is_prepositional(draft, verb):
            continue
        if any(
            (draft.words[kid].tag in ("IN", "WRB") or draft.lower(kid) in _CONDITIONAL) and draft.place[kid] < draft.place[verb]
            for kid in draft.kids(verb)
        ):
            continue
        fronted = word.dep in ("advcl", "prep") and draft.first(draft.tree(verb)) == 0
        predicate = _predicate_subject(draft, word.head) if word.dep == "acl" else None
        bracketed = draft.words[draft.order[draft.first(draft.tree(verb))]].text == "("
        if not fronted and predicate is None and not after_comma(draft, verb):
            continue
        if word.dep == "advcl" and word.tag == "VBN" and not fronted and not bracketed:
            continue  # of the subject or of the nearest noun: who knows
        noun = predicate if predicate is not None else word.head if word.dep == "acl" else draft.subject(word.head)
        if word.dep == "advcl" and bracketed and not fronted:
            noun = draft.order[draft.first(draft.tree(verb)) - 1]
        if word.dep != "acl" and not asserted(draft, word.head):
            continue
        if noun is None or draft.words[noun].pos not in ("NOUN", "PROPN", "PRON") or draft.dep(noun) == "expl":
            continue
        told = _finite(draft, verb, noun)
        if told is None:
            continue
        tree = draft.tree(verb)
        return [draft.without(tree | comma_beside(draft, tree)), told]
    return None


def _main_verb(draft: Draft, i: int) -> int:
    for _ in draft.order:
        i = draft.words[i].head
    return i


def _finite(draft: Draft, verb: int, noun: int) -> Draft | None:
    """The participle's words as a sentence about the noun."""
    tree = draft.tree(verb)
    antecedent = sorted(nominal(draft, noun) - tree, key=draft.place.__getitem__)
    words = list(draft.words)
    words[noun] = words[noun]._replace(head=verb, dep="nsubj")
    words[verb] = words[verb]._replace(head=verb, dep="ROOT")
    plural = (
        words[noun].tag in ("NNS", "NNPS")
        or draft.lower(noun) in ("they", "we", "you", "these", "those")
        or bool(draft.kids(noun, "conj"))
    )
    past = is_past(draft, _main_verb(draft, draft.words[verb].head))
    own = [i for i in draft.order if i in tree and i not in _edge_marks(draft, tree)]
    if words[verb].tag == "VBN":
        past = past or draft.lower(verb) not in _STATES
        text = ("were" if plural else "was") if past else ("are" if plural else "is")
        words[noun] = words[noun]._replace(dep="nsubjpass")
        be = insert_word(words, verb, text, verb, "auxpass")
        return draft.derive([*antecedent, be, *own], words, antecedent)
    if draft.lower(verb) == "making":
        made = _made(draft, verb, antecedent, words, plural)
        if made is not None:
            return made
    form = past_tense(words[verb].text) if past else plain_form(words[verb].text) if plural else third_person(words[verb].text)
    new = reword(words, verb, form, "VBD" if past else "VBZ")
    words[new] = words[new]._replace(head=new)
    return draft.derive([*antecedent, *(new if i == verb else i for i in own)], words, antecedent)


def _made(draft: Draft, verb: int, antecedent: list[int], words: list[Word], plural: bool) -> Draft | None:
    """ "making it the oldest in the store": the subject is the oldest."""
    complement = next((kid for kid in draft.kids(verb) if draft.dep(kid) in ("ccomp", "oprd", "xcomp")), None)
    pronoun = next((i for i in draft.order if i in draft.tree(verb) and draft.lower(i) in ("it", "them", "him", "her")), None)
    if complement is None or pronoun is None or draft.place[pronoun] != draft.place[verb] + 1:
        return None
    own = [i for i in draft.order if i in draft.tree(verb) - {verb, pronoun}]
    if not own or any(is_clause(draft, i) and draft.words[i].tag == "VB" for i in own):
        return None
    be = insert_word(words, verb, "are" if plural else "is", len(words), "ROOT")
    words[be] = words[be]._replace(head=be)
    words[complement] = words[complement]._replace(head=be, dep="attr")
    for i in antecedent:
        if words[i].head == verb:
            words[i] = words[i]._replace(head=be)
    return draft.derive([*antecedent, be, *own], words, antecedent)


def _edge_marks(draft: Draft, tree: set[int]) -> set[int]:
    return {i for i in tree if draft.words[i].text in ("(", ")", ",") and draft.place[i] in (draft.first(tree), draft.last(tree))}
