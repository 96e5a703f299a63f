"""Two parts of a set of samples that have none in common, each class shared out evenly."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from unseen.base.labels import Labels


def split_rows(labels: Labels, classes: int, share: float, draw: Generator) -> tuple[Tensor, Tensor]:
    """The rows that stay and the rows of the other part: the same share of each class, drawn.

    Where labels are masks, the share is one of all rows.
    """
    groups = [torch.arange(len(labels))] if labels.ndim == 3 else [_of_class(labels[:], c) for c in range(classes)]
    shuffled = [rows[torch.randperm(len(rows), generator=draw)] for rows in groups]
    counts = [round(share * len(rows)) for rows in shuffled]
    out = torch.cat([rows[:count] for rows, count in zip(shuffled, counts, strict=True)]).sort().values
    kept = torch.cat([rows[count:] for rows, count in zip(shuffled, counts, strict=True)]).sort().values
    return kept, out


def _of_class(labels: Tensor, number: int) -> Tensor:
    return (labels == number).nonzero().flatten()
