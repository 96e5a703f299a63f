"""What a training gives in the end: the last iterate, an average of all, or the best on the source's validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from unseen.engine import host_copies

NEVER = -1.0
"""below every accuracy and mIoU"""


class Result:
    """The weights that become the result, as far as they aren't simply the last: part of every checkpoint.

    With a ``decay`` they are an exponential moving average of the weights after each step. ``consider`` keeps those
    that were best so far; of equals, the earliest.
    """

    def __init__(self, model: nn.Module | None = None, decay: float = 0.0) -> None:
        self.decay = decay
        self.average = _copies(model) if model is not None and decay else {}
        self.best: dict[str, Tensor] = {}
        self.value, self.step = NEVER, 0

    @torch.no_grad()
    def follow(self, model: nn.Module, t: int) -> None:
        """After the t-th step: average <- d average + (1 - d) theta, with d = min(decay, (1 + t) / (10 + t)).

        The first steps count for less, so that the initial weights don't stay in it. What isn't a floating number, as
        BatchNorm's count of batches, is the last.
        """
        d = min(self.decay, (1 + t) / (10 + t))
        for name, theta in model.state_dict().items() if self.average else ():
            mean = self.average[name]
            mean.lerp_(theta, 1 - d) if mean.is_floating_point() else mean.copy_(theta)

    @contextmanager
    def inside(self, model: nn.Module) -> Iterator[None]:
        """Inside: the model has the average's weights, if there is one. After: its own, to the bit."""
        if not self.average:
            yield
            return
        theta = _copies(model)
        model.load_state_dict(self.average)
        try:
            yield
        finally:
            model.load_state_dict(theta)

    def consider(self, model: nn.Module, value: float, t: int) -> None:
        """The model's weights after step t reach this value: keep them if none before did."""
        if value > self.value:
            self.best, self.value, self.step = host_copies(model.state_dict()), value, t

    def put_into(self, model: nn.Module) -> None:
        """Make the model's weights the result."""
        if self.best or self.average:
            model.load_state_dict(self.best or self.average)

    def tensors(self) -> dict[str, Tensor]:
        """All of it by name, for a checkpoint."""
        named = {f"average.{name}": tensor for name, tensor in self.average.items()}
        named |= {f"best.{name}": tensor for name, tensor in self.best.items()}
        return named | ({"selected": torch.tensor([self.value, self.step], dtype=torch.float64)} if self.best else {})

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """From what ``tensors`` gave."""
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "average":
                self.average[rest].copy_(tensor)
            elif kind == "best":
                self.best[rest] = tensor
        if "selected" in tensors:
            self.value, self.step = float(tensors["selected"][0]), int(tensors["selected"][1])


def _copies(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}
