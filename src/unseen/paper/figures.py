"""The paper's figures again, in its arrangement: a column for each domain, our results beside the paper's numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.domain import Domain
from unseen.paper import heat, marks
from unseen.paper.cells import Cell, Setting, absent, describe_seeds, domains_of
from unseen.reporting.kit.charts import Panels, drawing, heading, not_here, panel_figure
from unseen.reporting.kit.theme import SOFT
from unseen.reporting.runs.samples import first_of_each_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Figure 2.


@drawing
def bars(cells: Sequence[Cell], setting: Setting, line: str | None = None, rows: int = 1) -> Figure:
    """A panel for each domain, a bar for each method, black bars for the range over seeds.

    Cells with the same ``group`` stand together. ``line`` names a method that is a line across instead of a bar. Panels
    fill ``rows`` rows, one after the other.
    """
    domains = domains_of(cells)
    labels = {cell.group or cell.method for cell in cells if cell.method != line}
    panels = Panels(rows=rows, columns=len(domains) // rows, height=2.8).under(
        [_note(setting, domain) for domain in domains]
    )
    slot, longest = panels.wide / (len(labels) + 0.2), marks.LETTER * max(map(len, labels))
    turn = 0 if longest < slot else 45 if slot > 0.25 else 90
    panels = replace(panels, foot=0.35 + longest * {0: 0.0, 45: 0.6, 90: 0.8}[turn])
    figure, placed = panel_figure(panels, setting.title, _footnote(cells, setting), marks.legend(cells, [line or ""]))
    for axes, domain in zip([axes for row in placed for axes in row], domains, strict=True):
        _bar_panel(axes, [cell for cell in cells if cell.domain == domain], line, panels.wide)
        heading(axes, panels, domain, _note(setting, domain))
        for label in axes.get_xticklabels():
            label.set(
                rotation=turn,
                ha="right" if turn else "center",
                va="center" if turn == 90 else "top",
                rotation_mode="anchor",
            )
    for row in placed:
        row[0].set_ylabel(f"{setting.measure}, %")
    return figure


def _bar_panel(axes: Axes, cells: Sequence[Cell], line: str | None, inches: float) -> None:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.method != line:
            groups.setdefault(cell.group or cell.method, []).append(cell)
    width = 0.8 / max(map(len, groups.values()))
    axes.set(xlim=(-0.6, len(groups) - 0.4), ylim=(0, 1.1 * max(marks.numbers(cells), default=90)))
    axes.set_xticks(range(len(groups)), list(groups), fontsize=9)
    axes.locator_params(axis="y", nbins=5)
    axes.grid(axis="y")
    upright = 0.92 * width * inches / (len(groups) + 0.2) > 4 * marks.LETTER
    here = not absent(cells)
    for place, members in enumerate(groups.values()):
        for i, cell in enumerate(members):
            x = place + (i - (len(members) - 1) / 2) * width
            marks.bar(axes, cell, x, width, upright=upright)
            if here and not cell.accuracies:
                marks.not_run(axes, x)
    for cell in cells:
        if cell.method == line:
            marks.level(axes, cell)
    if not here:
        not_here(axes)


def _footnote(cells: Sequence[Cell], setting: Setting) -> str:
    return " ".join(
        filter(None, [describe_seeds(cells), setting.protocol, setting.caveats(cells), setting.not_comparable(cells)])
    )


def _note(setting: Setting, domain: str) -> str:
    images = setting.data.get(domain, "")
    return f"stand-in for {setting.stand_ins[domain]}: {images}" if domain in setting.stand_ins else images


# Figure 4.


@drawing
def curve(cells: Sequence[Cell], setting: Setting) -> Figure:
    """A panel for each domain: cells with ``at``, a number of target images, make a curve, the others lines across."""
    domains = domains_of(cells)
    panels = Panels(columns=len(domains), height=2.8, foot=0.6, gap=0.6)
    panels = panels.under([_note(setting, domain) for domain in domains])
    lines = [cell.method for cell in cells if cell.at is None]
    footnote = f"{_footnote(cells, setting)} Axes of accuracy don't start at 0."
    figure, (row,) = panel_figure(panels, setting.title, footnote, marks.legend(cells, lines))
    places = sorted({cell.at for cell in cells if cell.at is not None})
    for axes, domain in zip(row, domains, strict=True):
        axes.set(xscale="log", xlabel="target images seen", xlim=(places[0] / 1.6, places[-1] * 1.6))
        axes.set_xticks(places, [f"{place:,.0f}" for place in places])
        axes.set_xticks([], minor=True)
        _curve_panel(axes, [cell for cell in cells if cell.domain == domain])
        heading(axes, panels, domain, _note(setting, domain))
    row[0].set_ylabel("accuracy, %")
    return figure


def _curve_panel(axes: Axes, cells: Sequence[Cell]) -> None:
    axes.set_ylim(*_reach(cells))
    axes.grid(axis="y")
    marks.curve(axes, cells)
    for cell in cells:
        if cell.at is None:
            marks.level(axes, cell)
    if absent(cells):
        not_here(axes)


def _reach(cells: Sequence[Cell]) -> tuple[float, float]:
    """From below the least to above the greatest number, at least ten points."""
    shown = marks.numbers(cells) or [50.0]
    low, high = min(shown), max(shown)
    half = max(5.0, 0.6 * (high - low))
    return (low + high) / 2 - half, (low + high) / 2 + half


# Table 1.


@drawing
def grid(cells: Sequence[Cell], setting: Setting) -> Figure:
    """Differences from the baseline here (above) and in the paper (below): ``group`` is the row, ``at`` is K.

    Here they are over the same seeds.
    """
    domains, placed = domains_of(cells), [cell for cell in cells if cell.at is not None]
    groups, columns = list(dict.fromkeys(cell.group for cell in placed)), sorted({cell.at or 0 for cell in placed})
    here = [[cell for cell in cells if cell.domain == domain] for domain in domains]
    heats = {"here": [heat.measured_heat(some, setting.baseline) for some in here]}
    if any(cell.published for cell in placed):
        heats["the paper"] = [heat.published_heat(some, setting.baseline) for some in here]
    palette = heat.Palette(each for row in heats.values() for each in row)
    panels = Panels(rows=len(heats), columns=len(domains), height=0.235 * len(groups), lines=1, left=0.95, gap=0.25)
    colour = f"Points minus {setting.baseline}, here with the same seeds." if setting.baseline else ""
    words = [colour, describe_seeds(placed), heat.FEW, setting.protocol, setting.describe_data(placed)]
    footnote = " ".join(filter(None, words))
    figure, rows = panel_figure(panels, setting.title, footnote, palette.legend(setting.baseline))
    for (whose, some), row in zip(heats.items(), rows, strict=True):
        for axes, domain, each in zip(row, domains, some, strict=True):
            heat.draw(axes, each, groups, columns, palette)
            seeds = ", all seeds" if whose == "here" else ""
            base = f"{setting.baseline} {each.base:.1f} %{seeds}" if each.base is not None else ""
            heading(axes, panels, f"{domain}, {whose}", base)
        row[0].set_yticks(np.arange(len(groups)) + 0.5, groups, fontsize=9)
    return figure


# Figure 1.


@drawing
def samples(domains: Mapping[str, Domain | None], setting: Setting) -> Figure:
    """A row for each domain, by its name, with the first image of each class; None is a domain that isn't here."""
    panels = Panels(rows=len(domains), columns=1, height=0.78, head=0.06, foot=0.06, left=1.9)
    footnote = "The first image of each class, in the order of each set: nobody chose them."
    figure, rows = panel_figure(panels, setting.title, footnote)
    for (axes,), (name, domain) in zip(rows, domains.items(), strict=True):
        _sample_row(axes, name, _note(setting, name), domain)
    return figure


def _sample_row(axes: Axes, name: str, note: str, domain: Domain | None) -> None:
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set_visible(False)
    beside: dict[str, Any] = {"xy": (0, 0.5), "xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(name, xytext=(-120, 2 if note else -4), fontweight="bold", **beside)
    lines = "\n".join(textwrap.wrap(note, 26))
    axes.annotate(lines, xytext=(-120, -2), fontsize=8.5, color=SOFT, va="top", **beside)
    if domain is None:
        not_here(axes)
    else:
        axes.imshow(_strip(domain), interpolation="nearest")


def _strip(domain: Domain) -> NDArray[np.float32]:
    """The first image of each class side by side with some white between, (H, W, 3)."""
    images = domain.images[first_of_each_class(domain)].clamp(0, 1).movedim(1, 3).numpy()
    gap = np.ones_like(images[0, :, : max(1, images.shape[2] // 12)])
    return np.concatenate([part for image in images for part in (image, gap)][:-1], axis=1)
