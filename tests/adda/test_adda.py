"""ADDA learns without labels, leaves what it is given alone, and goes on after an interruption to the same bits."""

import copy
import dataclasses
import json
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

import unseen
from unseen import ADDA, Cadence, Domain, Engine
from unseen.adda.adapt import AdaptationFolder
from unseen.adda.duel import Health, begin, discriminator_loss, encoder_loss
from unseen.base.randomness import Draws, generator
from unseen.errors import Diverged, InputError, RunFolderError
from unseen.runs.folder import RunFolder

SHORT = ADDA(steps=7, batch=6, alpha=1e-2, alpha_discriminator=2e-2, hidden=8)
LONG = dataclasses.replace(SHORT, steps=200, batch=32, alpha=3e-3, alpha_discriminator=1e-3, hidden=32)
COLLAPSING = dataclasses.replace(LONG, steps=40, alpha=1.0)
CLASSES = ("0", "1", "2", "3")


def haze(images):
    """Another domain: the same pictures, pale."""
    return 0.4 * images + 0.4


@pytest.fixture
def target(make_digits):
    return haze(make_digits(30, seed=1)[0])


@pytest.fixture(scope="module")
def trained(make_net, make_digits):
    """A source model that is right on its source, and the source."""
    net, source = make_net(), make_digits(240)
    unseen.fit(net, source, unseen.ERM(T=200, alpha=1e-2), engine=Engine("cpu", "float32", 1))
    return net, source


def bits(net):
    return {name: tensor.clone() for name, tensor in net.state_dict().items()}


def same_bits(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def adapted_bits(*given, **options):
    return bits(unseen.adapt(*given, **options).net.model)


def silent(message):
    raise AssertionError(message)


class TestSettings:
    def test_are_frozen_and_by_name_only(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            ADDA().alpha = 1.0
        with pytest.raises(TypeError):
            ADDA(100)

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"steps": 0}, "steps=0: expected 1 or more"),
            ({"target_images": 0}, "target_images=0: expected 1 or more"),
            ({"batch": -1}, "batch=-1: expected 1 or more"),
            ({"hidden": 0}, "hidden=0: expected 1 or more"),
            ({"steps": 1.5}, "steps=1.5: expected a whole number"),
            ({"alpha": -1e-4}, "alpha=-0.0001: expected a finite number, 0 or more"),
            ({"alpha": "fast"}, "alpha='fast': expected a number"),
            ({"alpha_discriminator": math.inf}, "alpha_discriminator=inf: expected a finite number, 0 or more"),
            ({"beta1": 1.0}, "beta1=1.0: expected 0 or more and below 1"),
            ({"beta1": math.nan}, "beta1=nan: expected 0 or more and below 1"),
        ],
        ids=str,
    )
    def test_that_make_no_sense_are_refused_with_what_was_expected(self, settings, said):
        with pytest.raises(InputError) as caught:
            ADDA(**settings)
        assert str(caught.value) == f"ADDA: {said}"

    def test_have_all_their_problems_in_one_message(self):
        with pytest.raises(InputError, match=r"^ADDA: 3 problems\n.*batch='x'.*\n.*steps=0.*\n.*alpha=-1"):
            ADDA(steps=0, alpha=-1, batch="x")

    def test_that_are_not_of_adda_are_refused(self, make_net, digits, target):
        with pytest.raises(InputError, match=r"adapt: expected settings such as unseen\.ADDA\(\), got ADA\("):
            unseen.adapt(make_net(), digits, target, unseen.ADA())


class TestTheTwoLosses:
    def test_are_those_of_the_paper(self):
        source, target = torch.tensor([[0.3], [-1.2]]), torch.tensor([[2.0], [0.1]])
        D = torch.sigmoid
        expected = -0.5 * D(source).log().mean() - 0.5 * (1 - D(target)).log().mean()
        torch.testing.assert_close(discriminator_loss(source, target), expected)
        torch.testing.assert_close(encoder_loss(target), -D(target).log().mean())

    def test_are_ln_2_where_the_domains_cannot_be_told_apart(self):
        unsure = torch.zeros(5, 1)
        assert discriminator_loss(unsure, unsure).item() == pytest.approx(math.log(2))
        assert encoder_loss(unsure).item() == pytest.approx(math.log(2))


