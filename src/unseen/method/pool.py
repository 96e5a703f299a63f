"""The training set as it grows: the source, then every round's fictitious samples."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from unseen.base.randomness import Draws


class Pool:
    """One tensor of images with room for K rounds; a minibatch is an index gather.

    Rows 0..N-1 are the source, rows N + (k-1)n .. N + kn - 1 are round k. ``parents`` says from which row
    each row was made (its own for the source); a fictitious sample has its parent's label. ``room(rows, like)`` gives
    the space for the images.
    """

    def __init__(
        self,
        images: Tensor,
        labels: Tensor,
        K: int = 0,
        n: int | None = None,
        room: Callable[[int, Tensor], Tensor] = lambda rows, like: torch.empty(rows, *like.shape[1:], dtype=like.dtype),
    ) -> None:
        self.n = n or len(images)
        self.source_size = self.size = len(images)
        rows = len(images) + K * self.n
        self.images = room(rows, images)
        self.labels = torch.empty(rows, *labels.shape[1:], dtype=labels.dtype)
        self.parents = torch.arange(rows)
        self.images[: self.size] = images
        self.labels[: self.size] = labels

    def __len__(self) -> int:
        return self.size

    @property
    def rounds(self) -> int:
        """How many rounds have been appended."""
        return (self.size - self.source_size) // self.n

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The images and labels at these rows."""
        return self.images[rows], self.labels[rows]

    def starts(self, sampling: str, draws: Draws) -> Tensor:
        """The rows the next round's ascent starts from.

        ``union``: n rows drawn uniformly, without replacement, from the whole pool (Algorithm 1). ``chain``: the
        rows of the round before, in order; the first round draws from the source (eq. (8)).
        """
        if sampling == "chain" and self.rounds > 0:
            return torch.arange(self.size - self.n, self.size)
        return draws.without_replacement(self.size, self.n)

    def write(self, images: Tensor, at: int) -> None:
        """Put fictitious images into the next round, from its row ``at`` on; they are drawn from once it is closed."""
        assert at + len(images) <= self.n, (at, len(images), self.n)
        self.images[self.size + at : self.size + at + len(images)] = images

    def close(self, parents: Tensor) -> None:
        """The next round is written: its images were made from the rows ``parents``, and have those rows' labels."""
        assert len(parents) == self.n, (len(parents), self.n)
        new = slice(self.size, self.size + self.n)
        self.labels[new], self.parents[new] = self.labels[parents], parents
        self.size += self.n

    def round(self, k: int) -> slice:
        """The rows of round k; round 0 is the source."""
        if k == 0:
            return slice(0, self.source_size)
        end = self.source_size + k * self.n
        return slice(end - self.n, end)

    def name(self, row: int) -> str:
        """What to call a row in a message."""
        if row < self.source_size:
            return f"source image {row}"
        k, i = divmod(row - self.source_size, self.n)
        return f"image {i} of round {k + 1}"
