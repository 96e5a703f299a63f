"""The certificate against adversaries: no shift of features or of weight within rho brings the mean loss above it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import torch
from torch import Tensor
from torch.func import grad
from torch.nn.functional import normalize

from unseen.base.randomness import generator
from unseen.theory import Certificate, certificate, regularizer
from unseen.theory.certificate import certify

from .cases import Case, cases, random_cases, trained, trained_case
from .measured import Measured

RADII = (1e-6, 1e-4, 1e-2, 0.1, 0.5, 2.0, 10.0)
EVENLY = tuple(torch.linspace(0.05, 2.0, 40, dtype=torch.float64).tolist())
SMALL = 1e-8
"""All radii are times 1/L1."""


@cache
def _curves() -> list[tuple[Case, Certificate]]:
    """Every case with its certificate; the trained net's is made from its images."""
    random = [(case, certify(case.net.head(case.z0), case.y, _gram(case), _radii(case))) for case in random_cases()]
    return [*random, (trained_case(), certificate(trained().net, trained().heldout, _radii(trained_case())))]


def _gram(case: Case) -> Tensor:
    return case.weight @ case.weight.T


def _radii(case: Case) -> list[float]:
    return [radius / case.constants.L1 for radius in (*RADII, *EVENLY, SMALL)]


def _points() -> Iterator[tuple[Case, float, float, float]]:
    """Each case, with radii rho, how much the certificate lets the mean loss rise, and from where."""
    for case, curve in _curves():
        for rho, bound in list(zip(curve.rho, curve.bound, strict=True))[: len(RADII)]:
            yield case, rho, bound - curve.loss, float(case.loss(case.z0).mean())


def _moves(case: Case) -> dict[str, Tensor]:
    """Ways to move every sample, up to one factor for all."""
    draw, n, loss = generator(7, case.name), len(case.z0), case.loss(case.z0)
    uphill = grad(lambda z: case.loss(z).sum())(case.z0)
    steepest = normalize(uphill, dim=1)
    towards = normalize(case.weight[torch.randint(len(case.weight), (n,), generator=draw)] - case.weight[case.y], dim=1)
    random = normalize(torch.randn(case.z0.shape, generator=draw, dtype=torch.float64), dim=1)
    alone = (loss == loss.max()).double()[:, None]
    few = torch.maximum((torch.rand(n, 1, generator=draw) < 0.1).double(), alone)
    return {
        "random directions": random,
        "random directions and lengths": random * torch.rand(n, 1, generator=draw, dtype=torch.float64) ** 4,
        "the gradient": uphill,
        "the gradient's direction": steepest,
        "the gradient's direction, few samples": few * steepest,
        "towards another class": towards,
        "towards another class, few samples": few * towards,
        "the sample with the greatest loss alone": alone * steepest,
    } | {
        f"the supremum for {times:g} L1": case.surrogate(times * case.constants.L1).maximizer - case.z0
        for times in (0.03, 0.3, 0.9, 1.1, 3.0, 30.0, 300.0)
    }


def _shifted(case: Case, rho: float, moves: dict[str, Tensor]) -> Iterator[float]:
    """Mean losses after each move, made as long as rho allows; also when only a share of each sample's mass goes."""
    before = case.loss(case.z0)
    for move in moves.values():
        cost = move.square().sum(1).mean() / 2
        for share in (1.0, 0.5, 0.05):
            after = case.loss(case.z0 + move * (rho / (share * cost)).sqrt())
            yield float((share * after + (1 - share) * before).mean())


