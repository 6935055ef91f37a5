"""Parts of a sentence that lack the verb: "and metrics 30 days", "and 404 if the key is missing"."""

from __future__ import annotations

from transforms.splitting.adverbials import fronted
from transforms.splitting.assertion import asserted, is_choice, negated
from transforms.splitting.drafts import Draft, hang, hang_loose
from transforms.splitting.grammar import is_clause

_OBJECT_PARTS = ("NOUN", "PROPN", "ADJ", "DET", "NUM", "ADP", "SYM", "PUNCT")
_SUBJECT_PARTS = ("NOUN", "PROPN", "ADJ", "ADV", "DET", "PUNCT", "PRON", "VERB", "X")
_SUBJECT_ENDS = ("NOUN", "PROPN", "ADJ")


def split_gapping(draft: Draft) -> list[Draft] | None:
    """Give parts that lack the verb the verb of the first part.

    "Logs are kept 7 days and metrics 30 days" becomes "Logs are kept 7 days" and "Metrics are kept 30 days".
    """
    verb = _only_verb(draft) if "cc" in draft.deps else None
    if verb is None:
        return None
    start = draft.place[verb] + 1
    behind = {draft.lower(i) for i in draft.order[start:]}
    pieces = _pieces(draft, start)
    if len(pieces) < 2 or "and" not in behind or not behind.isdisjoint(("or", "nor", "between", "not")):
        return None
    return _share_front(draft, pieces, start) or _fill_gaps(draft, verb, pieces)


def _only_verb(draft: Draft) -> int | None:
    """The root, where it has a subject, is not negated, and no other verb stands behind it."""
    verb = next((i for i in draft.order if draft.head(i) == i and is_clause(draft, i)), None)
    if verb is None or draft.subject(verb) is None or negated(draft, verb):
        return None
    return None if any(is_clause(draft, i) for i in draft.order[draft.place[verb] + 1 :]) else verb


def _pieces(draft: Draft, start: int) -> list[list[int]]:
    """What stands behind the verb, cut at "and", commas and semicolons."""
    pieces: list[list[int]] = [[]]
    for i in draft.order[start:]:
        if draft.lower(i) == "and" or draft.words[i].text in (",", ";"):
            pieces.append([])
        elif draft.words[i].text not in (".", "!", "?"):
            pieces[-1].append(i)
    return [piece for piece in pieces if piece]


def _share_front(draft: Draft, pieces: list[list[int]], start: int) -> list[Draft] | None:
    """ "returns A for B and C on D": two objects, each with its own complement behind a preposition."""
    if not _are_parallel(draft, pieces) or draft.place[pieces[0][0]] != start:
        return None
    front = draft.order[:start]
    parts = []
    for k, piece in enumerate(pieces):
        words = list(draft.words)
        hang_loose(words, piece, front[-1], "dobj")
        parts.append(draft.derive([*front, *piece], words, front if k else ()))
    return parts


def _are_parallel(draft: Draft, pieces: list[list[int]]) -> bool:
    for piece in pieces:
        at = next((at for at, i in enumerate(piece) if draft.tag(i) == "IN" and draft.lower(i) != "of"), 0)
        if not 0 < at < len(piece) - 1 or (draft.pos(piece[0]) == "NUM") != (draft.pos(pieces[0][0]) == "NUM"):
            return False
    return all(draft.pos(i) in _OBJECT_PARTS for piece in pieces for i in piece)


def _fill_gaps(draft: Draft, verb: int, pieces: list[list[int]]) -> list[Draft] | None:
    """ "are kept 7 days and metrics 30 days": a complement, then subjects that each have their own of the same shape."""
    first, *others = pieces
    start = draft.place[verb] + 1
    shape = _shape(draft, first)
    if not shape or draft.first(first) != start:
        return None
    parts = [draft.derive([*draft.order[:start], *first, *_final_mark(draft)])]
    for piece in others:
        cut = _complement_start(draft, piece, shape)
        if cut is None:
            return None
        parts.append(_with_verb(draft, verb, first, piece[:cut], piece[cut:]))
    return parts


