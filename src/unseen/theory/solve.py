"""The supremum over features as a problem with one unknown for each class.

At a maximum gamma (z - z0) is the loss's gradient, a combination of the head's rows: z = z0 + Theta u with u in R^m.
The scores there are s0 + G u with G = Theta^T Theta, and ||z - z0||^2 = u^T G u, so nothing has p entries any more.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from unseen.engine import to_host
from unseen.method.cost import softmax_loss
from unseen.theory.head import constants_of, squared_distances

NEWTON_STEPS = 100
FIXED_POINT_STEPS = 200
FIXED_POINT_TOLERANCE = 1e-9
HALVINGS = 30
SYSTEMS = 2**24
"""entries of the systems that are solved at once: 128 MiB, three times"""
MARGIN = 1.01
"""Below L1 an upper bound is a problem with gamma = MARGIN * L1: nearer to L1 it is tighter and harder to solve."""


@dataclass(frozen=True)
class Solved:
    """The supremum for each sample, in float64 on the CPU: ``value <= supremum <= upper``, reached at u."""

    u: Tensor
    value: Tensor
    upper: Tensor
    gradient: Tensor
    cost: Tensor
    """1/2 ||z - z0||^2"""
    concave: bool


@torch.no_grad()
def solve(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, tolerance: float = 1e-9) -> Solved:
    """The supremum over u of loss(s0 + G u, y) - gamma/2 u^T G u, for each sample."""
    scores, y, gram = _on_host(scores), to_host(y), _on_host(gram)
    gram = _centred(gram.T)
    known = constants_of(gram)
    if gamma > known.L1:
        u = _newton(scores, y, gram, gamma, tolerance * known.L0)
        gradient = _gradient(scores, y, gram, gamma, u)
        value = objective(scores, y, gram, gamma, u)
        upper = value + gradient.square() / (2 * (gamma - known.L1))
    else:
        u = _best_local(scores, y, gram, gamma)
        gradient = _gradient(scores, y, gram, gamma, u)
        value = objective(scores, y, gram, gamma, u)
        upper = torch.maximum(_upper_below(scores, y, gram, gamma, known.L1), value)
    return Solved(u, value, upper, gradient, moment(u, gram) / 2, concave=gamma > known.L1)


def _on_host(rows: Tensor) -> Tensor:
    return _centred(to_host(rows.detach()).double())


def _centred(rows: Tensor) -> Tensor:
    """Each row minus its mean. Scores and theta_j count up to what all classes share, which would only cost digits."""
    return rows - rows.mean(1, keepdim=True)


def objective(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, u: Tensor) -> Tensor:
    """loss - gamma/2 ||z - z0||^2 at z = z0 + Theta u."""
    return softmax_loss(scores + u @ gram, y) - gamma / 2 * moment(u, gram)


def residual(p: Tensor, y: Tensor) -> Tensor:
    """p - e_y: the loss's gradient in the scores; Theta times it is the gradient in z."""
    return p - F.one_hot(y, p.shape[1])


def moment(u: Tensor, gram: Tensor) -> Tensor:
    """||Theta u||^2 = u^T G u for each sample."""
    return ((u @ gram) * u).sum(1).clamp_min(0)


