"""Correct parses in which a clause was read as something else, before anything is split along them."""

from __future__ import annotations

from collections.abc import Callable

from transforms.splitting.inflection import is_verb
from transforms.splitting.parsing import Word
from transforms.splitting.vocabulary import vocabulary

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_NOUNS = ("NOUN", "PROPN", "PRON")
_SPEECH = vocabulary(
    "say says said tell tells told report reports reported note notes noted write writes wrote state states stated claim "
    "claims claimed think thinks thought believe believes believed know knows knew hope hopes feel feels felt guess mean "
    "means suppose see sees ask asks asked"
)


def mend(words: list[Word]) -> list[Word]:
    """Correct a parse word by word; a correction that would leave no tree is dropped."""
    for correct in CORRECTIONS:
        mended = list(words)
        for i in range(len(words)):
            if correct(mended, i):
                words = mended if _is_tree(mended) else words
                mended = list(words)
    return words


def _is_tree(words: list[Word]) -> bool:
    """Whether every word leads to the root."""
    good: set[int] = set()
    for i in range(len(words)):
        path = set()
        while i not in good and words[i].head != i:
            if i in path:
                return False
            path.add(i)
            i = words[i].head
        good |= path
    return True


def _kids(words: list[Word], i: int) -> list[int]:
    return [kid for kid, word in enumerate(words) if word.head == i and kid != i]


def _has_subject(words: list[Word], verb: int) -> bool:
    return any(words[kid].dep in SUBJECTS for kid in _kids(words, verb))


def _edge(words: list[Word], i: int, last: bool = False) -> int:
    """The first (or last) word of the tree of `i`."""
    tree, pending = {i}, [i]
    while pending:
        head = pending.pop()
        for kid in _kids(words, head):
            if kid not in tree:
                tree.add(kid)
                pending.append(kid)
    return max(tree) if last else min(tree)


def _clause_above(words: list[Word], i: int) -> int | None:
    """The verb that a word stands under."""
    for _ in words:
        i = words[i].head
        if words[i].pos in ("VERB", "AUX"):
            return i
    return None


def _verb_in_compound(words: list[Word], verb: int) -> bool:
    """ "... and Braga handles returns": a verb read as part of a compound noun."""
    word = words[verb]
    noun = word.head
    if word.tag != "VBZ" or word.dep not in ("compound", "nmod", "amod") or noun < verb or words[noun].head == noun:
        return False
    left = [kid for kid in (*_kids(words, noun), *_kids(words, verb)) if kid < verb]
    subject = max((kid for kid in left if words[kid].tag in ("NN", "NNP", "PRP")), default=None)
    if subject is None:
        return False
    words[verb] = word._replace(head=words[noun].head, dep=words[noun].dep, pos="VERB")
    words[noun] = words[noun]._replace(head=verb, dep="dobj")
    words[subject] = words[subject]._replace(head=verb, dep="nsubj")
    for kid in left:
        if kid != subject:
            words[kid] = words[kid]._replace(head=subject)
    return True


def _subject_in_list(words: list[Word], verb: int) -> bool:
    """ "The limit is 80 degrees and Eco saves 15%": a subject read as a second member of what stands before it."""
    word = words[verb]
    if word.tag not in _FINITE or word.pos not in ("VERB", "AUX"):
        return False
    clause = word.head if word.dep in AUXILIARIES else verb
    if words[clause].dep not in ("conj", "ccomp", "ROOT", "dep", "parataxis", "advcl", "relcl") or _has_subject(words, clause):
        return False
    start = min(
        [kid for kid in _kids(words, clause) if words[kid].dep in (*AUXILIARIES, "neg", "advmod") and kid < clause] + [clause]
    )
    subject = next(
        (
            i
            for i in range(start - 1, 0, -1)
            if words[i].dep == "conj" and words[i].pos in _NOUNS and _edge(words, i, last=True) >= start - 1
        ),
        None,
    )
    if subject is None or any(words[i].pos in ("VERB", "AUX", "PUNCT") for i in range(subject, start)):
        return False
    first, opening = words[subject].head, _edge(words, subject)
    above = _clause_above(words, subject)
    if above is None or above == clause or above > subject or first >= subject or words[opening - 1].dep not in ("cc", "punct"):
        return False
    passive = any(words[kid].dep == "auxpass" for kid in _kids(words, clause))
    words[subject] = words[subject]._replace(head=clause, dep="nsubjpass" if passive else "nsubj")
    words[clause] = words[clause]._replace(head=above, dep="conj")
    for i in (opening - 2, opening - 1):
        if words[i].dep in ("cc", "punct"):
            words[i] = words[i]._replace(head=above)
    return True


