"""Algorithm 1, adversarial data augmentation, in the paper's symbols."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from unseen.engine import Engine, to_host
from unseen.errors import Diverged, name_samples
from unseen.method.ascent import ascend
from unseen.method.cost import softmax_loss
from unseen.method.settings import ADA
from unseen.method.state import Observer, State


def augment_and_train(state: State, ada: ADA, engine: Engine, observer: Observer) -> None:
    """Algorithm 1 from ``state`` to its end. T counts every minimization step, those between rounds included."""
    augment(state, ada, engine, observer, K=ada.K)
    minimize_until(ada.T, state, ada, engine, observer)


def augment(state: State, ada: ADA, engine: Engine, observer: Observer, K: int) -> None:
    """The rounds of Algorithm 1 from ``state`` to the K-th: T_min steps of minimization, then maximization, each."""
    for k in range(state.k + 1, K + 1):
        minimize_until(k * ada.T_min, state, ada, engine, observer)
        maximize(state, engine, ada, observer)


def minimize_until(t: int, state: State, ada: ADA, engine: Engine, observer: Observer) -> None:
    """Minimization steps up to the t-th of the training."""
    while state.t < t:
        minimize(state, engine, ada)
        observer.stepped(state)


def minimize(state: State, engine: Engine, ada: ADA) -> None:
    """Sample (X_t, Y_t) uniformly from the pool; theta <- theta - alpha grad_theta loss(theta; (X_t, Y_t))."""
    rows = state.draws.minibatch(len(state.pool), ada.batch)
    x, y = engine.put(*state.pool.take(engine.share(rows)))
    buffers = [buffer.clone() for buffer in state.net.buffers()]  # BatchNorm's statistics move in the forward pass
    with engine.seeded(state.draws.model_seed()):
        losses = softmax_loss(state.forward(x), y)
    state.optimizer.zero_grad()
    engine.backward(losses.sum() / ada.batch)
    engine.average(state.net.buffers())
    losses = engine.gather(losses.detach(), ada.batch)
    _refuse_non_finite(state, rows, losses, buffers, ada)
    state.optimizer.step()
    state.losses += to_host(losses.mean())
    state.t += 1


def maximize(state: State, engine: Engine, ada: ADA, observer: Observer) -> None:
    """Sample {X_i, Y_i} from the pool; X_i^k <- the ascent from X_i; append (X_i^k, Y_i) to the pool."""
    k, pool = state.k + 1, state.pool
    starts = pool.starts(ada.sampling, state.draws)
    size = engine.part_size(pool.images[0])
    for part, rows in enumerate(torch.split(starts, size)):
        images = observer.recall(k, part)
        if images is None:
            with engine.seeded(state.draws.seed_for(f"round {k} part {part}")):
                mine = engine.on_every_rank(partial(_ascend_from, state, engine, ada, engine.share(rows), observer))
            images = to_host(engine.gather(mine, len(rows)))
            observer.made(k, part, images, rows)
        else:
            observer.ascended(k, len(images), pool.n)
        pool.write(images, at=part * size)
    pool.close(starts)
    state.k = k
    observer.appended(state, starts)


def _ascend_from(state: State, engine: Engine, ada: ADA, rows: Tensor, observer: Observer) -> Tensor:
    k = state.k + 1
    names = [state.pool.name(row) for row in rows.tolist()]
    x, y = engine.put(*state.pool.take(rows))

    def report(done: int) -> None:
        observer.ascended(k, done * engine.ranks, state.pool.n)

    try:
        x_k = ascend(state.net, x, y, ada, engine=engine, names=names, progress=report)
    except Diverged as error:
        raise Diverged(f"round {k}, after minimization step {state.t}, {error}") from None
    return x_k.contiguous()


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
    raise Diverged(
        f"round {state.k}, minimization step {state.t + 1}: the {what} is not finite for "
        f"{name_samples(names, which)}; the weights are those of step {state.t}; lower alpha (now {ada.alpha:g}) "
        "or look at these images"
    )
