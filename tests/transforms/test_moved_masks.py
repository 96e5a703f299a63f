"""Where a transformation moves pixels, their labels go with them."""

import pytest
import torch
from reference import transforms as reference

from unseen.base.labels import VOID
from unseen.errors import InputError
from unseen.transforms import Transform, named
from unseen.transforms.catalogue import _OURS

MOVING = ["affine", "crop", "warp"]
FLIPS = {"flip": -1, "flip-vertical": -2}
"""each with the axis that it turns round"""
SIZE = (9, 13)


def masks(n, size=SIZE, classes=5):
    draw = torch.Generator().manual_seed(0)
    return torch.randint(classes, (n, *size), generator=draw, dtype=torch.uint8)


def drawn(name, n):
    return named(name)[0].drawn(n, torch.Generator().manual_seed(1))


def test_those_that_move_pixels_are_these():
    assert sorted(name for name in _OURS if named(name)[0].moves) == sorted([*MOVING, *FLIPS])


@pytest.mark.parametrize("name", FLIPS)
def test_a_flip_turns_masks_round_with_their_images_and_knows_all_of_them(name):
    (flip,) = named(name)
    y, w = masks(4), torch.tensor([[1.0], [0.0], [0.3], [0.0]])
    made = flip.move_masks(y, w)
    assert torch.equal(made, torch.stack([y[0].flip(FLIPS[name]), y[1], y[2].flip(FLIPS[name]), y[3]]))
    assert torch.equal(flip(y[:, None] / 5, w)[:, 0], made / 5)


def test_about_half_of_the_images_are_flipped():
    w = drawn("flip", 1000)
    assert set(w.unique().tolist()) == {0, 1}
    assert 0.45 < w.mean() < 0.55


@pytest.mark.parametrize("name", MOVING)
def test_a_moved_mask_is_its_twin(name):
    y, w = masks(4), drawn(name, 4)
    made = named(name)[0].move_masks(y, w)
    assert made.dtype == torch.uint8
    compared = 0
    for i in range(4):
        expected = torch.from_numpy(reference.moved_mask(name, y[i].numpy(), w[i].tolist()))
        clear = ~expected.isnan()
        assert torch.equal(made[i][clear].double(), expected[clear])
        compared += int(clear.sum())
    assert compared > 0.98 * y.numel()
    assert (made == VOID).any()


@pytest.mark.parametrize("name", MOVING)
def test_masks_follow_their_images(name):
    """The image's value says the class: halves of a plane, so that all but the border between them is clear."""
    (transform,) = named(name)
    y = torch.zeros(6, 24, 30, dtype=torch.uint8)
    y[:3, 10:], y[3:, :, 17:] = 1, 1
    w = drawn(name, 6)
    image, mask = transform(y[:, None].float(), w)[:, 0], transform.move_masks(y, w)
    clear = (mask != VOID) & ((image - 0.5).abs() > 0.49)
    assert clear.float().mean() > 0.6
    assert torch.equal(image[clear].round().to(torch.uint8), mask[clear])


@pytest.mark.parametrize("name", MOVING)
def test_what_comes_from_outside_is_void_and_nothing_else_is(name):
    (transform,) = named(name)
    w = drawn(name, 8)
    made = transform.move_masks(torch.full((8, *SIZE), 3, dtype=torch.uint8), w)
    assert set(made.unique().tolist()) == {3, VOID}
    assert torch.equal(transform.move_masks(masks(8), torch.zeros_like(w)), masks(8))


def test_a_shift_moves_labels_by_whole_pixels():
    (affine,) = named("affine")
    y = masks(1, (8, 10))
    w = torch.tensor([[0.0, 0.0, 0.0, 0.2, 0.0]])  # a tenth of the width: one pixel
    made = affine.move_masks(y, w)
    assert torch.equal(made[0, :, :-1], y[0, :, 1:])
    assert (made[0, :, -1] == VOID).all()
    image = affine(y[:, None].double() / 10, w.double())
    torch.testing.assert_close(image[0, 0, :, :-1], y[0, :, 1:].double() / 10, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["colour", "noise", "cutout"])
def test_where_pixels_stay_their_labels_do(name):
    y = masks(3)
    assert torch.equal(named(name)[0].move_masks(y, drawn(name, 3)), y)


def test_one_that_moves_pixels_without_a_rule_for_masks_is_refused_on_masks():
    flip = Transform("flip", lambda x, w: x.flip(3), {"by": (0.0, 1.0)}, kind="viewpoint", moves=True)
    with pytest.raises(InputError, match=r'"flip" moves pixels, the labels are masks, and it has no rule for masks'):
        flip.move_masks(masks(1), torch.zeros(1, 1))
