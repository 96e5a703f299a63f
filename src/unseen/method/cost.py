"""The loss and the transport costs, one value for each sample, and the two scales they are read in."""

from __future__ import annotations

from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from unseen.base.labels import VOID
from unseen.engine import at_least_float32
from unseen.method.settings import ADA, COST_SPACES

NO_CLASS = -100  # torch's own: an image always has a class


def softmax_loss(scores: Tensor, y: Tensor, smoothing: float = 0.0, weights: Tensor | None = None) -> Tensor:
    """The softmax loss, eq. (2), one value for each sample: -log of the softmax score of the true class.

    For a score at each pixel it is the mean over the sample's labelled pixels, and 0 for a sample that has none. With
    ``smoothing`` s it is (1 - s) of that and s times its mean over all classes; with ``weights`` it is multiplied by
    the true class's.
    """
    labels, void = (y, NO_CLASS) if y.ndim == 1 else (y.long(), VOID)
    losses = F.cross_entropy(
        at_least_float32(scores), labels, ignore_index=void, reduction="none", label_smoothing=smoothing
    )
    if weights is not None:
        losses = losses * weights.to(losses)[labels.clamp_max(len(weights) - 1)]  # void has no loss
    if y.ndim == 1:
        return losses
    return losses.flatten(1).sum(1) / (y != VOID).flatten(1).sum(1).clamp_min(1)


def entropy(scores: Tensor) -> Tensor:
    """-sum p log p of the prediction p = softmax(scores), one value for each sample; the mean over its pixels."""
    log_p = F.log_softmax(at_least_float32(scores), dim=1)
    return -(log_p.exp() * log_p).sum(1).flatten(1).mean(1) if scores.ndim > 2 else -(log_p.exp() * log_p).sum(1)


class Scale(NamedTuple):
    """What one ascent step multiplies: ``x += step * grad(loss - gamma * weight * ||moved||^2)``."""

    step: float
    weight: float


def scale_of(ada: ADA, entries: int) -> Scale:
    """The step and the cost's weight for a cost over ``entries`` numbers (features or pixels).

    ``paper``: c = 1/2 ||.||^2 and step eta, as the text has it. ``released``: the authors' code averages the
    loss over a batch and the squared error over batch x entries, so each sample sees eta / batch and
    c = ||.||^2 / entries. Neither depends on how many images the ascent handles at once.
    """
    if ada.scale == "paper":
        return Scale(step=ada.eta, weight=0.5)
    return Scale(step=ada.eta / ada.batch, weight=1.0 / entries)


def squared_distance(a: Tensor, b: Tensor) -> Tensor:
    """||a - b||^2 for each sample, 0 where nothing moved."""
    return (at_least_float32(a) - at_least_float32(b)).flatten(1).square().sum(1)


def transport_cost(ada: ADA, z: Tensor, z0: Tensor, x: Tensor, x0: Tensor) -> Tensor:
    """c_theta((x, y), (x0, y)) for each sample: in features (semantic) or in the image (pixel).

    The label's part of the cost (infinite for a changed label) is kept by never changing a label.
    """
    a, b = {"features": (z, z0), "pixels": (x, x0)}[COST_SPACES[ada.cost]]
    return scale_of(ada, b[0].numel()).weight * squared_distance(a, b)
