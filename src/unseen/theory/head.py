"""The linear head, seen as the theory sees it: the rows theta_j, their Gram matrix, and how smooth the loss is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from unseen.engine import to_device_of
from unseen.errors import InputError, all_problems
from unseen.method.cost import scale_of
from unseen.method.settings import ADA, COST_SPACES
from unseen.models.split import Split, split


@dataclass(frozen=True)
class Constants:
    """How fast the softmax loss changes over feature space: Assumptions 1 and 2, and Theorem 2.

    With D the greatest distance ||theta_j - theta_k|| between two rows of the head, L0 = D, L1 = D^2 / 4 and
    L2 = D^3 / (6 sqrt(3)). No smaller ones hold where the rows are affinely independent, as they are for nearly every
    head with fewer classes than features.
    """

    L0: float
    """the loss is L0-Lipschitz in z"""
    L1: float
    """its gradient is L1-Lipschitz"""
    L2: float
    """its Hessian is L2-Lipschitz"""
    L_theta: float
    """the paper's constant in the place of L1: 2 max_j ||theta_j|| * sum_j ||theta_j||, at least four times L1"""


@dataclass(frozen=True)
class Head:
    """A linear head, ``scores = z @ weight.T + bias``: one row theta_j of ``weight`` for each class."""

    weight: Tensor
    bias: Tensor

    def scores(self, z: Tensor) -> Tensor:
        """The scores of features (N, p)."""
        return z @ self.weight.T + self.bias

    @cached_property
    def gram(self) -> Tensor:
        """theta_j . theta_k for each two classes: (m, m), in float64, all that the theory needs of the weights."""
        weight = self.weight.double()
        return weight @ weight.T

    @property
    def constants(self) -> Constants:
        """L0, L1, L2 and L(theta)."""
        return constants_of(self.gram)


@dataclass(frozen=True)
class Samples:
    """Labelled samples where the head meets them: features z0, its scores, labels."""

    z0: Tensor
    scores: Tensor
    y: Tensor
    head: Head


def constants(net: Split | nn.Module) -> Constants:
    """L0, L1, L2 of Assumptions 1 and 2 for the softmax loss of this head, and L(theta) of Theorem 2."""
    return linear_head(split(net), torch.float64).constants


def constants_of(gram: Tensor) -> Constants:
    """The constants, which the Gram matrix of the rows decides."""
    gram = gram.detach().double()
    norms = gram.diagonal().sqrt()
    diameter = math.sqrt(float(squared_distances(gram).max()))
    return Constants(
        L0=diameter,
        L1=diameter**2 / 4,
        L2=diameter**3 / (6 * math.sqrt(3)),
        L_theta=float(2 * norms.max() * norms.sum()),
    )


def paper_gamma(ada: ADA, features: int) -> float:
    """The gamma of the text that a run's settings amount to: ``ada.gamma * c = paper_gamma / 2 ||z - z0||^2``.

    For ``scale="released"`` it is 2 gamma / features, for ``scale="paper"`` gamma itself.
    """
    if ada.cost != "semantic":
        raise InputError(
            f'cost="{ada.cost}": expected "semantic"; the theory is about distances in features, and this run\'s gamma '
            f"weighs distances in {COST_SPACES[ada.cost]}"
        )
    return 2 * ada.gamma * scale_of(ada, features).weight


def linear_head(net: Split, dtype: torch.dtype | None = None) -> Head:
    """The head of a network, if it is linear; ``dtype`` is the one to compute in, the weights' own when not given."""
    module = net.model.get_submodule(net.head_name)
    if not isinstance(module, nn.Linear):
        raise InputError(
            f'head "{net.head_name}" is a {type(module).__name__}, expected torch.nn.Linear: the theory is about a '
            "linear head with the softmax loss; let the model end with a linear layer (in place of a 1x1 convolution "
            "after pooling: Flatten and Linear), or name it with unseen.split(model, head=...)"
        )
    weight = module.weight.to(dtype or module.weight.dtype)
    bias = weight.new_zeros(len(weight)) if module.bias is None else module.bias.to(weight.dtype)
    return Head(weight, bias)


def look(net: Split | nn.Module, x: Tensor, y: Tensor, dtype: torch.dtype | None) -> Samples:
    """The samples' features and scores in evaluation mode, differentiable; refuses what the theory isn't about."""
    net = split(net)
    head = linear_head(net, dtype)
    _check_labels(x, y, len(head.weight))
    with net.evaluated():
        z0, model_scores = net.features_and_scores(to_device_of(net, x))
    _check_features(net, z0, head)
    z0 = z0.to(head.weight.dtype)
    scores = head.scores(z0)
    if not torch.isfinite(scores).all():
        raise InputError(
            "the model's scores are NaN or infinite for some images; expected finite ones: look for NaN in the images, "
            "or for a training that diverged"
        )
    if not own_scores(z0, model_scores, head):
        raise InputError(
            f'after head "{net.head_name}" the model changes the scores, so its loss isn\'t the softmax loss of a '
            "linear head; expected the head's own scores: take out what follows it (a Softmax, a scaling)"
        )
    return Samples(z0, scores, y.to(scores.device), head)


def _check_labels(x: Tensor, y: Tensor, classes: int) -> None:
    if y.ndim != 1 or len(x) != len(y):
        raise InputError(f"{len(x)} images but labels of shape {tuple(y.shape)}; expected one label for each image")
    if len(y) and not 0 <= int(y.min()) <= int(y.max()) < classes:
        raise InputError(f"labels lie in {int(y.min())}..{int(y.max())}, expected 0..{classes - 1}, one for each score")


def _check_features(net: Split, z0: Tensor, head: Head) -> None:
    if z0.ndim != 2:
        raise InputError(
            f'what enters head "{net.head_name}" has shape {tuple(z0.shape)}, expected (N, {head.weight.shape[1]}), '
            "one vector for each image"
        )


def own_scores(z0: Tensor, model_scores: Tensor, head: Head, *precisions: torch.dtype) -> bool:
    """Whether a model's scores are its head's, up to a constant for each sample, which the softmax loss doesn't see.

    They may differ by as much as the coarsest of z0's, the scores' and further ``precisions`` rounds.
    """
    if z0.ndim != 2 or model_scores.shape != (len(z0), len(head.weight)):
        return False
    weight, bias = head.weight.detach().double(), head.bias.detach().double()
    z = z0.detach().double()
    apart = model_scores.detach().double() - Head(weight, bias).scores(z)
    apart = apart - apart.mean(1, keepdim=True)
    rounding = 16 * max(torch.finfo(dtype).eps for dtype in (z0.dtype, model_scores.dtype, *precisions))
    size = z.norm(dim=1) * weight.norm(dim=1).max() + bias.abs().max()
    return bool((apart.abs().amax(1) <= rounding * size).all())


def squared_distances(gram: Tensor) -> Tensor:
    """||theta_j - theta_k||^2 from the Gram matrix."""
    norms = gram.diagonal()
    return (norms[:, None] + norms[None, :] - 2 * gram).clamp_min(0)


def positive(**numbers: float | Sequence[float]) -> None:
    """Refuse numbers that aren't finite and above 0."""
    problems = []
    for name, given in numbers.items():
        for value in given if isinstance(given, Sequence) else [given]:
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                problems.append(f"{name}={value}: expected a finite number above 0")
    all_problems("theory", problems)
