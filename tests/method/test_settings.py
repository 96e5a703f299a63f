import copy
import dataclasses
import json
import pickle
from functools import partial

import pytest

import unseen
from unseen.errors import InputError, all_problems
from unseen.method.settings import ADA, ERM
from unseen.runs.request import request_problems


def test_the_defaults_are_the_papers_digit_experiment():
    ada = ADA()
    assert (ada.gamma, ada.K, ada.T_min, ada.T_max, ada.eta) == (1.0, 2, 100, 15, 1.0)
    assert (ada.alpha, ada.T, ada.batch, ada.n) == (1e-4, 10_000, 32, None)
    assert (ada.cost, ada.scale, ada.sampling, ada.clip, ada.ridge) == ("semantic", "released", "union", False, 0.0)


def test_settings_are_frozen_and_by_name_only():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ADA().gamma = 2.0
    with pytest.raises(TypeError):
        ADA(1.0)


def test_settings_go_to_a_dictionary_and_back():
    ada = ADA(gamma=0.5, K=3, n=7, cost="pixel", scale="paper", sampling="chain", clip=True, ridge=0.1)
    assert ADA(**ada.asdict()) == ada
    assert ada.asdict()["gamma"] == 0.5


def test_erm_is_algorithm_1_without_rounds():
    assert ERM(alpha=1e-3, T=50, batch=8, ridge=0.1) == ADA(K=0, alpha=1e-3, T=50, batch=8, ridge=0.1)
    assert unseen.ERM is ERM


@pytest.mark.parametrize("T", [1, 99, 100])
def test_without_rounds_T_may_be_below_T_min(T):
    assert ERM(T=T).T == T


def test_the_last_round_needs_one_step_after_it():
    assert ADA(K=3, T_min=5, T=16).T == 16
    with pytest.raises(InputError) as caught:
        ADA(K=3, T_min=5, T=15)
    assert str(caught.value) == (
        "ADA: K=3 rounds of T_min=5 steps need more than 15 steps, got T=15: the last round's images would never be "
        "trained on; raise T above 15 or lower K or T_min"
    )


WRONG = {
    "negative gamma": ({"gamma": -1.0}, ["gamma=-1.0: expected a finite number, 0 or more"]),
    "negative eta": ({"eta": -0.5}, ["eta=-0.5: expected a finite number, 0 or more"]),
    "negative alpha": ({"alpha": -1e-4}, ["alpha=-0.0001: expected a finite number, 0 or more"]),
    "negative ridge": ({"ridge": -1}, ["ridge=-1: expected a finite number, 0 or more"]),
    "gamma that is not a number": ({"gamma": float("nan")}, ["gamma=nan: expected a finite number"]),
    "infinite eta": ({"eta": float("inf")}, ["eta=inf: expected a finite number"]),
    "gamma as text": ({"gamma": "1"}, ["gamma='1': expected a number"]),
    "gamma as a truth value": ({"gamma": True}, ["gamma=True: expected a number"]),
    "negative K": ({"K": -1}, ["K=-1: expected 0 or more"]),
    "K not whole": ({"K": 1.5}, ["K=1.5: expected a whole number"]),
    "K as a truth value": ({"K": True}, ["K=True: expected a whole number"]),
    "no T_min": ({"T_min": 0}, ["T_min=0: expected 1 or more"]),
    "T_max below 0": ({"T_max": -1}, ["T_max=-1: expected 0 or more"]),
    "no steps": ({"T": 0}, ["T=0: expected 1 or more"]),
    "empty batch": ({"batch": 0}, ["batch=0: expected 1 or more"]),
    "n of 0": ({"n": 0}, ["n=0: expected 1 or more"]),
    "unknown cost": ({"cost": "semantc"}, ['cost="semantc": expected "semantic" or "pixel"; did you mean "semantic"?']),
    "unknown scale": ({"scale": "Paper"}, ['scale="Paper": expected "released" or "paper"; did you mean "paper"?']),
    "unknown sampling": (
        {"sampling": "bootstrap"},
        ['sampling="bootstrap": expected "union", "chain" or "source"'],
    ),
    "unknown schedule": (
        {"schedule": "cosin"},
        ['schedule="cosin": expected "constant", "cosine" or "steps"; did you mean'],
    ),
    "unknown start": ({"start": "zero"}, ['start="zero": expected "drawn" or "identity"']),
    "no links": ({"links": 0}, ["links=0: expected 1 or more"]),
    "negative step": ({"step": -0.1}, ["step=-0.1: expected a finite number, 0 or more"]),
    "infinite strength": ({"strength": float("inf")}, ["strength=inf: expected a finite number, 0 or more"]),
    "negative entropy": ({"entropy": -1.0}, ["entropy=-1.0: expected a finite number, 0 or more"]),
    "negative contrast": ({"contrast": -1.0}, ["contrast=-1.0: expected a finite number, 0 or more"]),
    "a share above 1": ({"augment_share": 1.5}, ["augment_share=1.5: expected a share from 0 to 1"]),
    "keeps nothing": ({"keep": 0, "sampling": "source"}, ["keep=0: expected 1 or more"]),
    "over a number": ({"over": 3}, ["over=3: expected a name or a list of names"]),
    "augment of numbers": ({"augment": (1, 2)}, ["augment=(1, 2): expected a name or a list of names"]),
    "over an unknown name": ({"over": "standart"}, ['over: no transformation or set is called "standart"; did you']),
    "keep without the source": (
        {"keep": 2},
        ['keep=2 with sampling="union": a round that started from an earlier one would lose its start', "source"],
    ),
    "consistency of one view": (
        {"consistency": 1.0, "K": 0},
        ["consistency=1 with neither augment nor rounds: there is only one view", 'augment="standard"'],
    ),
    "more rounds than steps": (
        {"K": 9, "T": 9, "spread": True},
        ["K=9 rounds spread over T=9 steps: expected at least one step before each; raise T or lower K"],
    ),
    "cost that is no name": ({"cost": None}, ['cost="None": expected "semantic" or "pixel"']),
    "clip as text": ({"clip": "yes"}, ["clip='yes': expected true or false"]),
}


