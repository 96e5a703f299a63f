"""Theorem 2: phi_gamma - loss between two multiples of the regularizer, and how large the radius is that gamma buys."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from torch.func import grad, vmap

from unseen.theory import regularizer, theorem2_bracket
from unseen.theory.bounds import Bracket

from .cases import Case, cases, with_gammas
from .measured import Measured, slope

ROUNDING = 1e-5
"""phi - loss is a difference: samples where it is below 1e-9 of the loss are left out, and this is what is left."""


def the_regularizer_is_the_squared_gradient() -> Measured:
    return Measured(
        "‖θ_y - Σ p_j θ_j‖² of eq. (11) is the loss's squared gradient in z",
        "every head; the gradient by autograd",
        "greatest difference / L0²",
        max(float((_regularizer(c) - _squared_gradient(c)).abs().max() / c.constants.L0**2) for c in cases()),
        most=1e-12,
    )


def _regularizer(case: Case) -> Tensor:
    return regularizer(case.net, case.z0, case.y).detach()


def _squared_gradient(case: Case) -> Tensor:
    gradient = vmap(grad(lambda z, y: case.loss(z[None], y[None])[0]))(case.z0, case.y)
    return gradient.square().sum(1)


def _gains(case: Case, gamma: float) -> tuple[Tensor, Bracket, Tensor]:
    """phi - loss, the brackets, and where the difference is more than rounding."""
    loss = case.loss(case.z0).detach()
    gain, bracket = case.surrogate(gamma).value - loss, theorem2_bracket(case.net, case.z0, case.y, gamma)
    return gain, bracket, gain > 1e-9 * (1 + loss)


def _bracketed(which: str) -> Iterator[tuple[Tensor, Tensor]]:
    """phi - loss as shares of the lower and the upper bound, for every head and gamma that has such a bound."""
    below = [(case, times * case.constants.L1) for case in cases() for times in (0.05, 0.5, 1.0)]
    above = [(case, times * case.constants.L_theta) for case in cases() for times in (1.001, 1.2, 2.0, 10.0)]
    for case, gamma in [*below, *with_gammas(), *above]:
        gain, bracket, seen = _gains(case, gamma)
        between = getattr(bracket, which)
        if between is not None:
            yield (gain / between.lower)[seen], (gain / between.upper)[seen]


def _lower(which: str, statement: str) -> Measured:
    return Measured(
        statement,
        "every head, sample and γ it is about",
        "least (φ - loss) / bound",
        min(float(lower.min()) for lower, _ in _bracketed(which) if len(lower)),
        least=1 - ROUNDING,
    )


def _upper(which: str, statement: str) -> Measured:
    return Measured(
        statement,
        "every head, sample and γ it is about",
        "greatest (φ - loss) / bound",
        max(float(upper.max()) for _, upper in _bracketed(which) if len(upper)),
        most=1 + ROUNDING,
    )


def the_proved_lower_bound() -> Measured:
    return _lower("proved", "Theorem 2, proved: φ - loss is at least R/(2γ), for every γ")


def the_proved_upper_bound() -> Measured:
    return _upper("proved", "and at most R/(2 (γ - L1)), for γ above L1; below it, at most `upper` - loss")


def the_proofs_lower_bound() -> Measured:
    return _lower("proof", "Theorem 2 as its proof ends: at least R/(2 (γ + L(θ)))")


def the_proofs_upper_bound() -> Measured:
    return _upper("proof", "and at most R/(2 (γ - L(θ)))")


def the_stated_upper_bound() -> Measured:
    return _upper("stated", "Theorem 2 as stated: at most R/(γ - L(θ)) holds, at twice what its proof gives")


def the_stated_lower_bound_is_false() -> Measured:
    broken = seen_in_all = 0
    for case in cases():
        for times in (1.001, 2.0, 10.0, 100.0):
            gamma = times * (case.constants.L_theta + 2 * case.constants.L1)
            gain, bracket, seen = _gains(case, gamma)
            assert bracket.stated is not None
            broken += int((gain < bracket.stated.lower)[seen].sum())
            seen_in_all += int(seen.sum())
    return Measured(
        "Theorem 2 as stated: at least R/(γ + L(θ)) is false for every sample with a gradient once γ is above "
        "L(θ) + 2 L1, which is at most 3/2 L(θ)",
        f"{seen_in_all:,} samples and γ from 1.001 to 100 times that",
        "share of them that break it",
        broken / seen_in_all,
        least=1,
        most=1,
    )


def the_coefficient_is_one_half() -> Measured:
    return Measured(
        "φ = loss + R/(2γ) + O(γ⁻²): eq. (11) lacks the 1/2",
        "γ (φ - loss)/R at γ = 100 and 200 L1, extrapolated to infinite γ; summed over the samples of each head",
        "farthest from 1/2",
        max((_coefficient(case) for case in cases()), key=lambda c: abs(c - 0.5)),
        least=0.4999,
        most=0.5001,
    )


def _coefficient(case: Case) -> float:
    def at(gamma: float) -> float:
        gain = case.surrogate(gamma).value - case.loss(case.z0).detach()
        return float(gamma * gain.sum() / _regularizer(case).sum())

    return 2 * at(200 * case.constants.L1) - at(100 * case.constants.L1)


def the_radius_falls_with_the_square() -> Measured:
    return Measured(
        "The radius rho = mean ½‖z* - z0‖² that γ amounts to falls as γ⁻², not as γ⁻¹ (Section 2, ensembles)",
        "slope of log rho over log γ, γ from 30 to 1,000 L1",
        "slope farthest from -2",
        max((_radius_slope(case) for case in cases()), key=lambda s: abs(s + 2)),
        least=-2.03,
        most=-1.97,
    )


def _radius_slope(case: Case) -> float:
    gammas = [times * case.constants.L1 for times in (30.0, 100.0, 300.0, 1000.0)]
    return slope(gammas, [_radius(case, gamma) for gamma in gammas])


def _radius(case: Case, gamma: float) -> float:
    return float((case.surrogate(gamma).maximizer - case.z0).square().sum(1).mean() / 2)


def the_radius_is_the_regularizer() -> Measured:
    ratios = (
        _radius(case, gamma) * 2 * gamma**2 / float(_regularizer(case).mean())
        for case in cases()
        for gamma in (1000 * case.constants.L1,)
    )
    return Measured(
        "and is mean R/(2γ²) for large γ",
        "every head at γ = 1,000 L1",
        "rho / (mean R/(2γ²)) farthest from 1",
        max(ratios, key=lambda r: abs(r - 1)),
        least=0.995,
        most=1.005,
    )


STATEMENTS = (
    the_regularizer_is_the_squared_gradient,
    the_proved_lower_bound,
    the_proved_upper_bound,
    the_proofs_lower_bound,
    the_proofs_upper_bound,
    the_stated_upper_bound,
    the_stated_lower_bound_is_false,
    the_coefficient_is_one_half,
    the_radius_falls_with_the_square,
    the_radius_is_the_regularizer,
)