def _reweighted(case: Case, rho: float) -> Iterator[float]:
    """Mean losses after weight went from samples to others of their class, at a cost of at most rho.

    The adversarial one takes the moves with the greatest gain for their cost first, as a fractional knapsack; the
    random one moves the same share of every sample's weight to a random other of its class.
    """
    n, loss = len(case.z0), case.loss(case.z0)
    cost = (case.z0[:, None] - case.z0).square().sum(2) / 2 / n
    gain = torch.where(case.y[:, None] == case.y, (loss - loss[:, None]) / n, -torch.inf)
    best, to = (gain / cost.clamp_min(1e-300)).fill_diagonal_(0).max(1)
    order = best.argsort(descending=True)
    costs, gains = cost.gather(1, to[:, None])[:, 0][order], gain.gather(1, to[:, None])[:, 0][order]
    spent = costs.cumsum(0) - costs
    shares = ((rho - spent) / costs.clamp_min(1e-300)).clamp(0, 1)
    yield float(loss.mean() + (shares * gains).sum())
    draw = generator(8, case.name)
    for _ in range(20):
        keys = torch.where(case.y[:, None] == case.y, torch.rand(n, n, generator=draw), -1.0)
        chosen = keys.argmax(1, keepdim=True)
        share = min(1.0, rho / max(float(cost.gather(1, chosen).sum()), 1e-300))
        yield float(loss.mean() + share * gain.gather(1, chosen).sum())


def no_shift_breaks_it() -> Measured:
    moves = {case.name: _moves(case) for case in cases()}
    shares = [
        (after - before) / room
        for case, rho, room, before in _points()
        for after in _shifted(case, rho, moves[case.name])
    ]
    return Measured(
        "The certificate: no shift of features of mean cost rho raises the mean loss above it",
        f"{len(shares):,} shifts, rho from 1e-6/L1 to 10/L1, every head: random, along the gradient, towards other "
        "classes, all budget on few samples, to `surrogate`'s maximizers; all mass, half, a twentieth",
        "greatest rise / rise that the bound allows",
        max(shares),
        least=0.9,
        most=1,
    )


def no_reweighting_breaks_it() -> Measured:
    shares = [(after - before) / room for case, rho, room, before in _points() for after in _reweighted(case, rho)]
    return Measured(
        "nor does any shift of weight between samples of one class",
        f"{len(shares):,} of them: the greatest gain for its cost first, and random",
        "greatest rise / rise that the bound allows",
        max(shares),
        least=0.01,
        most=1,
    )


def what_is_attained_is_below() -> Measured:
    rooms = [b - a for _, curve in _curves() for b, a in zip(curve.bound, curve.attained, strict=True)]
    return Measured(
        "`attained`, the loss of a transport within rho, is at most `bound`",
        "every head, rho from 1e-6/L1 to 10/L1",
        "least (bound - attained)",
        min(rooms),
        least=-1e-9,
    )


def they_meet_where_the_problem_is_concave() -> Measured:
    gaps = [
        (bound - attained) / (bound - curve.loss)
        for case, curve in _curves()
        for bound, attained, gamma in zip(curve.bound, curve.attained, curve.gamma, strict=True)
        if gamma > case.constants.L1
    ]
    return Measured(
        "and where the minimizing γ is above L1 the two meet, so that the bound can't be improved",
        f"the {len(gaps)} points of the curves where it is",
        "greatest (bound - attained) / (bound - loss)",
        max(gaps),
        most=0.025,
    )


def the_curve_is_increasing_and_concave() -> Measured:
    bends = []
    for _, curve in _curves():
        rises = [after - before for before, after in pairwise(curve.bound[len(RADII) : -1])]
        assert min(rises) > 0, "the curve falls"
        bends += [after - before for before, after in pairwise(rises)]
    return Measured(
        "The curve is increasing and concave in rho",
        f"{len(EVENLY)} rho from 0.05/L1 to 2/L1, every head",
        "greatest rise of its slope",
        max(bends),
        most=1e-12,
    )


def small_radii_cost_the_root() -> Measured:
    def ratio(case: Case, curve: Certificate) -> float:
        R = float(regularizer(case.net, case.z0, case.y).mean())
        return (curve.bound[-1] - curve.loss) / (2 * curve.rho[-1] * R) ** 0.5

    return Measured(
        "For small rho the bound is loss + √(2 rho · mean R)",
        f"every head at rho = {SMALL:g}/L1",
        "(bound - loss) / √(2 rho · mean R) farthest from 1",
        max((ratio(case, curve) for case, curve in _curves()), key=lambda r: abs(r - 1)),
        least=0.99,
        most=1.01,
    )


STATEMENTS = (
    no_shift_breaks_it,
    no_reweighting_breaks_it,
    what_is_attained_is_below,
    they_meet_where_the_problem_is_concave,
    the_curve_is_increasing_and_concave,
    small_radii_cost_the_root,
)
