"""Training as people train: each setting beside its slow twin, and what is refused."""

import copy
import math

import pytest
import torch
from reference import practice as reference
from torch import nn

import unseen
from unseen.base.labels import VOID
from unseen.base.randomness import Draws
from unseen.engine import Engine
from unseen.errors import InputError
from unseen.method.algorithm import minimize
from unseen.method.cost import softmax_loss
from unseen.method.descent import class_weights, minibatch, optimizer_for
from unseen.method.freezing import check_frozen, partly_frozen, train_mode
from unseen.method.losses import minimization_losses, views_of
from unseen.method.pool import Pool
from unseen.method.result import Result
from unseen.method.settings import ADA, ERM
from unseen.method.state import State
from unseen.models.split import split

ENGINE = Engine("cpu", "float32", threads=1)


@pytest.fixture
def make_state(make_net, make_digits):
    def make(ada, n=24):
        net, (x, y) = split(make_net("plain", dtype=torch.float64)), make_digits(n, dtype=torch.float64)
        optimizer, result = optimizer_for(net, ada), Result(net.model, ada.average)
        return State(net, net, optimizer, Pool(x, y), Draws(5), result=result, class_weights=class_weights(ada, y))

    return make


def steps_of(state, ada):
    """The weights before the first step and after each."""
    seen = [copy.deepcopy(state.net.model.state_dict())]
    with ENGINE.running():
        state.forward = ENGINE.prepare(state.net)
        for _ in range(ada.T):
            minimize(state, ENGINE, ada)
            seen.append(copy.deepcopy(state.net.model.state_dict()))
    return seen


STEPS = {
    "sgd": {"optimizer": "sgd"},
    "sgd without momentum, with decay": {"optimizer": "sgd", "momentum": 0.0, "weight_decay": 0.1},
    "adamw": {"optimizer": "adamw", "weight_decay": 0.1},
    "a slower body": {"optimizer": "sgd", "body_rate": 0.1, "schedule": "cosine"},
    "a clipped gradient": {"optimizer": "adamw", "clip_gradient": 0.05, "weight_decay": 0.1},
    "steps after a warm-up": {"optimizer": "sgd", "schedule": "steps", "warmup": 3, "drops": (0.5, 0.8), "drop": 0.2},
    "weights and smoothing": {"optimizer": "sgd", "class_weights": (1.0, 2.0, 0.5, 0.0), "label_smoothing": 0.2},
}


@pytest.mark.parametrize("settings", STEPS.values(), ids=STEPS)
def test_steps_are_the_twins(make_state, settings):
    ada = ERM(alpha=0.02, T=8, batch=6, **settings)
    state, again = make_state(ada), make_state(ada)
    net = again.net.model
    head = {id(p) for p in net[-1].parameters()}
    kind = {"sgd": reference.SGD, "adamw": reference.AdamW}[ada.optimizer]
    by_hand = kind(
        net, rates=lambda p: 1.0 if id(p) in head else ada.body_rate, decay=ada.weight_decay, clip=ada.clip_gradient,
        momentum=ada.momentum,
    )  # fmt: skip
    schedule = {"schedule": ada.schedule, "warmup": ada.warmup, "drops": ada.drops, "drop": ada.drop}
    for t in range(ada.T):
        rows = again.draws.minibatch(len(again.pool), ada.batch)
        values = minimization_losses(again, ada, *views_of(again, ENGINE, ada, rows))
        by_hand.descend(values.mean(), reference.rate(ada.alpha, t, ada.T, **schedule))
    steps_of(state, ada)
    for ours, theirs in zip(state.net.parameters(), net.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-10)


def test_with_sgd_weight_decay_and_ridge_are_one_thing_and_with_adam_they_are_not(make_state):
    def end(**settings):
        ada = ERM(alpha=0.02, T=4, batch=6, **settings)
        return steps_of(make_state(ada), ada)[-1]["6.weight"]

    assert torch.equal(end(optimizer="sgd", weight_decay=0.3), end(optimizer="sgd", ridge=0.3))
    assert not torch.allclose(end(optimizer="adamw", weight_decay=0.3), end(ridge=0.3))
    assert torch.equal(end(optimizer="adamw"), end())


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_the_smoothed_and_weighted_loss_is_the_twins(smoothing):
    draw = torch.Generator().manual_seed(0)
    scores, y = torch.randn(6, 4, generator=draw, dtype=torch.float64), torch.tensor([0, 1, 2, 3, 1, 1])
    weights = torch.tensor([2.0, 0.5, 1.0, 0.0])
    expected = [reference.smoothed_loss(s, int(c), smoothing) for s, c in zip(scores.tolist(), y, strict=True)]
    assert softmax_loss(scores, y, smoothing).tolist() == pytest.approx(expected)
    weighted = [value * float(weights[c]) for value, c in zip(expected, y, strict=True)]
    assert softmax_loss(scores, y, smoothing, weights).tolist() == pytest.approx(weighted)


