"""Images and masks that are decoded to files that are found again: the same data, and the same training."""

import os

import numpy as np
import pytest
import torch
from decoded_cache import made, refuse_to_decode
from PIL import Image
from torch import nn

import unseen
from unseen.base.images import FileRows
from unseen.base.labels import VOID, StoredMasks, class_counts
from unseen.data import decoded, decoding, mask_pairs
from unseen.data import domain as domains
from unseen.data.catalogue import domain
from unseen.data.masks import masks
from unseen.engine import cpu
from unseen.errors import InputError
from unseen.scoring.mistakes import missing_classes

pytestmark = pytest.mark.usefixtures("cache")
COUNT, SIZE = 40, (6, 8)
CLASSES = ("sky", "road", "tree", "lamp")
FLOAT32 = unseen.Engine("cpu", "float32")


def write_mask(root, i, mask):
    Image.fromarray(mask).save(root / "masks" / f"{i:02d}.png")


@pytest.fixture
def root(tmp_path):
    """Images of 9x13 with masks of three classes: of some the first row is unlabelled, of one every pixel."""
    root, draw = tmp_path / "mine", np.random.default_rng(0)
    for part in ("images", "masks"):
        (root / part).mkdir(parents=True)
    for i in range(COUNT):
        Image.fromarray(draw.integers(0, 256, (9, 13, 3), np.uint8)).save(root / "images" / f"{i:02d}.png")
        mask = draw.integers(0, 3, (9, 13), np.uint8)
        mask[: 9 if i == 7 else i % 2] = VOID
        write_mask(root, i, mask)
    (root / "classes.txt").write_text("\n".join(CLASSES))
    return root


def read(root, classes=CLASSES, size=SIZE, **options):
    return masks(root / "images", root / "masks", classes, size, **options)


@pytest.fixture
def small(root):
    """As it is read when it is small."""
    return read(root)


def same(one, other):
    return torch.equal(one.images[:], other.images[:]) and torch.equal(one.labels[:], other.labels[:])


def test_many_masks_are_the_same_data_as_few(root, small, large, cache):
    many = read(root)
    assert isinstance(many.images.kept, FileRows)
    assert isinstance(many.labels, StoredMasks)
    assert isinstance(small.labels, torch.Tensor)
    assert same(many, small)
    assert (many.fingerprint, many.labelled.tolist()) == (small.fingerprint, small.labelled.tolist())
    assert 7 not in many.labelled
    assert (many.labels.dtype, many.labels.shape, many.labels.nbytes) == (torch.uint8, (COUNT, *SIZE), 0)
    (place,) = made(cache)
    assert {path.name for path in place.iterdir()} == {"images", "masks", "about.json", "fingerprints.json"}
    assert (place / "masks").read_bytes() == small.labels.numpy().tobytes()


def test_masks_are_never_interpolated(root, large):
    for i in range(COUNT):
        write_mask(root, i, np.where(np.indices((9, 13)).sum(0) % 2, np.uint8(2), np.uint8(0)))
    assert read(root).labels[:].unique().tolist() == [0, 2]


def test_processes_decode_what_one_decodes(root, small, large, monkeypatch):
    monkeypatch.setattr(cpu, "cores", lambda: 2)
    monkeypatch.setattr(decoding, "AT_ONCE", 16)
    used, parallel = [], decoding.joblib.Parallel

    def watched(**options):
        used.append(options["n_jobs"])
        return parallel(**options)

    monkeypatch.setattr(decoding.joblib, "Parallel", watched)
    assert same(read(root), small)
    assert used == [2]


