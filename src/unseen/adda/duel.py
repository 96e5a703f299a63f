"""The duel of ADDA (Tzeng et al., 2017): a target encoder against a discriminator that sees its features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer
from typing_extensions import override

from unseen.adda.settings import ADDA
from unseen.base.images import Images
from unseen.base.randomness import Draws, generator
from unseen.engine import Engine, evaluation_batch, to_device_of, to_host
from unseen.errors import Diverged, InputError
from unseen.method.result import Result
from unseen.models.split import Split
from unseen.models.weights import xavier

LOOKED_AT = 1000  # target images by which a collapse is seen
SHRUNK = 0.5  # a collapse leaves less than this share of what the source encoder had


def discriminator_loss(of_source: Tensor, of_target: Tensor) -> Tensor:
    """L_D = -1/2 mean log D(z_s) - 1/2 mean log(1 - D(z_t)), where D is the sigmoid of these scores.

    ln 2 where the discriminator can't tell the domains apart.
    """
    return (F.softplus(-of_source).mean() + F.softplus(of_target).mean()) / 2


def encoder_loss(of_target: Tensor) -> Tensor:
    """L_M = -mean log D(z_t): the discriminator's loss on the target with the label inverted (the GAN loss)."""
    return F.softplus(-of_target).mean()


class Players(nn.Module):
    """The target's model and the discriminator of its features. Calling it is calling the model."""

    def __init__(self, model: nn.Module, features: int, hidden: int, seed: int) -> None:
        super().__init__()
        self.model = model
        with torch.device("meta"):  # no draw from torch's own generator
            self.discriminator = nn.Sequential(
                nn.Flatten(),
                nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1),
            )  # fmt: skip
        xavier(self.discriminator, generator(seed, "discriminator"))

    @override
    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.model(x)
        return scores


class Encoder(nn.Module):
    """A model up to its head, as a module of its own, which is what the engine takes."""

    def __init__(self, net: Split) -> None:
        super().__init__()
        self.net = net

    @override
    def forward(self, x: Tensor) -> Tensor:
        return self.net.features(x)


@dataclass
class Duel:
    """All that one step hands to the next: with it, an adaptation resumes exactly where it was."""

    net: Split
    """the ``Players``, seen as the target's features | head"""
    encode: Callable[[Tensor], Tensor]
    """the target's encoder, in the engine's precision"""
    discriminate: Callable[[Tensor], Tensor]
    optimizer: Optimizer
    z_s: Tensor
    """the source encoder's features of every source image"""
    x_t: Images
    """the target's images"""
    rows: Tensor
    """which of them are used"""
    draws: Draws
    t: int = 0
    """steps done"""
    k: int = 0
    """rounds done: a run folder counts them, and ADDA has none"""
    losses: Tensor = field(default_factory=lambda: torch.zeros(3, dtype=torch.float64))
    """sums since the last record: the discriminator's loss, how often it was right, the encoder's loss"""
    result: Result = field(default_factory=Result)
    """the last iterate"""


def begin(net: Split, x_s: Images, x_t: Images, adda: ADDA, seed: int, engine: Engine) -> Duel:
    """The duel before its first step. ``net`` is the source's model and becomes the target's.

    Both encoders are in evaluation mode throughout: the discriminator compares the features that the models give in
    use, and finds no dropout or batch statistics to tell the domains by. So the source's features never change, and
    are taken once, before the first step, from the copy that the target encoder still is.
    """
    draws = Draws(generator(seed, "adda").initial_seed())
    with engine.seeded(draws.seed_for("layout")):
        engine.place(net.eval(), x_t[:1])
    encode = engine.prepare(Encoder(net))
    with engine.seeded(draws.seed_for("source features")):
        z_s = _encode_all(encode, x_s, torch.arange(len(x_s)), engine)
    players = Players(net.model, z_s[0].numel(), adda.hidden, seed)
    engine.place(players.discriminator)
    return Duel(
        net=Split(players, f"model.{net.head_name}"),
        encode=encode,
        discriminate=engine.prepare(players.discriminator),
        optimizer=_adam(net, players.discriminator, adda),
        z_s=z_s,
        x_t=x_t,
        rows=draws.without_replacement(len(x_t), adda.target_images or len(x_t)),
        draws=draws,
    )


