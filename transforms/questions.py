"""Ask further what single edges leave open: spans together, other spans of the answer, older and present versions."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import apache_beam as beam

from schemas.answers import Answer
from schemas.claims import Claim
from schemas.evidence import Evidence
from schemas.verdicts import Verdict
from transforms.edges import Edge
from transforms.evidence import edge_status, older_versions, version_as_of
from transforms.joint import Part, SpanKey, joint_pair, joint_premise, joint_spans
from transforms.judging import JudgedPair, JudgeUnique, finish_verdict
from transforms.premises import MAX_WINDOWS, Pair, PendingEdge, pair_of, widen_premises
from transforms.tables import lot_of, register_rows

# What is asked; `without` follows from a joint set that entails, `beyond` stands where the budget left a claim out.
KINDS = ("joint", "without", "elsewhere", "older", "now", "beyond")
MAX_OLDER = 3
# Of another passage of the answer only the windows that share most words with the claim are judged: this looks for support that
# was missed, a window without the claim's words is seldom it, and there are many passages.
ELSEWHERE_WINDOWS = 3


class AnswerContext(NamedTuple):
    """What later steps need of an answer, its text left behind; `had` are the spans that it declares or was shown."""

    answer_id: str
    answered_at: dt.datetime
    question: str
    build: str | None
    principals: tuple[str, ...]
    retrieved: tuple[str, ...] | None
    had: tuple[str, ...]
    slices: tuple[str, ...] = ()


class Question(NamedTuple):
    """One thing to ask of the evidence `edge.evidence_id`; a joint one carries the bounds of the premise that decided alone."""

    kind: str
    edge: Edge
    order: int = 0
    premise_start: int | None = None
    premise_end: int | None = None


class JointSet(NamedTuple):
    """The judged spans of a claim, none of which establishes it alone."""

    edge: Edge
    parts: tuple[Part, ...]


class Asked(NamedTuple):
    """A question on its way to its reply; `parts` are those of a joint set, `left_out` the span that the set is asked without."""

    kind: str
    edge: Edge
    version: str | None
    parts: tuple[Part, ...] = ()
    left_out: SpanKey | None = None


class Reply(NamedTuple):
    """What the checker says to a question; `verdict` is the row of a joint set."""

    kind: str
    answer_id: str
    claim_id: str
    evidence_id: str
    version: str | None
    supported: bool | None
    verdict: Verdict | None = None


register_rows(AnswerContext, Question, JointSet, Asked, Reply)


def context_of(answer: Answer, slices: Iterable[str] = ()) -> AnswerContext:
    """Keep of an answer what later steps need."""
    declared = [citation.evidence_id for citation in answer.citations or []]
    structured = [evidence_id for claim in answer.claims or [] for evidence_id in claim.evidence_ids]
    return AnswerContext(
        answer.answer_id,
        answer.answered_at,
        answer.question,
        answer.build,
        tuple(answer.principals or ()),
        None if answer.retrieved is None else tuple(answer.retrieved),
        tuple(dict.fromkeys((*declared, *structured, *(answer.retrieved or ())))),
        tuple(slices),
    )


@dataclass(frozen=True)
class Budget:
    """How much may be asked for the sake of causes and of the present: claims in a run, and other spans for each of them."""

    claims: int = 2_000
    spans: int = 5


def joint_questions(context: AnswerContext, claim: Claim, verdicts: Sequence[Verdict]) -> list[Question]:
    """Ask for all judged spans of a claim together, where none establishes it alone; in the order in which it cites them."""
    order = {evidence_id: i for i, evidence_id in enumerate(claim.cited)}
    spans = sorted(
        joint_spans(verdicts), key=lambda one: (order.get(one.evidence_id, len(order)), one.evidence_id, one.version or "")
    )
    return [
        Question("joint", _edge(context, claim, one.evidence_id, one.version), i, one.premise_start, one.premise_end)
        for i, one in enumerate(spans)
    ]


def further_questions(context: AnswerContext, claim: Claim, verdicts: Sequence[Verdict], spans: int) -> list[Question]:
    """Ask why a required claim failed, and whether one that held still would.

    For a claim that no edge supports: up to `spans` other spans that the answer had (those it declares first, then those it was
    shown, in rank order), and older versions of what failed. For an edge that held and whose text is another now: that text.
    """
    found = []
    failing = [one for one in verdicts if one.status == "judged" and not one.supported]
    if claim.requires_evidence and not any(one.supported for one in verdicts):
        others = [evidence_id for evidence_id in context.had if evidence_id not in claim.cited][:spans]
        found += [Question("elsewhere", _edge(context, claim, evidence_id, None)) for evidence_id in others]
        found += [Question("older", _edge(context, claim, one.evidence_id, one.version)) for one in failing]
    moved = [one for one in verdicts if one.status == "judged" and one.text_changed and one.supported]
    found += [Question("now", _edge(context, claim, one.evidence_id, one.version)) for one in moved]
    return list(dict.fromkeys(found))


def _edge(context: AnswerContext, claim: Claim, evidence_id: str, version: str | None) -> Edge:
    return Edge(
        context.answer_id,
        claim.claim_id,
        claim.sentence,
        evidence_id,
        version,
        None,
        None,
        context.answered_at,
        context.principals,
        claim.text,
    )


def passages_for(question: Question, versions: Sequence[Evidence], now: dt.datetime) -> list[Evidence]:
    """The passages that answer a question, of all versions of its evidence; none where the user could not have read them."""
    edge = question.edge
    if question.kind == "elsewhere":
        found = [version_as_of(versions, edge.answered_at)]
    elif question.kind == "now":
        found = [version_as_of(versions, now)]
    else:
        judged = version_as_of(versions, edge.answered_at, edge.version)
        older = older_versions(judged, versions)[:MAX_OLDER] if judged and question.kind == "older" else []
        found = [judged] if question.kind == "joint" else [*older]
    return [one for one in found if one is not None and edge_status(edge, one) == "judged"]


def part_of(question: Question, evidence: Evidence) -> Part:
    """The share of a passage in a joint premise: its windows' text with the scope that they carry."""
    premises = widen_premises(evidence, question.edge.claim)
    start, end = question.premise_start, question.premise_end
    deciding = next((one for one in premises if (one.start, one.end) == (start, end)), premises[0])
    if len(premises) == 1:
        return Part(evidence.evidence_id, evidence.version, deciding.text, deciding.text)
    lead = deciding.text[: deciding.lead]
    return Part(evidence.evidence_id, evidence.version, f"{lead}{(evidence.text or '').strip()}", deciding.text)


