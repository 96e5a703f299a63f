"""The paper's digit network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unseen.base.randomness import generator
from unseen.engine import cpu
from unseen.errors import InputError
from unseen.models.weights import xavier


class ConvNet(nn.Module):
    """conv-pool-conv-pool-fc-fc-softmax for 32x32 RGB: 4,547,466 parameters with ten classes.

    Weights are Xavier-uniform and biases zero, as in the authors' code, drawn from ``seed`` alone. ``dropout`` is
    the chance of dropping each of the 1,024 entries after each hidden layer; 0 is the paper's plain network.
    ``width`` scales every hidden layer, for small machines. The ReLU follows the pooling: the same function as before
    it, on a quarter of the entries.
    """

    SIDE = 32
    SIDES = range(32, 36)
    """what its convolutions and poolings bring down to 5x5"""

    NARROWEST, WIDEST = 1 / 64, 1024

    def __init__(self, classes: int = 10, *, dropout: float = 0.0, width: float = 1.0, seed: int = 0) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise InputError(f"dropout={dropout}: expected 0 or more and below 1")
        if not self.NARROWEST <= width <= self.WIDEST:
            raise InputError(self.width_problem(width))
        first, second, hidden = (max(round(n * width), 1) for n in (64, 128, 1024))
        with torch.device("meta"):  # no draw from torch's own generator
            self.body = nn.Sequential(
                nn.Conv2d(3, first, 5), nn.MaxPool2d(2), nn.ReLU(),
                nn.Conv2d(first, second, 5), nn.MaxPool2d(2), nn.ReLU(),
                nn.Flatten(),
                nn.Linear(25 * second, hidden), nn.ReLU(), nn.Dropout(dropout),
                nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(dropout),
            )  # fmt: skip
            self.head = nn.Linear(hidden, classes)
        size = 4 * sum(parameter.numel() for parameter in self.parameters())
        cpu.check_memory(size, f"the convnet with width={width:g}", "give a smaller width")
        xavier(self, generator(seed, "weights"))

    @classmethod
    def width_problem(cls, width: float) -> str:
        """What to say of a width that no network can have."""
        return f"width={width}: expected 1/64 to {cls.WIDEST:,}; 1 is the paper's network"

    def forward(self, x: Tensor) -> Tensor:
        """Scores of shape (N, classes) for images of shape (N, 3, 32, 32)."""
        if x.shape[-2] not in self.SIDES or x.shape[-1] not in self.SIDES:
            raise InputError(
                f"images are {x.shape[-2]}x{x.shape[-1]}, and the convnet takes {self.SIDE}x{self.SIDE}: resize them "
                f"(size={self.SIDE}), or use a model that takes others, such as timm:resnet18"
            )
        scores: Tensor = self.head(self.body(x))
        return scores
