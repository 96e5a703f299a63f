"""The inner maximization, eq. (8), for one batch: gradient steps on ``loss - gamma * cost``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unseen.engine import Engine, ascent_batch
from unseen.errors import Diverged, InputError, name_samples
from unseen.method.cost import scale_of, softmax_loss, squared_distance, transport_cost
from unseen.method.settings import ADA
from unseen.models.split import Split, split
from unseen.theory.reach import Reach


def ascend(
    net: Split | torch.nn.Module,
    x: Tensor,
    y: Tensor,
    ada: ADA,
    *,
    engine: Engine | None = None,
    names: Sequence[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Tensor:
    """Make a batch of images fictitious: T_max steps of ``x += eta * grad_x {loss(x, y) - gamma * c(x, x0)}``.

    Each sample climbs by itself: its result does not depend on the batch it comes in, its size or its order
    (to float tolerance). The model is evaluated, never trained: its parameters, buffers, modes and gradients
    are afterwards what they were before. Labels never change.

    ``engine`` says in which precision; without one it is float32. ``names`` is what to call the samples if one stops
    being finite; ``progress`` hears of each batch done.
    """
    net, engine = split(net), engine or Engine(precision="float32")
    if len(x) != len(y):
        raise InputError(f"ascend: {len(x)} images but {len(y)} labels; expected one label for each image")
    names = names or [f"sample {i}" for i in range(len(x))]
    done = [x[:0].detach()]
    with net.frozen(), engine.swift(net), torch.enable_grad():
        for rows in _batches(x):
            done.append(_climb(net, x[rows], y[rows], ada, names[rows]))
            if progress is not None:
                progress(len(done[-1]))
    return torch.cat(done)


def _batches(x: Tensor) -> Iterator[slice]:
    batch = ascent_batch(x[0]) if len(x) else 1
    return (slice(i, i + batch) for i in range(0, len(x), batch))


def _climb(net: Split, x0: Tensor, y: Tensor, ada: ADA, names: Sequence[str]) -> Tensor:
    step = scale_of(ada, 1).step
    x = x0 = x0.detach()
    z0 = None
    for t in range(1, ada.T_max + 1):
        x = x.detach().requires_grad_()
        z, scores = net.features_and_scores(x)
        z0 = z.detach() if z0 is None else z0  # the first step is taken at x0
        objective = softmax_loss(scores, y) - ada.gamma * transport_cost(ada, z, z0, x, x0)
        (gradient,) = torch.autograd.grad(objective.sum(), x)
        finite = torch.isfinite(objective) & torch.isfinite(gradient).flatten(1).all(1)
        if not finite.all():
            raise Diverged(
                f"ascent step {t} of {ada.T_max}: the loss or its gradient is not finite for "
                f"{name_samples(names, ~finite)}; lower eta (now {ada.eta:g})"
            )
        x = torch.add(x.detach(), gradient, alpha=step)
        if ada.clip:
            x = x.clamp(0, 1)
    return x.detach()


@dataclass(frozen=True)
class Climb:
    """What a round's ascent did, as means over its samples."""

    loss_before: float
    loss_after: float
    cost: float
    """transport cost c_theta, in the units of the scale"""
    moved: float
    """L2 distance in pixels"""
    radius: float
    """1/2 ||z - z0||^2, the transport cost in features as the text has it"""
    supremum: float | None = None
    """of loss - gamma * cost over all of feature space, at least; None where that is infinite or not known"""
    supremum_most: float | None = None
    """and at most"""

    @classmethod
    def mean(cls, measured: Tensor) -> Climb:
        """The means over samples that ``measure_climb`` measured; of a supremum that is NaN, None."""
        means: list[float] = measured.double().mean(0).tolist()
        return cls(*means[:5], *(None if math.isnan(mean) else mean for mean in means[5:]))


@torch.no_grad()
def measure_climb(net: Split, x0: Tensor, x: Tensor, y: Tensor, ada: ADA, engine: Engine) -> Tensor:
    """How far each fictitious image went from its start, and what it did to the loss: a row as ``Climb`` has it."""
    reach = Reach.of(net, ada)
    measured = [x.new_zeros(0, 5 if reach is None else 7)]
    with net.frozen(), engine.swift(net):
        for rows in _batches(x):
            z0, scores0 = net.features_and_scores(x0[rows])
            z, scores = net.features_and_scores(x[rows])
            each = [
                softmax_loss(scores0, y[rows]),
                softmax_loss(scores, y[rows]),
                transport_cost(ada, z, z0, x[rows], x0[rows]),
                squared_distance(x[rows], x0[rows]).sqrt(),
                squared_distance(z, z0) / 2,
            ]
            if reach is not None:
                each += [bound.to(each[0]) for bound in reach.supremum(z0, scores0, y[rows])]
            measured.append(torch.stack(each, dim=1))
    return torch.cat(measured)
