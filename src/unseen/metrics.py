"""What a model is measured by."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import beside, evaluation_batch
from unseen.rules import Choice
from unseen.split import Split, count_classes, split


@runtime_checkable
class Answering(Protocol):
    """What answers in a way of its own, as an ``Ensemble`` does."""

    def count_classes(self, images: Tensor) -> int:
        """How many classes it knows; refuses images it can't take."""

    def predict(self, images: Tensor, *, batch: int | None = None) -> Choice:
        """The answer for each image."""


def evaluate(net: Split | nn.Module | Answering, target: Source, *, batch: int | None = None) -> float:
    """Accuracy on a domain: the share of its images whose greatest score is the true class.

    A model is put in evaluation mode meanwhile and left as it was. For an ``Ensemble``, it is the share of the images
    for which its answer is the true class.
    """
    domain = as_domain(target, "target")
    if isinstance(net, Answering):
        as_domain(domain, classes=net.count_classes(domain.images))
        return accuracy(net.predict(domain.images, batch=batch).classes, domain.labels)
    return accuracy(scores_on(split(net), domain, batch=batch).argmax(1), domain.labels)


def accuracy(answers: Tensor, labels: Tensor) -> float:
    """The share of the answers that are the true class."""
    return float((answers == labels).double().mean())


def scores_on(net: Split, domain: Domain, *, batch: int | None = None) -> Tensor:
    """A model's raw scores on a domain that has no class the model doesn't know."""
    as_domain(domain, classes=count_classes(net, domain.images))
    return raw_scores(net, domain.images, batch=batch)


def hits(net: Split, images: Tensor, labels: Tensor, *, batch: int | None = None) -> Tensor:
    """Whether each image's greatest score is its true class."""
    if len(images) == 0:  # a rank's share of few
        return torch.zeros(0, dtype=torch.bool)
    return raw_scores(net, images, batch=batch).argmax(1) == labels


def softmax_scores(net: Split, images: Tensor, *, batch: int | None = None) -> Tensor:
    """The softmax scores (N, classes) of a model in evaluation mode, in float32 and on the CPU."""
    return raw_scores(net, images, batch=batch).softmax(1)


@torch.no_grad()
def raw_scores(net: Split, images: Tensor, *, batch: int | None = None) -> Tensor:
    """The scores (N, classes) of a model in evaluation mode, before any softmax, in float32 and on the CPU."""
    parts = torch.split(images, batch or evaluation_batch(images[:1]))
    with net.frozen():
        return torch.cat([net(beside(net, part)).float().cpu() for part in parts])