@dataclass
class AskFurther(beam.PTransform):
    """Judge what single edges leave open, lazily: only for the claims that need it, and beyond joint sets within a budget.

    Comes in: a dict of `claims`, `verdicts` (one an edge), `contexts` (AnswerContext), `evidence` and, where there is a store,
    `known`; side input `now`. Goes out: a dict of `replies`, `fresh`, `rejects` and `counts`.
    """

    judge: JudgeUnique
    checker: str
    budget: Budget
    now: Any

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        planned = tables | "PlanQuestions" >> PlanQuestions(self.budget)
        found = {"questions": planned["questions"], "evidence": tables["evidence"]} | "FindPassages" >> FindPassages(self.now)
        known = {"known": tables["known"]} if self.judge.store else {}
        first = {"asked": found["asked"], **known} | "JudgeAsked" >> _JudgeAsked(self.judge, self.checker)
        narrower = first["replies"] | "LeaveOneOut" >> beam.ParDo(_leave_one_out).with_outputs("known", main="asked")
        without = narrower.asked | "CountWithout" >> beam.Map(lambda _: ("questions.without", 1))
        second = {"asked": narrower.asked, **known} | "JudgeWithout" >> _JudgeAsked(self.judge, self.checker)
        asked = (first["replies"], second["replies"], narrower.known) | "AllReplies" >> beam.Flatten()
        replies = asked | "ReplyOnly" >> beam.Map(lambda pair: pair[0]).with_output_types(Reply)
        return {
            "replies": (replies, planned["beyond"]) | "WithBeyond" >> beam.Flatten(),
            "fresh": (first["fresh"], second["fresh"]) | "AllFresh" >> beam.Flatten(),
            "rejects": (first["rejects"], second["rejects"]) | "AllRejects" >> beam.Flatten(),
            "counts": (planned["counts"], found["counts"], first["counts"], second["counts"], without)
            | "AllCounts" >> beam.Flatten(),
        }


