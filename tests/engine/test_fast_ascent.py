"""The ascent's fast arithmetic beside torch's own: convolutions over few channels, and weights in bf16."""

from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from unseen.engine import Engine, ascent_batch
from unseen.engine.fast_ascent import FewChannels, bf16_weights
from unseen.method.ascent import ascend
from unseen.method.settings import ADA
from unseen.models import ConvNet
from unseen.models.split import split
from unseen.runs.rounds import measure_ascent

KERNELS = {(k, p) for k in (2, 3, 5, 7) for p in range(k)}
BF16 = Engine("cpu", "bf16", threads=1)
FLOAT32 = Engine("cpu", "float32", threads=1)


@contextmanager
def bf16():
    with torch.autocast("cpu", torch.bfloat16):
        yield


def rand(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def conv(channels, side, *, out=6, bias=True, dtype=torch.float32, **options):
    """A frozen convolution with weights of its own."""
    layer = nn.utils.skip_init(nn.Conv2d, channels, out, side, bias=bias, dtype=dtype, **options)
    layer.weight.data = rand(*layer.weight.shape, seed=1, dtype=dtype)
    if bias:
        layer.bias.data = rand(out, seed=2, dtype=dtype)
    return layer.requires_grad_(False)


def both(call, x, precision=nullcontext, fast=FewChannels):
    """Scores and the images' gradient of ``call``: torch's own, and inside ``FewChannels``."""
    answers = []
    for mode in (nullcontext, fast):
        x = x.detach().requires_grad_()
        with precision(), mode():
            out = call(x)
            (gradient,) = torch.autograd.grad((out.float() * rand(*out.shape, seed=3)).sum(), x)
        answers.append((out.detach(), gradient, in_blocks(out)))
    return answers


def in_blocks(out):
    return type(out.grad_fn).__name__ == "_BlockConvBackward"


def assert_same(call, x, precision=nullcontext, *, blocks=True):
    """What comes out is torch's to the bit, the gradient exact to the precision; ``blocks`` says who made it.

    In bf16 exact is torch's gradient in float32: its own in bf16 is off by 2 % on CPUs that only emulate bf16.
    """
    (out, gradient, _), (ours, our_gradient, used) = both(call, x, precision)
    if out.dtype == torch.bfloat16:
        gradient = both(call, x)[0][1]
    assert used == blocks
    assert torch.equal(ours, out)
    assert ours.dtype == out.dtype
    assert our_gradient.dtype == gradient.dtype == x.dtype
    off = (our_gradient - gradient).abs().max() / gradient.abs().max()
    assert off < (1e-2 if out.dtype == torch.bfloat16 else 1e-5)


class TestFewChannels:
    @pytest.mark.parametrize("precision", [nullcontext, bf16], ids=["float32", "bf16"])
    @pytest.mark.parametrize("channels", [1, 2, 3, 4])
    @pytest.mark.parametrize(("side", "padding"), sorted(KERNELS))
    def test_the_gradient_is_torchs_own(self, side, padding, channels, precision):
        for bias in (True, False):
            assert_same(conv(channels, side, padding=padding, bias=bias), rand(2, channels, 8, 10), precision)

    @pytest.mark.parametrize("size", [(8, 8), (6, 12), (32, 32), (2, 8), (10, 2)], ids=str)
    @pytest.mark.parametrize("layout", [torch.channels_last, torch.contiguous_format], ids=str)
    @pytest.mark.parametrize("of_weights", [torch.channels_last, torch.contiguous_format], ids=str)
    def test_it_is_in_any_even_size_and_in_any_layout(self, size, layout, of_weights):
        layer = conv(3, 5, padding=2).to(memory_format=of_weights)
        assert_same(layer, rand(3, 3, *size).contiguous(memory_format=layout))

    @pytest.mark.parametrize("size", [(7, 8), (8, 9), (5, 5)], ids=str)
    def test_images_with_an_odd_side_are_left_to_torch(self, size):
        assert_same(conv(3, 3, padding=1), rand(2, 3, *size), blocks=False)

    @pytest.mark.parametrize(
        "options",
        [
            {"stride": 2},
            {"stride": (1, 2)},
            {"dilation": 2, "padding": 2},
            {"groups": 3},
            {"padding": "same"},
            {"padding": "valid"},
            {"padding": (1, 0)},
            {"padding": 5},
        ],
        ids=str,
    )
    def test_other_convolutions_are_left_to_torch(self, options):
        assert_same(conv(3, 5, **options), rand(2, 3, 8, 8), blocks=False)

    @pytest.mark.parametrize("side", [1, (3, 5)], ids=str)
    def test_kernels_of_one_pixel_and_oblong_ones_are_left_to_torch(self, side):
        assert_same(conv(3, side), rand(2, 3, 8, 8), blocks=False)

    @pytest.mark.parametrize("mode", ["reflect", "circular", "replicate"])
    def test_another_padding_mode_pads_first(self, mode):
        assert_same(conv(3, 3, padding=1, padding_mode=mode), rand(2, 3, 8, 8))

    def test_more_channels_are_left_to_torch(self):
        assert_same(conv(5, 3), rand(2, 5, 8, 8), blocks=False)

    def test_one_image_without_a_batch_is_left_to_torch(self):
        assert_same(conv(3, 3), rand(3, 4, 8), blocks=False)

    def test_float64_is_left_to_torch(self):
        assert_same(conv(3, 3, dtype=torch.float64), rand(2, 3, 8, 8, dtype=torch.float64), blocks=False)

    @pytest.mark.parametrize(
        "call",
        [
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, (1, 1), (1, 1), (1, 1), 1), id="as nn.Conv2d calls it"),
            pytest.param(lambda x, w, b: torch.conv2d(x, w, b, (1, 1), (0, 0), (1, 1), 1), id="torch.conv2d"),
        ],
    )
    def test_a_function_call_is_taken_as_a_layers(self, call):
        layer = conv(3, 3)
        assert_same(lambda x: call(x, layer.weight, layer.bias), rand(2, 3, 8, 8))

    @pytest.mark.parametrize(
        "call",
        [
            pytest.param(lambda x, w, b: F.conv2d(x, w), id="no bias"),
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, 1, 1, 1, 1), id="numbers"),
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, (1, 1), [1, 1], (1, 1), 1), id="a list"),
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, [1, 1], [1, 1], [1, 1], 1), id="lists"),
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, padding=1), id="a keyword"),
            pytest.param(lambda x, w, b: F.conv2d(input=x, weight=w, bias=b), id="keywords"),
            pytest.param(lambda x, w, b: F.conv2d(x, w, b, (1, 1), "same", (1, 1), 1), id="a word"),
        ],
    )
    def test_other_ways_to_call_it_are_left_to_torch(self, call):
        layer = conv(3, 3)
        assert_same(lambda x: call(x, layer.weight, layer.bias), rand(2, 3, 8, 8), blocks=False)

    @pytest.mark.parametrize("trained", ["weight", "bias"])
    def test_a_layer_in_training_is_left_to_torch(self, trained):
        layer = conv(3, 3)
        getattr(layer, trained).requires_grad_()
        x = rand(2, 3, 8, 8).requires_grad_()
        with FewChannels():
            out = layer(x)
        assert not in_blocks(out)
        out.sum().backward()
        assert getattr(layer, trained).grad is not None

    def test_images_that_need_no_gradient_are_left_to_torch(self, monkeypatch):
        monkeypatch.setattr("unseen.engine.fast_ascent._BlockConv", None)
        x, layer = rand(2, 3, 8, 8), conv(3, 3)
        with FewChannels():
            out = layer(x)
        assert out.grad_fn is None
        assert torch.equal(out, layer(x))

    def test_the_gradient_may_be_taken_outside_of_autocast(self):
        x, gradients = rand(2, 3, 8, 8).requires_grad_(), []
        for mode in (nullcontext, FewChannels):
            with bf16(), mode():
                out = conv(3, 3)(x)
            gradients += torch.autograd.grad(out.float().square().sum(), x)
        assert in_blocks(out)
        assert gradients[1].dtype == torch.float32
        assert (gradients[1] - gradients[0]).abs().max() < 1e-2 * gradients[0].abs().max()

    def test_other_functions_are_torchs(self):
        x = rand(2, 3, 8, 8)
        with FewChannels():
            assert torch.equal(F.pad(x, (1, 1), value=2.0), F.pad(x, (1, 1), value=2.0))
            assert torch.equal(torch.flip(x, dims=(2,)).flip(2), x)

    def test_afterwards_torch_is_torch(self):
        with pytest.raises(KeyError), FewChannels():
            raise KeyError
        assert not in_blocks(conv(3, 3)(rand(2, 3, 8, 8).requires_grad_()))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.again, self.head = nn.Linear(192, 192), nn.Linear(192, 192), nn.Linear(192, 4)
        self.again.weight = self.first.weight

    def forward(self, x):
        return self.head(self.again(self.first(x.flatten(1)).relu()).relu())


