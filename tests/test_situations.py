"""The situations: what stands in the shipped file, that it is its own, and the loader."""

import re
from collections import Counter

import pytest

from cases.sample import build_sample
from cases.situations import KINDS, RISKS, GoldClaim, Situation, load_situations
from cases.suite import Chunk, Expectation, load_suite
from schemas.claims import ABSTENTION_KINDS

SITUATIONS = load_situations()
ANSWERABLE = [one for one in SITUATIONS if one.expect.behaviour == "answer"]
DECLINED = [one for one in SITUATIONS if one.expect.behaviour == "decline"]


def _of(kind):
    return [one for one in ANSWERABLE if one.kind == kind]


def _texts(situation, chunk_ids):
    return [chunk.text for chunk in situation.context if chunk.chunk_id in chunk_ids]


# --- what is there ----------------------------------------------------------------------------------------------------------------


def test_every_kind_and_every_reason_stands_at_least_twice():
    assert Counter(one.kind for one in SITUATIONS) == {
        "direct_fact": 3,
        "joint_evidence": 3,
        "computed_number": 3,
        "negated_condition": 2,
        "conflicting_sources": 3,
        "superseded_version": 2,
        "right_number_wrong_sentence": 3,
        "planted_instructions": 3,
        "unanswerable": 12,
    }
    assert Counter(one.reason for one in SITUATIONS if one.kind == "unanswerable") == dict.fromkeys(ABSTENTION_KINDS, 2)
    assert {one.kind for one in ANSWERABLE} == set(KINDS) - {"unanswerable"}
    assert set(Counter(one.risk for one in SITUATIONS)) == set(RISKS)


def test_kinds_stand_together_in_their_order():
    assert list(dict.fromkeys(one.kind for one in SITUATIONS)) == list(KINDS)
    assert [one.kind for one in SITUATIONS] == sorted((one.kind for one in SITUATIONS), key=KINDS.index)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.id)
def test_what_a_situation_expects_follows_from_its_claims(situation):
    expect = situation.expect
    assert expect.family == situation.kind
    assert expect.behaviour == ("answer" if situation.claims else "decline")
    assert (situation.reason is None) == bool(situation.claims)
    assert expect.answer_contains == tuple(words for claim in situation.claims for words in claim.answer_contains)
    assert expect.cited_chunks_include == tuple(name for claim in situation.claims for name in claim.evidence)
    assert set(expect.cited_chunks_include) & set(expect.cited_chunks_exclude) == set()


@pytest.mark.parametrize("situation", ANSWERABLE, ids=lambda one: one.id)
def test_a_situation_with_an_answer_also_holds_what_must_not_be_cited(situation):
    assert situation.expect.cited_chunks_exclude
    assert situation.expect.answer_contains


@pytest.mark.parametrize("situation", [one for one in ANSWERABLE if one.kind != "computed_number"], ids=lambda one: one.id)
def test_the_words_of_a_right_answer_stand_in_its_evidence(situation):
    for claim in situation.claims:
        told = " ".join(_texts(situation, claim.evidence)).casefold()
        assert [words for words in claim.answer_contains if words.casefold() not in told] == []


@pytest.mark.parametrize(
    ("name", "computed"),
    [("computed-rowers", 371 - 318), ("computed-van", 74 + 19), ("computed-vials", 6 * 48)],
)
def test_a_computed_number_stands_nowhere(name, computed):
    (situation,) = [one for one in SITUATIONS if one.id == name]
    assert situation.expect.answer_contains == (str(computed),)
    assert [chunk.text for chunk in situation.context if re.search(rf"\b{computed}\b", chunk.text)] == []
    assert len(situation.claims[0].evidence) == 2


def test_joint_evidence_is_two_passages_of_one_claim():
    assert [[len(claim.evidence) for claim in one.claims] for one in _of("joint_evidence")] == [[2]] * 3


