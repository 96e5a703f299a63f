"""The first image of each class of a domain, with what each method's model says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unseen.data.domain import Domain
from unseen.ensembles.ensemble import Ensemble
from unseen.models.split import Split
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.pictures import Picture, picture
from unseen.reporting.runs.ancestry import CLASSES_SHOWN
from unseen.scoring.accuracy import answers

Network = Split | Ensemble


@dataclass(frozen=True)
class Answer:
    """A model's answer for one image."""

    method: Method
    predicted: str
    confidence: float
    right: bool


@dataclass(frozen=True)
class Sample:
    """One image of an unseen domain, its class, and the answers."""

    image: Picture
    label: str
    answers: list[Answer]


@dataclass(frozen=True)
class Samples:
    """The samples of one domain."""

    domain: Domain
    shown: list[Sample]
    classes: int
    """how many classes the domain has images of"""

    def right(self, method: Method) -> int:
        """How many of the shown images the method has right."""
        return sum(answer.right for sample in self.shown for answer in sample.answers if answer.method is method)


def first_of_each_class(domain: Domain) -> list[int]:
    """The row of the first image of each class, in the order of the classes: no choice is made."""
    rows: dict[int, int] = {}
    for row, label in enumerate(domain.labels.tolist()):
        rows.setdefault(label, row)
    return [rows[label] for label in sorted(rows)]


def make_samples(domain: Domain, nets: Sequence[tuple[Method, Network]], classes: Sequence[str]) -> Samples:
    """Samples of ``domain``; ``classes`` are the source's names of what the models' scores mean."""
    every = first_of_each_class(domain)
    rows = every[:CLASSES_SHOWN]
    given = [(method, answers(net, domain.images[rows])) for method, net in nets]
    shown = []
    for i, row in enumerate(rows):
        label = int(domain.labels[row])
        said = [
            Answer(method, classes[int(g.classes[i])], float(g.confidence[i]), int(g.classes[i]) == label)
            for method, g in given
        ]
        shown.append(Sample(picture(domain.images[row]), domain.classes[label], said))
    return Samples(domain, shown, len(every))
