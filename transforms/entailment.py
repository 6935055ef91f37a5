"""The entailment model: any sequence classifier with an entailment label, judged in length-sorted batches on CPU or GPU."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from apache_beam.ml.inference.base import ModelHandler

from schemas.verdicts import LABELS
from transforms.tables import register_rows

THRESHOLDS_FILE = "thresholds.json"
_LABEL_NAMES = {
    "entailment": ("entailment", "entail", "entails", "entailed", "supported", "supports", "support", "attributable"),
    "neutral": (
        "neutral",
        "not_enough_info",
        "nei",
        "not enough info",
        "unknown",
        "not_entailment",
        "unsupported",
        "not_supported",
        "not_attributable",
    ),
    "contradiction": ("contradiction", "contradict", "contradicts", "contradicted", "refuted", "refutes", "refute"),
}
log = logging.getLogger(__name__)


class Probabilities(NamedTuple):
    """Probabilities of the three labels, rounded to four decimals so that the threshold meets the same numbers everywhere."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def label(self) -> str:
        """The likeliest label; of equals the first in the order entailment, neutral, contradiction."""
        return LABELS[max(range(len(LABELS)), key=lambda i: (self[i], -i))]


class WindowToJudge(NamedTuple):
    """One premise and hypothesis; `window` is its position among the premises of its pair."""

    pair_id: str
    window: int
    premise: str
    hypothesis: str


class JudgedWindow(NamedTuple):
    """A window with its probabilities, or with the error that kept it from being judged."""

    window: WindowToJudge
    probabilities: Probabilities | None
    error: str | None


register_rows(Probabilities, WindowToJudge, JudgedWindow)


@dataclass(frozen=True)
class CheckerConfig:
    """Where the checker comes from and how it runs."""

    source: str
    batch_size: int = 32
    threads: int = 1
    device: str = "cpu"
    offline: bool = True

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.threads < 1:
            raise ValueError(f"batch_size and threads must be at least 1: batch_size={self.batch_size}, threads={self.threads}")


def label_order(id2label: dict[int, str]) -> dict[int, int]:
    """Map a model's outputs to positions in LABELS, by name; several may share one.

    Raises ValueError where no label means entailment or one is unknown.

    >>> label_order({0: "CONTRADICTION", 1: "ENTAILMENT"})
    {0: 2, 1: 0}
    """
    order = {}
    for output, name in id2label.items():
        plain = str(name).strip().casefold().replace("-", "_")
        found = [i for i, label in enumerate(LABELS) if plain in _LABEL_NAMES[label]]
        if not found:
            raise ValueError(
                f"the checker has a label that means nothing here: {name!r}; name its outputs in config.json (id2label) "
                f"with entailment, neutral, contradiction, supported or unsupported"
            )
        order[int(output)] = found[0]
    if 0 not in order.values():
        raise ValueError(f"the checker has no entailment label: {list(id2label.values())}; give a model trained for entailment")
    return order


def read_thresholds(source: str) -> float:
    """The threshold that ships in the checker's folder; 0.5 where there is none."""
    path = Path(source) / THRESHOLDS_FILE
    return float(json.loads(path.read_text(encoding="utf-8"))["supported"]) if path.exists() else 0.5


def checker_name(source: str) -> str:
    """Name a checker by its folder and the hash of what decides its verdicts: weights, config and tokenizer."""
    folder = Path(source)
    digest = hashlib.sha256()
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        if (folder / name).exists():
            digest.update((folder / name).read_bytes())
    return f"{folder.name}@{digest.hexdigest()[:12]}" if folder.is_dir() else source


class Progress:
    """Tell the log every ten seconds how many windows were judged."""

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds, self._told, self._done, self._lock = seconds, time.monotonic(), 0, threading.Lock()

    def add(self, n: int) -> None:
        """Count `n` more windows."""
        with self._lock:
            self._done += n
            if time.monotonic() - self._told > self._seconds:
                self._told = time.monotonic()
                log.info("judged %d windows", self._done)