def newton_step(p: Tensor, r: Tensor, gram: Tensor, gamma: float) -> Tensor:
    """(gamma I - (diag p - p p^T) G)^-1 r for each sample, in blocks of samples, since each has a matrix of its own."""
    block = max(SYSTEMS // gram.numel(), 1)
    identity = gamma * torch.eye(len(gram), dtype=p.dtype, device=p.device)
    steps = [
        torch.linalg.solve(identity - _spread(some) @ gram, right)
        for some, right in zip(torch.split(p, block), torch.split(r, block), strict=True)
    ]
    return torch.cat(steps)


def curvature(p: Tensor, gram: Tensor) -> Tensor:
    """The greatest eigenvalue of the loss's Hessian in z, for each sample."""
    values, vectors = torch.linalg.eigh(gram)
    root = vectors * values.clamp_min(0).sqrt()
    greatest: Tensor = torch.linalg.eigvalsh(root.T @ _spread(p) @ root)[:, -1]
    return greatest


def _spread(p: Tensor) -> Tensor:
    """diag p - p p^T for each sample."""
    return torch.diag_embed(p) - p[:, :, None] * p[:, None, :]


def _gradient(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, u: Tensor) -> Tensor:
    """The norm of the objective's gradient in z."""
    return moment(residual((scores + u @ gram).softmax(1), y) - gamma * u, gram).sqrt()


def _newton(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, tolerance: float) -> Tensor:
    """Newton's method with step halving, from u = 0; the objective is concave. Samples that are done are left alone."""
    u = torch.zeros_like(scores)
    todo = torch.arange(len(scores))
    for _ in range(NEWTON_STEPS):
        p = (scores[todo] + u[todo] @ gram).softmax(1)
        r = residual(p, y[todo]) - gamma * u[todo]
        open_ = moment(r, gram).sqrt() > tolerance
        todo, p, r = todo[open_], p[open_], r[open_]
        if len(todo) == 0:
            break
        step = newton_step(p, r, gram, gamma)
        u[todo] += _halved(scores[todo], y[todo], gram, gamma, u[todo], step, (r @ gram * step).sum(1)) * step
    return u


def _halved(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, u: Tensor, step: Tensor, slope: Tensor) -> Tensor:
    """How much of each step to take: the first of 1, 1/2, 1/4, ... that gains a quarter of what the slope promises."""
    start = objective(scores, y, gram, gamma, u)
    noise = 1e-15 * (1 + start.abs() + scores.abs().amax(1))
    share = torch.ones_like(slope)
    for _ in range(HALVINGS):
        short = objective(scores, y, gram, gamma, u + share[:, None] * step) < start + share * slope / 4 - noise
        if not short.any():
            break
        share = torch.where(short, share / 2, share)
    return share[:, None]


def _best_local(scores: Tensor, y: Tensor, gram: Tensor, gamma: float) -> Tensor:
    """The better of two local maxima: reached from where the sample is, and from the most promising class's corner.

    With the supremum over z taken first, the objective is one of q in the simplex: q . (s0 - s0_y) + entropy(q) +
    ||Theta (q - e_y)||^2 / (2 gamma). A corner q = e_j is worth s0_j - s0_y + ||theta_j - theta_y||^2 / (2 gamma).
    """
    corner = (scores + squared_distances(gram)[y] / (2 * gamma)).argmax(1)
    starts = scores.softmax(1), F.one_hot(corner, len(gram)).double()
    here, there = (_fixed_point(scores, y, gram, gamma, start) for start in starts)
    better = objective(scores, y, gram, gamma, there) > objective(scores, y, gram, gamma, here)
    return torch.where(better[:, None], there, here)


def _fixed_point(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, q: Tensor) -> Tensor:
    """u <- (softmax(s0 + G u) - e_y) / gamma, which never goes down: the best q with the convex term made linear."""
    u, todo = residual(q, y) / gamma, torch.arange(len(scores))
    for _ in range(FIXED_POINT_STEPS):
        before = u[todo]
        u[todo] = residual((scores[todo] + before @ gram).softmax(1), y[todo]) / gamma
        todo = todo[(u[todo] - before).abs().amax(1) * gamma > FIXED_POINT_TOLERANCE]
        if len(todo) == 0:
            break
    return u


def _upper_below(scores: Tensor, y: Tensor, gram: Tensor, gamma: float, L1: float) -> Tensor:
    """An upper bound where gamma <= L1: part of the convex term gives way to its chord, and a concave problem is left.

    Over the simplex ||Theta (q - e_y)||^2 <= sum_j q_j ||theta_j - theta_y||^2. The share 1 - t of the term is bounded
    so and becomes part of the scores; the rest is the problem for gamma / t, which is above L1.
    """
    t = gamma / (MARGIN * L1)
    chord = squared_distances(gram)[y]
    return solve(scores + (1 - t) / (2 * gamma) * chord, y, gram, gamma / t).upper
