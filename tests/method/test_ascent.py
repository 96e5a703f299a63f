"""The ascent beside its twin, against finite differences, and what it promises to leave alone."""

import copy
import dataclasses

import pytest
import torch
from reference import ascent as reference
from torch import nn

from unseen import Domain, fit
from unseen.engine import Engine, FewChannels, ascent_batch
from unseen.errors import Diverged, InputError
from unseen.method.ascent import ascend
from unseen.method.cost import softmax_loss, squared_distance, transport_cost
from unseen.method.settings import ADA
from unseen.models.split import split
from unseen.runs.rounds import AscentRecord, measure_ascent

BASE = ADA(gamma=2.0, eta=20.0, T_max=5, batch=6)
FLOAT32 = Engine("cpu", "float32")
SETTINGS = [
    pytest.param(dataclasses.replace(BASE, cost=cost, scale=scale, eta=eta, clip=clip), id=f"{cost}-{scale}-{clip=}")
    for cost in ("semantic", "pixel")
    for scale, eta in (("released", 20.0), ("paper", 0.5))
    for clip in (False, True)
]


def twin(net, x, y, ada):
    names = ("gamma", "eta", "T_max", "cost", "scale", "batch", "clip")
    return reference.ascend(net, lambda x: net[:-1](x), x, y, **{name: getattr(ada, name) for name in names})


def train_mode_net(make_net, dtype=torch.float32, kind="normalized"):
    return make_net(kind, dtype=dtype).train()


@pytest.mark.parametrize("ada", SETTINGS)
@pytest.mark.parametrize("kind", ["plain", "normalized"])
def test_every_step_is_that_of_the_twin(make_net, make_digits, kind, ada):
    net, (x, y) = train_mode_net(make_net, torch.float64, kind), make_digits(5, dtype=torch.float64)
    trajectories = twin(net, x, y, ada)
    for steps in range(1, ada.T_max + 1):
        ours = ascend(net, x, y, dataclasses.replace(ada, T_max=steps))
        expected = torch.stack([trajectory[steps] for trajectory in trajectories])
        torch.testing.assert_close(ours, expected, rtol=1e-10, atol=1e-12)
        assert squared_distance(ours, x).min() > 1e-6
    assert not ada.clip or (ours == 0).any() or (ours == 1).any(), "nothing was clipped"


@pytest.mark.parametrize("scale", ["released", "paper"])
@pytest.mark.parametrize("cost", ["semantic", "pixel"])
def test_a_step_goes_along_the_gradient_of_loss_minus_gamma_cost(make_net, make_digits, cost, scale):
    net, (x0, y) = make_net("normalized", dtype=torch.float64).eval(), make_digits(2, dtype=torch.float64)
    ada = dataclasses.replace(BASE, cost=cost, scale=scale, gamma=3.0, eta=1.0)
    after = [ascend(net, x0, y, dataclasses.replace(ada, T_max=steps)) for steps in (4, 5)]

    def objective(x):
        moved = net[:-1](x) - net[:-1](x0) if cost == "semantic" else x - x0
        squares = moved.flatten(1).square().sum(1)
        c = squares / 2 if scale == "paper" else squares / moved[0].numel()
        return nn.functional.cross_entropy(net(x), y, reduction="none") - ada.gamma * c

    step = ada.eta if scale == "paper" else ada.eta / ada.batch
    gradient = (after[1] - after[0]) / step
    h = 1e-5
    for place in [(0, 0, 0), (0, 3, 2), (1, 5, 7), (2, 7, 0), (2, 4, 4)]:
        e = torch.zeros_like(x0)
        e[:, *place] = h
        with torch.no_grad():
            slope = (objective(after[0] + e) - objective(after[0] - e)) / (2 * h)
        torch.testing.assert_close(gradient[:, *place], slope, rtol=1e-4, atol=1e-7)


PRECISIONS = [
    pytest.param(torch.float64, 1e-11, id="float64"),
    pytest.param(torch.float32, 2e-4, id="float32"),
]


