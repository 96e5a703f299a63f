"""What the statements are tried on: random heads with random features, and a trained net with its real features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import torch
from torch import Tensor, nn

import unseen
from unseen.base.randomness import generator
from unseen.theory import Constants, Surrogate, constants, surrogate

EXACT = 1e-13
"""A tolerance that leaves nothing but rounding."""


@dataclass(frozen=True, eq=False)
class Case:
    """A linear head in float64, and labelled samples given by their features."""

    name: str
    net: unseen.Split
    z0: Tensor
    y: Tensor

    @cached_property
    def constants(self) -> Constants:
        return constants(self.net)

    @property
    def weight(self) -> Tensor:
        return self.net.model.get_submodule(self.net.head_name).weight.detach()

    def loss(self, z: Tensor, y: Tensor | None = None) -> Tensor:
        return nn.functional.cross_entropy(self.net.head(z), self.y if y is None else y, reduction="none")

    def objective(self, z: Tensor, gamma: float) -> Tensor:
        """h(z) = loss - gamma/2 ||z - z0||^2, as the paper writes it."""
        return self.loss(z) - gamma / 2 * (z - self.z0).square().sum(1)

    def surrogate(self, gamma: float) -> Surrogate:
        return _solved(self, gamma)


@cache
def _solved(case: Case, gamma: float) -> Surrogate:
    return surrogate(case.net, case.z0, case.y, gamma, tolerance=EXACT)


def linear(weight: Tensor, bias: Tensor | None = None, after: nn.Module | None = None) -> unseen.Split:
    """A net whose images are its features: a linear head, and what may come after it."""
    head = nn.utils.skip_init(nn.Linear, weight.shape[1], len(weight), bias=bias is not None, dtype=weight.dtype)
    with torch.no_grad():
        head.weight.copy_(weight)
        if bias is not None:
            head.bias.copy_(bias)
    layers = [nn.Identity(), head, *([] if after is None else [after])]
    return unseen.split(nn.Sequential(*layers).requires_grad_(False), head="1")


def random_case(name: str, classes: int, features: int, *, scale: float = 1.0, biased: bool = True) -> Case:
    """A Gaussian head, 40 samples near the origin and 20 far from it, with labels that are often not the answer."""
    draw = generator(0, name)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    net = linear(scale * normal(classes, features), normal(classes) if biased else None)
    z0 = torch.cat([normal(40, features), 10 * normal(20, features)]) / (scale * features**0.5)
    return Case(name, net, z0, torch.randint(classes, (len(z0),), generator=draw))


@cache
def random_cases() -> tuple[Case, ...]:
    return (
        random_case("2 classes, 1 feature", 2, 1),
        random_case("2 classes, 3 features, no bias", 2, 3, biased=False),
        random_case("5 classes, 2 features", 5, 2, scale=3.0),
        random_case("4 classes, 6 features, small weights", 4, 6, scale=0.05),
        random_case("10 classes, 64 features", 10, 64, scale=0.3),
    )


@dataclass(frozen=True)
class Trained:
    """A net trained on digits, and digits it was not trained on."""

    net: unseen.Split
    heldout: unseen.Domain


@cache
def trained() -> Trained:
    """A tenth as wide as the paper's net, 150 steps: good enough to be sure of most digits and wrong on some."""
    net = unseen.models.ConvNet(width=0.1, seed=0)
    settings = unseen.ERM(T=150, alpha=2e-3)
    unseen.fit(net, unseen.domain("mnist5k-train"), settings, seed=0, engine=unseen.Engine("cpu", "float32"))
    return Trained(unseen.split(net), unseen.domain("mnist5k-heldout").head(120))


@cache
def trained_case() -> Case:
    """The trained net's head in float64, on the real features of held-out digits."""
    known = trained()
    head = known.net.model.head
    with known.net.evaluated(), torch.no_grad():
        z0 = known.net.features(known.heldout.images).double()
    return Case("trained ConvNet, digits", linear(head.weight.double(), head.bias.double()), z0, known.heldout.labels)


@cache
def cases() -> tuple[Case, ...]:
    return (*random_cases(), trained_case())


TIMES_L1 = (1.001, 1.01, 1.1, 1.5, 2.0, 5.0, 10.0, 1e2, 1e3, 1e4)


def with_gammas() -> list[tuple[Case, float]]:
    """Every case with every gamma above L1 that the theorems are tried on."""
    return [(case, times * case.constants.L1) for case in cases() for times in TIMES_L1]
