"""Train the entailment checker: a sequence classifier fine-tuned on a declared mixture of NLI pairs."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from schemas.verdicts import LABELS

if TYPE_CHECKING:
    import torch

# Two-way rows know only whether the claim is established: "unsupported" is everything but entailment.
TARGETS = {**{label: i for i, label in enumerate(LABELS)}, "supported": 0, "unsupported": len(LABELS)}

log = logging.getLogger(__name__)


class TrainingPair(NamedTuple):
    """One pair to learn from; `target` indexes LABELS, or is len(LABELS) for "not entailment"."""

    premise: str
    hypothesis: str
    target: int


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides the weights, besides data and base model."""

    epochs: float = 1.0
    batch_size: int = 32
    learning_rate: float = 1e-4
    warmup_share: float = 0.06
    weight_decay: float = 0.01
    max_tokens: int = 192
    seed: int = 20261130
    device: str = "cpu"
    threads: int = 2
    precision: str = "bf16"
    checkpoint_steps: int = 500
    max_pairs: int | None = None

    def __post_init__(self) -> None:
        if self.precision not in ("bf16", "fp32"):
            raise ValueError(f"precision must be bf16 or fp32: precision={self.precision!r}")
        if self.epochs <= 0 or self.batch_size < 1:
            raise ValueError(f"nothing to train: epochs={self.epochs}, batch_size={self.batch_size}")


