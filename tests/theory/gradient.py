"""Eq. (6), grad phi = grad loss at the maximizer: for which parameters it is exact, and what it leaves out.

The supremum is over images here, as in the paper, so the maximizer is found in the image space of a small net.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from reference import ascent as twin
from torch import Tensor, nn
from torch.func import functional_call, grad, jacrev

import unseen
from unseen.base.randomness import generator

from .cases import EXACT, linear
from .measured import Measured

PIXELS = (1, 2, 3)
GAMMA = 4.0
STEP = 1e-4
Parameters = dict[str, Tensor]


class SmoothNet(nn.Module):
    """Six pixels, two tanh layers, eight features, three classes."""

    def __init__(self) -> None:
        super().__init__()
        draw = generator(0, "smooth net")
        with torch.device("meta"):
            self.body = nn.Sequential(nn.Flatten(), nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 8), nn.Tanh())
            self.head = nn.Linear(8, 3)
        self.to_empty(device="cpu").double()
        for parameter in self.body.parameters():
            nn.init.normal_(parameter, std=0.3, generator=draw)
            if parameter.ndim == 2:
                nn.init.orthogonal_(parameter, generator=draw)
        for parameter in self.head.parameters():
            nn.init.normal_(parameter, std=0.5, generator=draw)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


@dataclass(frozen=True)
class Problem:
    """One image, its label, and a transport cost: in features or in pixels."""

    net: SmoothNet
    x0: Tensor
    y: Tensor
    cost: str

    def features(self, theta: Parameters, x: Tensor) -> Tensor:
        body = {name.removeprefix("body."): value for name, value in theta.items() if name.startswith("body.")}
        return functional_call(self.net.body, body, (x,))

    def loss(self, theta: Parameters, x: Tensor) -> Tensor:
        return twin.loss(functional_call(self.net, theta, (x,)), self.y)[0]

    def transport(self, theta: Parameters, x: Tensor) -> Tensor:
        return twin.transport_cost(lambda x: self.features(theta, x), x, self.x0, cost=self.cost, scale="paper")

    def objective(self, theta: Parameters, x: Tensor) -> Tensor:
        return self.loss(theta, x) - GAMMA * self.transport(theta, x)

    def maximizer(self, theta: Parameters, x: Tensor) -> Tensor:
        """Newton's method from an x that is nearly there."""
        for _ in range(6):
            gradient = grad(self.objective, argnums=1)
            slope = gradient(theta, x).flatten()
            curvature = jacrev(gradient, argnums=1)(theta, x).reshape(len(slope), len(slope))
            assert torch.linalg.eigvalsh(curvature).max() < -1e-3, "not a maximum"
            x = x - torch.linalg.solve(curvature, slope).reshape(x.shape)
        return x


@dataclass(frozen=True)
class Solved:
    """What finite differences say, and what the formulas do, for one direction of each parameter tensor."""

    measured: dict[str, float]
    """of phi, the maximizer found anew at either side"""
    stated: dict[str, float]
    """grad loss at the maximizer"""
    left_out: dict[str, float]
    """- gamma (J(x*) - J(x0))^T (z* - z0) for the features' parameters, J the features' Jacobian in them; else 0"""

    def error(self, part: str, *, corrected: bool = False) -> float:
        """How far the formula is off over all directions of one part, as a share of the measured."""
        names = [name for name in self.measured if name.startswith(part)]
        measured, stated, more = (
            torch.tensor([each[name] for name in names], dtype=torch.float64)
            for each in (self.measured, self.stated, self.left_out)
        )
        return float((stated + corrected * more - measured).norm() / measured.norm())


@cache
def _solved(cost: str) -> tuple[Solved, ...]:
    return tuple(_solve(_problem(cost, label)) for label in range(3))


def _problem(cost: str, label: int) -> Problem:
    draw = generator(label, "image")
    x0 = torch.rand(1, *PIXELS, generator=draw, dtype=torch.float64)
    return Problem(SmoothNet().requires_grad_(False), x0, torch.tensor([label]), cost)


def _solve(problem: Problem) -> Solved:
    theta = dict(problem.net.named_parameters())
    best = problem.maximizer(theta, _ascended(problem))
    draw = generator(5, "directions")
    ways = {name: torch.randn(value.shape, generator=draw, dtype=value.dtype) for name, value in theta.items()}
    gradient = grad(problem.loss)(theta, best)
    return Solved(
        measured={name: _slope(problem, theta, name, way, best) for name, way in ways.items()},
        stated={name: float((gradient[name] * way).sum()) for name, way in ways.items()},
        left_out={name: float((_left_out(problem, theta, name, best) * way).sum()) for name, way in ways.items()},
    )