def plain_adda(model, x_s, x_t, adda, seed, discriminator):
    """ADDA as one would write it down: two encoders, two optimizers, nothing kept from step to step."""
    draws = Draws(generator(seed, "adda").initial_seed())
    rows = draws.without_replacement(len(x_t), len(x_t))
    source, target = (nn.Sequential(*copy.deepcopy(model)[:-1]).eval() for _ in range(2))
    for_encoder = torch.optim.Adam(target.parameters(), lr=adda.alpha, betas=(adda.beta1, 0.999))
    for_discriminator = torch.optim.Adam(
        discriminator.parameters(), lr=adda.alpha_discriminator, betas=(adda.beta1, 0.999)
    )
    ones, zeros = torch.ones(adda.batch, 1), torch.zeros(adda.batch, 1)
    for _ in range(adda.steps):
        z_s = source(x_s[draws.minibatch(len(x_s), adda.batch)]).detach()
        z_t = target(x_t[rows[draws.minibatch(len(rows), adda.batch)]])
        draws.model_seed()
        tell_apart = F.binary_cross_entropy_with_logits
        loss = (tell_apart(discriminator(z_s), ones) + tell_apart(discriminator(z_t.detach()), zeros)) / 2
        gradients = torch.autograd.grad(loss, list(discriminator.parameters()))
        for_encoder.zero_grad()
        tell_apart(discriminator(z_t), ones).backward()
        for parameter, gradient in zip(discriminator.parameters(), gradients, strict=True):
            parameter.grad = gradient
        for_encoder.step()
        for_discriminator.step()
    return [*target, model[-1]]


@pytest.mark.parametrize("kind", ["plain", "normalized"])
def test_every_step_is_that_of_the_plain_twin(make_net, digits, target, kind):
    model, engine = make_net(kind), Engine("cpu", "float32", 1)
    with engine.running():
        duel = begin(unseen.split(copy.deepcopy(model)), digits[0], target, SHORT, 3, engine)
    discriminator = copy.deepcopy(duel.net.model.discriminator)
    expected = nn.Sequential(*plain_adda(model, digits[0], target, SHORT, 3, discriminator)).state_dict()
    adapted = unseen.adapt(model, digits, target, SHORT, seed=3, engine=engine, warn=str).net.model.state_dict()
    torch.testing.assert_close(adapted, expected, rtol=1e-4, atol=1e-5)


def test_it_learns_a_domain_whose_labels_it_never_saw(trained, make_digits):
    net, source = trained
    images, labels = make_digits(240, seed=2)
    tested = haze(images), labels
    adapted = unseen.adapt(net, source, haze(make_digits(240, seed=1)[0]), LONG, warn=silent)
    assert unseen.evaluate(net, source) == 1.0
    assert unseen.evaluate(net, tested) < 0.8
    assert unseen.evaluate(adapted.net, tested) > 0.95


def test_a_discriminator_alone_tells_the_domains_apart(trained, make_digits):
    net, source = trained
    alone = dataclasses.replace(LONG, alpha=0.0, alpha_discriminator=1e-2)
    adapted = unseen.adapt(net, source, haze(make_digits(240, seed=1)[0]), alone)
    last = adapted.metrics[-1]
    assert last["discriminator_accuracy"] > 0.95
    assert last["discriminator_loss"] < 0.2 < math.log(2) < last["encoder_loss"]
    assert same_bits(bits(adapted.net.model), bits(net))


class Noise(nn.Module):
    """Draws in evaluation mode too."""

    def forward(self, x):
        return x + 0.1 * torch.rand_like(x)