@dataclass
class PlanQuestions(beam.PTransform):
    """Plan what to ask: all joint sets, and further questions for the claims with the smallest lots up to the budget."""

    budget: Budget

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        keyed = {
            name: tables[name] | f"Key{name.title()}" >> beam.Map(lambda row: (row.answer_id, row))
            for name in ("claims", "verdicts", "contexts")
        }
        planned = (
            keyed
            | "MeetOnAnswer" >> beam.CoGroupByKey()
            | "PlanAnswer" >> beam.ParDo(_plan_answer, self.budget.spans).with_outputs("further", main="joint")
        )
        lots = planned.further | "Lots" >> beam.Keys() | "SmallestLots" >> beam.combiners.Top.Smallest(self.budget.claims)
        last = beam.pvalue.AsSingleton(lots | "LastLot" >> beam.Map(lambda lots: max(lots, default="")))
        within = planned.further | "WithinBudget" >> beam.ParDo(_within, last).with_outputs("counts", "beyond", main="questions")
        return {
            "questions": (planned.joint, within.questions) | "AllQuestions" >> beam.Flatten(),
            "beyond": within.beyond,
            "counts": within.counts,
        }


def _plan_answer(group: tuple[str, dict[str, Iterable[Any]]], spans: int) -> Iterator[Any]:
    _, sides = group
    context = next(iter(sides["contexts"]), None)
    if context is None:
        return
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in sides["verdicts"]:
        verdicts[verdict.claim_id].append(verdict)
    for claim in sides["claims"]:
        own = sorted(verdicts[claim.claim_id], key=lambda one: (one.evidence_id, one.version or ""))
        yield from joint_questions(context, claim, own)
        if questions := further_questions(context, claim, own, spans):
            yield beam.pvalue.TaggedOutput("further", (lot_of(claim.answer_id, claim.claim_id), questions))


def _within(keyed: tuple[str, list[Question]], last: str) -> Iterator[Any]:
    lot, questions = keyed
    yield beam.pvalue.TaggedOutput("counts", ("questions.claims_beyond_budget" if lot > last else "questions.claims", 1))
    if lot <= last:
        yield from questions
    else:
        edge = questions[0].edge
        yield beam.pvalue.TaggedOutput("beyond", Reply("beyond", edge.answer_id, edge.claim_id, "", None, None))


@dataclass
class FindPassages(beam.PTransform):
    """Find the passages that questions ask for. Goes out: a dict of `asked` ((pair, Asked)) and `counts`."""

    now: Any

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        keyed = {
            "questions": tables["questions"] | "KeyQuestions" >> beam.Map(lambda question: (question.edge.evidence_id, question)),
            "evidence": tables["evidence"] | "KeyEvidence" >> beam.Map(lambda row: (row.evidence_id, row)),
        }
        found = (
            keyed
            | "MeetOnEvidenceId" >> beam.CoGroupByKey()
            | "PickPassages" >> beam.ParDo(_pick_passages, self.now).with_outputs("parts", main="asked")
        )
        joint = found.parts | "GroupParts" >> beam.GroupByKey() | "PutTogether" >> beam.Map(_put_together)
        asked = (found.asked, joint) | "AllAsked" >> beam.Flatten()
        by_windows = joint | "CountByWindows" >> beam.Map(lambda pair: ("questions.joint_by_windows", _is_by_windows(pair[1])))
        counts = asked | "CountAsked" >> beam.Map(lambda pair: (f"questions.{pair[1].kind}", 1))
        return {"asked": asked, "counts": (counts, by_windows) | "Counts" >> beam.Flatten()}


