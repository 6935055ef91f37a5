"""Parts of a sentence that lack the verb: "and metrics 30 days", "but not in the US"."""

from __future__ import annotations

from transforms.splitting.drafts import AUXILIARIES, Draft, insert_word, reword
from transforms.splitting.grammar import BE, asserted, fronted, is_choice, is_clause, is_finite, negated
from transforms.splitting.inflection import plain_form


def split_gapping(draft: Draft) -> list[Draft] | None:
    """ "logs are kept 7 days and metrics 30 days": the second part lacks the verb."""
    if "cc" not in draft.deps:
        return None
    verb = next((i for i in draft.order if draft.words[i].head == i and is_clause(draft, i)), None)
    if verb is None or draft.subject(verb) is None or negated(draft, verb):
        return None
    start = draft.place[verb] + 1
    if any(is_clause(draft, i) for i in draft.order[start:]):
        return None
    pieces = _pieces(draft, start)
    if len(pieces) < 2 or not any(draft.lower(i) == "and" for i in draft.order[start:]):
        return None
    if any(draft.lower(i) in ("or", "nor", "between", "not") for i in draft.order[start:]):
        return None
    if parallel := _parallel(draft, pieces, start):
        return parallel
    shape = _shape(draft, pieces[0])
    if not shape or draft.first(pieces[0]) != start:
        return None
    cuts = [_gap(draft, piece, shape) for piece in pieces[1:]]
    if any(cut is None for cut in cuts):
        return None
    subject = draft.subject(verb)
    front = fronted(draft, verb)
    scope = [i for i in draft.order if any(i in draft.tree(kid) for kid in front)]
    helpers = [i for kid in draft.kids(verb, *AUXILIARIES) for i in draft.tree(kid)]
    group = [i for i in draft.order if i in helpers or i == verb]
    stop = [i for i in draft.order if draft.place[i] == len(draft.order) - 1 and draft.words[i].pos == "PUNCT"]
    parts = [draft.derive([*draft.order[:start], *pieces[0], *stop])]
    for piece, cut in zip(pieces[1:], cuts, strict=False):
        assert cut is not None
        assert subject is not None
        words = list(draft.words)
        for i in piece:
            if words[i].head not in piece or words[i].head == i:
                words[i] = words[i]._replace(head=verb, dep="nsubj" if i in piece[:cut] else "dobj")
        rest = piece[cut:]
        unit = (
            pieces[0][-1:]
            if words[rest[-1]].pos == "NUM" and words[pieces[0][-1]].pos == "NOUN" and len(rest) == len(pieces[0]) - 1
            else []
        )
        parts.append(draft.derive([*scope, *piece[:cut], *group, *rest, *unit, *stop], words, [*scope, *group, *unit]))
    return parts


def _parallel(draft: Draft, pieces: list[list[int]], start: int) -> list[Draft] | None:
    """ "returns A for B and C for D": two objects, each with its own complement behind the same preposition."""
    prepositions = [next((i for i in piece if draft.words[i].tag == "IN" and draft.lower(i) != "of"), None) for piece in pieces]
    if None in prepositions or len({draft.lower(i) for i in prepositions if i is not None}) != 1:
        return None
    if (
        any(piece[0] == i or piece[-1] == i for piece, i in zip(pieces, prepositions, strict=False))
        or draft.place[pieces[0][0]] != start
    ):
        return None
    if any(
        draft.words[i].pos not in ("NOUN", "PROPN", "ADJ", "DET", "NUM", "ADP", "SYM", "PUNCT") for piece in pieces for i in piece
    ):
        return None
    front = draft.order[:start]
    parts = []
    for k, piece in enumerate(pieces):
        words = list(draft.words)
        for i in piece:
            if words[i].head not in piece:
                words[i] = words[i]._replace(head=draft.order[start - 1], dep="dobj")
        parts.append(draft.derive([*front, *piece], words, front if k else ()))
    return parts


def _pieces(draft: Draft, start: int) -> list[list[int]]:
    pieces: list[list[int]] = [[]]
    for i in draft.order[start:]:
        if draft.lower(i) == "and" or draft.words[i].text in (",", ";"):
            if pieces[-1]:
                pieces.append([])
        elif draft.words[i].text not in (".", "!", "?"):
            pieces[-1].append(i)
    return [piece for piece in pieces if piece]


def _shape(draft: Draft, piece: list[int]) -> str:
    """What a complement starts with: a number, an indefinite article, or a preposition."""
    word = draft.words[piece[0]]
    if word.pos == "NUM" or word.tag in ("$", "CD"):
        return "number"
    if draft.lower(piece[0]) in ("a", "an") and len(piece) > 1:
        return "a"
    return draft.lower(piece[0]) if word.tag == "IN" and word.pos == "ADP" else ""


def _gap(draft: Draft, piece: list[int], shape: str) -> int | None:
    """Where the complement of a part without a verb starts."""
    for cut in range(1, len(piece)):
        if _shape(draft, piece[cut:]) == shape:
            head = [draft.words[i] for i in piece[:cut]]
            nominal = head[-1].pos in ("NOUN", "PROPN", "ADJ") and all(
                word.pos in ("NOUN", "PROPN", "ADJ", "ADV", "DET", "PUNCT", "PRON", "VERB", "X") for word in head
            )
            if shape == "number" and not (head[-1].pos in ("NOUN", "PROPN", "ADJ") and _is_quantity(draft, piece[cut:])):
                return None
            return cut if nominal and draft.lower(piece[0]) not in ("version", "port", "level", "type") else None
    return None


