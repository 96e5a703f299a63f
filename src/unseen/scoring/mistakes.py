"""How a model answers, class by class: what it takes for what, and the images it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from unseen.base.labels import class_counts
from unseen.data.domain import Domain, Source
from unseen.models.split import Split
from unseen.scoring.accuracy import Answering, Choice, Done, answers_on, checked, confusions, pixel_classes
from unseen.scoring.confusion import confusion as count_confusions

SHOWN = 5
"""how many kinds of mistakes a printed ``Confusion`` lists"""


@dataclass(frozen=True, eq=False)
class Confusion:
    """How a model answers on one domain; ``print`` shows it.

    It counts images, or pixels where labels are masks.
    """

    domain: str
    classes: tuple[str, ...]
    matrix: Tensor
    """int64 (classes, classes): how many of each true class (row) were given each class (column)"""
    wrong: Tensor
    """the rows of the domain's images that were answered wrongly, the surest mistake first; where labels are masks,
    every image with a wrong pixel, the one with the greatest share of them first"""

    @classmethod
    def of(cls, domain: Domain, answers: Choice) -> Confusion:
        """From the answer for each image of the domain."""
        count = max(len(domain.classes), int(answers.classes.max()) + 1)
        matrix = count_confusions(answers.classes[:, None], domain.labels[:][:, None], count).sum(0)
        wrong = (answers.classes != domain.labels[:]).nonzero().flatten()
        surest = answers.confidence[wrong].argsort(descending=True, stable=True)
        return cls(domain.name, _names(domain, count), matrix, wrong[surest])

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return int(self.matrix.diagonal().sum()) / int(self.matrix.sum())

    @property
    def per_class(self) -> dict[str, float | None]:
        """The share of each true class that is right; None for a class that the domain has none of."""
        right, count = self.matrix.diagonal().tolist(), self.matrix.sum(1).tolist()
        return {name: r / n if n else None for name, r, n in zip(self.classes, right, count, strict=True)}

    @property
    def missing(self) -> tuple[str, ...]:
        """The classes that the domain has none of: its accuracy says nothing about them."""
        return tuple(name for name, share in self.per_class.items() if share is None)

    def mistakes(self, most: int | None = None) -> list[tuple[str, str, int]]:
        """(true class, given class, how many), the most frequent first; so many, or all."""
        off = self.matrix.clone().fill_diagonal_(0)
        order = off.flatten().argsort(descending=True, stable=True).tolist()
        found = [(self.classes[i // len(off)], self.classes[i % len(off)], int(off.flatten()[i])) for i in order]
        return [each for each in found if each[2]][:most]

    def __str__(self) -> str:
        counts, width = self.matrix.sum(1).tolist(), max(map(len, self.classes))
        lines = [f"{self.domain}: {self.accuracy:.1%} of {sum(counts):,} right"]
        for (name, share), count in zip(self.per_class.items(), counts, strict=True):
            lines.append(f"  {name:{width}}  {'none there' if share is None else f'{share:6.1%} of {count:,}'}")
        lines += [f"  {count:,} of {true} taken for {given}" for true, given, count in self.mistakes(SHOWN)]
        return "\n".join(lines)


def confusion(
    net: Split | nn.Module | Answering, target: Source, *, batch: int | None = None, progress: Done | None = None
) -> Confusion:
    """How a model, or an ``Ensemble``, answers on a domain class by class: shares, the confusion matrix, the mistakes.

    It takes what ``evaluate`` takes and refuses what it refuses.
    """
    net, domain = checked(net, target)
    if not domain.segmented:
        return Confusion.of(domain, answers_on(net, domain, batch=batch, progress=progress))
    count = pixel_classes(net, domain)
    each = confusions(net, domain.images, domain.labels, count, batch=batch, progress=progress)
    right = each.diagonal(dim1=1, dim2=2).sum(1) / each.sum((1, 2)).clamp(min=1)
    wrong = ((right < 1) & (each.sum((1, 2)) > 0)).nonzero().flatten()
    order = right[wrong].argsort(stable=True)
    return Confusion(domain.name, _names(domain, count), each.sum(0), wrong[order])


def _names(domain: Domain, count: int) -> tuple[str, ...]:
    """The domain's classes, and numbers for scores that stand for none of them."""
    return (*domain.classes, *map(str, range(len(domain.classes), count)))


def missing_classes(domain: Domain) -> tuple[str, ...]:
    """The classes that a domain has no image, or no pixel, of."""
    there = class_counts(domain.labels, len(domain.classes))
    return tuple(name for name, count in zip(domain.classes, there.tolist(), strict=False) if not count)
