"""LIBSVM's text format, as USPS is published: a line ``label 1:value 2:value ...`` for each image, in bzip2."""

from __future__ import annotations

import bz2
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.data import official
from unseen.data.copies import Copy, Raw, again, check_digest, checked, find_whole, refused

SIDE = 16
_POSITIONS = range(1, SIDE * SIDE + 1)


def find_libsvm(root: Path, name: str) -> Copy | None:
    """The official file, when it is there; ``InputError`` when it is a web page of that name."""
    return find_whole(root, name, _read)


def _read(path: Path, name: str) -> Raw:
    """The values -1 to 1 become grey levels 0 to 255, the labels 1 to 10 the digits 0 to 9."""
    lines = _lines(path, name)
    values, labels = np.empty((len(lines), SIDE * SIDE)), np.empty(len(lines), np.int64)
    for row, line in enumerate(lines):
        try:
            values[row], labels[row] = _parsed(line)
        except ValueError as error:
            expected = f"LABEL 1:VALUE ... {SIDE * SIDE}:VALUE, values -1 to 1,"
            raise refused(path, expected, f'"{line[:40]}" in line {row + 1}', again(name)) from error
    levels = np.rint((values + 1) / 2 * 255).astype(np.uint8)
    raw = checked(path, levels.reshape(-1, SIDE, SIDE), labels - 1, again(name))
    check_digest(path, official.OFFICIAL[name][0], name)
    return raw


def _lines(path: Path, name: str) -> list[str]:
    try:
        return bz2.decompress(path.read_bytes()).decode("ascii").splitlines()
    except (OSError, ValueError) as error:
        raise refused(path, "text in a whole bzip2 file", f"a damaged one ({error})", again(name)) from error


def _parsed(line: str) -> tuple[NDArray[np.float64], int]:
    label, *pairs = line.split()
    values = np.zeros(SIDE * SIDE)  # the format leaves zeros out
    for pair in pairs:
        position, _, value = pair.partition(":")
        values[_POSITIONS.index(int(position))] = float(value)
    if not (abs(values) <= 1).all():
        raise ValueError(values)
    return values, int(label)
