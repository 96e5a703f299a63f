"""Whether an exported graph says what the network says: tried at once, on real images where there are some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from unseen.base.paths import expanded
from unseen.base.randomness import generator
from unseen.data.catalogue import is_drawn, names
from unseen.data.domain_names import FOLDER_PREFIX, MASKS_PREFIX
from unseen.deploy.finding import pictures_in
from unseen.deploy.graph import Graph
from unseen.deploy.predictor import Predictor
from unseen.errors import InputError
from unseen.runs.job import Job

IMAGES = 16
"""how many a graph is tried on"""
TOLERANCE = 1e-3
"""the greatest difference of a score, as a share of the greatest score, or of 1 where all are smaller"""
TIES = 1e-4
"""the share of answers that may be others: rounding decides between members that are equally sure"""


@dataclass(frozen=True, eq=False)
class Trial:
    """Images that the network can take, in 256 levels, where they are from, and the network's own scores of them."""

    images: Tensor
    origin: str
    scores: Tensor


@dataclass(frozen=True)
class Checked:
    """How far a graph is from the network, on how many images from where."""

    images: int
    origin: str
    difference: float
    """of any score"""
    greatest: float
    """score there is, without its sign"""

    def __str__(self) -> str:
        return (
            f"scores differ by {self.difference:.1e} at most (they reach {self.greatest:.3g}) on {self.images} "
            f"{self.origin}"
        )


def checked(graph: Graph, run: Callable[[Tensor], tuple[Tensor, ...]], trial: Trial, what: str) -> Checked:
    """Compare ``run``, the exported graph as its runtime runs it, with the network; refuses one that says otherwise.

    The scores are compared with the network's, and the answers with those that follow from the graph's own scores:
    which of two members is surer may hang on the last bit of a score.
    """
    with torch.no_grad():
        given = run(graph.expected.taken(trial.images))
        said = graph.said(given[-1])
    difference, greatest = float((given[-1] - trial.scores).abs().max()), float(trial.scores.abs().max())
    if not difference <= TOLERANCE * max(greatest, 1):  # NaN is no number within a tolerance
        raise InputError(
            f"export: {what} says something else than the network, so nothing was written: on {trial.origin} scores "
            f"differ by {difference:.3g} and reach {greatest:.3g}, expected {TOLERANCE:g} of that at most; look for an "
            "operation of the model that draws at random or depends on more than one image"
        )
    for name, one, other in zip(graph.outputs, given, said, strict=True):
        share = _differing(one, other)
        if share > TIES:
            raise InputError(
                f"export: {what} gives other answers than its scores do, so nothing was written: {share:.2%} of {name} "
                "differ; report it as a bug of unseen"
            )
    return Checked(len(trial.images), trial.origin, difference, greatest)


def _differing(one: Tensor, other: Tensor) -> float:
    """The share of the entries in which two outputs differ: whole numbers at all, others by more than rounding."""
    apart = (one - other).abs() > TOLERANCE if one.is_floating_point() else one != other
    return float(apart.double().mean())


def trial_images(predictor: Predictor, job: Job | None, size: tuple[int, int]) -> Trial:
    """Images of the source, where the job names it and it is there; else generated ones."""
    real = _of_source(predictor, job) if job is not None else []
    fitting = [image for image in real if tuple(image.shape[1:]) == size]
    origin = f"images of {job.source}" if job and fitting else "generated images (the source isn't there)"
    images = torch.stack(fitting) if fitting else _generated(predictor.prepare.channels, size)
    images = (images * 255).round() / 255  # so that bytes can hold them, too
    return Trial(images, origin, predictor.scores(images))


def _of_source(predictor: Predictor, job: Job) -> list[Tensor]:
    """A few images of the source, spread over its classes, without reading all of a folder."""
    own = expanded(job.source.removeprefix(FOLDER_PREFIX).removeprefix(MASKS_PREFIX))
    try:
        if job.source not in names() and own.is_dir():
            files = pictures_in([own / "images" if (own / "images").is_dir() else own])
            return [image for file in _spread(files) if (image := _readable(predictor, file)) is not None]
        few = replace(job, images=IMAGES, hold_out=0.0) if is_drawn(job.source) else job
        return list(few.load_source().images[:IMAGES])
    except (InputError, OSError):  # the data may be gone; the network doesn't need it
        return []


def _spread(files: list[Path]) -> list[Path]:
    return files[:: max(len(files) // IMAGES, 1)][:IMAGES]


def _readable(predictor: Predictor, file: Path) -> Tensor | None:
    try:
        return predictor.prepare(file)
    except InputError:
        return None


def _generated(channels: int, size: tuple[int, int]) -> Tensor:
    """Smooth colour: noise at an eighth of the size, enlarged."""
    coarse = [max(side // 8, 1) for side in size]
    noise = torch.rand(IMAGES, channels, *coarse, generator=generator(0, "trial images"))
    return torch.nn.functional.interpolate(noise, size, mode="bilinear", align_corners=False)
