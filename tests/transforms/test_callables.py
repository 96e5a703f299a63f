"""Callables of one's own at each step: drawn from the run's own generator, with their masks, and checked before."""

import random

import numpy as np
import pytest
import torch

import unseen
from unseen.base.labels import VOID
from unseen.base.randomness import Draws
from unseen.engine import Engine
from unseen.errors import InputError
from unseen.method.losses import views_of
from unseen.method.pool import Pool
from unseen.method.settings import ADA, ERM
from unseen.method.state import State
from unseen.transforms.callables import check_called
from unseen.transforms.catalogue import drawn

ENGINE = Engine("cpu", "float32", threads=1)
ROWS = torch.arange(12)


def images(n=12):
    return torch.rand(n, 3, 8, 10, generator=torch.Generator().manual_seed(0))


def state_of(labels, seed=2):
    return State(None, None, None, Pool(images(), labels), Draws(seed))


def dim(image):
    """Draws from each of the three global generators."""
    return image * (0.4 + 0.2 * torch.rand(1) + 0.2 * random.random() + 0.2 * np.random.rand())


def shift(image, mask):
    """One pixel to the right, always."""
    return image.roll(1, -1), mask.roll(1, -1)


def test_each_image_is_drawn_for_by_itself_and_the_global_generators_stay(make_digits):
    ada, labels = ERM(augment=dim, augment_share=1.0), torch.zeros(12, dtype=torch.long)
    assert ada.augment == "python:dim"
    (first,), _ = views_of(state := state_of(labels), ENGINE, ada, ROWS)
    (again,), _ = views_of(state_of(labels), ENGINE, ada, ROWS)
    (second,), _ = views_of(state, ENGINE, ada, ROWS)
    assert torch.equal(first, again)
    assert not torch.equal(first, second), "drawn anew at each step"
    factors = (first / images()).flatten(1)
    assert (factors.amax(1) - factors.amin(1)).max() < 1e-5
    assert len(factors[:, 0].unique()) == 12


def test_of_a_share_only_its_images_are_changed_and_chains_come_first():
    ada, labels = ERM(augment=("flip", dim), augment_share=0.5), torch.zeros(12, dtype=torch.long)
    (view,), _ = views_of(state_of(labels), ENGINE, ada, ROWS)
    changed = (view != images()).flatten(1).any(1)
    assert 0 < changed.sum() < 12
    assert ada.augmented is not None
    assert [call.name for call in ada.called] == ["python:dim"]


def masks():
    return (4 * images()[:, 0]).to(torch.uint8).clamp_max(3)


def test_masks_go_along():
    (view,), y = views_of(state_of(masks()), ENGINE, ERM(augment=shift, augment_share=1.0), ROWS)
    assert torch.equal(view, images().roll(1, -1))
    assert torch.equal(y, masks().roll(1, -1))


def test_torchvisions_transforms_move_masks_and_what_they_fill_in_is_void():
    v2 = pytest.importorskip("torchvision.transforms.v2")
    both = v2.Compose([v2.RandomHorizontalFlip(1.0), v2.RandomAffine(0, translate=(0.5, 0.5)), v2.ColorJitter(0.2)])
    y = masks()
    y[:, 0] = VOID
    (view,), made = views_of(state_of(y), ENGINE, ERM(augment=both, augment_share=1.0), ROWS)
    assert type(view) is torch.Tensor
    assert made.dtype == torch.uint8
    assert set(made.unique().tolist()) <= {0, 1, 2, 3, VOID}
    kept = v2.Compose([v2.RandomHorizontalFlip(1.0)])
    (view,), made = views_of(state_of(y), ENGINE, ERM(augment=kept, augment_share=1.0), ROWS)
    assert torch.equal(made, y.flip(-1))
    assert torch.equal(view, images().flip(-1))
    away = v2.Compose([v2.Pad((8, 0, 0, 0)), v2.CenterCrop((8, 10)), v2.RandomRotation((90, 90))])
    _, made = views_of(state_of(masks()), ENGINE, ERM(augment=away, augment_share=1.0), ROWS)
    assert (made == VOID).any()


