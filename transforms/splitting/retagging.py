"""Corrections of words read as the wrong part of speech. Each looks at word `i` and tells whether it changed the parse."""

from __future__ import annotations

from transforms.splitting.inflection import is_verb
from transforms.splitting.parses import Parse
from transforms.splitting.vocabulary import AUXILIARIES, NOUNS, SUBJECTS
from transforms.vocabulary import vocabulary

# What an object may start with.
_OPENERS = vocabulary("DT CD PRP$ PRP $ NNS NNP")
_VERBS_BEFORE_PREPOSITION = vocabulary(
    "ships fits runs weighs costs lasts starts comes works charges ranges belongs returns operates"
)


def read_noun(parse: Parse, i: int) -> bool:
    """Read a plural verb behind a singular subject as a noun of one name with it: "... and the premium plan $12"."""
    word, before = parse.words[i], parse.words[i - 1]
    if word.tag != "VBP" or i < 2 or word.text.lower() in ("have", "do", "are"):
        return False
    if before.head != i or before.dep != "nsubj" or before.tag != "NN" or not _has_determiner(parse, i - 1):
        return False
    parse.retag(i, "NN", "NOUN")
    for kid in parse.kids(i - 1):
        parse.hang(kid, i)
    parse.hang(i - 1, i, "compound")
    return True


def _has_determiner(parse: Parse, noun: int) -> bool:
    determiners = (kid for kid in parse.kids(noun) if parse.words[kid].tag == "DT")
    return any(parse.lower(kid) in ("a", "an", "the", "this", "each", "every") for kid in determiners)


def read_verb_of_sentence(parse: Parse, root: int) -> bool:
    """Read the head of a noun phrase that is the whole sentence as its verb: "Iron melts at 1,538 degrees"."""
    word, subject = parse.words[root], root - 1
    if word.head != root or word.tag != "NNS" or not is_verb(word.text) or subject < 0 or root + 1 >= len(parse):
        return False
    before, following = parse.words[subject], parse.words[root + 1]
    if before.head != root or before.dep != "compound" or before.tag not in ("NN", "NNP"):
        return False
    if following.tag not in ("IN", "DT", "CD", "CC", "RB", "$", "PRP$", "TO") or following.text == "of":
        return False
    parse.retag(root, "VBZ", "VERB")
    parse.hang(subject, root, "nsubj")
    for kid in parse.kids(root):
        if kid < subject:
            parse.hang(kid, subject)
        elif parse.words[kid].pos in NOUNS and parse.words[kid].dep != "conj":
            parse.hang(kid, root, "dobj")
    return True


def read_verb_in_compound(parse: Parse, verb: int) -> bool:
    """Read a verb inside a compound noun as the verb of its clause: "... and Braga handles returns"."""
    word, noun = parse.words[verb], parse.words[verb].head
    if word.tag != "VBZ" or word.dep not in ("compound", "nmod", "amod") or noun < verb or parse.words[noun].head == noun:
        return False
    left = [kid for kid in (*parse.kids(noun), *parse.kids(verb)) if kid < verb]
    subject = max((kid for kid in left if parse.words[kid].tag in ("NN", "NNP", "PRP")), default=None)
    if subject is None:
        return False
    parse.retag(verb, "VBZ", "VERB")
    parse.hang(verb, parse.words[noun].head, parse.words[noun].dep)
    parse.hang(noun, verb, "dobj")
    parse.hang(subject, verb, "nsubj")
    for kid in left:
        if kid != subject:
            parse.hang(kid, subject)
    return True


def read_verb_behind_and(parse: Parse, i: int) -> bool:
    """Read a noun behind "and" as a verb, where what follows may be its object: "stores 20 units and uses 6 watts"."""
    if not _could_be_verb(parse, i) or not _opens_complement(parse, i):
        return False
    nearest = parse.clause_above(i)
    above = _singular_clause(parse, nearest) if nearest is not None and nearest <= i else None
    if above is None:
        return False
    parse.retag(i, "VBZ", "VERB")
    parse.hang(i, above, "conj")
    for k in range(i + 1, len(parse)):
        _hang_behind(parse, i, k)
    parse.hang_joints([i - 1, i - 2], above)
    return True


