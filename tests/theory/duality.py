"""Lemma 1 and the worst case within a radius, on problems small enough for a linear program."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize_scalar
from torch import Tensor

from .cases import Case, random_case
from .measured import Measured

SIDE = 9
TIMES_L1 = (0.05, 0.5, 1.5, 10.0)
RADII = (0.01, 0.1, 0.5, 2.0)


@cache
def _data() -> Case:
    """Eight samples with two features and three labels, near the origin."""
    case = random_case("3 classes, 2 features", 3, 2)
    return replace(case, z0=case.z0[:8], y=case.y[:8])


def _around(case: Case, side: int) -> Tensor:
    """A grid of side x side points that has all samples in its middle half: the whole of a discrete feature space."""
    line = torch.linspace(-2, 2, side, dtype=torch.float64) * float(case.z0.abs().max())
    return torch.cartesian_prod(line, line)


class Discrete(NamedTuple):
    """A feature space of finitely many points."""

    losses: NDArray[np.float64]
    """(points, labels)"""
    costs: NDArray[np.float64]
    """(samples, points)"""
    labels: NDArray[np.int64]
    """of the samples"""

    def surrogate(self, gamma: float) -> NDArray[np.float64]:
        """For each sample the greatest loss - gamma * cost over the points."""
        return (self.losses[:, self.labels].T - gamma * self.costs).max(1)


def _discrete(points: Tensor) -> Discrete:
    case = _data()
    losses = torch.stack([case.loss(points, torch.full((len(points),), label)) for label in range(3)], dim=1)
    costs = (case.z0[:, None] - points).square().sum(2) / 2
    return Discrete(losses.numpy(), costs.numpy(), case.y.numpy())


@cache
def _small() -> Discrete:
    """A coarse grid, and the samples themselves."""
    return _discrete(torch.cat([_around(_data(), SIDE), _data().z0]))


def _program(gamma: float = 0.0, rho: float | None = None) -> float:
    """The supremum over P of E_P[loss] - gamma D(P, Q), or of E_P[loss] where D(P, Q) <= rho, as a linear program.

    Unknown are P, a mass for each point with each label, and the coupling, a mass for each sample that goes to each
    point and keeps its label: any other has infinite cost. The coupling's two margins are P and the samples.
    """
    losses, costs, labels = _small()
    (points, classes), samples = losses.shape, len(labels)
    goes_to = np.zeros((points * classes, samples * points))
    for i, j in np.ndindex(samples, points):
        goes_to[j * classes + labels[i], i * points + j] = 1
    comes_from = np.kron(np.eye(samples), np.ones(points))
    margins = np.block([[-np.eye(points * classes), goes_to], [np.zeros((samples, points * classes)), comes_from]])
    masses = np.concatenate([np.zeros(points * classes), np.full(samples, 1 / samples)])
    transport = np.concatenate([np.zeros(points * classes), costs.ravel()])
    gain = np.concatenate([losses.ravel(), np.zeros(samples * points)]) - gamma * transport
    within = {} if rho is None else {"A_ub": transport[None], "b_ub": [rho]}
    solved = linprog(-gain, A_eq=margins, b_eq=masses, method="highs", **within)
    assert solved.success, solved.message
    return -float(solved.fun)


def the_penalty_problem_is_the_mean_surrogate() -> Measured:
    gammas = [times * _data().constants.L1 for times in TIMES_L1]
    return Measured(
        "Lemma 1: the supremum over P of E_P[loss] - γ D(P, Q) is the mean of φ",
        f"8 samples, {SIDE * SIDE + 8} points of feature space, 3 labels: the transport problem over P and couplings "
        "as a linear program (scipy), γ from 0.05 to 10 L1",
        "greatest difference",
        max(abs(_program(gamma) - _small().surrogate(gamma).mean()) for gamma in gammas),
        most=1e-9,
    )


def the_worst_case_within_rho_is_the_infimum_over_gamma() -> Measured:
    def dual(rho: float) -> float:
        def curve(gamma: float) -> float:
            return gamma * rho + float(_small().surrogate(gamma).mean())

        return float(minimize_scalar(curve, bounds=(0, 1e3), options={"xatol": 1e-11}).fun)

    return Measured(
        "The worst mean loss within rho is the infimum over γ of γ rho + mean φ",
        "the same with D(P, Q) at most rho, rho from 0.01 to 2",
        "greatest difference",
        max(abs(_program(rho=rho) - dual(rho)) for rho in RADII),
        most=1e-7,
    )


def a_grid_comes_to_the_supremum_from_below() -> Measured:
    """A point of the grid lies within h/sqrt(2) of the maximizer; there the convex loss costs at most gamma h^2 / 4."""
    shares, gamma = [], 1.5 * _data().constants.L1
    case, phi = _data(), _data().surrogate(gamma)
    assert float(phi.maximizer.abs().max()) < 2 * float(case.z0.abs().max()), "a maximizer is outside the grid"
    for side in (9, 17, 33, 65, 129):
        points = _around(case, side)
        h = float(points[1, 1] - points[0, 1])
        shares += ((phi.value.numpy() - _discrete(points).surrogate(gamma)) / (gamma * h**2 / 4)).tolist()
    assert min(shares) >= -1e-9, "a grid was above the supremum"
    return Measured(
        "`surrogate` is the limit of ever finer grids, from below",
        "grids of 9 to 129 points a side, two features, γ = 1.5 L1; the distance h of the points gives the bound γh²/4",
        "greatest (φ - grid) / bound",
        max(shares),
        least=0.1,
        most=1,
    )


STATEMENTS = (
    the_penalty_problem_is_the_mean_surrogate,
    the_worst_case_within_rho_is_the_infimum_over_gamma,
    a_grid_comes_to_the_supremum_from_below,
)
