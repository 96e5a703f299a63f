"""What the two scales of gamma and eta, clipping and a cost in pixels make of the same images (docs/method.md).

    python -m experiments.readings                 # needs MNIST under UNSEEN_DATA; three minutes on one core
    python -m experiments.readings mnist5k-train   # on the built-in digits

Trains for 100 steps, which is where the first round of the paper's digit experiment finds the network, lets the ascent
start from the same images in each reading, writes `results/fictitious.jsonl` and `.svg`, and prints a
Markdown table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import unseen
from experiments import command
from unseen.base.writing import write_atomically
from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.method.ascent import ascend
from unseen.models import ConvNet
from unseen.models.split import Split
from unseen.paper import figures
from unseen.paper.cells import Setting
from unseen.reporting.kit.charts import save
from unseen.runs.rounds import AscentRecord, measure_ascent

RESULTS = Path(__file__).parents[1] / "results"
SEED, IMAGES, SHOWN = 0, 10_000, 500
MAGNIFIED = 20
ORIGINALS = "originals"
READINGS = {
    "code, γ=1": unseen.ADA(),
    "text, γ=1": unseen.ADA(scale="paper"),
    "text, γ=1, clipped": unseen.ADA(scale="paper", clip=True),
    "text, γ=0": unseen.ADA(scale="paper", gamma=0.0),
    "code, γ=10⁴": unseen.ADA(gamma=1e4),
    "code, γ=10⁴, pixels": unseen.ADA(gamma=1e4, cost="pixel"),
}


@dataclass(frozen=True)
class Reading:
    """The images that one reading made, and what it did to them in the mean."""

    name: str
    images: Tensor
    ascent: AscentRecord
    outside: float
    """share of the pixels that lie outside [0, 1]"""
    right: float
    """share of the images that the network names rightly"""

    def line(self) -> dict[str, Any]:
        """What is kept of it."""
        return {"reading": self.name, **asdict(self.ascent), "outside": self.outside, "right": self.right}


def first_round(source: Domain, steps: int = unseen.ADA().T_min) -> Split:
    """The network as the first round finds it."""
    engine = Engine(device="cpu", precision="float32", threads=1)
    with engine.seeded(SEED):
        net = ConvNet(classes=len(source.classes))
    return unseen.fit(net, source, unseen.ERM(T=steps), seed=SEED, engine=engine).net


def read(net: Split, shown: Domain) -> Iterator[Reading]:
    """The images as they are, then the same images in every reading."""
    x0, y = shown.images, shown.labels
    for name, ada in {ORIGINALS: None, **READINGS}.items():
        x = ascend(net, x0, y, ada) if ada else x0
        ascent = AscentRecord.mean(measure_ascent(net, x0, x, y, ada or unseen.ADA(), Engine(precision="float32")))
        outside = float(((x < 0) | (x > 1)).float().mean())
        with torch.no_grad(), net.evaluated():
            right = float((net(x).argmax(1) == y).float().mean())
        yield Reading(name, x, ascent, outside, right)


def draw(shown: Domain, readings: Sequence[Reading]) -> Any:
    """A row of images for each reading, under the originals; a small change is shown magnified as well."""
    rows, notes = {}, {}
    for reading in readings:
        moved = reading.ascent.moved
        rows[reading.name] = _domain(shown, reading.images)
        notes[reading.name] = f"{f'L2 {moved:,.2g}, ' * (moved > 0)}loss {reading.ascent.loss_after:,.2g}"
        if 0 < moved < 1:
            name = f"its change, x{MAGNIFIED}{' ' * len(rows)}"  # blanks, so that no two rows have one name
            rows[name] = _domain(shown, 0.5 + MAGNIFIED * (reading.images - shown.images))
    title = "The same images, made fictitious as the code and as the text have it"
    return figures.samples(rows, Setting(title=title, source="", data=notes))


def _domain(shown: Domain, images: Tensor) -> Domain:
    return Domain(shown.name, images.clamp(0, 1), shown.labels, shown.classes)


def table(readings: Sequence[Reading]) -> Iterator[str]:
    """As Markdown."""
    yield "| reading | loss | L2 | 1/2 \\|\\|z - z0\\|\\|^2 | pixels outside [0, 1] | named rightly |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for reading in readings:
        c = reading.ascent
        loss, far = f"{c.loss_before:,.3g} → {c.loss_after:,.3g}", f"{c.moved:,.3g} | {c.radius:,.3g}"
        yield f"| {reading.name} | {loss} | {far} | {reading.outside:.0%} | {reading.right:.0%} |"


def main(arguments: Sequence[str] | None = None, results: Path = RESULTS) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default="mnist-train")
    source = unseen.domain(parser.parse_args(arguments).source).head(IMAGES)
    shown = source.head(SHOWN)
    readings = list(read(first_round(source), shown))
    about = {
        "source": source.name, "sha256": source.fingerprint, "images": len(shown), "seed": SEED,
        "torch": torch.__version__, "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }  # fmt: skip
    text = "".join(json.dumps(about | reading.line()) + "\n" for reading in readings)
    write_atomically(results / "fictitious.jsonl", text.encode())
    save(draw(shown, readings), results / "fictitious")
    print(*table(readings), sep="\n")


if __name__ == "__main__":
    command.run(main)
