"""Measuring the shipped checker on a small folder of labelled pairs, and the card that comes of it."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from pipelines.__main__ import main
from pipelines.options import bundled_checker
from pipelines.scoring import load_dev_sets, score_set
from transforms.entailment import CheckerConfig, EntailmentChecker
from transforms.support import CALIBRATION_FILE, KINDS, Calibration

pytestmark = pytest.mark.model

_THINGS = ("pump", "valve", "heater", "lamp", "drill", "kettle", "radio", "scale", "printer", "fan", "clock", "camera")


def pairs(passage: bool, n_things: int) -> list[dict[str, str]]:
    rows = []
    for i, thing in enumerate((_THINGS * 2)[:n_things]):
        n = 3 + i
        premise = f"The {thing} weighs {n} kilograms and was built in Riga."
        if passage:
            premise = (
                f"Please read this page. Our shop opens at nine. {premise} Deliveries arrive on Monday. Payment is due at once."
            )
        rows += [
            {
                "id": f"{i}-a",
                "premise": premise,
                "hypothesis": f"The {thing} has a weight of {n} kilograms.",
                "label": "entailment",
            },
            {"id": f"{i}-b", "premise": premise, "hypothesis": f"The {thing} was built in Madrid.", "label": "contradiction"},
            {"id": f"{i}-c", "premise": premise, "hypothesis": f"Anna bought the {thing} last year.", "label": "neutral"},
        ]
    return rows


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dev")
    for name, passage, n_things in (
        ("mnli_dev3000", False, 24),
        ("fool_me_twice", False, 24),
        ("factcheck_gpt", True, 8),
        ("summedits_half", True, 8),
        ("mine", True, 24),
    ):
        lines = (json.dumps({**row, "id": f"{name}-{row['id']}"}) for row in pairs(passage, n_things))
        (folder / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    chunks = [
        {
            "id": f"w{i}",
            "premise": text,
            "hypothesis": "The bridge was opened in 1932.",
            "label": label,
            "split": "claim_oraclechunk_dev",
        }
        for i, (text, label) in enumerate((("It rained all day.", "unsupported"), ("The bridge opened in 1932.", "supported")))
    ]
    (folder / "wice_dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chunks), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def checker() -> EntailmentChecker:
    return EntailmentChecker(CheckerConfig(bundled_checker()))


def test_declared_sets_are_read_as_declared_and_others_by_windows(data: Path) -> None:
    sets = {dev.name: (dev, rows) for dev, rows in load_dev_sets(data).items()}
    assert sets["mnli_dev3000"][0].whole
    assert not sets["mine"][0].whole
    assert sets["mine"][0].fit == KINDS
    (row,) = sets["wice oracle chunks"][1]
    assert row.label == "supported"
    assert len(row.passages) == 2
    assert "wice gold sentences" not in sets


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(str(tmp_path))):
        load_dev_sets(tmp_path)


def test_scores_keep_every_window_of_every_row(data: Path, checker: EntailmentChecker) -> None:
    sets = {
        dev.name: score_set(checker, dev, rows) for dev, rows in load_dev_sets(data).items() if dev.name in ("mine", "mnli_dev3000")
    }
    mine, mnli = sets["mine"], sets["mnli_dev3000"]
    assert len(mine.labels) == len(mnli.labels) == 72
    assert len(mine.features) == 72 * 12
    assert mine.windowed.all()
    assert len(mnli.features) == 72
    assert not mnli.windowed.any()
    assert np.isnan(mine.similarity).all()
    assert (mine.overlap > 0).all()
    assert (mine.best(mine.features[:, 0])[mine.supported].mean()) > (mine.best(mine.features[:, 0])[~mine.supported].mean())


def test_calibrate_and_evaluate_write_a_card_of_what_they_measured(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "checker"
    shutil.copytree(bundled_checker(), folder)
    (folder / CALIBRATION_FILE).unlink()
    (data / "wice_dev.jsonl").unlink(missing_ok=True)
    assert main(["calibrate", "--checker", str(folder), "--data", str(data)]) == 0
    calibration = Calibration.read(folder)
    assert "mine" in calibration.fitted_on
    assert not calibration.fit_of("window").is_identity
    assert main(["evaluate", "--checker", str(folder), "--data", str(data), "--card"]) == 0
    printed = capsys.readouterr().out
    assert "factcheck_gpt" in printed
    assert "near misses" in printed
    assert "expected calibration error" in printed
    card = (folder / "README.md").read_text(encoding="utf-8")
    row = re.search(r"^\| mine \| 72 \| – \| ([\d.]+) \|", card, re.MULTILINE)
    assert row
    assert float(row[1]) > 60
    assert "| quantity | " in card
    assert "{{" not in card
    assert "reliability.svg" in card
    points = ET.parse(folder / "reliability.svg").getroot().iter("{http://www.w3.org/2000/svg}circle")
    assert len(list(points)) >= 2
