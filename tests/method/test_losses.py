"""The terms of the minimization beside their slow twins, and the views they are of."""

import copy
import dataclasses
import math

import pytest
import torch
from reference import losses as reference
from reference.algorithm import Adam

import unseen
from unseen.base.randomness import Draws
from unseen.engine import Engine
from unseen.method.algorithm import minimize
from unseen.method.cost import entropy
from unseen.method.descent import optimizer_for
from unseen.method.losses import jensen_shannon, minimization_losses, supervised_contrast, views_of
from unseen.method.pool import Pool
from unseen.method.settings import ADA, ERM
from unseen.method.state import State
from unseen.models.split import split

ENGINE = Engine("cpu", "float32", threads=1)


def random(*shape, seed=0):
    return 2 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_entropy_is_the_twins():
    scores = random(6, 4)
    assert entropy(scores).tolist() == pytest.approx([reference.entropy(row) for row in scores.tolist()])


@pytest.mark.parametrize("views", [2, 3])
def test_the_jensen_shannon_divergence_is_the_twins(views):
    scores = [random(6, 4, seed=v) for v in range(views)]
    expected = [reference.jensen_shannon([view[i].tolist() for view in scores]) for i in range(6)]
    assert jensen_shannon(scores).tolist() == pytest.approx(expected)
    assert jensen_shannon([scores[0]] * views).abs().max() < 1e-7


def test_for_masks_both_are_means_over_a_samples_pixels():
    one, other = random(2, 4, 2, 3), random(2, 4, 2, 3, seed=1)
    places = [(i, j) for i in range(2) for j in range(3)]
    divergences = [
        sum(reference.jensen_shannon([view[n, :, i, j].tolist() for view in (one, other)]) for i, j in places) / 6
        for n in range(2)
    ]
    assert jensen_shannon([one, other]).tolist() == pytest.approx(divergences)
    entropies = [sum(reference.entropy(one[n, :, i, j].tolist()) for i, j in places) / 6 for n in range(2)]
    assert entropy(one).tolist() == pytest.approx(entropies)


def test_certain_predictions_have_finite_terms_and_gradients():
    scores = torch.tensor([[200.0, 0.0, -200.0], [0.0, 0.0, 0.0]], requires_grad=True)
    value = (jensen_shannon([scores, scores.flip(1)]) + entropy(scores)).sum()
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(scores.grad).all()


@pytest.mark.parametrize(
    "y",
    [[0, 1, 0, 2, 1, 0], [0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5]],
    ids=["some alone", "one class", "all alone"],
)
def test_the_supervised_contrast_is_the_twins(y):
    z = random(6, 2, 3)
    ours = supervised_contrast(z.requires_grad_(), torch.tensor(y))
    assert ours.tolist() == pytest.approx(reference.supervised_contrast(z.flatten(1).tolist(), y))
    (gradient,) = torch.autograd.grad(ours.sum(), z)
    assert torch.isfinite(gradient).all()


# Views.


@pytest.fixture
def make_state(make_net, make_digits):
    def make(ada, n=24, dtype=torch.float64):
        net, (x, y) = split(make_net("plain", dtype=dtype)), make_digits(n, dtype=dtype)
        pool = Pool(x, y, ada.K, ada.n, keep=ada.keep)
        return State(net, net, optimizer_for(net, ada), pool, Draws(5))

    return make


ROWS = torch.arange(20)


def changed(view, x):
    return (view - x).abs().amax((1, 2, 3)) > 1e-9


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.5, 5, 15), (1.0, 20, 20)])
def test_a_share_of_the_minibatch_is_transformed(make_state, share, least, most):
    ada = ERM(augment="photometric", augment_share=share)
    state = make_state(ada)
    counts = []
    for _ in range(10):
        (view,), y = views_of(state, ENGINE, ada, ROWS)
        assert view.dtype == torch.float64
        assert torch.equal(y, state.pool.labels[ROWS])
        counts.append(int(changed(view, state.pool.images[ROWS]).sum()))
    assert all(least <= count <= most for count in counts)
    assert sum(counts) / 200 == pytest.approx(share, abs=0.1)
    assert len(set(counts)) > 1 or share in (0, 1), "drawn anew at each step"


