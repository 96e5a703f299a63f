"""The charts of a diagnosis: the certificate with the domains in it, their distances, their accuracies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.reporting.diagnosis.explanations import labels
from unseen.reporting.diagnosis.record import Diagnosis, MeasuredDomain, MeasuredNetwork
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.charts import canvas, drawing, log_ticks
from unseen.reporting.kit.dots import DotGroup, Dots, dot_chart
from unseen.reporting.kit.scores import DomainScores, score_chart
from unseen.reporting.kit.theme import FAINT, GRID, INK, SOFT, marker_options, method_colour
from unseen.reporting.kit.wording import curly

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Shown = tuple[Method, MeasuredNetwork]

_WIDE, _HIGH = 860, 400  # of the certificate's chart
_LEFT, _RIGHT, _TOP, _BOTTOM, _LINE = 48, 140, 8, 46, 17


@dataclass(frozen=True)
class Figures:
    """All charts about one run, and the networks in them."""

    methods: list[Method]
    """this one, and the ERM run's where there is one: label and style"""
    certificate: Figure
    distances: Figure | None
    accuracies: Figure | None


def figures(diagnosis: Diagnosis, style: int | None = None) -> Figures:
    """The charts; ``style`` numbers the run's colour and marker, the ERM run's is 0."""
    styles = (style or (1 if diagnosis.rounds or diagnosis.plain else 0), 0)
    methods = [Method(label, label, (), each) for label, each in zip(labels(diagnosis), styles, strict=False)]
    shown = list(zip(methods, diagnosis.networks, strict=True))
    certificate = certificate_chart(diagnosis, shown)
    if not diagnosis.model.domains:
        return Figures(methods, certificate, None, None)
    return Figures(methods, certificate, _distance_chart(shown), _accuracy_chart(diagnosis, shown))


@drawing
def certificate_chart(diagnosis: Diagnosis, shown: Sequence[Shown]) -> Figure:
    """Every network's bound over the radius, and every domain at its distance with its loss; both logarithmic."""
    places = [(each.radius / it.spread, each.loss) for _, it in shown for each in it.domains]
    shares = [share for _, it in shown for share in it.shares] + [share for share, _ in places]
    losses = [bound for _, it in shown for bound in it.curve.bound] + [loss for _, loss in places]
    guess, least = math.log(diagnosis.classes), max(min(losses), 1e-6) / 1.3
    figure, axes = canvas(_HIGH, left=_LEFT, right=_RIGHT, top=_TOP, bottom=_BOTTOM, width=_WIDE)
    axes.set(xscale="log", yscale="log", xlim=(min(shares), 1.1 * max(shares)), ylim=(least, 1.2 * max(*losses, guess)))
    axes.spines["left"].set_visible(False)
    axes.grid(color=GRID)
    log_ticks(axes.xaxis)
    log_ticks(axes.yaxis)
    axes.set_xlabel(curly("distance from the source, as a share of the features' own spread"), color=INK, fontsize=13)
    axes.axhline(guess, color=FAINT, linestyle=(0, (2, 3)), linewidth=1.2)
    axes.annotate("guessing", (0, guess), (6, 5), axes.get_yaxis_transform(), "offset points", fontsize=12, color=SOFT)
    for method, it in reversed(shown):
        axes.plot(it.shares, it.curve.bound, color=method_colour(method.style), linewidth=2.4, label=method.label)
    for method, it in reversed(shown):
        for each in it.domains:
            axes.plot(each.radius / it.spread, max(each.loss, least), zorder=4, **marker_options(method.style, 11))
    _name_domains(axes, *shown[0])
    return figure


def _name_domains(axes: Axes, method: Method, network: MeasuredNetwork) -> None:
    """The names of a network's domains in a column at the right, each joined to its mark by a line."""
    least, most = (math.log(value) for value in axes.get_ylim())
    pixel = (most - least) / (_HIGH - _TOP - _BOTTOM)
    domains = sorted(network.domains, key=lambda each: each.loss)
    heights = [max(math.log(max(each.loss, 1e-300)), least) for each in domains]
    for each, height in zip(domains, spread_apart(heights, _LINE * pixel, most), strict=True):
        end = (1, (height - least) / (most - least))
        axes.annotate(
            each.domain, (each.radius / network.spread, max(each.loss, axes.get_ylim()[0])), end,
            textcoords=axes.transAxes, va="center", fontsize=12.5, fontweight="bold", color=INK,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.8, "shrinkA": 2, "shrinkB": 7},
        )  # fmt: skip


def spread_apart(places: Sequence[float], gap: float, most: float) -> list[float]:
    """Ascending places moved so that neighbours are at least ``gap`` apart and none is above ``most``."""
    apart: list[float] = []
    for place in places:
        apart.append(max(place, apart[-1] + gap) if apart else place)
    top = most
    for i in reversed(range(len(apart))):
        apart[i] = min(apart[i], top)
        top = apart[i] - gap
    return apart


def _distance_chart(shown: Sequence[Shown]) -> Figure:
    """Every class's distance in every domain, with the domain's own, as shares of the spread."""
    most = max(distance / it.spread for _, it in shown for each in it.domains for distance in each.classes.values())
    groups = []
    for i, each in enumerate(shown[0][1].domains):
        rows = [_distance_row(method, it, it.domains[i]) for method, it in shown]
        groups.append(DotGroup(each.domain, rows, _extremes(each), each.held_out))
    return dot_chart(groups, (0, 1.05 * most), "{:g}".format)


def _distance_row(method: Method, network: MeasuredNetwork, there: MeasuredDomain) -> Dots:
    middle = there.radius / network.spread
    return Dots(method.style, [d / network.spread for d in there.classes.values()], middle, f"{middle:.2f}")


def _extremes(there: MeasuredDomain) -> str:
    if len(there.classes) < 2:
        return ""
    order = sorted(there.classes, key=lambda name: there.classes[name])
    return f"nearest class {order[0]}, farthest {order[-1]}"


def _accuracy_chart(diagnosis: Diagnosis, shown: Sequence[Shown]) -> Figure:
    scores = [
        DomainScores(
            each.domain,
            each.images,
            diagnosis.classes,
            {method.label: {it.seed: it.domains[i].accuracy} for method, it in shown},
            each.held_out,
        )
        for i, each in enumerate(diagnosis.model.domains)
    ]
    return score_chart(scores, {method.label: method.style for method, _ in shown})
