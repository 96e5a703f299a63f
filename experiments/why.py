"""Why ADA doesn't help from dusk to day: how far its images go, and what other networks and settings do.

    python -m experiments.why far RUN          # RUN: a finished run of ERM on camvid-0001TP
    python -m experiments.why table RUN ...    # the runs of the sweeps, and of `unseen reproduce camvid`

Both need `UNSEEN_DATA`, write their raw lines to `results/`, and print a Markdown table.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import unseen
from experiments import command
from experiments.nets import jittered
from unseen.base.writing import write_atomically
from unseen.engine import Engine
from unseen.errors import Diverged
from unseen.method.ascent import ascend
from unseen.method.cost import squared_distance
from unseen.models.split import Split
from unseen.paper.streets.lab import CAMVID
from unseen.paper.streets.names import CAMVID as ROWS
from unseen.paper.streets.names import DUSK as DUSK_DRIVE
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import compare, counted, signed, with_span
from unseen.runs.loading import load
from unseen.runs.rounds import AscentRecord, measure_ascent

RESULTS = Path(__file__).parents[1] / "results"
SIZE = (96, 160)
DUSK, DAYS = CAMVID.domains[DUSK_DRIVE], tuple(CAMVID.domains[drive] for drive in ROWS[DUSK_DRIVE])
STEPS = [(eta, gamma) for eta in (0.02, 0.2, 2.0) for gamma in (0.0, 1.0, 100.0)]
SMOOTH = 1 / 16
"""cycles a pixel: changes slower than this are smooth, such as those of light"""
NETWORKS = (("jittered_fcn", "fcn-resnet18"), ("trained_lite0", "drawn_lite0"), ("drawn_lite0", "fcn-resnet18"))
"""networks compared by ERM, the first minus the second"""
FAR, TABLE = "why-far.jsonl", "why.jsonl"


# How far the images go.


def far(run: Path) -> Iterator[dict[str, Any]]:
    """What an ascent does to images of the dusk drive under other steps and penalties, and what light does to them."""
    net, dusk = load(run), unseen.domain(DUSK, SIZE)
    x, y = dusk.images[::8], dusk.labels[::8]
    about = {"run": run.name, "images": len(x), "torch": torch.__version__, "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    for eta, gamma in STEPS:
        ada = unseen.ADA(K=1, eta=eta, gamma=gamma, T_min=500, T_max=50, T=1500, batch=8)
        try:
            yield about | {"what": f"ascent, η={eta:g}, γ={gamma:g}"} | _moved(net, x, ascend(net, x, y, ada), y)
        except Diverged as error:
            yield about | {"what": f"ascent, η={eta:g}, γ={gamma:g}", "diverged": str(error)}
    with Engine(device="cpu").seeded(0):
        yield about | {"what": "other light (jittered)"} | _moved(net, x, jittered(x), y)
    for name in (DUSK, *DAYS):
        yield about | {"what": f"another image of {name}"} | _apart(net, x, unseen.domain(name, SIZE).images)


@torch.no_grad()
def _moved(net: Split, x0: Tensor, x: Tensor, y: Tensor) -> dict[str, float]:
    ascent = AscentRecord.mean(measure_ascent(net, x0, x, y, unseen.ADA(), Engine(precision="float32")))
    same = (net(x).argmax(1) == net(x0).argmax(1)).float().mean()
    kept = {name: asdict(ascent)[name] for name in ("loss_before", "loss_after", "radius")}
    return kept | {"pixels": _root_mean_square(x - x0), "smooth": _smooth_share(x - x0), "same_answers": float(same)}


@torch.no_grad()
def _apart(net: Split, x: Tensor, others: Tensor) -> dict[str, float]:
    """Between images of the dusk drive and as many of a drive, far from each other where it is the same."""
    spread = torch.linspace(0, len(others) - 1, len(x)).long().roll(len(x) // 2)
    z, z_other = net.features(x), net.features(others[spread])
    return {
        "radius": float(squared_distance(z, z_other).mean() / 2),
        "pixels": _root_mean_square(others[spread] - x),
        "smooth": _smooth_share(others[spread] - x),
        "brightness": float(others.mean() / x.mean()),
    }


def _root_mean_square(change: Tensor) -> float:
    return float(change.square().mean().sqrt())


def _smooth_share(change: Tensor) -> float:
    """Of a change's energy, the share in frequencies below SMOOTH, both ways."""
    energy = torch.fft.fft2(change).abs().square().sum((0, 1))
    down, across = (torch.fft.fftfreq(side).abs() for side in change.shape[-2:])
    return float(energy[down < SMOOTH][:, across < SMOOTH].sum() / energy.sum())


