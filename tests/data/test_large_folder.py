"""Folders whose images are decoded to a file that is found again."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from decoded_cache import made, refuse_to_decode
from PIL import Image

from unseen.base.images import FileRows
from unseen.data import decoded, decoding
from unseen.data.catalogue import domain
from unseen.data.image_folder import folder
from unseen.engine import cpu
from unseen.errors import InputError

pytestmark = pytest.mark.usefixtures("cache")
PER_CLASS = 20


@pytest.fixture
def root(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (2 * PER_CLASS, 7, 9, 3), np.uint8)
    for i, image in enumerate(pixels):
        path = tmp_path / "pets" / ("cat", "dog")[i % 2] / f"{i:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path)
    return tmp_path / "pets"


@pytest.fixture
def small(root):
    """As it is read when it is small."""
    return folder(root, 6)


def test_a_large_folder_is_the_same_data_as_a_small_one(root, small, large, cache):
    read = folder(root, 6)
    assert isinstance(read.images.kept, FileRows)
    assert torch.equal(read.images[:], small.images[:])
    assert torch.equal(read.labels, small.labels)
    assert (read.names, read.fingerprint) == (small.names, small.fingerprint)
    assert read.names[:2] == ("cat/00.png", "cat/02.png")
    assert len(made(cache)) == 1


def test_processes_decode_what_one_decodes(root, small, large, monkeypatch):
    monkeypatch.setattr(cpu, "cores", lambda: 2)
    monkeypatch.setattr(decoding, "AT_ONCE", 16)
    assert torch.equal(folder(root, 6).images[:], small.images[:])


def test_decoded_images_are_found_again_and_so_are_fingerprints(root, small, large, monkeypatch):
    whole, part = small.fingerprint, folder(root, 6)[5:30].fingerprint
    monkeypatch.setattr(decoding, "read_image", refuse_to_decode)
    monkeypatch.setattr("unseen.data.domain.Domain._digest", refuse_to_decode)
    again = folder(root, 6)
    assert torch.equal(again.images[:], small.images[:])
    assert again.fingerprint == whole
    assert again[5:30].fingerprint == part


def test_a_folder_that_moved_finds_its_decoded_images(root, large, monkeypatch):
    before = folder(root, 6).fingerprint
    monkeypatch.setattr(decoding, "read_image", refuse_to_decode)
    assert folder(root.rename(root.with_name("moved")), 6).fingerprint == before


def replace_a_file(root):
    Image.fromarray(np.zeros((7, 9, 3), np.uint8)).save(root / "cat" / "00.png")


def touch_a_file(root):
    os.utime(root / "cat" / "00.png", (0, 0))


CHANGES = {
    "a file with other content": (replace_a_file, {}),
    "a file with another time": (touch_a_file, {}),
    "a file more": (lambda root: shutil.copy(root / "dog" / "01.png", root / "dog" / "99.png"), {}),
    "a file less": (lambda root: (root / "dog" / "01.png").unlink(), {}),
    "another size": (lambda root: None, {"size": 5}),
    "another kernel": (lambda root: None, {"resize": "lanczos"}),
    "other channels": (lambda root: None, {"channels": 1}),
}


@pytest.mark.parametrize(("change", "settings"), CHANGES.values(), ids=CHANGES)
def test_what_decides_the_bytes_decides_which_cache(root, large, cache, change, settings, monkeypatch):
    folder(root, 6)
    change(root)
    read = folder(root, **({"size": 6} | settings))
    assert len(made(cache)) == 2
    monkeypatch.setattr(decoded, "SMALL", 2**25)
    assert torch.equal(read.images[:], folder(root, **({"size": 6} | settings)).images[:])


def flip_a_byte(place):
    content = bytearray((place / "images").read_bytes())
    content[100] ^= 1
    (place / "images").write_bytes(bytes(content))


DAMAGE = {
    "a byte flipped": flip_a_byte,
    "cut short": lambda place: (place / "images").write_bytes(b"x" * 50),
    "no images": lambda place: (place / "images").unlink(),
    "no record": lambda place: (place / "about.json").unlink(),
    "a record that is something else": lambda place: (place / "about.json").write_text("[1, 2]"),
    "another format": lambda place: (place / "about.json").write_text('{"format": 99, "shape": [], "files": []}'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_cache_is_made_again_with_a_remark(root, small, large, cache, damage):
    folder(root, 6)
    (place,) = made(cache)
    damage(place)
    said = []
    assert torch.equal(folder(root, 6, warn=said.append).images[:], small.images[:])
    (remark,) = said
    assert remark.startswith(f"{place}/")
    assert remark.endswith(f"the images of {root} are decoded again")
    folder(root, 6, warn=said.append)
    assert len(said) == 1


def test_what_an_interrupted_decoding_left_is_not_taken_for_a_cache(root, small, large, cache, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("unseen.data.decoded_cache.decode_into", refuse_to_decode)
        with pytest.raises(AssertionError):
            folder(root, 6)
    assert made(cache) == []
    assert torch.equal(folder(root, 6).images[:], small.images[:])


@pytest.mark.parametrize("kind", ["small", "large"])
def test_unreadable_files_are_refused_all_in_one_message_or_left_out_and_counted(root, small, kind, monkeypatch):
    monkeypatch.setattr(decoded, "SMALL", 2**25 if kind == "small" else 0)
    (root / "cat" / "00.png").write_bytes(b"not an image")
    (root / "dog" / "05.png").write_bytes((root / "dog" / "05.png").read_bytes()[:60])
    with pytest.raises(InputError) as refused:
        folder(root, 6)
    for name in ("cat/00.png can't be read", "dog/05.png can't be read", "leave_out_unreadable"):
        assert name in str(refused.value)
    said = []
    read = folder(root, 6, leave_out_unreadable=True, warn=said.append)
    assert said[0].startswith(f"{root}: left out 2 of 40 files, which can't be read: cat/00.png")
    assert "leave_out_unreadable" not in said[0]
    assert [problem.split(" ")[0] for problem in read.left_out] == ["cat/00.png", "dog/05.png"]
    assert "2 files that can't be read are left out" in read.origin
    left = torch.tensor([name in read.names for name in small.names])
    assert int(left.sum()) == len(read) == 38
    assert torch.equal(read.images[:], small.images[:][left])
    assert torch.equal(read.labels, small.labels[left])
    assert len(domain(root, 6, leave_out_unreadable=True)) == 38


def test_a_class_of_which_nothing_can_be_read_is_refused(root):
    for file in (root / "cat").iterdir():
        file.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"no file of cat can be read.*replace them, or remove"):
        folder(root, 6, leave_out_unreadable=True, warn=lambda _: None)


def test_images_that_fit_nowhere_are_refused_before_they_are_read(root, large, monkeypatch):
    monkeypatch.setattr(decoded.shutil, "disk_usage", lambda _: _Usage(2**20))
    monkeypatch.setattr(cpu, "memory", lambda: 2**21)
    monkeypatch.setattr(decoding, "read_image", refuse_to_decode)
    with pytest.raises(InputError) as refused:
        folder(root, 3000)
    assert "40 images of 3x3000x3000 take 1.0 GiB decoded, and there are 0.0 GiB on the disk of" in str(refused.value)
    assert "give a smaller size=, or let UNSEEN_CACHE name a folder" in str(refused.value)


class _Usage:
    def __init__(self, free):
        self.free = free


def test_images_that_fit_only_into_memory_stay_there(root, small, large, cache, monkeypatch):
    monkeypatch.setattr(decoded.shutil, "disk_usage", lambda _: _Usage(0))
    read = folder(root, 6)
    assert isinstance(read.images.kept, torch.Tensor)
    assert torch.equal(read.images[:], small.images[:])


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    from unseen.data.cache_folder import cache_folder

    monkeypatch.delenv("UNSEEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "unseen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == Path(tmp_path) / ".cache" / "unseen"


def test_reading_shows_its_progress_where_it_is_asked_for(root, large, capsys):
    folder(root, 6)
    assert capsys.readouterr().err == ""
    folder(root, 5, progress=True)
    said = capsys.readouterr().err
    assert "decoding pets to 5x5 (0.0 GiB in" in said
    assert "40 of 40 images" in said
    assert "images/s" in said
