"""What ``unseen.theory`` promises besides the mathematics: gradients, precision, small and odd input."""

import math

import pytest
import torch
from torch import nn
from torch.func import functional_call

import unseen
from unseen.base.randomness import generator
from unseen.method.cost import transport_cost
from unseen.theory import certificate, constants, newton_point, regularizer, surrogate, theorem1_bound, theorem2_bracket

from .cases import linear, random_case, trained
from .gradient import SmoothNet


@pytest.fixture(scope="module")
def case():
    return random_case("4 classes, 3 features", 4, 3)


class Applied(nn.Module):
    """A function of the theory as a module, so that the net's parameters can be replaced."""

    def __init__(self, net, function):
        super().__init__()
        self.net, self.function = net, function

    def forward(self, x):
        return self.function(self.net, x)


def gradcheck(net, x, function):
    """Autograd against finite differences, for every parameter and for the images."""
    module = Applied(unseen.split(net), function)
    names, values = zip(*module.named_parameters(), strict=True)

    def call(x, *values):
        return functional_call(module, dict(zip(names, values, strict=True)), (x,))

    inputs = [tensor.detach().clone().requires_grad_() for tensor in (x, *values)]
    return torch.autograd.gradcheck(call, inputs, eps=1e-5, atol=1e-7, rtol=1e-5)


@pytest.mark.parametrize("times", [0.4, 1.5, 20.0], ids=["below L1", "just above", "far above"])
def test_the_surrogates_gradient_is_that_of_finite_differences(case, times):
    x, y, gamma = case.z0[:3], case.y[:3], times * case.constants.L1
    assert gradcheck(case.net.model, x, lambda net, x: surrogate(net, x, y, gamma, tolerance=1e-13).value)


def test_it_reaches_the_whole_network():
    net, y = SmoothNet(), torch.tensor([0, 2])
    x = torch.rand(2, 1, 2, 3, generator=generator(0, "images"), dtype=torch.float64)
    gamma = 1.5 * constants(net).L1
    assert gradcheck(net, x, lambda net, x: surrogate(net, x, y, gamma, tolerance=1e-13).value)


@pytest.mark.parametrize("function", [newton_point, regularizer])
def test_newton_point_and_regularizer_are_differentiable(case, function):
    x, y = case.z0[:3], case.y[:3]
    options = (2 * case.constants.L1,) if function is newton_point else ()
    assert gradcheck(case.net.model, x, lambda net, x: function(net, x, y, *options))


def test_no_gradient_is_left_behind(case):
    net, x = linear(case.weight).requires_grad_(), case.z0.clone().requires_grad_()
    found = surrogate(net, x, case.y, 2.0)
    assert found.value.requires_grad
    assert not any(tensor.requires_grad for tensor in (found.upper, found.maximizer, found.gradient, found.gap))
    assert x.grad is None
    assert all(parameter.grad is None for parameter in net.parameters())


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("times", [1.0001, 2.0, 1e4])
def test_above_L1_the_gradient_is_within_the_tolerance(case, times, tolerance):
    found = surrogate(case.net, case.z0, case.y, times * case.constants.L1, tolerance=tolerance)
    assert found.concave
    assert float(found.gradient.max()) <= tolerance * case.constants.L0


@pytest.mark.parametrize(("bias", "row"), [(1e6, 0.0), (0.0, 1e3), (-1e4, -30.0)])
def test_what_all_classes_share_costs_no_digits(case, bias, row):
    """The softmax doesn't see it, but it once kept the line search from getting anywhere."""
    net = linear(case.weight + row, torch.full((4,), bias, dtype=torch.float64))
    found = surrogate(net, case.z0, case.y, 1.001 * case.constants.L1)
    expected = surrogate(linear(case.weight), case.z0, case.y, 1.001 * case.constants.L1)
    assert float(found.gradient.max()) <= 1e-9 * case.constants.L0
    torch.testing.assert_close(found.value, expected.value, rtol=1e-8, atol=1e-8)


