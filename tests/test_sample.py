"""The shipped sample with the bundled checker: all that no model decides equals gold, and the checker beats word overlap."""

from __future__ import annotations

import pytest

from pipelines.nightly import run_nightly
from pipelines.options import NightlyConfig
from pipelines.sample import best_overlap, checker_accuracy, compare_with_gold, read_gold, write_sample


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    config = NightlyConfig(str(folder / "answers.parquet"), str(folder / "evidence.parquet"), str(folder / "runs"), "sample")
    assert run_nightly(config) == 0
    return compare_with_gold(config.folder, read_gold(folder / "gold.jsonl"), folder / "evidence.parquet")


@pytest.mark.model
def test_statuses_joins_and_counts_equal_gold(comparison):
    assert comparison.differences == []
    assert len(comparison.edges) > 600


@pytest.mark.model
def test_the_checker_beats_word_overlap_on_the_same_gold(comparison):
    assert checker_accuracy(comparison.edges) > best_overlap(comparison.edges) + 0.05


def test_the_sample_is_the_same_every_time(tmp_path):
    for name in ("one", "two"):
        write_sample(tmp_path / name)
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()
    }