@pytest.mark.parametrize(("settings", "said"), WRONG.values(), ids=WRONG)
def test_what_makes_no_sense_is_refused_with_what_was_expected(settings, said):
    for build, name in (
        (lambda s: ADA(**s), "ADA: "),
        (lambda s: all_problems("settings", request_problems(s)), "settings: "),
    ):
        with pytest.raises(InputError) as caught:
            build(settings)
        assert str(caught.value).startswith(name + said[0])
        assert "\n" not in str(caught.value), "one mistake, one problem"
        for part in said:
            assert part in str(caught.value)


@pytest.mark.parametrize("name", ["gamma", "eta", "alpha", "ridge"])
def test_zero_is_allowed_for(name):
    assert getattr(ADA(**{name: 0}), name) == 0


def test_all_problems_are_in_one_message():
    with pytest.raises(InputError) as caught:
        ADA(K=200, T_min=100, T=10_000, gamma=-1, eta=-2.0, cost="pixl", scale="papr", T_max="15", clip=1)
    first, *problems = str(caught.value).splitlines()
    assert first == "ADA: 7 problems"
    for said in (
        "K=200 rounds of T_min=100 steps need more than 20000 steps, got T=10000",
        "gamma=-1: expected",
        "eta=-2.0: expected",
        'did you mean "pixel"?',
        'did you mean "paper"?',
        "T_max='15': expected a whole number",
        "clip=1: expected true or false",
    ):
        assert sum(said in problem for problem in problems) == 1, said


@pytest.mark.parametrize("settings", [{"gamma": 2.0}, {"K": 1}, {"T_max": 5, "eta": 1.0}])
def test_erm_refuses_what_only_rounds_need(settings):
    with pytest.raises(InputError) as caught:
        ERM(**settings)
    assert ", ".join(sorted(settings)) in str(caught.value)
    assert "expected T, alpha, augment, augment_share, average, batch" in str(caught.value)


@pytest.mark.parametrize(
    ("K", "T", "steps"),
    [(1, 2, [1]), (4, 20, [4, 8, 12, 16]), (3, 10, [2, 5, 7]), (8, 9, [1, 2, 3, 4, 5, 6, 7, 8])],
)
def test_spread_rounds_leave_as_many_steps_between_them_as_can_be(K, T, steps):
    ada = ADA(K=K, T=T, spread=True)
    assert [ada.steps_before(k) for k in range(1, K + 1)] == steps
    between = [b - a for a, b in zip([0, *steps], [*steps, T], strict=True)]
    assert min(between) >= 1
    assert max(between) - min(between) <= 1


def test_packed_rounds_have_T_min_steps_before_each():
    assert [ADA(K=3, T_min=7, T=100).steps_before(k) for k in (1, 2, 3)] == [7, 14, 21]


@pytest.mark.parametrize(
    ("keep", "after", "kept"), [(None, 3, [1, 2, 3]), (2, 0, []), (2, 1, [1]), (2, 2, [1, 2]), (2, 5, [4, 5])]
)
def test_the_last_rounds_are_kept(keep, after, kept):
    assert list(ADA(K=5, T=600, keep=keep, sampling="source").kept_rounds(after)) == kept


def test_settings_of_transformations_go_through_json_and_back():
    ada = ADA(over=("standard", "pixels"), augment="jitter", keep=2, sampling="source", spread=True, entropy=0.5)
    assert ADA(**json.loads(json.dumps(ada.asdict()))) == ada


def test_an_input_error_is_a_value_error():
    with pytest.raises(ValueError, match="gamma"):
        ADA(gamma=-1)


@pytest.mark.parametrize(
    ("make", "name", "said"),
    [
        (ADA, "gama", 'ADA: unknown setting "gama"; did you mean "gamma"?'),
        (ADA, "lr", 'ADA: unknown setting "lr"; did you mean "alpha"?'),
        (ERM, "alhpa", 'ERM: unknown setting "alhpa"; did you mean "alpha"?'),
        (ERM, "batch_size", 'ERM: unknown setting "batch_size"; did you mean "batch"?'),
        (partial(dataclasses.replace, ADA()), "gama", 'ADA: unknown setting "gama"; did you mean "gamma"?'),
    ],
    ids=["a typo", "another library's word", "a typo in ERM", "a word in ERM", "replace"],
)
def test_what_is_no_setting_is_refused_with_the_nearest_and_as_any_unknown_keyword(make, name, said):
    with pytest.raises(InputError) as caught:
        make(**{name: 1})
    assert str(caught.value) == said
    assert isinstance(caught.value, TypeError)


def test_settings_are_copied_and_pickled_as_before():
    ada = ADA(gamma=0.5, over=("standard", "pixels"))
    assert copy.deepcopy(ada) == pickle.loads(pickle.dumps(ada)) == ada