@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
@pytest.mark.parametrize("size", [1, 7, 64, 65, 130])
def test_an_image_ascends_the_same_way_in_a_batch_of_any_size(make_net, make_digits, size, dtype, atol):
    net, (x, y) = train_mode_net(make_net, dtype), make_digits(130, dtype=dtype)
    rows = torch.randperm(130, generator=torch.Generator().manual_seed(size))[:size]
    alone = torch.cat([ascend(net, x[i : i + 1], y[i : i + 1], BASE) for i in rows[:6].tolist()])
    assert squared_distance(alone, x[rows[:6]]).sqrt().min() > 100 * atol
    torch.testing.assert_close(ascend(net, x[rows], y[rows], BASE)[:6], alone, rtol=0, atol=atol)


@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_an_image_ascends_the_same_way_in_any_order(make_net, make_digits, dtype, atol):
    net, (x, y) = train_mode_net(make_net, dtype), make_digits(130, dtype=dtype)
    order = torch.randperm(130, generator=torch.Generator().manual_seed(1))
    forward, shuffled = ascend(net, x, y, BASE), ascend(net, x[order], y[order], BASE)
    torch.testing.assert_close(shuffled, forward[order], rtol=0, atol=atol)


def test_dropout_is_off_and_batchnorm_uses_its_running_statistics(make_net, digits):
    x, y = digits
    training = train_mode_net(make_net)
    evaluating = copy.deepcopy(training).eval()
    assert torch.equal(ascend(training, x, y, BASE), ascend(evaluating, x, y, BASE))


def snapshot(net):
    return {
        "parameters": {name: p.detach().clone() for name, p in net.named_parameters()},
        "buffers": {name: b.clone() for name, b in net.named_buffers()},
        "gradients": {name: p.grad if p.grad is None else p.grad.clone() for name, p in net.named_parameters()},
        "gradient objects": {name: id(p.grad) for name, p in net.named_parameters() if p.grad is not None},
        "requires_grad": {name: p.requires_grad for name, p in net.named_parameters()},
        "modes": {name: m.training for name, m in net.named_modules()},
        "hooks": {name: len(m._forward_pre_hooks) + len(m._forward_hooks) for name, m in net.named_modules()},
    }


def assert_as_it_was(net, before):
    after = snapshot(net)
    assert after.keys() == before.keys()
    for what, values in before.items():
        assert after[what].keys() == values.keys()
        for name, value in values.items():
            same = (
                torch.equal(after[what][name], value) if isinstance(value, torch.Tensor) else after[what][name] == value
            )
            assert same, f"{what} of {name or 'the net'} changed"


@pytest.fixture
def mixed_net(make_net, digits):
    """Modes, flags and gradients that differ from module to module."""
    net = make_net("normalized").train()
    net[1].eval()
    net[3].eval()
    net[0].weight.requires_grad_(False)
    net[6].requires_grad_(False)
    net[6].eval()
    net[5].weight.grad = torch.full_like(net[5].weight, 2.5)
    net[0].weight.grad = torch.ones_like(net[0].weight)
    assert {m.training for m in net.modules()} == {True, False}
    return net


@pytest.mark.parametrize("cost", ["semantic", "pixel"])
def test_the_model_is_afterwards_what_it_was_before(mixed_net, make_digits, cost):
    (x, y), before = make_digits(70), snapshot(mixed_net)
    ascend(mixed_net, x, y, dataclasses.replace(BASE, cost=cost))
    assert_as_it_was(mixed_net, before)
    measure_ascent(split(mixed_net), x, x + 0.1, y, BASE, FLOAT32)
    assert_as_it_was(mixed_net, before)


def test_the_mode_of_the_split_itself_is_left_too(make_net, digits):
    for training in (True, False):
        net = split(make_net("normalized")).train(training)
        ascend(net, *digits, BASE)
        assert [m.training for m in net.modules()] == [training] * len(list(net.modules()))


