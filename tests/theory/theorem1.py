"""Theorem 1: how far the maximizer is from the Newton point."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad, jacrev, vmap

from unseen.base.randomness import generator
from unseen.theory import newton_point, theorem1_bound

from .cases import Case, cases, with_gammas
from .measured import Measured, slope

EPSILONS = (1e-6, 1e-2, 10.0)
DIRECTIONS = 6


def the_newton_point_is_the_dense_one() -> Measured:
    return Measured(
        "The Newton point of eq. (10) by an m x m solve is that of the p x p backsolve",
        "every head and γ; Hessian and gradient of the dense one by autograd, in float64",
        "greatest distance / distance moved",
        max(float(_apart_from_dense(case, gamma)) for case, gamma in with_gammas()),
        most=1e-9,
    )


def _apart_from_dense(case: Case, gamma: float) -> Tensor:
    def loss(z: Tensor, y: Tensor) -> Tensor:
        return case.loss(z[None], y[None])[0]

    H, g = vmap(jacrev(grad(loss)))(case.z0, case.y), vmap(grad(loss))(case.z0, case.y)
    dense = case.z0 + torch.linalg.solve(torch.eye(len(H[0])) - H / gamma, g) / gamma
    ours = _newton(case, gamma)
    return ((ours - dense).norm(dim=1) / ((dense - case.z0).norm(dim=1) + 1e-6 / gamma)).max()


def _newton(case: Case, gamma: float) -> Tensor:
    return newton_point(case.net, case.z0, case.y, gamma).detach()


def _distance(case: Case, gamma: float) -> Tensor:
    return (case.surrogate(gamma).maximizer - _newton(case, gamma)).norm(dim=1)


def the_maximizer_is_near() -> Measured:
    moved = ((case.surrogate(g).maximizer - case.z0).norm(dim=1) * g / case.constants.L0 for case, g in with_gammas())
    return Measured(
        "‖z* - z0‖ is at most L0/γ (the paper's proof has 5 L0/γ)",
        "every head and sample, γ from 1.001 to 10,000 L1",
        "greatest distance / (L0/γ)",
        max(float(each.max()) for each in moved),
        least=0.5,
        most=1 + 1e-9,
    )


def the_distance_is_under_the_proved_bound() -> Measured:
    shares = (_distance(case, g).max() / theorem1_bound(case.net, g).proved for case, g in with_gammas())
    return Measured(
        "Theorem 1 with ε = 0: ‖z* - newton‖ is at most L2 L0²/(2 γ² (γ - L1))",
        "every head and sample, γ from 1.001 to 10,000 L1",
        "greatest distance / bound",
        max(map(float, shares)),
        most=1,
    )


def the_distance_is_under_the_stated_bound() -> Measured:
    shares = (_distance(case, g).max() / theorem1_bound(case.net, g).stated for case, g in with_gammas())
    return Measured(
        "Theorem 1 with ε = 0, as stated",
        "the same",
        "greatest distance / bound",
        max(map(float, shares)),
        most=1,
    )


def almost_maximizers_are_under_both_bounds() -> Measured:
    tried = [(case, gamma, eps) for case, gamma in with_gammas()[::2] for eps in EPSILONS]
    return Measured(
        "Theorem 1 with ε > 0: both bounds, the proved one being the smaller",
        f"z* moved until the objective has dropped by exactly ε = 1e-6 to 10, in {DIRECTIONS} directions (random, the "
        "steepest, along z* - newton)",
        "greatest distance / proved bound",
        max(float(_almost(case, gamma, eps)) for case, gamma, eps in tried),
        least=0.5,
        most=1 + 1e-9,
    )


def _almost(case: Case, gamma: float, epsilon: float) -> Tensor:
    """How far from the Newton point maximizers are that fall short by epsilon, as a share of the bound."""
    bound = theorem1_bound(case.net, gamma, epsilon=epsilon)
    best, newton = case.surrogate(gamma).maximizer, _newton(case, gamma)
    ways = (best + _until(case, gamma, best, d, epsilon)[:, None] * d for d in _directions(case, best, newton))
    return torch.stack([(z - newton).norm(dim=1) for z in ways]).max() / min(bound)


def _directions(case: Case, best: Tensor, newton: Tensor) -> list[Tensor]:
    """Unit vectors for each sample: towards other rows, along where the maximizer misses the Newton point, random."""
    draw = generator(2, case.name)
    rows = [case.weight[torch.randint(len(case.weight), (len(best),), generator=draw)] for _ in range(2 * DIRECTIONS)]
    between = [a - b for a, b in zip(rows[::2], rows[1::2], strict=True)]
    noise = torch.randn(best.shape, generator=draw, dtype=best.dtype)
    steps = [best - newton, newton - best, noise, *between][:DIRECTIONS]
    return [torch.nn.functional.normalize(step, dim=1) for step in steps]


def _until(case: Case, gamma: float, best: Tensor, direction: Tensor, epsilon: float) -> Tensor:
    """How far to go from the maximizer until the objective has dropped by epsilon; it is concave, so by bisection."""
    top = case.objective(best, gamma)
    near = torch.zeros_like(top)
    far = torch.full_like(top, (2 * epsilon / (gamma - case.constants.L1)) ** 0.5 * (1 + 1e-12))
    for _ in range(40):
        middle = (near + far) / 2
        short = case.objective(best + middle[:, None] * direction, gamma) >= top - epsilon
        near, far = torch.where(short, middle, near), torch.where(short, far, middle)
    return near


def the_proved_bound_is_the_smaller() -> Measured:
    shares = (
        bound.proved / bound.stated
        for case, gamma in with_gammas()
        for bound in (theorem1_bound(case.net, gamma, epsilon=eps) for eps in (0.0, *EPSILONS))
    )
    return Measured(
        "The proved bound implies the stated one for every softmax head",
        "both bounds, every head, γ and ε",
        "greatest proved / stated",
        max(shares),
        most=1 + 1e-12,
    )


def the_order_is_three() -> Measured:
    slopes = [_slope(case) for case in cases()]
    return Measured(
        "z* = newton + O(γ⁻³), one order better than the γ⁻² of eq. (10)",
        "slope of log distance over log γ, γ from 30 to 1,000 L1, mean distance of the samples",
        "slope farthest from -3",
        max(slopes, key=lambda s: abs(s + 3)),
        least=-3.05,
        most=-2.95,
    )


def _slope(case: Case) -> float:
    gammas = [times * case.constants.L1 for times in (30.0, 100.0, 300.0, 1000.0)]
    return slope(gammas, [float(_distance(case, gamma).mean()) for gamma in gammas])


STATEMENTS = (
    the_newton_point_is_the_dense_one,
    the_maximizer_is_near,
    the_distance_is_under_the_proved_bound,
    the_distance_is_under_the_stated_bound,
    almost_maximizers_are_under_both_bounds,
    the_proved_bound_is_the_smaller,
    the_order_is_three,
)
