"""The plain way to do each thing: float32, standard layout, batches of 32, gradients for the weights too, reference
features computed again at every step, torch's default Adam; denormals and the allocator are left as they are.

Equal to the library to float tolerance, which tests/test_benchmarks.py holds them to.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

import unseen
from unseen.base.randomness import Draws
from unseen.method.cost import scale_of, softmax_loss, transport_cost

BATCH = 32


def ascend(net: unseen.Split, x: Tensor, y: Tensor, ada: unseen.ADA, *, detached: bool = False) -> Tensor:
    """The inner maximization. ``detached`` spares the weights' gradient through the reference features."""
    net.eval()
    parts = zip(x.split(BATCH), y.split(BATCH), strict=True)
    return torch.cat([_ascend_batch(net, x0, labels, ada, detached) for x0, labels in parts])


def _ascend_batch(net: unseen.Split, x0: Tensor, y: Tensor, ada: unseen.ADA, detached: bool) -> Tensor:
    x = x0
    for _ in range(ada.T_max):
        x = x.detach().requires_grad_()
        with torch.set_grad_enabled(not detached):
            z0 = net.features(x0)
        z, scores = net.features_and_scores(x)
        objective = softmax_loss(scores, y) - ada.gamma * transport_cost(ada, z, z0, x, x0)
        objective.sum().backward()
        x = x + scale_of(ada, 1).step * x.grad
    return x.detach()


def newton_point(net: unseen.Split, x: Tensor, y: Tensor, gamma: float) -> Tensor:
    """The regularized Newton step of eq. (10) as it is written: one p x p Hessian and one backsolve for each sample."""
    z0, scores = net.features_and_scores(x)
    weight = net.model.get_submodule(net.head_name).weight
    eye, steps = torch.eye(z0.shape[1], dtype=z0.dtype), []
    for p, label in zip(scores.softmax(1), y.tolist(), strict=True):
        gradient = p @ weight - weight[label]
        H = weight.T @ (p.diag() - p.outer(p)) @ weight
        steps.append(torch.linalg.solve(eye - H / gamma, gradient) / gamma)
    return z0 + torch.stack(steps)


def step(net: torch.nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor) -> float:
    """One minimization step; the loss before it."""
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def accuracy(net: torch.nn.Module, domain: unseen.Domain) -> float:
    """The share of images whose greatest score is the true class."""
    training = net.training
    net.eval()
    parts = zip(domain.images.split(BATCH), domain.labels.split(BATCH), strict=True)
    right = sum(int((net(x).argmax(1) == y).sum()) for x, y in parts)
    net.train(training)
    return right / len(domain)


def run(
    net: unseen.Split,
    source: unseen.Domain,
    ada: unseen.ADA,
    *,
    seed: int,
    watch: Mapping[str, unseen.Domain],
    every: int,
) -> list[float]:
    """Algorithm 1, the accuracy on ``watch`` at every so many steps: the losses. It draws what the library draws."""
    draws, optimizer = Draws(seed), torch.optim.Adam(net.parameters(), lr=ada.alpha)
    images, labels, losses = source.images, source.labels, []
    for t in range(1, ada.T + 1):
        rows = draws.minibatch(len(images), ada.batch)
        losses.append(step(net.train(), optimizer, images[rows], labels[rows]))
        if t % every == 0:
            for domain in watch.values():
                accuracy(net, domain)
        if t in range(ada.T_min, ada.K * ada.T_min + 1, ada.T_min):
            starts = draws.without_replacement(len(images), ada.n or len(source))
            fictitious = ascend(net, images[starts], labels[starts], ada)
            images, labels = torch.cat([images, fictitious]), torch.cat([labels, labels[starts]])
    return losses
