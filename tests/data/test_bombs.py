"""Small files that claim or unfold to gigabytes: refused by what they should hold, before any room is made for it."""

import bz2
import gzip
import io
import resource
import shutil
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unseen
from unseen.data import official
from unseen.data.catalogue import domain, domains
from unseen.data.download.unpack import unpack
from unseen.data.formats.image_file import MOST_PIXELS
from unseen.errors import InputError

ROOM = 2**27
"""bytes that reading may take beyond what the process has; each bomb wants more"""


@contextmanager
def little_memory():
    """Inside, whoever takes more than ``ROOM`` gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def said(read):
    with little_memory(), pytest.raises(InputError) as caught:
        read()
    assert "memory" not in str(caught.value), "it was refused only when memory was out"
    return str(caught.value)


ZEROS = gzip.compress(bytes(2**20)) * 300
"""300 MiB in 300 kB, in as many members"""


def test_a_gzip_file_of_two_members_is_unpacked_no_further_than_mnist_goes(publish, tmp_path):
    images, _ = publish("mnist-test")
    file = tmp_path / "t10k-images-idx3-ubyte.gz"
    end = struct.pack("<I", 16 + images.nbytes)  # the length that the last four bytes of a gzip file state
    file.write_bytes(file.read_bytes() + ZEROS + end)
    assert "expected 9,424 bytes, got 9,425, so another file" in said(lambda: domain("mnist-test", data=tmp_path))


def test_a_head_that_claims_more_than_mnist_has_is_refused_before_anything_is_unpacked(publish, tmp_path):
    publish("mnist-test")
    file = tmp_path / "t10k-images-idx3-ubyte.gz"
    head = bytes([0, 0, 8, 3]) + struct.pack(">III", 12, 2**10, 2**15)
    file.write_bytes(gzip.compress(head) + ZEROS + struct.pack("<I", 16 + 12 * 2**25))
    message = said(lambda: domain("mnist-test", data=tmp_path))
    assert "expected 9,424 bytes, got 402,653,200, so another file" in message


def test_lines_of_usps_are_counted_before_they_are_made(publish, monkeypatch, tmp_path):
    publish("usps-test")
    monkeypatch.setattr(official, "IMAGES", {**official.IMAGES, "usps-test": 2007})
    (tmp_path / "usps.t.bz2").write_bytes(bz2.compress(b"\n" * 1_000_000) * 5)
    assert "expected 2,007 lines or fewer, got 5,000,000" in said(lambda: domain("usps-test", data=tmp_path))


def claiming(shape, dtype="|u1"):
    """An npy file's header alone."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


@pytest.mark.parametrize("key", ["images", "labels"])
def test_an_npz_header_that_claims_gigabytes_is_refused_and_the_list_goes_on(key, tmp_path):
    members = {"images": claiming((10, 16, 16)) + bytes(2560), "labels": claiming((10,)) + bytes(10)}
    members[key] = claiming((5 * 2**30,) if key == "labels" else (10, 2**15, 2**14))
    with zipfile.ZipFile(tmp_path / "usps_test.npz", "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    message = said(lambda: domain("usps-test", data=tmp_path))
    assert "usps_test.npz: expected" in message
    assert "5,368,709,120" in message if key == "labels" else "(10, 32768, 16384)" in message
    with little_memory():
        assert len(domains(tmp_path)) > 10


def test_an_npz_of_a_camvid_drive_is_held_to_the_frames_that_are_published(tmp_path):
    with zipfile.ZipFile(tmp_path / "0001TP.npz", "w") as archive:
        archive.writestr("images.npy", claiming((2, 2**14, 2**15, 3)))
        archive.writestr("labels.npy", claiming((2, 2**14, 2**15)))
    message = said(lambda: domain("camvid-0001TP", data=tmp_path))
    assert "expected images of 257,126,400 numbers or fewer, got (2, 16384, 32768, 3)" in message


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png_of(height, width):
    """A black grey PNG of that size, in a few kilobytes for each gigabyte."""
    packer = zlib.compressobj(9)
    rows = packer.compress(bytes(2**16)) + packer.flush()  # as many as are looked at before the size is
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("height", "width"), [(2**14, 2**14), (2**17, 1), (2**20, 2**20)])
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_picture_is_refused_by_the_pixels_it_claims_with_the_limit(height, width, tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        Image.new("L", (8, 8)).save(tmp_path / "pets" / name / "a.png")
    (tmp_path / "pets/dog/b.png").write_bytes(png_of(height, width))
    message = said(lambda: unseen.folder(tmp_path / "pets"))
    assert "dog/b.png " in message
    assert str(height * width) in message.replace(",", "")
    assert f"expected at most {MOST_PIXELS:,}, 65,536 to a side" in message


@pytest.mark.parametrize(("height", "width"), [(2**14, 2**14), (2**17, 1)])
def test_a_mask_is_refused_by_the_pixels_it_claims_with_the_limit(height, width, tmp_path):
    for part in ("images", "masks"):
        (tmp_path / part).mkdir()
        Image.new("L", (8, 8)).save(tmp_path / part / "a.png")
    (tmp_path / "masks/a.png").write_bytes(png_of(height, width))
    message = said(lambda: unseen.masks(tmp_path / "images", tmp_path / "masks", ["void"]))
    assert f"masks/a.png is {height:,}x{width:,}, {height * width:,} pixels; expected at most" in message


def test_a_tall_mask_takes_no_more_memory_than_a_wide_one(tmp_path, write_png):
    """Undone in one piece, the filters of 12,000 rows would take 288 MB."""
    samples = (np.arange(12_000, dtype=np.uint8) % 3).reshape(-1, 1)
    write_png(tmp_path / "masks/a.png", samples, filters=(4, 3, 2))
    (tmp_path / "images").mkdir()
    Image.fromarray(samples).save(tmp_path / "images/a.png")
    with little_memory():
        read = unseen.masks(tmp_path / "images", tmp_path / "masks", ["a", "b", "c"])
    np.testing.assert_array_equal(read.labels[0].numpy(), samples)


def test_pictures_of_other_sizes_are_not_kept_until_they_are_refused(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        Image.new("L", (8, 8)).save(tmp_path / name / "0.png")
    Image.new("L", (3000, 2000)).save(tmp_path / "cat" / "1.png")
    for i in range(2, 14):
        shutil.copy(tmp_path / "cat/1.png", tmp_path / "cat" / f"{i}.png")
    assert "images have 2 different sizes" in said(lambda: unseen.folder(tmp_path))


def test_a_header_of_a_tar_archive_is_not_taken_into_memory_whatever_it_claims(tmp_path):
    long = tarfile.TarInfo("././@PaxHeader")
    long.type, long.size = tarfile.XHDTYPE, 300 * 2**20
    first, content = tarfile.TarInfo("set/a").tobuf(), gzip.compress(long.tobuf(tarfile.USTAR_FORMAT)) + ZEROS
    (tmp_path / "set.tar.gz").write_bytes(gzip.compress(first) + content)
    message = said(lambda: unpack(tmp_path / "set.tar.gz", tmp_path, holds="set"))
    assert "a header claims 314,572,800 bytes" in message
