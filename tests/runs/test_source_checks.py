"""Transformations that break a promise are refused by fit, before the first step."""

import pytest
import torch
from torch import nn

import unseen
from unseen.errors import InputError
from unseen.transforms import Transform, catalogue, register


@pytest.fixture(autouse=True)
def _registry(monkeypatch):
    monkeypatch.setattr(catalogue, "_KNOWN", dict(catalogue._KNOWN))


@pytest.fixture
def refused(monkeypatch, make_net, digits):
    """Call it with settings: what fit says of them, with nothing trained."""
    monkeypatch.setattr("unseen.method.algorithm.minimize", lambda *_: pytest.fail("it began"))

    def refuse(source=digits, net=None, **settings):
        with pytest.raises(InputError) as caught:
            unseen.fit(net or make_net(), source, unseen.ADA(T_min=2, T=8, batch=4, **settings))
        assert "\n" not in str(caught.value), "one mistake, one message"
        return str(caught.value)

    return refuse


def mine(apply, **options):
    return register(Transform("mine", apply, {"a": (-1.0, 1.0), "b": (0.0, 0.5)}, kind="light", **options))


def broken(x, w):
    raise RuntimeError("no such thing")


def each(w, i=0):
    return w[:, i, None, None, None]


def only_beyond_zero(value):
    """An identity at 0, and something else where it isn't."""
    return lambda x, w: torch.where(each(w) != 0, value, 1.0) * x + 0 * each(w)


DRAW = torch.Generator().manual_seed(0)
BROKEN = {
    "another shape": (lambda x, w: x[:, :, 1:], r"gave (2, 3, 7, 8) for images (2, 3, 8, 8); expected the same shape"),
    "no tensor": (lambda x, w: None, "gave NoneType for images (2, 3, 8, 8); expected the same shape"),
    "NaN": (only_beyond_zero(float("nan")), "gave values that are not finite at w=[0.5, 0.375]; mend it or its ranges"),
    "infinite": (lambda x, w: x / each(w), "gave values that are not finite at w=[0.0, 0.0]; mend it or its ranges"),
    "NaN at the end": (
        lambda x, w: torch.where(each(w) >= 1, float("nan"), x + each(w)),
        "gave values that are not finite at w=[1.0, 0.5]; mend it or its ranges",
    ),
    "NaN in a tenth": (
        lambda x, w: torch.where((each(w) > 0.1) & (each(w) < 0.3), float("nan"), x + each(w)),
        "gave values that are not finite at w=[0.",
    ),
    "another type": (lambda x, w: (x + each(w)).double(), "gave float64 for images in float32; expected the same type"),
    "draws inside": (
        lambda x, w: x + each(w) * torch.rand(x.shape, generator=DRAW),
        "expected each by itself, and nothing drawn inside: what it draws from has to be one of its parameters",
    ),
    "raises": (broken, "called with images (2, 3, 8, 8) and w (2, 2) it raised RuntimeError: no such thing"),
    "no identity": (lambda x, w: x + 0.25 + each(w), "changes images by up to 0.25 at w = 0; expected the identity"),
    "changes its input": (lambda x, w: x.add_(0.25) + each(w), "changes the images it is given; expected new ones"),
    "mixes samples": (
        lambda x, w: x + each(w) * x.mean(0),
        "gives one image by itself and in a batch different values; expected each by itself",
    ),
}