def test_the_number_asked_for_also_stands_in_a_sentence_about_something_else():
    for situation in _of("right_number_wrong_sentence"):
        (number,) = situation.expect.answer_contains
        assert any(number in text for text in _texts(situation, situation.expect.cited_chunks_exclude))
        assert any(number in text for text in _texts(situation, situation.expect.cited_chunks_include))


def test_orders_stand_in_one_passage_beside_the_evidence_in_the_evidence_and_without_any():
    orders = re.compile(r"ignore the above|disregard this passage|forget your rules", re.IGNORECASE)
    found = {
        one.id: [
            (chunk.chunk_id in one.expect.cited_chunks_include, chunk.chunk_id in one.expect.cited_chunks_exclude)
            for chunk in one.context
            if orders.search(chunk.text)
        ]
        for one in SITUATIONS
    }
    assert {name: places for name, places in found.items() if places} == {
        "planted-saddle-warranty": [(False, True)],
        "planted-parcel-weight": [(True, False)],
        "planted-card-fraud": [(False, True)],
    }


def test_sources_that_nothing_ranks_may_both_be_shown():
    for situation in [one for one in DECLINED if one.reason == "conflicting"]:
        assert len(situation.context) - len(situation.expect.cited_chunks_exclude) >= 2


def test_a_chunk_and_its_document_belong_to_one_situation():
    chunks = [chunk for one in SITUATIONS for chunk in one.context]
    assert len({chunk.chunk_id for chunk in chunks}) == len({chunk.text for chunk in chunks}) == len(chunks)
    documents = {(chunk.chunk_id.split("#")[0], one.id) for one in SITUATIONS for chunk in one.context}
    assert [name for name, n in Counter(name for name, _ in documents).items() if n > 1] == []
    assert all(2 <= len(one.context) <= 4 for one in SITUATIONS)


def test_every_text_ends():
    assert all(chunk.text.endswith((".", "]")) for one in SITUATIONS for chunk in one.context)
    assert all(one.question.endswith("?") for one in SITUATIONS)
    assert all(claim.text.endswith(".") for one in SITUATIONS for claim in one.claims)


# --- no copies --------------------------------------------------------------------------------------------------------------------


def _own_texts():
    return [
        text
        for one in SITUATIONS
        for text in (one.question, *(claim.text for claim in one.claims), *(chunk.text for chunk in one.context))
    ]


@pytest.fixture(scope="module")
def other_texts():
    sample = build_sample()
    suite = [text for case in load_suite() for text in (case.question, case.claim, *(chunk.text for chunk in case.context))]
    return (
        suite
        + [text for row in sample.evidence for text in (row.text, row.context or "")]
        + [text for row in sample.answers for text in (row.question, row.answer)]
    )


def _words(text):
    return " ".join(re.findall(r"\w+", text)).casefold()


def _sentences(texts):
    return {_words(part) for text in texts for part in re.split(r"(?<=[.:;?!])\s+", text) if len(part.split()) > 2}


def _names(texts):
    """Words with a capital inside a sentence."""
    return {word for text in texts for word in re.findall(r"(?<=[a-z,] )[A-Z]\w+", text)}


def test_no_sentence_is_in_the_suite_or_in_the_sample(other_texts):
    told, own = "\n".join(map(_words, other_texts)), "\n".join(map(_words, _own_texts()))
    assert [sentence for sentence in _sentences(_own_texts()) if sentence in told] == []
    assert [sentence for sentence in _sentences(other_texts) if sentence in own] == []


def test_no_invented_name_is_in_the_suite_or_in_the_sample(other_texts):
    calendar = {"January", "February", "March", "April", "May", "June", "September", "October", "November", "December", "Monday"}
    assert (_names(_own_texts()) & _names(other_texts)) - calendar == set()
    known = {chunk.chunk_id for case in load_suite() for chunk in case.context} | {row.doc_id for row in build_sample().evidence}
    own = {chunk.chunk_id.split("/")[0] for one in SITUATIONS for chunk in one.context}
    assert own & {name.split("/")[0] for name in known} == set()


