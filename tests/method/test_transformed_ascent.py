"""The ascent over transformations beside its slow twin, one image at a time in float64."""

import dataclasses

import pytest
import torch
from reference import transformed as reference
from torch import nn

import unseen
from unseen.base.labels import VOID
from unseen.engine import Engine
from unseen.errors import Diverged, InputError
from unseen.method.ascent import ascend, fictitious
from unseen.method.settings import ADA
from unseen.transforms import Links, Transform, catalogue, register

BASE = ADA(gamma=2.0, T_max=4, batch=6, over="standard", eta=20.0, step=0.15)
SETTINGS = {
    "the defaults": {},
    "from the identity": {"start": "identity"},
    "pixel cost": {"cost": "pixel", "gamma": 30.0},
    "the paper's scale": {"scale": "paper", "gamma": 0.5, "cost": "pixel"},
    "entropy": {"entropy": 3.0},
    "little strength and large steps": {"strength": 0.3, "step": 0.25},
    "one link": {"links": 1},
    "all that there is": {"over": "everything"},
    "pixels on top": {"over": ("standard", "pixels"), "eta": 40.0},
    "pixels on top, clipped, from the identity": {
        "over": ("pixels", "photometric"), "eta": 60.0, "clip": True, "start": "identity", "entropy": 1.0,
    },
    "no gamma": {"gamma": 0.0},
}  # fmt: skip


