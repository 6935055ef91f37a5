"""Corrections of words that the parser hung from the wrong word. Each looks at word `i` and tells whether it changed the parse."""

from __future__ import annotations

from transforms.splitting.parses import Parse
from transforms.splitting.vocabulary import AUXILIARIES, FINITE_TAGS, NOUNS_AND_PRONOUNS, SUBJECTS
from transforms.vocabulary import vocabulary

_SPEECH = vocabulary(
    "say says said tell tells told report reports reported note notes noted write writes wrote state states stated claim "
    "claims claimed think thinks thought believe believes believed know knows knew hope hopes feel feels felt guess mean "
    "means suppose see sees ask asks asked"
)


def lift_from_auxiliary(parse: Parse, i: int) -> bool:
    """Hang what hangs from an auxiliary from its verb: in "it can also run" "also" belongs to "run"."""
    head = parse.words[i].head
    if head == i or parse.words[head].dep not in AUXILIARIES or parse.words[head].head == head:
        return False
    parse.hang(i, parse.words[head].head)
    return True


def join_loose_verb(parse: Parse, i: int) -> bool:
    """Join a verb that the parser could not place to the verb before it: "scans each upload, blocks malware"."""
    word = parse.words[i]
    if word.dep != "dep" or word.tag not in ("VBZ", "VBD") or word.head >= i:
        return False
    if parse.words[word.head].tag != word.tag or parse.has_subject(i):
        return False
    parse.hang(i, word.head, "conj")
    return True


def join_verb_to_verb(parse: Parse, i: int) -> bool:
    """Join a finite verb to a verb, not to its object: in "blocks malware and alerts the team" "alerts" to "blocks"."""
    word = parse.words[i]
    if word.tag not in ("VBZ", "VBD") or word.pos != "VERB" or word.dep != "conj":
        return False
    noun = word.head
    above = parse.clause_above(i) if parse.words[noun].pos in ("NOUN", "PROPN") else None
    if above is None or above > i or parse.has_subject(i) or parse.words[above].tag != word.tag:
        return False
    parse.hang_joints([kid for kid in parse.kids(noun) if noun < kid < i], above)
    parse.hang(i, above)
    return True


def begin_list_with_comparative(parse: Parse, i: int) -> bool:
    """Begin a list with an adjective read as an adverb of the second: "is faster, lighter and easier"."""
    word, head = parse.words[i], parse.words[i].head
    if word.tag not in ("JJR", "JJ") or word.dep != "advmod" or parse.words[head].dep != "acomp":
        return False
    if i + 2 > head or parse.words[i + 1].text != ",":
        return False
    parse.hang(i, parse.words[head].head, "acomp")
    parse.hang(head, i, "conj")
    return True


def make_subject_of_object(parse: Parse, verb: int) -> bool:
    """Make an object right in front of a verb without a subject that subject: "The Atlas drive stores 20 units"."""
    word = parse.words[verb]
    if word.tag not in FINITE_TAGS or word.dep not in ("ROOT", "conj") or parse.has_subject(verb):
        return False
    front = [
        kid
        for kid in parse.kids(verb, "dobj", "npadvmod", "dep", "nmod", "compound")
        if kid < verb and parse.words[kid].pos in NOUNS_AND_PRONOUNS
    ]
    if len(front) != 1 or parse.last(front[0]) != verb - 1:
        return False
    parse.hang(front[0], verb, "nsubj")
    return True


def take_subject_from_list(parse: Parse, verb: int) -> bool:
    """Take a subject out of a list: in "The limit is 80 degrees and Eco saves 15%" no "degrees and Eco" belong together."""
    word = parse.words[verb]
    if word.tag not in FINITE_TAGS or word.pos not in ("VERB", "AUX"):
        return False
    clause = word.head if word.dep in AUXILIARIES else verb
    if parse.words[clause].dep not in ("conj", "ccomp", "ROOT", "dep", "parataxis", "advcl", "relcl") or parse.has_subject(clause):
        return False
    subject = _member_in_front(parse, clause)
    if subject is None or parse.words[subject].head >= subject:
        return False
    opening, above = parse.first(subject), parse.clause_above(subject)
    if above is None or above == clause or above > subject or parse.words[opening - 1].dep not in ("cc", "punct"):
        return False
    parse.hang(subject, clause, "nsubjpass" if parse.kids(clause, "auxpass") else "nsubj")
    parse.hang(clause, above, "conj")
    parse.hang_joints([opening - 2, opening - 1], above)
    return True


