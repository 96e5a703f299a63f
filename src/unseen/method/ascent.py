"""The inner maximization, eq. (8), for one batch: gradient steps on ``loss - gamma * cost``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from unseen.engine import Engine, ascent_batch
from unseen.errors import Diverged, InputError, name_samples
from unseen.method.cost import scale_of, softmax_loss, transport_cost
from unseen.method.settings import ADA
from unseen.models.split import Split, split


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

    Each sample ascends by itself: its result does not depend on the batch it comes in, its size or its order
    (to float tolerance). The model is evaluated, never trained: its parameters, buffers, modes and gradients
    are afterwards what they were before. Labels never change.

    ``engine`` says in which precision; without one it is float32. ``names`` is what to call the samples if one stops
    being finite; ``progress`` is called with the size of each batch done.
    """
    net, engine = split(net), engine or Engine(precision="float32")
    if len(x) != len(y):
        raise InputError(f"ascend: {len(x)} images but {len(y)} labels; expected one label for each image")
    names = names or [f"sample {i}" for i in range(len(x))]
    done = [x[:0].detach()]
    with net.frozen(), engine.fast_ascent(net), torch.enable_grad():
        for rows in ascent_batches(x):
            done.append(_ascend(net, x[rows], y[rows], ada, names[rows]))
            if progress is not None:
                progress(len(done[-1]))
    return torch.cat(done)


def ascent_batches(x: Tensor) -> Iterator[slice]:
    """The rows that go through the network at once; what comes out doesn't depend on them."""
    batch = ascent_batch(x[0]) if len(x) else 1
    return (slice(i, i + batch) for i in range(0, len(x), batch))


def _ascend(net: Split, x0: Tensor, y: Tensor, ada: ADA, names: Sequence[str]) -> Tensor:
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