def _far_table(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "| what changes an image | loss | 1/2 \\|\\|z - z0\\|\\|^2 | pixels (RMS) | of it smooth | answers kept |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for line in lines:
        if "diverged" in line:
            yield f"| {line['what']} | not finite | | | | |"
            continue
        loss = f"{line['loss_before']:.2f} → {line['loss_after']:.2f}" if "loss_after" in line else ""
        same = f"{line['same_answers']:.0%}" if "same_answers" in line else ""
        numbers = f"{line['radius']:,.4g} | {line['pixels']:.2g} | {line['smooth']:.0%}"
        yield f"| {line['what']} | {loss} | {numbers} | {same} |"


# What other networks and settings do.


def table(runs: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """A results line for each run, scored on the three drives by day."""
    days = [unseen.domain(name, SIZE) for name in DAYS]
    for run in runs:
        score_run(run, days, load(run, run_model_code=True))  # of experiments/nets.py, among others
        yield result_line(run)


def _why_table(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    found: dict[tuple[str, int, str], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        for score in line["scores"]:
            if score["domain"] in DAYS:
                found[_network(line), line["ada"]["T"], _method(line)][score["domain"]][line["seed"]] = score["miou"]
    yield f"| network | T | training | seeds | {' | '.join(DAYS)} | minus ERM of the same network, mean of the three |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |"
    for (network, T, method), by_day in sorted(found.items(), key=lambda item: (*item[0][:2], item[0][2] != "ERM")):
        cells = [f"{100 * mean(list(by_day[day].values())):.1f}" for day in DAYS]
        seeds, gain = len(by_day[DAYS[0]]), _gain(by_day, found.get((network, T, "ERM"), {}))
        yield f"| {network} | {T:,} | {method} | {seeds} | {' | '.join(cells)} | {gain if method != 'ERM' else ''} |"
    for one, other in NETWORKS:
        first, second = (found.get((network, 1500, "ERM")) for network in (one, other))
        if first and second:
            gaps = [signed(compare("", "", "", first[day], second[day]).gap) for day in DAYS]
            yield f"\nERM of {one} minus {other}: {', '.join(gaps)}; mean {_gain(first, second)}"


def _gain(one: dict[str, dict[int, float]], other: dict[str, dict[int, float]]) -> str:
    if not other:
        return ""
    means = [{seed: mean([some[day][seed] for day in DAYS]) for seed in some[DAYS[0]]} for some in (one, other)]
    comparison = compare("", "", "", *means)
    gap = with_span(comparison.gap, comparison.interval)
    return f"{gap}, {counted(len(comparison.differences), 'pair')}"


def _network(line: dict[str, Any]) -> str:
    return str(line["job"]["model"]).rpartition(":")[2]


def _method(line: dict[str, Any]) -> str:
    ada = line["ada"]
    return f"K={ada['K']}, γ={ada['gamma']:g}, η={ada['eta']:g}" if ada["K"] else "ERM"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["far", "table"])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    chosen = parser.parse_args()
    is_far = chosen.what == "far"
    lines = list(far(*chosen.runs) if is_far else table(chosen.runs))
    text = "".join(json.dumps(line) + "\n" for line in lines)
    write_atomically(RESULTS / (FAR if is_far else TABLE), text.encode())
    print(*(_far_table if is_far else _why_table)(lines), sep="\n")


if __name__ == "__main__":
    command.run(main)