def _could_be_verb(parse: Parse, i: int) -> bool:
    """Whether a word behind "and" has an -s and is no verb of a clause yet."""
    word = parse.words[i]
    if i < 2 or word.tag not in ("NNS", "NNPS", "VBZ") or word.text != word.text.lower():
        return False
    if word.tag == "VBZ" and word.pos == "VERB" and word.dep in ("conj", "ROOT", "ccomp", "relcl", "advcl"):
        return False
    return parse.words[i - 1].text in ("and", ",", "but") and is_verb(word.text)


def _opens_complement(parse: Parse, i: int) -> bool:
    """Whether what follows may be an object, or the phrase that a verb such as "runs" takes."""
    if i + 1 >= len(parse) or parse.words[i + 1].text == "of":
        return False
    if parse.words[i + 1].tag == "IN":
        after = parse.words[min(i + 2, len(parse) - 1)].text
        return parse.words[i].text in _VERBS_BEFORE_PREPOSITION or after in ("most", "least")
    return parse.words[i + 1].tag in _OPENERS


def _singular_clause(parse: Parse, verb: int) -> int | None:
    """The clause up from `verb` that speaks of one thing in the present, as the verb with an -s does."""
    for _ in parse.words:
        if "VBZ" in (parse.words[verb].tag, *(parse.words[kid].tag for kid in parse.kids(verb, *AUXILIARIES))):
            return verb
        above = parse.clause_above(verb)
        if parse.words[verb].head == verb or parse.words[verb].dep not in ("conj", "xcomp", "ccomp", "relcl") or above is None:
            return None
        verb = above
    return None


def _hang_behind(parse: Parse, verb: int, k: int) -> None:
    """Hang a word behind a new verb from it, unless something behind the verb holds it or it ends the sentence."""
    word = parse.words[k]
    held = word.head >= verb and word.head != k
    if held or (word.dep in ("punct", "cc") and word.text in (".", ";")):
        return
    dep = "dobj" if word.pos in ("NOUN", "PROPN", "NUM") else word.dep
    parse.hang(k, verb, "advcl" if dep == "ROOT" else dep)


def read_verb_behind_modal(parse: Parse, i: int) -> bool:
    """Read a noun or an adjective in a list of a modal's verbs as a verb: "can create, list and delete buckets"."""
    word = parse.words[i]
    if i < 2 or word.tag not in ("NN", "JJ", "VBP") or parse.words[i - 1].text not in (",", "and", "or") or not is_verb(word.text):
        return False
    before = i - 3 if parse.words[i - 2].text == "," else i - 2
    if before < 0 or parse.words[before].tag != "VB" or word.text != word.text.lower() or i + 1 >= len(parse):
        return False
    verb = _first_verb_of_list(parse, before)
    if parse.words[i + 1].tag not in (",", "CC", "NNS", "DT", "PRP$", "NN"):
        return False
    if not any(parse.words[kid].tag in ("MD", "TO") for kid in parse.kids(verb)):
        return False
    noun = word.head
    parse.retag(i, "VB", "VERB")
    parse.hang(i, verb, "conj")
    if noun > i:
        parse.hang(noun, i, "dobj")
    parse.hang_joints([kid for kid in range(before + 1, i) if parse.words[kid].head in (i, noun)], verb)
    return True


def _first_verb_of_list(parse: Parse, verb: int) -> int:
    while parse.words[verb].dep == "conj" and parse.words[parse.words[verb].head].tag == "VB":
        verb = parse.words[verb].head
    return verb


def read_participle_in_list(parse: Parse, i: int) -> bool:
    """Read a verb in front of a noun of a list as a participle: "covers theft, missed flights and broken glasses"."""
    word, verb = parse.words[i], parse.words[i].head
    if word.tag not in ("VBD", "VBN") or word.dep != "conj" or parse.words[verb].tag != "VBZ":
        return False
    if i < 2 or parse.words[i - 1].text not in (",", "and", "or") or parse.kids(i, *AUXILIARIES, *SUBJECTS):
        return False
    first = next((kid for kid in parse.kids(verb, "dobj") if kid < i), None)
    noun = i + 1
    if first is None or noun not in parse.kids(i, "dobj"):
        return False
    parse.hang(noun, first, "conj")
    parse.retag(i, "VBN", "ADJ")
    parse.hang(i, noun, "amod")
    for kid in parse.kids(i):
        parse.hang(kid, noun)
    parse.hang_joints([kid for kid in parse.kids(verb) if first < kid < i], first)
    return True
