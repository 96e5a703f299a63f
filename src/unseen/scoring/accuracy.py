"""What a model is measured by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from unseen.base.images import Images, in_batches
from unseen.base.labels import Labels
from unseen.data.domain import Domain, Source, as_domain, named, same_classes
from unseen.engine import evaluation_batch, to_device_of, to_host
from unseen.models.split import Split, count_classes, split
from unseen.scoring.confusion import confusion, miou


@dataclass(frozen=True, eq=False)
class Choice:
    """The answer for each sample, or for each pixel where the scores are those of pixels."""

    classes: Tensor
    """the class, by its number"""
    member: Tensor
    """the member that answered, by its place in the ensemble; of a blend, the member that is surest of its class"""
    confidence: Tensor
    """how sure, in [0, 1]: the softmax that the answer's class has in that member, or its share in the blend"""


@runtime_checkable
class Answering(Protocol):
    """What answers in a way of its own, as an ``Ensemble`` does."""

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes it was trained on, where they are known."""

    def count_classes(self, images: Images) -> int:
        """How many classes it knows; refuses images it can't take."""

    def predict(self, images: Images, *, batch: int | None = None) -> Choice:
        """The answer for each image."""


Done = Callable[[int], None]
"""is called with the size of each batch that is done"""


def evaluate(
    net: Split | nn.Module | Answering, target: Source, *, batch: int | None = None, progress: Done | None = None
) -> float:
    """Accuracy on a domain: the share of its images whose greatest score is the true class.

    Where labels are masks it is the mIoU: the mean over classes of intersection over union, from one confusion matrix
    over the whole domain. A model is put in evaluation mode meanwhile and left as it was. An ``Ensemble`` is measured
    by its answers. A network from ``unseen.fit`` or ``unseen.load``, or an ensemble of such, refuses a domain with
    other classes than it was trained on. ``progress`` is called with the size of each batch done.
    """
    net, domain = checked(net, target)
    if domain.segmented:
        return miou(confusion_on(net, domain, batch=batch, progress=progress))
    return accuracy(answers_on(net, domain, batch=batch, progress=progress).classes, domain.labels[:])


def checked(net: Split | nn.Module | Answering, target: Source) -> tuple[Split | Answering, Domain]:
    """What answers, and a domain that has the classes it was trained on, as far as it knows their names."""
    domain = as_domain(target, "target")
    answering = net if isinstance(net, Answering) else split(net)
    if named(answering.classes) and named(domain.classes):
        same_classes(domain.name, domain.classes, answering.classes)
    return answering, domain


def answers_on(
    net: Split | Answering, domain: Domain, *, batch: int | None = None, progress: Done | None = None
) -> Choice:
    """The answer for each image of a domain that has no class the model doesn't know."""
    count = count_classes(net, domain.images) if isinstance(net, Split) else net.count_classes(domain.images)
    as_domain(domain, classes=count)
    return answers(net, domain.images, batch=batch, progress=progress)


def answers(
    net: Split | Answering, images: Images, *, batch: int | None = None, progress: Done | None = None
) -> Choice:
    """The class of each image, or of each pixel, and how sure it is; of the scores only a batch's are kept."""
    choices = []
    for part in in_batches(images, batch or evaluation_batch(images[:1])):
        choices.append(_chosen(net, part))
        if progress is not None:
            progress(len(part))
    return Choice(*(torch.cat([getattr(c, name) for c in choices]) for name in ("classes", "member", "confidence")))


def _chosen(net: Split | Answering, images: Tensor) -> Choice:
    if not isinstance(net, Split):
        return net.predict(images, batch=len(images))
    scores = raw_scores(net, images, batch=len(images))
    classes = scores.argmax(1)  # not of the softmax, which rounds two scores to one
    return Choice(classes, torch.zeros_like(classes), scores.softmax(1).gather(1, classes.unsqueeze(1)).squeeze(1))


def confusion_on(
    net: Split | Answering, domain: Domain, *, batch: int | None = None, progress: Done | None = None
) -> Tensor:
    """How many pixels of each true class (row) were given each class (column), over a domain whose labels are masks."""
    classes = pixel_classes(net, domain)
    return confusions(net, domain.images, domain.labels, classes, batch=batch, progress=progress).sum(0)


def confusions(
    net: Split | Answering,
    images: Images,
    masks: Labels,
    classes: int,
    *,
    batch: int | None = None,
    progress: Done | None = None,
) -> Tensor:
    """The same for each image, (N, classes, classes); of the scores only the answers of a batch are kept."""
    counted = [torch.zeros(0, classes, classes, dtype=torch.long)]
    batch = batch or evaluation_batch(images[:1]) if len(images) else 1
    for part, labels in zip(in_batches(images, batch), in_batches(masks, batch), strict=True):
        counted.append(confusion(_answers(net, part), labels, classes))
        if progress is not None:
            progress(len(part))
    return torch.cat(counted)


def pixel_classes(net: Split | Answering, domain: Domain) -> int:
    """How many classes the model gives each pixel of a domain, which has no other."""
    if isinstance(net, Split):
        classes = count_classes(net, domain.images, pixels=True)
    else:
        classes = net.count_classes(domain.images)
    as_domain(domain, classes=classes)
    return classes


def _answers(net: Split | Answering, images: Tensor) -> Tensor:
    """The class of each pixel."""
    if isinstance(net, Split):
        return raw_scores(net, images, batch=len(images)).argmax(1)
    return net.predict(images, batch=len(images)).classes


def accuracy(answers: Tensor, labels: Tensor) -> float:
    """The share of the answers that are the true class."""
    return float((answers == labels).double().mean())


def scores_on(net: Split, domain: Domain, *, batch: int | None = None) -> Tensor:
    """A model's raw scores on a domain that has no class the model doesn't know."""
    as_domain(domain, classes=count_classes(net, domain.images))
    return raw_scores(net, domain.images, batch=batch)


def hits(net: Split, images: Images, labels: Tensor, *, batch: int | None = None) -> Tensor:
    """Whether each image's greatest score is its true class."""
    if len(images) == 0:  # a rank's share of few
        return torch.zeros(0, dtype=torch.bool)
    return raw_scores(net, images, batch=batch).argmax(1) == labels


def softmax_scores(net: Split, images: Images, *, batch: int | None = None) -> Tensor:
    """The softmax scores (N, classes) of a model in evaluation mode, in float32 and on the CPU."""
    return raw_scores(net, images, batch=batch).softmax(1)


@torch.no_grad()
def raw_scores(net: Split, images: Images, *, batch: int | None = None) -> Tensor:
    """The scores (N, classes) of a model in evaluation mode, before any softmax, in float32 and on the CPU."""
    parts = in_batches(images, batch or evaluation_batch(images[:1]))
    with net.frozen():
        return torch.cat([to_host(net(to_device_of(net, part)).float()) for part in parts])
