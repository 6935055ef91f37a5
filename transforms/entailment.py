"""The entailment model: any sequence classifier with an entailment label, judged in length-sorted batches on CPU or GPU."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from apache_beam.ml.inference.base import ModelHandler

from schemas.verdicts import LABELS
from transforms.checkers import BrokenChecker, check_folder, context_length, label_order
from transforms.pieces import piece_positions
from transforms.tables import register_rows

# What is left for the premise at least, special tokens included; a claim that leaves less is refused.
MIN_PREMISE_TOKENS = 32
# A batch holds as many tokens at once as `batch_size` pieces of this length.
USUAL_TOKENS = 512
log = logging.getLogger(__name__)


_Row = dict[str, list[int]]


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
    """One premise and hypothesis; `window` is its position among the `n_windows` premises of its pair, and the first `lead`
    characters of the premise scope the rest of it."""

    pair_id: str
    window: int
    premise: str
    hypothesis: str
    lead: int = 0
    n_windows: int = 1


class JudgedWindow(NamedTuple):
    """A window with its probabilities, or with the error that kept it from being judged.

    A premise that the checker cannot read at once was judged in several `pieces`: the one likeliest to entail speaks for it.
    """

    window: WindowToJudge
    probabilities: Probabilities | None
    error: str | None
    pieces: int = 1


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
            raise BrokenChecker(f"no such checker folder: {config.source!r}; give a folder, or a hub id together with --hub")
        if Path(config.source).is_dir():
            check_folder(config.source)
        options = {"local_files_only": config.offline, "trust_remote_code": False}
        self.config = config
        self.progress = Progress()
        self._tokenizing = threading.Lock()
        try:
            self.tokenizer = AutoTokenizer.from_pretrained(config.source, **options)
            model, loading = AutoModelForSequenceClassification.from_pretrained(
                config.source, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **options
            )
        except Exception as error:
            raise BrokenChecker(f"cannot load the checker {config.source!r}: {type(error).__name__}: {error}") from error
        if loading.get("mismatched_keys"):
            name, found, expected = sorted(loading["mismatched_keys"])[0]
            raise BrokenChecker(f"the weights of {config.source!r} do not fit its config.json: {name} is {found}, not {expected}")
        if loading["missing_keys"]:
            # transformers would fill them with random numbers and go on.
            missing = ", ".join(sorted(loading["missing_keys"])[:5])
            raise BrokenChecker(
                f"the weights of the checker {config.source!r} lack {missing}; give a model trained to classify pairs"
            )
        if self.tokenizer.pad_token_id is None:
            raise BrokenChecker(f"the tokenizer of {config.source!r} has no padding token; name one in tokenizer_config.json")
        self.model = model.to(config.device).eval()
        self.order = label_order(self.model.config.id2label)
        self.max_tokens = context_length(self.model, self.tokenizer)
        self._inputs = set(inspect.signature(self.model.forward).parameters)
        if getattr(self.model.config, "type_vocab_size", 2) < 2:
            # The model tells no segments apart, whatever the tokenizer numbers.
            self._inputs.discard("token_type_ids")

    def judge(self, windows: Sequence[WindowToJudge]) -> list[JudgedWindow]:
        """Judge windows in their order. A batch that fails, or does not fit into memory, is halved and tried again, down to single
        windows: one that fails costs only itself.

        A premise that the model cannot read at once is judged in overlapping pieces; the claim is never cut.
        """
        try:
            pieces = self._pieces(windows)
            scored = iter(self._probabilities([row for rows in pieces for row in rows]))
            return [
                # Of equals the first, so that a window does not depend on the order of anything.
                JudgedWindow(window, max((next(scored) for _ in rows), key=lambda one: one.entailment), None, len(rows))
                for window, rows in zip(windows, pieces, strict=True)
            ]
        except Exception as error:  # whatever the model raises, the pair is named and the rest goes on
            if len(windows) == 1:
                return [JudgedWindow(windows[0], None, f"{type(error).__name__}: {error}")]
            middle = len(windows) // 2
            return [*self.judge(windows[:middle]), *self.judge(windows[middle:])]

    def _pieces(self, windows: Sequence[WindowToJudge]) -> list[list[_Row]]:
        """The model's inputs for each window: one row, or several where its premise does not fit."""
        # The tokenizer keeps its truncation and padding as state: one thread at a time may set and use them.
        with self._tokenizing:
            for window in windows:
                if len(self.tokenizer.tokenize(window.hypothesis)) > self.max_tokens - MIN_PREMISE_TOKENS:
                    raise ValueError(f"the claim is longer than the checker can read ({self.max_tokens} tokens); it is never cut")
            batch = self.tokenizer([w.premise for w in windows], [w.hypothesis for w in windows], verbose=False)
        columns = {name: values for name, values in batch.items() if name in self._inputs}
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        encodings = batch.encodings or [None] * len(rows)
        return [self._cut(*whole) for whole in zip(rows, encodings, windows, strict=True)]

    def _cut(self, row: _Row, encoding: Any, window: WindowToJudge) -> list[_Row]:
        if len(row["input_ids"]) <= self.max_tokens:
            return [row]
        if encoding is None:
            raise ValueError(
                f"the premise has {len(row['input_ids'])} tokens, the checker reads {self.max_tokens}, and its tokenizer keeps no "
                f"offsets to cut it at; save it as tokenizer.json"
            )
        kept = piece_positions(encoding, window.lead, self.max_tokens)
        return [{name: [values[i] for i in positions] for name, values in row.items()} for positions in kept]

    def _probabilities(self, rows: list[_Row]) -> list[Probabilities]:
        import torch

        longest = max((len(row["input_ids"]) for row in rows), default=1)
        size = max(1, min(self.config.batch_size, self.config.batch_size * USUAL_TOKENS // longest))
        scored = []
        for start in range(0, len(rows), size):
            batch = self.tokenizer.pad(rows[start : start + size], return_tensors="pt").to(self.config.device)
            with torch.inference_mode():
                scored += torch.softmax(self.model(**batch).logits.double(), dim=-1).tolist()
        return [self._by_label(row) for row in scored]

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
        """Load the model once a process, however many steps of a pipeline judge with it."""
        return _load_checker(replace(self._config, source=self._locate()) if self._locate else self._config)

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


@functools.lru_cache(maxsize=1)
def _load_checker(config: CheckerConfig) -> EntailmentChecker:
    return EntailmentChecker(config)


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