def test_what_was_decoded_is_found_again_also_where_the_folder_moved_or_classes_have_other_names(
    root, small, large, monkeypatch
):
    whole, part = read(root).fingerprint, read(root)[5:30].fingerprint
    assert (whole, part) == (small.fingerprint, small[5:30].fingerprint)
    monkeypatch.setattr(mask_pairs, "read_image", refuse_to_decode)
    monkeypatch.setattr("unseen.data.domain.Domain._digest", refuse_to_decode)
    again = read(root.rename(root.with_name("moved")), [name.upper() for name in CLASSES])
    assert same(again, small)
    assert (again.fingerprint, again[5:30].fingerprint) == (whole, part)
    assert domain(root.with_name("moved"), SIZE).fingerprint == whole


def touch_a_mask(root):
    os.utime(root / "masks" / "00.png", (0, 0))


def replace_a_mask(root):
    write_mask(root, 0, np.zeros((9, 13), np.uint8))


def replace_an_image(root):
    Image.fromarray(np.zeros((9, 13, 3), np.uint8)).save(root / "images" / "00.png")


def remove_a_pair(root):
    for part in ("images", "masks"):
        (root / part / "00.png").unlink()


CHANGES = {
    "an image with other content": (replace_an_image, {}),
    "a mask with other content": (replace_a_mask, {}),
    "a mask with another time": (touch_a_mask, {}),
    "a pair less": (remove_a_pair, {}),
    "another size": (lambda root: None, {"size": 5}),
    "another kernel": (lambda root: None, {"resize": "lanczos"}),
    "other channels": (lambda root: None, {"channels": 1}),
    "other numbers for the classes": (lambda root: None, {"classes": {"sky": 1, "road": 0, "tree": 2}}),
    "values that mean something else": (lambda root: None, {"classes": {"sky": [0, 2], "road": 1}}),
    "another value for unlabelled pixels": (lambda root: None, {"classes": ["sky", "road"], "void": [2, 255]}),
}


@pytest.mark.parametrize(("change", "settings"), CHANGES.values(), ids=CHANGES)
def test_what_decides_the_bytes_decides_which_cache(root, large, cache, change, settings, monkeypatch):
    read(root)
    change(root)
    changed = read(root, **settings)
    assert len(made(cache)) == 2
    monkeypatch.setattr(decoded, "SMALL", 2**25)
    assert same(changed, read(root, **settings))


def flip_a_byte(place):
    content = bytearray((place / "masks").read_bytes())
    content[100] ^= 1
    (place / "masks").write_bytes(bytes(content))