class Breaks(nn.Module):
    """Passes images on, until the call at which it raises or gives NaN."""

    def __init__(self, at, how):
        super().__init__()
        self.at, self.how, self.calls = at, how, 0

    def forward(self, x):
        self.calls += 1
        if self.calls < self.at:
            return x
        if self.how == "raises":
            raise ZeroDivisionError("no more")
        return x * float("nan")


@pytest.mark.parametrize("at", [1, 2, 4], ids=["reference features", "first step", "third step"])
@pytest.mark.parametrize(("how", "error"), [("raises", (ZeroDivisionError, InputError)), ("nan", Diverged)])
def test_the_model_is_what_it_was_also_when_the_ascent_breaks(mixed_net, digits, how, error, at):
    net = nn.Sequential(Breaks(at, how), *mixed_net)
    net[0].eval()
    before = snapshot(net)
    with pytest.raises(error):
        ascend(net, *digits, BASE)
    assert_as_it_was(net, before)


def test_images_and_labels_are_not_modified(make_net, digits):
    x, y = digits
    kept_x, kept_y = x.clone(), y.clone()
    made = ascend(make_net(), x, y, BASE)
    assert torch.equal(x, kept_x)
    assert torch.equal(y, kept_y)
    assert not x.requires_grad
    assert not made.requires_grad
    assert made.grad_fn is None
    assert made.data_ptr() != x.data_ptr()
    assert made.shape == x.shape
    assert made.dtype == x.dtype


def test_images_that_carry_a_graph_get_no_gradient(make_net, digits):
    x, y = digits
    leaf = x.clone().requires_grad_()
    made = ascend(make_net(), leaf * 1.0, y, BASE)
    assert not made.requires_grad
    assert leaf.grad is None
    torch.testing.assert_close(made, ascend(make_net(), x, y, BASE))


def test_it_ascends_under_no_grad_too(make_net, digits):
    expected = ascend(make_net(), *digits, BASE)
    with torch.no_grad():
        made = ascend(make_net(), *digits, BASE)
    assert torch.equal(made, expected)


@pytest.mark.parametrize("scale", ["released", "paper"])
@pytest.mark.parametrize("cost", ["semantic", "pixel"])
def test_the_cost_is_zero_where_nothing_moved_and_positive_elsewhere(make_net, digits, cost, scale):
    x, _ = digits
    net, ada = split(make_net().eval()), dataclasses.replace(BASE, cost=cost, scale=scale)
    moved = x.clone()
    moved[3] += 0.25
    with torch.no_grad():
        costs = transport_cost(ada, net.features(moved), net.features(x), moved, x)
    assert costs.shape == (len(x),)
    assert costs.nonzero().flatten().tolist() == [3]
    assert costs[3] > 0


@pytest.mark.parametrize(
    ("cost", "scale", "expected"),
    [
        ("semantic", "paper", 0.5 * 3 * 2.0**2),
        ("semantic", "released", 3 * 2.0**2 / 3),
        ("pixel", "paper", 0.5 * 12 * 0.5**2),
        ("pixel", "released", 12 * 0.5**2 / 12),
    ],
)
def test_the_cost_has_the_weight_of_its_scale(cost, scale, expected):
    ada = dataclasses.replace(BASE, cost=cost, scale=scale)
    z, x = torch.full((2, 3), 2.0), torch.full((2, 3, 2, 2), 0.5)
    assert transport_cost(ada, z, z * 0, x, x * 0).tolist() == [expected] * 2


def test_the_loss_has_one_value_for_each_sample():
    scores = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    expected = [-torch.log_softmax(scores[0], 0)[1].item(), -torch.log_softmax(scores[1], 0)[1].item()]
    assert softmax_loss(scores, torch.tensor([1, 1])).tolist() == pytest.approx(expected)


def ascent_of(net, x0, x, y, ada):
    return AscentRecord.mean(measure_ascent(split(net), x0, x, y, ada, FLOAT32))