class Louder(nn.Conv2d):
    """A layer that does more with its weights than autocast knows of."""

    def forward(self, x):
        assert self.weight.dtype == torch.float32
        return super().forward(x) * self.weight.abs().sum()


def make_tied():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Tied()


def with_louder(net):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net[0] = Louder(3, 6, 3)
    return net


def with_norm_of_weights(net):
    with torch.random.fork_rng(devices=[]):
        net[4] = torch.nn.utils.spectral_norm(net[4])
    return net


@pytest.fixture(params=["plain", "normalized", "user", "tied", "subclass", "spectral norm"])
def any_net(request, make_net):
    made = {
        "tied": make_tied,
        "subclass": lambda: with_louder(make_net("plain")),
        "spectral norm": lambda: with_norm_of_weights(make_net("plain")),
    }
    return made.get(request.param, lambda: make_net(request.param))().eval().requires_grad_(False)


class TestBf16Weights:
    def test_what_comes_out_is_autocasts_to_the_bit(self, any_net, digits):
        x = digits[0]
        (out, gradient, _), (ours, our_gradient, _) = both(any_net, x, bf16, fast=lambda: bf16_weights(any_net))
        assert ours.dtype == torch.bfloat16
        assert torch.equal(ours, out)
        assert torch.equal(our_gradient, gradient)

    def test_inside_linear_layers_and_convolutions_hold_bf16(self, make_net):
        net = make_net("normalized")
        with bf16_weights(net):
            held = {name: p.dtype for name, p in net.named_parameters()}
        assert {n for n, dtype in held.items() if dtype == torch.bfloat16} == {
            f"{layer}.{name}" for layer in (0, 5, 9) for name in ("weight", "bias")
        }

    @pytest.mark.parametrize("raises", [False, True], ids=["returns", "raises"])
    def test_afterwards_the_very_same_parameters_are_back(self, any_net, raises):
        before = dict(any_net.named_parameters(remove_duplicate=False))
        with pytest.raises(KeyError) if raises else nullcontext(), bf16_weights(any_net):
            assert any(p is not before[name] for name, p in any_net.named_parameters())
            if raises:
                raise KeyError
        after = dict(any_net.named_parameters(remove_duplicate=False))
        assert list(after) == list(before)
        assert all(after[name] is before[name] for name in before)

    def test_a_layer_of_another_class_is_left_alone(self, make_net):
        net = with_louder(make_net("plain"))
        with bf16_weights(net):
            assert net[0].weight.dtype == net[0].bias.dtype == torch.float32
            assert net[4].weight.dtype == torch.bfloat16

    def test_a_layer_without_bias_still_has_none(self):
        layer = conv(3, 3, bias=False)
        with bf16_weights(layer):
            assert layer.bias is None
        assert layer.bias is None


