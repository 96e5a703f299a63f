"""A bound on the mean loss over every distribution within a transport cost of the data (Lemma 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unseen.data.domain import Source, as_domain
from unseen.method.cost import softmax_loss
from unseen.models.split import Split, split
from unseen.scoring.accuracy import scores_on
from unseen.theory.head import constants_of, linear_head, look, positive
from unseen.theory.solve import solve

GAMMAS = 81
DECADES = 4
"""The gammas tried reach from L1 / 10^DECADES to L1 * 10^DECADES."""
SEEN = 8
"""So many images show whether the model's scores are its head's."""


@dataclass(frozen=True)
class Certificate:
    """A curve over the radius rho: ``attained <= worst mean loss within rho <= bound``."""

    rho: tuple[float, ...]
    """transport cost 1/2 ||z - z0||^2, on average over the data"""
    bound: tuple[float, ...]
    """no distribution within rho has a greater mean loss, its labels' shares being those of the data"""
    gamma: tuple[float, ...]
    """the gamma whose gamma * rho + mean phi_gamma is the bound"""
    attained: tuple[float, ...]
    """the greatest mean loss of a transport within rho that was found in feature space"""
    loss: float
    """the mean loss on the data itself, the bound at rho = 0"""


@torch.no_grad()
def certificate(net: Split | nn.Module, domain: Source, rho: float | Sequence[float]) -> Certificate:
    """inf over gamma of gamma * rho + mean phi_gamma, for each rho: an upper bound by Lemma 1.

    The supremum in phi_gamma is over all of feature space, which is at least the one over images, so the bound holds
    for every set of images within rho in the network's features, whatever they look like. Any gamma gives a valid
    bound; the least of 81 is taken. ``domain`` may be a pair (images, labels), too, or a torch Dataset.
    """
    radii = torch.as_tensor(rho, dtype=torch.float64).flatten().tolist()
    positive(rho=radii)
    net, domain = split(net), as_domain(domain, "domain")
    gram = linear_head(net, torch.float64).gram
    scores = scores_on(net, domain)
    look(net, domain.images[:SEEN], domain.labels[:SEEN], None)
    return certify(scores, domain.labels[:], gram, radii)


@torch.no_grad()
def certify(scores: Tensor, y: Tensor, gram: Tensor, radii: Sequence[float]) -> Certificate:
    """The certificate from raw scores and the head's Gram matrix."""
    scale = constants_of(gram).L1 or 1.0  # 0 for equal rows: the loss is then the same everywhere
    gammas = scale * torch.logspace(-DECADES, DECADES, GAMMAS, dtype=torch.float64)
    upper, cost, loss = torch.tensor([_means(scores, y, gram, g) for g in gammas.tolist()], dtype=torch.float64).T
    rho = torch.tensor(radii, dtype=torch.float64)
    bounds, best = (gammas * rho[:, None] + upper).min(1)
    here = softmax_loss(scores.double(), y).mean()
    attained = _mixed(torch.cat([cost.new_zeros(1), cost]), torch.cat([here[None], loss]), rho)
    return Certificate(
        rho=tuple(radii),
        bound=tuple(bounds.tolist()),
        gamma=tuple(gammas[best].tolist()),
        attained=tuple(attained.tolist()),
        loss=float(here),
    )


def _mixed(cost: Tensor, loss: Tensor, rho: Tensor) -> Tensor:
    """The greatest mean loss within each rho of two transports mixed: a share of every sample's mass goes by each."""
    near, far, radius = cost[:, None, None], cost[None, :, None], rho[None, None, :]
    share = ((radius - near) / (far - near).clamp_min(1e-300)).clamp_max(1)
    mixed = loss[:, None, None] + share * (loss[None, :, None] - loss[:, None, None])
    return torch.where((near <= radius) & (far >= near), mixed, -torch.inf).amax((0, 1))


def _means(scores: Tensor, y: Tensor, gram: Tensor, gamma: float) -> tuple[float, float, float]:
    """Means over the samples: the bound on phi_gamma, the cost and the loss of the transport that was found."""
    solved = solve(scores, y, gram, gamma)
    loss = solved.value + gamma * solved.cost
    return float(solved.upper.mean()), float(solved.cost.mean()), float(loss.mean())
