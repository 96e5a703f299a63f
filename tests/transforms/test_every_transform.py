"""What every transformation of the catalogue promises, each beside its slow twin."""

import math

import pytest
import torch
from reference import transforms as reference

from unseen.transforms import KINDS, Transform, named
from unseen.transforms.catalogue import _OURS

ALL = [named(name)[0] for name in sorted(_OURS)]
SHAPES = [pytest.param((channels, 9, 12), id=f"{channels} channels") for channels in (1, 3)]
each_transform = pytest.mark.parametrize("transform", ALL, ids=lambda each: each.name)
each_shape = pytest.mark.parametrize("shape", SHAPES)
SMOOTH = 4  # from how many knots an image is made


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def images(n, shape, least=0.0, greatest=1.0, dtype=torch.float64):
    made = torch.rand(n, *shape, generator=draw(1), dtype=torch.float64)
    return (least + (greatest - least) * made).to(dtype)


def smooth_images(n, shape):
    """Values in 0.3..0.7 that change slowly: small parameters leave none of them clamped."""
    knots = 0.3 + 0.4 * torch.rand(n, shape[0], SMOOTH, SMOOTH, generator=draw(2), dtype=torch.float64)
    return torch.nn.functional.interpolate(knots, size=shape[1:], mode="bilinear", align_corners=True)


def names_of(transform):
    """Each parameter's name, as often as there are of it."""
    return [name for name, each in transform.ranges.items() for _ in range(each[2] if len(each) == 3 else 1)]


def test_the_catalogue_has_every_kind():
    assert {each.kind for each in ALL} == set(KINDS)


@each_shape
@each_transform
def test_it_is_the_identity_at_zero(transform, shape):
    x = images(3, shape)
    made = transform(x, transform.identity.double().expand(3, -1))
    torch.testing.assert_close(made, x, rtol=0, atol=1e-6)


@each_transform
def test_it_does_something_elsewhere(transform):
    x, w = images(4, (3, 9, 12)), transform.drawn(4, draw()).double()
    assert (transform(x, w) - x).abs().max() > 0.1


@each_shape
@pytest.mark.parametrize("transform", [each for each in ALL if each.name != "noise"], ids=lambda each: each.name)
def test_it_is_its_twin(transform, shape):
    x, w = images(4, shape, 0.01, 0.99), transform.drawn(4, draw(3)).double()
    made = transform.apply(x, w)
    for i in range(len(x)):
        expected = torch.from_numpy(reference.TWINS[transform.name](x[i].numpy(), w[i].tolist()))
        torch.testing.assert_close(made[i], expected, rtol=0, atol=1e-5)


@each_shape
@each_transform
def test_each_sample_is_transformed_by_itself(transform, shape):
    x, w, order = images(5, shape), transform.drawn(5, draw()).double(), torch.tensor([3, 0, 4, 1, 2])
    together = transform(x, w)
    alone = torch.cat([transform(x[i : i + 1], w[i : i + 1]) for i in range(5)])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-12)
    torch.testing.assert_close(transform(x[order], w[order]), together[order], rtol=0, atol=1e-12)


@each_shape
@each_transform
def test_what_it_gives_is_finite_and_within_0_and_1_wherever_w_is(transform, shape):
    x = images(40, shape, dtype=torch.float32)
    x[:20] = x[:20].round()  # black and white, where powers and clamps have their edges
    drawn = transform.drawn(40, draw(4))
    edges = torch.where(drawn < 0, *transform.bounds)
    for w in (drawn, edges):
        made = transform(x, w)
        assert made.shape == x.shape
        assert made.dtype == x.dtype
        assert torch.isfinite(made).all()
        assert not transform.bounded or (made.min() >= 0 and made.max() <= 1)


@each_transform
def test_the_parameters_drawn_fill_their_ranges_and_stay_in_them(transform):
    w, (least, greatest) = transform.drawn(400, draw()), transform.bounds
    assert w.shape == (400, transform.parameters)
    assert (w >= least).all()
    assert (w <= greatest).all()
    assert (w.amax(0) - w.amin(0) > 0.5 * (greatest - least)).all()


