"""Dropout from random bytes: torch's own random numbers cost a third of a training step on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    import torch


class ByteNoise:
    """A seeded stream of random bytes."""

    def __init__(self) -> None:
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Start the stream anew."""
        self._generator = numpy.random.Generator(numpy.random.SFC64(seed))

    def draw(self, shape: torch.Size) -> torch.Tensor:
        """Give the next bytes as a uint8 tensor of `shape`."""
        import torch

        return torch.frombuffer(bytearray(self._generator.bytes(shape.numel())), dtype=torch.uint8).view(shape)


def use_byte_dropout(model: Any) -> ByteNoise:
    """Put dropout from one stream of random bytes in the place of torch's, in all of `model`; returns the stream, for its seed.

    A rate is rounded to 256ths, and what is kept is scaled up by the rounded rate, so that the mean stays.
    """
    import torch

    noise = ByteNoise()

    class ByteDropout(torch.nn.Module):
        def __init__(self, p: float) -> None:
            super().__init__()
            self.dropped = round(p * 256)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if not self.training:
                return x
            return x * (noise.draw(x.shape) >= self.dropped).to(x.dtype).mul_(256 / (256 - self.dropped))

    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.Dropout) and child.p:  # attention reads the rate of its own, which is 0
                setattr(module, name, ByteDropout(child.p))
    return noise
