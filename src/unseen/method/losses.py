"""What a training step minimizes: the softmax loss and, where asked for, the terms of the method's relatives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from unseen.engine import Engine, at_least_float32, in_float32
from unseen.method.cost import entropy, softmax_loss
from unseen.method.settings import ADA
from unseen.method.state import State
from unseen.transforms.callables import through

DRAWN_VIEWS = 2
"""besides the first, where views are drawn: three in all, as AugMix and RandConv have"""
TEMPERATURE = 0.1
"""of the contrast, as in Khosla et al."""


def views_of(state: State, engine: Engine, ada: ADA, rows: Tensor) -> tuple[list[Tensor], Tensor]:
    """The minibatch as the model sees it, this rank's share: its views, the first with the labels.

    One view without ``consistency``. With ``augment``, a share of the first is transformed, and further views are
    transformed whole; without it, the second view is the source image that each sample was made from.
    """
    mine = engine.share(rows)
    x, y = engine.put(*state.pool.take(mine))
    if ada.augment is not None:
        return _drawn_views(state, engine, ada, len(rows), x, y)
    if not ada.consistency:
        return [x], y
    origins, _ = engine.put(*state.pool.take(state.pool.origins(mine)))
    return [x, origins], y


def _drawn_views(
    state: State, engine: Engine, ada: ADA, batch: int, x: Tensor, y: Tensor
) -> tuple[list[Tensor], Tensor]:
    """Every rank draws for the whole batch, so that the draws don't depend on the ranks."""
    draw, mine = state.draws.augmentation, engine.share(torch.arange(batch))
    chosen = (torch.rand(batch, generator=draw) < ada.augment_share)[mine].nonzero().flatten()
    views, labels = [], y
    for view in range(1 + DRAWN_VIEWS * bool(ada.consistency)):
        rows = torch.arange(len(x)) if view else chosen
        with in_float32(x):
            made, moved = _transformed(state, engine, ada, batch, mine, rows, x, y)
        views.append(made if view else x.index_copy(0, rows.to(x.device), made))
        if moved is not None and not view:
            labels = y.index_copy(0, rows.to(y.device), moved)
    return views, labels


def _transformed(
    state: State, engine: Engine, ada: ADA, batch: int, mine: Tensor, rows: Tensor, x: Tensor, y: Tensor
) -> tuple[Tensor, Tensor | None]:
    """These rows of this rank's share, transformed, with their masks where they may have moved."""
    chains, made, moved = ada.augmented, x[rows], y[rows] if y.ndim > 1 else None
    if chains is not None:
        links = chains.draw(batch, state.draws.augmentation)[mine][rows]
        made = chains.images(made, links)
        moved = chains.masks(moved, links) if moved is not None and chains.move else moved
    if ada.called:
        seeds = state.draws.augmentation_seeds(batch)[mine][rows]
        made, moved = through(ada.called, made, moved, seeds, partial(engine.seeded, alike=True))
    return made, moved


def minimization_losses(state: State, ada: ADA, views: Sequence[Tensor], y: Tensor) -> Tensor:
    """One value for each sample: the softmax loss of the first view, and the terms whose weights aren't 0.

    Labels are smoothed and classes weighted here alone: the ascent goes up the softmax loss itself.

    - consistency * JS(p_1, ..., p_V): Jensen-Shannon divergence of the views' predictions (AugMix, Hendrycks et al.
      2020; RandConv, Xu et al. 2021).
    - -confidence_penalty * H(p_1): the entropy of the prediction is kept up (Pereyra et al. 2017).
    - contrast * SupCon(z): features of one class together, others apart (Khosla et al. 2020; AdvST).
    """
    x = torch.cat(list(views)) if len(views) > 1 else views[0]
    with ExitStack() as watching:
        seen = watching.enter_context(state.net.watched()) if ada.contrast else []
        scores = state.forward(x)
    each = torch.split(scores, len(y))
    losses = softmax_loss(each[0], y, ada.label_smoothing, state.class_weights)
    if ada.consistency:
        losses = losses + ada.consistency * jensen_shannon(each)
    if ada.confidence_penalty:
        losses = losses - ada.confidence_penalty * entropy(each[0])
    for z in seen:
        losses = losses + ada.contrast * supervised_contrast(z[: len(y)], y)
    return losses


def jensen_shannon(scores: Sequence[Tensor]) -> Tensor:
    """H(mean of p_v) - mean of H(p_v), p_v = softmax(scores_v): one value for each sample, the mean over its pixels."""
    log_p = torch.stack([F.log_softmax(at_least_float32(each), dim=1) for each in scores])
    log_mean = torch.logsumexp(log_p, dim=0) - torch.tensor(float(len(scores))).log()
    divergence = (log_p.exp() * (log_p - log_mean)).sum(2).mean(0)
    return divergence.flatten(1).mean(1) if divergence.ndim > 1 else divergence


def supervised_contrast(z: Tensor, y: Tensor) -> Tensor:
    """-mean over j of one class of log(exp(z_i.z_j / tau) / sum_{a != i} exp(z_i.z_a / tau)), z of length 1.

    0 for a sample that is alone in its class. With several ranks, each compares the samples of its own share.
    """
    z = F.normalize(at_least_float32(z).flatten(1), dim=1)
    itself = torch.eye(len(z)).to(z).bool()
    similar = (z @ z.T / TEMPERATURE).masked_fill(itself, float("-inf"))
    log_share = similar - similar.logsumexp(1, keepdim=True)
    same = (y[:, None] == y) & ~itself
    return -log_share.masked_fill(~same, 0).sum(1) / same.sum(1).clamp_min(1)
