"""What labels mean to the loss and to whatever is measured, and masks wherever they are kept."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor

from unseen.base.images import FileRows, Stored, in_batches

VOID = 255
"""In a mask, the label of a pixel that has none: it counts neither in the loss nor in the mIoU."""
_COUNTED_AT_ONCE = 16


class StoredMasks(Stored):
    """Masks (N, H, W) that are kept as bytes in a file; whoever takes some gets uint8, the numbers that are there."""

    dtype = torch.uint8
    what = "labels"

    def __init__(self, kept: Tensor | FileRows, rows: Tensor | None = None, values: Tensor | None = None) -> None:
        super().__init__(kept, rows)
        self.values = torch.stack([_counts(mask) > 0 for mask in self]) if values is None else values
        """bool (N, 256): which numbers each mask has, so that nobody has to read them all to know"""

    def __eq__(self, other: object) -> bool:
        raise self.no_tensor(" == ...")  # Python would say that they aren't equal to any number

    __hash__ = Stored.__hash__

    def part(self, rows: Tensor | slice) -> StoredMasks:
        """The masks of these rows, without a copy."""
        return StoredMasks(self.kept, self.rows[rows], self.values[rows])


Labels: TypeAlias = Tensor | StoredMasks
"""Class numbers (N,), or masks (N, H, W); ``labels[rows]`` is a tensor, and ``labels[:]`` all of them."""


def class_counts(labels: Labels, classes: int = 0) -> Tensor:
    """How many images, or pixels that are labelled, each class has; ``classes`` of them, or up to the greatest."""
    if labels.ndim == 1:
        return labels[:].bincount(minlength=classes)
    counts = torch.zeros(VOID + 1, dtype=torch.long)
    for masks in in_batches(labels, _COUNTED_AT_ONCE):
        counts += _counts(masks)
    counts[VOID] = 0
    return counts[: max([classes, *(counts.nonzero().flatten() + 1).tolist()])]


def _counts(masks: Tensor) -> Tensor:
    return masks.flatten().bincount(minlength=VOID + 1)
