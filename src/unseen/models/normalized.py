"""Images in [0, 1] on the outside, what a pre-trained network wants on the inside."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Normalized(nn.Module):
    """A model behind its own mean and deviation: nobody has to normalize images, or perturbs normalized pixels.

    Both are saved with the weights, so a trained network keeps them whatever a library says later.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, model: nn.Module, mean: Sequence[float], deviation: Sequence[float]) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("mean", torch.tensor(mean, device="cpu").view(-1, 1, 1))
        self.register_buffer("deviation", torch.tensor(deviation, device="cpu").view(-1, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        """What the model makes of (x - mean) / deviation."""
        scores: Tensor = self.model((x - self.mean) / self.deviation)
        return scores