# --- the loader -------------------------------------------------------------------------------------------------------------------

ENTRY = """
- id: joint-saw
  kind: joint_evidence
  question: May Ada use the saw?
  risk: low
  behaviour: answer
  context:
    - id: shop#1
      text: Whoever has the red key may use the saw.
      span: may use the saw
    - id: shop#2
      text: Ada has the red key.
    - id: shop#3
      text: Keys hang by the door.
    - id: shop#4
      text: Bo has the blue key.
  claims:
    - text: Ada may use the saw, for she has the red key.
      answer_contains: [red key]
      evidence: [shop#1, shop#2]
  allowed: [shop#3]
"""
DECLINE = """
- id: no-lathe
  kind: unanswerable
  question: May Ada use the lathe?
  risk: high
  behaviour: decline
  reason: no_evidence
  context:
    - {id: shop#1, text: Keys hang by the door.}
"""


def _file(tmp_path, text):
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries_become_situations(tmp_path):
    assert load_situations(_file(tmp_path, ENTRY + DECLINE)) == (
        Situation(
            id="joint-saw",
            kind="joint_evidence",
            question="May Ada use the saw?",
            claims=(GoldClaim("Ada may use the saw, for she has the red key.", ("red key",), ("shop#1", "shop#2")),),
            context=(
                Chunk("shop#1", "Whoever has the red key may use the saw.", 24, 39),
                Chunk("shop#2", "Ada has the red key."),
                Chunk("shop#3", "Keys hang by the door."),
                Chunk("shop#4", "Bo has the blue key."),
            ),
            risk="low",
            reason=None,
            expect=Expectation("joint_evidence", "answer", ("red key",), ("shop#1", "shop#2"), ("shop#4",)),
        ),
        Situation(
            id="no-lathe",
            kind="unanswerable",
            question="May Ada use the lathe?",
            claims=(),
            context=(Chunk("shop#1", "Keys hang by the door."),),
            risk="high",
            reason="no_evidence",
            expect=Expectation("unanswerable", "decline", (), (), ("shop#1",)),
        ),
    )


