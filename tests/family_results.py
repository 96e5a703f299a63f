"""Results of the family made by hand: accuracies by method, with a little noise, as if everything had been trained."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unseen.choosing.choose import plan
from unseen.paper.digits.lab import PAPER, SOURCE, DigitLab
from unseen.paper.family.recipes import FAMILY_RECIPES
from unseen.paper.lab import Lab, Scale
from unseen.paper.methods import Method, Trained
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.paper.streets.lab import StreetLab

MEANS = {
    "ERM": 54, "Dropout": 54.5, "ADA": 55, "ADA, K=2": 57, "ADA, K=4": 58, "ADA + entropy": 57.5,
    "Random convolutions": 63, "Random convolutions + consistency": 66, "Jitter": 60, "Random transformations": 74,
    "Rounds without ascent": 73.5, "Transformations": 76, "Transformations + entropy": 76.2,
    "Transformations + consistency": 77.5, "Transformations + pixels": 75.8, "Transformations + jitter": 76.1,
    "Ensemble over γ": 76.8,
}  # fmt: skip
"""what each is made to reach, in percent; others, which depend on the chosen settings, reach OTHERS"""
OTHERS = 54.2
FAR = {"svhn-test": -20, "mnist-m-test": 0, "usps-test": 20}


def digit_lab(out: Path, scale: Scale = PAPER) -> DigitLab:
    """Real digits without SYN, whether they are on this machine or not."""
    return DigitLab(out=out, rows={SOURCE: ("SVHN", "MNIST-M", "SYN", "USPS")}, absent=("SYN",), scale=scale)


def street_lab(out: Path, name: str) -> StreetLab:
    recipe = FAMILY_RECIPES[name]
    (scale,) = recipe.scales.values()
    return StreetLab(out=out, data=recipe.data, rows=recipe.rows, scale=scale)


def add_results(
    recipe: Recipe, lab: Lab, seeds: int, skip: tuple[str, ...] = (), means: Mapping[str, float] = MEANS
) -> Results:
    """A line for each training and ensemble of the recipe, but for the methods to skip."""
    results, draw = Results(lab.results), np.random.default_rng(3)
    for method in recipe.compared(lab):
        for source in lab.sources:
            for seed in range(seeds if method.label not in skip else 0):
                shared = draw.normal(0, 0.6)
                for measurement in method.measurements(source, seed):
                    results.add(line_of(measurement, means.get(method.label, OTHERS) + shared, draw))
    return results


def line_of(measurement: Any, level: float, draw: np.random.Generator) -> dict[str, Any]:
    (request, *others) = measurement.needs
    scores = [
        {
            "domain": domain, "accuracy": (level + FAR.get(domain, 0) * (100 - level) / 46 + draw.normal(0, 0.5)) / 100,
            "images": 2007, "rule": "greatest-softmax",
        }
        for domain in measurement.domains
    ]  # fmt: skip
    return {
        "key": measurement.key, "kind": "ensemble" if others else "run", "seed": request.seed,
        "job": request.job.asdict(), "ada": request.ada.asdict(), "scores": scores,
    }  # fmt: skip


SMALLER_DIGITS = {"source": "mnist-train", "images": 10_000, "width": 0.25, "T": 2_000, "watch": []}
SMALLER_STREETS = {"source": "camvid-0001TP", "model": "fcn-resnet18", "size": (96, 160), "T": 400, "watch": []}


def trials_of(
    methods: tuple[Method, ...],
    out: Path,
    scores: Mapping[str, float],
    seeds: int = 1,
    shared: Mapping[str, Any] = SMALLER_DIGITS,
) -> list[dict[str, Any]]:
    """Lines of a choice between these methods at a smaller scale, each candidate named by a number."""
    trained = {str(i): m for i, m in enumerate(methods) if isinstance(m, Trained)}
    made = plan({name: dict(m.settings) for name, m in trained.items()}, shared, out, seeds)
    return [
        {
            "candidate": trial.candidate, "without": trial.kind, "seed": trial.seed,
            "score": scores.get(trained[trial.candidate].label, OTHERS) / 100, "ada": trial.request.ada.asdict(),
            "job": trial.request.job.asdict(),
        }
        for trial in made
    ]  # fmt: skip


def write_trials(lines: list[dict[str, Any]], file: Path) -> Path:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file
