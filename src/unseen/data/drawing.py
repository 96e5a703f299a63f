"""Some of a domain's images: drawn evenly over the classes where they come class by class, else in their order."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from unseen.base.randomness import generator
from unseen.data.domain import Domain
from unseen.errors import InputError


def some_of(whole: Domain, count: int | None, offset: int = 0, what: str = "images") -> Domain:
    """``count`` images of a domain from the ``offset``-th on, all the rest for None; they stay in the domain's order.

    Images that come shuffled are taken as they come. Images that come class by class, as those of a folder do, are
    counted in an order that is drawn once and for all: every stretch of it has the same share of each class, and the
    first images are one of each. ``what`` is what the caller calls the count.
    """
    sorted_in = comes_by_class(whole)
    order = even_order(whole.labels[:]) if sorted_in else torch.arange(len(whole))
    rows = order[offset : None if count is None else offset + count].sort().values
    if sorted_in:
        _refuse_lost_classes(whole, rows, f"{what}={count}")
    how = ", drawn evenly over the classes" if sorted_in else ""
    return replace(whole.part(rows), origin=f"{whole.origin}; {len(rows):,} of these{how}, from number {offset:,}")


def _refuse_lost_classes(whole: Domain, rows: Tensor, given: str) -> None:
    """Training on some of the classes as if they were all would go unnoticed until the first evaluation."""
    present = _present(whole.labels[:])
    lost = [whole.classes[label] for label in present if not (whole.labels[rows] == label).any()]
    if lost:
        raise InputError(
            f"{given}: {whole.name} comes class by class, so its images are drawn evenly over its classes, and these "
            f"have none of {', '.join(lost)}; ask for {len(present)} images or more, one for each class"
        )


def comes_by_class(domain: Domain) -> bool:
    """Whether all images of a class come in one stretch, for more than one class: the first of them are no sample."""
    if domain.segmented:
        return False
    stretches, classes = 1 + int(domain.labels.diff().count_nonzero()), len(_present(domain.labels[:]))
    return 1 < stretches == classes < len(domain)


def even_order(labels: Tensor) -> Tensor:
    """Every row once, in an order whose stretches all have about the same share of each class; always the same."""
    draw = generator(0, "even order")
    rows, places = [], []
    for label in _present(labels):
        own = (labels == label).nonzero().flatten()
        rows.append(own[torch.randperm(len(own), generator=draw)])
        places.append(torch.arange(len(own), dtype=torch.float64) / len(own))
    return torch.cat(rows)[torch.cat(places).argsort(stable=True)]


def _present(labels: Tensor) -> list[int]:
    """The class numbers that occur, sorted."""
    return torch.bincount(labels).nonzero().flatten().tolist()
