import math

import pytest
import torch
from torch import nn

from unseen.errors import InputError
from unseen.models import ConvNet
from unseen.models.split import split


@pytest.fixture(scope="module")
def net():
    return ConvNet(seed=1)


@pytest.fixture(scope="module")
def images():
    return torch.rand(3, 3, 32, 32, generator=torch.Generator().manual_seed(0))


def test_it_has_the_parameters_of_the_papers_net(net):
    shapes = [tuple(p.shape) for p in net.parameters() if p.ndim > 1]
    assert shapes == [(64, 3, 5, 5), (128, 64, 5, 5), (1024, 3200), (1024, 1024), (10, 1024)]
    assert sum(p.numel() for p in net.parameters()) == 4_547_466


def test_it_is_the_papers_function(net, images):
    conv1, conv2, fc1, fc2 = (m for m in net.body if isinstance(m, nn.Conv2d | nn.Linear))
    with torch.no_grad():
        x = nn.functional.max_pool2d(torch.relu(conv1(images)), 2)
        x = nn.functional.max_pool2d(torch.relu(conv2(x)), 2)
        z = torch.relu(fc2(torch.relu(fc1(x.flatten(1)))))
        torch.testing.assert_close(net(images), net.head(z))
        torch.testing.assert_close(split(net).features(images), z)


def test_its_features_are_the_second_hidden_layer_after_the_relu(net, images):
    with torch.no_grad():
        z = split(net).features(images)
    assert split(net).head_name == "head"
    assert z.shape == (3, 1024)
    assert (z >= 0).all()
    assert (z == 0).any()
    assert (z > 0).any()


def test_its_biases_start_at_zero(net):
    biases = [p for p in net.parameters() if p.ndim == 1]
    assert len(biases) == 5
    assert all((bias == 0).all() for bias in biases)


def test_its_weights_are_xavier_uniform(net):
    for weight in (p.detach() for p in net.parameters() if p.ndim > 1):
        field = weight[0, 0].numel()
        bound = math.sqrt(6 / (weight.shape[0] * field + weight.shape[1] * field))
        assert weight.abs().max() <= bound
        assert weight.abs().max() > 0.99 * bound
        assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.03)
        assert abs(weight.mean().item()) < 4 * bound / math.sqrt(3 * weight.numel())


def test_one_seed_gives_one_set_of_bits(net):
    again, other = ConvNet(seed=1), ConvNet(seed=2)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), again.parameters(), strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True) if a.ndim > 1)


def test_building_it_leaves_torchs_generator_alone():
    before = torch.get_rng_state()
    ConvNet(seed=3, dropout=0.5)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_weights_do_not_depend_on_dropout(net):
    dropping = ConvNet(seed=1, dropout=0.5)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), dropping.parameters(), strict=True))


def test_dropout_drops_in_training_only(images):
    net = ConvNet(dropout=0.5)
    assert [m.p for m in net.modules() if isinstance(m, nn.Dropout)] == [0.5, 0.5]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        assert not torch.equal(net.train()(images), net(images))
        assert torch.equal(net.eval()(images), net(images))


def test_classes_are_the_callers_choice(images):
    assert ConvNet(classes=7)(images).shape == (3, 7)


@pytest.mark.parametrize("dropout", [-0.1, 1.0, 2])
def test_a_dropout_that_is_no_chance_is_refused(dropout):
    with pytest.raises(InputError, match=f"dropout={dropout}: expected 0 or more and below 1"):
        ConvNet(dropout=dropout)
