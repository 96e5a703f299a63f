"""What methods get wrong on a domain: each class, what is taken for what, and the pictures with the surest mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from unseen.base.extras import require
from unseen.base.terminal import printable
from unseen.data.domain import Domain
from unseen.reporting.evaluation import Warn, answers_of
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.charts import WIDTH, canvas, drawing
from unseen.reporting.kit.pictures import Picture, picture
from unseen.reporting.kit.theme import CARD, INK, SOFT, method_colour
from unseen.reporting.runs.class_bars import ClassChart, class_chart
from unseen.reporting.runs.samples import Network
from unseen.scoring.accuracy import Choice
from unseen.scoring.mistakes import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLASSES_CHARTED = 20
"""classes that a chart has room for; of more, those that are right least often"""
CLASSES_WITH_NUMBERS = 12
"""classes up to which the fields of a confusion matrix have room for their numbers"""
PICTURES_SHOWN = 10
MISTAKES_SHOWN = 3

Answers = Mapping[str, Mapping[str, Mapping[int, Choice]]]
"""domain -> method label -> seed -> answers"""


@dataclass(frozen=True)
class WrongPicture:
    """A picture that a method answers wrongly."""

    number: int
    """its row in the domain"""
    image: Picture
    true: str
    given: str
    confidence: float


@dataclass(frozen=True)
class MethodMistakes:
    """What one method, with its first seed, takes for what on a domain."""

    method: Method
    wrong: int
    of: int
    matrix: Figure | None
    """the confusion matrix; None where there are too many classes to draw"""
    most: list[tuple[str, str, int]]
    """the most frequent mistakes: true class, given class, how many"""
    shown: list[WrongPicture]
    """the surest mistakes"""


@dataclass(frozen=True)
class DomainMistakes:
    """Every method's mistakes on one domain."""

    domain: Domain
    chart: ClassChart
    charted: int
    """how many of the classes the chart has"""
    missing: tuple[str, ...]
    """classes that the domain has none of"""
    methods: list[MethodMistakes]


def answer_methods(
    methods: Sequence[Method],
    domains: Sequence[Domain],
    load: Callable[[Path], Network] | None,
    warn: Warn | None = None,
) -> Answers:
    """Every run's and ensemble's answers on every domain that has one label for each image.

    ``warn`` is told of folders that can't be written to.
    """
    found: dict[str, dict[str, dict[int, Choice]]] = {
        domain.name: {method.label: {} for method in methods} for domain in domains if not domain.segmented
    }
    for method in methods:
        for run in method.runs:
            net = load(run.folder) if load and found else None
            for domain in domains:
                if not domain.segmented:
                    found[domain.name][method.label][run.seed] = answers_of(run.folder, domain, net, warn=warn)
    return found


def make_mistakes(
    domain: Domain, answers: Mapping[str, Mapping[int, Choice]], methods: Sequence[Method], drawn: Sequence[Method]
) -> DomainMistakes:
    """The mistakes on a domain: the bars of all methods over all seeds, the matrices and pictures of those drawn."""
    every = {label: {seed: Confusion.of(domain, c) for seed, c in seeds.items()} for label, seeds in answers.items()}
    shares = {
        label: {seed: [found.per_class[name] for name in domain.classes] for seed, found in seeds.items()}
        for label, seeds in every.items()
    }
    charted = _charted(shares)
    known = {
        label: {seed: [each[i] for i in charted] for seed, each in seeds.items()} for label, seeds in shares.items()
    }
    names = [_cut(domain.classes[i], 17) for i in charted]
    chart = class_chart(domain.name, names, [True] * len(names), known, methods, coloured=False)
    first = [(m, every[m.label][m.runs[0].seed], answers[m.label][m.runs[0].seed]) for m in drawn]
    missing = first[0][1].missing
    return DomainMistakes(domain, chart, len(charted), missing, [_of_method(domain, *each) for each in first])


def _charted(shares: Mapping[str, Mapping[int, Sequence[float | None]]]) -> list[int]:
    """The classes that the domain has images of; of many, those that are right least often, in their own order."""
    each = [values for seeds in shares.values() for values in seeds.values()]
    columns = {i: column for i, column in enumerate(zip(*each, strict=True)) if None not in column}
    means = {i: sum(filter(None, column)) for i, column in columns.items()}
    return sorted(sorted(means, key=lambda i: means[i])[:CLASSES_CHARTED])


def _of_method(domain: Domain, method: Method, found: Confusion, given: Choice) -> MethodMistakes:
    shown = [
        WrongPicture(
            row,
            picture(domain.images[row]),
            found.classes[int(domain.labels[row])],
            found.classes[int(given.classes[row])],
            float(given.confidence[row]),
        )
        for row in found.wrong[:PICTURES_SHOWN].tolist()
    ]
    drawn = _matrix(found.matrix, found.classes, method) if len(found.classes) <= CLASSES_CHARTED else None
    return MethodMistakes(method, len(found.wrong), len(domain), drawn, found.mistakes(MISTAKES_SHOWN), shown)


def _cut(name: str, letters: int) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


@drawing
def _matrix(matrix: Tensor, classes: Sequence[str], method: Method) -> Figure:
    """True classes down, given classes across; the deeper a field, the greater its share of its row."""
    count, left, top = len(classes), 96, 64
    field = (WIDTH - left - 6) / count
    figure, axes = canvas(field * count + top + 4, left=left, right=6, bottom=4, top=top)
    axes.set(xlim=(0, count), ylim=(count, 0))
    axes.spines[:].set_visible(False)
    names = [_cut(printable(name), 14) for name in classes]
    middles = [i + 0.5 for i in range(count)]
    axes.set_yticks(middles, names, color=INK, fontsize=11)
    axes.set_xticks(middles, names, color=SOFT, fontsize=11, rotation=40, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    shares = (matrix / matrix.sum(1, keepdim=True).clamp(min=1)).tolist()
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            _field(axes, i, j, share, method_colour(method.style), numbered=count <= CLASSES_WITH_NUMBERS)
    return figure


def _field(axes: Axes, i: int, j: int, share: float, colour: str, *, numbered: bool) -> None:
    rectangle = require("matplotlib.patches", "report").Rectangle
    axes.add_patch(rectangle((j + 0.03, i + 0.03), 0.94, 0.94, facecolor=colour, alpha=0.06 + 0.84 * share, lw=0))
    if numbered and share >= 0.005:
        ink = CARD if share > 0.5 else INK
        axes.text(j + 0.5, i + 0.5, f"{100 * share:.0f}", ha="center", va="center", fontsize=11, color=ink)