def train_checker(data: Path, base: Path, output: Path, config: TrainingConfig, mixture: dict[str, int | None]) -> Path:
    """Fine-tune `base` on `mixture` and write a checker folder; resume where `output` holds a checkpoint.

    Deterministic for one machine, seed and thread count. Word embeddings stay frozen: 120,000 pairs touch too few of them
    to move them well. Returns `output` (half-precision safetensors, tokenizer, config with label names, training.json).
    """
    import torch
    from transformers import AutoTokenizer

    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    pairs = read_mixture(data, mixture, config.seed)
    pairs = pairs[: config.max_pairs]
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    pairs = [pair for pair in pairs if len(tokenizer.tokenize(pair.hypothesis)) <= config.max_tokens // 2]
    encoded = encode_pairs(tokenizer, pairs, config.max_tokens)
    batches = list(length_bucketed([len(ids["input_ids"]) for ids in encoded], config))
    started = time.time()
    model = _fit(base, output, encoded, [pair.target for pair in pairs], batches, tokenizer, config)
    model.half().save_pretrained(output, safe_serialization=True)
    tokenizer.save_pretrained(output)
    record = {
        "pairs": len(pairs),
        "steps": len(batches),
        "minutes_of_last_part": round((time.time() - started) / 60, 1),
        "config": asdict(config),
        "mixture": mixture,
        "base": _lineage(base),
    }
    (output / "training.json").write_text(json.dumps(record, indent=2) + "\n")
    return output


def _lineage(base: Path) -> Any:
    """How the base was trained, where it says so, else its name."""
    record = base / "training.json"
    return json.loads(record.read_text(encoding="utf-8")) if record.exists() else base.name


def read_mixture(data: Path, mixture: dict[str, int | None], seed: int) -> list[TrainingPair]:
    """Read the sets that `mixture` names from `data`/NAME.jsonl[.gz], capped and shuffled by a hash of seed and row id."""
    chosen: list[tuple[str, TrainingPair]] = []
    for name, cap in mixture.items():
        rows = sorted((_rank(seed, row["id"]), row) for row in read_pairs(_data_file(data, name)))
        for rank, row in rows[: len(rows) if cap is None else cap]:
            if row["label"] not in TARGETS:
                raise ValueError(f"unknown label {row['label']!r} in {name} (id={row['id']!r}); known: {', '.join(TARGETS)}")
            chosen.append((rank, TrainingPair(row["premise"], row["hypothesis"], TARGETS[row["label"]])))
    return [pair for _, pair in sorted(chosen)]


def read_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON Lines file, gzipped or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _data_file(data: Path, name: str) -> Path:
    for suffix in (".jsonl.gz", ".jsonl"):
        if (data / (name + suffix)).exists():
            return data / (name + suffix)
    raise FileNotFoundError(f"the mixture names a set that is not there: {data / name}.jsonl[.gz]; mend the mixture or the folder")


def _rank(seed: int, row_id: str) -> str:
    return hashlib.blake2b(f"{seed}:{row_id}".encode(), digest_size=8).hexdigest() + row_id


def encode_pairs(tokenizer: Any, pairs: list[TrainingPair], max_tokens: int) -> list[dict[str, list[int]]]:
    """Tokenise pairs; a pair that is too long loses the end of its premise, never a word of its hypothesis."""
    encoded = tokenizer([p.premise for p in pairs], [p.hypothesis for p in pairs], truncation="only_first", max_length=max_tokens)
    return [{key: encoded[key][i] for key in encoded} for i in range(len(pairs))]


def length_bucketed(lengths: list[int], config: TrainingConfig) -> Iterator[list[int]]:
    """Yield batches of indices: shuffled, then sorted by length within pools of 50 batches, batches shuffled again."""
    rng = random.Random(config.seed)
    pool = 50 * config.batch_size
    for epoch in range(math.ceil(config.epochs)):
        order = list(range(len(lengths)))
        rng.shuffle(order)
        order = order[: round(len(order) * min(1.0, config.epochs - epoch))]
        for start in range(0, len(order), pool):
            part = sorted(order[start : start + pool], key=lambda i: lengths[i])
            batches = [part[i : i + config.batch_size] for i in range(0, len(part), config.batch_size)]
            rng.shuffle(batches)
            yield from batches


def _fit(
    base: Path,
    output: Path,
    encoded: list[dict[str, list[int]]],
    targets: list[int],
    batches: list[list[int]],
    tokenizer: Any,
    config: TrainingConfig,
) -> Any:
    """Run the optimiser over `batches`, from the last checkpoint under `output` if there is one."""
    import torch
    from transformers import AutoModelForSequenceClassification

    checkpoint = output / "checkpoint"
    source = checkpoint if (checkpoint / "step.json").exists() else base
    model = AutoModelForSequenceClassification.from_pretrained(
        source,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        dtype=torch.float32,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
    )
    model.get_input_embeddings().weight.requires_grad_(False)
    model.to(config.device).train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=config.weight_decay)
    warmup = max(1, round(len(batches) * config.warmup_share))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, max(0.0, (len(batches) - step) / max(1, len(batches) - warmup)))
    )
    done = _resume(checkpoint, trained, optimizer, schedule)
    started, running = time.time(), 0.0
    for step in range(done, len(batches)):
        torch.manual_seed(config.seed + step)
        batch = tokenizer.pad([encoded[i] for i in batches[step]], return_tensors="pt").to(config.device)
        labels = torch.tensor([targets[i] for i in batches[step]], device=config.device)
        with torch.autocast(config.device.split(":")[0], dtype=torch.bfloat16, enabled=config.precision == "bf16"):
            logits = model(**batch).logits
        loss = pair_loss(logits.float(), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        running += (loss.item() - running) / min(step - done + 1, 200)
        if (step + 1) % 100 == 0:
            rate = (step + 1 - done) * config.batch_size / (time.time() - started)
            log.info("step %d of %d, loss %.3f, %.0f pairs a second", step + 1, len(batches), running, rate)
        if (step + 1) % config.checkpoint_steps == 0:
            _save_checkpoint(checkpoint, model, tokenizer, trained, optimizer, step + 1)
    return model.eval()


def pair_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean negative log likelihood of [n, 3] logits; the target len(LABELS) stands for "neutral or contradiction"."""
    import torch

    log_p = torch.log_softmax(logits, dim=-1)
    not_entailed = torch.logsumexp(log_p[:, 1:], dim=-1, keepdim=True)
    return -torch.cat([log_p, not_entailed], dim=-1).gather(1, targets[:, None]).mean()


def _save_checkpoint(folder: Path, model: Any, tokenizer: Any, trained: list[Any], optimizer: Any, step: int) -> None:
    """Write a folder that is a checker by itself; step.json goes last, so that a broken write is never resumed."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "step.json").unlink(missing_ok=True)
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    moments = {
        f"{i}.{name}": optimizer.state[parameter][name].contiguous()
        for i, parameter in enumerate(trained)
        for name in ("exp_avg", "exp_avg_sq")
    }
    save_file(moments, folder / "optimizer.safetensors")
    (folder / "step.json").write_text(json.dumps({"step": step}))


def _resume(folder: Path, trained: list[Any], optimizer: Any, schedule: Any) -> int:
    import torch
    from safetensors.torch import load_file

    if not (folder / "step.json").exists():
        return 0
    step = int(json.loads((folder / "step.json").read_text())["step"])
    moments = load_file(folder / "optimizer.safetensors")
    for i, parameter in enumerate(trained):
        optimizer.state[parameter] = {
            "step": torch.tensor(float(step)),
            **{name: moments[f"{i}.{name}"].to(parameter.device) for name in ("exp_avg", "exp_avg_sq")},
        }
    # The scheduler only counts: replaying its steps restores the learning rate without another file.
    for _ in range(step):
        schedule.step()
    log.info("resumed after step %d", step)
    return step


def load_mixture(path: Path) -> dict[str, int | None]:
    """Read a mixture file: set name to cap (null: the whole set)."""
    mixture = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(mixture, dict) or not all(cap is None or (isinstance(cap, int) and cap > 0) for cap in mixture.values()):
        raise ValueError(f"a mixture maps set names to a number of pairs or null: {path}")
    return mixture