class TestBits:
    @pytest.mark.parametrize("kind", ["plain", "normalized", "user"])
    def test_follow_from_the_seed(self, make_net, digits, target, kind):
        net = unseen.split(make_net(kind), "fc2" if kind == "user" else None)
        first, again, other = (adapted_bits(net, digits, target, SHORT, seed=s, warn=str) for s in (4, 4, 5))
        assert same_bits(first, again)
        assert not same_bits(first, other)

    def test_follow_from_it_also_where_the_model_draws_by_itself(self, make_net, digits, target):
        net = nn.Sequential(Noise(), *make_net())
        assert same_bits(*(adapted_bits(net, digits, target, SHORT, warn=str) for _ in range(2)))

    def test_of_the_discriminator_follow_from_it(self, make_net, digits, target):
        engine = Engine("cpu", "float32", 1)
        with engine.running():
            first, again, other = (
                bits(begin(unseen.split(make_net()), digits[0], target, SHORT, seed, engine).net.model.discriminator)
                for seed in (4, 4, 5)
            )
        assert same_bits(first, again)
        assert not same_bits(first, other)

    def test_do_not_depend_on_the_targets_labels_or_its_form(self, make_net, digits, target):
        labels = torch.arange(len(target)) % 4
        shuffled = labels[torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))]
        forms = [
            target,
            (target, labels),
            (target, shuffled),
            Domain("pale", target, labels, CLASSES),
            TensorDataset(target, shuffled),
        ]
        first, *others = (unseen.adapt(make_net(), digits, form, SHORT, warn=str) for form in forms)
        for other in others:
            assert same_bits(bits(first.net.model), bits(other.net.model))
            assert first.metrics == other.metrics
            assert first.config.target.sha256 == other.config.target.sha256

    @pytest.mark.parametrize("training", [True, False])
    def test_of_the_given_net_are_left_alone_with_every_mode_and_flag(self, make_net, digits, target, training):
        net = make_net("normalized").train(training)
        net[0].weight.requires_grad_(False)
        before = bits(net)
        adapted = unseen.adapt(net, digits, target, SHORT, warn=str).net
        assert same_bits(bits(net), before)
        assert all(module.training == training for module in net.modules())
        assert [p.requires_grad for p in net.parameters()] == [False] + [True] * (len(list(net.parameters())) - 1)
        assert torch.equal(adapted.model[0].weight, net[0].weight), "a frozen parameter was trained"

    def test_of_the_head_are_the_sources_and_those_of_the_encoder_are_new(self, make_net, digits, target):
        net = unseen.split(make_net())
        adapted = unseen.adapt(net, digits, target, SHORT, warn=str).net
        for name, tensor in net.model.state_dict().items():
            assert torch.equal(adapted.model.state_dict()[name], tensor) == name.startswith(f"{net.head_name}."), name
        assert not any(module.training for module in adapted.modules())

    def test_do_not_depend_on_the_mode_the_source_model_is_left_in(self, make_net, digits, target):
        net = make_net("normalized")
        trained, evaluated = (adapted_bits(net.train(mode), digits, target, SHORT, warn=str) for mode in (True, False))
        assert same_bits(trained, evaluated)

    def test_know_nothing_of_dropout_and_keep_the_sources_statistics(self, make_net, digits, target):
        net = make_net("normalized").train()
        dropping = adapted_bits(net, digits, target, SHORT, warn=str)
        for module in net.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        assert same_bits(dropping, adapted_bits(net, digits, target, SHORT, warn=str))
        for name, tensor in net.state_dict().items():
            assert torch.equal(dropping[name], tensor) or "running" not in name, name

    @pytest.mark.parametrize("precision", ["float32", "bf16"])
    def test_of_features_are_made_in_one_precision_for_both_domains(self, make_net, digits, precision):
        engine = Engine("cpu", precision, 1)
        with engine.running(), torch.no_grad():
            duel = begin(unseen.split(make_net("normalized")), digits[0], digits[0], SHORT, 0, engine)
            assert torch.equal(duel.encode(engine.put(*digits)[0]), duel.z_s)

    def test_differ_between_precisions(self, make_net, digits, target):
        one, other = (
            adapted_bits(make_net(), digits, target, SHORT, engine=Engine("cpu", precision, 1), warn=str)
            for precision in ("float32", "bf16")
        )
        assert not same_bits(one, other)


