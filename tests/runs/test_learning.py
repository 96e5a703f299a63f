"""The remark on a training that ended no better than guessing."""

import math

import pytest

import unseen
from unseen.runs.learning import remark_on_loss

SETTINGS = {"T": 40, "batch": 8}


def test_a_loss_no_lower_than_that_of_guessing_is_said_with_what_to_change(make_net, digits):
    run = unseen.fit(make_net(), digits, unseen.ERM(**SETTINGS, alpha=30.0))
    said = remark_on_loss(run)
    assert f"({math.log(4):.2f})" in said
    assert f"ended at {run.metrics[-1]['loss']:.2f}" in said
    assert "it was 40 steps" in said
    assert "lower the learning rate alpha=30" in said


def test_of_a_training_that_learned_nothing_is_said(make_net, digits):
    run = unseen.fit(make_net(), digits, unseen.ERM(**SETTINGS, alpha=0.01))
    assert run.metrics[-1]["loss"] < math.log(4)
    assert remark_on_loss(run) is None


@pytest.mark.parametrize("term", ["consistency", "confidence_penalty", "contrast"])
def test_a_loss_with_other_terms_says_nothing_about_guessing(term, make_net, digits):
    ada = unseen.ADA(K=1, T_min=2, T_max=1, alpha=30.0, **SETTINGS, **{term: 0.1})
    assert remark_on_loss(unseen.fit(make_net(), digits, ada, warn=lambda _: None)) is None


def test_a_few_steps_are_no_sign_of_a_rate_that_is_too_high(make_net, digits):
    said = remark_on_loss(unseen.fit(make_net(), digits, unseen.ERM(**SETTINGS | {"T": 2}, alpha=1e-9)))
    assert "train longer (it was 2 steps)" in said
    assert "learning rate" not in said
