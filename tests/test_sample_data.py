"""The shipped sample: its size, its gold against its own tables, and that word overlap cannot solve it."""

import json
import re
from collections import Counter

import pytest

from cases.sample import STATES, GoldAnswer, build_sample, claim_text, gold_from_json, gold_to_json, markers_in, unmark
from schemas.answers import Answer
from schemas.claims import FAMILIES, NOT_REQUIRED_REASONS
from schemas.evidence import Evidence
from schemas.types import to_table

SAMPLE = build_sample()
BROKEN = {"exp-bad-span", "pump-bad"}
EVIDENCE = {(row.evidence_id, row.version): row for row in SAMPLE.evidence}
EDGES = [
    (answer, gold.claims[edge.claim], edge) for answer, gold in zip(SAMPLE.answers, SAMPLE.gold, strict=True) for edge in gold.edges
]
JUDGED = [(claim, edge) for _, claim, edge in EDGES if edge.status == "judged"]


def _holding_sentences(row):
    """The sentences that hold the span; all of them where the whole passage is cited."""
    bounds = [match.span() for match in re.finditer(r"\S.*?[.!?](?=\s|$)", row.text)]
    if row.span_start is None:
        return [row.text[start:end] for start, end in bounds]
    return [row.text[start:end] for start, end in bounds if start < row.span_end and row.span_start < end]


def _token_f1(claim, sentence):
    left, right = (Counter(re.findall(r"\w+", words.lower())) for words in (claim, sentence))
    return 2 * (left & right).total() / (left.total() + right.total())


def _balanced_accuracy(scored, threshold):
    positive, negative = ([score for score, supported in scored if supported is side] for side in (True, False))
    return (sum(s >= threshold for s in positive) / len(positive) + sum(s < threshold for s in negative) / len(negative)) / 2


def _expected_status(answer, edge):
    """Derive an edge's status and version from the tables alone, as of the answer."""
    declared = next((c for c in answer.citations or [] if c.evidence_id == edge.evidence_id), None)
    rows = [row for row in SAMPLE.evidence if row.evidence_id == edge.evidence_id]
    if not rows:
        return "dangling", None
    asked = declared.version if declared else None
    row = next((row for row in rows if (row.version == asked if asked else _valid(row, answer.answered_at))), None)
    return ("no_version", asked) if row is None else (_condition(answer, row, declared), row.version)


def _valid(row, moment):
    return (row.valid_from is None or row.valid_from <= moment) and (row.valid_to is None or moment < row.valid_to)


def _condition(answer, row, declared):
    if row.principals is not None and not set(row.principals) & set(answer.principals or []):
        return "forbidden"
    if not row.text:
        return "empty_evidence"
    if row.span_end is not None and row.span_end > len(row.text):
        return "bad_span"
    quote = " ".join((declared.quote or "").split()) if declared else ""
    return "judged" if quote in " ".join(row.text.split()) else "quote_mismatch"


def test_the_sample_is_large_enough_and_deterministic():
    assert len(SAMPLE.answers) >= 150
    assert len(SAMPLE.evidence) >= 300
    assert build_sample() == SAMPLE


def test_rows_fit_their_declared_schemas():
    assert to_table(Answer, SAMPLE.answers).num_rows == len(SAMPLE.answers)
    assert to_table(Evidence, SAMPLE.evidence).num_rows == len(SAMPLE.evidence)


def test_gold_stands_beside_every_answer_row():
    assert [gold.answer_id for gold in SAMPLE.gold] == [answer.answer_id for answer in SAMPLE.answers]
    assert {gold.state for gold in SAMPLE.gold} == set(STATES)


def test_only_the_intended_duplicate_repeats_an_id():
    repeated = [answer_id for answer_id, n in Counter(answer.answer_id for answer in SAMPLE.answers).items() if n > 1]
    (first, second) = [answer for answer in SAMPLE.answers if answer.answer_id in repeated]
    assert first == second
    assert [gold.state for gold in SAMPLE.gold if gold.answer_id in repeated] == ["evaluated", "duplicate"]
    assert len(EVIDENCE) == len(SAMPLE.evidence)


def test_every_span_lies_inside_its_text_but_the_broken_ones():
    outside = {row.evidence_id for row in SAMPLE.evidence if row.span_end is not None and row.span_end > len(row.text)}
    assert outside == BROKEN