class TestTargetImages:
    def test_are_drawn_by_the_seed_and_more_include_fewer(self, make_net, digits, target):
        engine = Engine("cpu", "float32", 1)

        def rows(n, seed):
            with engine.running():
                adda = dataclasses.replace(SHORT, target_images=n)
                return begin(unseen.split(make_net()), digits[0], target, adda, seed, engine).rows.tolist()

        assert rows(9, 0)[:4] == rows(4, 0)
        assert rows(9, 0) != rows(9, 1)
        assert sorted(rows(None, 0)) == list(range(len(target)))

    def test_that_were_not_drawn_change_nothing(self, make_net, digits, target):
        few = dataclasses.replace(SHORT, target_images=5)
        engine = Engine("cpu", "float32", 1)
        with engine.running():
            used = begin(unseen.split(make_net()), digits[0], target, few, 0, engine).rows
        others = torch.ones(len(target), dtype=torch.bool).index_fill(0, used, False)
        before = adapted_bits(make_net(), digits, target, few, warn=str)
        assert same_bits(before, adapted_bits(make_net(), digits, _dark(target, others), few, warn=str))
        assert not same_bits(before, adapted_bits(make_net(), digits, _dark(target, ~others), few, warn=str))

    @pytest.mark.parametrize("n", [1, 3])
    def test_may_be_fewer_than_a_batch(self, make_net, digits, target, n):
        net = make_net("normalized")
        adapted = unseen.adapt(net, digits, target[:n], SHORT, warn=str)
        assert not same_bits(bits(adapted.net.model), bits(net))
        assert adapted.config.target.used == n


def _dark(images, rows):
    return torch.where(rows[:, None, None, None], 0.0, images)


REFUSED = {
    "pixels in -1..1, as libsvm has USPS": (lambda x: 2 * x - 1, r"target: pixel values lie in \[-.*expected \[0, 1\]"),
    "pixels in 0..255": (lambda x: 255 * x, r"target: pixel values lie in .*expected \[0, 1\]; divide by 255"),
    "whole numbers": (lambda x: (255 * x).short(), "target: images are torch.int16"),
    "a pixel that is not a number": (lambda x: x.clone().fill_(math.nan), "target: 30 images have NaN"),
    "no images": (lambda x: x[:0], "target: no images"),
    "one image without a batch": (lambda x: x[0], r"target: images have shape \(3, 8, 8\), expected \(N, C, H, W\)"),
    "a path": (lambda x: "usps", "target: expected data, got the name 'usps'"),
    "another size": (lambda x: x[..., :6], r"have shape \(3, 8, 6\), expected the source's \(3, 8, 8\): resize"),
    "grey images": (lambda x: x[:, :1], r"have shape \(1, 8, 8\), expected the source's \(3, 8, 8\)"),
}


class TestAtTheDoor:
    @pytest.mark.parametrize(("spoil", "said"), REFUSED.values(), ids=REFUSED)
    def test_a_target_is_refused_with(self, make_net, digits, target, tmp_path, spoil, said):
        with pytest.raises(InputError, match=said):
            unseen.adapt(make_net(), digits, spoil(target), SHORT, folder=tmp_path / "run")
        assert not (tmp_path / "run").exists()

    def test_all_problems_are_in_one_message(self, make_net, digits, target, monkeypatch):
        monkeypatch.setattr(Engine, "ranks", 2)
        adda = dataclasses.replace(SHORT, target_images=31)
        with pytest.raises(
            InputError, match=r"^adapt: 3 problems\n.*shape.*\n.*target_images=31: target has 30; .*\n.*2 ranks"
        ):
            unseen.adapt(make_net(), digits, target[..., :6], adda, engine=Engine("cpu", "float32", 1))

    def test_a_source_that_the_model_cannot_take_is_refused(self, make_net, digits, target):
        with pytest.raises(InputError, match="the images have 1 channels, expected 3"):
            unseen.adapt(make_net(), (digits[0][:, :1], digits[1]), target[:, :1], SHORT)

    @pytest.mark.parametrize("kind", ["all head", "frozen before it"])
    def test_a_model_with_nothing_to_adapt_is_refused(self, make_net, digits, target, kind):
        all_head = nn.Sequential(nn.Flatten(), nn.utils.skip_init(nn.Linear, 192, 4))
        frozen = make_net()
        frozen[:-1].requires_grad_(False)
        with pytest.raises(InputError, match="no trainable parameter before its head: nothing to adapt"):
            unseen.adapt(all_head if kind == "all head" else frozen, digits, target, SHORT)


