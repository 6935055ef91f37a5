"""What a checker learns from: declared sets, caps and labels, near misses in balance, distractors that leave the premise whole."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import pipelines.mixture
from cases.near_misses import NearMiss
from cases.statements import statement_rows
from pipelines.mixture import Pass, TrainingPair, balanced, load_mixture, near_misses_of_rows, read_pairs, read_pass

ROWS = [
    {"id": f"r{i}", "premise": f"The pump in hall {i} runs.", "hypothesis": f"Pump {i} runs.", "label": "neutral"}
    for i in range(20)
]
LONG = "word " * 61


def write(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture
def data(tmp_path):
    write(tmp_path / "pumps.jsonl.gz", ROWS)
    return tmp_path


def mixture(tmp_path, text):
    path = tmp_path / "mixture.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_mixture_is_read_pass_by_pass(tmp_path):
    path = mixture(
        tmp_path,
        """
        - {seed: 3, learning_rate: 6e-5, sets: {a: null, b: 20}, distracted: 0.3, distracted_sets: [a]}
        - {epochs: 2, batch_size: 8, sets: {}, near_misses: {from: [a], rows: 9}, statements: 7}
        """,
    )
    assert load_mixture(path) == [
        Pass({"a": None, "b": 20}, learning_rate=6e-5, seed=3, distracted=0.3, distracted_sets=("a",)),
        Pass({}, epochs=2.0, batch_size=8, near_misses={"from": ["a"], "rows": 9}, statements=7),
    ]


def test_the_shipped_mixture_is_read():
    passes = load_mixture(Path(pipelines.mixture.__file__).with_name("mixture.yaml"))
    assert all(one.sets for one in passes)
    assert [set(one.distracted_sets) - set(one.sets) for one in passes] == [set()] * len(passes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {sets: {a: 1}, sead: 3}", r"unknown field 'sead' in a pass of .*mixture.yaml; known: batch_size, .*seed"),
        ("mnli: null", "a mixture is a list of passes, each with `sets`: .*mixture.yaml"),
        ("[]", "a mixture is a list of passes"),
        ("- {seed: 3}", "a mixture is a list of passes"),
        ("- {sets: {a: 0}}", r"a pass maps set names to a number of pairs or null: sets={'a': 0}"),
        ("- {sets: {a: all}}", "a pass maps set names to a number of pairs or null"),
        ("- {sets: {a: 1}, epochs: 0}", r"nothing to train, all of these must be above 0: epochs=0.0, batch_size=64"),
        (
            "- {sets: {}, near_misses: {rows: 3}}",
            r"near_misses takes `from` .*, `rows` .* and, if wanted, `siblings` .*: near_misses={'rows': 3}",
        ),
    ],
)
def test_a_mixture_that_says_nothing_sensible_is_refused_with_its_field(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        load_mixture(mixture(tmp_path, text))


def test_a_set_that_is_not_there_is_named(data):
    with pytest.raises(FileNotFoundError, match=r"the mixture names a set that is not there: .*/valves.jsonl\[.gz\]; mend"):
        read_pass(data, Pass({"valves": None}))
    with pytest.raises(FileNotFoundError, match=r"/valves.jsonl"):
        read_pass(data, Pass({}, near_misses={"from": ["valves"], "rows": 2}))


def test_a_label_that_means_nothing_is_named_with_its_row(data):
    write(data / "odd.jsonl", [{**ROWS[0], "id": "x", "label": "maybe"}])
    with pytest.raises(ValueError, match=r"unknown label 'maybe' in odd \(id='x'\); known: entailment, neutral, contradiction, "):
        read_pass(data, Pass({"odd": None}))


def test_a_cap_takes_the_same_rows_every_time_and_another_seed_takes_others(data):
    whole = read_pass(data, Pass({"pumps": None}))
    assert sorted(whole) == sorted(TrainingPair(row["premise"], row["hypothesis"], 1) for row in ROWS)
    assert whole != sorted(whole)
    assert read_pass(data, Pass({"pumps": 5})) == whole[:5] == read_pass(data, Pass({"pumps": 5}))
    assert set(read_pass(data, Pass({"pumps": 5}, seed=1))) != set(whole[:5])
    assert len(read_pass(data, Pass({"pumps": 500}))) == len(ROWS)


def test_a_set_of_ones_own_may_have_numbers_for_ids_the_same_id_twice_and_empty_lines(tmp_path):
    labels = ("entailment", "neutral", "contradiction", "supported", "unsupported")
    rows = [{"id": 7, "premise": "p", "hypothesis": label, "label": label, "more": 1} for label in labels]
    write(tmp_path / "own.jsonl", rows)
    with (tmp_path / "own.jsonl").open("a") as stream:
        stream.write("\n\n")
    assert list(read_pairs(tmp_path / "own.jsonl")) == rows
    assert {pair.hypothesis: pair.target for pair in read_pass(tmp_path, Pass({"own": None}))} == {
        "entailment": 0,
        "neutral": 1,
        "contradiction": 2,
        "supported": 0,
        "unsupported": 3,
    }


def test_distractors_leave_the_premise_whole_and_come_from_short_premises_of_the_set(data):
    write(data / "long.jsonl", [{**row, "id": f"l{i}", "premise": LONG + str(i)} for i, row in enumerate(ROWS[:3])])
    plain = {pair.hypothesis: pair for pair in read_pass(data, Pass({"pumps": None}))}
    one = Pass({"pumps": None, "long": None}, distracted=0.5, distracted_sets=("pumps", "long"))
    premises = {row["premise"] for row in ROWS}
    widened = 0
    for pair in read_pass(data, one):
        if pair.premise.startswith("word"):
            continue
        parts = pair.premise.replace("runs. ", "runs.|").split("|")
        assert plain[pair.hypothesis].premise in parts
        assert set(parts) <= premises
        assert len(parts) <= 3
        widened += len(parts) > 1
    assert 4 <= widened <= 16
    assert sorted(read_pass(data, Pass({"pumps": None}, distracted=0.9))) == sorted(plain.values())


def test_a_distractor_ends_its_sentence(tmp_path):
    write(tmp_path / "open.jsonl", [{**row, "premise": f"the pump of hall {i} "} for i, row in enumerate(ROWS)])
    pairs = read_pass(tmp_path, Pass({"open": None}, distracted=1.0, distracted_sets=("open",)))
    assert all(pair.premise.count(".") in (2, 3) and " ." not in pair.premise for pair in pairs)


def near_miss(i, family, label):
    return NearMiss(f"p{i}", f"h{i}", label, family, "number")


def test_balanced_keeps_at_most_so_many_of_a_family_entailed_and_not():
    kinds = [("scope", "entailment", 9), ("scope", "unsupported", 4), ("scope", "contradiction", 3), ("date", "unsupported", 2)]
    rows = [near_miss(f"{kind}{i}", family, label) for kind, (family, label, n) in enumerate(kinds) for i in range(n)]
    kept = balanced(rows, 5, 1)
    assert Counter((row.family, row.label == "entailment") for row in kept) == {
        ("scope", True): 5,
        ("scope", False): 5,
        ("date", False): 2,
    }
    assert balanced(rows[::-1], 5, 1) == kept
    assert balanced(rows, 5, 2) != kept
    assert sorted(balanced(rows, 99, 1)) == sorted(rows)


def test_near_misses_and_statements_join_the_pass_in_its_order(data):
    entailed = [
        {
            "id": f"e{i}",
            "premise": f"The {thing} was open for 30 days in 2019.",
            "hypothesis": f"The {thing} was open.",
            "label": label,
        }
        for i, (thing, label) in enumerate([("park", "entailment"), ("mill", "supported"), ("pier", "neutral")])
    ]
    write(data / "open.jsonl", entailed)
    made = balanced(near_misses_of_rows(entailed), 3, 5)
    assert made
    assert not any("pier" in row.premise for row in made)
    pairs = read_pass(data, Pass({"pumps": 2}, near_misses={"from": ["open"], "rows": 3}, statements=4, seed=5))
    targets = {"entailment": 0, "contradiction": 2, "unsupported": 3}
    generated = [TrainingPair(row.premise, row.hypothesis, targets[row.label]) for row in (*made, *statement_rows(4, 5))]
    assert sorted(pairs) == sorted([*generated, *read_pass(data, Pass({"pumps": 2}, seed=5))])


def test_a_premise_too_long_for_one_change_to_decide_gives_no_near_miss():
    row = {"id": "a", "premise": f"The park was open. {LONG}", "hypothesis": "The park was open in 2019.", "label": "entailment"}
    assert list(near_misses_of_rows([row])) == []


def test_a_share_of_short_premises_gets_a_heading(data):
    plain = read_pass(data, Pass({"pumps": None}, seed=5))
    under = read_pass(data, Pass({"pumps": None}, seed=5, headed=0.5))
    assert [one.hypothesis for one in plain] == [one.hypothesis for one in under]
    changed = [(one.premise, other.premise) for one, other in zip(plain, under, strict=True) if one != other]
    assert 4 <= len(changed) <= 16
    assert all(other.endswith(f": {one}") for one, other in changed)
    assert read_pass(data, Pass({"pumps": None}, seed=5, headed=1.0)) == read_pass(data, Pass({"pumps": None}, seed=5, headed=1.0))


def test_a_long_premise_gets_no_heading(tmp_path):
    write(tmp_path / "long.jsonl", [{"id": 1, "premise": LONG, "hypothesis": "It runs.", "label": "neutral"}])
    assert read_pass(tmp_path, Pass({"long": None}, headed=1.0)) == [TrainingPair(LONG, "It runs.", 1)]


def test_siblings_come_on_top_and_none_twice(tmp_path):
    rows = [
        {
            "id": i,
            "premise": f"The pump ran for {i + 30} days.",
            "hypothesis": f"The pump ran {i + 30} days.",
            "label": "entailment",
        }
        for i in range(20)
    ]
    write(tmp_path / "pumps.jsonl", rows)

    def siblings(**more):
        found = read_pass(tmp_path, Pass({}, near_misses={"from": ["pumps"], "rows": 3, **more}))
        assert len(set(found)) == len(found)
        made = {(row.premise, row.hypothesis) for row in near_misses_of_rows(rows) if row.operator == "sibling"}
        return sum((one.premise, one.hypothesis) in made for one in found)

    assert siblings(siblings=12) > siblings()
