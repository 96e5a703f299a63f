"""The sliders: real transformations with their ranges, and at 0 the picture as it was."""

import pytest
import torch

from unseen.deploy.play.sliders import POINTS, SLIDERS, along, by_kind, transformed, transformed_masks
from unseen.transforms import KINDS, named


@pytest.fixture
def images():
    return torch.rand(2, 3, 16, 20, generator=torch.Generator().manual_seed(0))


def only(label: str, value: float) -> torch.Tensor:
    return torch.tensor([[value if slider.label == label else 0.0 for slider in SLIDERS]])


def test_there_are_sliders_of_every_kind():
    assert tuple(by_kind()) == KINDS
    assert [slider for own in by_kind().values() for slider in own] == list(SLIDERS)


def test_at_rest_a_picture_keeps_its_bits(images):
    assert transformed(images, torch.zeros(2, len(SLIDERS))).equal(images)


@pytest.mark.parametrize("slider", SLIDERS, ids=lambda slider: slider.label)
def test_a_slider_goes_over_its_parameters_range_and_changes_the_picture(slider, images):
    values = slider.values()
    w = slider.parameters(values)
    least, greatest = slider.transform.bounds
    assert (w >= least - 1e-6).all()
    assert (w <= greatest + 1e-6).all()
    reached = (w.abs() / torch.where(w < 0, -least, greatest)).nan_to_num()
    assert float(reached[-1].max()) == pytest.approx(1, abs=0.01)
    assert (values == 0).sum() == 1
    far = transformed(images[:1], along(slider, [0.0] * len(SLIDERS))[-1:])
    assert (far - images[:1]).abs().max() > 0.05


def test_sliders_of_one_transformation_are_its_parameters(images):
    at = only("turn", 0.4) + only("size", -0.2) + only("shift", 0.1)
    affine = named("affine")[0]
    expected = affine(images[:1], torch.tensor([[0.4, 0.0, -0.2, 0.1, 0.0]]))
    assert transformed(images[:1], at).allclose(expected)


def test_the_viewpoint_comes_before_the_light(images):
    at = only("turn", 0.4) + only("contrast", 0.5)
    affine, tone = named(["affine", "tone"])
    turned = affine(images[:1], torch.tensor([[0.4, 0.0, 0.0, 0.0, 0.0]]))
    assert transformed(images[:1], at).allclose(tone(turned, torch.tensor([[0.0, 0.5, 0.0]])))


def test_masks_move_with_the_viewpoint_and_with_nothing_else():
    masks = (torch.arange(20) > 9).byte().expand(1, 16, 20)
    assert transformed_masks(masks, only("noise", 0.3) + only("hue", 1.0)).equal(masks)
    assert not transformed_masks(masks, only("shift", 0.2)).equal(masks)


def test_a_strip_moves_one_slider_and_leaves_the_others():
    at = [0.1] * len(SLIDERS)
    values = along(SLIDERS[3], at)
    assert values.shape == (POINTS, len(SLIDERS))
    assert values[:, 3].equal(SLIDERS[3].values())
    assert (values[:, [0, 1, 2, 4]] == 0.1).all()
