"""What a model is measured by."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unseen.data.domain import Source, as_domain
from unseen.engine import beside, evaluation_batch
from unseen.split import Split, count_classes, split


def evaluate(net: Split | nn.Module, target: Source, *, batch: int | None = None) -> float:
    """Accuracy on a domain: the share of its images whose greatest score is the true class.

    The model is put in evaluation mode meanwhile and left as it was.
    """
    net = split(net)
    domain = as_domain(target, "target")
    as_domain(domain, classes=count_classes(net, domain.images))
    return float(hits(net, domain.images, domain.labels, batch=batch).double().mean())


def hits(net: Split, images: Tensor, labels: Tensor, *, batch: int | None = None) -> Tensor:
    """Whether each image's greatest score is its true class."""
    if len(images) == 0:  # a rank's share of few
        return torch.zeros(0, dtype=torch.bool)
    return softmax_scores(net, images, batch=batch).argmax(1) == labels


@torch.no_grad()
def softmax_scores(net: Split, images: Tensor, *, batch: int | None = None) -> Tensor:
    """The softmax scores (N, classes) of a model in evaluation mode, in float32 and on the CPU."""
    parts = torch.split(images, batch or evaluation_batch(images[:1]))
    with net.frozen():
        return torch.cat([net(beside(net, part)).softmax(1).cpu() for part in parts])
