"""The training set as it grows: the source, then every round's fictitious samples."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from unseen.base.images import Images, Space
from unseen.base.labels import Labels
from unseen.base.randomness import Draws


def _in_memory(rows: int, like: Tensor) -> Tensor:
    return torch.empty(rows, *like.shape[1:], dtype=like.dtype)


class Pool:
    """The source, which is never copied, and room for the images of K rounds, or of the last ``keep`` of them.

    Rows 0..N-1 are the source and stay. Rows N + (k-1)n .. N + kn - 1 are round k; with ``keep``, round k takes the
    place of round k - keep. ``parents`` says from which row each row was made (its own for the source); a fictitious
    sample has its parent's label, unless its mask moved. ``room(rows, like)`` gives the space for the rounds' images,
    and for their masks.
    """

    def __init__(
        self,
        images: Images,
        labels: Labels,
        K: int = 0,
        n: int | None = None,
        room: Callable[[int, Tensor], Space] = _in_memory,
        keep: int | None = None,
    ) -> None:
        self.n = n or len(images)
        self.source_size = len(images)
        self.rounds = 0
        """how many have been appended"""
        self.kept = K if keep is None else min(K, keep)
        """how many have room"""
        made = self.kept * self.n
        self.source = images
        self.fictitious = room(made, images[:1])
        """the rounds' images: row N of the pool is row 0 here"""
        self.source_labels = labels
        self.fictitious_labels = (room if labels.ndim > 1 else _in_memory)(made, labels[:1])
        self.parents = torch.arange(len(images) + made)

    def __len__(self) -> int:
        return self.source_size + min(self.rounds, self.kept) * self.n

    @property
    def oldest(self) -> int:
        """The first round that is still there; 1 before the first was made."""
        return max(self.rounds - self.kept, 0) + 1

    @property
    def images(self) -> Tensor:
        """Every image that there is room for, as one tensor: a copy, as large as all of them; ``take`` gives some."""
        return torch.cat([self.source[:], self.fictitious[:]])

    @property
    def labels(self) -> Tensor:
        """The labels of all these images, as one tensor, which is a copy, too."""
        return torch.cat([self.source_labels[:], self.fictitious_labels[:]])

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The images and labels at these rows."""
        return self._at(rows, self.source, self.fictitious), self._labels_at(rows)

    def _labels_at(self, rows: Tensor) -> Tensor:
        return self._at(rows, self.source_labels, self.fictitious_labels)

    def _at(self, rows: Tensor, source: Images, fictitious: Space) -> Tensor:
        """These rows of what the source has and of what the rounds have, together."""
        made = rows >= self.source_size
        if not made.any():
            return source[rows]
        if made.all():
            return fictitious[rows - self.source_size]
        taken = torch.empty(len(rows), *fictitious.shape[1:], dtype=fictitious.dtype)
        taken[~made] = source[rows[~made]]
        taken[made] = fictitious[rows[made] - self.source_size]
        return taken

    def starts(self, sampling: str, draws: Draws) -> Tensor:
        """The rows the next round's ascent starts from.

        ``union``: n rows drawn uniformly, without replacement, from the whole pool (Algorithm 1). ``chain``: the
        rows of the round before, in order; the first round draws from the source (eq. (8)). ``source``: n rows drawn
        from the source.
        """
        if sampling == "chain" and self.rounds > 0:
            before = self.round(self.rounds)
            return torch.arange(before.start, before.stop)
        return draws.without_replacement(self.source_size if sampling == "source" else len(self), self.n)

    def write(self, images: Tensor, parents: Tensor, at: int, labels: Tensor | None = None) -> None:
        """Put fictitious images into the next round, from its row ``at`` on; they are drawn from once it is closed.

        They were made from the rows ``parents`` and have those rows' labels, unless they have ``labels`` of their own.
        """
        assert len(images) == len(parents) <= self.n - at, (at, len(images), len(parents), self.n)
        start = self.round(self.rounds + 1).start + at
        new = slice(start - self.source_size, start - self.source_size + len(images))
        self.fictitious[new] = images
        self.fictitious_labels[new] = self._labels_at(parents) if labels is None else labels
        self.parents[start : start + len(images)] = parents

    def close(self) -> None:
        """The next round is written."""
        self.rounds += 1

    def resume(self, rounds: int) -> None:
        """So many rounds were made before; those that stay in the pool are to be written again."""
        self.rounds = max(rounds - self.kept, 0)

    def round(self, k: int) -> slice:
        """The rows of round k; round 0 is the source."""
        if k == 0:
            return slice(0, self.source_size)
        start = self.source_size + (k - 1) % self.kept * self.n
        return slice(start, start + self.n)

    def origins(self, rows: Tensor) -> Tensor:
        """The source rows that these go back to."""
        while (rows >= self.source_size).any():
            rows = self.parents[rows]
        return rows

    def name(self, row: int) -> str:
        """What to call a row in a message."""
        if row < self.source_size:
            return f"source image {row}"
        slot, i = divmod(row - self.source_size, self.n)
        k = slot + 1 + (self.rounds - 1 - slot) // self.kept * self.kept
        return f"image {i} of round {k}"