def smooth_net(seed=0):
    """Without kinks, so that rounding decides no sign."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(3, 6, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(54, 10), nn.Tanh(), nn.Linear(10, 4)
        ).double()  # fmt: skip


def chains_as_data(chains, links):
    """What the twin is given: of each image the functions, ranges and starts of its chain."""
    told = []
    for which, u in zip(links.which.tolist(), links.u.double(), strict=True):
        used = [(chains.transforms[number], row) for number, row in zip(which, u, strict=True) if number >= 0]
        told.append(
            [
                reference.Link(t.apply, *t.bounds.double(), row[: t.parameters].clone(), ascended=t.ascended)
                for t, row in used
            ]
        )
    return told


def twin(net, x, y, ada, links):
    names = ("gamma", "eta", "T_max", "cost", "scale", "batch", "clip", "step", "strength")
    settings = {name: getattr(ada, name) for name in names}
    return reference.ascend(
        net, lambda x: net[:-1](x), x, y, chains_as_data(ada.ascended, links), **settings,
        entropy_weight=ada.entropy, pixels=ada.moves_pixels,
    )  # fmt: skip


def drawn(ada, n, seed=3):
    return ada.ascended.draw(n, torch.Generator().manual_seed(seed), ada.start)


@pytest.mark.parametrize("changes", SETTINGS.values(), ids=SETTINGS)
def test_every_step_is_that_of_the_twin(make_digits, changes):
    ada, net, (x, y) = dataclasses.replace(BASE, **changes), smooth_net(), make_digits(8, dtype=torch.float64)
    links = drawn(ada, 8)
    trajectories = twin(net, x, y, ada, links)
    for steps in range(ada.T_max + 1):
        ours = fictitious(net, x, y, dataclasses.replace(ada, T_max=steps), links=links)
        assert torch.equal(ours.links.which, links.which)
        for i, trajectory in enumerate(trajectories):
            us, image = trajectory[steps]
            for u, expected in zip(ours.links.u[i], us, strict=False):
                torch.testing.assert_close(u[: len(expected)], expected, rtol=0, atol=1e-9)
            torch.testing.assert_close(ours.images[i], image, rtol=0, atol=1e-6)
    climbed = torch.tensor([t.ascended for t in ada.ascended.transforms])[links.which] & (links.which >= 0)
    went = (ours.links.u - links.u).abs().amax(2)
    assert (went[climbed] > 0.1).float().mean() > 0.7
    assert not went[~climbed].any()


def test_the_ascent_raises_what_it_climbs(make_digits):
    net, (x, y) = smooth_net(), make_digits(40, dtype=torch.float64)
    ada = dataclasses.replace(BASE, gamma=0.0, T_max=8, step=0.1)
    links = drawn(ada, 40)
    losses = [
        nn.functional.cross_entropy(
            net(fictitious(net, x, y, dataclasses.replace(ada, T_max=t), links=links).images), y
        )
        for t in (0, 8)
    ]
    assert losses[1] > losses[0] + 0.01


@pytest.mark.parametrize("over", ["standard", ("everything", "pixels")], ids=str)
def test_an_image_ascends_the_same_way_in_a_batch_of_any_size_and_order(make_digits, monkeypatch, over):
    net, (x, y) = smooth_net(), make_digits(24, dtype=torch.float64)
    ada = dataclasses.replace(BASE, over=over, T_max=3)
    links = drawn(ada, 24)
    together = fictitious(net, x, y, ada, links=links)
    rows = [slice(i, i + 1) for i in range(12)]
    alone = torch.cat([fictitious(net, x[row], y[row], ada, links=links[row]).images for row in rows])
    torch.testing.assert_close(alone, together.images[:12], rtol=0, atol=1e-10)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(1))
    shuffled = fictitious(net, x[order], y[order], ada, links=links[order])
    torch.testing.assert_close(shuffled.images, together.images[order], rtol=0, atol=1e-10)
    monkeypatch.setattr("unseen.engine.ASCENT_VALUES", 5 * x[0].numel())
    torch.testing.assert_close(fictitious(net, x, y, ada, links=links).images, together.images, rtol=0, atol=1e-10)


def test_the_seed_decides_which_transformations_and_where_they_start(make_net, digits):
    first, again, other = (fictitious(make_net(), *digits, BASE, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first.images, again.images)
    assert torch.equal(first.links.u, again.links.u)
    assert not torch.equal(first.links.which, other.links.which)
    assert torch.equal(ascend(make_net(), *digits, BASE, seed=1), first.images)


def test_what_is_made_is_in_0_and_1_and_the_model_is_as_it_was(make_net, digits):
    net = make_net("normalized").train()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    made = ascend(net, *digits, BASE)
    assert made.min() >= 0
    assert made.max() <= 1
    assert not made.requires_grad
    assert net.training
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_without_steps_images_are_transformed_as_drawn(make_net, digits):
    ada = dataclasses.replace(BASE, T_max=0)
    links = drawn(ada, 24)
    made = fictitious(make_net(), *digits, ada, links=links)
    assert torch.equal(made.links.u, links.u)
    torch.testing.assert_close(made.images, ada.ascended.images(digits[0], links))


@pytest.mark.parametrize("over", ["noise", ("jpeg", "solarize"), ("cutout", "pixels")], ids=str)
def test_where_all_are_only_drawn_the_ascent_stays_and_pixels_still_move(make_net, digits, over):
    ada = dataclasses.replace(BASE, over=over)
    links = drawn(ada, 24)
    made = fictitious(make_net(), *digits, ada, links=links)
    assert torch.equal(made.links.u, links.u)
    same = torch.equal(made.images, ada.ascended.images(digits[0], links))
    assert same != ada.moves_pixels


def test_no_images_give_none(make_net, digits):
    x, y = digits
    made = fictitious(make_net(), x[:0], y[:0], BASE)
    assert made.images.shape == (0, 3, 8, 8)
    assert len(made.links) == 0


def test_the_ascent_in_bf16_stays_close_to_float32(make_net, make_digits):
    x, y = make_digits(64)
    links = drawn(BASE, 64)
    net = make_net("normalized")
    exact, fast = (
        fictitious(net, x, y, BASE, engine=Engine("cpu", precision), links=links) for precision in ("float32", "bf16")
    )
    assert fast.images.dtype == fast.links.u.dtype == torch.float32
    went = (exact.links.u - links.u).abs() > 0.05
    same = ((exact.links.u - fast.links.u).abs() < 0.05)[went]
    assert same.float().mean() > 0.85, "by the sign: where a slope is all but 0, rounding decides"
    assert (exact.images - fast.images).abs().mean() < 0.03
    started = BASE.ascended.images(x, links)
    assert (exact.images - fast.images).abs().mean() < 0.3 * (exact.images - started).abs().mean()


def test_one_that_stops_being_finite_is_named(make_net, digits, monkeypatch):
    monkeypatch.setattr(catalogue, "_KNOWN", dict(catalogue._KNOWN))

    def blow_up(x, w):
        return x / (x[:, :1, :1, :1] > 0.001) + w[:, :1, None, None]

    register(Transform("blow up", blow_up, {"a": (-1.0, 1.0)}, kind="light", bounded=False))
    x = digits[0].clone().clamp_min(0.01)
    x[5, 0, 0, 0] = 0.0
    with pytest.raises(Diverged, match=r"ascent step 1 of 4: the loss or its gradient is not finite for sample 5;"):
        fictitious(make_net(), x, digits[1], dataclasses.replace(BASE, over="blow up"))


# Masks.


@pytest.fixture
def segmenter():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 3, 1))
    return unseen.split(net, head="2")


@pytest.fixture
def scenes():
    draw = torch.Generator().manual_seed(0)
    return torch.rand(10, 3, 8, 12, generator=draw), torch.randint(3, (10, 8, 12), generator=draw, dtype=torch.uint8)


def test_masks_end_where_their_pixels_do(segmenter, scenes):
    x, y = scenes
    made = fictitious(segmenter, x, y, BASE)
    assert made.labels.dtype == torch.uint8
    assert torch.equal(made.labels, BASE.ascended.masks(y, made.links))
    assert (made.labels == VOID).any()
    assert not torch.equal(made.labels, y)


def test_ascend_alone_would_lose_the_masks_that_moved_and_says_so(segmenter, scenes):
    with pytest.raises(InputError, match=r"use unseen.fictitious\(...\), which gives images and labels"):
        ascend(segmenter, *scenes, BASE)


def test_where_no_pixel_moves_the_masks_stay_and_ascend_is_enough(segmenter, scenes):
    ada = dataclasses.replace(BASE, over="photometric")
    made = fictitious(segmenter, *scenes, ada)
    assert made.labels is None
    assert torch.equal(ascend(segmenter, *scenes, ada), made.images)


def test_the_loss_that_masks_climb_is_that_of_the_moved_mask(segmenter, scenes):
    """One shift, by hand: u goes the way that the loss under the moved labels says."""
    x, y = (each.double() if each.is_floating_point() else each for each in scenes)
    net, ada = segmenter.double(), dataclasses.replace(BASE, over="affine", gamma=0.0, T_max=1, links=1)
    links = Links(torch.zeros(10, 1, dtype=torch.long), 0.2 * torch.ones(10, 1, 5, dtype=torch.float64))
    u = links.u.clone().requires_grad_()
    images = ada.ascended.images(x, Links(links.which, u))
    labels = ada.ascended.masks(y, links).long()
    each = nn.functional.cross_entropy(net(images), labels, ignore_index=VOID, reduction="none").flatten(1).sum(1)
    (gradient,) = torch.autograd.grad((each / (labels != VOID).flatten(1).sum(1)).sum(), u)
    made = fictitious(net, x, y, ada, links=links)
    torch.testing.assert_close(made.links.u, links.u + ada.step * gradient.sign())
