"""Algorithm 1 beside its slow, obvious twin, step by step, in float64."""

import copy
import dataclasses
from types import SimpleNamespace

import pytest
import torch
from reference import algorithm as reference
from torch import nn

import unseen
from unseen.base.randomness import Draws
from unseen.engine import Engine
from unseen.method.algorithm import augment_and_train
from unseen.method.descent import optimizer_for
from unseen.method.pool import Pool
from unseen.method.settings import ADA, ERM
from unseen.method.state import State
from unseen.models.split import split

CLOSE = {"rtol": 1e-9, "atol": 1e-11}
# A bias before BatchNorm has no gradient but rounding, 1e-17, which Adam divides by its epsilon, 1e-8.
CLOSE_AFTER_BATCHNORM = {"rtol": 1e-6, "atol": 1e-6}
BASE = ADA(gamma=2.0, eta=3.0, alpha=1e-2, K=2, T_min=3, T_max=4, T=10, batch=6, n=9)


class Notes:
    """An observer that writes everything down and remembers nothing for anybody."""

    def __init__(self):
        self.losses, self.events, self.rounds, self.ascents = [], [], [], []

    def stepped(self, state):
        self.losses.append(float(state.losses))
        state.losses.zero_()
        self.events.append("step")

    def recall(self, k, part, parents):
        return None

    def ascended(self, k, images, of):
        self.ascents.append((k, images, of))

    def made(self, k, part, images, parents):
        pass

    def appended(self, state, starts):
        images, labels = state.pool.take(torch.arange(len(state.pool))[state.pool.round(state.k)])
        self.rounds.append(SimpleNamespace(images=images, labels=labels, starts=starts))
        self.events.append(f"round {state.k}")


def run(net, x, y, ada, seed=5, observer=None):
    """The library's Algorithm 1 on a copy of the net, in the net's own precision; gives the state it ends in."""
    net, notes, engine = split(copy.deepcopy(net)), observer or Notes(), Engine("cpu", "float32", threads=1)
    engine.place(net)
    net.train()
    with engine.running():
        state = State(net, engine.prepare(net), optimizer_for(net, ada), Pool(x, y, ada.K, ada.n), Draws(seed))
        augment_and_train(state, ada, engine, notes)
    return state, notes