def _is_quantity(draft: Draft, piece: list[int]) -> bool:
    if draft.words[piece[0]].tag == "$":
        return True
    return len(piece) == 1 or draft.words[piece[1]].pos in ("NOUN", "SYM", "NUM") or draft.words[piece[1]].text == "%"


def split_two_complements(draft: Draft) -> list[Draft] | None:
    """ "returns 200 on success and 404 if the key is missing": each object keeps what follows it."""
    if "conj" not in draft.deps:
        return None
    for verb in draft.order:
        if not is_clause(draft, verb) or not asserted(draft, verb):
            continue
        joined = [kid for kid in draft.kids(verb, "conj") if draft.words[kid].pos in ("NUM", "NOUN", "PROPN")]
        objects = draft.kids(verb, "dobj", "attr")
        if not joined or not objects or draft.place[objects[0]] > draft.place[joined[0]] or is_choice(draft, [verb, joined[0]]):
            continue
        cc = [kid for kid in draft.kids(verb, "cc") if draft.place[objects[0]] < draft.place[kid] < draft.place[joined[0]]]
        if (
            len(cc) != 1
            or draft.lower(cc[0]) != "and"
            or (draft.words[objects[0]].pos == "NUM") != (draft.words[joined[0]].pos == "NUM")
        ):
            continue
        at, start = draft.place[cc[0]], draft.first(draft.tree(objects[0]))
        words = list(draft.words)
        words[joined[0]] = words[joined[0]]._replace(dep="dobj")
        shared = list(draft.order[:start])
        end = [i for i in draft.order[at:] if draft.words[i].text in (".", "!")]
        return [draft.derive([*draft.order[:at], *end]), draft.derive([*shared, *draft.order[at + 1 :]], words, shared)]
    return None


def split_but_not(draft: Draft) -> list[Draft] | None:
    """ "is available in the EU but not in the US": the second part denies the verb."""
    if "cc" not in draft.deps:
        return None
    for cc in draft.order:
        if draft.lower(cc) != "but" or draft.dep(cc) != "cc" or draft.place[cc] + 2 >= len(draft.order):
            continue
        no = draft.order[draft.place[cc] + 1]
        one, verb = _denied_counterpart(draft, cc)
        if draft.lower(no) != "not" or one is None or verb is None or not asserted(draft, verb):
            continue
        rest = draft.order[draft.place[cc] + 2 :]
        if any(is_finite(draft, i) for i in rest if is_clause(draft, i)) or draft.lower(rest[0]) in (
            "only",
            "just",
            "necessarily",
            "always",
        ):
            continue
        return _deny(draft, one, cc, no, verb)
    return None


def _denied_counterpart(draft: Draft, cc: int) -> tuple[int | None, int | None]:
    """The complement in front of "but not" that what follows stands beside, and their verb."""
    following = draft.words[draft.order[draft.place[cc] + 2]] if draft.place[cc] + 2 < len(draft.order) else None
    head = draft.words[cc].head
    verb = head if is_clause(draft, head) else _governor(draft, head)
    if following is None or verb is None:
        return None, None
    if following.tag == "IN":
        found = [
            i for i in draft.order if draft.dep(i) in ("prep", "agent") and draft.place[verb] < draft.place[i] < draft.place[cc]
        ]
        found = found or [kid for kid in draft.kids(verb, "advmod") if draft.place[verb] < draft.place[kid] < draft.place[cc]]
        same = [i for i in found if draft.lower(i) == following.text.lower()]
        return next(reversed(same or found), None), verb
    found = [
        kid for kid in draft.kids(verb, "dobj", "attr", "acomp", "oprd") if draft.place[verb] < draft.place[kid] < draft.place[cc]
    ]
    return next(reversed(found), None), verb


def _governor(draft: Draft, i: int) -> int | None:
    """The verb that a complement belongs to."""
    for _ in draft.order:
        if draft.dep(i) not in ("dobj", "attr", "acomp", "prep", "pobj", "oprd", "advmod", "agent", "npadvmod"):
            return None
        i = draft.words[i].head
        if is_clause(draft, i):
            return i
    return None


def _deny(draft: Draft, one: int, cc: int, no: int, verb: int) -> list[Draft]:
    at = draft.place[cc]
    comma = 1 if draft.words[draft.order[at - 1]].text == "," else 0
    kept = draft.derive(draft.order[: at - comma])
    start = draft.first({i for i in draft.tree(one) if draft.place[i] < at})
    own = draft.order[at + 2 :]
    words = list(draft.words)
    for i in own:
        if words[i].head not in own or words[i].head == i:
            words[i] = words[i]._replace(head=words[one].head, dep=words[one].dep)
    words[no] = words[no]._replace(head=verb, dep="neg")
    front = [i for i in draft.order[:start] if i not in draft.tree(one)]
    helpers = [kid for kid in draft.kids(verb, *AUXILIARIES) if kid in front]
    if helpers or draft.lower(verb) in BE:
        place = front.index(helpers[0] if helpers else verb) + 1
        return [kept, draft.derive([*front[:place], no, *front[place:], *own], words, front)]
    subject = draft.subject(verb)
    plural = subject is not None and (words[subject].tag in ("NNS", "NNPS") or draft.lower(subject) in ("they", "we", "you", "i"))
    do = insert_word(words, verb, "did" if words[verb].tag == "VBD" else "do" if plural else "does", verb, "aux")
    new = reword(words, verb, plain_form(words[verb].text), "VB")
    if words[new].head == verb:
        words[new] = words[new]._replace(head=new)
    place = front.index(verb)
    order = [*front[:place], do, no, new, *front[place + 1 :], *own]
    return [kept, draft.derive(order, words, set(order) - set(own) - {no})]