def test_what_is_transformed_is_what_its_chain_gives(make_state):
    ada = ERM(augment="everything", augment_share=1.0)
    state, draw = make_state(ada), Draws(5).augmentation
    torch.rand(20, generator=draw)
    links = ada.augmented.draw(20, draw)
    (view,), _ = views_of(state, ENGINE, ada, ROWS)
    torch.testing.assert_close(view, ada.augmented.images(state.pool.images[ROWS], links), rtol=0, atol=1e-9)


def test_with_consistency_there_are_three_views_two_of_them_transformed_whole(make_state):
    ada = ERM(augment="standard", consistency=1.0)
    state = make_state(ada)
    views, _ = views_of(state, ENGINE, ada, ROWS)
    x = state.pool.images[ROWS]
    counts = [int(changed(view, x).sum()) for view in views]
    assert counts[1:] == [20, 20]
    assert 4 < counts[0] < 16
    assert not torch.equal(views[1], views[2])


def test_without_augmentation_the_second_view_is_what_a_sample_was_made_from(make_state):
    ada = ADA(K=2, n=5, consistency=1.0, sampling="chain")
    state = make_state(ada)
    pool = state.pool
    for k, value in ((1, 0.1), (2, 0.2)):
        starts = torch.tensor([3, 3, 0, 22, 9]) if k == 1 else torch.arange(24, 29)
        pool.write(torch.full((5, 3, 8, 8), value, dtype=torch.float64), starts, at=0)
        pool.close()
    rows = torch.tensor([7, 24, 33, 30, 23])
    (x, origins), y = views_of(state, ENGINE, ada, rows)
    assert torch.equal(x, pool.images[rows])
    assert torch.equal(origins, pool.images[[7, 3, 9, 3, 23]])
    assert torch.equal(y, pool.labels[rows])


def test_without_either_there_is_one_view_and_nothing_is_drawn(make_state):
    ada = ERM()
    state = make_state(ada)
    before = state.draws.augmentation.get_state()
    (view,), _ = views_of(state, ENGINE, ada, ROWS)
    assert torch.equal(view, state.pool.images[ROWS])
    assert torch.equal(state.draws.augmentation.get_state(), before)


def test_masks_of_what_moved_move_with_it():
    draw = torch.Generator().manual_seed(0)
    x = torch.rand(12, 3, 8, 12, generator=draw)
    y = (255 * x[:, 0]).to(torch.uint8) // 64
    ada = ERM(augment="affine", augment_share=0.5)
    state = State(None, None, None, Pool(x, y), Draws(2))
    (view,), labels = views_of(state, ENGINE, ada, torch.arange(12))
    moved = changed(view, x)
    assert 0 < moved.sum() < 12
    assert torch.equal((labels != y).flatten(1).any(1), moved)
    assert labels.dtype == torch.uint8


# The sum of the terms, and steps along it.

TERMS = {
    "none": {},
    "consistency": {"consistency": 2.0},
    "confidence penalty": {"confidence_penalty": 0.7},
    "contrast": {"contrast": 0.4},
    "all": {"consistency": 2.0, "confidence_penalty": 0.7, "contrast": 0.4},
}


def by_twin(net, ada, views, y):
    """One value for each sample, from the model's scores and features as numbers."""
    scores = [net(view).tolist() for view in views]
    z = net[:-1](views[0]).tolist()
    contrast = reference.supervised_contrast(z, y.tolist())
    return [
        reference_loss(scores[0][i], int(y[i]))
        + ada.consistency * reference.jensen_shannon([view[i] for view in scores])
        - ada.confidence_penalty * reference.entropy(scores[0][i])
        + ada.contrast * contrast[i]
        for i in range(len(y))
    ]


