"""fit in memory: reproducible, self-contained, careful with what isn't finite, and strict about its input."""

import copy
import dataclasses

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import unseen
from unseen import ADA, ERM, Cadence, Domain, Engine
from unseen.base.images import FileRows, as_float
from unseen.base.randomness import Draws
from unseen.errors import Diverged, InputError
from unseen.method.descent import optimizer_for
from unseen.runs.console import note

ADA_ = ADA(gamma=1.0, eta=20.0, alpha=1e-2, K=2, T_min=4, T_max=3, T=12, batch=6, n=9)


def bits(run):
    return {**{k: v.clone() for k, v in run.net.model.state_dict().items()}, "pool": run.pool.images.clone()}


def same_bits(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("kind", ["plain", "normalized"])
@pytest.mark.parametrize("sampling", ["union", "chain"])
def test_one_seed_gives_one_set_of_bits(make_net, digits, kind, sampling):
    ada = dataclasses.replace(ADA_, sampling=sampling)
    first = unseen.fit(make_net(kind), digits, ada, seed=4)
    second = unseen.fit(make_net(kind), digits, ada, seed=4)
    assert same_bits(bits(first), bits(second))
    assert first.metrics == second.metrics
    assert torch.equal(first.pool.labels, second.pool.labels)


@pytest.mark.parametrize("kind", ["plain", "normalized"])
def test_another_seed_gives_other_bits(make_net, digits, kind):
    first, second = (bits(unseen.fit(make_net(kind), digits, ADA_, seed=seed)) for seed in (4, 5))
    assert not any(torch.equal(first[name], second[name]) for name in first if "num_batches" not in name)


def test_dropout_follows_the_seed_and_not_the_global_generator(make_net, digits):
    net = make_net("normalized")
    runs = []
    for global_seed in (1, 2):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(global_seed)
            before = torch.get_rng_state()
            runs.append(bits(unseen.fit(copy.deepcopy(net), digits, ADA_, seed=4)))
            assert torch.equal(torch.get_rng_state(), before)
    assert same_bits(*runs)
    for module in net.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    assert not same_bits(runs[0], bits(unseen.fit(net, digits, ADA_, seed=4))), "dropout did nothing"


@pytest.mark.parametrize("form", ["Domain", "TensorDataset", "list of pairs"])
def test_every_form_of_the_source_gives_the_same_run(make_net, digits, form):
    x, y = digits
    source = {
        "Domain": Domain("source", x, y, ("0", "1", "2", "3")),
        "TensorDataset": TensorDataset(x, y),
        "list of pairs": list(zip(x, y.tolist(), strict=True)),
    }[form]
    expected, given = unseen.fit(make_net(), (x, y), ADA_), unseen.fit(make_net(), source, ADA_)
    assert same_bits(bits(expected), bits(given))
    assert given.config.source == expected.config.source


def test_the_model_is_trained_in_place_and_left_in_evaluation_mode(make_net, digits):
    net = make_net("normalized").train()
    before = copy.deepcopy(net)
    run = unseen.fit(net, digits, ADA_)
    assert run.net.model is net
    assert not any(m.training for m in run.net.modules())
    assert all(p.requires_grad for p in net.parameters())
    changed = {name for name, p in net.named_parameters() if not torch.equal(p, before.get_parameter(name))}
    assert changed == {name for name, _ in net.named_parameters()}


def test_a_model_given_in_evaluation_mode_is_trained_in_training_mode(make_net, digits):
    runs = [bits(unseen.fit(make_net("normalized").train(mode), digits, ADA_, seed=4)) for mode in (True, False)]
    assert same_bits(*runs)
    assert runs[0]["1.num_batches_tracked"] == 3 + ADA_.T


def test_training_lowers_the_loss_and_raises_the_accuracy(make_net, make_digits):
    source, target, net = make_digits(60, seed=1), make_digits(60, seed=2), make_net()
    before = unseen.evaluate(net, target)
    run = unseen.fit(net, source, ADA(alpha=1e-2, K=1, T_min=20, T=150, eta=5.0), cadence=Cadence(record=10, watch=10))
    losses = [line["loss"] for line in run.metrics if "loss" in line]
    assert losses[-1] < 0.3 * losses[0]
    assert unseen.evaluate(net, target) > max(before + 0.3, 0.9)


def test_the_source_is_not_modified(make_net, digits):
    x, y = digits
    kept = x.clone(), y.clone()
    unseen.fit(make_net(), (x, y), ADA_)
    assert torch.equal(x, kept[0])
    assert torch.equal(y, kept[1])


def test_metrics_have_the_mean_loss_of_each_record_and_every_round(make_net, digits):
    fine = unseen.fit(make_net(), digits, ADA_, cadence=Cadence(record=1, watch=1))
    coarse = unseen.fit(make_net(), digits, ADA_, cadence=Cadence(record=5, watch=5))
    each = [line["loss"] for line in fine.metrics if "loss" in line]
    assert len(each) == ADA_.T
    assert [(line["step"], line["round"]) for line in coarse.metrics if "loss" in line] == [(5, 1), (10, 2), (12, 2)]
    means = [sum(each[0:5]) / 5, sum(each[5:10]) / 5, sum(each[10:12]) / 2]
    assert [line["loss"] for line in coarse.metrics if "loss" in line] == pytest.approx(means, rel=1e-9)
    rounds = [line for line in fine.metrics if "fictitious" in line]
    assert [(line["step"], line["round"], line["fictitious"]) for line in rounds] == [(4, 1, 9), (8, 2, 9)]
    assert all(line["loss_after"] > line["loss_before"] and line["moved"] > 0 and line["cost"] > 0 for line in rounds)


def test_watched_domains_are_recorded_and_change_nothing(make_net, digits, make_digits):
    watched = Domain("other", *make_digits(12, seed=9), tuple("abcd"))
    plain = unseen.fit(make_net("normalized"), digits, ADA_)
    run = unseen.fit(
        make_net("normalized"), digits, ADA_, watch={"other": watched}, cadence=Cadence(record=6, watch=6, save=6)
    )
    assert same_bits(bits(plain), bits(run))
    accuracies = {line["step"]: line["accuracy"]["other"] for line in run.metrics if "accuracy" in line}
    assert accuracies.keys() == {6, 12}
    assert accuracies[12] == unseen.evaluate(run.net, watched)


def test_parameters_that_need_no_gradient_stay(make_net, digits):
    net = make_net("plain")
    net[0].requires_grad_(False)
    net[4].bias.requires_grad_(False)
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    unseen.fit(net, digits, dataclasses.replace(ADA_, ridge=0.5))
    stayed = {name for name, p in net.named_parameters() if torch.equal(p, before[name])}
    assert stayed == {"0.weight", "0.bias", "4.bias"}
    assert {name for name, p in net.named_parameters() if not p.requires_grad} == stayed


class Listens(nn.Module):
    """Notes what the arithmetic runs with."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def forward(self, x):
        self.heard.append((torch.get_num_threads(), float(torch.full((), 1e-30) * 1e-10) == 0))
        return x


def test_threads_and_denormals_are_the_engines_while_it_trains_and_put_back(make_net, digits):
    net = nn.Sequential(Listens(), *make_net())
    unseen.fit(net, digits, ERM(T=3), engine=Engine(device="cpu", threads=2))
    assert net[0].heard[-3:] == [(2, True)] * 3
    assert torch.get_num_threads() == 1
    assert float(torch.full((), 1e-30) * 1e-10) != 0


@pytest.mark.parametrize("flushed", [True, False])
def test_the_denormal_flag_is_what_it_was(make_net, digits, flushed):
    torch.set_flush_denormal(flushed)
    try:
        unseen.fit(make_net(), digits, ERM(T=1))
        assert (float(torch.full((), 1e-30) * 1e-10) == 0) == flushed
    finally:
        torch.set_flush_denormal(False)


class Breaks(nn.Module):
    """Infinite, in its output or only in its gradient, for an image whose first pixel is exactly 1."""

    def __init__(self, how):
        super().__init__()
        self.how, self.off = how, False
        self.scale = nn.Parameter(torch.ones(3, 1, 1))

    def forward(self, x):
        marked, x = (x[:, :1, :1, :1] == 1.0).expand_as(x), x * self.scale
        if self.off:
            return x
        if self.how == "loss":
            return torch.where(marked, torch.inf, 1.0) * x
        zero = torch.where(marked, x - x.detach(), 1.0).sqrt() - torch.where(marked, 0.0, 1.0)
        return x + zero


def breaking_net(make_net, how, kind="plain"):
    return nn.Sequential(Breaks(how), *make_net(kind))


@pytest.fixture
def marked(digits):
    x, y = digits
    x[[7, 11], 0, 0, 0] = 1.0
    return x, y


def first_step_with(rows, source_size, batch, seed):
    draws = Draws(seed)
    step = 1
    while True:
        drawn = draws.minibatch(source_size, batch).tolist()
        if set(drawn) & set(rows):
            return step, drawn
        step += 1


@pytest.fixture
def optimizers(monkeypatch):
    """The optimizers that fit makes, in order; after each of their steps, a copy of all they hold."""
    made = []

    def make(*args, **kwargs):
        optimizer = optimizer_for(*args, **kwargs)
        optimizer.after = []
        optimizer.register_step_post_hook(
            lambda o, *_: o.after.append(
                ([p.detach().clone() for g in o.param_groups for p in g["params"]], copy.deepcopy(o.state_dict()))
            )
        )
        made.append(optimizer)
        return optimizer

    monkeypatch.setattr("unseen.runs.training.optimizer_for", make)
    return made


def test_a_loss_that_is_not_finite_stops_training_before_the_step(make_net, marked, optimizers):
    ada, seed = ERM(alpha=1e-3, T=40, batch=2), 1
    step, drawn = first_step_with([7, 11], 24, 2, seed)
    assert step > 2
    net = breaking_net(make_net, "loss")
    with pytest.raises(Diverged) as caught:
        unseen.fit(net, marked, ada, seed=seed)
    names = ", ".join(f"source image {row}" for row in drawn if row in (7, 11))
    assert str(caught.value) == (
        f"round 0, minimization step {step}: the loss is not finite for {names}; the weights are those of step "
        f"{step - 1}; lower alpha (now 0.001) or look at these images"
    )
    assert_held_at(optimizers[0], step - 1)


def test_where_images_are_transformed_at_each_step_they_may_be_the_cause(make_net, marked):
    with pytest.raises(Diverged, match=r"or look at these images and at what augment makes of them$"):
        unseen.fit(
            breaking_net(make_net, "loss"), marked, ERM(T=40, batch=24, augment="tone", augment_share=0.1), seed=1
        )


def test_a_gradient_that_is_not_finite_stops_training_before_the_step(make_net, marked, optimizers):
    ada, seed = ERM(alpha=1e-3, T=40, batch=2), 1
    step, drawn = first_step_with([7, 11], 24, 2, seed)
    with pytest.raises(Diverged) as caught:
        unseen.fit(breaking_net(make_net, "gradient"), marked, ada, seed=seed)
    assert f"round 0, minimization step {step}: the gradient is not finite for" in str(caught.value)
    assert all(f"source image {row}" in str(caught.value) for row in drawn)
    assert_held_at(optimizers[0], step - 1)


def assert_held_at(optimizer, step):
    """Weights and moments are those after ``step`` steps, bit for bit."""
    assert len(optimizer.after) == step
    weights, state = optimizer.after[-1]
    now = [p for group in optimizer.param_groups for p in group["params"]]
    assert all(torch.equal(a, b) for a, b in zip(now, weights, strict=True))
    for key, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            assert torch.equal(value, state["state"][key][name]), (key, name)
            assert torch.isfinite(value).all()


def test_batchnorm_statistics_are_not_updated_with_what_is_not_finite(make_net, marked):
    net = breaking_net(make_net, "loss", "normalized")
    with pytest.raises(Diverged):
        unseen.fit(net, marked, ERM(alpha=1e-3, T=40, batch=2), seed=1)
    assert all(torch.isfinite(buffer).all() for buffer in net.buffers())


def test_a_fictitious_sample_that_breaks_training_is_named_with_its_round(make_net, digits):
    class BreaksOutside(nn.Module):
        """Fine for images in [0, 1] and in evaluation; fictitious images leave that range."""

        def forward(self, x):
            outside = ((x < 0) | (x > 1)).flatten(1).any(1)[:, None, None, None]
            return torch.where(outside, torch.inf, 1.0) * x if self.training else x

    net = nn.Sequential(BreaksOutside(), *make_net())
    with pytest.raises(
        Diverged, match=r"round 1, minimization step \d+: the loss is not finite for .*image \d of round 1"
    ):
        unseen.fit(net, digits, dataclasses.replace(ADA_, K=1, eta=500.0, T=40))


def test_an_ascent_that_breaks_is_named_with_its_round_step_and_sample(make_net, marked):
    net = breaking_net(make_net, "loss")

    def on_in_evaluation_only(module, args):
        module.off = module.training

    net[0].register_forward_pre_hook(on_in_evaluation_only)
    ada = dataclasses.replace(ADA_, n=24)
    with pytest.raises(Diverged) as caught:
        unseen.fit(net, marked, ada)
    start, names = str(caught.value).split(" is not finite for ")
    assert start == "round 1, after minimization step 4, ascent step 1 of 3: the loss or its gradient"
    assert set(names.split(";")[0].split(", ")) == {"source image 7", "source image 11"}


def test_everything_global_is_put_back_when_training_breaks(make_net, marked):
    with pytest.raises(Diverged):
        unseen.fit(breaking_net(make_net, "loss"), marked, ERM(T=40), engine=Engine(device="cpu", threads=2))
    assert torch.get_num_threads() == 1
    assert float(torch.full((), 1e-30) * 1e-10) != 0


def test_evaluate_gives_the_accuracy_of_the_trained_model(make_net, digits):
    x, y = digits
    run = unseen.fit(make_net("normalized"), digits, ADA_)
    with torch.no_grad():
        right = (run.net.model(x).argmax(1) == y).float().mean()
    assert unseen.evaluate(run.net, digits) == pytest.approx(float(right))


BAD_SOURCES = {
    "pixels in 0..255": (
        lambda x, y: (x * 255, y),
        ["source: pixel values lie in [", "expected [0, 1]", "divide by 255"],
    ),
    "normalized pixels": (
        lambda x, y: ((x - 0.5) / 0.25, y),
        ["pixel values lie in [-2", "expected [0, 1]", "put the normalization inside the model"],
    ),
    "integer images": (
        lambda x, y: ((x * 255).int(), y),
        ["images are torch.int32", "expected float in [0, 1] or bytes (torch.uint8) of 0..255", "convert them"],
    ),
    "NaN": (
        lambda x, y: (x / (x * 0), y),
        ["24 images have NaN or infinite pixels", "in [0, 1]", "repair or drop them"],
    ),
    "one channel": (
        lambda x, y: (x[:, :1], y),
        ["the images have 1 channels, expected 3", "images.expand(-1, 3, -1, -1)"],
    ),
    "four channels": (lambda x, y: (torch.cat([x, x[:, :1]], 1), y), ["the images have 4 channels, expected 3"]),
    "another size": (
        lambda x, y: (x[..., :6], y),
        ["can't take images of shape (3, 8, 6)", "resize the images, mend the model"],
    ),
    "labels from 1": (
        lambda x, y: (x, y + 1),
        ["labels lie in 1..4, expected 0..3 (the model gives 4 scores)", "number the classes from 0"],
    ),
    "negative labels": (lambda x, y: (x, y - 1), ["labels lie in -1..2, expected 0", "number the classes from 0"]),
    "no images": (lambda x, y: (x[:0], y[:0]), ["no images", "expected at least one"]),
    "an empty data set": (lambda x, y: TensorDataset(x[:0], y[:0]), ["is empty", "expected at least one"]),
    "counts that differ": (lambda x, y: (x, y[:-1]), ["24 images but 23 labels", "expected one label for each image"]),
}


@pytest.mark.parametrize(("change", "said"), BAD_SOURCES.values(), ids=BAD_SOURCES)
def test_a_bad_source_is_refused_before_any_training(make_net, digits, tmp_path, change, said):
    net = make_net("normalized")
    before = copy.deepcopy(net.state_dict())
    with pytest.raises(InputError) as caught:
        unseen.fit(net, change(*digits), ADA_, folder=tmp_path / "run")
    for part in said:
        assert part in str(caught.value)
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())
    assert not (tmp_path / "run").exists()


class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Flatten(), nn.Linear(192, 4, device="meta")
        self.mix = nn.Bilinear(192, 192, 4, device="meta")

    def forward(self, x):
        return self.mix(self.body(x), self.body(x))


BAD_MODELS = {
    "head not found": (None, ["the head can't be found. Looked for get_classifier() (timm)", 'head="fc2"', '"fc1"']),
    "head fed by two tensors": ("mix", ['head "mix"', "fed by one tensor", "(Tensor, Tensor)", "pass head="]),
}


@pytest.mark.parametrize(("head", "said"), BAD_MODELS.values(), ids=BAD_MODELS)
def test_a_model_without_a_usable_head_is_refused_before_any_training(make_net, digits, tmp_path, head, said):
    net = make_net("user") if head is None else unseen.split(TwoInputs().to_empty(device="cpu"), head=head)
    with pytest.raises(InputError) as caught:
        unseen.fit(net, digits, ADA_, folder=tmp_path / "run")
    for part in said:
        assert part in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("last", ["softmax", "sigmoid", "log_softmax"])
def test_a_model_that_ends_in_a_softmax_is_refused_because_the_loss_has_one(make_net, make_digits, last):
    class Ending(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = make_net("user")

        def forward(self, x):
            scores = self.net(x)
            return scores.sigmoid() if last == "sigmoid" else getattr(scores, last)(1)

    net = unseen.split(Ending(), "net.fc2")
    if last == "softmax":
        with pytest.raises(InputError, match=r"scores are probabilities: .* leave out the model's last softmax"):
            unseen.fit(net, make_digits(8), unseen.ERM(T=1, batch=4))
    else:
        unseen.fit(net, make_digits(8), unseen.ERM(T=1, batch=4))
    assert 0 <= unseen.evaluate(net, make_digits(8)) <= 1, "evaluation needs no loss"


def test_a_model_with_nothing_to_train_is_refused(make_net, digits):
    with pytest.raises(InputError, match="no trainable parameter"):
        unseen.fit(make_net().requires_grad_(False), digits, ADA_)


def test_the_class_of_settings_instead_of_settings_is_refused(make_net, digits):
    with pytest.raises(InputError, match=r"expected settings such as unseen\.ADA\(\)"):
        unseen.fit(make_net(), digits, ADA)


def test_progress_can_be_shown_and_a_run_prints_as_one_line(make_net, digits, capsys):
    run = unseen.fit(make_net(), digits, ADA(K=1, T=6, T_min=2, T_max=1, batch=4), progress=True)
    assert "training (rounds done: 1): 6 of 6 steps" in capsys.readouterr().out
    assert repr(run) == "Run(6 steps, 1 rounds, 48 images, in memory)"


class Viewing(nn.Module):
    """What many people write: ``view`` where ``flatten`` would do."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.head = nn.Linear(4 * 6 * 6, 4)

    def forward(self, x):
        z = self.conv(x).relu()
        return self.head(z.view(z.size(0), -1))


def test_a_model_that_calls_view_trains_as_one_that_calls_flatten(digits):
    class Flattening(Viewing):
        def forward(self, x):
            return self.head(self.conv(x).relu().flatten(1))

    nets = []
    for kind in (Viewing, Flattening):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            net = unseen.split(kind(), head="head")
        unseen.fit(net, digits, unseen.ADA(K=1, T=6, T_min=3, T_max=2, batch=4), engine=unseen.Engine("cpu", "float32"))
        nets.append(net)
    for viewed, flattened in zip(nets[0].parameters(), nets[1].parameters(), strict=True):
        assert torch.allclose(viewed, flattened, atol=1e-6)
    assert 0 <= unseen.evaluate(nets[0], digits) <= 1


def test_a_large_round_is_measured_on_a_drawn_sample_which_is_recorded(tmp_path, monkeypatch, make_net, digits):
    ada = ADA(K=2, T_min=1, T_max=2, T=3, batch=4)
    whole = unseen.fit(make_net("normalized"), digits, ada)
    monkeypatch.setattr("unseen.runs.recorder.MEASURED", 7)
    some = unseen.fit(make_net("normalized"), digits, ada, folder=tmp_path / "run")
    again = unseen.fit(make_net("normalized"), digits, ada)
    rounds = [[line for line in run.metrics if "fictitious" in line] for run in (whole, some)]
    assert [(line["fictitious"], line["measured"]) for line in rounds[0]] == [(24, 24), (24, 24)]
    assert [(line["fictitious"], line["measured"]) for line in rounds[1]] == [(24, 7), (24, 7)]
    assert again.metrics == some.metrics
    assert rounds[0][0]["moved"] == pytest.approx(rounds[1][0]["moved"], rel=0.5)
    assert torch.equal(whole.pool.images, some.pool.images), "measuring changes nothing"
    assert note(rounds[1][0]).endswith("(L2 in pixels), measured on 7 of them")
    assert note(rounds[0][0]).endswith("(L2 in pixels)")


def test_a_round_of_a_thousand_classes_is_measured_without_the_solver(digits):
    x, y = digits
    with torch.random.fork_rng(devices=[]):
        net = nn.Sequential(nn.Flatten(), nn.Linear(192, 6), nn.ReLU(), nn.Linear(6, 101))
    run = unseen.fit(net, (x, y), ADA(K=1, T_min=1, T_max=1, T=2, batch=4))
    (line,) = [line for line in run.metrics if "fictitious" in line]
    assert "supremum" not in line


def test_training_from_bytes_in_a_file_has_the_bits_of_floats_in_memory(tmp_path, monkeypatch, make_net, digits):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path))
    monkeypatch.setattr("unseen.data.items.IN_MEMORY", 0)
    x, y = as_float((digits[0] * 255).byte()), digits[1]
    ada = ADA(K=2, T_min=2, T_max=2, T=6, batch=8)
    floats = unseen.fit(make_net("normalized"), (x, y), ada, watch={"all": unseen.Domain("all", x, y, tuple("abcd"))})
    stored = unseen.dataset(TensorDataset(x, y))
    assert isinstance(stored.images.kept, FileRows)
    run = unseen.fit(make_net("normalized"), stored, ada, watch={"all": stored})
    assert run.metrics == floats.metrics
    assert run.config.source.sha256 == floats.config.source.sha256
    for ours, theirs in zip(run.net.parameters(), floats.net.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert unseen.evaluate(run.net, stored) == unseen.evaluate(run.net, (x, y))
