"""Files of every format with some of their bytes changed: each is read, or refused with one message."""

import bz2
import gzip
import random
import shutil
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import unseen
from unseen.data import decoded, official
from unseen.data.catalogue import domain, domains
from unseen.data.download.unpack import unpack
from unseen.errors import UnseenError

MUTATIONS = 20
WORDS = [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"9999"]


def mutated(content, draw):
    """The bytes with some flipped, cut off, left out, doubled, put in or zeroed."""
    content = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 8])):
        at, length = draw.randrange(len(content) + 1), draw.choice([1, 4, 64])
        here = slice(at, at + length)
        kind = draw.randrange(6)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del content[at:]
        elif kind == 2:
            del content[here]
        elif kind == 3:
            content[at:at] = content[here]
        elif kind == 4:
            content[at:at] = draw.randbytes(length)
        else:
            content[at : at + 4] = draw.choice(WORDS)
    return bytes(content)


def survives(file, read, *, opened=lambda content: content, closed=lambda content: content):
    """Read the file with each of some mutations; ``opened`` and ``closed`` are for what is inside a compression."""
    whole, outcomes = file.read_bytes(), set()
    draw = random.Random(file.name)
    read()
    for _ in range(MUTATIONS):
        file.write_bytes(closed(mutated(opened(whole), draw)))
        try:
            read()
            outcomes.add("read")
        except UnseenError:
            outcomes.add("refused")
    file.write_bytes(whole)
    assert "refused" in outcomes


@pytest.fixture
def unchecked(publish, monkeypatch):
    """Call it with a domain's name: a small set is published, but without the digests that would end every attack."""

    def write(name, **options):
        publish(name, **options)
        files = tuple(replace(file, size=None, sha256=None, content_sha256=None) for file in official.OFFICIAL[name])
        monkeypatch.setattr(official, "OFFICIAL", {**official.OFFICIAL, name: files})

    return write


@pytest.mark.parametrize("packed", [True, False], ids=["gzipped", "plain"])
def test_idx(packed, unchecked, tmp_path):
    unchecked("mnist-test", packed=packed)
    for kind in ("images-idx3", "labels-idx1"):
        file = tmp_path / f"t10k-{kind}-ubyte{'.gz' * packed}"
        survives(file, lambda: domain("mnist-test", data=tmp_path))
        if packed:
            survives(file, lambda: domain("mnist-test", data=tmp_path), opened=gzip.decompress, closed=gzip.compress)


def test_libsvm(unchecked, tmp_path):
    unchecked("usps-test")
    file = tmp_path / "usps.t.bz2"
    survives(file, lambda: domain("usps-test", data=tmp_path))
    survives(file, lambda: domain("usps-test", data=tmp_path), opened=bz2.decompress, closed=bz2.compress)


def test_mat(unchecked, tmp_path):
    unchecked("svhn-test")
    survives(tmp_path / "test_32x32.mat", lambda: domain("svhn-test", data=tmp_path))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["plain", "deflated"])
def test_npz(save, pixels, tmp_path):
    images, labels = pixels("usps-test")
    save(tmp_path / "usps_test.npz", images=images, labels=labels)
    survives(tmp_path / "usps_test.npz", lambda: domain("usps-test", data=tmp_path))
    survives(tmp_path / "usps_test.npz", lambda: (domains(tmp_path), domain("usps-test", data=tmp_path)))


def test_the_list_of_mnist_m(unchecked, tmp_path):
    unchecked("mnist-m-test")
    survives(tmp_path / "mnist_m_test_labels.txt", lambda: domain("mnist-m-test", data=tmp_path))


@pytest.mark.filterwarnings("ignore")  # Pillow's, of damage that it gets along with
@pytest.mark.parametrize("kind", ["png", "jpg", "bmp", "webp", "tif"])
def test_pictures(kind, tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (12, 12, 3), dtype=np.uint8)
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        Image.fromarray(noise).save(tmp_path / name / f"a.{kind}")
    survives(tmp_path / "cat" / f"a.{kind}", lambda: unseen.folder(tmp_path))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_masks_and_their_list_of_classes(dtype, write_png, tmp_path):
    labels = np.random.default_rng(0).integers(0, 3, (9, 11)).astype(dtype)
    write_png(tmp_path / "masks/a.png", labels, filters=(0, 1, 2, 3, 4))
    (tmp_path / "images").mkdir()
    Image.fromarray(labels.astype(np.uint8)).save(tmp_path / "images/a.png")
    (tmp_path / "classes.txt").write_text("road = 0\ncar = 1, 7\nsky = 2\nvoid = 255\n")
    survives(tmp_path / "masks/a.png", lambda: domain(tmp_path))
    survives(tmp_path / "classes.txt", lambda: domain(tmp_path))


@pytest.mark.parametrize("lines", ["road = " + "7" * 5_000, "a\n" * 200_000, "- " * 20_000], ids=["7", "a", "-"])
def test_a_list_of_classes_with_absurd_lines_is_refused_at_once(lines, tmp_path):
    for part in ("images", "masks"):
        (tmp_path / part).mkdir()
    (tmp_path / "classes.txt").write_text(lines)
    with pytest.raises(UnseenError, match=r"classes\.txt"):
        domain(tmp_path)


def test_the_decoded_cache_is_made_again_whatever_became_of_its_record(tmp_path, monkeypatch):
    monkeypatch.setattr(decoded, "SMALL", 0)
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    for name in ("cat", "dog"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        Image.new("RGB", (6, 6), (name == "cat" and "red") or "blue").save(tmp_path / "pets" / name / "a.png")
    whole = unseen.folder(tmp_path / "pets", progress=False).fingerprint
    (place,) = (tmp_path / "cache/decoded").glob("[0-9a-f]*")
    for content in ('{"format": 1, "shape": 1e999}', "[" * 10_000, '{"files": [[[1e999, 1], "", 0]]}', "\x00"):
        (place / "about.json").write_text(content)
        said: list[str] = []
        assert unseen.folder(tmp_path / "pets", progress=False, warn=said.append).fingerprint == whole
        assert "are decoded again" in said[0]
        (place / "fingerprints.json").write_text(content)
        assert unseen.folder(tmp_path / "pets", progress=False).fingerprint == whole


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_archives(kind, tmp_path):
    (tmp_path / "a").write_bytes(b"content" * 50)
    file = tmp_path / f"set.{kind}"
    with zipfile.ZipFile(file, "w") if kind == "zip" else tarfile.open(file, "w:gz" if "gz" in kind else "w") as made:
        (made.write if kind == "zip" else made.add)(tmp_path / "a", "set/" + "long" * 30)

    def read():
        shutil.rmtree(tmp_path / "set", ignore_errors=True)
        unpack(file, tmp_path, holds="set")

    survives(file, read)
