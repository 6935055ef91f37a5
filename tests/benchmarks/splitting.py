"""Score the splitter against human segmentations, beside plain sentences, and time it against the bare parser.

usage: splitting.py DATA SCORER, where DATA holds tricky.jsonl, propsegment_wiki_dev.jsonl, desse_train3000.jsonl and
factscore_dev.jsonl, and SCORER is the program that prints precision, recall, F and softF for GOLD and PREDICTIONS.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from schemas.answers import Answer
from transforms.propositions import SplitAnswer, split_answers
from transforms.splitting.parsing import find_model

SETS = ("propsegment_wiki_dev", "desse_train3000", "factscore_dev")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def split(rows: list[dict[str, Any]]) -> list[SplitAnswer]:
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    return split_answers([Answer(row["id"], epoch, "", row["text"], None) for row in rows])


def predictions(found: list[SplitAnswer]) -> list[dict[str, Any]]:
    return [
        {"id": one.answer.answer_id, "propositions": [{"text": claim.text, "spans": claim.spans} for claim in one.claims]}
        for one in found
    ]


def sentences(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": row["id"], "propositions": [{"text": row["text"], "spans": [[0, len(row["text"])]]}]} for row in rows]


def score(gold: Path, predicted: list[dict[str, Any]], scorer: Path) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in predicted))
        file.flush()
        done = subprocess.run([sys.executable, str(scorer), str(gold), file.name], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def tricky(rows: list[dict[str, Any]]) -> str:
    found = split(rows)
    good = sum(
        [(claim.text, list(dict.fromkeys(labels))) for claim, labels in zip(one.claims, one.labels, strict=True)]
        == [(claim["text"], claim["cites"]) for claim in row["claims"]]
        for row, one in zip(rows, found, strict=True)
    )
    return f"{good} of {len(rows)} exact in text and citations"


def speed(rows: list[dict[str, Any]]) -> str:
    """Sentences a second, the splitter's over the bare pipe's, on the same texts in turns; the best turn of each counts.

    The bare pipe is the model without its named entities and lemmas, of which the splitter has no use either.
    """
    import spacy

    nlp = spacy.load(find_model(), exclude=["ner", "lemmatizer", "senter"])
    whole = spacy.load(find_model())
    turns: dict[str, list[float]] = {"whole": [], "bare": [], "splitter": []}
    for _ in range(3):
        for name, pipe in (("bare", nlp), ("whole", whole)):
            start = time.perf_counter()
            for _doc in pipe.pipe([row["text"] for row in rows], batch_size=64):
                pass
            turns[name].append(time.perf_counter() - start)
        start = time.perf_counter()
        split(rows)
        turns["splitter"].append(time.perf_counter() - start)
    rate = {name: len(rows) / min(times) for name, times in turns.items()}
    return (
        f"{rate['splitter']:.0f} texts a second; bare pipe {rate['bare']:.0f}, ratio {rate['splitter'] / rate['bare']:.2f}; "
        f"pipe with everything {rate['whole']:.0f}, ratio {rate['splitter'] / rate['whole']:.2f} (n={len(rows)})"
    )


def main(data: Path, scorer: Path) -> None:
    print(f"tricky: {tricky(read(data / 'tricky.jsonl'))}")
    for name in SETS:
        gold = data / f"{name}.jsonl"
        rows = read(gold)
        print(f"{name}: {score(gold, predictions(split(rows)), scorer)}", flush=True)
        print(f"{name}, plain sentences: {score(gold, sentences(rows), scorer)}", flush=True)
    print(f"speed: {speed(read(data / 'desse_train3000.jsonl')[:1000])}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