SETTINGS = ADA(gamma=1.0, eta=10.0, T_max=8, batch=16)


@pytest.fixture(scope="module")
def trained():
    """A quarter of the paper's network and what it was trained on for a little while."""
    net, draws = ConvNet(4, width=0.25, seed=0), torch.Generator().manual_seed(0)
    y = torch.arange(130) % 4
    x = 0.6 * torch.rand(130, 3, 32, 32, generator=draws)
    for label in range(4):
        x[y == label, :, 4:28, 3 + 8 * label] += 0.35
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for rows in torch.randint(130, (12, 16), generator=draws):
        optimizer.zero_grad()
        F.cross_entropy(net(x[rows]), y[rows]).backward()
        optimizer.step()
    optimizer.zero_grad()
    assert (net(x).argmax(1) == y).float().mean() > 0.5
    FLOAT32.place(net)
    return net.eval(), x, y


def moves(after, before):
    return (after - before).flatten(1)


class TestAscentInBf16:
    def test_every_image_goes_nearly_where_it_goes_in_float32(self, trained):
        net, x, y = trained
        ours, exact = (moves(ascend(net, x[:40], y[:40], SETTINGS, engine=e), x[:40]) for e in (BF16, FLOAT32))
        assert not torch.equal(ours, exact), "bf16 was not used"
        assert exact.norm(dim=1).min() > 1e-2
        assert F.cosine_similarity(ours, exact).min() > 0.9
        torch.testing.assert_close(ours.norm(dim=1), exact.norm(dim=1), rtol=0.1, atol=0)

    @pytest.mark.parametrize("cost", ["semantic", "pixel"])
    def test_images_losses_and_costs_are_float32(self, trained, cost):
        net, x, y = trained
        ada = ADA(gamma=1.0, eta=10.0, T_max=2, batch=16, cost=cost)
        after = ascend(net, x[:4], y[:4], ada, engine=BF16)
        measured, exact = (measure_ascent(split(net), x[:4], after, y[:4], ada, e) for e in (BF16, FLOAT32))
        assert after.dtype == measured.dtype == torch.float32
        assert (measured != measured.bfloat16().float()).any(0).all(), "one of the four was rounded to bf16"
        torch.testing.assert_close(measured, exact, rtol=0.1, atol=1e-3)

    def test_labels_and_the_model_are_afterwards_what_they_were(self, trained):
        net, x, y = trained
        before = {name: (p, p.clone(), p.requires_grad) for name, p in net.named_parameters()}
        labels = y.clone()
        ascend(net, x[:4], y[:4], SETTINGS, engine=BF16)
        for name, p in net.named_parameters():
            was, value, flag = before[name]
            assert p is was
            assert torch.equal(p, value)
            assert p.requires_grad == flag
            assert p.grad is None
        assert torch.equal(y, labels)

    def test_without_an_engine_it_is_float32(self, trained, monkeypatch):
        monkeypatch.setattr("unseen.engine.cpu.bf16_unit", lambda: "amx_bf16")
        net, x, y = trained
        assert torch.equal(ascend(net, x[:4], y[:4], SETTINGS), ascend(net, x[:4], y[:4], SETTINGS, engine=FLOAT32))