def _with_verb(draft: Draft, verb: int, first: list[int], subject: list[int], complement: list[int]) -> Draft:
    """A subject and its complement around the verb, with the scope of the first part and, if theirs is missing, its unit."""
    words = list(draft.words)
    piece = {*subject, *complement}
    for i in piece:
        if words[i].head not in piece or words[i].head == i:
            hang(words, i, verb, "nsubj" if i in subject else "dobj")
    scope = draft.ordered(draft.trees(fronted(draft, verb)))
    group = draft.ordered({verb, *draft.trees(draft.auxiliaries(verb))})
    lacks_unit = draft.pos(complement[-1]) == "NUM" and draft.pos(first[-1]) == "NOUN" and len(complement) == len(first) - 1
    unit = first[-1:] if lacks_unit else []
    return draft.derive([*scope, *subject, *group, *complement, *unit, *_final_mark(draft)], words, [*scope, *group, *unit])


def _final_mark(draft: Draft) -> list[int]:
    return [i for i in draft.order[-1:] if draft.words[i].text in (".", "!", "?")]


def _shape(draft: Draft, piece: list[int]) -> str:
    """What a complement starts with: a number, an indefinite article, or a preposition."""
    word = draft.words[piece[0]]
    if word.pos == "NUM" or word.tag in ("$", "CD"):
        return "number"
    if draft.lower(piece[0]) in ("a", "an") and len(piece) > 1:
        return "a"
    return draft.lower(piece[0]) if word.tag == "IN" and word.pos == "ADP" else ""


def _complement_start(draft: Draft, piece: list[int], shape: str) -> int | None:
    """Where a complement of this shape starts in a part without a verb; None where what is before it is no subject."""
    cut = next((cut for cut in range(1, len(piece)) if _shape(draft, piece[cut:]) == shape), None)
    if cut is None or draft.lower(piece[0]) in ("version", "port", "level", "type"):
        return None
    kinds = [draft.pos(i) for i in piece[:cut]]
    if kinds[-1] not in _SUBJECT_ENDS or not all(kind in _SUBJECT_PARTS for kind in kinds):
        return None
    return cut if shape != "number" or _is_quantity(draft, piece[cut:]) else None


def _is_quantity(draft: Draft, piece: list[int]) -> bool:
    if draft.tag(piece[0]) == "$":
        return True
    return len(piece) == 1 or draft.pos(piece[1]) in ("NOUN", "SYM", "NUM") or draft.words[piece[1]].text == "%"


def split_two_complements(draft: Draft) -> list[Draft] | None:
    """Give each of two objects of a verb what follows it.

    "The API returns 200 on success and 404 if the key is missing" becomes "The API returns 200 on success" and "The API returns
    404 if the key is missing".
    """
    if "conj" not in draft.deps:
        return None
    for verb in draft.order:
        found = _two_objects(draft, verb) if is_clause(draft, verb) and asserted(draft, verb) else None
        if found is not None:
            return _separate_objects(draft, *found)
    return None


def _two_objects(draft: Draft, verb: int) -> tuple[int, int, int] | None:
    """An object, an "and" and another object of the same kind that the parser joined to the verb."""
    seconds = [kid for kid in draft.kids(verb, "conj") if draft.pos(kid) in ("NUM", "NOUN", "PROPN")]
    firsts = draft.kids(verb, "dobj", "attr")
    if not seconds or not firsts:
        return None
    first, second = firsts[0], seconds[0]
    if draft.before(second, first) or is_choice(draft, [verb, second]):
        return None
    joints = [kid for kid in draft.kids(verb, "cc") if draft.between(first, kid, second)]
    alike = (draft.pos(first) == "NUM") == (draft.pos(second) == "NUM")
    return (first, joints[0], second) if len(joints) == 1 and draft.lower(joints[0]) == "and" and alike else None


def _separate_objects(draft: Draft, first: int, joint: int, second: int) -> list[Draft]:
    at = draft.place[joint]
    shared = draft.order[: draft.first(draft.tree(first))]
    final = [i for i in draft.order[at:] if draft.words[i].text in (".", "!")]
    words = list(draft.words)
    words[second] = words[second]._replace(dep="dobj")
    return [draft.derive([*draft.order[:at], *final]), draft.derive([*shared, *draft.order[at + 1 :]], words, shared)]