@each_transform
def test_the_same_generator_gives_the_same_parameters(transform):
    assert torch.equal(transform.drawn(5, draw(7)), transform.drawn(5, draw(7)))
    assert not torch.equal(transform.drawn(5, draw(7)), transform.drawn(5, draw(8)))


ASCENDED = [each for each in ALL if each.ascended]
NO_GRADIENT = {("colour", "invert"): "a threshold: drawn, and never climbed"}


@each_shape
@pytest.mark.parametrize("transform", ASCENDED, ids=lambda each: each.name)
def test_its_gradient_is_that_of_finite_differences(transform, shape):
    x, h = smooth_images(2, shape), 1e-6
    w = 0.1 * transform.drawn(2, draw(5)).double()
    weights = torch.rand(x.shape, generator=draw(6), dtype=torch.float64)

    def value(w):
        return (weights * transform(x, w)).flatten(1).sum(1)

    moving = w.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(value(moving).sum(), moving)
    for p, name in enumerate(names_of(transform)):
        e = torch.zeros_like(w)
        e[:, p] = h
        slope = (value(w + e) - value(w - e)) / (2 * h)
        torch.testing.assert_close(gradient[:, p], slope, rtol=1e-4, atol=1e-6, msg=lambda m, n=name: f"{n}: {m}")
        if (transform.name, name) in NO_GRADIENT:
            assert not gradient[:, p].any()
    unused = shape[0] == 1 and transform.name == "hue"  # grey has neither hue nor saturation
    assert unused or gradient.abs().max() > 1e-3


@each_shape
@pytest.mark.parametrize("transform", ASCENDED, ids=lambda each: each.name)
def test_its_gradient_in_the_image_is_that_of_finite_differences(transform, shape):
    x, w, h = smooth_images(2, shape).requires_grad_(), 0.1 * transform.drawn(2, draw(5)).double(), 1e-6
    weights, way = (torch.rand(x.shape, generator=draw(seed), dtype=torch.float64) for seed in (6, 7))
    (gradient,) = torch.autograd.grad((weights * transform(x, w)).sum(), x)
    slope = (weights * (transform(x + h * way, w) - transform(x - h * way, w))).sum() / (2 * h)
    torch.testing.assert_close((gradient * way).sum(), slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_at_0_and_1_and_beside_them_the_gradient_is_that_of_clamp(dtype):
    near = [
        torch.nextafter(torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype)) for a in (0.0, 1.0) for b in (-9, 9)
    ]
    values = torch.tensor([-2.0, -1e-6, 0.0, 0.4, 1.0, 3.0, *map(float, near[1:])], dtype=dtype)
    x = values.view(1, 1, 1, -1).requires_grad_()
    still = Transform("still", lambda images, w: images + 0 * w.sum(), {"none": (0.0, 1.0)}, kind="light")
    upstream = torch.rand(x.shape, generator=draw(8), dtype=dtype)
    made, expected = still(x, torch.zeros(1, 1, dtype=dtype)), x.clamp(0, 1)
    assert torch.equal(made, expected)
    assert torch.equal(*(torch.autograd.grad(each, x, upstream)[0] for each in (made, expected)))


@pytest.mark.parametrize("transform", [each for each in ALL if not each.ascended], ids=lambda each: each.name)
def test_one_that_is_only_drawn_passes_gradients_straight_on(transform):
    x, w = smooth_images(3, (3, 9, 12)).requires_grad_(), (0.1 * transform.drawn(3, draw())).double().requires_grad_()
    weights = torch.rand(x.shape, generator=draw(6), dtype=torch.float64)
    gradients = torch.autograd.grad((weights * transform(x, w)).sum(), [x, w], allow_unused=True)
    assert torch.equal(gradients[0], weights)
    assert gradients[1] is None or not gradients[1].any()


@pytest.mark.parametrize("transform", ASCENDED, ids=lambda each: each.name)
def test_one_that_is_climbed_hands_gradients_to_what_came_before_it(transform):
    x, w = smooth_images(2, (3, 9, 12)), (0.1 * transform.drawn(2, draw(5))).double()
    weights, e = (torch.rand(x.shape, generator=draw(seed), dtype=torch.float64) for seed in (6, 7))

    def value(x):
        return (weights * transform(x, w)).sum()

    moving = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(value(moving), moving)
    slope = (value(x + 1e-6 * e) - value(x - 1e-6 * e)) / 2e-6
    torch.testing.assert_close((gradient * e).sum(), slope, rtol=1e-5, atol=1e-6)


