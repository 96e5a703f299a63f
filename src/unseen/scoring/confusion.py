"""Intersection over union, from one confusion matrix accumulated over a domain."""

from __future__ import annotations

import torch
from torch import Tensor

from unseen.base.labels import VOID


def confusion(answers: Tensor, labels: Tensor, classes: int) -> Tensor:
    """How many pixels of each true class (row) were given each class (column), for each image: (N, classes, classes).

    Pixels labelled VOID count nowhere. Matrices of images, of batches and of ranks add up.
    """
    images = torch.arange(len(labels), device=labels.device).view(-1, *[1] * (labels.ndim - 1)).expand_as(labels)
    kept = labels != VOID
    cells = (images[kept] * classes + labels[kept].long()) * classes + answers[kept].long()
    return torch.bincount(cells, minlength=len(labels) * classes**2).view(len(labels), classes, classes)


def iou(matrix: Tensor) -> Tensor:
    """Intersection over union of each class; NaN for a class that is neither in the truth nor in any answer."""
    both = matrix.diagonal().double()
    either = matrix.sum(0) + matrix.sum(1) - both
    return both / either  # 0 / 0 is NaN


def miou(matrix: Tensor) -> float:
    """The mean over the classes that are in the truth or in an answer; NaN where no pixel is labelled."""
    return float(iou(matrix).nanmean())