def _side_by_side(words: list[Word], root: int) -> bool:
    """ "The fan stops, the display turns off": the first of two main clauses read as a part of the second."""
    if words[root].head != root or not _has_subject(words, root):
        return False
    for first in _kids(words, root):
        word = words[first]
        if (
            word.dep not in ("ccomp", "advcl", "parataxis")
            or first > root
            or not _has_subject(words, first)
            or word.pos not in ("VERB", "AUX")
        ):
            continue
        marked = any(words[kid].dep == "mark" or words[kid].tag in ("WRB", "WP") for kid in _kids(words, first))
        finite = word.tag in _FINITE or any(
            words[kid].tag in _FINITE for kid in _kids(words, first) if words[kid].dep in AUXILIARIES
        )
        end = _edge(words, first, last=True)
        behind = [words[i].text.lower() for i in range(end + 1, min(end + 3, len(words)))]
        apart = bool(behind) and (behind[0] in (",", ";", "–", "—", ":") or "so" in behind)
        if marked or not finite or not apart or (behind[0] == "," and "so" not in behind and words[root].text.lower() in _SPEECH):
            continue
        words[first] = word._replace(head=first, dep="ROOT")
        words[root] = words[root]._replace(head=first, dep="conj")
        for kid in _kids(words, root):
            if kid <= end + 2 and words[kid].text.lower() in (",", ";", "so", "–", "—", ":") and kid > first:
                words[kid] = words[kid]._replace(head=first, dep="cc" if words[kid].text.lower() == "so" else "punct")
            elif kid < first and words[kid].dep not in SUBJECTS:
                words[kid] = words[kid]._replace(head=first)
        return True
    return False


_OPENERS = vocabulary("DT CD PRP$ PRP $ NNS NNP")
_VERBS_BEFORE_PREPOSITION = vocabulary(
    "ships fits runs weighs costs lasts starts comes works charges ranges belongs returns operates"
)


def _verb_read_as_noun(words: list[Word], i: int) -> bool:
    """ "stores 20 units and uses 6 watts": a verb behind "and" read as a noun."""
    word = words[i]
    if (
        i < 2
        or i + 1 >= len(words)
        or word.tag not in ("NNS", "NNPS", "VBZ")
        or word.text != word.text.lower()
        or words[i - 1].text not in ("and", ",", "but")
    ):
        return False
    if word.tag == "VBZ" and word.pos == "VERB" and word.dep in ("conj", "ROOT", "ccomp", "relcl", "advcl"):
        return False
    following = words[i + 1]
    opens = following.tag in _OPENERS or (
        following.tag == "IN"
        and (word.text in _VERBS_BEFORE_PREPOSITION or words[min(i + 2, len(words) - 1)].text in ("most", "least"))
    )
    if not opens or following.text == "of" or not is_verb(word.text):
        return False
    above = _clause_above(words, i)
    if above is None or above > i:
        return False
    above = _singular_clause(words, above)
    if above is None:
        return False
    words[i] = word._replace(head=above, dep="conj", pos="VERB", tag="VBZ")
    for k in range(i + 1, len(words)):
        if words[k].head < i or words[k].head == k:
            if words[k].dep in ("punct", "cc") and words[k].text in (".", ";"):
                continue
            dep = "dobj" if words[k].pos in ("NOUN", "PROPN", "NUM") else words[k].dep
            words[k] = words[k]._replace(head=i, dep="advcl" if dep == "ROOT" else dep)
    for k in (i - 1, i - 2):
        if words[k].dep in ("cc", "punct"):
            words[k] = words[k]._replace(head=above)
    return True


def _singular_clause(words: list[Word], verb: int) -> int | None:
    """The clause up from `verb` that speaks of one thing in the present, as the verb with an -s does."""
    for _ in words:
        present = words[verb].tag == "VBZ" or any(
            words[kid].tag == "VBZ" and words[kid].dep in AUXILIARIES for kid in _kids(words, verb)
        )
        if present:
            return verb
        above = _clause_above(words, verb)
        if words[verb].head == verb or words[verb].dep not in ("conj", "xcomp", "ccomp", "relcl") or above is None:
            return None
        verb = above
    return None


