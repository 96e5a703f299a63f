"""Scenes as SYNTHIA's files: the layout to the letter, and 16-bit PNGs that a decoder written here agrees with."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from unseen import scenes
from unseen.data.formats.png16 import write_png16
from unseen.data.streets import synthia
from unseen.data.streets.classes import SYNTHIA_IDS, SYNTHIA_VOID
from unseen.data.streets.writing import write
from unseen.errors import InputError, SaveFailed

SMALL = (32, 48)


def decode(path):
    """A PNG's header and its values (H, W, 3), by the specification alone: chunks, checksums, filter 0."""
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, start = [], 8
    while start < len(content):
        (length,) = struct.unpack(">I", content[start : start + 4])
        kind, data = content[start + 4 : start + 8], content[start + 8 : start + 8 + length]
        (checksum,) = struct.unpack(">I", content[start + 8 + length : start + 12 + length])
        assert checksum == zlib.crc32(kind + data)
        chunks.append((kind, data))
        start += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    header = struct.unpack(">IIBBBBB", chunks[0][1])
    width, height = header[:2]
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return header, np.ascontiguousarray(rows[:, 1:]).view(">u2").reshape(height, width, 3)


def test_sixteen_bits_survive(tmp_path):
    values = np.random.default_rng(0).integers(0, 2**16, (5, 7, 3), dtype=np.uint16)
    write_png16(tmp_path / "a.png", values)
    header, decoded = decode(tmp_path / "a.png")
    assert header == (7, 5, 16, 2, 0, 0, 0)
    assert np.array_equal(decoded, values)


def test_pillow_agrees_on_what_it_keeps_of_it(tmp_path):
    values = np.random.default_rng(1).integers(0, 2**16, (5, 7, 3), dtype=np.uint16)
    write_png16(tmp_path / "a.png", values)
    with Image.open(tmp_path / "a.png") as image:
        assert np.array_equal(np.asarray(image), values >> 8)


@pytest.mark.parametrize(
    ("place", "condition", "sequence"),
    [
        ("highway", "dawn", "SYNTHIA-SEQS-01-DAWN"),
        ("new-york", "winter", "SYNTHIA-SEQS-02-WINTER"),
        ("old-town", "night", "SYNTHIA-SEQS-04-NIGHT"),
    ],
)
def test_the_layout_is_synthias(tmp_path, place, condition, sequence):
    made = write(tmp_path / "data", place, condition, images=2, size=SMALL)
    assert made == tmp_path / "data" / sequence
    files = sorted(
        str(path.relative_to(tmp_path / "data")) for path in (tmp_path / "data").rglob("*") if path.is_file()
    )
    assert files == [
        f"{sequence}/GT/LABELS/Stereo_Left/Omni_F/000000.png",
        f"{sequence}/GT/LABELS/Stereo_Left/Omni_F/000001.png",
        f"{sequence}/RGB/Stereo_Left/Omni_F/000000.png",
        f"{sequence}/RGB/Stereo_Left/Omni_F/000001.png",
    ]


def test_files_hold_what_render_gives(tmp_path):
    sequence = write(tmp_path, "old-town", "spring", images=2, seed=3, size=SMALL)
    for index in range(2):
        scene = scenes.render("old-town", "spring", index=index, seed=3, size=SMALL)
        with Image.open(sequence / f"RGB/Stereo_Left/Omni_F/{index:06}.png") as image:
            assert image.mode == "RGB"
            assert np.array_equal(np.asarray(image), scene.image)
        header, values = decode(sequence / f"GT/LABELS/Stereo_Left/Omni_F/{index:06}.png")
        assert header[:4] == (48, 32, 16, 2)
        assert np.array_equal(values[..., 0], scene.ids)
        assert np.array_equal(values[..., 1], scene.instances)
        assert not values[..., 2].any()


def test_a_sequence_that_is_there_is_left_alone(tmp_path):
    real = tmp_path / "SYNTHIA-SEQS-01-FOG"
    real.mkdir()
    (real / "mine.txt").write_text("two days of downloading")
    with pytest.raises(InputError, match=r"SYNTHIA-SEQS-01-FOG: expected nothing there, found .*give another folder"):
        write(tmp_path, "highway", "fog", images=1, size=SMALL)
    assert [path.name for path in real.iterdir()] == ["mine.txt"]


def test_an_interrupted_write_leaves_no_sequence_and_the_next_one_is_whole(tmp_path, monkeypatch):
    def full(path, array):
        raise SaveFailed("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("unseen.data.streets.writing.write_png16", full)
        with pytest.raises(SaveFailed):
            write(tmp_path, "highway", "fog", images=2, size=SMALL)
    assert not (tmp_path / "SYNTHIA-SEQS-01-FOG").exists()
    sequence = write(tmp_path, "highway", "fog", images=1, size=SMALL)
    assert [path.name for path in tmp_path.iterdir()] == [sequence.name]
    assert len(list(sequence.rglob("*.png"))) == 2


@pytest.mark.parametrize("images", [0, -1, 2.0, True])
def test_a_number_of_images_that_is_none_is_refused(tmp_path, images):
    with pytest.raises(InputError, match=r"images is .*expected a whole number from 1 on"):
        write(tmp_path, "highway", "fog", images=images)
    assert not list(tmp_path.iterdir())


def test_the_loader_of_the_real_sequences_reads_ours(tmp_path):
    write(tmp_path, "highway", "winter", images=3, size=SMALL)
    domain = synthia.load("synthia-highway-winter", tmp_path, size=SMALL, images=None)
    assert (len(domain), domain.images.shape[2:]) == (3, SMALL)
    first = scenes.render("highway", "winter", index=0, size=SMALL)
    assert np.array_equal((domain.images[0] * 255).round().byte().movedim(0, 2).numpy(), first.image)
    known = first.ids != SYNTHIA_VOID
    ids = np.array([SYNTHIA_IDS[name] for name in domain.classes])
    assert np.array_equal(ids[domain.labels[0].numpy()[known]], first.ids[known])


def test_an_unknown_domain_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r'condition is "spring ", .*did you mean "spring"'):
        write(tmp_path, "highway", "spring ", images=1)
    assert not list(tmp_path.iterdir())
