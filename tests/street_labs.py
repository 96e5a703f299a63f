"""Street recipes in a lab that is done in seconds, and results as a lab would have written them."""

from pathlib import Path

import numpy as np
from torch import nn

from unseen.ensembles.rules import PIXEL_RULES
from unseen.paper.lab import Scale
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.paper.streets.lab import SCENES, SMALL, StreetLab
from unseen.paper.streets.names import TABLE2

SOURCES = ("highway-night", "new-york-fog")


def small_fcn(classes: int) -> nn.Module:
    """Scores for each pixel, as an FCN's, from a few weights."""
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, classes, 1),
        nn.Upsample(scale_factor=2, mode="bilinear"),
    )  # fmt: skip


TINY = Scale(
    name="tiny", model=f"{__file__}:small_fcn", size=(16, 24), images=4, T=8, T_min=3, T_max=2, batch=2, eta=2.0
)


def tiny_lab(out: Path, *sources: str) -> StreetLab:
    """Built-in scenes, two of each place's conditions as targets."""
    rows = {source: tuple(t for t in TABLE2[source] if t.endswith(("fog", "night"))) for source in sources or SOURCES}
    return StreetLab(out=out, data=SCENES, rows=rows, scale=TINY, precision="float32")


def add_results(path: Path, recipe: Recipe, lab: StreetLab, *, seeds: int, gain: float = 0.03) -> Results:
    """Lines as a real lab's, with mIoUs drawn around 0.2; rounds add ``gain``, and so does an ensemble."""
    results, draw = Results(path), np.random.default_rng(3)
    for measurement in recipe.measurements(lab, seeds):
        request, *others = measurement.needs
        better = gain * (request.ada.K > 0) + gain * bool(others)
        scores = [
            {"domain": domain, "miou": 0.2 + better + draw.random() / 50, "images": 200, "iou": [None], "rule": rule}
            for domain in measurement.domains
            for rule in (PIXEL_RULES if others else [None])
        ]
        results.add(
            {
                "key": measurement.key, "kind": "ensemble" if others else "run", "seed": request.seed,
                "members": [each.out.name for each in measurement.needs], "job": request.job.asdict(),
                "ada": request.ada.asdict(), "versions": {"torch": "2.13.0"}, "created": "2026-11-16T00:00:00",
                "engine": {"device": "cpu", "precision": "bf16"}, "scores": scores,
            }
        )  # fmt: skip
    return results


def small_lab(out: Path, *sources: str) -> StreetLab:
    """The small scale on built-in scenes."""
    return StreetLab(out=out, data=SCENES, rows={source: TABLE2[source] for source in sources or SOURCES}, scale=SMALL)
