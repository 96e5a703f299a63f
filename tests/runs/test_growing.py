"""The pool for a training loop of one's own."""

from dataclasses import replace

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import unseen
from unseen.errors import InputError

ADA = unseen.ADA(K=2, T_min=2, T_max=2, T=6, n=10, batch=4, alpha=0.0)  # alpha=0: a network that stays as it is
ENGINE = unseen.Engine("cpu", "float32", threads=1)


class Counted(TensorDataset):
    """Counts how often it was read."""

    reads = 0

    def __getitem__(self, i):
        self.reads += 1
        return super().__getitem__(i)


@pytest.mark.parametrize(
    "settings",
    [{}, {"sampling": "chain"}, {"sampling": "source", "keep": 1}, {"over": "photometric"}],
    ids=["union", "chain", "the last round of the source's", "transformations"],
)
def test_its_rounds_are_those_that_fit_makes_to_the_bit(make_net, digits, settings):
    ada = replace(ADA, **settings)
    run = unseen.fit(make_net(), digits, ada, seed=5, engine=ENGINE, warn=lambda _: None)
    pool = unseen.GrowingPool(digits, ada, seed=5)
    for _ in range(ada.K):
        pool.grow(make_net(), engine=ENGINE)
    assert len(pool) == len(run.pool)
    images, labels = run.pool.take(torch.arange(len(pool)))
    assert torch.equal(torch.stack([image for image, _ in pool]), images)
    assert torch.equal(torch.stack([label for _, label in pool]), labels)


def test_a_loader_made_before_a_round_gives_its_images_after_it(make_net, digits):
    pool = unseen.GrowingPool(digits, ADA)
    loader = DataLoader(pool, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(0))
    assert sum(len(y) for _, y in loader) == 24
    made = pool.grow(make_net())
    assert len(made.images) == 10
    assert sum(len(y) for _, y in loader) == 34


def test_the_network_is_left_as_it_was(make_net, digits):
    net = make_net("normalized").train()
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    unseen.GrowingPool(digits, ADA).grow(net)
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())
    assert net.training
    assert all(p.grad is None and p.requires_grad for p in net.parameters())


def test_a_data_set_is_read_as_it_is_needed(make_net, digits):
    source = Counted(*digits)
    pool = unseen.GrowingPool(source, replace(ADA, n=3, sampling="source"))
    assert source.reads <= 1
    pool.grow(make_net())
    assert source.reads <= 6


def test_it_continues_from_its_state_to_the_same_images(make_net, digits):
    whole, half = (unseen.GrowingPool(digits, ADA, seed=1) for _ in range(2))
    for pool in (whole, half):
        pool.grow(make_net(seed=1))
    again = unseen.GrowingPool(digits, ADA, seed=9)
    again.load_state_dict(half.state_dict())
    assert (again.rounds, len(again)) == (1, 34)
    for pool in (whole, again):
        pool.grow(make_net(seed=2))
    assert all(torch.equal(a[0], b[0]) for a, b in zip(whole, again, strict=True))
    with pytest.raises(InputError, match=r"rounds of 10, 10 images, expected 3: it is of another pool"):
        unseen.GrowingPool(digits, replace(ADA, n=3)).load_state_dict(again.state_dict())


def test_masks_that_move_with_their_pixels_are_the_labels(make_net):
    net = torch.nn.utils.skip_init(torch.nn.Conv2d, 3, 2, 1).requires_grad_(True)
    torch.nn.init.constant_(net.weight, 0.1)
    torch.nn.init.zeros_(net.bias)
    draw = torch.Generator().manual_seed(0)
    images, masks = torch.rand(4, 3, 8, 8, generator=draw), torch.randint(2, (4, 8, 8), generator=draw).byte()
    pool = unseen.GrowingPool((images, masks), unseen.ADA(over="affine", n=4, T_max=1))
    made = pool.grow(torch.nn.Sequential(net))
    assert made.labels is not None
    assert torch.equal(pool[5][1], made.labels[1])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (TensorDataset(torch.full((2, 3, 8, 8), 2.0), torch.zeros(2)), r"values from 2 to 2, expected \[0, 1\]"),
        (
            TensorDataset(torch.zeros(2, 3, 8, 8, dtype=torch.uint8), torch.zeros(2)),
            r"is torch.uint8, expected a float",
        ),
        ([], "the data set is empty"),
        (7, "expected a Domain, a pair of tensors"),
    ],
    ids=["normalized images", "bytes", "nothing", "a number"],
)
def test_a_source_that_cannot_be_used_is_refused(source, said):
    with pytest.raises(InputError, match=said):
        unseen.GrowingPool(source, ADA)