def chosen_by(ada, size, seed=5):
    """The minibatches and the draws a run with this seed makes, got from a second set of its generators."""
    draws, n, rounds = Draws(seed), ada.n or size, [t // ada.T_min for t in range(ada.T)]
    minibatches = [draws.minibatch(size + min(k, ada.K) * n, ada.batch) for k in rounds]
    drawn = ada.K if ada.sampling == "union" else min(ada.K, 1)
    return minibatches, [draws.without_replacement(size + k * n, n) for k in range(drawn)]


TWINS = ("gamma", "K", "T_min", "T_max", "eta", "alpha", "T", "batch", "cost", "scale", "sampling", "clip", "ridge")
"""the settings that the twin knows; of the others, each has a twin of its own"""


def run_twin(net, features_of, x, y, ada, seed=5):
    net = copy.deepcopy(net)
    minibatches, draws = chosen_by(ada, len(x), seed)
    settings = {name: getattr(ada, name) for name in TWINS} | {"n": ada.n or len(x)}
    record = reference.train(net, features_of(net), x, y, **settings, minibatches=minibatches, draws=draws)
    return net, record


def all_but_last(net):
    return lambda x: net[:-1](x)


def hidden_of_user_net(net):
    return lambda x: torch.tanh(net.fc1(x.flatten(1)))


def without_dropout(net):
    """Dropout's draws are the one choice the twin can't be handed."""
    for module in net.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return net


def assert_same_training(net, features_of, x, y, ada, close=CLOSE):
    state, notes = run(net, x, y, ada)
    twin, record = run_twin(net, features_of, x, y, ada)
    torch.testing.assert_close(notes.losses, record.losses, **close)
    assert len(notes.rounds) == len(record.rounds) == ada.K
    for made, (X_k, Y) in zip(notes.rounds, record.rounds, strict=True):
        torch.testing.assert_close(made.images, X_k, **close)
        assert torch.equal(made.labels, Y)
    torch.testing.assert_close(state.pool.images, record.images, **close)
    assert torch.equal(state.pool.labels, record.labels)
    for name, parameter in state.net.model.named_parameters():
        torch.testing.assert_close(
            parameter.detach(), record.parameters[name], **close, msg=lambda m, n=name: f"{n}: {m}"
        )
    for (name, buffer), expected in zip(state.net.model.named_buffers(), twin.buffers(), strict=True):
        torch.testing.assert_close(buffer, expected, **close, msg=lambda m, n=name: f"{n}: {m}")
    return state, notes


@pytest.fixture
def net(make_net):
    return make_net("plain", dtype=torch.float64)


@pytest.fixture
def source(make_digits):
    return make_digits(14, dtype=torch.float64)


@pytest.mark.parametrize("K", [0, 1, 3])
@pytest.mark.parametrize("sampling", ["union", "chain"])
@pytest.mark.parametrize("scale", ["released", "paper"])
@pytest.mark.parametrize("cost", ["semantic", "pixel"])
def test_training_is_that_of_the_twin(net, source, cost, scale, sampling, K):
    ada = dataclasses.replace(
        BASE, cost=cost, scale=scale, sampling=sampling, K=K, eta=3.0 if scale == "released" else 0.3
    )
    state, notes = assert_same_training(net, all_but_last, *source, ada)
    for made in notes.rounds:
        moved = (made.images - state.pool.images[made.starts]).abs().amax((1, 2, 3))
        assert moved.min() > 1e-4, "the comparison means nothing if the images didn't move"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"clip": True, "eta": 60.0}, id="clip"),
        pytest.param({"clip": True, "eta": 4.0, "scale": "paper", "sampling": "chain"}, id="clip, paper, chain"),
        pytest.param({"ridge": 0.5}, id="ridge"),
        pytest.param({"ridge": 0.5, "K": 0}, id="ridge without rounds"),
        pytest.param({"n": None}, id="as many as the source"),
        pytest.param({"n": 1}, id="one image in a round"),
        pytest.param({"n": 33, "K": 1}, id="more images in a round than the pool has"),
        pytest.param({"n": 70, "K": 2, "sampling": "chain"}, id="more than one ascent batch"),
        pytest.param({"gamma": 0.0}, id="gamma 0"),
        pytest.param({"eta": 0.0}, id="eta 0"),
        pytest.param({"batch": 1}, id="batch 1"),
        pytest.param({"batch": 40}, id="batch greater than the pool"),
        pytest.param({"T_min": 1, "K": 3, "T": 4}, id="one step before each round and one after the last"),
        pytest.param({"T_max": 1}, id="one ascent step"),
    ],
)
def test_training_is_that_of_the_twin_with(net, source, changes):
    assert_same_training(net, all_but_last, *source, dataclasses.replace(BASE, **changes))


@pytest.mark.parametrize("cost", ["semantic", "pixel"])
@pytest.mark.parametrize("sampling", ["union", "chain"])
def test_training_with_batch_normalization_is_that_of_the_twin(make_net, source, cost, sampling):
    net = without_dropout(make_net("normalized", dtype=torch.float64))
    ada = dataclasses.replace(BASE, cost=cost, sampling=sampling, ridge=0.1)
    assert_same_training(net, all_but_last, *source, ada, CLOSE_AFTER_BATCHNORM)


def test_training_of_a_net_with_its_head_by_name_is_that_of_the_twin(make_net, source):
    net = split(make_net("user", dtype=torch.float64), head="fc2")
    state, notes = run(net, *source, BASE)
    _, record = run_twin(net.model, hidden_of_user_net, *source, BASE)
    torch.testing.assert_close(notes.losses, record.losses, **CLOSE)
    torch.testing.assert_close(state.pool.images, record.images, **CLOSE)


def test_parts_of_a_round_that_were_made_before_are_used_and_the_others_made(net, source, monkeypatch):
    monkeypatch.setattr(Engine, "part_size", lambda self, image: 4)

    class Remembers(Notes):
        kept: dict = {}  # noqa: RUF012

        def recall(self, k, part, parents):
            return self.kept.get((k, part)) if part == 1 else None

        def made(self, k, part, images, parents):
            Remembers.kept[k, part] = images
            self.events.append(f"made {part} of round {k}")

    first, _ = run(net, *source, BASE, observer=Remembers())
    again = Remembers()
    second, _ = run(net, *source, BASE, observer=again)
    assert [e for e in again.events if "made" in e] == [f"made {p} of round {k}" for k in (1, 2) for p in (0, 2)]
    assert again.ascents == [(k, images, 9) for k in (1, 2) for images in (4, 4, 1)]
    assert torch.equal(first.pool.images, second.pool.images)