def _participle_in_list(words: list[Word], i: int) -> bool:
    """ "covers theft, missed flights and broken glasses": a participle in front of a noun read as a verb."""
    word = words[i]
    if (
        word.tag not in ("VBD", "VBN")
        or word.dep != "conj"
        or words[word.head].tag != "VBZ"
        or i < 2
        or words[i - 1].text not in (",", "and", "or")
    ):
        return False
    if any(words[kid].dep in (*AUXILIARIES, *SUBJECTS) for kid in _kids(words, i)):
        return False
    noun = next((kid for kid in _kids(words, i) if words[kid].dep == "dobj" and kid == i + 1), None)
    first = next((kid for kid in _kids(words, word.head) if words[kid].dep == "dobj" and kid < i), None)
    if noun is None or first is None:
        return False
    verb = word.head
    words[noun] = words[noun]._replace(head=first, dep="conj")
    words[i] = word._replace(head=noun, dep="amod", pos="ADJ", tag="VBN")
    for kid in range(len(words)):
        if words[kid].head == i:
            words[kid] = words[kid]._replace(head=noun)
        elif words[kid].head == verb and words[kid].dep in ("cc", "punct") and first < kid < i:
            words[kid] = words[kid]._replace(head=first)
    return True


def _twin_complement(words: list[Word], i: int) -> bool:
    """ "is light, corrosion-resistant and cheap": a second complement beside the first, in a list with it."""
    word = words[i]
    if word.dep not in ("acomp", "attr", "dobj") or word.head >= i:
        return False
    first = next((kid for kid in _kids(words, word.head) if words[kid].dep == word.dep and kid < i), None)
    opening = _edge(words, i)
    if first is None or words[opening - 1].text != "," or not any(words[kid].dep == "conj" for kid in _kids(words, i)):
        return False
    words[i] = word._replace(head=first, dep="conj")
    words[opening - 1] = words[opening - 1]._replace(head=first)
    return True


def _verbless_root(words: list[Word], root: int) -> bool:
    """ "Iron melts at 1,538 degrees": a verb read as the head of a noun phrase that is the whole sentence."""
    word = words[root]
    if word.head != root or word.tag != "NNS" or not is_verb(word.text) or root + 1 >= len(words):
        return False
    subject = root - 1
    if subject < 0 or words[subject].head != root or words[subject].dep != "compound" or words[subject].tag not in ("NN", "NNP"):
        return False
    if words[root + 1].tag not in ("IN", "DT", "CD", "CC", "RB", "$", "PRP$", "TO") or words[root + 1].text == "of":
        return False
    words[root] = word._replace(pos="VERB", tag="VBZ")
    words[subject] = words[subject]._replace(dep="nsubj")
    for kid in _kids(words, root):
        if kid < subject:
            words[kid] = words[kid]._replace(head=subject)
        elif words[kid].pos in ("NOUN", "PROPN") and words[kid].dep not in ("conj",):
            words[kid] = words[kid]._replace(dep="dobj")
    return True


def _object_in_front(words: list[Word], verb: int) -> bool:
    """ "The Atlas drive stores 20 units": the subject read as an object that stands in front of its verb."""
    word = words[verb]
    if word.tag not in _FINITE or word.dep not in ("ROOT", "conj") or _has_subject(words, verb):
        return False
    front = [
        kid
        for kid in _kids(words, verb)
        if kid < verb and words[kid].dep in ("dobj", "npadvmod", "dep", "nmod", "compound") and words[kid].pos in _NOUNS
    ]
    if len(front) != 1 or _edge(words, front[0], last=True) != verb - 1:
        return False
    words[front[0]] = words[front[0]]._replace(dep="nsubj")
    return True


