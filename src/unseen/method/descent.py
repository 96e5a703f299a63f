"""The two ends of a minimization step: which samples it is of, and what it does to the weights."""

from __future__ import annotations

import torch
from torch import Tensor

from unseen.base.labels import Labels, class_counts
from unseen.engine.optimizers import clip_gradient, make_optimizer, set_rate
from unseen.method.practice import BALANCED
from unseen.method.settings import ADA
from unseen.method.state import ByClass, State
from unseen.models.split import Split


def optimizer_for(net: Split, ada: ADA) -> torch.optim.Optimizer:
    """The optimizer that the settings ask for, on what of the network isn't frozen."""
    return make_optimizer(
        net,
        ada.alpha,
        kind=ada.optimizer,
        ridge=ada.ridge,
        weight_decay=ada.weight_decay,
        momentum=ada.momentum,
        head=list(net.model.get_submodule(net.head_name).parameters()),
        body_rate=ada.body_rate,
    )


def minibatch(state: State, ada: ADA) -> Tensor:
    """Rows of the pool, drawn with replacement: all alike, or every class as often."""
    if ada.minibatches != BALANCED:
        return state.draws.minibatch(len(state.pool), ada.batch)
    if state.by_class is None or state.by_class.rounds != state.pool.rounds:
        labels = state.pool.labels[: len(state.pool)]
        state.by_class = ByClass(state.pool.rounds, labels.argsort(stable=True), labels.bincount())
    return state.by_class.order[state.draws.minibatch_by_class(state.by_class.counts, ada.batch)]


def descend(state: State, ada: ADA) -> None:
    """One step of the optimizer down the gradient, at the rate of this step and no longer than it may be."""
    set_rate(state.optimizer, ada.rate(state.t))
    clip_gradient(state.net, ada.clip_gradient)
    state.optimizer.step()
    state.t += 1
    state.result.follow(state.net.model, state.t)


def class_weights(ada: ADA, labels: Labels) -> Tensor | None:
    """The weight of each class in the loss: as given, or for "balanced" N / (C n_c), whose mean over the labels is 1.

    N labels, or pixels of masks, are of C classes, and n_c of them of class c.
    """
    if not isinstance(ada.class_weights, str):
        return None if ada.class_weights is None else torch.tensor(ada.class_weights)
    counts = class_counts(labels).double()
    return torch.where(counts > 0, counts.sum() / ((counts > 0).sum() * counts), 0.0).float()
