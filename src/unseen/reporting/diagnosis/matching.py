"""The transport cost between two clouds of features, class by class: which images are matched, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from unseen.base.extras import require
from unseen.base.labels import class_counts
from unseen.base.randomness import generator
from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.method.cost import squared_distance

SOURCE_IMAGES = 2000
"""of the source that are looked at, at most; one more for each class that would be left out"""
PER_CLASS, IN_ALL = 100, 1000
"""of a domain that are matched, at most"""


@dataclass(frozen=True)
class Pairing:
    """Rows of a domain and as many rows of the source, class by class."""

    classes: tuple[int, ...]
    source: tuple[Tensor, ...]
    domain: tuple[Tensor, ...]


def sample_source(source: Domain) -> Tensor:
    """The rows of the source to look at: drawn, the same for every network, and some of each class it has."""
    order = torch.randperm(len(source), generator=generator(0, "diagnosis of the source"))
    drawn, left = order[:SOURCE_IMAGES], order[SOURCE_IMAGES:]
    absent = sorted(set(source.labels[left].tolist()) - set(source.labels[drawn].tolist()))
    return torch.cat([drawn, *(left[source.labels[left] == label][:1] for label in absent)])


def pair(labels: Tensor, domain: Domain, classes: Sequence[str]) -> Pairing:
    """For source images with these ``labels``, which to match with which of a domain's, in the domain's proportions.

    Where the source has fewer of a class than are needed, each comes once before any comes again.
    """
    counts = class_counts(domain.labels, len(classes))
    _refuse_other_classes(labels, domain, counts, classes)
    share = min(1.0, PER_CLASS / int(counts.max()), IN_ALL / len(domain))
    draw = generator(0, f"diagnosis of {domain.fingerprint}")
    present = [label for label, count in enumerate(counts.tolist()) if count]
    sizes = [max(1, int(share * int(counts[label]))) for label in present]
    source = [_drawn(labels == label, size, draw) for label, size in zip(present, sizes, strict=True)]
    other = [_drawn(domain.labels[:] == label, size, draw) for label, size in zip(present, sizes, strict=True)]
    return Pairing(tuple(present), tuple(source), tuple(other))


def _drawn(among: Tensor, size: int, draw: Generator) -> Tensor:
    rows = among.nonzero().flatten()
    again = -(-size // len(rows))
    return torch.cat([rows[torch.randperm(len(rows), generator=draw)] for _ in range(again)])[:size]


def _refuse_other_classes(labels: Tensor, domain: Domain, counts: Tensor, classes: Sequence[str]) -> None:
    """Nothing of the source could be matched with them: a label never changes on the way."""
    known = set(labels.tolist())
    named = dict(enumerate(classes)) | dict(list(enumerate(domain.classes))[len(classes) :])
    other = [
        f"{named[label]} ({count:,})" for label, count in enumerate(counts.tolist()) if count and label not in known
    ]
    if other:
        raise InputError(
            f"{domain.name} has images of classes that the source has none of: {', '.join(other)}; expected only "
            f"{', '.join(classes[label] for label in sorted(known))}: leave those images out"
        )


def transport(source: Tensor, other: Tensor) -> Tensor:
    """1/2 ||z - z'||^2 of each pair when two clouds of one size are matched so that the sum is least, exactly."""
    cost = torch.cdist(source, other).square()
    rows, columns = require("scipy.optimize", "theory").linear_sum_assignment(cost.numpy())
    return squared_distance(source[rows], other[columns]) / 2
