"""All claims at a glance: each on each domain as an effect with its interval, beside the paper's number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unseen.base.extras import require
from unseen.paper.claims import ALPHA, Claim, Effect, Judged, Verdict
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.paper.prospects import Prospect
from unseen.paper.tables import NONE
from unseen.reporting.kit.charts import Panels, drawing, panel_figure, round_ticks
from unseen.reporting.kit.theme import CARD, INK, OVER, SOFT, THEME
from unseen.reporting.kit.wording import MINUS, Comparison, Outcome, counted, listed, signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OUTCOMES: dict[Outcome, tuple[str, str, str]] = {
    "above": ("o", THEME["good"][0], "on the claim's side"),
    "unclear": ("o", "#8a8170", "not decided"),
    "below": ("X", THEME["bad"][0], "on the other side"),
}
"""the mark of what is so, its colour and what it means; ``unclear`` is hollow, so that no colour is needed"""
DECIDED: dict[Verdict, Outcome] = {
    "holds": "above", "holds in part": "above", "contradicted in part": "below", "does not hold": "below",
}  # fmt: skip
"""the colour of each verdict; the others are not decided"""
_ROW, _GAP, _RAISED = 0.25, 0.14, 0.075  # inches; the paper's number stands a little higher than ours
_NAME, _COLUMN = 0.096, 0.074  # inches of a letter of a claim's name, and of a domain's
_RIGHT, _WIDTH, _AXIS = 1.35, 10.35, 5.2  # of the numbers, the figure and the axis, both at least
_LEAST, _MOST = 5.0, 16.0  # points that the axis has to either side
_PALE, _BAND = 0.35, "#d9e4ec"
_FEW_ABSENT = 4  # columns without data that are named
_TITLE = "What the paper claims, and what we measure"


@drawing
def claims_chart(prospects: Sequence[Prospect], measure: str, caveat: str = "") -> Figure:
    """Claims from top to bottom, a row for each domain; an interval that is wider than the axis ends in an arrow.

    ``caveat`` says why the paper's numbers are not comparable, where they are not.
    """
    judged = [each.judged for each in prospects]
    heights = [_ROW * max(len(each.effects), 2) + _GAP for each in judged]
    left = _left(judged)
    panels = Panels(columns=1, height=sum(heights), head=0.05, foot=0.55, left=left,
                    width=max(_WIDTH, left + _AXIS + _RIGHT))  # fmt: skip
    figure, ((axes,),) = panel_figure(panels, _TITLE, _footnote(prospects, caveat), _legend(caveat))
    place = axes.get_position()
    axes.set_position((place.x0, place.y0, 1 - (left + _RIGHT) / panels.width, place.height))
    axes.set(xlim=_limits(judged), ylim=(sum(heights), 0), yticks=[])
    axes.set_xlabel(f"points of {measure}")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.grid(axis="x")
    round_ticks(axes.xaxis, lambda value: f"{value:+.0f}".replace("-", MINUS) if value else "0", 9)
    axes.axvline(0, color=SOFT, linewidth=1.2, zorder=1)
    top = 0.0
    for number, (each, height) in enumerate(zip(prospects, heights, strict=True)):
        _claim(axes, each, top, height, left, shaded=number % 2 == 1)
        top += height
    return figure


def _left(judged: Sequence[Judged]) -> float:
    """The room for the longest name of a claim, and beside it for that of a domain."""
    names = [each.claim.name for each in judged]
    columns = [effect.column for each in judged for effect in each.effects]
    return 0.5 + _NAME * max(map(len, names)) + _COLUMN * max(map(len, columns), default=0)


def _footnote(prospects: Sequence[Prospect], caveat: str) -> str:
    judged = [each.judged for each in prospects]
    alike = any(each.claim.alike for each in judged)
    absent = {column for each in judged for column in each.absent}
    parts = [
        "Each row is the mean of the claim's comparisons on one domain, taken seed by seed; right of 0 is as the claim "
        "has it. The line is the 95 % t-interval over seeds, an arrow says that it goes on. Small ticks are the single "
        "comparisons, coloured where they are clear among all of the claim: the verdict counts these. A mean is "
        f"coloured where one of them is, and its own interval excludes 0. Pale: fewer than {LEAST_PAIRS} seeds, which "
        "decide nothing. No diamond: the paper has only a chart.",
        "Interim: some of the planned seeds are not run." if any(each.interim for each in prospects) else "",
        f"Shaded, where the claim is that two hardly differ: within {MARGIN:g} points of 0." if alike else "",
        f"No data on {listed(sorted(absent))}." if 0 < len(absent) < _FEW_ABSENT else "",
        caveat,
    ]
    return " ".join(filter(None, parts))


def _limits(judged: Sequence[Judged]) -> tuple[float, float]:
    """Of the axis: every mean, every comparison that is clear, every number of the paper, intervals of enough seeds."""
    effects = [effect for each in judged for effect in each.effects]
    clear = [part.compared.comparison.gap for e in effects for part in e.parts if part.outcome != "unclear"]
    shown = clear + [x for e in effects for x in (e.comparison.gap, e.theirs) if x is not None]
    intervals = [i for e in effects if not _few(e.comparison) and (i := e.comparison.interval)]
    shown += [x for i in intervals for x in (i.low, i.high)]
    return max(-_MOST, 1.08 * min([-_LEAST, *shown])), min(_MOST, 1.08 * max([_LEAST, *shown]))


def _claim(axes: Axes, prospect: Prospect, top: float, height: float, left: float, *, shaded: bool) -> None:
    judged = prospect.judged
    across, wide = _across(axes), axes.figure.bbox.width / axes.figure.get_dpi()
    if shaded:
        patch = require("matplotlib.patches", "report").Rectangle
        band: dict[str, Any] = {"transform": across, "facecolor": OVER, "edgecolor": "none", "zorder": 0}
        axes.add_patch(patch((0.1 / wide, top), 1 - 0.2 / wide, height, clip_on=False, **band))
    beside: dict[str, Any] = {"transform": across, "va": "center"}
    first = top + _GAP / 2 + _ROW / 2
    axes.text(0.2 / wide, first, judged.claim.name, fontsize=11, fontweight="bold", **beside)
    verdict, colour = _verdict(prospect)
    axes.text(0.2 / wide, first + _ROW, verdict, fontsize=10, color=colour, **beside)
    if judged.claim.alike:
        axes.fill_between([-MARGIN, MARGIN], top, top + height, color=_BAND, linewidth=0, zorder=0.5)
    for i, effect in enumerate(judged.effects):
        y = first + i * _ROW
        axes.text((left - 0.15) / wide, y, effect.column, fontsize=9.5, color=SOFT, ha="right", **beside)
        axes.text(1 - (_RIGHT - 0.12) / wide, y, _numbers(effect), fontsize=9.5, color=INK, **beside)
        _effect(axes, effect, _outcome(judged.claim, effect), y)
    if not judged.effects:
        axes.text(0, first + _ROW / 2, "no result", color=SOFT, fontsize=9.5, style="italic", ha="center", va="center",
                  bbox={"facecolor": CARD, "edgecolor": "none", "pad": 2})  # fmt: skip


def _verdict(prospect: Prospect) -> tuple[str, str]:
    """In words, after its mark, and its colour; where some of its comparisons decide it, how many do."""
    judged = prospect.judged
    outcome = DECIDED.get(judged.verdict, "unclear")
    mark, count = {"above": "●", "below": "✖", "unclear": "○"}[outcome], ""
    clear, of = judged.outcomes.count(outcome), len(judged.outcomes)
    if outcome != "unclear" and clear < of:
        count = f" ({clear} of {of})"
    if judged.verdict == "holds in part":
        mark = "◐"
    if judged.verdict == "not measured":
        mark = NONE
    words = f"{mark} {judged.verdict}{count}{', interim' if prospect.interim else ''}"
    return words, SOFT if outcome == "unclear" else OUTCOMES[outcome][1]


def _numbers(effect: Effect) -> str:
    return f"{signed(effect.comparison.gap)}, {counted(len(effect.comparison.differences), 'seed')}"


def _effect(axes: Axes, effect: Effect, outcome: Outcome, y: float) -> None:
    c, (low, high) = effect.comparison, axes.get_xlim()
    colour, faint = OUTCOMES[outcome][1], _PALE if _few(c) else 1.0
    if c.interval:
        ends = max(c.interval.low, low), min(c.interval.high, high)
        axes.plot(ends, [y, y], color=colour, alpha=faint, linewidth=2.4, solid_capstyle="butt", zorder=2)
        for end, cut, arrow in ((ends[0], c.interval.low < low, "<"), (ends[1], c.interval.high > high, ">")):
            if cut:
                axes.plot(end, y, marker=arrow, markersize=7, color=colour, alpha=faint, clip_on=False, zorder=3)
    for part in effect.parts if len(effect.parts) > 1 else ():
        one, unclear = part.compared.comparison, part.outcome == "unclear"
        tick = INK if unclear else OUTCOMES[part.outcome][1]
        if low <= one.gap <= high:
            axes.plot(one.gap, y, color=tick, alpha=_PALE if _few(one) else 1.0, zorder=3,
                      **(_TICK | {"markeredgewidth": 1.4 if unclear else 2.4}))  # fmt: skip
    axes.plot(c.gap, y, zorder=4, **_mark(outcome))
    if effect.theirs is not None:
        axes.plot(effect.theirs, y - _RAISED, **_PAPER)


def _outcome(claim: Claim, effect: Effect) -> Outcome:
    """What the mean says by itself, if one of its comparisons is clear on that side."""
    p, own = claim.tested(effect.comparison)
    return own if p < ALPHA and own in {part.outcome for part in effect.parts} else "unclear"


def _few(comparison: Comparison) -> bool:
    return len(comparison.differences) < LEAST_PAIRS


def _mark(outcome: Outcome) -> dict[str, Any]:
    marker, colour, _ = OUTCOMES[outcome]
    edge = {"o": 1.8, "X": 0.6}[marker]
    face = CARD if outcome == "unclear" else colour
    return {"marker": marker, "markersize": 8.5, "color": colour, "markerfacecolor": face, "markeredgecolor": colour,
            "markeredgewidth": edge}  # fmt: skip


_TICK: dict[str, Any] = {"marker": "|", "markersize": 10, "markeredgewidth": 1.4, "linestyle": "none"}
_PAPER: dict[str, Any] = {
    "marker": "D", "markersize": 5.5, "markerfacecolor": THEME["m4"][1], "markeredgecolor": INK,
    "markeredgewidth": 1.1, "linestyle": "none", "zorder": 5,
}  # fmt: skip


def _legend(caveat: str) -> list[Artist]:
    line = require("matplotlib.lines", "report").Line2D
    means = [line([], [], linewidth=2.4, label=OUTCOMES[outcome][2], **_mark(outcome)) for outcome in OUTCOMES]
    tick = line([], [], label="one comparison", color=INK, **_TICK)
    return [*means, tick, line([], [], label=f"the paper{' (not comparable)' if caveat else ''}", **_PAPER)]


def _across(axes: Axes) -> Any:
    """Places as a share of the figure's width, and in the axes' height."""
    blended = require("matplotlib.transforms", "report").blended_transform_factory
    return blended(axes.figure.transFigure, axes.transData)
