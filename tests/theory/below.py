"""Below L1 the objective isn't concave: what ``surrogate`` still promises, beside brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor
from torch.func import grad

from unseen.base.randomness import generator
from unseen.theory import Surrogate, solve

from .cases import Case, cases, random_cases
from .measured import Measured

TIMES_L1 = (0.003, 0.05, 0.3, 0.7, 1.0)
STARTS, STEPS = 20, 80
GRID = 2001


@cache
def _searched() -> list[tuple[Case, float, Surrogate, Tensor]]:
    """Small heads below L1: what ``surrogate`` says, and the best that was found by trying everywhere."""
    small = [case for case in random_cases() if case.z0.shape[1] <= 6]
    gammas = [(case, times * case.constants.L1) for case in small for times in TIMES_L1]
    return [(case, gamma, case.surrogate(gamma), _search(case, gamma)) for case, gamma in gammas]


def _search(case: Case, gamma: float) -> Tensor:
    """For each sample the greatest objective that was found within L0/gamma of it, where the supremum has to be."""
    tried = GRID if case.z0.shape[1] == 1 else STARTS
    over_again = replace(case, z0=case.z0.repeat(tried, 1), y=case.y.repeat(tried))
    found = _grid(over_again, gamma) if tried == GRID else _climbed(over_again, gamma)
    return over_again.objective(found, gamma).reshape(tried, -1).amax(0)


def _grid(case: Case, gamma: float) -> Tensor:
    away = torch.linspace(-1, 1, GRID, dtype=torch.float64).repeat_interleave(len(case.z0) // GRID)
    return case.z0 + away[:, None] * case.constants.L0 / gamma


def _climbed(case: Case, gamma: float) -> Tensor:
    """Plain gradient ascent, from random places around each sample."""
    draw = generator(3, case.name)
    way = torch.nn.functional.normalize(torch.randn(case.z0.shape, generator=draw, dtype=torch.float64), dim=1)
    length = torch.rand(len(way), 1, generator=draw, dtype=torch.float64)
    z = case.z0 + way * length * case.constants.L0 / gamma
    slope = grad(lambda z: case.objective(z, gamma).sum())
    for _ in range(STEPS):
        z = z + slope(z) / (2 * gamma)
    return z


def _bound(case: Case, gamma: float) -> Tensor:
    """``upper`` before ``solve`` raises it to ``value`` where rounding left it below; that would hide an error."""
    return solve._upper_below(case.net.head(case.z0), case.y, case.weight @ case.weight.T, gamma, case.constants.L1)


def upper_is_never_below_what_was_found() -> Measured:
    return Measured(
        "Below L1: φ is at most `upper`",
        f"γ from 0.003 to 1 L1, heads of up to 6 features: a grid of {GRID:,} points for each sample (1 feature), "
        f"{STARTS} gradient ascents from random places (others)",
        "least (upper - best found)",
        min(float((_bound(case, gamma) - best).min()) for case, gamma, _, best in _searched()),
        least=-1e-9,
    )


def value_is_reached() -> Measured:
    apart = ((case.objective(s.maximizer, gamma) - s.value).abs().max() for case, gamma, s, _ in _searched())
    return Measured(
        "and at least `value`, which `maximizer` reaches",
        "the objective at `maximizer`, written out",
        "greatest difference",
        max(map(float, apart)),
        most=1e-9,
    )


def value_is_the_best_found() -> Measured:
    return Measured(
        "`value` is the best local maximum that brute force finds",
        "the same searches",
        "most that brute force found beyond it",
        max(float((best - solved.value).max()) for _, _, solved, best in _searched()),
        most=1e-6,
    )


def the_gap_is_at_most_log_m() -> Measured:
    gaps = (
        float(case.surrogate(times * case.constants.L1).gap.max()) / math.log(len(case.weight))
        for case in cases()
        for times in TIMES_L1[::2]
    )
    return Measured(
        "`upper - value` is at most log m",
        "γ from 0.003 to 1 L1, every head",
        "greatest gap / log m",
        max(gaps),
        most=1,
    )


def the_surrogate_is_continuous_at_L1() -> Measured:
    def jump(case: Case) -> Tensor:
        below, above = (case.surrogate(case.constants.L1 * (1 + side)) for side in (-1e-9, 1e-9))
        assert (below.concave, above.concave) == (False, True)
        return (below.value - above.value).abs().max()

    return Measured(
        "φ is continuous at γ = L1",
        "`value` at L1 (1 ± 1e-9), every head",
        "greatest jump",
        max(float(jump(case)) for case in cases()),
        most=1e-6,
    )


STATEMENTS = (
    upper_is_never_below_what_was_found,
    value_is_reached,
    value_is_the_best_found,
    the_gap_is_at_most_log_m,
    the_surrogate_is_continuous_at_L1,
)
