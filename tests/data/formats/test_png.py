"""The reader of PNG files: every filter, depth and kind gives the numbers that were written; damage is reported."""

import time
import zlib

import numpy as np
import pytest
from PIL import Image

from unseen.data.formats.png import read_header, read_png

FILTERS = {"none": (0,), "sub": (1,), "up": (2,), "average": (3,), "paeth": (4,), "mixed": (4, 0, 3, 2, 1, 4, 3)}
PALETTE = 3


def noise(*shape, dtype=np.uint8, most=None):
    return np.random.default_rng(7).integers(0, (most or np.iinfo(dtype).max) + 1, shape, dtype=dtype)


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_every_filter_kind_and_depth_gives_the_samples(dtype, channels, filters, tmp_path, write_png):
    samples = noise(9, 13, channels, dtype=dtype)
    path = write_png(tmp_path / "a.png", samples, filters=filters)
    read = read_png(path)
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, samples)
    for channel in range(channels):
        np.testing.assert_array_equal(read_png(path, channel), samples[:, :, channel])


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS)
def test_pillow_reads_the_same_where_it_keeps_all_bits(filters, tmp_path, write_png):
    """So the tests' own writer and the reader don't share a mistake."""
    for samples in (noise(9, 13), noise(9, 13, 3), noise(9, 13, 4), noise(9, 13, dtype=np.uint16)):
        path = write_png(tmp_path / "a.png", samples, filters=filters)
        np.testing.assert_array_equal(read_png(path).squeeze(), np.asarray(Image.open(path)))


def test_files_that_pillow_writes_are_read(tmp_path):
    gradient = np.add.outer(np.arange(60), 2 * np.arange(90))
    for samples in (gradient.astype(np.uint8), (300 * gradient).astype(np.uint16), noise(60, 90, 3)):
        Image.fromarray(samples).save(tmp_path / "a.png")
        np.testing.assert_array_equal(read_png(tmp_path / "a.png").squeeze(), samples)


def test_pillow_loses_what_this_reader_keeps(tmp_path, write_png):
    """The trap: class ids lie in the low bytes of 16-bit colour."""
    ids = noise(5, 6, 3, dtype=np.uint16, most=15)
    path = write_png(tmp_path / "labels.png", ids)
    assert np.asarray(Image.open(path)).max() == 0
    np.testing.assert_array_equal(read_png(path), ids)


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("kind", [0, PALETTE], ids=["grey", "palette"])
@pytest.mark.parametrize("filters", [(0,), (4, 1, 3)], ids=["plain", "filtered"])
def test_packed_samples_are_neither_scaled_nor_coloured(bits, kind, filters, tmp_path, write_png):
    samples = noise(7, 11, most=2**bits - 1)
    read = read_png(write_png(tmp_path / "a.png", samples, kind=kind, bits=bits, filters=filters))
    assert (read.dtype, read.shape) == (np.uint8, (7, 11, 1))
    np.testing.assert_array_equal(read[:, :, 0], samples)


def test_the_indices_of_a_palette_are_read_whatever_its_colours(tmp_path):
    image = Image.fromarray(noise(8, 8, most=5)).convert("P")
    image.putpalette([9, 9, 9] * 256)
    image.save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_png(tmp_path / "a.png", 0), np.asarray(image))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
def test_the_smallest_images_are_read(shape, tmp_path, write_png):
    samples = noise(*shape, 3, dtype=np.uint16)
    np.testing.assert_array_equal(read_png(write_png(tmp_path / "a.png", samples, filters=(4,))), samples)


def test_the_header_is_read_alone(tmp_path, write_png):
    path = write_png(tmp_path / "a.png", noise(5, 7, 3, dtype=np.uint16))
    path.write_bytes(path.read_bytes()[:33])
    header = read_header(path)
    assert (header.width, header.height, header.bits, header.kind) == (7, 5, 16, "RGB")


def cut(amount):
    return lambda content: content[:amount]


def changed(at):
    return lambda content: content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


DAMAGED = {
    "cut before the end mark": (cut(-12), "it is cut short: it has no end mark"),
    "cut in the pixels": (cut(60), "it is cut short: 60 bytes, expected"),
    "cut in the header": (cut(20), "it has no header"),
    "empty": (cut(0), "it isn't a PNG file"),
    "a web page": (lambda _: b"<!doctype html>", "it isn't a PNG file"),
    "a flipped bit in the pixels": (changed(50), "the checksum of its IDAT chunk is wrong"),
    "a flipped bit in the header": (changed(19), "the checksum of its IHDR chunk is wrong"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_refused_with_the_reason(damage, said, tmp_path, write_png):
    path = write_png(tmp_path / "a.png", noise(9, 13, 3))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=said):
        read_png(path)


def test_an_interlaced_file_is_refused(tmp_path, write_png):
    with pytest.raises(ValueError, match="interlaced, expected a plain PNG: save it without interlacing"):
        read_png(write_png(tmp_path / "a.png", noise(4, 4), interlace=1))


def test_fewer_pixels_than_the_header_says_are_refused_before_room_is_made_for_them(tmp_path, write_png):
    path = write_png(tmp_path / "a.png", noise(9, 13))
    huge = write_png(tmp_path / "b.png", noise(1, 1))
    header = bytearray(huge.read_bytes()[8:33])
    header[8:16] = b"\x00\x00\x20\x00" * 2
    header[21:25] = zlib.crc32(header[4:21]).to_bytes(4, "big")
    path.write_bytes(path.read_bytes()[:8] + header + path.read_bytes()[33:])
    with pytest.raises(ValueError, match=r"it is cut short: 126 of [\d,]+ bytes of pixels"):
        read_png(path)


def test_a_file_of_synthias_size_takes_well_under_a_second(tmp_path):
    levels = np.add.outer(np.arange(760), np.arange(1280)) % 65521
    Image.fromarray(levels.astype(np.uint16)).save(tmp_path / "a.png")
    start = time.process_time()
    read_png(tmp_path / "a.png", channel=0)
    assert time.process_time() - start < 1
