"""Writes RGB images of 16 bits for each channel as PNG. By hand: Pillow would silently keep 8 bits."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.base.writing import write_atomically

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BIT_DEPTH, _RGB = 16, 2


def write_png16(path: Path, array: NDArray[np.uint16]) -> None:
    """A PNG of ``array``, uint16 (H, W, 3), complete or not there."""
    assert array.dtype == np.uint16
    assert array.ndim == 3
    assert array.shape[2] == 3
    height, width, _ = array.shape
    header = struct.pack(">IIBBBBB", width, height, _BIT_DEPTH, _RGB, 0, 0, 0)
    rows = array.astype(">u2").reshape(height, -1).view(np.uint8)
    filtered = np.pad(rows, ((0, 0), (1, 0)))  # each row begins with its filter: 0, none
    data = zlib.compress(filtered.tobytes())
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")
    write_atomically(path, _SIGNATURE + chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    """Length, kind, content, and the checksum of the last two."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
