"""Algorithm 1, adversarial data augmentation, in the paper's symbols."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from unseen.engine import Engine, to_host
from unseen.errors import Diverged, name_samples
from unseen.method.ascent import fictitious
from unseen.method.descent import descend, minibatch
from unseen.method.losses import minimization_losses, views_of
from unseen.method.moves import Fictitious
from unseen.method.settings import ADA
from unseen.method.state import Observer, State


def augment_and_train(state: State, ada: ADA, engine: Engine, observer: Observer) -> None:
    """Algorithm 1 from ``state`` to its end. T counts every minimization step, those between rounds included."""
    augment(state, ada, engine, observer, K=ada.K)
    minimize_until(ada.T, state, ada, engine, observer)


def augment(state: State, ada: ADA, engine: Engine, observer: Observer, K: int) -> None:
    """The rounds of Algorithm 1 from ``state`` to the K-th: steps of minimization, then maximization, each."""
    for k in range(state.k + 1, K + 1):
        minimize_until(ada.steps_before(k), state, ada, engine, observer)
        maximize(state, engine, ada, observer)


def minimize_until(t: int, state: State, ada: ADA, engine: Engine, observer: Observer) -> None:
    """Minimization steps up to the t-th of the training."""
    while state.t < t:
        minimize(state, engine, ada)
        observer.stepped(state)


def minimize(state: State, engine: Engine, ada: ADA) -> None:
    """Sample (X_t, Y_t) uniformly from the pool; theta <- theta - alpha grad_theta loss(theta; (X_t, Y_t))."""
    rows = minibatch(state, ada)
    views, y = views_of(state, engine, ada, rows)
    buffers = [buffer.clone() for buffer in state.net.buffers()]  # BatchNorm's statistics move in the forward pass
    with engine.seeded(state.draws.model_seed()):
        losses = minimization_losses(state, ada, views, y)
    state.optimizer.zero_grad()
    engine.backward(losses.sum() / ada.batch)
    engine.average(state.net.buffers())
    losses = engine.gather(losses.detach(), ada.batch)
    _refuse_non_finite(state, rows, losses, buffers, ada)
    descend(state, ada)
    state.losses += to_host(losses.mean())


def maximize(state: State, engine: Engine, ada: ADA, observer: Observer) -> None:
    """Sample {X_i, Y_i} from the pool; X_i^k <- the ascent from X_i; append (X_i^k, Y_i) to the pool."""
    k, pool = state.k + 1, state.pool
    starts = pool.starts(ada.sampling, state.draws)
    size = engine.part_size(pool.source[0])
    for part, rows in enumerate(torch.split(starts, size)):
        made = observer.recall(k, part, rows)
        if made is None:
            with engine.seeded(state.draws.seed_for(f"round {k} part {part}")):
                mine = engine.on_every_rank(partial(_ascend_from, state, engine, ada, rows, part, observer))
            made = Fictitious.of({name: to_host(engine.gather(t, len(rows))) for name, t in mine.tensors().items()})
            observer.made(k, part, made, rows)
        else:
            observer.ascended(k, len(made.images), pool.n)
        pool.write(made.images, rows, at=part * size, labels=made.labels)
    pool.close()
    state.k = k
    observer.appended(state, starts)


def _ascend_from(state: State, engine: Engine, ada: ADA, rows: Tensor, part: int, observer: Observer) -> Fictitious:
    """This rank's share of the part; the transformations are drawn for the whole of it, whatever the ranks."""
    k, mine, chains, links = state.k + 1, engine.share(rows), ada.ascended, None
    if chains is not None:
        drawn = chains.draw(len(rows), state.draws.generator_for(f"transformations {k} part {part}"), ada.start)
        links = drawn[engine.share(torch.arange(len(rows)))]
    names = [state.pool.name(row) for row in mine.tolist()]
    x, y = engine.put(*state.pool.take(mine))

    def report(done: int) -> None:
        observer.ascended(k, done * engine.ranks, state.pool.n)

    try:
        made = fictitious(state.net, x, y, ada, engine=engine, names=names, progress=report, links=links)
    except Diverged as error:
        raise Diverged(f"round {k}, after minimization step {state.t}, {error}") from None
    return Fictitious.of({name: tensor.contiguous() for name, tensor in made.tensors().items()})


def _refuse_non_finite(state: State, rows: Tensor, losses: Tensor, buffers: list[Tensor], ada: ADA) -> None:
    """Stop before a non-finite loss or gradient reaches the weights or Adam's moments."""
    gradients = [p.grad for p in state.net.parameters() if p.grad is not None]
    if torch.isfinite(torch.nn.utils.get_total_norm(gradients)) & torch.isfinite(losses).all():
        return
    for buffer, before in zip(state.net.buffers(), buffers, strict=True):
        buffer.copy_(before)
    bad = ~torch.isfinite(losses)
    what, which = ("loss", bad) if bad.any() else ("gradient", torch.ones_like(bad))
    names = [state.pool.name(row) for row in rows.tolist()]
    looked_at = "these images" if ada.augment is None else "these images and at what augment makes of them"
    raise Diverged(
        f"round {state.k}, minimization step {state.t + 1}: the {what} is not finite for "
        f"{name_samples(names, which)}; the weights are those of step {state.t}; lower alpha (now {ada.alpha:g}) "
        f"or look at {looked_at}"
    )
