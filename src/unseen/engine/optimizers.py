"""What makes a step of a gradient: Adam as the paper has it, and the two others that people use."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from unseen.errors import InputError

KINDS: dict[str, Callable[..., Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


def make_optimizer(
    net: nn.Module,
    alpha: float,
    *,
    kind: str = "adam",
    ridge: float = 0.0,
    weight_decay: float = 0.0,
    momentum: float = 0.0,
    head: Collection[Tensor] = (),
    body_rate: float = 1.0,
) -> Optimizer:
    """Adam, AdamW or SGD on every trainable parameter; parameters outside of ``head`` have the rate body_rate * alpha.

    Weights are pulled to 0: by the gradient of ridge/2 ||W||^2 in Adam and SGD, where SGD's weight decay is the same
    thing, and apart from the gradient in AdamW. Weights are parameters with two or more dimensions: biases and
    normalization scales are not among them.
    """
    parameters = [p for p in net.parameters() if p.requires_grad]
    if not parameters:
        raise InputError("the model has no trainable parameter (requires_grad is False for all): nothing to train")
    of_head = set(head) if body_rate != 1 else set(parameters)
    groups = [
        {
            "params": [p for p in parameters if (p.ndim >= 2) is weights and (p in of_head) is own],
            "weight_decay": (ridge + weight_decay) * weights,
            "lr": alpha * (1.0 if own else body_rate),
            "factor": 1.0 if own else body_rate,
        }
        for own in (False, True)
        for weights in (True, False)
    ]
    options: dict[str, Any] = {"fused": True} | ({"momentum": momentum} if kind == "sgd" else {})
    return KINDS[kind]([group for group in groups if group["params"]], lr=alpha, **options)


def set_rate(optimizer: Optimizer, rate: float) -> None:
    """The learning rate of the next step; the body's is its factor of it."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["factor"]


def clip_gradient(net: nn.Module, norm: float | None) -> None:
    """Shorten the gradient over all parameters to this norm, if it is longer."""
    if norm is not None:
        torch.nn.utils.clip_grad_norm_(net.parameters(), norm)