def _bare_verb_in_list(words: list[Word], i: int) -> bool:
    """ "can create, list and delete buckets": a verb behind a modal's verb read as a noun or an adjective."""
    word = words[i]
    if i < 2 or word.tag not in ("NN", "JJ", "VBP") or words[i - 1].text not in (",", "and", "or") or not is_verb(word.text):
        return False
    before = i - 2 if words[i - 2].text != "," else i - 3
    if before < 0 or words[before].tag != "VB" or word.text != word.text.lower() or i + 1 >= len(words):
        return False
    verb = before
    while words[verb].dep == "conj" and words[words[verb].head].tag == "VB":
        verb = words[verb].head
    if not any(words[kid].tag in ("MD", "TO") for kid in _kids(words, verb)) or words[i + 1].tag not in (
        ",",
        "CC",
        "NNS",
        "DT",
        "PRP$",
        "NN",
    ):
        return False
    noun = word.head
    words[i] = word._replace(tag="VB", pos="VERB", dep="conj", head=verb)
    if noun > i:
        words[noun] = words[noun]._replace(head=i, dep="dobj")
    for kid in range(before + 1, len(words)):
        if words[kid].head in (i, noun) and kid < i and words[kid].dep in ("punct", "cc"):
            words[kid] = words[kid]._replace(head=verb)
    return True


def _auxiliary_head(words: list[Word], i: int) -> bool:
    """What hangs from an auxiliary belongs to its verb."""
    head = words[i].head
    if head == i or words[head].dep not in AUXILIARIES or words[head].head == head:
        return False
    words[i] = words[i]._replace(head=words[head].head)
    return True


def _verb_joined_to_noun(words: list[Word], i: int) -> bool:
    """ "blocks malware and alerts the team": a finite verb is joined to a verb, not to its object."""
    word = words[i]
    if word.tag not in ("VBZ", "VBD") or word.pos != "VERB" or word.dep != "conj" or words[word.head].pos not in ("NOUN", "PROPN"):
        return False
    above = _clause_above(words, i)
    if above is None or above > i or _has_subject(words, i) or words[above].tag != word.tag:
        return False
    for kid in _kids(words, word.head):
        if words[kid].dep in ("cc", "punct") and word.head < kid < i:
            words[kid] = words[kid]._replace(head=above)
    words[i] = word._replace(head=above)
    return True


def _loose_verb(words: list[Word], i: int) -> bool:
    """ "scans each upload, blocks malware": a verb that the parser cannot place beside the verb before it."""
    word = words[i]
    if (
        word.dep != "dep"
        or word.tag not in ("VBZ", "VBD")
        or word.head >= i
        or words[word.head].tag != word.tag
        or _has_subject(words, i)
    ):
        return False
    words[i] = word._replace(dep="conj")
    return True


def _comparative_in_list(words: list[Word], i: int) -> bool:
    """ "is faster, lighter and easier": the first of several adjectives read as an adverb of the second."""
    word = words[i]
    head = word.head
    if (
        word.tag not in ("JJR", "JJ")
        or word.dep != "advmod"
        or words[head].dep != "acomp"
        or i + 2 > head
        or words[i + 1].text != ","
    ):
        return False
    verb = words[head].head
    words[i] = word._replace(dep="acomp", head=verb)
    words[head] = words[head]._replace(dep="conj", head=i)
    return True


def _noun_read_as_verb(words: list[Word], i: int) -> bool:
    """ "... and the premium plan $12": a singular subject does not go with a plural verb, so both are one noun."""
    word, before = words[i], words[i - 1]
    if (
        word.tag != "VBP"
        or i < 2
        or before.head != i
        or before.dep != "nsubj"
        or before.tag != "NN"
        or word.text.lower() in ("have", "do", "are")
    ):
        return False
    if not any(
        words[kid].tag == "DT" and words[kid].text.lower() in ("a", "an", "the", "this", "each", "every")
        for kid in _kids(words, i - 1)
    ):
        return False
    words[i] = word._replace(tag="NN", pos="NOUN")
    for kid in _kids(words, i - 1):
        words[kid] = words[kid]._replace(head=i)
    words[i - 1] = before._replace(dep="compound")
    return True


CORRECTIONS: tuple[Callable[[list[Word], int], bool], ...] = (
    _auxiliary_head,
    _loose_verb,
    _verb_joined_to_noun,
    _comparative_in_list,
    _noun_read_as_verb,
    _verbless_root,
    _object_in_front,
    _verb_in_compound,
    _subject_in_list,
    _verb_read_as_noun,
    _bare_verb_in_list,
    _participle_in_list,
    _twin_complement,
    _side_by_side,
)
