"""Chains: how they are drawn, what a step does to them, and images that go through them one by one."""

import pytest
import torch

from unseen.transforms import Chains, Links, Transform, named
from unseen.transforms.chains import NONE


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def added(name, least, greatest, count=1, **options):
    """x + the sum of w: what became of an image says what its parameters were."""
    return Transform(
        name, lambda x, w: x + w.sum(1).view(-1, 1, 1, 1), {"by": (least, greatest, count)}, kind="light",
        bounded=False, **options,
    )  # fmt: skip


@pytest.fixture
def images():
    return torch.rand(30, 3, 8, 11, generator=draw(1))


@pytest.fixture
def chains():
    return Chains(named(["standard", "noise", "cutout"]), links=3)


def test_each_chain_has_one_to_links_transformations_and_none_twice(chains):
    which = chains.draw(600, draw()).which
    lengths = (which != NONE).sum(1)
    assert lengths.bincount(minlength=4).tolist() == pytest.approx([0, 200, 200, 200], abs=50)
    assert ((which == NONE).long().diff(dim=1) >= 0).all(), "a chain has a hole"
    for row in which.tolist():
        used = [i for i in row if i != NONE]
        assert len(used) == len(set(used))
    times = which[which != NONE].bincount(minlength=8)
    assert times.tolist() == pytest.approx([150] * 8, abs=45)


def test_there_are_never_more_links_than_transformations():
    chains = Chains(named(["tone", "noise"]), links=5)
    assert chains.draw(50, draw()).which.shape == (50, 2)


@pytest.mark.parametrize("strength", [1.0, 0.4, 0.0])
def test_strength_is_the_share_of_each_range_that_is_drawn_from(strength):
    chains = Chains([added("two-sided", -2.0, 1.0), added("one-sided", 0.0, 3.0, 2)], strength=strength)
    links = chains.draw(400, draw())
    u, two, one = links.u, links.which == 0, links.which == 1
    assert u[two][:, 0].min() == pytest.approx(-strength, abs=0.02)
    assert u[two][:, 0].max() == pytest.approx(strength, abs=0.02)
    assert u[one].min() >= 0
    assert u[one].max() == pytest.approx(strength, abs=0.02)
    assert not u[two][:, 1].any(), "a parameter that it doesn't have"
    assert not u[links.which == NONE].any()


def test_u_is_a_share_of_the_side_of_the_range_it_is_on():
    chains = Chains([added("skew", -2.0, 1.0)])
    for u, w in ((-1.0, -2.0), (-0.5, -1.0), (0.0, 0.0), (0.5, 0.5), (1.0, 1.0)):
        made = chains.images(torch.zeros(1, 1, 2, 2), Links(torch.tensor([[0]]), torch.tensor([[[u]]])))
        assert made.flatten().tolist() == [w] * 4


def test_what_is_drawn_is_what_the_transformation_draws():
    chains = Chains([added("skew", -2.0, 1.0)])
    links = chains.draw(2000, draw())
    w = chains.images(torch.zeros(2000, 1, 1, 1), links).flatten()
    assert (w < 0).float().mean() == pytest.approx(2 / 3, abs=0.04), "uniform over the range, not over u"


def test_from_the_identity_nothing_is_changed_yet(chains, images):
    links = chains.draw(30, draw(), start="identity")
    assert not links.u.any()
    assert torch.equal(links.which, chains.draw(30, draw()).which)
    torch.testing.assert_close(chains.images(images, links), images, rtol=0, atol=1e-5)


def test_the_same_generator_gives_the_same_chains(chains):
    one, other = (chains.draw(9, draw(4)) for _ in range(2))
    assert torch.equal(one.which, other.which)
    assert torch.equal(one.u, other.u)


def one_by_one(chains, x, links, act):
    """Each sample by itself, each link in its turn."""
    made = []
    for i in range(len(x)):
        sample = x[i : i + 1]
        for number, u in zip(links.which[i].tolist(), links.u[i], strict=True):
            if number == NONE:
                continue
            transform = chains.transforms[number]
            least, greatest = transform.bounds
            u = u[: transform.parameters]
            sample = act(transform, sample, torch.where(u < 0, -u * least, u * greatest)[None])
        made.append(sample)
    return torch.cat(made)