def _pick_passages(group: tuple[str, dict[str, Iterable[Any]]], now: dt.datetime) -> Iterator[Any]:
    _, sides = group
    versions = sorted(sides["evidence"], key=lambda row: row.version)
    for question in sides["questions"]:
        for passage in passages_for(question, versions, now):
            if question.kind == "joint":
                key = (question.edge.answer_id, question.edge.claim_id)
                yield beam.pvalue.TaggedOutput("parts", (key, (question.order, question.edge, part_of(question, passage))))
            else:
                claim = question.edge.claim
                most = ELSEWHERE_WINDOWS if question.kind == "elsewhere" else MAX_WINDOWS
                yield pair_of(claim, widen_premises(passage, claim, most)), Asked(question.kind, question.edge, passage.version)


def _put_together(group: tuple[Any, Iterable[tuple[int, Edge, Part]]]) -> tuple[Pair, Asked]:
    ordered = sorted(group[1], key=lambda one: one[0])
    edge, parts = ordered[0][1], tuple(part for _, _, part in ordered)
    return joint_pair(edge.claim, parts), Asked("joint", edge, None, parts)


def _is_by_windows(asked: Asked) -> int:
    return int(not joint_premise(asked.parts)[1])


@dataclass
class _JudgeAsked(beam.PTransform):
    """Judge `asked` pairs, unless `known`. Goes out: a dict of `replies` ((Reply, Asked)), `fresh`, `rejects` and `counts`."""

    judge: JudgeUnique
    checker: str

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        asked = tables["asked"]
        known = {"known": tables["known"]} if self.judge.store else {}
        # A composite has one place in a graph: each step judges with a copy.
        judged = {"pairs": asked | "PairsOnly" >> beam.Keys(), **known} | "JudgeUnique" >> replace(self.judge)
        keyed = asked | "KeyAsked" >> beam.MapTuple(lambda pair, one: (pair.pair_id, one))
        replies = (
            {"asked": keyed, "judged": judged["judged"]}
            | "MeetOnPair" >> beam.CoGroupByKey()
            | "Reply" >> beam.FlatMap(_replies, self.judge.calibration.thresholds, self.checker)
        )
        return {"replies": replies, **{name: judged[name] for name in ("fresh", "rejects", "counts")}}


def _replies(
    group: tuple[str, dict[str, Iterable[Any]]], thresholds: Mapping[str, float], checker: str
) -> Iterator[tuple[Reply, Asked]]:
    _, sides = group
    judged = next(iter(sides["judged"]))
    for asked in sides["asked"]:
        yield reply_to(asked, judged, thresholds, checker), asked


def reply_to(asked: Asked, judged: JudgedPair, thresholds: Mapping[str, float], checker: str) -> Reply:
    """Turn what the checker says into the reply to a question; that to a joint set brings the set's row."""
    edge = asked.edge
    evidence_id, version = asked.left_out or (edge.evidence_id, asked.version)
    reply = Reply(asked.kind, edge.answer_id, edge.claim_id, evidence_id, version, judged.is_supported(thresholds))
    if asked.kind != "joint":
        return reply
    ids = " + ".join(dict.fromkeys(part.evidence_id for part in asked.parts))
    row = Verdict(edge.answer_id, edge.claim_id, edge.sentence, ids, joint=True, n_windows=len(judged.pair.premises))
    finished = finish_verdict(PendingEdge(judged.pair.pair_id, row), judged, thresholds, checker)
    return reply._replace(evidence_id=ids, verdict=finished)


def _leave_one_out(replied: tuple[Reply, Asked]) -> Iterator[Any]:
    """Ask a set that entails without each of its spans; of two spans the one that is left was judged alone and failed."""
    reply, asked = replied
    if asked.kind != "joint" or not reply.supported:
        return
    for part in asked.parts:
        rest = tuple(other for other in asked.parts if other.key != part.key)
        narrower = asked._replace(kind="without", left_out=part.key, parts=rest)
        if len(rest) > 1:
            yield joint_pair(asked.edge.claim, rest), narrower
        else:
            known = Reply("without", reply.answer_id, reply.claim_id, *part.key, supported=False)
            yield beam.pvalue.TaggedOutput("known", (known, narrower))
