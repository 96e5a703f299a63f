"""LIBSVM's text format, as USPS is published: a line ``label 1:value 2:value ...`` for each image, in bzip2.

scikit-learn reads it. By hand: a limit on what comes out of the compression, and which line is damaged.
"""

from __future__ import annotations

import bz2
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.base.reading import open_file
from unseen.data import official
from unseen.data.copies import Copy, Raw, again, check_digest, checked, decoding, find_whole, refused

SIDE = 16
_MOST_LINE = 32 * SIDE * SIDE  # bytes of a line; "256:-0.123456 " is 14


def find_libsvm(root: Path, name: str) -> Copy | None:
    """The official file, when it is there; ``InputError`` when it is a web page of that name."""
    return find_whole(root, name, _read)


def _read(path: Path, name: str) -> Raw:
    """The values -1 to 1 become grey levels 0 to 255, the labels 1 to 10 the digits 0 to 9."""
    lines = _lines(path, name)
    expected = f"LABEL 1:VALUE ... {SIDE * SIDE}:VALUE, values -1 to 1,"
    with decoding(path, expected, again(name)):
        try:
            values, labels = _parsed(lines)
        except ValueError:
            wrong = next(((n, line) for n, line in enumerate(lines, start=1) if not _is_image(line)), None)
            if wrong is None:
                raise
            got = f'"{wrong[1][:40].decode(errors="replace")}" in line {wrong[0]}'
            raise refused(path, expected, got, again(name)) from None
    levels = np.rint((values + 1) / 2 * 255).astype(np.uint8)
    raw = checked(path, levels.reshape(-1, SIDE, SIDE), labels - 1, again(name))
    check_digest(path, official.OFFICIAL[name][0], name)
    return raw


def _lines(path: Path, name: str) -> list[bytes]:
    """The lines of text: no more of them, and no longer ones, than the published file can have."""
    images = official.IMAGES[name]
    most = images * _MOST_LINE
    with decoding(path, "text in a whole bzip2 file", again(name)), open_file(path) as packed:
        text = bz2.BZ2File(packed).read(most + 1)
    if len(text) > most:
        raise refused(path, f"at most {most:,} bytes of text", "more", again(name))
    ends = text.count(b"\n")  # counted before the lines are made: an empty one takes forty times its one byte
    if ends > images:
        raise refused(path, f"{images:,} lines or fewer", f"{ends:,}", again(name))
    return text.removesuffix(b"\n").split(b"\n")


def _parsed(lines: list[bytes]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values (N, 256) and labels (N,) of these lines; ``ValueError`` where one of them is no image."""
    load = require("sklearn.datasets", "digits").load_svmlight_file
    sparse, labels = load(io.BytesIO(b"\n".join(lines)), n_features=SIDE * SIDE, zero_based=False)
    values: NDArray[np.float64] = sparse.toarray()  # the format leaves zeros out
    whole = (np.rint(labels) == labels) & (abs(labels) < 2**31)
    if len(values) != len(lines) or not (abs(values) <= 1).all() or not whole.all():
        raise ValueError
    return values, labels.astype(np.int64)


def _is_image(line: bytes) -> bool:
    try:
        _parsed([line])
    except ValueError:
        return False
    return True