class EntailmentChecker:
    """A loaded model with its tokenizer; safe to call from several threads."""

    def __init__(self, config: CheckerConfig) -> None:
        import torch
        import transformers
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(config.threads)
        if config.offline and not Path(config.source).is_dir():
            raise ValueError(f"no such checker folder: {config.source!r}; give a folder, or a hub id together with --hub")
        options = {"local_files_only": config.offline, "trust_remote_code": False}
        self.config = config
        self.progress = Progress()
        self._tokenizing = threading.Lock()
        self.tokenizer = AutoTokenizer.from_pretrained(config.source, **options)
        self.model = (
            AutoModelForSequenceClassification.from_pretrained(config.source, use_safetensors=True, dtype=torch.float32, **options)
            .to(config.device)
            .eval()
        )
        self.order = label_order(self.model.config.id2label)
        self.max_tokens = min(getattr(self.model.config, "max_position_embeddings", 512), self.tokenizer.model_max_length, 512)

    def judge(self, windows: Sequence[WindowToJudge]) -> list[JudgedWindow]:
        """Judge windows in their order. A window that fails costs only itself: its batch is tried again one by one."""
        try:
            scored = self._probabilities(windows)
            return [JudgedWindow(window, one, None) for window, one in zip(windows, scored, strict=True)]
        except Exception as error:  # whatever the model raises, the pair is named and the rest goes on
            if len(windows) == 1:
                return [JudgedWindow(windows[0], None, f"{type(error).__name__}: {error}")]
            return [judged for window in windows for judged in self.judge([window])]

    def _probabilities(self, windows: Sequence[WindowToJudge]) -> list[Probabilities]:
        import torch

        # The tokenizer keeps its truncation and padding as state: one thread at a time may set and use them.
        with self._tokenizing:
            for window in windows:
                if len(self.tokenizer.tokenize(window.hypothesis)) > self.max_tokens - 32:
                    raise ValueError(f"the claim is longer than the checker can read ({self.max_tokens} tokens); it is never cut")
            batch = self.tokenizer(
                [w.premise for w in windows],
                [w.hypothesis for w in windows],
                truncation="only_first",
                max_length=self.max_tokens,
                padding=True,
                return_tensors="pt",
            ).to(self.config.device)
        with torch.inference_mode():
            rows = torch.softmax(self.model(**batch).logits.double(), dim=-1).tolist()
        return [self._by_label(row) for row in rows]

    def _by_label(self, row: list[float]) -> Probabilities:
        mass = [0.0] * len(LABELS)
        for output, label in self.order.items():
            mass[label] += row[output]
        if any(value != value for value in mass):
            raise ValueError("the checker's output is not a number")
        return Probabilities(*(round(value, 4) for value in mass))


class EntailmentHandler(ModelHandler[list[WindowToJudge], list[JudgedWindow], EntailmentChecker]):
    """Beam's view of the checker: one element is one batch of windows, formed and sorted before it gets here."""

    def __init__(self, config: CheckerConfig, locate: Callable[[], str] | None = None) -> None:
        """Take the checker from `config.source`, or from where `locate` finds it on the machine that runs it."""
        super().__init__()
        self._config = config
        self._locate = locate

    def load_model(self) -> EntailmentChecker:
        """Load the model once a process."""
        return EntailmentChecker(replace(self._config, source=self._locate()) if self._locate else self._config)

    def run_inference(
        self, batch: Sequence[list[WindowToJudge]], model: EntailmentChecker, inference_args: dict[str, Any] | None = None
    ) -> Iterable[list[JudgedWindow]]:
        """Judge batches of windows."""
        judged = [model.judge(windows) for windows in batch]
        model.progress.add(sum(map(len, judged)))
        return judged

    def get_num_bytes(self, batch: Sequence[list[WindowToJudge]]) -> int:
        """Count characters, which costs less than Beam's pickling of every batch."""
        return sum(len(window.premise) + len(window.hypothesis) for windows in batch for window in windows)

    def batch_elements_kwargs(self) -> dict[str, Any]:
        """Take elements one by one: they are batches already."""
        return {"min_batch_size": 1, "max_batch_size": 1}

    def get_metrics_namespace(self) -> str:
        """Where Beam files this handler's counters."""
        return "nearmiss_checker"


def length_sorted_batches(windows: Iterable[WindowToJudge], batch_size: int) -> Iterator[list[WindowToJudge]]:
    """Form batches of similar length; the same windows always give the same batches, so that padding changes no probability."""
    ordered = sorted(windows, key=lambda w: (len(w.premise) + len(w.hypothesis), w.pair_id, w.window))
    for start in range(0, len(ordered), batch_size):
        yield ordered[start : start + batch_size]


def judge_all(checker: EntailmentChecker, windows: Sequence[WindowToJudge]) -> list[JudgedWindow]:
    """Judge windows without Beam, in input order."""
    judged: dict[tuple[str, int], JudgedWindow] = {}
    for batch in length_sorted_batches(windows, checker.config.batch_size):
        judged.update({(one.window.pair_id, one.window.window): one for one in checker.judge(batch)})
        checker.progress.add(len(batch))
    return [judged[window.pair_id, window.window] for window in windows]