def test_noise_has_mean_0_and_the_deviation_that_is_asked_for_and_each_pattern_its_own():
    (noise,) = named("noise")
    x = torch.zeros(3, 3, 40, 40)
    made = noise.apply(x, torch.tensor([[0.1, 0.2], [0.3, 0.7], [0.3, 0.7001]]))
    assert made.mean((1, 2, 3)).abs().max() < 0.02
    assert made.std((1, 2, 3)).tolist() == pytest.approx([0.1, 0.3, 0.3], rel=0.05)
    for one, other in ((0, 1), (1, 2)):
        assert torch.corrcoef(made[[one, other]].flatten(1))[0, 1].abs() < 0.1
    neighbours = made[:, :, :, 1:] * made[:, :, :, :-1]
    assert neighbours.mean() < 0.1 * made.var()


def test_jpeg_keeps_a_block_of_one_value_and_takes_the_finest_detail_first():
    (jpeg,) = named("jpeg")
    flat = torch.full((1, 1, 16, 16), 0.4)
    made = jpeg(flat, torch.tensor([[0.9]]))
    assert made.std() < 1e-6
    assert made.mean() == pytest.approx(0.4, abs=0.9 / 128)
    checks = (torch.arange(8)[:, None] + torch.arange(8)) % 2
    detail = 0.5 + 0.05 * checks.view(1, 1, 8, 8)
    assert jpeg(detail, torch.tensor([[1.0]])).std() < 1e-6 < detail.std()


def test_colour_above_one_half_of_invert_is_the_negative_of_that_channel():
    (colour,) = named("colour")
    x, w = images(1, (3, 4, 4)), torch.zeros(1, 15, dtype=torch.float64)
    w[0, -3], w[0, -2] = 0.4, 0.6
    torch.testing.assert_close(colour(x, w)[0], torch.stack([x[0, 0], 1 - x[0, 1], x[0, 2]]))


def test_no_colour_takes_away_more_than_three_fifths_of_a_grey_contrast():
    (colour,) = named("colour")
    corners = torch.randint(2, (500, colour.parameters), generator=torch.Generator().manual_seed(0)).double()
    least, greatest = colour.bounds.double()
    pair = torch.tensor([0.45, 0.55], dtype=torch.float64).expand(500, 3, 1, 2)
    dark, light = colour.apply(pair, least + (greatest - least) * corners).flatten(2).unbind(2)
    assert (light - dark).abs().min() >= 0.4 * 0.1 - 1e-9


def test_a_filter_leaves_an_even_image_as_it_is_whatever_its_kernel():
    (filtered,) = named("filter")
    even = torch.full((2, 3, 8, 8), 0.6, dtype=torch.float64)
    kernels = torch.stack([torch.full((25,), -0.3), torch.linspace(-0.3, 0.3, 25)]).double()
    torch.testing.assert_close(filtered.apply(even, kernels), even)


def test_hue_turned_all_the_way_round_is_where_it_was_and_keeps_grey_grey():
    (hue,) = named("hue")
    x, grey = images(1, (3, 4, 4)), images(1, (1, 4, 4)).expand(1, 3, 4, 4)
    turned = hue.apply(x, torch.tensor([[2 * math.pi, 0.0]], dtype=torch.float64))
    torch.testing.assert_close(turned, x, rtol=0, atol=1e-7)
    torch.testing.assert_close(
        hue.apply(grey, torch.tensor([[1.0, 0.8]], dtype=torch.float64)), grey, rtol=0, atol=1e-7
    )


def test_blur_smooths_below_zero_and_sharpens_above():
    (blur,) = named("blur")
    x = images(1, (3, 9, 12), 0.4, 0.6)
    smooth, sharp = (blur(x, torch.tensor([[amount]], dtype=torch.float64)).std() for amount in (-1.0, 1.0))
    assert smooth < x.std() < sharp