class TestHealth:
    @pytest.mark.parametrize(
        ("z", "spread"),
        [
            ([[1.0, 2.0], [1.0, 2.0]], 0.0),
            ([[0.0, 0.0], [0.0, 0.0]], 0.0),
            ([[1.0, 0.0], [-1.0, 0.0]], 1.0),
            ([[3.0, 0.0], [5.0, 0.0]], math.sqrt(1 / 17)),
        ],
        ids=["equal", "dead", "centred", "shifted"],
    )
    def test_the_spread_is_the_share_of_the_features_that_varies(self, z, spread):
        assert Health.of(torch.tensor(z), torch.eye(2)).spread == pytest.approx(spread)
        assert Health.of(1000 * torch.tensor(z), torch.eye(2)).spread == pytest.approx(spread), "it has no unit"

    @pytest.mark.parametrize(
        ("answers", "classes"), [([2, 2, 2, 2], 1.0), ([0, 1, 2, 3], 4.0), ([0, 0, 3, 3], 2.0), ([0, 0, 0, 1], 1.755)]
    )
    def test_the_classes_are_counted_by_their_entropy(self, answers, classes):
        scores = torch.eye(4)[answers]
        assert Health.of(scores, scores).classes == pytest.approx(classes, abs=1e-3)

    @pytest.mark.parametrize(
        ("spread", "classes", "collapsed"),
        [(0.8, 4.0, False), (0.41, 2.1, False), (0.39, 4.0, True), (0.8, 1.9, True)],
    )
    def test_less_than_half_of_either_is_a_collapse(self, spread, classes, collapsed):
        assert Health(spread, classes).collapsed_from(Health(0.8, 4.0)) == collapsed

    def test_a_collapse_is_told_once_with_what_to_do(self, trained, make_digits, tmp_path):
        net, source = trained
        target = haze(make_digits(240, seed=1)[0])
        for _ in range(2):  # the second time, it is read from the folder
            told = []
            adapted = unseen.adapt(net, source, target, COLLAPSING, folder=tmp_path / "run", warn=told.append)
            assert len(told) == 1
            assert told[0].startswith("ADDA collapsed: ")
            assert "lower alpha (now 1)" in told[0]
        scores = adapted.net(target)
        assert (scores.argmax(1) == scores[0].argmax()).all(), "it was forced to collapse"

    def test_what_is_not_finite_stops_it_before_it_reaches_the_weights(self, make_net, digits, target, tmp_path):
        adda = dataclasses.replace(SHORT, alpha=1e38, steps=50)
        with pytest.raises(
            Diverged, match=r"adaptation step \d+: a gradient is not finite; .*lower alpha \(now 1e\+38"
        ):
            unseen.adapt(make_net(), digits, target, adda, folder=tmp_path / "run")
        assert not RunFolder(tmp_path / "run").finished


