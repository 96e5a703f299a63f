"""PNG files as the numbers in them.

By hand: Pillow cuts 16-bit colour to its high bytes, which makes SYNTHIA's labels all 0, and it scales grey of fewer
than 8 bits.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from unseen.base.reading import open_file
from unseen.data.formats.image_file import refuse_too_large

Samples: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = {0: ("grey", 1), 2: ("RGB", 3), 3: ("palette", 1), 4: ("grey with alpha", 2), 6: ("RGBA", 4)}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_SUB, _UP, _PAETH = 1, 2, 4
_HEAD = 33  # bytes of the signature and the header
_MOST_BESIDE = 2**24  # bytes of a file beside its pixels; of a longer one, the rest is not read
_LEAST_BAND = 256


@dataclass(frozen=True)
class Header:
    """What a PNG file says of itself."""

    width: int
    height: int
    bits: int
    """of each sample"""
    kind: str
    """grey, RGB, palette, grey with alpha, RGBA"""
    channels: int

    @property
    def row_bytes(self) -> int:
        """Bytes of a row's samples, which are packed where they have fewer than 8 bits."""
        return (self.width * self.channels * self.bits + 7) // 8

    @property
    def content_bytes(self) -> int:
        """Bytes of all rows as they are compressed, each with its filter's number before it."""
        return self.height * (1 + self.row_bytes)

    @property
    def pixel_bytes(self) -> int:
        """How far back the filters look for the pixel on the left: at least one byte."""
        return max(1, self.channels * self.bits // 8)


def read_header(path: Path) -> Header:
    """The header alone; ``ValueError`` with the reason where the file is no PNG or of a kind that isn't read."""
    with open_file(path) as file:
        return _header(file.read(_HEAD))


def read_png(path: Path, channel: int | None = None) -> Samples:
    """The samples of a PNG file as they are: (H, W, channels), or (H, W) of that one channel.

    They are uint16 for 16 bits and uint8 for fewer, never scaled; of a palette image they are the indices, whatever the
    colours. Every chunk's checksum is checked. ``ValueError`` with the reason where the file can't be read.
    """
    with open_file(path) as file:
        header = _header(file.read(_HEAD))
        file.seek(0)
        content = file.read(2 * header.content_bytes + _MOST_BESIDE)
    raw = np.frombuffer(_inflated(header, content), np.uint8).reshape(header.height, 1 + header.row_bytes)
    filters, filtered = raw[:, 0], raw[:, 1:].reshape(header.height, -1, header.pixel_bytes)
    if filters.max() > _PAETH:
        raise ValueError(f"it has a filter {filters.max()}, expected 0 to 4: it is damaged")
    if channel is not None:
        width = header.pixel_bytes // header.channels
        filtered = filtered[:, :, channel * width : (channel + 1) * width]
    samples = _samples(header, _unfiltered(filters, filtered))
    return samples if channel is None else samples[:, :, 0]


def _header(start: bytes) -> Header:
    if start[:8] != _SIGNATURE:
        raise ValueError("it isn't a PNG file")
    if len(start) < 33 or start[12:16] != b"IHDR":
        raise ValueError("it is cut short or damaged: it has no header")
    width, height, bits, colour, _, _, interlace = struct.unpack(">IIBBBBB", start[16:29])
    if colour not in _KINDS or bits not in _DEPTHS[colour] or width == 0 or height == 0:
        raise ValueError("its header is damaged")
    if interlace:
        raise ValueError("it is interlaced, expected a plain PNG: save it without interlacing")
    refuse_too_large(height, width)
    kind, channels = _KINDS[colour]
    return Header(width, height, bits, kind, channels)


def _inflated(header: Header, content: bytes) -> bytes:
    """The filtered rows, each with its filter's number before it."""
    expected = header.content_bytes
    try:
        rows = zlib.decompressobj().decompress(_pixel_chunks(content), expected)
    except zlib.error as error:
        raise ValueError(f"its pixels are damaged ({error})") from error
    if len(rows) < expected:
        raise ValueError(f"it is cut short: {len(rows):,} of {expected:,} bytes of pixels")
    return rows


def _pixel_chunks(content: bytes) -> bytes:
    parts: list[bytes] = []
    at = len(_SIGNATURE)
    while True:
        if at + 12 > len(content):
            raise ValueError("it is cut short: it has no end mark")
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        end = at + 12 + length
        if end > len(content):
            raise ValueError(f"it is cut short: {len(content):,} bytes, expected {end:,} or more")
        if zlib.crc32(content[at + 4 : end - 4]) != int.from_bytes(content[end - 4 : end], "big"):
            raise ValueError(f"it is damaged: the checksum of its {kind.decode('latin-1')} chunk is wrong")
        if kind == b"IEND":
            return b"".join(parts)
        if kind == b"IDAT":
            parts.append(content[at + 8 : end - 4])
        at = end


def _unfiltered(filters: NDArray[np.uint8], filtered: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Undo the filters of (H, W, bytes), row by row where no row has one that goes from pixel to pixel."""
    return (_by_rows if filters.max() <= _UP else _by_diagonals)(filters, filtered)


def _by_rows(filters: NDArray[np.uint8], filtered: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rows = np.empty_like(filtered)
    above = np.zeros_like(filtered[0])
    for y, (kind, row) in enumerate(zip(filters, filtered, strict=True)):
        plain = np.cumsum(row, axis=0, dtype=np.uint8) if kind == _SUB else row + above if kind == _UP else row
        rows[y] = above = plain
    return rows


def _by_diagonals(filters: NDArray[np.uint8], filtered: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Undo any of the five filters, some rows at a time: a tall image takes no more memory than a wide one."""
    rows = np.empty_like(filtered)
    band = max(filtered.shape[1], _LEAST_BAND)
    above = np.zeros_like(filtered[0])
    for top in range(0, len(filtered), band):
        some = slice(top, top + band)
        rows[some] = _band(filters[some], filtered[some], above)
        above = rows[some][-1]
    return rows


def _band(filters: NDArray[np.uint8], filtered: NDArray[np.uint8], above_all: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Undo the filters of some rows below the row ``above_all``.

    A pixel depends on those on the left, above, and above on the left. So the pixels of one diagonal, x + y = d, don't
    depend on each other, and a step of the loop does a whole diagonal, whatever the rows' filters. ``skewed`` holds
    pixel (y, x) at [y + x + 2, y + 1], and so the row above at [x + 1, 0]; what lies outside the image stays 0, as the
    filters want it.
    """
    height, width, lanes = filtered.shape
    skewed = np.zeros((height + width + 1, height + 1, lanes), np.int16)
    diagonal, row, lane = skewed.strides
    image = as_strided(skewed[2:, 1:], (height, width, lanes), (diagonal + row, diagonal, lane))
    image[...] = filtered
    skewed[1 : width + 1, 0] = above_all
    kinds = filters[:, None]
    sub, up, average, paeth = (np.where(kinds == kind, -1, 0).astype(np.int16) for kind in range(_SUB, _PAETH + 1))
    for d in range(height + width - 1):
        first, end = max(0, d - width + 1), min(height, d + 1)
        left, above = skewed[d + 1, first + 1 : end + 1], skewed[d + 1, first:end]
        corner, pixel = skewed[d, first:end], skewed[d + 2, first + 1 : end + 1]
        pixel += left & sub[first:end]
        pixel += above & up[first:end]
        pixel += ((left + above) >> 1) & average[first:end]
        pixel += _nearest(left, above, corner) & paeth[first:end]
        pixel &= 255
    return image.astype(np.uint8)


def _nearest(left: NDArray[np.int16], above: NDArray[np.int16], corner: NDArray[np.int16]) -> NDArray[np.int16]:
    """Of the three, the one nearest to left + above - corner; ties go to the left, then to the one above."""
    by_left, by_above = above - corner, left - corner  # how far left + above - corner is from each
    from_left, from_above, from_corner = np.abs(by_left), np.abs(by_above), np.abs(by_left + by_above)
    nearest = np.where(from_above <= from_corner, above, corner)
    return np.where((from_left <= from_above) & (from_left <= from_corner), left, nearest)


def _samples(header: Header, pixels: NDArray[np.uint8]) -> Samples:
    """The bytes of (H, W, bytes) as samples (H, W, channels)."""
    if header.bits == 16:
        return np.ascontiguousarray(pixels).view(">u2").astype(np.uint16)
    if header.bits == 8:
        return pixels
    places = np.unpackbits(pixels.reshape(header.height, -1), axis=1).reshape(header.height, -1, header.bits)
    values = places @ (1 << np.arange(header.bits - 1, -1, -1, dtype=np.uint8))
    return values[:, : header.width, None].astype(np.uint8)
