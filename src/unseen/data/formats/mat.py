"""MATLAB files, as SVHN and SYN are published: X is uint8 (32, 32, 3, N), y has a label for each image."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.base.reading import open_file
from unseen.data import official
from unseen.data.copies import Copy, Raw, again, check_digest, checked, decoding, find_whole, refused

_NUMBERS = 32 * 32 * 3  # of an image


def find_mat(root: Path, name: str) -> Copy | None:
    """The official file, when it is there; ``InputError`` when its size says that it isn't the official one."""
    return find_whole(root, name, _read)


def _read(path: Path, name: str) -> Raw:
    check_digest(path, official.OFFICIAL[name][0], name)  # first: what is unfolded is the published file
    content = _content(path, name)
    lacking = {"X", "y"} - content.keys()
    if lacking:
        raise refused(path, "arrays X and y", f"none named {' and '.join(sorted(lacking))}", again(name))
    images, labels = content["X"], content["y"]
    if images.ndim != 4:
        raise refused(path, "X as uint8 (32, 32, 3, N)", f"{images.dtype} {images.shape}", again(name))
    if labels.dtype.kind not in "uif":
        raise refused(path, "y as numbers", f"{labels.dtype}", again(name))
    return checked(path, images.transpose(3, 0, 1, 2), _digits(path, labels.reshape(-1), name), again(name))


def _content(path: Path, name: str) -> dict[str, NDArray[Any]]:
    scipy = require("scipy.io", "digits")
    with decoding(path, "a MATLAB file", again(name)), open_file(path) as file:
        for key, shape, _ in scipy.whosmat(file):
            if key in ("X", "y") and math.prod(shape) > official.IMAGES[name] * _NUMBERS:
                raise refused(path, f"{official.IMAGES[name]:,} images or fewer", f"{key} of {shape}", again(name))
        file.seek(0)
        content = scipy.loadmat(file, variable_names=("X", "y"))
        return {key: np.asarray(content[key]) for key in ("X", "y") if key in content}


def _digits(path: Path, labels: NDArray[Any], name: str) -> NDArray[Any]:
    """SVHN's labels are 1 to 10 and 10 is the digit 0; SYN's are 0 to 9. MATLAB's numbers may be floating point."""
    if (labels == 0).any() and (labels == 10).any():
        raise refused(path, "labels 0 to 9, or 1 to 10 with 10 for the digit 0", "both 0 and 10", again(name))
    whole = labels.astype(np.int64)
    return np.where(labels == 10, 0, whole) if (whole == labels).all() else labels
