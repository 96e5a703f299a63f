"""The inner maximization, eq. (8), for one batch: gradient steps on ``loss - gamma * cost``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeAlias

import torch
from torch import Tensor

from unseen.base.randomness import generator
from unseen.engine import Engine, ascent_batch
from unseen.errors import Diverged, InputError, name_samples
from unseen.method.cost import entropy, softmax_loss, transport_cost
from unseen.method.moves import Fictitious, Move, move_from, together
from unseen.method.settings import ADA
from unseen.models.split import Split, split
from unseen.transforms.chains import Links

Calling: TypeAlias = Callable[[], AbstractContextManager[Any]]


def ascend(
    net: Split | torch.nn.Module,
    x: Tensor,
    y: Tensor,
    ada: ADA,
    *,
    engine: Engine | None = None,
    names: Sequence[str] | None = None,
    progress: Callable[[int], None] | None = None,
    seed: int = 0,
) -> Tensor:
    """Make a batch of images fictitious: T_max steps of ``x += eta * grad_x {loss(x, y) - gamma * c(x, x0)}``.

    Each sample ascends by itself: its result does not depend on the batch it comes in, its size or its order
    (to float tolerance). The model is evaluated, never trained: its parameters, buffers, modes and gradients
    are afterwards what they were before. Labels never change.

    With ``ada.over`` transformations, x = T_w(x0) and the steps are taken in w; which ones each image goes through, and
    where w starts, follows from ``seed``. ``engine`` says in which precision; without one it is float32. ``names`` is
    what to call the samples if one stops being finite; ``progress`` is called with the size of each batch done.
    """
    made = fictitious(net, x, y, ada, engine=engine, names=names, progress=progress, seed=seed)
    if made.labels is not None:
        raise InputError(
            "ascend: the transformations move pixels, and the masks with them; use unseen.fictitious(...), which gives "
            "images and labels"
        )
    return made.images


def fictitious(
    net: Split | torch.nn.Module,
    x: Tensor,
    y: Tensor,
    ada: ADA,
    *,
    engine: Engine | None = None,
    names: Sequence[str] | None = None,
    progress: Callable[[int], None] | None = None,
    seed: int = 0,
    links: Links | None = None,
) -> Fictitious:
    """The same with all that came of it: images, masks that moved, and which transformations went how far.

    ``links`` are chains that were drawn before, in place of those that follow from ``seed``.
    """
    net, engine = split(net), engine or Engine(precision="float32")
    if len(x) != len(y):
        raise InputError(f"ascend: {len(x)} images but {len(y)} labels; expected one label for each image")
    names = names or [f"sample {i}" for i in range(len(x))]
    chains = ada.ascended
    if chains is not None and links is None:
        links = chains.draw(len(x), generator(seed, "transformations"), ada.start)
    if not len(x):
        return move_from(x, y, links, ada).result()
    done = []
    with (
        net.frozen(),
        engine.for_one_call(net, x[:1]) as layout,
        engine.fast_ascent(net) as calling,
        torch.enable_grad(),
    ):
        for rows in ascent_batches(x, transformed=links is not None):
            x0 = x[rows].detach().to(memory_format=layout)
            move = move_from(x0, y[rows], None if links is None else links[rows], ada)
            done.append(_ascend(net, move, x0, ada, names[rows], calling))
            if progress is not None:
                progress(len(done[-1].images))
    made = together(done)
    return replace(made, images=made.images.contiguous()) if x.is_contiguous() else made


def ascent_batches(x: Tensor, *, transformed: bool = False) -> Iterator[slice]:
    """The rows that go through the network at once; what comes out doesn't depend on them."""
    batch = ascent_batch(x[0], transformed=transformed) if len(x) else 1
    return (slice(i, i + batch) for i in range(0, len(x), batch))


def _ascend(net: Split, move: Move, x0: Tensor, ada: ADA, names: Sequence[str], calling: Calling) -> Fictitious:
    """T_max steps of one batch; the network is called inside a context that ``calling`` makes."""
    z0 = None
    if not move.at_source and ada.T_max:
        with torch.no_grad():
            z0 = net.features(x0)
    for t in range(1, ada.T_max + 1):
        free = move.free()
        x = move.images()
        with calling():
            z, scores = net.features_and_scores(x)
        z0 = z.detach() if z0 is None else z0  # the first step is taken at x0
        objective = softmax_loss(scores, move.labels()) - ada.gamma * transport_cost(ada, z, z0, x, x0)
        if ada.entropy:
            objective = objective + ada.entropy * entropy(scores)
        gradients = torch.autograd.grad(objective.sum(), free)
        finite = torch.isfinite(objective)
        for gradient in gradients:
            finite = finite & torch.isfinite(gradient).flatten(1).all(1)
        if not finite.all():
            raise Diverged(
                f"ascent step {t} of {ada.T_max}: the loss or its gradient is not finite for "
                f"{name_samples(names, ~finite)}; {move.advice(~finite)}"
            )
        move.step(gradients)
    with torch.no_grad():
        return move.result()
