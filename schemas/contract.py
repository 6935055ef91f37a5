"""The tables of a run, and what each is held against."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.aggregates import Aggregate
from schemas.answers import Answer
from schemas.claims import Claim
from schemas.evidence import Evidence
from schemas.expectations import Expectation, Suite, suites
from schemas.flagged import Flagged
from schemas.rejects import Reject
from schemas.review import Review
from schemas.verdicts import Verdict

INPUTS: dict[str, type] = {"answers": Answer, "evidence": Evidence}
OUTPUTS: dict[str, type] = {
    "claims": Claim,
    "verdicts": Verdict,
    "aggregates": Aggregate,
    "flagged": Flagged,
    "review": Review,
    "rejects": Reject,
}


class Contract(NamedTuple):
    """A table and its suites: its own columns first, then its lists of structs."""

    table: str
    row_type: type
    suites: tuple[Suite, ...]


def contract(table: str, started: dt.datetime | None = None, added: Mapping[str, Sequence[Expectation]] | None = None) -> Contract:
    """The contract of a table of a run, with a user's expectations by suite name.

    A row of our own output cannot be rejected any more: what it breaks stops the run.

    >>> [suite.name for suite in contract("answers").suites]
    ['answers', 'answers.citations', 'answers.claims']
    """
    row_type = {**INPUTS, **OUTPUTS}[table]
    found = suites(row_type, table, started, added)
    return Contract(table, row_type, found if table in INPUTS else tuple(map(_stopping, found)))


def contracts(
    started: dt.datetime | None = None, added: Mapping[str, Sequence[Expectation]] | None = None, tables: Iterable[str] = ()
) -> dict[str, Contract]:
    """The contracts of the tables named, or of all, by table."""
    return {table: contract(table, started, added) for table in tables or (*INPUTS, *OUTPUTS)}


def _stopping(suite: Suite) -> Suite:
    return suite._replace(
        expectations=tuple(e._replace(severity="stop") if e.severity == "reject" else e for e in suite.expectations)
    )