def test_for_masks_both_are_means_over_the_labelled_pixels():
    draw = torch.Generator().manual_seed(0)
    scores = torch.randn(2, 3, 2, 2, generator=draw, dtype=torch.float64)
    y = torch.tensor([[[0, 1], [2, VOID]], [[VOID, VOID], [VOID, 1]]], dtype=torch.uint8)
    weights = torch.tensor([3.0, 1.0, 0.5])
    expected = []
    for n in range(2):
        places = [(i, j) for i in range(2) for j in range(2) if y[n, i, j] != VOID]
        terms = [
            float(weights[int(y[n, i, j])]) * reference.smoothed_loss(scores[n, :, i, j].tolist(), int(y[n, i, j]), 0.1)
            for i, j in places
        ]
        expected.append(sum(terms) / len(places))
    assert softmax_loss(scores, y, 0.1, weights).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 3, 3], [2, 2, 2]], ids=["one missing", "one class"])
def test_balanced_weights_are_the_twins_and_their_mean_over_the_labels_is_1(labels):
    ours = class_weights(ERM(class_weights="balanced"), torch.tensor(labels))
    assert ours.tolist() == pytest.approx(reference.balanced_weights(labels, max(labels) + 1))
    assert ours[labels].mean() == pytest.approx(1.0)
    masks = torch.tensor([*labels, VOID, VOID], dtype=torch.uint8).view(1, -1, 1)
    assert torch.equal(class_weights(ERM(class_weights="balanced"), masks), ours)


def test_balanced_minibatches_have_every_class_as_often_and_every_image_of_one_class_as_often():
    labels = torch.tensor([3] * 6 + [0] * 30 + [1] * 4)
    pool, ada = Pool(torch.zeros(40, 1, 2, 2), labels), ERM(minibatches="balanced", batch=60)
    state = State(None, None, None, pool, Draws(1))
    drawn = torch.cat([minibatch(state, ada) for _ in range(100)])
    times = torch.bincount(drawn, minlength=40)
    shares = torch.bincount(labels[drawn], minlength=4) / len(drawn)
    assert shares.tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3], abs=0.03)
    for c in (0, 1, 3):
        each = times[labels == c].double()
        expected = 2000 / len(each)
        assert ((each - expected).abs() < 5 * math.sqrt(expected)).all()


def test_the_average_is_the_twins_and_the_weights_themselves_are_as_without_it(make_state):
    ada = ERM(alpha=0.02, T=12, batch=6, average=0.7)
    state = make_state(ada)
    seen = steps_of(state, ada)
    for name, mean in state.result.average.items():
        values = [each[name].flatten()[0].item() for each in seen]
        assert mean.flatten()[0].item() == pytest.approx(reference.moving_average(values, 0.7))
    without = ERM(alpha=0.02, T=12, batch=6)
    assert torch.equal(seen[-1]["6.weight"], steps_of(make_state(without), without)[-1]["6.weight"])


def test_inside_the_model_has_the_average_and_afterwards_its_own_weights():
    model = nn.BatchNorm1d(2)
    result = Result(model, 0.5)
    with torch.no_grad():
        model.weight.fill_(3.0)
    model.num_batches_tracked.fill_(7)
    result.follow(model, 1)
    with result.inside(model):
        assert model.weight.tolist() == pytest.approx([3 - 2 * 2 / 11] * 2)
        assert model.num_batches_tracked == 7
    assert model.weight.tolist() == [3.0, 3.0]


def test_of_equals_the_earliest_is_kept():
    model, result = nn.BatchNorm1d(1), Result()
    for t, value in enumerate([0.2, 0.5, 0.5, 0.4], 1):
        with torch.no_grad():
            model.weight.fill_(t)
        result.consider(model, value, t)
    assert (result.value, result.step) == (0.5, 2)
    result.put_into(model)
    assert model.weight.item() == 2.0


# Frozen layers.


@pytest.mark.parametrize(
    ("freeze", "trained"),
    [
        ("body", ["head.weight", "head.bias"]),
        (("body.0", "head.bias"), ["body.1.weight", "body.1.bias", "head.weight"]),
    ],
    ids=str,
)
def test_what_is_frozen_has_no_gradient_and_its_statistics_stay(freeze, trained):
    net = Two()
    ada = ERM(freeze=freeze)
    net.body[1].bias.requires_grad_(freeze != "body")
    flags = [p.requires_grad for p in net.parameters()]
    whole = split(net, "head")
    with partly_frozen(whole, ada):
        train_mode(whole, ada)
        assert [name for name, p in net.named_parameters() if p.requires_grad] == trained
        assert net.training
        assert net.body[1].training is (freeze != "body")
    assert [p.requires_grad for p in net.parameters()] == flags


def test_with_frozen_norms_the_statistics_stay_and_the_scales_are_trained():
    net, ada = split(Two(), "head"), ERM(freeze_norms=True)
    train_mode(net, ada)
    assert not net.model.body[1].training
    with partly_frozen(net, ada):
        assert all(p.requires_grad for p in net.parameters())


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            self.body, self.head = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"freeze": "boby.0"}, 'freeze: the model has no layer "boby.0"; did you mean "body.0"?'),
        ({"freeze": ("body", "head")}, "freeze=('body', 'head') leaves no layer to train; name fewer"),
    ],
    ids=["unknown", "all"],
)
def test_layers_that_cant_be_frozen_are_refused(settings, said):
    with pytest.raises(InputError) as caught:
        check_frozen(split(Two(), "head"), ERM(**settings))
    assert str(caught.value) == said


