"""L0, L1, L2 and L(theta): never exceeded, and approached where the rows are affinely independent."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.func import grad, jacrev, vmap

from unseen.base.randomness import generator
from unseen.theory import constants

from .cases import Case, cases, linear
from .measured import Measured

FAR = 1e3
PAIRS = 150


def never_exceeded() -> Measured:
    return Measured(
        "Assumptions 1 and 2 hold for the softmax loss with L0 = D, L1 = D²/4, L2 = D³/(6√3), D the greatest distance "
        "between two rows",
        f"{PAIRS} pairs of points up to {FAR:g}/D from the origin for each of {len(cases())} heads: how much loss, "
        "gradient and Hessian (by autograd) change over the distance",
        "greatest change / constant",
        max(float(_changes(case).max()) for case in cases()),
        most=1 + 1e-9,
    )


def _changes(case: Case) -> Tensor:
    """How much loss, gradient and Hessian change over each pair's distance, as a share of L0, L1 and L2."""
    a, b, y = _pairs(case)

    def loss(z: Tensor, y: Tensor) -> Tensor:
        return case.loss(z[None], y[None])[0]

    by_value, by_gradient, by_hessian = (vmap(f)(a, y) - vmap(f)(b, y) for f in (loss, grad(loss), jacrev(grad(loss))))
    known, distance = case.constants, (a - b).norm(dim=1)
    sizes = by_value.abs() / known.L0, by_gradient.norm(dim=1) / known.L1, _norm(by_hessian) / known.L2
    return torch.stack(sizes) / distance


def _norm(symmetric: Tensor) -> Tensor:
    return torch.linalg.eigvalsh(symmetric).abs().amax(1)


def _pairs(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    """Points near the origin and far from it, each with another one close by or far away, and labels."""
    draw, size = generator(1, case.name), (PAIRS, case.z0.shape[1])
    away = torch.logspace(-2, math.log10(FAR), PAIRS, dtype=torch.float64)[:, None] / case.constants.L0
    apart = away[torch.randperm(PAIRS, generator=draw)]
    a = away * torch.randn(size, generator=draw, dtype=torch.float64)
    b = a + apart * torch.randn(size, generator=draw, dtype=torch.float64)
    return a, b, torch.randint(len(case.weight), (PAIRS,), generator=draw)


def approached() -> Measured:
    independent = [case for case in cases() if len(case.weight) <= case.weight.shape[1] + 1]
    return Measured(
        "No smaller constants do where the rows are affinely independent",
        "z with p = (0, 1), (1/2, 1/2) and 1/2 ± 1/(2√3) on the two rows farthest apart: the loss's first three "
        "derivatives along their difference, by autograd",
        "least derivative / constant",
        min(float(_reached(case).min()) for case in independent),
        least=1 - 1e-6,
        most=1 + 1e-9,
    )


def _reached(case: Case) -> Tensor:
    """Slope, curvature and third derivative between the farthest two rows, as a share of L0, L1 and L2."""
    a, b = divmod(int(torch.cdist(case.weight, case.weight).argmax()), len(case.weight))
    along = torch.nn.functional.normalize(case.weight[b] - case.weight[a], dim=0)
    known, shares, found = case.constants, (1 - 1e-9, 0.5, 0.5 - 1 / (2 * math.sqrt(3))), []
    for order, (share, constant) in enumerate(zip(shares, (known.L0, known.L1, known.L2), strict=True), start=1):
        z = _where(case, {a: 1 - share, b: share})

        def derivative(t: Tensor, z: Tensor = z) -> Tensor:
            return case.loss((z + t * along)[None], torch.tensor([a]))[0]

        for _ in range(order):
            derivative = grad(derivative)
        found.append(derivative(torch.zeros((), dtype=torch.float64)).abs() / constant)
    return torch.stack(found)


def _where(case: Case, probabilities: dict[int, float]) -> Tensor:
    """A z whose softmax has these probabilities, to about 1e-17 for the others."""
    scores = torch.full((len(case.weight),), -40.0, dtype=torch.float64)
    for j, probability in probabilities.items():
        scores[j] = math.log(probability)
    scores -= case.net.head(torch.zeros(1, case.weight.shape[1], dtype=torch.float64))[0].detach()
    return torch.linalg.pinv(case.weight[1:] - case.weight[0]) @ (scores[1:] - scores[0])


def the_papers_constant() -> Measured:
    opposite = constants(linear(torch.tensor([[3.0, 4.0], [-3.0, -4.0]], dtype=torch.float64)))
    ratios = [known.L_theta / known.L1 for known in (opposite, *(case.constants for case in cases()))]
    return Measured(
        "L(θ) of Theorem 2 is at least 4 L1",
        f"every head, and two opposite rows, where it is 4 L1; for the trained net it is {ratios[-1]:.0f} L1",
        "least L(θ) / L1",
        min(ratios),
        least=4 - 1e-9,
        most=4 + 1e-9,
    )


STATEMENTS = (never_exceeded, approached, the_papers_constant)