class TestFolder:
    CADENCE = Cadence(record=2, watch=2, save=3)

    @pytest.fixture
    def adapt(self, make_net, digits, target, tmp_path):
        def call(adda=SHORT, **options):
            given = {"net": make_net("normalized"), "source": digits, "target": target, "folder": tmp_path / "run"}
            return unseen.adapt(adda=adda, **({"cadence": self.CADENCE, "warn": str} | given | options))

        return call

    @staticmethod
    def interrupt(adapt, at):
        def stop(progress):
            if progress.done == at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            adapt(progress=stop)

    def test_holds_the_config_the_metrics_and_the_weights(self, adapt, make_net, digits, target):
        adapted = adapt(seed=3)
        files = AdaptationFolder(adapted.folder)
        assert same_bits(bits(unseen.load(files.path, make_net("normalized", seed=9)).model), bits(adapted.net.model))
        config = files.config()
        assert config == adapted.config
        assert (config.adda, config.seed) == (SHORT, 3)
        assert (config.source.images, config.target.used) == (len(digits[0]), len(target))
        lines = [json.loads(line) for line in (files.path / "metrics.jsonl").read_text().splitlines()]
        assert lines == adapted.metrics
        assert [line["step"] for line in lines] == [0, 2, 4, 6, 7]
        assert all({"discriminator_loss", "discriminator_accuracy", "encoder_loss"} < line.keys() for line in lines[1:])
        assert all({"spread", "classes"} < line.keys() for line in (lines[0], lines[-1]))
        assert repr(adapted) == f"Adapted(7 steps, 30 target images, in {files.path})"

    def test_records_means_since_the_last_record(self, adapt):
        each = adapt(folder=None, cadence=Cadence(record=1, watch=1)).metrics[1:]
        two = adapt(folder=None).metrics[1:]
        for name in ("discriminator_loss", "discriminator_accuracy", "encoder_loss"):
            mean = (each[2][name] + each[3][name]) / 2
            assert two[1][name] == pytest.approx(mean), name
            assert two[3][name] == pytest.approx(each[6][name]), "the last has one step"

    def test_is_read_and_not_adapted_again_once_finished(self, adapt):
        first = adapt()
        before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}
        again = adapt(progress=silent)
        assert same_bits(bits(first.net.model), bits(again.net.model))
        assert first.metrics == again.metrics
        assert not any(module.training for module in again.net.modules())
        assert {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")} == before
        assert not list(first.folder.rglob("checkpoints/*")), "a finished adaptation needs none"

    @pytest.mark.parametrize("at", [0, 2, 3, 5, 6, 7])
    def test_goes_on_to_the_same_bits_after_an_interruption(self, adapt, tmp_path, at):
        whole = adapt(folder=tmp_path / "whole")
        self.interrupt(adapt, at)
        seen = []
        resumed = adapt(progress=seen.append)
        assert seen[0].done == 3 * min(at // 3, 2)
        assert same_bits(bits(whole.net.model), bits(resumed.net.model))
        assert whole.metrics == resumed.metrics
        for name in ("weights.safetensors", "metrics.jsonl"):
            assert (resumed.folder / name).read_bytes() == (whole.folder / name).read_bytes()

    def test_goes_on_from_the_checkpoint_before_a_damaged_one(self, adapt, tmp_path):
        whole = adapt(folder=tmp_path / "whole")
        self.interrupt(adapt, 6)
        newest = max((tmp_path / "run" / "checkpoints").iterdir())
        newest.write_bytes(newest.read_bytes()[:-100])
        told = []
        assert same_bits(bits(whole.net.model), bits(adapt(warn=told.append).net.model))
        assert "is damaged" in told[0]

    @pytest.mark.parametrize("finished", [True, False])
    def test_of_another_adaptation_is_refused_with_what_differs(self, adapt, make_net, make_digits, target, finished):
        adapt() if finished else self.interrupt(adapt, 5)
        for change, said in (
            ({"adda": dataclasses.replace(SHORT, alpha=0.5)}, r"adda\.alpha is 0\.01 there, 0\.5 here"),
            ({"seed": 1}, "seed is 0 there, 1 here"),
            ({"target": 0.9 * target}, r"target\.sha256 is"),
            ({"source": make_digits(seed=8)}, "the source's images or labels are others"),
            ({"net": make_net("normalized", seed=2)}, "source_weights is"),
            ({"engine": Engine("cpu", "bf16", 1)}, r"engine\.precision is 'float32' there, 'bf16' here"),
        ):
            with pytest.raises(RunFolderError, match=said):
                adapt(**change)

    def test_of_a_training_or_of_something_else_is_refused(self, adapt, make_net, digits, tmp_path):
        unseen.fit(make_net(), digits, unseen.ERM(T=2), folder=tmp_path / "run")
        with pytest.raises(RunFolderError, match="holds a run of ADA or ERM, expected an adaptation"):
            adapt()
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("")
        with pytest.raises(RunFolderError, match="is not a run folder"):
            adapt(folder=tmp_path / "mine")
        assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]

    def test_in_use_is_refused_with_how_to_go_on(self, adapt, tmp_path):
        with (
            RunFolder(tmp_path / "run").locked(),
            pytest.raises(RunFolderError, match=r"is in use by .*resume with: unseen\.adapt\(\.\.\., folder="),
        ):
            adapt()


def test_progress_is_told_step_by_step(make_net, digits, target):
    seen = []
    unseen.adapt(make_net(), digits, target, SHORT, progress=seen.append, warn=str)
    assert [(p.phase, p.done, p.of) for p in seen] == [("adapt", t, 7) for t in range(8)]
