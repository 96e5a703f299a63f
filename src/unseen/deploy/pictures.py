"""Pictures as people have them, prepared as the images that a network was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.extras import require
from unseen.base.paths import expanded
from unseen.data.formats.image_file import read_image, upright
from unseen.data.images import as_images, checked_size, pixels_of
from unseen.data.reading import noting_problems
from unseen.engine import to_host
from unseen.errors import InputError
from unseen.runs.loading import NetworkRecord

if TYPE_CHECKING:
    from PIL.Image import Image

    Picture: TypeAlias = str | PathLike[str] | Image | NDArray[Any] | Tensor
    """What is accepted as one picture."""


@dataclass(frozen=True)
class Preparation:
    """How the images of a source were prepared, for pictures of any origin: a call gives (channels, H, W) in [0, 1].

    A file or a PIL image goes the way of ``unseen.folder``: upright, 8-bit, RGB or grey, resized by the kernel.
    """

    size: tuple[int, int] | None = None
    """height and width; None leaves each picture as large as it is"""
    channels: int = 3
    resize: str = "bilinear"

    @classmethod
    def of(cls, record: NetworkRecord) -> Preparation:
        """What the folder of a network says; nothing is known of a network that never had a folder of its own."""
        resize = record.job.resize if record.job else cls.resize
        if record.shape is not None:
            channels, height, width = record.shape
            return cls((height, width), channels, resize)
        return cls(checked_size(record.job.side) if record.job else None, resize=resize)

    def __call__(self, picture: Picture) -> Tensor:
        """The picture as a float32 tensor; one that can't be read or used is refused by name."""
        if isinstance(picture, Tensor):
            return self._from_tensor(picture)
        if isinstance(picture, np.ndarray):
            return self._from_array(picture)
        if isinstance(picture, str | PathLike):
            return self._from_file(expanded(picture))
        if isinstance(picture, require("PIL.Image", "folder").Image):
            return self._from_image(picture)
        raise InputError(
            f"picture: expected a path, a PIL image, a numpy array (H, W) or (H, W, channels), or a tensor (channels, "
            f"H, W) in [0, 1], got {type(picture).__name__}"
        )

    def _from_file(self, path: Path) -> Tensor:
        require("PIL", "folder")
        if not path.is_file():
            found = "a folder" if path.is_dir() else "nothing there"
            raise InputError(f"{path}: expected an image file, found {found}; check the path")
        problems: list[str] = []
        with noting_problems(path, problems):
            return self._from_pixels(pixels_of(read_image(path, self.channels), self.size, self.resize))
        raise InputError(problems[0])

    def _from_image(self, image: Image) -> Tensor:
        try:
            return self._from_pixels(pixels_of(upright(image, self.channels), self.size, self.resize))
        except (OSError, ValueError) as error:  # what a decoder says of a damaged file that was opened and not yet read
            raise InputError(f"picture: the PIL image can't be read ({error}); open another") from error

    @staticmethod
    def _from_pixels(pixels: NDArray[np.uint8]) -> Tensor:
        return as_images([pixels])[0]

    def _from_array(self, array: NDArray[Any]) -> Tensor:
        """Bytes as a PIL image, which they are to most libraries; floats as a tensor."""
        channels = array.shape[2] if array.ndim == 3 else 1
        if array.ndim not in (2, 3) or 0 in array.shape or channels not in (1, 3, 4):
            first = array.ndim == 3 and array.shape[0] in (1, 3)
            fix = "its channels seem to come first: array.transpose(1, 2, 0)" if first else "give one picture"
            raise InputError(
                f"picture: the array has shape {array.shape}, expected (H, W) or (H, W, channels) with 1, 3 or 4 of "
                f"them; {fix}"
            )
        if array.dtype == np.uint8:
            bytes_ = array[:, :, 0] if channels == 1 and array.ndim == 3 else array
            return self._from_image(require("PIL.Image", "folder").fromarray(bytes_))
        if not np.issubdtype(array.dtype, np.floating):
            raise InputError(f"picture: the array is {array.dtype}, expected uint8 in 0..255 or floats in [0, 1]")
        return self._from_tensor(torch.from_numpy(np.atleast_3d(array).astype(np.float32)).movedim(2, 0))

    def _from_tensor(self, tensor: Tensor) -> Tensor:
        """Floats stay floats: they are resized, where they have to be, without being rounded to grey levels."""
        if tensor.ndim != 3 or not tensor.numel():
            raise InputError(
                f"picture: the tensor has shape {tuple(tensor.shape)}, expected (channels, height, width); for several "
                "pictures give a list of them"
            )
        image = to_host(tensor.detach())
        if image.dtype == torch.uint8:
            image = image / 255
        low, high = (float(bound) for bound in image.double().aminmax())
        if not (image.is_floating_point() and 0 <= low <= high <= 1):
            raise InputError(
                f"picture: values are {image.dtype} in [{low:.4g}, {high:.4g}], expected floats in [0, 1]; for 0..255 "
                "divide by 255"
            )
        if image.shape[0] == 1:
            image = image.expand(self.channels, -1, -1)
        if image.shape[0] != self.channels:
            raise InputError(
                f"picture: the tensor has {image.shape[0]} channels, expected {self.channels} or 1; convert it first"
            )
        return self._resized(image.float().contiguous())

    def _resized(self, image: Tensor) -> Tensor:
        if self.size is None or image.shape[1:] == self.size:
            return image
        pillow = require("PIL.Image", "folder")
        kernel, (height, width) = pillow.Resampling[self.resize.upper()], self.size
        planes = [np.asarray(pillow.fromarray(plane.numpy()).resize((width, height), kernel)) for plane in image]
        return torch.from_numpy(np.stack(planes)).clamp(0, 1)
