"""Callables of the user's own, such as torchvision's transforms: they draw by themselves, for one image at a time."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

import torch
from torch import Tensor

from unseen.base.labels import VOID
from unseen.base.randomness import python_generators
from unseen.errors import InputError

FROM_PYTHON = "python:"
"""before the name of one that a Python program gave: it has to give it again to resume"""
TOLERANCE = 1e-3
"""how far beyond 0 and 1 an image may be: interpolation gives such"""
Seeded = Callable[[int], Any]
"""a context in which torch's own generators follow a seed"""


@dataclass(frozen=True, eq=False)
class Called:
    """A callable that changes an image (C, H, W) in [0, 1], and with it its mask (H, W) where labels are masks.

    Of torchvision's transforms the mask goes along as a ``tv_tensors.Mask``; what they fill in is void. Any other is
    called with the image and the mask, and gives both.
    """

    name: str
    call: Callable[..., Any] | None
    """None where the program that gave it isn't the one that asks"""

    def __call__(self, image: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """The image and its mask, changed."""
        if self.call is None:
            raise InputError(
                f'augment: "{self.name}" was given by a Python program, which has to give it again: resume there, with '
                "unseen.fit(..., resume=True)"
            )
        if mask is None:
            return _tensor(self.call(_as_image(self.call, image))), None
        return _both(self.call, image, mask)


def through(
    callables: tuple[Called, ...], images: Tensor, masks: Tensor | None, seeds: Tensor, seeded: Seeded
) -> tuple[Tensor, Tensor | None]:
    """Each image by itself through all of them; what leaves [0, 1] is put back.

    Meanwhile every global generator follows the image's own seed. Afterwards they are as before.
    """
    made, moved = [], []
    with python_generators() as seed_python:
        for i, seed in enumerate(seeds.tolist()):
            image, mask = images[i], None if masks is None else masks[i]
            seed_python(seed)
            with seeded(seed):
                for call in callables:
                    image, mask = call(image, mask)
            made.append(image.clamp(0, 1))
            moved.append(mask)
    if not made:
        return images, masks
    new_masks = None if masks is None else torch.stack([mask for mask in moved if mask is not None]).to(masks)
    return torch.stack(made).to(images), new_masks


def description(given: Callable[..., Any]) -> str:
    """A name for it: a function's own, or an object's kind and a digest of what it says of itself."""
    if isinstance(given, FunctionType):
        return re.sub(r"[^\w.]", "", given.__qualname__.rpartition(".")[2])
    said = re.sub(r" at 0x[0-9a-f]+", "", repr(given))
    return f"{type(given).__name__}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def _of_torchvision(call: Callable[..., Any]) -> bool:
    """Whether it knows what a mask is; where torchvision isn't imported, nothing of it can be here."""
    v2 = sys.modules.get("torchvision.transforms.v2")
    return v2 is not None and isinstance(call, v2.Transform)


def _as_image(call: Callable[..., Any], image: Tensor) -> Tensor:
    if not _of_torchvision(call):
        return image
    from torchvision import tv_tensors

    return cast(Tensor, tv_tensors.Image(image))


def _tensor(given: Any) -> Any:
    return given.as_subclass(Tensor) if isinstance(given, Tensor) else given


def _both(call: Callable[..., Any], image: Tensor, mask: Tensor) -> tuple[Any, Any]:
    if not _of_torchvision(call):
        image, mask = call(image, mask)
        return image, mask
    from torchvision import tv_tensors

    # torchvision fills masks with 0: as long as it has them, 0 is void and classes begin at 1
    moved = call(tv_tensors.Image(image), tv_tensors.Mask(torch.where(mask == VOID, 0, mask + 1)))
    labels = _tensor(moved[1])
    return _tensor(moved[0]), torch.where((labels == 0) | (labels == VOID), VOID, labels - 1)


def check_called(call: Called, images: Tensor, masks: Tensor | None, classes: int, seeded: Seeded) -> None:
    """Refuse a callable that doesn't give what a training needs of it, before anything is trained with it."""
    for i in range(len(images)):
        given = images[i].clone(), None if masks is None else masks[i].clone()
        for seed in (0, 1):
            made = _tried(call, given, seed, seeded)
            if not torch.equal(given[0], images[i]):
                raise _broken(call, "changes the image it is given; expected a new one")
            _check_image(call, made[0], images[i])
            if masks is not None:
                _check_mask(call, made[1], masks[i], classes)
            again = _tried(call, given, seed, seeded)
            if not all(torch.equal(a, b) for a, b in zip(made, again, strict=True) if a is not None and b is not None):
                raise _broken(
                    call,
                    "gives two different images for one state of torch's, NumPy's and Python's global generators; "
                    "expected draws from one of these, so that a run can resume",
                )


def _tried(call: Called, given: tuple[Tensor, Tensor | None], seed: int, seeded: Seeded) -> tuple[Any, Any]:
    try:
        with seeded(seed), python_generators() as seed_python:
            seed_python(seed)
            return call(*given)
    except InputError:
        raise
    except Exception as error:  # it is the user's code: whatever it raises is for them to see
        what = f"an image {tuple(given[0].shape)}" + " and its mask" * (given[1] is not None)
        raise InputError(f'augment: "{call.name}": called with {what} it raised {type(error).__name__}: {error}') from (
            error
        )


def _check_image(call: Called, made: Any, image: Tensor) -> None:
    if not isinstance(made, Tensor) or made.shape != image.shape or not made.is_floating_point():
        got = f"{made.dtype} {tuple(made.shape)}" if isinstance(made, Tensor) else type(made).__name__
        raise _broken(call, f"gave {got} for an image {tuple(image.shape)}; expected floats of the same shape")
    if not torch.isfinite(made).all() or made.min() < -TOLERANCE or made.max() > 1 + TOLERANCE:
        raise _broken(
            call,
            f"gave values from {float(made.min()):.2g} to {float(made.max()):.2g}; expected 0 to 1: normalization "
            "belongs inside the model",
        )


def _check_mask(call: Called, made: Any, mask: Tensor, classes: int) -> None:
    if not isinstance(made, Tensor) or made.shape != mask.shape or made.is_floating_point():
        got = f"{made.dtype} {tuple(made.shape)}" if isinstance(made, Tensor) else type(made).__name__
        raise _broken(call, f"gave {got} for a mask {tuple(mask.shape)}; expected class numbers of the same shape")
    if ((made < 0) | ((made >= classes) & (made != VOID))).any():
        raise _broken(
            call, f"gave a mask with {int(made.max())}; expected classes 0 to {classes - 1}, or {VOID} for void"
        )


def _broken(call: Called, promise: str) -> InputError:
    return InputError(f'augment: "{call.name}" {promise}')
