"""Checkpoints of a training pass: a checker folder with the moments of the optimiser: the pass goes on as if never stopped."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)
_MOMENTS = ("exp_avg", "exp_avg_sq")


def has_checkpoint(folder: Path) -> bool:
    """Say whether `folder` holds a checkpoint that was written to its end."""
    return (folder / "step.json").exists()


def save_checkpoint(folder: Path, model: Any, tokenizer: Any, trained: list[Any], optimizer: Any, step: int) -> None:
    """Write a folder that is a checker by itself; step.json goes last, so that a broken write is never resumed."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "step.json").unlink(missing_ok=True)
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    moments = {
        f"{i}.{name}": optimizer.state[parameter][name].contiguous() for i, parameter in enumerate(trained) for name in _MOMENTS
    }
    save_file(moments, folder / "optimizer.safetensors")
    (folder / "step.json").write_text(json.dumps({"step": step}))


def resume(folder: Path, trained: list[Any], optimizer: Any) -> int:
    """Give `optimizer` the moments of the checkpoint in `folder`; returns the steps done, 0 without a checkpoint."""
    import torch
    from safetensors.torch import load_file

    if not has_checkpoint(folder):
        return 0
    step = int(json.loads((folder / "step.json").read_text())["step"])
    moments = load_file(folder / "optimizer.safetensors")
    for i, parameter in enumerate(trained):
        optimizer.state[parameter] = {
            "step": torch.tensor(float(step), device=parameter.device),
            **{name: moments[f"{i}.{name}"].to(parameter.device) for name in _MOMENTS},
        }
    log.info("resumed after step %d", step)
    return step
