import numpy as np
import pytest

from unseen.data.digits import built_in_digits as digits
from unseen.data.digits.blend import blend, patches, photo_blend
from unseen.data.digits.built_in_digits import heldout_digits


def as_bytes(domain):
    return (domain.images.movedim(1, 3) * 255).round().byte().numpy()


def test_a_blend_is_the_difference_of_patch_and_digit_in_every_channel():
    rng = np.random.default_rng(0)
    patch = rng.integers(0, 256, (1, 32, 32, 3), dtype=np.uint8)
    digit = np.zeros((1, 28, 28), np.uint8)
    digit[0, 3, 5], digit[0, 27, 0], digit[0, 9, 9] = 255, 128, 1
    expected = patch[0].tolist()
    for row, column in [(3, 5), (27, 0), (9, 9)]:
        expected[row + 2][column + 2] = [abs(level - 255) for level in expected[row + 2][column + 2]]
    assert blend(digit, patch)[0].tolist() == expected


def test_photo_blend_is_made_of_the_held_out_digits_in_their_order():
    images, crops, (heldout, labels) = as_bytes(photo_blend()), patches(1000).astype(int), heldout_digits()
    assert photo_blend().labels.tolist() == labels.tolist()
    for image, crop, digit in zip(images, crops, heldout, strict=True):
        frame = np.zeros((32, 32, 1), int)
        frame[2:30, 2:30, 0] = np.where(digit == 0, 0, 255)
        assert np.array_equal(image, abs(crop - frame))


def test_photo_blend_never_asks_for_the_training_digits(monkeypatch):
    monkeypatch.setattr(digits, "training_digits", lambda: pytest.fail("a target read training digits"))
    assert len(photo_blend.__wrapped__()) == 1000


def test_patches_are_crops_of_the_photographs_and_both_serve():
    from sklearn.datasets import load_sample_images

    served = [0, 0]
    for patch in patches(40):
        found = [_holds(photograph, patch) for photograph in load_sample_images().images]
        assert any(found)
        served = [count + hit for count, hit in zip(served, found, strict=True)]
    assert min(served) >= 10


def _holds(photograph, patch):
    height, width = photograph.shape[0] - 31, photograph.shape[1] - 31
    corners = np.argwhere((photograph[:height, :width] == patch[0, 0]).all(-1))
    return any(np.array_equal(photograph[y : y + 32, x : x + 32], patch) for y, x in corners)


def test_more_patches_begin_with_the_same_ones():
    np.testing.assert_array_equal(patches(30)[:10], patches(10))