@pytest.mark.parametrize("cost", ["semantic", "pixel"])
def test_a_large_gamma_keeps_images_closer_than_a_small_one(make_net, digits, cost):
    net, (x, y) = make_net(), digits
    costs = []
    for gamma in (0.0, 1.0, 30.0):
        ada = dataclasses.replace(BASE, cost=cost, gamma=gamma, eta=10.0, T_max=15)
        costs.append(ascent_of(net, x, ascend(net, x, y, ada), y, ada).cost)
    assert costs[0] > 1.05 * costs[1] > 1.2 * costs[2] > 0


def test_it_raises_the_loss(make_net, digits):
    net, (x, y) = make_net(), digits
    record = ascent_of(net, x, ascend(net, x, y, BASE), y, BASE)
    assert record.loss_after > record.loss_before + 0.03


def test_an_ascent_is_measured_as_means_over_its_samples(make_net, make_digits):
    net, (x, y) = make_net("normalized").train(), make_digits(70)
    made = (x + torch.rand(x.shape, generator=torch.Generator().manual_seed(2))).clamp(0, 1)
    record = ascent_of(net, x, made, y, BASE)
    net.eval()
    with torch.no_grad():
        z0, z = net[:-1](x), net[:-1](made)
        assert record.loss_before == pytest.approx(nn.functional.cross_entropy(net(x), y).item(), rel=1e-5)
        assert record.loss_after == pytest.approx(nn.functional.cross_entropy(net(made), y).item(), rel=1e-5)
        assert record.cost == pytest.approx((z - z0).square().mean().item(), rel=1e-5)
        assert record.moved == pytest.approx((made - x).flatten(1).norm(dim=1).mean().item(), rel=1e-5)


@pytest.mark.parametrize("scale", ["released", "paper"])
@pytest.mark.parametrize("gamma", [0.05, 1.0, 50.0])
def test_no_ascent_gets_above_the_supremum_over_features(make_net, digits, gamma, scale):
    net, (x, y) = make_net("normalized"), digits
    eta = 20.0 if scale == "released" else 0.5
    ada = dataclasses.replace(BASE, gamma=gamma, scale=scale, eta=eta / max(gamma, 1), T_max=15)
    measured = measure_ascent(split(net), x, ascend(net, x, y, ada), y, ada, FLOAT32).double()
    before, after, cost, _, radius, least, most = measured.T
    rounding = 1e-6 * (1 + most.abs())
    assert (least <= most + rounding).all()
    assert (after - gamma * cost <= most + rounding).all()
    assert (before <= least + rounding).all()
    assert (after - gamma * cost).mean() > before.mean()
    torch.testing.assert_close(radius, cost / 2 * (10 if scale == "released" else 2), rtol=1e-5, atol=0)


def conv_head(make_net):
    last = nn.utils.skip_init(nn.Conv2d, 6, 4, 3)
    nn.init.ones_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*make_net()[:3], last, nn.Flatten())


SAYS_NOTHING = [
    pytest.param(make, changes, id=case)
    for case, make, changes in [
        ("pixel cost", lambda make_net: split(make_net()), {"cost": "pixel"}),
        ("no penalty", lambda make_net: split(make_net()), {"gamma": 0.0}),
        ("head that is a convolution", lambda make_net: split(conv_head(make_net), head="3"), {}),
        ("softmax after the head", lambda make_net: split(nn.Sequential(*make_net(), nn.Softmax(1)), head="6"), {}),
    ]
]


@pytest.mark.parametrize(("make", "changes"), SAYS_NOTHING)
def test_where_the_theory_says_nothing_there_is_no_supremum(make_net, digits, make, changes):
    net, (x, y) = make(make_net), digits
    record = ascent_of(net, x, x + 0.1, y, dataclasses.replace(BASE, **changes))
    assert (record.supremum, record.supremum_most) == (None, None)
    assert record.radius > 0