def reference_loss(scores, label):
    return -math.log(reference.softmax(scores)[label])


@pytest.mark.parametrize("terms", TERMS.values(), ids=TERMS)
def test_what_is_minimized_is_the_twins_sum(make_state, terms):
    ada = ERM(augment="photometric", **terms)
    state = make_state(ada)
    views, y = views_of(state, ENGINE, ada, ROWS)
    ours = minimization_losses(state, ada, views, y)
    assert ours.tolist() == pytest.approx(by_twin(state.net.model, ada, views, y))
    assert not state.net.model[-1]._forward_pre_hooks, "the watch is over"


@pytest.mark.parametrize(
    "ada",
    [
        pytest.param(ERM(alpha=1e-2, T=12, batch=8, schedule="cosine"), id="cosine"),
        pytest.param(ERM(alpha=1e-2, T=6, batch=8, augment="standard", ridge=0.1, **TERMS["all"]), id="every term"),
    ],
)
def test_steps_are_those_of_adam_on_that_sum_with_the_schedules_rate(make_state, ada):
    state, again = make_state(ada), make_state(ada)
    net = copy.deepcopy(again.net.model).train()
    by_hand, losses = Adam(net, ada.alpha), []
    again = dataclasses.replace(again, net=split(net), forward=net)
    with ENGINE.running():
        state.forward = ENGINE.prepare(state.net)
        for _ in range(ada.T):
            minimize(state, ENGINE, ada)
    for t in range(ada.T):
        rows = again.draws.minibatch(len(again.pool), ada.batch)
        values = minimization_losses(again, ada, *views_of(again, ENGINE, ada, rows))
        squares = sum((w**2).sum() for w in net.parameters() if w.dim() >= 2)
        by_hand.alpha = ada.alpha if ada.schedule == "constant" else reference.cosine_rate(ada.alpha, t, ada.T)
        by_hand.descend(values.mean() + ada.ridge / 2 * squares)
        losses.append(values.mean().item())
    assert float(state.losses) == pytest.approx(sum(losses))
    for ours, theirs in zip(state.net.parameters(), net.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-10)


def test_the_cosine_goes_from_alpha_to_almost_0_and_adam_is_told(make_state, monkeypatch):
    ada, rates = ERM(alpha=0.01, T=10, batch=4, schedule="cosine"), []
    state = make_state(ada)
    step = state.optimizer.step

    def note():
        rates.append({group["lr"] for group in state.optimizer.param_groups})
        step()

    monkeypatch.setattr(state.optimizer, "step", note)
    with ENGINE.running():
        state.forward = ENGINE.prepare(state.net)
        for _ in range(ada.T):
            minimize(state, ENGINE, ada)
    expected = [reference.cosine_rate(0.01, t, 10) for t in range(10)]
    assert [rate for (rate,) in rates] == pytest.approx(expected)
    assert rates[0] == {0.01}
    assert 0 < expected[-1] < 0.001
    assert {ERM(alpha=0.01, T=10).rate(t) for t in range(10)} == {0.01}


def test_fit_takes_every_term_at_once(make_net, digits):
    ada = ADA(
        K=2, T=8, spread=True, keep=1, sampling="source", T_max=2, batch=6, n=6, over="standard", augment="jitter",
        consistency=1.0, confidence_penalty=0.1, contrast=0.1, entropy=0.5, schedule="cosine", alpha=1e-2,
    )  # fmt: skip
    run = unseen.fit(make_net("normalized"), digits, ada)
    assert (run.pool.rounds, len(run.pool)) == (2, 30)
    again = unseen.fit(make_net("normalized"), digits, ada)
    assert torch.equal(run.pool.images, again.pool.images)
    assert run.metrics == again.metrics