def test_statistics_of_no_norm_cant_be_frozen():
    net = Two()
    net.body[1] = nn.Identity()
    with pytest.raises(InputError, match="freeze_norms: the model has no BatchNorm"):
        check_frozen(split(net, "head"), ERM(freeze_norms=True))


# Epochs, and what is refused.


def test_epochs_are_steps_of_the_sources_size():
    ada = ERM(epochs=2.5, batch=32)
    assert ada.for_source(100).T == 8
    assert ada.for_source(100).for_source(100) == ada.for_source(100)
    assert ERM(T=7).for_source(100).T == 7
    assert ADA(epochs=3, K=200, T_min=100, batch=1).for_source(10_000).T == 30_000
    with pytest.raises(InputError, match=r"T=300 and epochs=2.5, which for 100 images in minibatches of 32 is T=8"):
        ERM(epochs=2.5, T=300).for_source(100)


def test_too_few_epochs_for_the_rounds_are_refused_with_three_ways_out():
    with pytest.raises(InputError) as refused:
        ADA(epochs=1).for_source(100)
    assert str(refused.value) == (
        "1 epochs of 100 images in minibatches of 32 are 4 steps, and K=2 rounds of T_min=100 steps need more than "
        "200: say spread = true (--spread), which spreads the rounds over the steps there are, or epochs = 65, or a "
        "lower T_min or K"
    )
    assert ADA(epochs=65).for_source(100).T > 200
    assert ADA(epochs=1, spread=True).for_source(100).T == 4


def test_settings_that_are_off_are_in_no_dictionary_and_the_others_come_back():
    assert set(ADA().asdict()) == set(ADA(schedule="constant").asdict())
    assert "optimizer" not in ADA().asdict()
    ada = ADA(optimizer="sgd", drops=[0.3], schedule="steps", class_weights=[1, 2.5], freeze=["a"], validation=0.1)
    assert ADA(**ada.asdict()) == ada
    assert ada.practice == {
        "optimizer": "sgd", "drops": (0.3,), "class_weights": (1, 2.5), "freeze": ("a",), "validation": 0.1,
    }  # fmt: skip


WRONG = {
    "decay of adam": ({"weight_decay": 0.1}, 'weight_decay=0.1 with optimizer="adam": adam has ridge'),
    "decay and ridge": (
        {"weight_decay": 0.1, "ridge": 0.2, "optimizer": "adamw"},
        "weight_decay=0.1 and ridge=0.2: both pull the weights to 0; leave one out",
    ),
    "momentum of adam": ({"momentum": 0.5}, 'momentum=0.5 with optimizer="adam": it is sgd\'s; say optimizer="sgd"'),
    "drops of a constant": ({"drops": (0.5,)}, 'drops=(0.5,) with schedule="constant": say schedule="steps"'),
    "weights and balanced draws": (
        {"class_weights": "balanced", "minibatches": "balanced"},
        "class_weights='balanced' with minibatches=\"balanced\": rare classes would count twice; leave one out",
    ),
    "a rate of what is frozen": ({"freeze": "body", "body_rate": 0.1}, 'body_rate=0.1 with freeze="body": a frozen'),
    "a choice by nothing": ({"select": "source-validation"}, 'select="source-validation" without a validation share'),
    "a choice by a target": ({"select": "target"}, 'select="target": expected "last" or "source-validation"'),
    "an unknown optimizer": (
        {"optimizer": "adamm"},
        'optimizer="adamm": expected "adam", "adamw" or "sgd"; did you mean "adam',
    ),
    "a share of all": ({"validation": 1.0}, "validation=1.0: expected a share from 0 to below 1"),
    "a body at rest": ({"body_rate": 0}, 'body_rate=0: expected a finite number above 0; to train the head alone say'),
    "weights by a name": ({"class_weights": "even"}, 'class_weights="even": expected "balanced" or a number for each'),
    "weights of nothing": ({"class_weights": (0.0, 0)}, "class_weights=(0.0, 0): expected a finite number"),
    "drops in disorder": ({"schedule": "steps", "drops": (0.8, 0.5)}, "drops=(0.8, 0.5): expected shares of T in"),
    "no epoch": ({"epochs": 0}, "epochs=0: expected a finite number above 0"),
    "a norm of 0": ({"clip_gradient": 0.0}, "clip_gradient=0.0: expected a finite number above 0"),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "said"), WRONG.values(), ids=WRONG)
def test_settings_that_exclude_each_other_or_make_no_sense_get_one_message(settings, said):
    with pytest.raises(InputError) as caught:
        unseen.ERM(**settings)
    assert str(caught.value).startswith(f"ADA: {said}")
    assert "\n" not in str(caught.value)
