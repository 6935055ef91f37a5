"""What a run of the suite leaves behind: tables for a terminal, suite.json and junit.xml."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite
from rich.table import Table

from pipelines.agreement import per_cent
from pipelines.gap import gap_table
from pipelines.suite import Counts, Result, SuiteReport


def tables(report: SuiteReport) -> Iterator[Table]:
    """Families, situations and risks, each where there are any; then the gap table."""
    if report.families:
        yield counts_table(report.families, "family", f"Near-miss suite, answered by {report.generator}", "pairs passed")
    if report.kinds:
        yield counts_table(report.kinds, "situation", "Situations", "situations passed")
        yield counts_table(report.risks, "risk", "Situations by what a wrong answer costs", "situations passed")
    if report.gap:
        yield gap_table(report.gap)


def counts_table(counts: dict[str, Counts], name: str, title: str, groups: str) -> Table:
    """Counts as people read them, one row a `name`; `groups` is what has to be passed whole."""
    table = Table(title=title, title_justify="left")
    outcomes = ("cases", "passed", "failed", "errors", groups, "declined", "uncited")
    columns = (name, *outcomes, "checker judged", "checker disagrees")
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left")
    for value, one in counts.items():
        t = one.tally
        table.add_row(
            value, *map(str, (t.n, t.passed, t.failed, t.errors)), f"{t.groups_passed} of {t.groups}",
            *map(str, (t.declined, t.uncited, one.checker_judged, one.checker_disagrees)),
        )  # fmt: skip
    return table


def lines(report: SuiteReport) -> Iterator[str]:
    """Declines, tokens, time and cost, and every case that did not pass, a line each."""
    found = report.declines
    yield (
        f"declines: precision {per_cent(found.precision)} ({found.right} of {found.declined}), "
        f"recall {per_cent(found.recall)} ({found.right} of {found.unanswerable})"
    )
    for point in report.risk_coverage:
        yield f"answers scored {point.at_least:g} or more: coverage {per_cent(point.coverage)}, risk {per_cent(point.risk)}"
    if report.prompt_tokens or report.completion_tokens:
        cost = "" if report.cost is None else f", cost {report.cost:.4f}"
        yield f"tokens: {report.prompt_tokens} in, {report.completion_tokens} out{cost}; {report.seconds:.1f} s of answers"
    for one in report.results:
        if one.graded.grade.outcome != "pass":
            yield f"{one.graded.grade.outcome}: {one.graded.case.id}: {one.graded.grade.reason}"


def write_report(report: SuiteReport, output: Path) -> list[Path]:
    """Write suite.json and junit.xml into `output`; returns their paths. The same results give the same bytes."""
    output.mkdir(parents=True, exist_ok=True)
    paths = [output / "suite.json", output / "junit.xml"]
    paths[0].write_text(json.dumps(_record(report), ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="replace")
    _junit(report).write(str(paths[1]), pretty=True)
    return paths


def _record(report: SuiteReport) -> dict[str, Any]:
    found = report.declines
    return {
        "generator": report.generator,
        "checker": report.checker,
        **{name: {key: _counts(one) for key, one in getattr(report, name).items()} for name in ("families", "kinds", "risks")},
        "declines": {**found._asdict(), "precision": found.precision, "recall": found.recall},
        "risk_coverage": [point._asdict() for point in report.risk_coverage],
        "prompt_tokens": report.prompt_tokens,
        "completion_tokens": report.completion_tokens,
        "seconds": report.seconds,
        "cost": report.cost,
        "gap": [asdict(row) for row in report.gap],
        "cases": [_case(one) for one in report.results],
    }


def _counts(one: Counts) -> dict[str, int]:
    return {**one.tally._asdict(), "checker_judged": one.checker_judged, "checker_disagrees": one.checker_disagrees}


def _case(one: Result) -> dict[str, Any]:
    case, reply = one.graded.case, one.graded.reply
    return {
        "id": case.id,
        "family": case.expect.family,
        "behaviour": case.expect.behaviour,
        "outcome": one.graded.grade.outcome,
        "reason": one.graded.grade.reason,
        "conduct": reply.conduct if reply.error is None else None,
        "checker": one.checker,
        "checker_disagrees": one.disagrees,
        "answer": reply.answer,
        "claims": [claim._asdict() for claim in reply.claims],
        "score": reply.score,
        "seconds": one.generated.seconds,
    }


def _junit(report: SuiteReport) -> JUnitXml:
    """One test suite a family or kind; a case that got no answer is an error, a difference with the checker a line of output."""
    suites: dict[str, TestSuite] = {}
    for one in report.results:
        case, verdict = one.graded.case, one.graded.grade
        suite = suites.setdefault(case.expect.family, TestSuite(_clean(case.expect.family)))
        entry = TestCase(_clean(case.id), classname=f"nearmiss.{_clean(case.expect.family)}", time=one.generated.seconds)
        if verdict.outcome != "pass":
            entry.result = [(Failure if verdict.outcome == "fail" else Error)(_clean(verdict.reason))]
        if one.disagrees:
            entry.system_out = f"checker_disagrees: it calls what is cited {'established' if one.checker else 'not established'}"
        suite.add_testcase(entry)
    whole = JUnitXml("nearmiss")
    for suite in suites.values():
        whole.add_testsuite(suite)
    whole.update_statistics()
    return whole


def _clean(text: str) -> str:
    """What XML can hold of a text: no control characters, no lone surrogates."""
    return "".join(
        one if one in "\t\n" or " " <= one < "\ud800" or "\ue000" <= one <= "\ufffd" or one > "\uffff" else "�" for one in text
    )
