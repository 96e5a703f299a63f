"""Randomness a run owns: one generator for each purpose, derived from the seed; the global one is never touched."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Generator, Tensor

from unseen.base.checks import seed_problems
from unseen.errors import all_problems

PURPOSES = ("minibatches", "rounds", "model", "augmentation")


def generator(seed: int, purpose: str) -> Generator:
    """A generator for one purpose: two purposes of one seed, or two seeds, give independent streams."""
    all_problems("settings", seed_problems(seed))
    digest = hashlib.sha256(f"unseen/{seed}/{purpose}".encode()).digest()
    return Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)


@contextmanager
def python_generators() -> Iterator[Callable[[int], None]]:
    """Inside: a function that seeds Python's and NumPy's global generators, which a user's code may draw from.

    After: both as before.
    """
    before = random.getstate(), np.random.get_state()

    def seed_both(seed: int) -> None:
        random.seed(seed)
        np.random.seed(seed % 2**32)

    try:
        yield seed_both
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


class Draws:
    """A run's generators: for minibatches, each round's samples, the model's own (dropout), and augmentation."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._generators = {purpose: generator(seed, purpose) for purpose in PURPOSES}

    def minibatch(self, size: int, batch: int) -> Tensor:
        """``batch`` indices below ``size``, uniform, with replacement."""
        return torch.randint(size, (batch,), generator=self._generators["minibatches"])

    def minibatch_by_class(self, counts: Tensor, batch: int) -> Tensor:
        """``batch`` places in a list sorted by class, of which there are ``counts``: each class as often."""
        present = counts.nonzero().flatten()
        drawn = present[torch.randint(len(present), (batch,), generator=self._generators["minibatches"])]
        within = torch.rand(batch, dtype=torch.float64, generator=self._generators["minibatches"]) * counts[drawn]
        return counts.cumsum(0)[drawn] - counts[drawn] + within.long().minimum(counts[drawn] - 1)

    def augmentation_seeds(self, batch: int) -> Tensor:
        """A fresh seed for what callables draw, for each sample of one training step."""
        return torch.randint(2**62, (batch,), generator=self.augmentation)

    def without_replacement(self, size: int, n: int) -> Tensor:
        """``n`` different indices below ``size``; for n > size, each comes once before any comes again."""
        rounds = [torch.randperm(size, generator=self._generators["rounds"]) for _ in range((n + size - 1) // size)]
        return torch.cat(rounds)[:n]

    def model_seed(self) -> int:
        """A fresh seed for what the model draws in one training step."""
        return int(torch.randint(2**62, (), generator=self._generators["model"]))

    @property
    def augmentation(self) -> Generator:
        """For the transformations that are drawn at each step."""
        return self._generators["augmentation"]

    def generator_for(self, occasion: str) -> Generator:
        """A generator for one occasion; it moves no other on."""
        return generator(self._seed, occasion)

    def seed_for(self, occasion: str) -> int:
        """A seed for what a model draws on one occasion outside training; it moves no generator on."""
        return generator(self._seed, occasion).initial_seed()

    def state(self) -> dict[str, Tensor]:
        """The state of every generator, for a checkpoint."""
        return {purpose: g.get_state() for purpose, g in self._generators.items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from a state that ``state()`` gave."""
        for purpose, g in self._generators.items():
            if purpose in state:  # older runs have no augmentation
                g.set_state(state[purpose])