def test_an_object_is_known_by_what_it_says_of_itself():
    v2 = pytest.importorskip("torchvision.transforms.v2")
    one, same, other = (ERM(augment=v2.RandomRotation(degrees)).augment for degrees in (5, 5, 6))
    assert one == same
    assert one != other
    assert one.startswith("python:RandomRotation-")
    first, second = ERM(augment=lambda image: image).augment, ERM(augment=lambda image: 0 * image).augment
    assert first != second


def test_one_from_a_file_is_known_by_its_place(tmp_path):
    (tmp_path / "mine.py").write_text("def dark(image):\n    return image / 2\n\nclass Dark:\n    pass\n\nnumber = 3\n")
    ada = ERM(augment=(f"{tmp_path}/mine.py:dark",), augment_share=1.0)
    (view,), _ = views_of(state_of(torch.zeros(12, dtype=torch.long)), ENGINE, ada, ROWS)
    assert torch.equal(view, images() / 2)
    for name, what in (("Dark", "is the class Dark"), ("number", "is a int")):
        with pytest.raises(InputError, match=f"{what}, expected an unseen.transforms.Transform, or for augment"):
            ERM(augment=f"{tmp_path}/mine.py:{name}")


def test_the_ascent_has_no_use_for_one(tmp_path):
    (tmp_path / "more.py").write_text("def dark(image):\n    return image / 2\n")
    with pytest.raises(InputError, match=r"over: .*more.py:dark\" is a callable, of which nothing more is known"):
        ADA(over=f"{tmp_path}/more.py:dark")


def test_settings_with_one_of_another_program_can_be_read_and_not_be_trained_with(digits, make_net):
    ada = ERM(augment="python:Compose-12345678", T=2, batch=4)
    assert ada.called[0].call is None
    with pytest.raises(
        InputError, match="was given by a Python program, which has to give it again: resume there, with"
    ):
        unseen.fit(make_net(), digits, ada)


ELSEWHERE = torch.Generator()


def none_at_all(image):
    raise RuntimeError("no such thing")


BROKEN = {
    "another shape": (lambda image: image[:, 1:], r"gave torch.float32 (3, 7, 10) for an image (3, 8, 10); expected"),
    "no tensor": (lambda image: None, "gave NoneType for an image (3, 8, 10); expected floats of the same shape"),
    "bytes": (lambda image: (255 * image).byte(), "gave torch.uint8 (3, 8, 10) for an image (3, 8, 10); expected"),
    "normalized": (lambda image: (image - 0.5) / 0.2, "expected 0 to 1: normalization belongs inside the model"),
    "raises": (none_at_all, "called with an image (3, 8, 10) it raised RuntimeError: no such thing"),
    "changes its input": (lambda image: image.mul_(0.5), "changes the image it is given; expected a new one"),
    "draws elsewhere": (
        lambda image: image * torch.rand((), generator=ELSEWHERE),
        "gives two different images for one state of torch's, NumPy's and Python's global generators",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "said"), BROKEN.values(), ids=BROKEN)
def test_one_that_breaks_a_promise_is_refused(call, said):
    (known,) = drawn(ERM(augment=call).augment)
    with pytest.raises(InputError) as caught:
        check_called(known, images(2), None, 4, lambda seed: ENGINE.seeded(seed, alike=True))
    assert str(caught.value).startswith(f'augment: "{known.name}"')
    assert said in str(caught.value)


BROKEN_MASKS = {
    "no mask": (lambda image, mask: (image, None), "gave NoneType for a mask (8, 10); expected class numbers"),
    "another class": (lambda image, mask: (image, mask + 4), "gave a mask with 7; expected classes 0 to 3, or 255"),
    "an image alone": (lambda image: image, "called with an image (3, 8, 10) and its mask it raised TypeError"),
}


@pytest.mark.parametrize(("call", "said"), BROKEN_MASKS.values(), ids=BROKEN_MASKS)
def test_one_that_breaks_a_mask_is_refused(call, said):
    (known,) = drawn(ERM(augment=call).augment)
    with pytest.raises(InputError) as caught:
        check_called(known, images(2), masks()[:2], 4, lambda seed: ENGINE.seeded(seed, alike=True))
    assert said in str(caught.value)
