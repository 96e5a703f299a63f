"""What a model is measured by."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unseen.data.domain import Source, as_domain
from unseen.engine import EVALUATION_BATCH, beside
from unseen.split import Split, count_classes, split


def evaluate(net: Split | nn.Module, target: Source, *, batch: int = EVALUATION_BATCH) -> float:
    """Accuracy on a domain: the share of its images whose greatest score is the true class.

    The model is put in evaluation mode meanwhile and left as it was.
    """
    net = split(net)
    domain = as_domain(target, "target")
    as_domain(domain, classes=count_classes(net, domain.images))
    predicted = softmax_scores(net, domain.images, batch=batch).argmax(1)
    return float((predicted == domain.labels).double().mean())


@torch.no_grad()
def softmax_scores(net: Split, images: Tensor, *, batch: int = EVALUATION_BATCH) -> Tensor:
    """The softmax scores (N, classes) of a model in evaluation mode, on the CPU."""
    with net.frozen():
        return torch.cat([net(beside(net, part)).softmax(1).cpu() for part in torch.split(images, batch)])
