"""Train the entailment checker: a sequence classifier fine-tuned in passes over declared mixtures of pairs."""

from __future__ import annotations

import json
import logging
import math
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.checkpoints import has_checkpoint, resume, save_checkpoint
from pipelines.dropout import use_byte_dropout
from pipelines.mixture import Pass, TrainingPair, read_pass
from schemas.verdicts import LABELS

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainingConfig:
    """How the passes are run; what they run over, and at what rate, is declared in the mixture."""

    warmup_share: float = 0.06
    weight_decay: float = 0.01
    max_tokens: int = 192
    device: str = "cpu"
    threads: int = 2
    precision: str = "bf16"
    checkpoint_steps: int = 300
    max_pairs: int | None = None

    def __post_init__(self) -> None:
        if self.precision not in ("bf16", "fp32"):
            raise ValueError(f"precision must be bf16 or fp32: precision={self.precision!r}")


def train_checker(data: Path, base: Path, output: Path, config: TrainingConfig, passes: list[Pass]) -> Path:
    """Fine-tune `base` in `passes` and write a checker folder; finished passes and checkpoints under `output` are taken up again.

    Deterministic for one machine, seed and thread count. Word embeddings stay frozen: some 100,000 pairs touch too few of them
    to move them well. Returns `output` (half-precision safetensors, tokenizer, config with label names, training.json).
    """
    for i, one in enumerate(passes, 1):
        folder = output / f"pass-{i}"
        if not (folder / "training.json").exists():
            log.info("pass %d of %d", i, len(passes))
            _train_pass(data, base, folder, config, one)
        base = folder
    for file in base.iterdir():
        if file.is_file():
            shutil.copy2(file, output / file.name)
    return output