def test_images_are_those_of_a_slow_loop(chains, images):
    links = chains.draw(30, draw(2))
    expected = one_by_one(chains, images, links, lambda transform, x, w: transform(x, w))
    torch.testing.assert_close(chains.images(images, links), expected, rtol=0, atol=1e-5)
    assert (expected - images).abs().amax((1, 2, 3)).min() > 1e-3


def test_masks_are_those_of_a_slow_loop(chains):
    y = torch.randint(4, (30, 8, 11), generator=draw(3), dtype=torch.uint8)
    links = chains.draw(30, draw(2))
    expected = one_by_one(chains, y, links, lambda transform, y, w: transform.move_masks(y, w))
    assert torch.equal(chains.masks(y, links), expected)
    assert not torch.equal(expected, y)


def test_gradients_go_to_each_samples_own_u_and_image(images):
    chains = Chains([added("a", -1.0, 1.0), added("b", 0.0, 2.0), added("drawn", 0.0, 1.0, ascended=False)])
    links = chains.draw(30, draw(5))
    x, u = images.clone().requires_grad_(), links.u.clone().requires_grad_()
    weights = torch.arange(30.0)
    made = chains.images(x, Links(links.which, u))
    to_x, to_u = torch.autograd.grad((weights * made.flatten(1).sum(1)).sum(), [x, u])
    pixels = images[0].numel()
    assert torch.equal(to_x, weights.view(-1, 1, 1, 1).expand_as(x))
    slope = torch.tensor([1.0, 2.0, 0.0, 0.0])[links.which] * pixels * weights[:, None]
    torch.testing.assert_close(to_u[..., 0], slope)


def test_a_step_moves_what_is_ascended_and_keeps_it_in_its_range():
    chains = Chains(
        [added("both", -2.0, 1.0), added("above", 0.0, 3.0), added("below", -1.0, 0.0), added("drawn", -1.0, 1.0,
                                                                                             ascended=False)],
        strength=0.8,
    )  # fmt: skip
    which = torch.tensor([[0, NONE], [0, 1], [1, 2], [2, 3], [3, 0]])
    u = torch.tensor([[0.1, 0.0], [-0.7, 0.1], [0.7, -0.7], [-0.1, 0.3], [0.3, 0.0]])[..., None]
    up = chains.step(Links(which, u), torch.ones_like(u), 0.2).u[..., 0]
    assert up.tolist() == [pytest.approx(row) for row in
                           ([0.3, 0.0], [-0.5, 0.3], [0.8, -0.5], [0.0, 0.3], [0.3, 0.2])]  # fmt: skip
    down = chains.step(Links(which, u), -torch.ones_like(u), 0.2).u[..., 0]
    assert down.tolist() == [pytest.approx(row) for row in
                             ([-0.1, 0.0], [-0.8, 0.0], [0.5, -0.8], [-0.3, 0.3], [0.3, -0.2])]  # fmt: skip


def test_many_steps_never_leave_the_range(chains):
    links = chains.draw(60, draw(6))
    for seed in range(12):
        direction = torch.randn(links.u.shape, generator=draw(seed)).sign()
        links = chains.step(links, direction, 0.3)
        assert links.u.abs().max() <= 1
    names = [each.name for each in chains.transforms]
    inversion = links.u[links.which == names.index("colour")][:, 12]
    assert inversion.min() >= 0


def test_rows_are_taken_together():
    links = Chains(named("standard")).draw(7, draw())
    some = links[torch.tensor([4, 1])]
    assert len(some) == 2
    assert torch.equal(some.which, links.which[[4, 1]])
    assert torch.equal(some.u, links.u[[4, 1]])


def test_no_images_are_no_images(chains, images):
    none = chains.draw(0, draw())
    assert chains.images(images[:0], none).shape == (0, 3, 8, 11)


@pytest.mark.parametrize(("names", "move"), [("standard", True), ("photometric", False), ("cutout", False)])
def test_chains_know_whether_they_move_pixels(names, move):
    assert Chains(named(names)).move == move
