"""Valid rows among broken ones: everything reconciles, and the valid part is measured as if it stood alone."""

from __future__ import annotations

import random

import pytest
from builders import answer, evidence, utc
from test_nightly import NOW, fake_checker, random_log, run  # noqa: F401 (a fixture)

from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation, StructuredClaim

BROKEN_ANSWERS = [
    lambda i: answer(None),
    lambda i: answer(""),
    lambda i: answer(f"range{i}", citations=[DeclaredCitation("e0", answer_start=4, answer_end=900)]),
    lambda i: answer(f"order{i}", citations=[DeclaredCitation("e0", answer_start=4, answer_end=2)]),
    lambda i: answer(
        f"twice{i}", citations=None, claims=[StructuredClaim("c", "One", True, []), StructuredClaim("c", "Two", True, [])]
    ),
    lambda i: answer(f"unnamed{i}", citations=[DeclaredCitation("", "1")]),
    lambda i: answer("torn", f"Logs are kept for {i} days [1]."),
]
BROKEN_EVIDENCE = [
    lambda i: evidence(f"broken{i}", status="fresh"),
    lambda i: evidence(f"broken{i}", source_type="rumour"),
    lambda i: evidence(f"broken{i}", version=""),
    lambda i: evidence(f"broken{i}", valid_from=utc(2026, 2), valid_to=utc(2026, 1)),
    lambda i: evidence(f"broken{i}", statement_kind="guess"),
]


def measured(folder, part):
    """The aggregates of one slice, its own name left out."""
    rows = [row for row in read_run_table(folder, "aggregates") if row["slice"] == f"part={part}"]
    return [{name: value for name, value in row.items() if name != "slice"} for row in rows]


@pytest.mark.parametrize("seed", range(4))
def test_the_valid_part_is_measured_as_if_it_stood_alone(tmp_path, fake_checker, seed):  # noqa: F811
    rng = random.Random(seed)
    answers, rows = random_log(rng, 40)
    valid = [one._replace(attributes={"part": "valid"}) for one in answers]
    broken = [rng.choice(BROKEN_EVIDENCE)(i) for i in range(rng.randint(1, 5))]
    touched = [
        answer(f"touched{i}", citations=[DeclaredCitation(one.evidence_id, "1")], attributes={"part": "touched"})
        for i, one in enumerate(broken)
    ]
    lost = [rng.choice(BROKEN_ANSWERS)(i) for i in range(rng.randint(2, 9))]
    mixed, rows_mixed = [*valid, *touched, *lost], [*rows, *broken]
    rng.shuffle(mixed)
    rng.shuffle(rows_mixed)
    options = {"slices": (("part",),), "as_of": NOW}
    code, whole = run(tmp_path, fake_checker, mixed, rows_mixed, "mixed", **options)
    assert code == 0
    manifest = read_manifest(whole)
    assert all(identity["holds"] for identity in manifest["identities"]), manifest["identities"]
    _, alone = run(tmp_path, fake_checker, valid, rows, "alone", **options)
    assert measured(whole, "valid") == measured(alone, "valid")
    edges = [row for row in read_run_table(whole, "verdicts") if row["answer_id"].startswith("touched")]
    assert {row["status"] for row in edges} == {"unjudged"}
    assert len(edges) == len(touched)
    rejected = [row for row in read_run_table(whole, "rejects") if row["step"] == "answers"]
    assert sum(row["n_rows"] for row in rejected) == manifest["counts"]["answers.read"] - len(valid) - len(touched) - _kept(lost)


def _kept(lost):
    """Of rows with one id a single one is no conflict."""
    return sum(one.answer_id == "torn" for one in lost) == 1
