"""What runs recorded while they trained: curves over the steps, and what each round's ascent did."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unseen.data.domain import Domain
from unseen.method.settings import COST_SPACES
from unseen.reporting.finished.methods import FinishedRun, Method
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import listed, short
from unseen.reporting.runs.curves import Curves, line_chart
from unseen.reporting.runs.scenes import some_of
from unseen.runs.rounds import RoundRecord
from unseen.transforms.catalogue import PIXELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS_IN_TABLE = 6  # of each method


@dataclass(frozen=True)
class RoundSummary:
    """What one round's ascent did, as means over the images that were measured and the method's seeds."""

    method: Method
    k: int
    images: int
    measured: int
    """how many of them, drawn, were measured"""
    loss_before: float
    loss_after: float
    moved: float
    cost: float


@dataclass(frozen=True)
class Watched:
    """Accuracy or mIoU on one domain during training."""

    name: str
    chart: Figure
    same_data: bool
    """whether it was watched on the very images that the comparison is made on"""


def loss_chart(methods: Sequence[Method]) -> Figure | None:
    """Training loss against the step; None when nothing was recorded."""
    curves = [(method, {run.seed: _losses(run) for run in method.runs}) for method in methods]
    return line_chart(curves) if any(any(seeds.values()) for _, seeds in curves) else None


def _losses(run: FinishedRun) -> list[tuple[float, float]]:
    return [(line["step"], line["loss"]) for line in run.metrics if "loss" in line]


def watched_charts(methods: Sequence[Method], domains: Sequence[Domain]) -> list[Watched]:
    """A chart for each domain that was watched, in the order of ``domains``."""
    known = {domain.name: domain.fingerprint for domain in domains}
    called = {fingerprint: name for name, fingerprint in known.items()}
    names = dict.fromkeys(name for method in methods for run in method.runs for name in _watched_names(run))
    charts = []
    for name in sorted(names, key=lambda name: list(known).index(name) if name in known else len(known)):
        curves: list[tuple[Method, Curves]] = [(m, {r.seed: _watched_values(r, name) for r in m.runs}) for m in methods]
        prints = {run.config.watch.get(name) for method in methods for run in method.runs} - {None}
        compared = called.get(prints.pop() or "") if len(prints) == 1 else None  # a folder is watched by its path
        charts.append(Watched(compared or name, line_chart(curves, height=195, share=True), compared is not None))
    return charts


def _watched_names(run: FinishedRun) -> list[str]:
    return list(dict.fromkeys(name for line in run.metrics for name in _values(line)))


def _watched_values(run: FinishedRun, name: str) -> list[tuple[float, float]]:
    return [(line["step"], _values(line)[name]) for line in run.metrics if name in _values(line)]


def _values(line: Mapping[str, Any]) -> Mapping[str, float]:
    """What a record has of the watched domains: accuracies, or mIoUs where labels are masks and some are labelled."""
    values: Mapping[str, float] = line.get("accuracy") or line.get("miou") or {}
    return {name: value for name, value in values.items() if math.isfinite(value)}


def round_summaries(methods: Sequence[Method]) -> list[RoundSummary]:
    """Every method's rounds in order."""
    summaries = []
    for method in methods:
        records = [record for run in method.runs for record in RoundRecord.read(run.metrics)]
        for k in range(1, method.rounds + 1):
            made = [record for record in records if record.round == k]
            if made:
                means = {
                    name: mean([getattr(record, name) for record in made])
                    for name in ("loss_before", "loss_after", "moved", "cost")
                }
                images = made[0].fictitious
                summaries.append(RoundSummary(method, k, images, made[0].measured or images, **means))
    return summaries


def rounds_sheet(rounds: Sequence[RoundSummary]) -> Sheet:
    """A row for each round of each method, or for some where a method has many."""
    costs = dict.fromkeys(COST_SPACES[summary.method.settings["cost"]] for summary in rounds)
    methods = list({summary.method.label: summary.method for summary in rounds}.values())
    shown = [summary for method in methods for summary in _some_of(rounds, method)]
    fewer = f" Of many rounds, {ROUNDS_IN_TABLE} are shown." * (len(shown) < len(rounds))
    return Sheet(
        "What each round did",
        ("Method", "round", "images", "loss before → after", "moved, L2", "cost"),
        [_round_row(summary) for summary in shown],
        f"Means over {_measured(shown)} and the seeds. The ascent raises the loss of an image at the model of that "
        f"moment. {_drawn_too(methods)}Moved is the distance between the image and the one it was made from, over all "
        f"pixels. Cost is the transport cost, in {listed(list(costs))}, that the penalty γ multiplies.{fewer}",
        styles={summary.method.name: summary.method.style for summary in rounds},
    )


def _measured(rounds: Sequence[RoundSummary]) -> str:
    """What the means of a round are over, in words."""
    drawn = {summary.measured for summary in rounds if summary.measured < summary.images}
    if not drawn:
        return "the round's images"
    every = all(summary.measured < summary.images for summary in rounds)
    return f"{max(drawn):,} of the round's images, drawn" + ", or all where it has fewer" * (not every)


def _some_of(rounds: Sequence[RoundSummary], method: Method) -> list[RoundSummary]:
    own = {summary.k: summary for summary in rounds if summary.method is method}
    return [own[k] for k in some_of(list(own), ROUNDS_IN_TABLE)]


def _drawn_too(methods: Sequence[Method]) -> str:
    """What the losses and distances include where the ascent doesn't start from the image itself."""
    drawn = [m.name for m in methods if m.settings["over"] != PIXELS and m.settings["start"] == "drawn"]
    if not drawn:
        return ""
    return f"For {listed(drawn)} the transformations are drawn before they ascend: the rise is that of both. "


def _round_row(summary: RoundSummary) -> tuple[str, ...]:
    losses = f"{short(summary.loss_before)} → {short(summary.loss_after)}"
    sizes = short(summary.moved), short(summary.cost)
    return (summary.method.name, str(summary.k), f"{summary.images:,}", losses, *sizes)
