"""How the weights of a new network are drawn."""

from __future__ import annotations

import torch
from torch import nn


def xavier(net: nn.Module, draw: torch.Generator) -> None:
    """Fill a network made on torch's meta device: weights Xavier-uniform, biases zero, from ``draw`` alone."""
    net.to_empty(device="cpu")
    for parameter in net.parameters():
        if parameter.ndim >= 2:
            nn.init.xavier_uniform_(parameter, generator=draw)
        else:
            nn.init.zeros_(parameter)