def test_T_counts_the_steps_between_rounds_too(net, source):
    _, notes = run(net, *source, dataclasses.replace(BASE, K=3, T_min=2, T=9))
    assert (
        notes.events
        == ["step"] * 2 + ["round 1"] + ["step"] * 2 + ["round 2"] + ["step"] * 2 + ["round 3"] + ["step"] * 3
    )


def test_spread_rounds_come_evenly_over_T(net, source):
    ada = dataclasses.replace(BASE, K=3, T=10, spread=True, over="tone", T_max=1)
    _, notes = run(net, *source, ada)
    rounds = [notes.events[:i].count("step") for i, event in enumerate(notes.events) if event.startswith("round")]
    assert rounds == [2, 5, 7]
    assert notes.events.count("step") == 10


def test_one_clock_of_adam_runs_through_all_rounds(net, source):
    state, _ = run(net, *source, BASE)
    clocks = [int(moments["step"]) for moments in state.optimizer.state.values()]
    assert clocks == [BASE.T] * len(list(net.parameters()))
    assert (state.t, state.k) == (BASE.T, BASE.K)


@pytest.mark.parametrize("sampling", ["union", "chain"])
def test_a_fictitious_sample_has_the_label_of_the_image_it_came_from(net, source, sampling):
    x, y = source
    state, notes = run(net, x, y, dataclasses.replace(BASE, sampling=sampling, eta=100.0))
    for made in notes.rounds:
        assert torch.equal(made.labels, state.pool.labels[made.starts])
    row = torch.arange(len(state.pool))
    for _ in range(BASE.K):
        row = state.pool.parents[row]
    assert torch.equal(state.pool.labels, y[row])
    assert torch.equal(y, source[1])
    assert torch.equal(state.pool.images[: len(x)], x)


def test_a_chain_goes_on_from_the_images_of_the_round_before(net, source):
    state, notes = run(net, *source, dataclasses.replace(BASE, sampling="chain", K=3))
    assert notes.rounds[0].starts.max() < len(source[0])
    for k in (1, 2):
        rows = state.pool.round(k)
        assert notes.rounds[k].starts.tolist() == list(range(rows.start, rows.stop))


def hand_written_training(net, x, y, ada, seed):
    """Plain training as anybody would write it, with torch's own Adam and the run's minibatches."""
    net, draws = copy.deepcopy(net).train(), Draws(seed)
    weights = [p for p in net.parameters() if p.ndim > 1]
    optimizer = torch.optim.Adam(net.parameters(), lr=ada.alpha)
    losses = []
    for _ in range(ada.T):
        rows = draws.minibatch(len(x), ada.batch)
        loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
        optimizer.zero_grad()
        (loss + ada.ridge / 2 * sum(w.square().sum() for w in weights)).backward()
        optimizer.step()
        losses.append(loss.item())
    return net, losses


@pytest.mark.parametrize("ridge", [0.0, 0.3], ids=["no ridge", "ridge"])
def test_erm_is_a_hand_written_training_loop(net, source, ridge):
    ada = ERM(alpha=1e-2, T=30, batch=6, ridge=ridge)
    assert ada.K == 0
    state, notes = run(net, *source, ada)
    expected, losses = hand_written_training(net, *source, ada, seed=5)
    torch.testing.assert_close(notes.losses, losses, **CLOSE)
    for ours, theirs in zip(state.net.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, **CLOSE)
    assert len(state.pool) == len(source[0])


def test_fit_with_erm_is_a_hand_written_training_loop(make_net, make_digits):
    ada, x_y, net = ERM(alpha=1e-3, T=30, batch=6), make_digits(14), make_net("plain")
    expected, _ = hand_written_training(net, *x_y, ada, seed=3)
    run = unseen.fit(copy.deepcopy(net), x_y, ada, seed=3)
    for ours, theirs in zip(run.net.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_fit_is_the_twins_training_to_float32(make_net, make_digits):
    (x, y), net = make_digits(14), make_net("plain")
    run = unseen.fit(copy.deepcopy(net), (x, y), BASE, seed=5)
    _, record = run_twin(net, all_but_last, x, y, BASE, seed=5)
    torch.testing.assert_close(run.pool.images, record.images, rtol=0, atol=1e-3)
    assert torch.equal(run.pool.labels, record.labels)
    for name, parameter in run.net.model.named_parameters():
        torch.testing.assert_close(parameter.detach(), record.parameters[name], rtol=0, atol=1e-3)