def test_each_sample_is_by_itself(case):
    gamma = 1.2 * case.constants.L1
    together = surrogate(case.net, case.z0, case.y, gamma)
    alone = [surrogate(case.net, case.z0[i : i + 1], case.y[i : i + 1], gamma) for i in range(4)]
    torch.testing.assert_close(torch.cat([a.maximizer for a in alone]), together.maximizer[:4], rtol=1e-7, atol=1e-8)
    torch.testing.assert_close(torch.cat([a.value for a in alone]), together.value[:4], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("times", [1e-3, 0.5, 1.0, 1.001, 3.0, 1e3])
def test_float32_is_float64_rounded(times):
    net, x, y = trained().net, trained().heldout.images[:20], trained().heldout.labels[:20]
    gamma = times * constants(net).L1
    single, double = (surrogate(net, x, y, gamma, dtype=dtype) for dtype in (None, torch.float64))
    assert single.value.dtype == single.upper.dtype == single.maximizer.dtype == torch.float32
    assert double.value.dtype == double.upper.dtype == double.maximizer.dtype == torch.float64
    assert single.concave == double.concave == (times > 1)
    for found in (single, double):
        assert (found.upper >= found.value).all()
        assert (found.gap >= 0).all()
    torch.testing.assert_close(single.value.double(), double.value, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(single.upper.double(), double.upper, rtol=1e-5, atol=1e-5)


def test_newton_point_and_regularizer_in_float32():
    net, x, y = trained().net, trained().heldout.images[:20], trained().heldout.labels[:20]
    gamma = 2 * constants(net).L1
    for made in (lambda d: newton_point(net, x, y, gamma, dtype=d), lambda d: regularizer(net, x, y, dtype=d)):
        single, double = made(None), made(torch.float64)
        assert (single.dtype, double.dtype) == (torch.float32, torch.float64)
        torch.testing.assert_close(single.double(), double, rtol=1e-4, atol=1e-5)


def test_the_net_is_evaluated_and_left_in_its_mode(make_net, digits):
    net, (x, y) = make_net("normalized").train(), digits
    before = {name: buffer.clone() for name, buffer in net.named_buffers()}
    trained_mode = surrogate(net, x, y, 1.0).value
    assert all(module.training for module in net.modules())
    assert all(torch.equal(buffer, before[name]) for name, buffer in net.named_buffers())
    assert torch.equal(trained_mode, surrogate(net.eval(), x, y, 1.0).value)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("times", [0.5, 2.0])
def test_few_samples_and_none(case, n, times):
    x, y, gamma = case.z0[:n], case.y[:n], times * case.constants.L1
    found = surrogate(case.net, x, y, gamma)
    assert found.value.shape == found.upper.shape == found.gradient.shape == (n,)
    assert found.maximizer.shape == (n, 3)
    assert regularizer(case.net, x, y).shape == theorem2_bracket(case.net, x, y, gamma).proved.upper.shape == (n,)
    assert newton_point(case.net, x, y, 2 * case.constants.L1).shape == (n, 3)


def test_a_head_of_equal_rows_has_nothing_to_gain(case):
    """As a zero-initialised head has: the loss is log m everywhere."""
    net = linear(torch.ones(4, 3, dtype=torch.float64))
    known, (x, y) = constants(net), (case.z0, case.y)
    assert (known.L0, known.L1, known.L2) == (0, 0, 0)
    found = surrogate(net, x, y, 0.1)
    torch.testing.assert_close(found.value, torch.full_like(found.value, math.log(4)))
    assert torch.equal(found.maximizer, x)
    assert found.concave
    assert torch.equal(newton_point(net, x, y, 0.1), x)
    assert regularizer(net, x, y).max() == 0
    assert theorem1_bound(net, 0.1).proved == theorem1_bound(net, 0.1).stated == 0
    torch.testing.assert_close(theorem2_bracket(net, x, y, 0.1).proved.upper, torch.zeros_like(found.value))


def test_a_zero_initialised_head_is_certified(make_net, digits):
    net = make_net()
    nn.init.zeros_(net[-1].weight)
    nn.init.zeros_(net[-1].bias)
    curve = certificate(net, unseen.Domain("bars", *digits, classes=("0", "1", "2", "3")), [0.1, 1.0])
    assert curve.attained == pytest.approx([math.log(4)] * 2)
    assert curve.bound == pytest.approx([math.log(4)] * 2, rel=1e-3)


def test_a_certificate_takes_one_radius_or_many_in_any_order(make_net, digits):
    net, domain = make_net(), unseen.Domain("bars", *digits, classes=("0", "1", "2", "3"))
    many = certificate(net, domain, [0.5, 0.01])
    assert many.rho == (0.5, 0.01)
    assert many.bound[0] > many.bound[1] > many.loss
    assert many.loss == pytest.approx(nn.functional.cross_entropy(net(domain.images), domain.labels).item(), rel=1e-5)
    assert certificate(net, domain, 0.01).bound == many.bound[1:]
    assert certificate(net, domain, torch.tensor([0.5, 0.01], dtype=torch.float64)).bound == many.bound


@pytest.mark.parametrize("after", [nn.LogSoftmax(dim=1), nn.Identity()], ids=["LogSoftmax", "Identity"])
def test_what_shifts_all_scores_alike_may_follow_the_head(case, after):
    plain, shifted = (linear(case.weight, after=a) for a in (None, after))
    gamma = 2 * case.constants.L1
    values = [surrogate(net, case.z0, case.y, gamma).value for net in (plain, shifted)]
    torch.testing.assert_close(*values, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("scale", "features", "expected"), [("released", 64, 2 * 3.0 / 64), ("paper", 64, 3.0), ("released", 2, 3.0)]
)
def test_a_runs_gamma_in_the_papers_units(scale, features, expected):
    ada = unseen.ADA(gamma=3.0, scale=scale)
    assert unseen.theory.paper_gamma(ada, features) == pytest.approx(expected)
    z = torch.rand(5, features, generator=generator(0, "z"), dtype=torch.float64)
    cost = transport_cost(ada, z, torch.zeros_like(z), z, z)
    torch.testing.assert_close(ada.gamma * cost, expected / 2 * z.square().sum(1))
