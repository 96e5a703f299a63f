"""The robust surrogate phi_gamma with its supremum over feature space, and the Newton point that approximates it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unseen.errors import InputError
from unseen.method.cost import softmax_loss, squared_distance
from unseen.models.split import Split
from unseen.theory.head import Head, Samples, look, positive
from unseen.theory.solve import curvature, moment, newton_step, residual, solve


@dataclass(frozen=True)
class Surrogate:
    """phi_gamma for each sample: ``value <= phi_gamma <= upper``, where ``value`` is reached at ``maximizer``.

    Gradients flow through ``value``: by Danskin's theorem its gradient is that of the objective at the maximizer,
    held fixed, with respect to the head's weights and to z0 (and so to the whole network).
    """

    value: Tensor
    """loss(z) - gamma/2 ||z - z0||^2 at ``maximizer``"""
    upper: Tensor
    """a proved upper bound on phi_gamma"""
    maximizer: Tensor
    """z, of shape (N, p)"""
    gradient: Tensor
    """the norm of the objective's gradient at ``maximizer``"""
    concave: bool
    """gamma > L1: the objective is strongly concave, ``maximizer`` is unique and global, and ``upper - value`` is
    at most gradient^2 / (2 (gamma - L1)); else it is a local maximum, the best that was found"""

    @property
    def gap(self) -> Tensor:
        """How far phi_gamma may lie above ``value``."""
        return (self.upper - self.value.detach()).clamp_min(0)


def surrogate(
    net: Split | nn.Module,
    x: Tensor,
    y: Tensor,
    gamma: float,
    *,
    tolerance: float = 1e-9,
    dtype: torch.dtype | None = None,
) -> Surrogate:
    """phi_gamma(theta; (x0, y0)) = sup over z in R^p of loss(theta; (z, y0)) - gamma/2 ||z - z0||^2, eq. (5).

    For gamma > L1 it is solved by Newton's method until the gradient's norm is at most ``tolerance`` * L0, in float64
    whatever ``dtype`` is. Below L1 the problem is not concave: ``value`` is then the best of the local maxima found, a
    lower bound, and ``upper`` still holds. It is at least the supremum over images, which reach only some z.
    """
    positive(gamma=gamma, tolerance=tolerance)
    at = look(net, x, y, dtype)
    solved = solve(at.scores, at.y, at.head.gram, gamma, tolerance)
    moved = solved.u.to(at.z0) @ at.head.weight.detach()
    z = at.z0.detach() + moved
    value = softmax_loss(at.head.scores(z), at.y) - gamma / 2 * squared_distance(z, at.z0)
    upper = torch.maximum(solved.upper.to(value), value.detach())  # the same number but for rounding
    return Surrogate(value, upper, z, solved.gradient.to(value), solved.concave)


def newton_point(
    net: Split | nn.Module, x: Tensor, y: Tensor, gamma: float, *, dtype: torch.dtype | None = None
) -> Tensor:
    """z0 + 1/gamma (I - H/gamma)^-1 grad, the regularized Newton step, eq. (10), with H the loss's Hessian in z at z0.

    H = Theta (diag p - p p^T) Theta^T has rank below m, so that the p x p backsolve is an m x m one:
    (gamma I - H)^-1 Theta = Theta (gamma I - (diag p - p p^T) Theta^T Theta)^-1. Refused where gamma is not above H's
    greatest eigenvalue: the quadratic model of the loss has no maximum there.
    """
    positive(gamma=gamma)
    at = look(net, x, y, dtype)
    _check_curvature(at, gamma)
    p = at.scores.softmax(1)
    return at.z0 + newton_step(p, residual(p, at.y), at.head.gram.to(p), gamma) @ at.head.weight


def regularizer(net: Split | nn.Module, x: Tensor, y: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """||theta_y - sum_j p_j theta_j||^2 for each sample, the regularizer of eq. (11): the squared gradient in z."""
    at = look(net, x, y, dtype)
    return pull(at.scores, at.y, at.head)


def pull(scores: Tensor, y: Tensor, head: Head) -> Tensor:
    """The regularizer from scores."""
    r = residual(scores.softmax(1), y)
    return moment(r, head.gram.to(r))


def _check_curvature(at: Samples, gamma: float) -> None:
    steepest = curvature(at.scores.detach().double().softmax(1), at.head.gram.detach())
    if len(steepest) and gamma <= float(steepest.max()):
        i = int(steepest.argmax())
        raise InputError(
            f"gamma={gamma:g}: the loss curves upwards by {float(steepest[i]):.4g} at sample {i}, so its quadratic "
            f"model has no maximum; expected gamma above it, for all samples above L1 = {at.head.constants.L1:.4g}"
        )