@pytest.mark.parametrize("setting", ["over", "augment"])
@pytest.mark.parametrize(("apply", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_promise_is_named(refused, digits, setting, apply, said):
    mine(apply)
    before = digits[0].clone()
    message = refused(**{setting: ("tone", "mine")})
    assert message.startswith('transformation "mine"')
    assert said in message
    assert torch.equal(digits[0], before)


NOT_DIFFERENTIABLE = {
    "w detached": (lambda x, w: x + each(w.detach()), "has no gradient with respect to w"),
    "through numpy": (
        lambda x, w: x + torch.from_numpy(each(w).detach().numpy()),
        "has no gradient with respect to w",
    ),
    "infinite slope": (lambda x, w: x + each(w).abs().sqrt(), "has a non-finite gradient with respect to w"),
}


@pytest.mark.parametrize(("apply", "said"), NOT_DIFFERENTIABLE.values(), ids=NOT_DIFFERENTIABLE)
def test_what_is_to_be_climbed_has_a_gradient(refused, make_net, digits, apply, said):
    mine(apply)
    message = refused(over="mine")
    assert message.startswith('transformation "mine" is to be ascended over, and ' + said)
    assert message.endswith(
        "write it with differentiable torch operations, or say ascended=False, and it is only drawn"
    )


def test_one_whose_gradient_is_always_0_is_only_drawn(refused):
    mine(lambda x, w: x + (4 * each(w)).round() / 8)
    message = refused(over="mine")
    assert message.startswith('transformation "mine" is to be ascended over, and its gradient with respect to w is 0')
    assert message.endswith("say ascended=False, and it is only drawn")


def test_what_raises_where_a_gradient_is_wanted_may_be_only_drawn(refused):
    mine(lambda x, w: x + torch.from_numpy(each(w).numpy()))
    assert refused(over="mine").endswith("what isn't written with differentiable torch operations says ascended=False")


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        pytest.param({}, {"augment": "mine", "K": 0}, id="drawn at each step"),
        pytest.param({}, {"over": "mine", "T_max": 0, "K": 1}, id="rounds without an ascent"),
        pytest.param({"ascended": False}, {"over": "mine", "T_max": 2, "K": 1}, id="ascended=False"),
        pytest.param({}, {"over": "mine", "K": 0}, id="no rounds"),
    ],
)
def test_what_is_only_drawn_needs_no_gradient(make_net, digits, options, settings):
    mine(lambda x, w: x + each(w.detach()), **options)
    unseen.fit(make_net(), digits, unseen.ADA(T_min=1, T=2, batch=4, n=4, **settings))


# Masks.


@pytest.fixture
def scenes():
    draw = torch.Generator().manual_seed(0)
    masks = torch.randint(3, (6, 8, 12), generator=draw, dtype=torch.uint8)
    return unseen.Domain("squares", torch.rand(6, 3, 8, 12, generator=draw), masks, ("a", "b", "c"))


@pytest.fixture
def segmenter():
    with torch.random.fork_rng(devices=[]):
        return unseen.split(nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 3, 1)), head="2")


@pytest.mark.parametrize("setting", ["over", "augment"])
def test_a_geometry_on_masks_needs_the_masks_rule(refused, scenes, segmenter, setting):
    mine(lambda x, w: x + each(w), moves=True)
    message = refused(scenes, segmenter, **{setting: "mine"})
    assert message.startswith('squares: transformation "mine" moves pixels, the labels are masks, and it has no rule')
    assert "give it masks=, a function of masks (N, H, W) and parameters, or leave it out" in message


@pytest.mark.parametrize("setting", ["over", "augment"])
def test_a_viewpoint_on_masks_has_to_say_whether_pixels_move(refused, scenes, segmenter, setting):
    register(Transform("slide", lambda x, w: x + each(w), {"by": (0.0, 1.0)}, kind="viewpoint"))
    message = refused(scenes, segmenter, **{setting: "slide"})
    assert message.startswith(
        'squares: transformation "slide" is of the kind viewpoint, and the labels are masks: say '
    )
    assert "moves=True and give it masks=, or moves=False where every pixel keeps its place" in message


def test_a_viewpoint_that_says_that_pixels_stay_is_fine_on_masks(scenes, segmenter):
    register(Transform("still", lambda x, w: x + each(w), {"by": (0.0, 1.0)}, kind="viewpoint", moves=False))
    unseen.fit(segmenter, scenes, unseen.ADA(over="still", K=1, T_min=1, T=2, T_max=1, batch=3))


def test_views_are_compared_pixel_by_pixel_so_none_may_move(refused, scenes, segmenter):
    message = refused(scenes, segmenter, augment="standard", consistency=2.0)
    assert message.startswith('consistency=2 compares views pixel by pixel, and "affine", "warp" moves pixels; ')
    assert message.endswith('use the set "photometric"')


def test_contrast_needs_one_label_for_each_image(refused, scenes, segmenter):
    message = refused(scenes, segmenter, contrast=0.5)
    assert message.startswith("contrast=0.5: squares has masks, and the contrast needs one label for each image")


def test_the_photometric_set_with_consistency_is_fine_on_masks(scenes, segmenter):
    ada = unseen.ADA(over="photometric", augment="jitter", consistency=1.0, K=1, T_min=1, T=2, T_max=1, batch=3)
    unseen.fit(segmenter, scenes, ada)