DAMAGE = {
    "a byte of a mask flipped": flip_a_byte,
    "masks cut short": lambda place: (place / "masks").write_bytes(b"x" * 50),
    "no masks": lambda place: (place / "masks").unlink(),
    "no images": lambda place: (place / "images").unlink(),
    "a record of something else": lambda place: (place / "about.json").write_text("[1, 2]"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_cache_is_made_again_with_a_remark(root, small, large, cache, damage):
    read(root)
    (place,) = made(cache)
    damage(place)
    said = []
    assert same(read(root, warn=said.append), small)
    (remark,) = said
    assert remark.startswith(f"{place}/")
    assert remark.endswith(f"the images of {root} are decoded again")
    read(root, warn=said.append)
    assert len(said) == 1


def spoil(root):
    write_mask(root, 3, np.full((9, 13), 9, np.uint8))
    (root / "masks" / "05.png").write_bytes(b"not an image")
    Image.new("RGB", (5, 5)).save(root / "images" / "09.png")


def two_sizes(root):
    Image.new("RGB", (5, 5)).save(root / "images" / "09.png")
    write_mask(root, 9, np.zeros((5, 5), np.uint8))


def all_void(root):
    for i in range(COUNT):
        write_mask(root, i, np.full((9, 13), VOID, np.uint8))


WRONG = {
    "files that can't be used": (spoil, SIZE, ("3 problems", "03.png has values of no class: 9", "its mask 09.png is")),
    "two sizes": (two_sizes, None, ("39 of 40 are 9x13, images/09.png isn't",)),
    "nothing labelled": (all_void, SIZE, ("every pixel is unlabelled (255)",)),
}


@pytest.mark.parametrize(("wrong", "size", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_the_same_words_for_many_as_for_few(root, wrong, size, words, monkeypatch):
    wrong(root)
    said = []
    for limit in (2**25, 0, 0):
        monkeypatch.setattr(decoded, "SMALL", limit)
        with pytest.raises(InputError) as refused:
            read(root, size=size)
        said.append(str(refused.value))
    assert len(set(said)) == 1
    assert all(each in said[0] for each in words)


def test_reading_shows_its_progress_where_it_is_asked_for(root, large, capsys):
    read(root)
    assert capsys.readouterr().err == ""
    read(root, size=5, progress=True)
    said = capsys.readouterr().err
    assert "decoding mine to 5x5 (0.0 GiB in" in said
    assert "40 of 40 images" in said


def test_masks_in_a_file_are_taken_and_a_part_shares_them(root, small, large):
    labels = read(root).labels
    for rows in (3, -1, slice(2, 9), [7, 7, 2], torch.tensor([19, 0]), (slice(3, 5), 1)):
        assert torch.equal(labels[rows], small.labels[rows])
    part = read(root)[4:9].labels
    assert isinstance(part, StoredMasks)
    assert torch.equal(part[:], small.labels[4:9])
    assert torch.equal(part, small.labels[4:9]), "torch's functions take all of them"
    for use in (lambda: labels.unique(), lambda: labels == VOID, lambda: labels != VOID):
        with pytest.raises(AttributeError, match=r"labels are not a tensor.*labels\[:8\].*labels\[:\]"):
            use()


def test_what_is_known_of_the_classes_is_the_same(root, small, large):
    many = read(root)
    assert class_counts(many.labels, 4).tolist() == class_counts(small.labels, 4).tolist()
    assert missing_classes(many) == missing_classes(small) == ("lamp",)
    said = []
    for each in (small, many):
        with pytest.raises(InputError) as refused:
            domains.as_domain(each, classes=2)
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert "labels lie in 0..2, expected 0..1 (the model gives 2 scores) or 255" in said[0]
    for one, other in zip(many.split(0.25, seed=3), small.split(0.25, seed=3), strict=True):
        assert same(one, other)


def net():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, len(CLASSES), 1))
    return unseen.split(model, head="2")


def train(source, **options):
    ada = unseen.ADA(K=2, T=9, T_min=3, T_max=2, batch=4, n=10, eta=2.0, alpha=1e-2, class_weights="balanced")
    return unseen.fit(net(), source, ada, engine=FLOAT32, **options)


def test_a_training_from_the_cache_has_the_bits_of_one_from_memory(root, small, large, tmp_path):
    every, many = unseen.Cadence(record=3, watch=3), read(root)
    one = train(small, watch={"itself": small}, cadence=every)
    other = train(many, watch={"itself": many}, cadence=every, folder=tmp_path / "run")
    for a, b in zip(one.net.model.parameters(), other.net.model.parameters(), strict=True):
        assert torch.equal(a, b)
    assert one.metrics == other.metrics
    assert one.config.source == other.config.source
    assert one.config.source.unlabelled == 1
    assert torch.equal(one.pool.labels, other.pool.labels)
    assert unseen.evaluate(one.net, small) == unseen.evaluate(other.net, many)
    assert torch.equal(unseen.confusion(one.net, small).matrix, unseen.confusion(other.net, many).matrix)


def test_a_training_takes_no_more_masks_at_once_than_a_part_of_it_needs(root, large, monkeypatch):
    source, taken, take = read(root), [], FileRows.__getitem__
    monkeypatch.setattr(domains, "HASHED_AT_ONCE", 1)

    def noted(rows, which):
        got = take(rows, which)
        taken.append(len(got))
        return got

    monkeypatch.setattr(FileRows, "__getitem__", noted)
    run = train(source)
    assert isinstance(run.pool.source_labels, StoredMasks)
    assert 0 < max(taken) < COUNT / 2
