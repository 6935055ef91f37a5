"""A checker's folder: what it must hold, what names it, what its labels mean and how much its model reads at once."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from schemas.verdicts import LABELS

# Tokens of one piece at most, whatever the model could read: attention needs memory by their square.
MAX_TOKENS = 2_048
# In this order first: the names of checkers in older verdicts stay what they are.
_NAMED_BY = ("model.safetensors", "config.json", "tokenizer.json")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_ALSO_DECIDE = (
    "*.safetensors",
    "*.safetensors.index.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "*.tiktoken",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
_LABEL_NAMES = {
    "entailment": (
        "entailment",
        "entail",
        "entails",
        "entailed",
        "supported",
        "supports",
        "support",
        "attributable",
        "consistent",
        "grounded",
    ),
    "neutral": (
        "neutral",
        "not_enough_info",
        "nei",
        "insufficient",
        "unknown",
        "not_entailment",
        "non_entailment",
        "not_entailed",
        "unsupported",
        "not_supported",
        "not_attributable",
        "inconsistent",
        "ungrounded",
        "not_grounded",
    ),
    "contradiction": ("contradiction", "contradict", "contradicts", "contradicted", "refuted", "refutes", "refute"),
}
_LABEL_EXAMPLES = (
    'such as "id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"} or {"0": "unsupported", "1": "supported"}'
)


class BrokenChecker(ValueError):
    """A checker that cannot be loaded. Says which folder or file and why, and never words of the data."""


def label_order(id2label: dict[int, str]) -> dict[int, int]:
    """Map a model's outputs to positions in LABELS, by name; several may share one. What is "unsupported" counts as neutral.

    Raises ValueError where a label is unknown, none means entailment or none anything else.

    >>> label_order({0: "CONTRADICTION", 1: "ENTAILMENT"})
    {0: 2, 1: 0}
    >>> label_order({0: "not supported", 1: "supported"})
    {0: 1, 1: 0}
    """
    order = {}
    for output, name in id2label.items():
        plain = str(name).strip().casefold().replace("-", "_").replace(" ", "_")
        found = [i for i, label in enumerate(LABELS) if plain in _LABEL_NAMES[label]]
        if not found:
            raise ValueError(
                f"the checker has a label that means nothing here: {name!r}; name its outputs in config.json, in the order "
                f"in which it was trained, {_LABEL_EXAMPLES}"
            )
        order[int(output)] = found[0]
    if 0 not in order.values():
        raise ValueError(
            f"the checker has no entailment label: {list(id2label.values())}; give a model trained for entailment, its outputs "
            f"named in config.json, {_LABEL_EXAMPLES}"
        )
    if len(set(order.values())) == 1:
        raise ValueError(
            f"the checker has no label but entailment: {list(id2label.values())}; give a model that can also say unsupported"
        )
    return order


def check_folder(source: str) -> None:
    """Refuse a checker's folder that cannot be loaded; raises BrokenChecker that names the folder and what it lacks.

    It needs config.json whose id2label speaks of entailment, whole model.safetensors (or an index and its shards) and a tokenizer.
    Pickled weights are never loaded: a pickle may run any code.
    """
    folder = Path(source)
    if not (folder / "config.json").is_file():
        raise BrokenChecker(f"not a checker folder: {source!r} lacks config.json; save the model there with save_pretrained")
    try:
        labels = _read_json(folder / "config.json").get("id2label") or {}
        label_order(labels)
    except ValueError as error:
        raise BrokenChecker(f"{folder / 'config.json'}: {error}") from error
    weights = _weights(folder)
    lacking = ", ".join(name for name in weights if not (folder / name).is_file())
    if lacking:
        pickled = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
        why = f"; {', '.join(pickled)} may run any code and is not loaded, save the model as safetensors" if pickled else ""
        raise BrokenChecker(f"not a checker folder: {source!r} lacks safetensors weights: {lacking}{why}")
    if not any(path.is_file() for pattern in _TOKENIZERS for path in folder.glob(pattern)):
        raise BrokenChecker(
            f"not a checker folder: {source!r} lacks a tokenizer: none of {', '.join(_TOKENIZERS)}; save the model's own there"
        )
    for name in weights:
        _check_weights(folder / name)


def _weights(folder: Path) -> list[str]:
    """The files that hold a checker's weights."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file() or not index.is_file():
        return ["model.safetensors"]
    return sorted(set(_read_json(index).get("weight_map", {}).values()))


def _check_weights(path: Path) -> None:
    """Refuse a file whose header does not fit its length: a copy that was cut short."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy"):
            pass
    except SafetensorError as error:
        raise BrokenChecker(f"{path} is damaged: {error}; copy it again") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BrokenChecker(f"{path} is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise BrokenChecker(f"{path} holds no object: {str(read)[:80]!r}")
    return read


def checker_name(source: str) -> str:
    """Name a checker by its folder and the hash of every file that decides its verdicts: weights, config and tokenizer."""
    folder = Path(source)
    if not folder.is_dir():
        return source
    digest = hashlib.sha256()
    for name in _NAMED_BY:
        _hash_file(digest, folder / name)
    for name in sorted({path.name for pattern in _ALSO_DECIDE for path in folder.glob(pattern)} - set(_NAMED_BY)):
        digest.update(f"\x1f{name}\x1f".encode())
        _hash_file(digest, folder / name)
    return f"{folder.name}@{digest.hexdigest()[:12]}"


def _hash_file(digest: Any, path: Path) -> None:
    if path.is_file():
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)


def context_length(model: Any, tokenizer: Any) -> int:
    """The tokens that a model reads at once: what its positions and its tokenizer allow, 2,048 at most.

    RoBERTa and its kin count positions from the padding token's id + 1, so that 514 of them hold 512 tokens; where the config
    sets no limit (relative positions: none, or -1) the tokenizer's holds.
    """
    limits = [MAX_TOKENS, int(tokenizer.model_max_length)]
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if positions > 0:
        padding = (
            getattr(module, "padding_idx", None) for name, module in model.named_modules() if name.endswith("position_embeddings")
        )
        limits.append(positions - next((index + 1 for index in padding if index is not None), 0))
    return min(limits)