def _ascended(problem: Problem) -> Tensor:
    """Near the maximizer, by the plain twin of the paper's own ascent."""
    net, options = problem.net, {"cost": problem.cost, "scale": "paper", "batch": 1, "clip": False}
    (trajectory,) = twin.ascend(net, net.body, problem.x0, problem.y, gamma=GAMMA, eta=0.2, T_max=400, **options)
    return trajectory[-1][None]


def _slope(problem: Problem, theta: Parameters, name: str, way: Tensor, best: Tensor) -> float:
    """The central difference of phi in one direction."""

    def phi(step: float) -> float:
        moved = theta | {name: theta[name] + step * way}
        return float(problem.objective(moved, problem.maximizer(moved, best)))

    return (phi(STEP) - phi(-STEP)) / (2 * STEP)


def _left_out(problem: Problem, theta: Parameters, name: str, best: Tensor) -> Tensor:
    if problem.cost == "pixel" or name.startswith("head"):
        return torch.zeros_like(theta[name])

    def features(x: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda value: problem.features(theta | {name: value}, x)[0]

    J, J0 = (jacrev(features(x))(theta[name]) for x in (best, problem.x0))
    moved = features(best)(theta[name]) - features(problem.x0)(theta[name])
    return -GAMMA * torch.tensordot(moved, J - J0, dims=1)


HOW = "a tanh net of six pixels, one direction in each parameter tensor, three labels: central differences of φ, whose "


def it_is_exact_for_the_head() -> Measured:
    return Measured(
        "∇φ = ∇loss(x*), eq. (7), is exact for θ_c",
        HOW + "maximizer over images is solved anew at either side",
        "greatest relative error",
        max(solved.error("head") for solved in _solved("semantic")),
        most=1e-6,
    )


def it_is_not_for_the_features() -> Measured:
    return Measured(
        "but not for θ_f, which the semantic cost depends on, too",
        "the same",
        "least relative error",
        min(solved.error("body") for solved in _solved("semantic")),
        least=0.05,
    )


def with_the_costs_gradient_it_is() -> Measured:
    return Measured(
        "What it leaves out is -γ (J(x*) - J(x0))ᵀ (z* - z0), J the Jacobian of g in θ_f; with it, it is exact",
        "the same",
        "greatest relative error",
        max(solved.error("body", corrected=True) for solved in _solved("semantic")),
        most=1e-6,
    )


def with_the_pixel_cost_it_is_exact_for_all() -> Measured:
    return Measured(
        "With the cost in pixels eq. (7) is exact for all parameters",
        "the same with c = ½‖x - x0‖²",
        "greatest relative error",
        max(solved.error(part) for solved in _solved("pixel") for part in ("head", "body")),
        most=1e-6,
    )


def the_ascent_of_a_linear_network_reaches_the_supremum() -> Measured:
    return Measured(
        "Where features are a linear map onto R^p, the ascent over images converges to the supremum over features",
        '`unseen.ascend` with scale="paper", 300 steps, 5 and 12 pixels onto 5 features, γ = 1.5 L1',
        "greatest difference in value or z",
        max(_short_of_the_supremum(pixels) for pixels in (5, 12)),
        most=1e-8,
    )


def _short_of_the_supremum(pixels: int) -> float:
    """By how much the ascent's value and features miss those of the supremum over all features."""
    draw = generator(pixels, "linear network")
    body = nn.init.orthogonal_(torch.empty(5, pixels, dtype=torch.float64), generator=draw)
    body *= torch.linspace(0.7, 1.3, 5)[:, None]
    head = torch.randn(4, 5, generator=draw, dtype=torch.float64)
    net = nn.Sequential(nn.Flatten(), *linear(body).model, *linear(head).model)
    x0, y = torch.rand(6, 1, 1, pixels, generator=draw, dtype=torch.float64), torch.arange(6) % 4
    gamma = 1.5 * unseen.theory.constants(net).L1
    settings = unseen.ADA(gamma=gamma, eta=0.5 / gamma, T_max=300, scale="paper")
    made, phi = unseen.ascend(net, x0, y, settings), unseen.theory.surrogate(net, x0, y, gamma, tolerance=EXACT)
    z, z0 = (unseen.split(net).features(x) for x in (made, x0))
    reached = twin.loss(net(made), y) - gamma / 2 * (z - z0).square().sum(1)
    return max(float((phi.value - reached).abs().max()), float((phi.maximizer - z).norm(dim=1).max()))


STATEMENTS = (
    it_is_exact_for_the_head,
    it_is_not_for_the_features,
    with_the_costs_gradient_it_is,
    with_the_pixel_cost_it_is_exact_for_all,
    the_ascent_of_a_linear_network_reaches_the_supremum,
)
