"""What Algorithm 1 carries from step to step, and who observes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.optim import Optimizer

from unseen.base.randomness import Draws
from unseen.method.moves import Fictitious
from unseen.method.pool import Pool
from unseen.method.result import Result
from unseen.models.split import Split


class ByClass(NamedTuple):
    """The rows of a pool sorted by class, and how many of each there are, after so many rounds."""

    rounds: int
    order: Tensor
    counts: Tensor


@dataclass
class State:
    """All that one step hands to the next: with it, training resumes exactly where it was."""

    net: Split
    forward: Callable[[Tensor], Tensor]
    """the net as training calls it: the engine's precision, and its ranks"""
    optimizer: Optimizer
    pool: Pool
    draws: Draws
    t: int = 0
    """minimization steps done"""
    k: int = 0
    """rounds done"""
    losses: Tensor = field(default_factory=lambda: torch.zeros((), dtype=torch.float64))
    """sum of the minibatch losses since the last record"""
    result: Result = field(default_factory=Result)
    """the weights that are given in the end, where they aren't the last"""
    class_weights: Tensor | None = None
    """of each class in the loss, where they aren't all 1"""
    by_class: ByClass | None = None
    """the pool's rows by class, as far as it has grown"""


class Checkpointed(Protocol):
    """What a checkpoint holds of whatever is trained in a run folder."""

    net: Split
    optimizer: Optimizer
    draws: Draws
    t: int
    k: int
    losses: Tensor
    result: Result


class Observer(Protocol):
    """Who is called as training proceeds, and may have parts of a round that was made before an interruption."""

    def stepped(self, state: State) -> None:
        """One minimization step was made."""

    def recall(self, k: int, part: int, parents: Tensor) -> Fictitious | None:
        """What this part of round k holds, if it was made before, from these rows of the pool."""

    def ascended(self, k: int, images: int, of: int) -> None:
        """``images`` more of the ``of`` of round k are made."""

    def made(self, k: int, part: int, made: Fictitious, parents: Tensor) -> None:
        """A part of round k is complete: what was made, and the pool rows it was made from."""

    def appended(self, state: State, starts: Tensor) -> None:
        """A round was added to the pool; ``starts`` are the rows its samples were made from."""