@pytest.fixture(scope="module", params=[FLOAT32, BF16], ids=["float32", "bf16"])
def climbed(trained, request):
    """An engine, and where its images go in batches of the usual size."""
    net, x, y = trained
    return request.param, moves(ascend(net, x, y, SETTINGS, engine=request.param), x)


@pytest.mark.parametrize("batch", [1, 64, 100])
def test_where_an_image_goes_does_not_depend_on_the_ascents_batch(trained, climbed, monkeypatch, batch):
    """To float tolerance: a matrix product of another height may add in another order, and does for one row."""
    (net, x, y), (engine, expected) = trained, climbed
    count = 10 if batch == 1 else len(x)
    monkeypatch.setattr("unseen.engine.ASCENT_VALUES", batch * 3 * 32 * 32)
    monkeypatch.setattr("unseen.engine.LEAST_BATCH", 1)
    assert ascent_batch(x[0]) == batch
    ours = moves(ascend(net, x[:count], y[:count], SETTINGS, engine=engine), x[:count])
    expected = expected[:count]
    off = (ours - expected).norm(dim=1) / expected.norm(dim=1)
    assert off.max() < (1e-3 if engine is FLOAT32 else 0.1)


def test_the_ascent_is_made_in_blocks_and_comes_to_torchs_own(trained, monkeypatch):
    net, x, y = trained
    used = []
    plain = FewChannels.__torch_function__

    def watch(self, func, types, args=(), kwargs=None):
        out = plain(self, func, types, args, kwargs)
        used.append(isinstance(out, torch.Tensor) and in_blocks(out))
        return out

    one = replace(SETTINGS, T_max=1)
    monkeypatch.setattr(FewChannels, "__torch_function__", watch)
    x, y = x[:20], y[:20]
    for step in range(1, SETTINGS.T_max + 1):  # from the same images each, so that no ReLU goes the other way in one
        ours = ascend(net, x, y, one, engine=FLOAT32)
        assert sum(used) == step, "the first convolution of each step"
        with monkeypatch.context() as plainly:
            plainly.setattr("unseen.engine.FewChannels", nullcontext)
            torchs = ascend(net, x, y, one, engine=FLOAT32)
        assert sum(used) == step
        off = (moves(ours, x) - moves(torchs, x)).norm(dim=1) / moves(torchs, x).norm(dim=1)
        assert off.max() < 1e-3
        x = torchs
