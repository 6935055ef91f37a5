"""Judge the cited spans of a claim together: what none establishes alone, several may (Gao et al. 2023, ALCE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemas.verdicts import Verdict
from transforms.premises import MAX_PREMISE_WORDS, Pair, Premise, pair_of
from transforms.tables import register_rows

SpanKey = tuple[str, str | None]


class Part(NamedTuple):
    """One judged span's share of a joint premise: its whole passage, and the premise that decided when it stood alone."""

    evidence_id: str
    version: str | None
    whole: str
    premise: str

    @property
    def key(self) -> SpanKey:
        """What names the span among those of its claim."""
        return self.evidence_id, self.version


register_rows(Part)


def joint_premise(parts: Sequence[Part]) -> tuple[str, bool]:
    """Put the passages of several spans one after the other, in the order given, and say whether all of each is there.

    Where they outgrow 300 words, each passage gives the premise that decided when it stood alone: its likeliest window.

    >>> joint_premise([Part("a", "1", "Ann leads sales.", "Ann leads sales."), Part("b", "1", "Sales is in Riga.", "")])
    ('Ann leads sales. Sales is in Riga.', True)
    """
    # The same words twice, cited under two ids, say no more than once.
    whole = list(dict.fromkeys(part.whole for part in parts))
    if sum(len(text.split()) for text in whole) <= MAX_PREMISE_WORDS:
        return " ".join(whole), True
    return " ".join(dict.fromkeys(part.premise for part in parts)), False


def joint_pair(claim: str, parts: Sequence[Part]) -> Pair:
    """The pair of a claim with several spans together: one premise, which is never cut into windows."""
    text, _ = joint_premise(parts)
    return pair_of(claim, (Premise(0, len(text), text),))


def span_key(verdict: Verdict) -> SpanKey:
    """What names an edge's span among those of its claim: evidence id and version."""
    return verdict.evidence_id, verdict.version


def joint_spans(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The edges of a claim that have to be judged together, one a span: none establishes it alone, and there are several.

    >>> one = Verdict("a", "c", 0, "one")
    >>> [len(joint_spans(edges)) for edges in ([one], [one, one], [one, one._replace(evidence_id="two")])]
    [0, 0, 2]
    """
    judged = {span_key(verdict): verdict for verdict in verdicts if verdict.status == "judged"}
    alone = any(verdict.supported for verdict in judged.values())
    return [] if alone or len(judged) < 2 else list(judged.values())


def roles(verdicts: Sequence[Verdict], joint: bool | None, without: Mapping[SpanKey, bool | None]) -> list[str | None]:
    """Say what each edge does among those of its claim, in order; None where that is not known or the set does not entail.

    `joint` says whether all judged spans together entail (asked only where none does alone), `without[span]` whether they do when
    that one is left out. An edge that fails alone is `needed` when the set stops entailing without it, else `irrelevant`; one that
    entails alone is `sole` or, beside others, `redundant`.

    >>> yes = Verdict("a", "c", 0, "one", supported=True)
    >>> roles([yes, yes._replace(evidence_id="two", supported=False)], None, {})
    ['sole', 'irrelevant']
    """
    alone = len({span_key(verdict) for verdict in verdicts if verdict.supported})
    return [_role(verdict, alone, joint, without) for verdict in verdicts]


def _role(verdict: Verdict, alone: int, joint: bool | None, without: Mapping[SpanKey, bool | None]) -> str | None:
    if verdict.status != "judged":
        return None
    if verdict.supported:
        return "sole" if alone == 1 else "redundant"
    if alone:
        return "irrelevant"
    entails = without.get(span_key(verdict))
    if not joint or entails is None:
        return None
    return "irrelevant" if entails else "needed"
