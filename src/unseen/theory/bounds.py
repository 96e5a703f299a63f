"""Theorems 1 and 2 as numbers: what the paper states, what its proofs give, and what can be proved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from unseen.errors import InputError
from unseen.method.cost import softmax_loss
from unseen.models.split import Split
from unseen.theory.head import constants, look, positive
from unseen.theory.solve import solve
from unseen.theory.surrogate import pull


class Distance(NamedTuple):
    """How far an epsilon-maximizer's features are from the Newton point, at most."""

    stated: float
    """the square root of Theorem 1's right-hand side"""
    proved: float
    """sqrt(2 epsilon / (gamma - L1)) + L2 L0^2 / (2 gamma^2 (gamma - L1)): smaller, and of order gamma^-3"""


def theorem1_bound(net: Split | nn.Module, gamma: float, *, epsilon: float = 0.0) -> Distance:
    """Theorem 1: bounds on ||g(x_epsilon) - newton_point||, with L0, L1, L2 of this head. Needs gamma > L1.

    The paper's, squared: 2 eps/(gamma - L1) + L2/(3 (gamma - L1)) {(5 L0/gamma)^3 + (L0/(gamma - L1))^3 +
    (2 eps/gamma)^(3/2)}.
    """
    positive(gamma=gamma)
    if not epsilon >= 0:
        raise InputError(f"epsilon={epsilon}: expected 0 or more, how far below the supremum the maximizer may be")
    L0, L1, L2, _ = vars(constants(net)).values()
    if gamma <= L1:
        raise InputError(f"gamma={gamma:g}: Theorem 1 needs gamma above L1 = {L1:.4g} of this head")
    room = gamma - L1
    cubes = (5 * L0 / gamma) ** 3 + (L0 / room) ** 3 + (2 * epsilon / gamma) ** 1.5
    return Distance(
        stated=math.sqrt(2 * epsilon / room + L2 / (3 * room) * cubes),
        proved=math.sqrt(2 * epsilon / room) + L2 * L0**2 / (2 * gamma**2 * room),
    )


class Between(NamedTuple):
    """A lower and an upper value for each sample."""

    lower: Tensor
    upper: Tensor


@dataclass(frozen=True)
class Bracket:
    """Bounds on phi_gamma - loss for each sample, R the regularizer. ``stated`` and ``proof`` need gamma > L(theta)."""

    proved: Between
    """R / (2 gamma) and, for gamma above L1, R / (2 (gamma - L1)); else what ``surrogate`` has as ``upper``"""
    proof: Between | None
    """R / (2 (gamma + L(theta))) and R / (2 (gamma - L(theta))), with which the paper's proof ends"""
    stated: Between | None
    """R / (gamma + L(theta)) and R / (gamma - L(theta)), as Theorem 2 is printed: the lower one is false"""


@torch.no_grad()
def theorem2_bracket(
    net: Split | nn.Module, x: Tensor, y: Tensor, gamma: float, *, dtype: torch.dtype | None = None
) -> Bracket:
    """Theorem 2: bounds on phi_gamma - loss by the regularizer, in the three forms.

    The loss is convex in z, so that its tangent gives R / (2 gamma) from below without any constant.
    """
    positive(gamma=gamma)
    at = look(net, x, y, dtype)
    R, known = pull(at.scores, at.y, at.head), at.head.constants
    if gamma > known.L1:
        upper = R / (2 * (gamma - known.L1))
    else:
        upper = solve(at.scores, at.y, at.head.gram, gamma).upper.to(R) - softmax_loss(at.scores, at.y)
    proof = Between(R / (2 * (gamma + known.L_theta)), R / (2 * (gamma - known.L_theta)))
    stated = Between(2 * proof.lower, 2 * proof.upper)
    holds = gamma > known.L_theta
    return Bracket(Between(R / (2 * gamma), upper), proof if holds else None, stated if holds else None)
