"""Data sets that are read once and not kept in memory: torch's and Hugging Face's."""

from importlib import import_module

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, TensorDataset

import unseen
from unseen.base.images import FileRows, as_float
from unseen.data import items
from unseen.data.domain import as_domain
from unseen.errors import InputError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def nothing_in_memory(monkeypatch):
    monkeypatch.setattr(items, "IN_MEMORY", 0)


def test_a_large_data_set_goes_to_a_file_to_the_same_bits(digits, nothing_in_memory):
    x, y = digits
    read = as_domain(TensorDataset(x, y))
    assert isinstance(read.images.kept, FileRows)
    assert read.images.kept.dtype == torch.float32
    assert torch.equal(read.images[:], x)
    assert read.fingerprint == as_domain((x, y)).fingerprint


def test_images_whose_values_are_bytes_are_kept_as_bytes(digits, nothing_in_memory):
    x, y = digits
    levels = (x * 255).byte()
    for given in (as_float(levels), levels):
        read = as_domain(TensorDataset(given, y))
        assert read.images.kept.dtype == torch.uint8
        assert torch.equal(read.images[:], as_float(levels))


def test_one_image_that_is_not_bytes_makes_all_of_them_floats(digits, nothing_in_memory):
    x, y = digits
    mixed = torch.cat([as_float((x[:20] * 255).byte()), x[20:]])
    read = as_domain(TensorDataset(mixed, y))
    assert read.images.kept.dtype == torch.float32
    assert torch.equal(read.images[:], mixed)


def test_a_large_data_set_is_refused_at_the_first_image_that_is_wrong(digits, nothing_in_memory):
    x, y = digits
    with pytest.raises(InputError, match=r"source, image 0: pixel values lie in .* divide by 255"):
        as_domain(TensorDataset(255 * x, y))


def test_bytes_are_a_domain_that_takes_them_as_floats(digits):
    x, y = digits
    levels = (x * 255).byte()
    read = unseen.Domain("bytes", levels, y, tuple("abcd"))
    assert read.images.nbytes == levels.nbytes
    assert read.fingerprint == unseen.Domain("floats", as_float(levels), y, tuple("abcd")).fingerprint


def test_a_domain_is_sliced_and_is_a_data_set(digits):
    x, y = digits
    whole = unseen.Domain("bars", x, y, tuple("abcd"), names=tuple(f"{i}.png" for i in range(24)))
    part = whole[4:10]
    assert (part.name, len(part), part.names) == ("bars", 6, tuple(f"{i}.png" for i in range(4, 10)))
    assert torch.equal(part.images, x[4:10])
    assert torch.equal(whole[torch.tensor([3, 1])].labels, y[[3, 1]])
    image, label = whole[7]
    assert torch.equal(image, x[7])
    assert label == y[7]
    (images, labels), *_ = DataLoader(whole, batch_size=12, generator=torch.Generator())
    assert torch.equal(images, x[:12])
    assert torch.equal(labels, y[:12])
    with pytest.raises(InputError, match="no images"):
        whole[5:5]


def test_a_split_has_the_share_of_each_class_and_follows_its_seed(digits):
    whole = unseen.Domain("bars", *digits, tuple("abcd"))
    kept, out = whole.split(1 / 3, seed=1)
    assert (len(kept), len(out)) == (16, 8)
    assert out.labels.bincount().tolist() == [2, 2, 2, 2]
    rows = torch.cat([kept.images, out.images]).flatten(1).sum(1).sort().values
    torch.testing.assert_close(rows, whole.images.flatten(1).sum(1).sort().values)
    assert whole.split(1 / 3, seed=1)[1].fingerprint == out.fingerprint
    assert whole.split(1 / 3, seed=2)[1].fingerprint != out.fingerprint
    for share, said in [(0, "expected a share between 0 and 1"), (0.01, "leaves 24 and 0; expected some in both")]:
        with pytest.raises(InputError, match=said):
            whole.split(share)


@pytest.fixture
def pictures():
    return np.random.default_rng(0).integers(0, 256, (12, 8, 8, 3), np.uint8)


@pytest.fixture(scope="module")
def datasets():
    """Imported where it is used: it takes seconds, and whoever collects the tests would wait for it."""
    return pytest.importorskip("datasets")


@pytest.fixture
def hugging_face(datasets, pictures):
    features = datasets.Features({
        "id": datasets.Value("int64"), "photo": datasets.Image(), "kind": datasets.ClassLabel(names=["cat", "dog"]),
    })  # fmt: skip
    columns = {"id": list(range(12)), "photo": [Image.fromarray(p) for p in pictures], "kind": [0, 1] * 6}
    return datasets.Dataset.from_dict(columns, features=features)


@pytest.mark.parametrize("in_memory", [2**28, 0], ids=["in memory", "in a file"])
def test_a_hugging_face_data_set_is_a_source_with_its_classes(hugging_face, pictures, monkeypatch, in_memory):
    monkeypatch.setattr(items, "IN_MEMORY", in_memory)
    for read in (unseen.dataset(hugging_face, name="pets"), as_domain(hugging_face, "pets")):
        assert (read.name, len(read), read.classes) == ("pets", 12, ("cat", "dog"))
        assert torch.equal(read.images[:], as_float(torch.from_numpy(pictures).movedim(3, 1)))
        assert read.labels.tolist() == [0, 1] * 6
    small = unseen.dataset(hugging_face, 4, channels=1, resize="lanczos")
    assert small.images.shape == (12, 1, 4, 4)


def test_a_network_is_trained_on_a_hugging_face_data_set(hugging_face, make_net):
    ada = unseen.ADA(K=1, T_min=1, T_max=1, T=2, batch=4)
    run = unseen.fit(make_net("normalized"), hugging_face, ada)
    assert len(run.pool) == 24


def in_parts(whole):
    return import_module("datasets").DatasetDict({"train": whole, "test": whole})


MISTAKES = {
    "parts": (in_parts, {}, "got the parts train, test; choose one"),
    "no labels": (lambda d: d.remove_columns("kind"), {}, r"got id \(Value\), photo \(Image\); name them"),
    "a column that isn't there": (lambda d: d, {"label": "class"}, "expected a column of images and one of labels"),
    "no length": (lambda d: d.to_iterable_dataset(), {}, "expected a data set with a length and items"),
    "channels": (lambda d: d, {"channels": 4}, "channels is 4, expected 3"),
    "a kernel": (lambda d: d, {"resize": "cubic"}, "expected one of bilinear, bicubic, lanczos"),
}


@pytest.mark.parametrize(("change", "settings", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_with_a_hugging_face_data_set_are_refused(hugging_face, change, settings, said):
    with pytest.raises(InputError, match=said):
        unseen.dataset(change(hugging_face), **settings)


def test_pictures_with_masks_are_a_domain_with_masks(pictures):
    pairs = [(Image.fromarray(p), Image.fromarray(np.full((8, 8), i % 3, np.uint8))) for i, p in enumerate(pictures)]
    read = unseen.dataset(pairs, 4)
    assert read.segmented
    assert read.labels.shape == (12, 4, 4)
    assert len(read.classes) == 3
