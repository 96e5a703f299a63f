"""The sliders of the page: each moves one parameter of a transformation over its range, and 0 changes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor

from unseen.transforms import KINDS, Transform, named

POINTS = 13
"""values at which a strip asks the networks: 0 is among them in every range that we have"""
KNOTS = 4  # of a shade, a side


@dataclass(frozen=True, eq=False)
class Slider:
    """One parameter of a transformation; where that is several numbers, each is a share of the slider's value."""

    label: str
    transform: Transform
    parameter: str
    shares: tuple[float, ...] = (1.0,)

    @property
    def least(self) -> float:
        """The range's lower end, cut to two decimals."""
        return math.ceil(self.transform.ranges[self.parameter][0] * 100) / 100

    @property
    def greatest(self) -> float:
        """The range's upper end, cut to two decimals."""
        return math.floor(self.transform.ranges[self.parameter][1] * 100) / 100

    @property
    def kind(self) -> str:
        """Light, colour, texture or viewpoint."""
        return self.transform.kind

    def values(self) -> Tensor:
        """From one end of the range to the other."""
        return torch.linspace(self.least, self.greatest, POINTS).round(decimals=6) + 0.0  # so that 0 is 0

    def parameters(self, values: Tensor) -> Tensor:
        """w (N, P) for values (N,): zero but for the slider's own parameter."""
        before = 0
        for name, each in self.transform.ranges.items():
            if name == self.parameter:
                break
            before += each[2] if len(each) == 3 else 1
        w = torch.zeros(len(values), self.transform.parameters)
        w[:, before : before + len(self.shares)] = values[:, None] * torch.tensor(self.shares)
        return w


def _across() -> tuple[float, ...]:
    """Knots of a shade that falls from the left to the right, the same in every row and channel."""
    row = torch.linspace(-1, 1, KNOTS)
    return tuple(row.expand(3, KNOTS, KNOTS).flatten().tolist())


def _slider(label: str, transform: str, parameter: str, shares: tuple[float, ...] = (1.0,)) -> Slider:
    return Slider(label, named(transform)[0], parameter, shares)


SLIDERS: tuple[Slider, ...] = (
    _slider("brightness", "exposure", "gain"),
    _slider("contrast", "tone", "contrast"),
    _slider("shade, left to right", "shade", "field", _across()),
    _slider("hue", "hue", "angle"),
    _slider("cold to warm", "colour", "shift", (1.0, 0.0, -1.0)),
    _slider("solarize", "solarize", "share"),
    _slider("blur to sharp", "blur", "amount"),
    _slider("noise", "noise", "strength"),
    _slider("JPEG", "jpeg", "step"),
    _slider("turn", "affine", "angle"),
    _slider("size", "affine", "log_scale"),
    _slider("shift", "affine", "shift", (1.0, 0.0)),
)
"""by kind, in the order of ``KINDS``"""

_ORDER = ("viewpoint", "light", "colour", "texture")
"""what happens to a picture first: where the camera stands, then the light, then what the camera does"""


def by_kind() -> dict[str, list[Slider]]:
    """The sliders of each kind."""
    assert [kind for kind, _ in groupby(SLIDERS, lambda slider: slider.kind)] == list(KINDS)
    return {kind: [slider for slider in SLIDERS if slider.kind == kind] for kind in KINDS}


def transformed(images: Tensor, values: Tensor) -> Tensor:
    """Each image (N, C, H, W) with the sliders at its row of ``values`` (N, sliders)."""
    for transform, w in _steps(values):
        images = transform(images, w.to(images))
    return images


def transformed_masks(masks: Tensor, values: Tensor) -> Tensor:
    """The masks (N, H, W) of these images: where pixels move, their labels go with them."""
    for transform, w in _steps(values):
        masks = transform.move_masks(masks, w)
    return masks


def along(slider: Slider, at: Sequence[float]) -> Tensor:
    """(POINTS, sliders): one slider over its range, with the others where they are."""
    values = torch.tensor(list(at), dtype=torch.float32).repeat(POINTS, 1)
    values[:, SLIDERS.index(slider)] = slider.values()
    return values


def _steps(values: Tensor) -> list[tuple[Transform, Tensor]]:
    """The transformations that aren't the identity for all, in their order, each with its w (N, P)."""
    moved: dict[str, tuple[Transform, Tensor]] = {}
    for slider, own in sorted(zip(SLIDERS, values.unbind(1), strict=True), key=lambda pair: _ORDER.index(pair[0].kind)):
        if own.any():
            name, w = slider.transform.name, slider.parameters(own)
            moved[name] = (slider.transform, w + moved[name][1] if name in moved else w)
    return list(moved.values())
