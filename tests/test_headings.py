"""Headings stand in front of passages; the last part may be what scopes them."""

from __future__ import annotations

import random
import re
from importlib import resources

import pytest

from cases.headings import headed, heading, scope_heading
from cases.mutations import SCOPES, Scope
from cases.sample import build_sample
from cases.suite import load_suite


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (Scope("region", "in us-east-1", "in the US"), "us-east-1"),
        (Scope("plan", "on the Free plan", "for Free subscribers"), "Free plan"),
        (Scope("audience", "for contractors", "for contract workers"), "Contractors"),
        (Scope("model", "for the X200", "for the X200 model"), "X200"),
    ],
)
def test_a_scope_as_a_heading(scope: Scope, words: str) -> None:
    assert scope_heading(scope) == words


def test_every_scope_has_a_heading_without_its_preposition() -> None:
    assert [one.written for one in SCOPES if scope_heading(one).split()[0].lower() in ("in", "on", "for", "the")] == []


def test_a_heading_is_a_path_that_ends_in_the_scope() -> None:
    made = [heading(random.Random(i), SCOPES[0]) for i in range(200)]
    assert {one.split(" > ")[-1] for one in made} == {scope_heading(SCOPES[0])}
    assert {one.count(" > ") for one in made} == {1, 2, 3}
    assert headed("Logs are kept.", random.Random(1)) == f"{heading(random.Random(1))}: Logs are kept."


def test_headings_are_those_of_no_shipped_document() -> None:
    told = " ".join(str(row.context) for row in build_sample().evidence) + " ".join(
        chunk.chunk_id for case in load_suite() for chunk in case.context
    )
    told += (resources.files("cases") / "situations.yaml").read_text(encoding="utf-8")
    names = {heading(random.Random(i)).split()[0] for i in range(500)}
    assert len(names) == 20
    assert [name for name in names if re.search(rf"\b{name}\b", told, re.IGNORECASE)] == []