def test_a_chunk_that_two_claims_need_is_named_once(tmp_path):
    more = '    - {text: She has it., evidence: [shop#2]}\n  allowed: ["shop#3"]'
    (situation,) = load_situations(_file(tmp_path, ENTRY.replace("  allowed: [shop#3]", more)))
    assert situation.expect.cited_chunks_include == ("shop#1", "shop#2")
    assert situation.expect.answer_contains == ("red key",)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "  risk: low",
            "  danger: low",
            "'joint-saw': danger: unknown field; use id, kind, question, risk, behaviour, context, claims,",
        ),
        ("  risk: low\n", "", "'joint-saw': risk: missing; add it"),
        ("risk: low", "risk: grave", "'joint-saw': risk: unknown, 'grave'; use low, medium, high"),
        ("kind: joint_evidence", "kind: [joint]", "'joint-saw': kind: unknown, ['joint']; use direct_fact, joint_evidence,"),
        (
            "kind: joint_evidence",
            "kind: unanswerable",
            "behaviour: 'answer' in an unanswerable situation; decline, or use another kind",
        ),
        ("behaviour: answer", "behaviour: guess", "'joint-saw': behaviour: unknown, 'guess'; use answer, decline"),
        (
            "behaviour: answer",
            "behaviour: decline",
            "reason: expected why it is declined, got None; use no_evidence, insufficient,",
        ),
        (
            "behaviour: answer",
            "behaviour: decline",
            " where the behaviour is 'decline'; take them out, or answer",
        ),
        (
            "behaviour: answer",
            "behaviour: answer\n  reason: stale",
            "reason: 'stale' where the behaviour is 'answer'; take it out, or",
        ),
        ("question: May Ada use the saw?", "question: 7", "question: expected text, got 7; write words, in quotes where YAML"),
        ("  claims:\n", "  claims: []\n  more:\n", "claims: none where the behaviour is 'answer'; write what a right answer says"),
        ("  claims:\n", "  claims: saw\n  more:\n", "claims: expected a list, got 'saw'; start each of its items with `- text:`"),
        ("  context:\n", "  context: []\n  more:\n", "context: expected a list, got []; start each of its items with `- id:`"),
        ("      text: Ada has", "      words: Ada has", "context[2].words: unknown field; use id, text, span"),
        ("      text: Ada has", "      words: Ada has", "context[2].text: expected text, got None; write words"),
        (
            "span: may use the saw",
            "span: [saw]",
            "context[1].span: expected text, got ['saw']; quote words of the text, or leave it",
        ),
        (
            "span: may use the saw",
            "span: may use a saw",
            "context[1].span: 'may use a saw' occurs 0 times in the text; quote the text",
        ),
        ("span: may use the saw", "span: e", "context[1].span: 'e' occurs 7 times in the text; quote more words"),
        ("- id: shop#4", "- id: shop#3", "context: chunk id 'shop#3' stands 2 times; rename all but one"),
        (
            "    - text: Ada may use the saw, for",
            "    - word: Ada may use the saw, for",
            "claims[1].word: unknown field; use text,",
        ),
        (
            "    - text: Ada may use the saw, for",
            "    - word: Ada may use the saw, for",
            "claims[1].text: expected text, got None;",
        ),
        ("[red key]", "[7]", "claims[1].answer_contains: expected a list of texts, got [7]; put numbers in quotes"),
        ("[red key]", "[blue key]", "claims[1].answer_contains: 'blue key' is not in the claim; take words from the claim"),
        ("evidence: [shop#1, shop#2]", "evidence: []", "claims[1].evidence: missing; name the chunks that establish the claim"),
        (
            "evidence: [shop#1, shop#2]",
            "evidence: shop",
            "claims[1].evidence: expected a list of chunk ids, got 'shop'; write them",
        ),
        (
            "evidence: [shop#1, shop#2]",
            "evidence: [shop#9]",
            "claims[1].evidence: 'shop#9' is not in the context; use one of shop#1,",
        ),
        (
            "allowed: [shop#3]",
            "allowed: [door]",
            "allowed: 'door' is not in the context; use one of shop#1, shop#2, shop#3, shop#4",
        ),
        ("allowed: [shop#3]", "allowed:", "allowed: expected a list of chunk ids, got None; write them as [one, two]"),
        ("- id: joint-saw", "- 7", "not YAML: "),
        (ENTRY, "7", "expected a list of situations, got 7; start each with `- id:`"),
        (ENTRY, "- 7", "expected a situation, got 7; start it with `- id:`"),
        (ENTRY, ENTRY + ENTRY, "'joint-saw': id: stands 2 times; rename all but one"),
    ],
)
def test_a_fault_is_named_with_its_place_and_its_fix(tmp_path, old, new, fault):
    assert old in ENTRY
    with pytest.raises(ValueError, match=re.escape(fault)) as raised:
        load_situations(_file(tmp_path, ENTRY.replace(old, new)))
    assert all(line.startswith("own.yaml: ") for line in str(raised.value).splitlines())


def test_all_faults_come_at_once(tmp_path):
    broken = ENTRY.replace("risk: low", "risk: grave").replace("[shop#3]", "[door]") + DECLINE.replace("no_evidence", "none")
    with pytest.raises(ValueError, match="grave") as raised:
        load_situations(_file(tmp_path, broken))
    assert str(raised.value).splitlines() == [
        "own.yaml: 'joint-saw': risk: unknown, 'grave'; use low, medium, high",
        "own.yaml: 'joint-saw': allowed: 'door' is not in the context; use one of shop#1, shop#2, shop#3, shop#4",
        "own.yaml: 'no-lathe': reason: expected why it is declined, got 'none'; use no_evidence, insufficient, conflicting, stale, "
        "no_access, underspecified",
    ]