def _train_pass(data: Path, base: Path, output: Path, config: TrainingConfig, one: Pass) -> None:
    import torch
    from transformers import AutoTokenizer

    torch.manual_seed(one.seed)
    torch.set_num_threads(config.threads)
    pairs = read_pass(data, one)[: config.max_pairs]
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    pairs = [pair for pair in pairs if len(tokenizer.tokenize(pair.hypothesis)) <= config.max_tokens // 2]
    encoded = encode_pairs(tokenizer, pairs, config.max_tokens)
    batches = list(length_bucketed([len(ids["input_ids"]) for ids in encoded], one))
    started = time.time()
    model = _fit(base, output / "checkpoint", _Work(tokenizer, encoded, [pair.target for pair in pairs], batches), config, one)
    model.half().save_pretrained(output, safe_serialization=True)
    tokenizer.save_pretrained(output)
    record = {
        "pairs": len(pairs),
        "steps": len(batches),
        "minutes_of_last_part": round((time.time() - started) / 60, 1),
        "config": asdict(config),
        "pass": asdict(one),
        "base": _lineage(base),
    }
    (output / "training.json").write_text(json.dumps(record, indent=2) + "\n")


def _lineage(base: Path) -> Any:
    """How the base was trained, where it says so, else its name."""
    record = base / "training.json"
    return json.loads(record.read_text(encoding="utf-8")) if record.exists() else base.name


def encode_pairs(tokenizer: Any, pairs: list[TrainingPair], max_tokens: int) -> list[dict[str, list[int]]]:
    """Tokenise pairs; a pair that is too long loses the end of its premise, never a word of its hypothesis."""
    encoded = tokenizer([p.premise for p in pairs], [p.hypothesis for p in pairs], truncation="only_first", max_length=max_tokens)
    return [{key: encoded[key][i] for key in encoded} for i in range(len(pairs))]


def length_bucketed(lengths: list[int], one: Pass) -> Iterator[list[int]]:
    """Yield batches of indices: shuffled, then sorted by length within pools of 50 batches, batches shuffled again."""
    rng = random.Random(one.seed)
    pool = 50 * one.batch_size
    for epoch in range(math.ceil(one.epochs)):
        order = list(range(len(lengths)))
        rng.shuffle(order)
        order = order[: round(len(order) * min(1.0, one.epochs - epoch))]
        for start in range(0, len(order), pool):
            part = sorted(order[start : start + pool], key=lambda i: lengths[i])
            batches = [part[i : i + one.batch_size] for i in range(0, len(part), one.batch_size)]
            rng.shuffle(batches)
            yield from batches


class _Work(NamedTuple):
    """What a pass goes through: batches of indices into encoded pairs and their targets."""

    tokenizer: Any
    encoded: list[dict[str, list[int]]]
    targets: list[int]
    batches: list[list[int]]

    def batch(self, step: int, device: str) -> tuple[Any, torch.Tensor]:
        """Give the padded inputs and the targets of one step."""
        import torch

        chosen = self.batches[step]
        inputs = self.tokenizer.pad([self.encoded[i] for i in chosen], return_tensors="pt").to(device)
        return inputs, torch.tensor([self.targets[i] for i in chosen], device=device)


def _fit(base: Path, checkpoint: Path, work: _Work, config: TrainingConfig, one: Pass) -> Any:
    """Run the optimiser over all batches, from the checkpoint if there is one."""
    import torch

    model = _load(checkpoint if has_checkpoint(checkpoint) else base)
    noise = use_byte_dropout(model) if config.device == "cpu" else None
    model.to(config.device).train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=one.learning_rate, weight_decay=config.weight_decay, fused=True)
    done, steps = resume(checkpoint, trained, optimizer), len(work.batches)
    started, running = time.time(), 0.0
    for step in range(done, steps):
        torch.manual_seed(one.seed + step)
        if noise:
            noise.seed(one.seed + step)
        for group in optimizer.param_groups:
            group["lr"] = one.learning_rate * rate_share(step, steps, config.warmup_share)
        loss = _step(model, optimizer, *work.batch(step, config.device), config)
        running += (loss - running) / min(step - done + 1, 200)
        if (step + 1) % 100 == 0:
            rate = (step + 1 - done) * one.batch_size / (time.time() - started)
            log.info("step %d of %d, loss %.3f, %.0f pairs a second", step + 1, steps, running, rate)
        if (step + 1) % config.checkpoint_steps == 0:
            save_checkpoint(checkpoint, model, work.tokenizer, trained, optimizer, step + 1)
    return model.eval()


def _load(folder: Path) -> Any:
    """Load what is to be trained: three labels, embeddings frozen, no dropout of attention."""
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        dtype=torch.float32,
        attn_implementation="eager",
        attention_probs_dropout_prob=0.0,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
    )
    model.get_input_embeddings().weight.requires_grad_(False)
    return model


def rate_share(step: int, steps: int, warmup_share: float) -> float:
    """Give the share of the learning rate at `step` of `steps`: up in a straight line, then down to nearly nothing.

    >>> [round(rate_share(step, 6, 0.3), 2) for step in range(6)]
    [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    warmup = max(1, round(steps * warmup_share))
    return min((step + 1) / warmup, max(0.0, (steps - step) / max(1, steps - warmup)))


def _step(model: Any, optimizer: Any, inputs: Any, targets: torch.Tensor, config: TrainingConfig) -> float:
    """Take one step of the optimiser; returns the loss before it."""
    import torch

    with torch.autocast(config.device.split(":")[0], dtype=torch.bfloat16, enabled=config.precision == "bf16"):
        logits = model(**inputs).logits
    loss = pair_loss(logits.float(), targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_([one for group in optimizer.param_groups for one in group["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.item())


def pair_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean negative log likelihood of [n, 3] logits; the target len(LABELS) stands for "neutral or contradiction"."""
    import torch

    log_p = torch.log_softmax(logits, dim=-1)
    not_entailed = torch.logsumexp(log_p[:, 1:], dim=-1, keepdim=True)
    return -torch.cat([log_p, not_entailed], dim=-1).gather(1, targets[:, None]).mean()