class EachPlace(nn.Module):
    """A linear head at each of a segmentation net's pixels."""

    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Conv2d(3, 5, 1), nn.Linear(5, 4)

    def forward(self, x):
        return self.head(self.body(x).movedim(1, -1)).movedim(-1, 1)


def test_a_linear_head_at_each_pixel_has_no_supremum(digits):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = EachPlace()
    x, y = digits
    masks = y[:, None, None].expand(-1, 8, 8)
    record = ascent_of(net, x, x + 0.1, masks, BASE)
    assert (record.supremum, record.supremum_most) == (None, None)
    assert record.loss_after != record.loss_before


@pytest.mark.parametrize(("cost", "known"), [("semantic", True), ("pixel", False)])
def test_a_rounds_metrics_have_the_supremum_where_there_is_one(make_net, digits, cost, known):
    source = Domain("bars", *digits, classes=("0", "1", "2", "3"))
    ada = ADA(K=1, T_min=2, T=4, T_max=2, batch=8, cost=cost)
    run = fit(make_net(), source, ada, seed=0, engine=FLOAT32)
    (line,) = (line for line in run.metrics if "fictitious" in line)
    assert {"radius", "cost", "moved"} <= line.keys()
    assert ({"supremum", "supremum_most"} <= line.keys()) is known
    assert None not in line.values()


class InfiniteAtMarker(nn.Module):
    """Multiplies an image whose first pixel is exactly 1 by infinity."""

    def forward(self, x):
        marked = (x[:, :1, :1, :1] == 1.0).to(x.dtype)
        return x * torch.where(marked > 0, torch.inf, 1.0)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ([2], "sample 2"),
        ([0, 5], "sample 0, sample 5"),
        (range(8), "sample 0, sample 1, sample 2, sample 3, sample 4 and 3 more"),
        ([66], "sample 66"),
    ],
    ids=["one", "two", "many", "in the second batch"],
)
def test_a_gradient_that_is_not_finite_is_refused_with_the_step_and_the_samples(
    make_net, make_digits, marked, expected
):
    x, y = make_digits(68)
    x[list(marked), 0, 0, 0] = 1.0
    with pytest.raises(Diverged) as caught:
        ascend(nn.Sequential(InfiniteAtMarker(), *make_net()), x, y, BASE)
    assert "ascent step 1 of 5" in str(caught.value)
    assert f"not finite for {expected}; lower eta (now 20)" in str(caught.value)


@pytest.mark.parametrize(
    ("over", "advice"),
    [
        (("tone", "shade"), "lower strength (now 1), or look at what makes these images: tone, shade"),
        (("tone", "pixels"), "lower strength (now 1) or eta (now 20), or look at what makes these images: tone"),
    ],
    ids=["transformations", "pixels on top"],
)
def test_over_transformations_it_names_those_that_made_the_samples(make_net, make_digits, over, advice):
    x, y = make_digits(12)
    ada = dataclasses.replace(BASE, over=over, links=2)
    with pytest.raises(Diverged) as caught:
        ascend(nn.Sequential(Infinite(), *make_net()), x, y, ada)
    assert str(caught.value).endswith(f"; {advice}")


class Infinite(nn.Module):
    """Whatever it is given, it gives no number."""

    def forward(self, x):
        return x / 0


def test_a_step_that_runs_away_is_refused_at_the_step_it_does(make_net, digits):
    with pytest.raises(Diverged, match=r"ascent step [2-9] of 9: .* lower eta \(now 1e\+30\)"):
        ascend(make_net(), *digits, dataclasses.replace(BASE, eta=1e30, T_max=9, gamma=1.0, cost="pixel"))


class InfiniteSlope(nn.Module):
    """sqrt: finite at 0, its derivative isn't."""

    def forward(self, x):
        return x.clamp(min=0).sqrt()