def _adam(net: Split, discriminator: nn.Module, adda: ADDA) -> Optimizer:
    head = set(net.model.get_submodule(net.head_name).parameters())
    encoder = [p for p in net.parameters() if p.requires_grad and p not in head]
    if not encoder:
        raise InputError("the model has no trainable parameter before its head: nothing to adapt")
    groups = [
        {"params": encoder, "lr": adda.alpha},
        {"params": list(discriminator.parameters()), "lr": adda.alpha_discriminator},
    ]
    return torch.optim.Adam(groups, betas=(adda.beta1, 0.999), fused=True)


@torch.no_grad()
def _encode_all(encode: Callable[[Tensor], Tensor], images: Images, rows: Tensor, engine: Engine) -> Tensor:
    parts = torch.split(rows, evaluation_batch(images[:1]))
    return torch.cat([to_host(encode(engine.put(images[part], part)[0])) for part in parts])


def step(duel: Duel, adda: ADDA, engine: Engine) -> None:
    """One update of both players from the same features, as in the authors' code."""
    from_source = duel.draws.minibatch(len(duel.z_s), adda.batch)
    from_target = duel.rows[duel.draws.minibatch(len(duel.rows), adda.batch)]
    x_t, z_s = engine.put(duel.x_t[from_target], duel.z_s[from_source])
    with engine.seeded(duel.draws.model_seed()):
        z_t = duel.encode(x_t)
    duel.optimizer.zero_grad()
    of_encoder = encoder_loss(duel.discriminate(z_t))
    engine.backward(of_encoder)
    duel.net.model.get_submodule("discriminator").zero_grad()  # it follows its own loss alone
    of_source, of_target = duel.discriminate(torch.cat([z_s, z_t.detach()])).chunk(2)
    of_discriminator = discriminator_loss(of_source, of_target)
    engine.backward(of_discriminator)
    _refuse_non_finite(duel, adda)
    duel.optimizer.step()
    right = torch.cat([of_source > 0, of_target < 0]).float().mean()
    duel.losses += to_host(torch.stack([of_discriminator.detach(), right, of_encoder.detach()]))
    duel.t += 1


def _refuse_non_finite(duel: Duel, adda: ADDA) -> None:
    """Stop before a gradient that isn't finite reaches the weights or Adam's moments."""
    gradients = [p.grad for group in duel.optimizer.param_groups for p in group["params"] if p.grad is not None]
    if not torch.isfinite(torch.nn.utils.get_total_norm(gradients)):
        raise Diverged(
            f"adaptation step {duel.t + 1}: a gradient is not finite; the weights are those of step {duel.t}; lower "
            f"alpha (now {adda.alpha:g}) or alpha_discriminator (now {adda.alpha_discriminator:g})"
        )


@dataclass(frozen=True)
class Health:
    """Whether images can still be told apart by their features: seen without labels."""

    spread: float
    """sqrt(E ||z - E z||^2 / E ||z||^2): 0 where all images have the same features, never above 1"""
    classes: float
    """exp of the entropy of the predicted classes: 1 where all images fall into one, C where C share them equally"""

    @classmethod
    def of(cls, z: Tensor, scores: Tensor) -> Health:
        """Measured on these features and scores."""
        z = z.double()
        around_mean, around_zero = (z - z.mean(0)).square().sum(), z.square().sum()
        spread = (around_mean / around_zero).sqrt() if around_zero > 0 else around_zero
        shares = torch.bincount(scores.argmax(1)).double() / len(scores)
        return cls(float(spread), float(torch.special.entr(shares).sum().exp()))

    def collapsed_from(self, before: Health) -> bool:
        """Whether the spread or the classes shrank to less than half."""
        return self.spread < SHRUNK * before.spread or self.classes < SHRUNK * before.classes


@torch.no_grad()
def look(duel: Duel, engine: Engine) -> Health:
    """How the target encoder does, on the first of the target's images that are used."""
    with engine.seeded(duel.draws.seed_for(f"look {duel.t}")):
        z = _encode_all(duel.encode, duel.x_t, duel.rows[:LOOKED_AT], engine)
        return Health.of(z, to_host(duel.net.head(to_device_of(duel.net, z))))