def _member_in_front(parse: Parse, clause: int) -> int | None:
    """The last member of a list that ends where a clause with its auxiliaries and adverbs starts."""
    start = min([clause, *parse.kids(clause, *AUXILIARIES, "neg", "advmod")])
    for i in range(start - 1, 0, -1):
        word = parse.words[i]
        if word.dep == "conj" and word.pos in NOUNS_AND_PRONOUNS and parse.last(i) >= start - 1:
            between = parse.words[i:start]
            return None if any(other.pos in ("VERB", "AUX", "PUNCT") for other in between) else i
    return None


def join_twin_complement(parse: Parse, i: int) -> bool:
    """Join a second complement to the first, in a list with it: "is light, corrosion-resistant and cheap"."""
    word = parse.words[i]
    if word.dep not in ("acomp", "attr", "dobj") or word.head >= i:
        return False
    first = next((kid for kid in parse.kids(word.head, word.dep) if kid < i), None)
    comma = parse.first(i) - 1
    if first is None or parse.words[comma].text != "," or not parse.kids(i, "conj"):
        return False
    parse.hang(i, first, "conj")
    parse.hang(comma, first)
    return True


def put_first_clause_first(parse: Parse, root: int) -> bool:
    """Join the second of two main clauses to the first, read as a part of it: "The fan stops, the display turns off".

    It may be read as the subject, too: "Metformin lowers blood sugar, is taken twice a day".
    """
    if parse.words[root].head != root or not parse.has_subject(root):
        return False
    subjects = [kid for kid in parse.kids(root, *SUBJECTS) if parse.words[kid].tag in ("VBZ", "VBD")]
    for first in (*parse.kids(root, "ccomp", "advcl", "parataxis"), *subjects):
        if first < root and _is_main_clause(parse, first) and _is_apart(parse, first, root):
            _join_clauses(parse, first, root)
            return True
    return False


def make_list_of_apposition(parse: Parse, i: int) -> bool:
    """Join what was read as an apposition of an object, in a list with it: "has 16 GB, a fast disk and two ports"."""
    word, head = parse.words[i], parse.words[i].head
    if word.dep != "appos" or head > i or parse.words[head].dep not in ("dobj", "attr", "pobj"):
        return False
    if parse.words[parse.first(i) - 1].text != "," or not any(parse.lower(kid) == "and" for kid in parse.kids(i, "cc")):
        return False
    if parse.words[head].dep == "pobj":  # "16 GB of RAM, a fast disk": the list is of what is had
        above = parse.words[parse.words[head].head].head
        head = above if parse.words[above].dep in ("dobj", "attr") else head
    parse.hang(i, head, "conj")
    return True


def _is_main_clause(parse: Parse, verb: int) -> bool:
    if parse.words[verb].pos not in ("VERB", "AUX") or not parse.has_subject(verb) or not parse.is_finite(verb):
        return False
    return not any(parse.words[kid].dep == "mark" or parse.words[kid].tag in ("WRB", "WP") for kid in parse.kids(verb))


def _is_apart(parse: Parse, first: int, root: int) -> bool:
    """Whether punctuation or "so" stands behind the first clause, and not the comma of "The fan stops, he said"."""
    end = parse.last(first)
    end -= parse.words[end].text in (",", ";")
    behind = [word.text.lower() for word in parse.words[end + 1 : end + 3]]
    if "so" in behind:
        return True
    return behind[:1] in ([";"], ["–"], ["—"], [":"]) or (behind[:1] == [","] and parse.lower(root) not in _SPEECH)


def _join_clauses(parse: Parse, first: int, root: int) -> None:
    end = parse.last(first)
    parse.hang(first, first, "ROOT")
    parse.hang(root, first, "conj")
    for kid in parse.kids(root):
        if first < kid <= end + 2 and parse.lower(kid) in (",", ";", "so", "–", "—", ":"):
            parse.hang(kid, first, "cc" if parse.lower(kid) == "so" else "punct")
        elif kid < first and parse.words[kid].dep not in SUBJECTS:
            parse.hang(kid, first)