def test_versions_follow_each_other_without_a_gap():
    for evidence_id in {row.evidence_id for row in SAMPLE.evidence}:
        rows = sorted((row for row in SAMPLE.evidence if row.evidence_id == evidence_id), key=lambda row: str(row.valid_from))
        assert [row.valid_to for row in rows[:-1]] == [row.valid_from for row in rows[1:]], evidence_id
        assert [row.superseded_by for row in rows] == [*[row.version for row in rows[1:]], None], evidence_id


def test_every_status_follows_from_the_tables():
    for answer, claim, edge in EDGES:
        expected = ("abstained", None) if claim.reason == "abstention" else _expected_status(answer, edge)
        assert (edge.status, edge.version) == expected, (answer.answer_id, edge)


def test_every_status_occurs():
    assert {edge.status for _, _, edge in EDGES} == {
        "judged",
        "dangling",
        "no_version",
        "forbidden",
        "empty_evidence",
        "bad_span",
        "quote_mismatch",
        "abstained",
    }


def test_answers_are_asked_at_and_around_the_boundaries_of_versions():
    starts = {row.valid_from for row in SAMPLE.evidence if row.valid_from is not None}
    assert sum(answer.answered_at in starts for answer in SAMPLE.answers) >= 8


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_near_misses(family):
    assert sum(edge.family == family for _, edge in JUDGED) >= 8


def test_many_edges_are_supported_and_none_of_them_names_a_family():
    supported = [edge for _, edge in JUDGED if edge.supported]
    assert len(supported) >= 110
    assert {edge.family for edge in supported} == {"other"}
    assert all(edge.supported is None for _, _, edge in EDGES if edge.status != "judged")


def test_claims_that_need_no_evidence_say_why():
    for gold in SAMPLE.gold:
        for claim in gold.claims:
            assert claim.requires_evidence == (claim.reason is None)
            assert claim.reason is None or claim.reason in NOT_REQUIRED_REASONS


def test_claim_words_stand_in_the_answer():
    for answer, gold in zip(SAMPLE.answers, SAMPLE.gold, strict=True):
        words = " ".join(re.sub(r"\s*\[[\d, -]+\]", "", answer.answer).split())
        told = [claim.text for claim in gold.claims]
        # Propositions of one sentence repeat what they share: their words stand there, not in one piece.
        assert answer.claims or all(
            claim in words or set(claim.lower().split()) <= set(re.findall(r"[\w.]+\w|\w", words.lower())) for claim in told
        )


def test_word_overlap_does_not_solve_the_sample():
    scored = [
        (
            max(_token_f1(claim.text, sentence) for sentence in _holding_sentences(EVIDENCE[edge.evidence_id, edge.version])),
            edge.supported,
        )
        for claim, edge in JUDGED
    ]
    accuracies = [_balanced_accuracy(scored, threshold) for threshold, _ in scored]
    print(f"token F1 over {len(scored)} judged edges: balanced accuracy {max(accuracies):.3f}, reversed {1 - min(accuracies):.3f}")
    assert max(accuracies) < 0.75
    assert 1 - min(accuracies) < 0.75  # nor may little overlap give support away


def test_gold_survives_json():
    assert [gold_from_json(json.loads(json.dumps(gold_to_json(gold)))) for gold in SAMPLE.gold] == SAMPLE.gold
    assert gold_from_json(gold_to_json(GoldAnswer("a", "empty", [], []))) == GoldAnswer("a", "empty", [], [])


@pytest.mark.parametrize(
    ("sentence", "markers", "text"),
    [
        ("Logs are kept for 30 days [1].", ["1"], "Logs are kept for 30 days"),
        ("- Logs are kept [1, 3] for 30 days. [2-4][1]", ["1", "3", "2", "4"], "Logs are kept for 30 days"),
        ("Is that all?", [], "Is that all"),
    ],
)
def test_markers_and_claim_text(sentence, markers, text):
    assert (markers_in(sentence), claim_text(sentence)) == (markers, text)


@pytest.mark.parametrize(("marked", "message"), [("a {x|b} {x|c}", "two spans have one name: 'x'"), ("a {x b}", "stray brace")])
def test_a_wrongly_marked_passage_is_refused(marked, message):
    with pytest.raises(ValueError, match=message):
        unmark(marked)
