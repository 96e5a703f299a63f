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


def kaiming(net: nn.Module, draw: torch.Generator) -> None:
    """The same with convolutions Kaiming-normal and normalizations plain, as torchvision's ResNets begin."""
    net.to_empty(device="cpu")
    for module in net.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu", generator=draw)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.BatchNorm2d):
            module.reset_parameters()