def test_a_finite_loss_with_a_gradient_that_is_not_finite_is_refused(make_net, digits):
    x, y = digits
    x[4, 1, 2, 3] = 0.0
    with pytest.raises(Diverged, match=r"step 1 of 5: .* not finite for bee;"):
        ascend(nn.Sequential(InfiniteSlope(), *make_net()), x[3:5], y[3:5], BASE, names=["ant", "bee"])


class SpiedLinear(nn.Linear):
    """Notes for which of (input, weight, bias) each backward pass wants a gradient."""

    wanted: list

    def forward(self, x):
        return _Spied.apply(x, self.weight, self.bias, self.wanted)


class _Spied(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, wanted):
        ctx.save_for_backward(weight)
        ctx.wanted = wanted
        return x @ weight.T + bias

    @staticmethod
    def backward(ctx, gradient):
        ctx.wanted.append(tuple(ctx.needs_input_grad[:3]))
        return gradient @ ctx.saved_tensors[0], None, None, None


def test_no_gradient_is_computed_for_a_parameter(digits):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Flatten(), SpiedLinear(192, 6), nn.Tanh(), nn.Linear(6, 4))
    net[1].wanted = []
    ascend(net, *digits, BASE)
    assert net[1].wanted == [(True, False, False)] * BASE.T_max


def test_progress_hears_of_each_batch(make_net, make_digits):
    heard, batch = [], ascent_batch(make_digits(1)[0][0])
    ascend(make_net(), *make_digits(2 * batch + 2), dataclasses.replace(BASE, T_max=1), progress=heard.append)
    assert heard == [batch, batch, 2]


def test_no_images_give_no_images(make_net, digits):
    x, y = digits
    assert ascend(make_net(), x[:0], y[:0], BASE).shape == (0, 3, 8, 8)


def test_counts_that_differ_are_refused(make_net, digits):
    x, y = digits
    with pytest.raises(InputError, match="24 images but 23 labels; expected one label for each image"):
        ascend(make_net(), x, y[:23], BASE)


def test_an_ascent_by_itself_leaves_the_weights_layout_and_gives_images_in_theirs(digits):
    x, y = digits
    with torch.random.fork_rng(devices=[]):
        net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.Flatten(), nn.Linear(128, 4))
    before = [(p, p.data_ptr(), p.stride(), p.requires_grad) for p in net.parameters()]
    made = ascend(net, x, y, BASE)
    after = [(p, p.data_ptr(), p.stride(), p.requires_grad) for p in net.parameters()]
    assert all(p is q and rest == others for (p, *rest), (q, *others) in zip(before, after, strict=True))
    assert made.is_contiguous()
    expected = torch.stack([trajectory[-1] for trajectory in twin(net, x, y, BASE)])
    torch.testing.assert_close(made, expected, rtol=0, atol=1e-4)


class Viewing(nn.Module):
    """Calls ``view`` on what a convolution gives, which takes no other layout than torch's usual one."""

    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3), nn.Linear(288, 4)

    def forward(self, x):
        x = self.conv(x).relu()
        return self.fc(x.view(len(x), -1))


def test_an_ascent_by_itself_takes_a_model_that_takes_no_other_layout(digits):
    x, y = digits
    with torch.random.fork_rng(devices=[]):
        net = Viewing()
    usual = nn.Sequential(net.conv, nn.ReLU(), nn.Flatten(), net.fc)
    torch.testing.assert_close(ascend(net, x, y, BASE), ascend(usual, x, y, BASE), rtol=0, atol=1e-4)


def test_only_calls_of_the_network_go_through_the_fast_convolutions(monkeypatch, digits):
    inside, calls = FewChannels.__torch_function__, []

    def counting(self, func, types, args=(), kwargs=None):
        calls.append(func)
        return inside(self, func, types, args, kwargs)

    monkeypatch.setattr(FewChannels, "__torch_function__", counting)
    with torch.random.fork_rng(devices=[]):
        net = nn.Sequential(nn.Flatten(), nn.Linear(192, 4))
    ascend(net, *digits, dataclasses.replace(BASE, over="standard", T_max=1))
    assert len(calls) < 20
