"""Small sets in exactly the layouts of the published files, and the real ones where this machine has them."""

import bz2
import gzip
import hashlib
import os
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from unseen.data import decoded, official
from unseen.engine import cpu

REAL = Path(os.environ.get("UNSEEN_DATA") or Path(__file__).parents[3] / "shared" / "data")
SIDES = {"mnist": (28, 28), "svhn": (32, 32, 3), "mnist-m": (32, 32, 3), "syn": (32, 32, 3), "usps": (16, 16)}


@pytest.fixture(scope="session")
def real_data():
    """The folder with the real sets: UNSEEN_DATA, or shared/data beside the repository."""
    if not REAL.is_dir():
        pytest.skip(f"no real data: {REAL} isn't there; UNSEEN_DATA names the folder")
    return REAL


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.astype(np.uint8).tobytes()


def _write_mnist(folder, files, images, labels, packed):
    for file, array in zip(files, (images, labels), strict=True):
        content = idx(array)
        path = folder / (file.name if packed else file.name.removesuffix(".gz"))
        path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
        yield replace(file, content_size=len(content), content_sha256=hashlib.sha256(content).hexdigest())


def _write_mat(folder, files, images, labels, zero):
    path = folder / files[0].name
    y = np.where(labels == 0, zero, labels).astype(np.uint8)[:, None]
    savemat(path, {"X": images.transpose(1, 2, 3, 0), "y": y}, do_compression=True)
    yield replace(files[0], size=path.stat().st_size, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def _write_libsvm(folder, files, images, labels):
    values = images.reshape(len(images), -1) / 127.5 - 1
    rows = (
        f"{label + 1} " + " ".join(f"{i}:{value:.6f}" for i, value in enumerate(row, start=1) if value != 0) + " \n"
        for row, label in zip(values, labels, strict=True)
    )
    content = bz2.compress("".join(rows).encode())
    (folder / files[0].name).write_bytes(content)
    yield replace(files[0], sha256=hashlib.sha256(content).hexdigest())


def _write_folder(folder, files, images, labels, part):
    (folder / part).mkdir()
    lines = []
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        Image.fromarray(image).save(folder / part / f"{i:08d}.png")
        lines.append(f"{i:08d}.png {label}\n")
    (folder / f"{part}_labels.txt").write_text("".join(lines))
    yield files[0]


@pytest.fixture
def pixels():
    """Call it with a domain's name and a number: so many images of that set's shape, and their digits."""

    def make(name, count=12):
        rng = np.random.default_rng(len(name))
        images = rng.integers(0, 256, (count, *SIDES[name.rpartition("-")[0]]), dtype=np.uint8)
        return images, np.arange(count) % 10

    return make


@pytest.fixture
def publish(tmp_path, monkeypatch, pixels):
    """Call it with a domain's name: a small set is written as the official one is, and its digests made official."""

    def write(name, folder="", count=12, packed=True):
        published, _, part = name.rpartition("-")
        images, labels = pixels(name, count)
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        files = official.OFFICIAL[name]
        written = {
            "mnist": lambda: _write_mnist(place, files, images, labels, packed),
            "svhn": lambda: _write_mat(place, files, images, labels, zero=10),
            "syn": lambda: _write_mat(place, files, images, labels, zero=0),
            "usps": lambda: _write_libsvm(place, files, images, labels),
            "mnist-m": lambda: _write_folder(place, files, images, labels, f"mnist_m_{part}"),
        }[published]()
        monkeypatch.setattr(official, "OFFICIAL", {**official.OFFICIAL, name: tuple(written)})
        monkeypatch.setattr(official, "IMAGES", {**official.IMAGES, name: count})
        return images, labels

    return write


@pytest.fixture
def publish_photographs(tmp_path):
    """Call it with a folder: five photographs, as BSDS500's training part has them."""

    def write(folder="bsds500"):
        rng = np.random.default_rng(500)
        (tmp_path / folder).mkdir(parents=True)
        for i in range(5):
            size = (40, 60, 3) if i % 2 else (60, 40, 3)
            Image.fromarray(rng.integers(0, 256, size, dtype=np.uint8)).save(tmp_path / folder / f"{97 + i}.jpg")
        (tmp_path / folder / "Thumbs.db").write_bytes(b"as in the archive")

    return write


@pytest.fixture
def write_png():
    """Call it with a path and samples (H, W) or (H, W, channels): a PNG, byte by byte as its specification has it."""
    return write_plain_png


def write_plain_png(path, samples, *, kind=None, bits=None, filters=(0,), interlace=0):
    samples = samples if samples.ndim == 3 else samples[:, :, None]
    height, width, channels = samples.shape
    bits = bits or samples.dtype.itemsize * 8
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels] if kind is None else kind
    distance = max(1, channels * bits // 8)
    above, content = None, b""
    for y, row in enumerate(samples):
        numbers = "".join(f"{int(value):0{bits}b}" for value in row.ravel())
        numbers += "0" * (-len(numbers) % 8)
        plain = bytes(int(numbers[at : at + 8], 2) for at in range(0, len(numbers), 8))
        above = above or bytes(len(plain))
        content += filtered(plain, above, distance, filters[y % len(filters)])
        above = plain
    header = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, interlace)
    palette = chunk(b"PLTE", bytes(range(256)) * 3) if kind == 3 else b""
    half = zlib.compress(content)
    parts = chunk(b"IDAT", half[:20]) + chunk(b"IDAT", half[20:])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + parts + chunk(b"IEND", b""))
    return path


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def filtered(plain, above, distance, kind):
    made = bytes([kind])
    for i, value in enumerate(plain):
        a, b = plain[i - distance] if i >= distance else 0, above[i]
        c = above[i - distance] if i >= distance else 0
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        made += bytes([(value - (0, a, b, (a + b) // 2, nearest)[kind]) % 256])
    return made


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The cache folder, empty; decoding is in this process, where the work is the same and at once."""
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cpu, "cores", lambda: 1)
    return tmp_path / "cache"


@pytest.fixture
def large(monkeypatch, small):
    """From here on everything is large; the module's ``small`` was read before."""
    monkeypatch.setattr(decoded, "SMALL", 0)
