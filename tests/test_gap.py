"""The gap table: the shipped passages under resemblance, the bare span and the containing sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rich.console import Console

from cases.suite import instance_pairs, load_suite, passage_pairs
from pipelines.gap import (
    FLOOR,
    INSTANCES,
    SENTENCE,
    SPAN,
    Cell,
    GapRow,
    cluster_interval,
    encoder_folder,
    gap_rows,
    gap_table,
    profile,
    similarity_scorers,
)
from pipelines.options import UsageError, bundled_checker, read_calibration
from schemas.claims import FAMILIES
from transforms.entailment import CheckerConfig, EntailmentChecker

SUITE = load_suite()


@pytest.fixture(scope="module")
def rows() -> dict[str, GapRow]:
    """The table of the bundled checker."""
    checker = EntailmentChecker(CheckerConfig(bundled_checker(), threads=2))
    found = gap_rows(checker, read_calibration(bundled_checker()), SUITE, similarity_scorers(encoder_folder(None)))
    return {row.family: row for row in found}


@pytest.mark.model
def test_there_is_a_row_a_family_and_one_for_single_cases(rows: dict[str, GapRow]) -> None:
    assert list(rows) == [*FAMILIES, INSTANCES]
    for family in FAMILIES:
        assert {(cell.n_clusters, cell.n >= 40) for cell in rows[family].cells.values()} == {(5, True)}
        assert all(cell.low <= cell.value <= cell.high for cell in rows[family].cells.values())


@pytest.mark.model
@pytest.mark.parametrize("family", FAMILIES)
def test_resemblance_tells_nothing_apart(rows: dict[str, GapRow], family: str) -> None:
    alike = {name: cell.value for name, cell in rows[family].cells.items() if name not in (SPAN, SENTENCE)}
    print(family, alike)
    assert "token F1" in alike
    assert max(alike.values()) <= FLOOR


@pytest.mark.model
@pytest.mark.parametrize("family", ["scope", "date", "quantity", "entity"])
def test_the_bare_span_has_lost_the_attribute(rows: dict[str, GapRow], family: str) -> None:
    """Cut to the span, mutated passages say the same: whatever the checker makes of it, it cannot tell them apart."""
    assert rows[family].cells[SPAN].value <= 0.6


@pytest.mark.model
def test_single_cases_never_establish_what_holds_for_most(rows: dict[str, GapRow]) -> None:
    cells = rows[INSTANCES].cells
    assert cells[SENTENCE].n == 5
    assert cells[SENTENCE].value <= 0.6
    assert rows[INSTANCES].profile.startswith("a rule about generation")


def test_single_cases_are_held_against_what_resembles_them() -> None:
    pairs = instance_pairs(SUITE)
    assert len({pair.pair for pair in pairs}) == len(pairs) == 5
    supporting = {case.pair: case.expect.cited_chunks_include for case in SUITE if case.variant == "control"}
    assert all(pair.true.chunk_id not in supporting[pair.pair] for pair in pairs)
    assert all(pair.true != pair.near for pair in pairs)


def test_passage_pairs_are_at_least_forty_a_family() -> None:
    pairs = passage_pairs(SUITE)
    assert all(sum(pair.family == family for pair in pairs) >= 40 for family in FAMILIES)


@pytest.mark.parametrize(
    ("alike", "span", "sentence", "words"),
    [
        (0.5, 0.5, 0.9, "jump on the right: widen the premise"),
        (0.5, 0.9, 0.9, "jump on the left: any entailment model"),
        (0.5, 0.7, 0.95, "jump on the left: any entailment model; jump on the right: widen the premise"),
        (0.6, 0.5, 0.65, "jump on the right: widen the premise; flat: this checker will not do"),
        (0.5, 0.5, 0.55, "flat: this checker will not do"),
        (0.8, 0.8, 0.85, ""),
    ],
)
def test_profiles_in_words(alike: float, span: float, sentence: float, words: str) -> None:
    assert profile({"token F1": alike, "embedding": 0.4, SPAN: span, SENTENCE: sentence}) == words


@pytest.mark.parametrize(
    ("means", "low", "high"),
    [
        ([1.0] * 5, 0.566, 1.0),
        ([0.5] * 5, 0.170, 0.830),
        ([0.0] * 5, 0.0, 0.434),
        ([1.0, 0.0], 0.0, 1.0),
        ([0.75], 0.0, 1.0),
    ],
)
def test_few_hand_written_pairs_leave_wide_intervals(means: list[float], low: float, high: float) -> None:
    assert cluster_interval(means) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


def test_intervals_of_clusters_cover() -> None:
    """Cluster means around 0.8, five a sample: at least nineteen of twenty intervals hold the mean."""
    drawn = np.random.default_rng(5).beta(4, 1, size=(1000, 5))
    held = [low <= 0.8 <= high for low, high in map(cluster_interval, drawn)]
    assert np.mean(held) >= 0.95


def test_an_encoder_that_is_none_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=r"holds no config\.json"):
        encoder_folder(tmp_path)


def test_the_table_shows_value_interval_and_profile() -> None:
    cells = {name: Cell(0.5, 0.17, 0.83, 40, 5) for name in ("token F1", SPAN)} | {SENTENCE: Cell(0.9, 0.5, 1.0, 40, 5)}
    console = Console(width=200, record=True)
    console.print(gap_table([GapRow("scope", cells, "jump on the right: widen the premise")]))
    text = console.export_text()
    for words in ("scope", "40", "90.0 (50.0 to 100.0)", "50.0 (17.0 to 83.0)", "jump on the right: widen the premise"):
        assert words in text
    assert not math.isnan(cells[SENTENCE].value)
