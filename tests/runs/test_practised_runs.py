"""Runs that are trained as people train: exact after a kill, their result chosen by the source alone, and recorded."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

import unseen
from unseen.errors import InputError, RunFolderError
from unseen.method.settings import ADA
from unseen.runs.folder import RunFolder
from unseen.runs.selection import VALIDATION, selection, split_off

sys.path.insert(0, str(Path(__file__).parents[1]))  # processes that the kills start import it by this name
import kill_points
from kill_points import PRACTISED, Outcome, differences, outcome

pytestmark = pytest.mark.usefixtures("small_pieces")
train, interrupted = kill_points.trainer(PRACTISED)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[unseen.Run, Outcome]:
    with kill_points.small_pieces():
        run = train(tmp_path_factory.mktemp("whole") / "run")
        return run, outcome(run)


def test_a_run_killed_at_any_moment_ends_with_the_same_bits(tmp_path: Path) -> None:
    cases = kill_points.table_of_practice(tmp_path)
    assert all(case.identical for case in cases), f"\n{kill_points.as_text(cases)}"
    assert len(cases) == sum(map(len, kill_points.FEW_OF_PRACTICE.values()))


def test_ctrl_c_leaves_a_folder_that_goes_on(tmp_path: Path, finished: tuple[unseen.Run, Outcome]) -> None:
    folder = interrupted(tmp_path / "run", ("minimize", 12, 1))
    assert not differences(finished[1], outcome(train(folder, resume=True)))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"optimizer": "adamw", "class_weights": None, "minibatches": "balanced"}, id="adamw, balanced"),
        pytest.param(
            {"average": 0.0, "momentum": 0.0, "freeze": "body", "body_rate": 1.0}, id="no average, no momentum"
        ),
    ],
)
def test_other_settings_go_on_as_exactly(tmp_path: Path, changes: dict[str, Any]) -> None:
    ada = replace(PRACTISED, **changes)
    expected = outcome(train(tmp_path / "whole", ada))
    folder = interrupted(tmp_path / "run", ("minimize", 12, 1), ada=ada)
    assert not differences(expected, outcome(train(folder, ada, resume=True)))


# The validation share and what it selects.


def values_on_validation(run: unseen.Run) -> dict[int, float]:
    return {line["step"]: line["accuracy"][VALIDATION] for line in run.metrics if "accuracy" in line}


def test_the_validation_share_is_drawn_evenly_and_never_trained_on() -> None:
    source = kill_points.make_domain("source", 60, 2)
    left, watch = split_off(source, PRACTISED, {"target": source})
    held = watch[VALIDATION]
    assert list(watch) == [VALIDATION, "target"]
    assert len(left) + len(held) == 60
    for c in range(4):
        whole = int((source.labels == c).sum())
        assert int((held.labels == c).sum()) == round(0.2 * whole)
    rows = {image.numpy().tobytes() for image in left.images}
    assert not rows & {image.numpy().tobytes() for image in held.images}
    pool = train(None).pool
    assert {image.numpy().tobytes() for image in pool.images[: pool.source_size]} == rows


def test_the_result_is_the_best_on_the_source_and_of_equals_the_earliest(tmp_path: Path) -> None:
    ada = replace(PRACTISED, average=0.0, alpha=0.3)
    run = train(tmp_path / "run", ada, cadence=unseen.Cadence(record=2, watch=2, save=10))
    values = values_on_validation(run)
    best = max(values.values())
    step = next(step for step, value in values.items() if value == best)
    assert step < 16, "the last would prove nothing"
    _, watch = split_off(kill_points.make_domain("source", 60, 2), ada, {})
    assert unseen.evaluate(run.net, watch[VALIDATION]) == best
    assert run.selection == f"best on the source's validation (step {step} of 16, {best:.1%})"
    weights = safetensors.torch.load_file(tmp_path / "run" / "weights.safetensors")
    for name, value in run.net.model.state_dict().items():
        assert torch.equal(weights[name], value)


def test_what_is_watched_and_given_is_the_average(tmp_path: Path) -> None:
    ada = replace(PRACTISED, select="last")
    run = train(tmp_path / "run", ada)
    checkpoint = safetensors.torch.load_file(max((tmp_path / "run" / "checkpoints").glob("*.safetensors")))
    for name, value in run.net.model.state_dict().items():
        assert torch.equal(checkpoint[f"result.average.{name}"], value)
    assert not torch.equal(checkpoint["net.4.weight"], checkpoint["result.average.4.weight"])
    _, watch = split_off(kill_points.make_domain("source", 60, 2), ada, {})
    assert values_on_validation(run)[16] == unseen.evaluate(run.net, watch[VALIDATION])
    assert run.selection == "last iterate, weights averaged"


def test_what_is_frozen_stays(finished: tuple[unseen.Run, Outcome]) -> None:
    before, after = kill_points.make_net().state_dict(), finished[0].net.model.state_dict()
    same = {name for name in before if torch.equal(before[name], after[name])}
    statistics = ("running_mean", "running_var", "num_batches_tracked")
    assert same == {"0.weight", "0.bias", *(f"{i}.{each}" for i in (1, 5) for each in statistics)}
    assert all(p.requires_grad for p in finished[0].net.parameters())


def test_the_config_has_what_was_asked_for_and_what_came_of_it(finished: tuple[unseen.Run, Outcome]) -> None:
    folder = finished[0].folder
    assert folder is not None
    content = json.loads((folder / "config.json").read_text())
    assert (content["ada"]["epochs"], content["ada"]["T"]) == (4, 16)
    assert content["ada"]["augment"] == ["crop", "flip", "python:fade"]
    assert list(content["watch"]) == [VALIDATION, "target"]
    assert content["source"]["images"] == len(finished[0].pool.images) - 16
    assert RunFolder(folder).config().ada == PRACTISED


def test_without_any_of_it_the_config_has_none_of_it(tmp_path: Path) -> None:
    train(tmp_path / "run", unseen.ERM(T=1, batch=4))
    settings = json.loads((tmp_path / "run" / "config.json").read_text())["ada"]
    assert sorted(settings) == sorted(
        [
            "gamma",
            "K",
            "T_min",
            "T_max",
            "eta",
            "alpha",
            "T",
            "batch",
            "n",
            "cost",
            "scale",
            "sampling",
            "clip",
            "ridge",
            "schedule",
            "over",
            "links",
            "strength",
            "start",
            "step",
            "keep",
            "spread",
            "entropy",
            "augment",
            "augment_share",
            "consistency",
            "confidence_penalty",
            "contrast",
        ]
    )


def test_a_run_with_another_callable_is_another_run(tmp_path: Path) -> None:
    folder = interrupted(tmp_path / "run", ("minimize", 3, 0))
    other = replace(PRACTISED, augment=("crop", "flip", lambda image: image))
    with pytest.raises(RunFolderError, match=r"ada.augment is .*python:fade.* there, .*python:lambda"):
        train(folder, other, resume=True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"class_weights": (1.0, 2.0)},
            "class_weights: got 2 numbers for the 4 classes of source; expected one for each",
        ),
        ({"freeze": "conv"}, 'freeze: the model has no layer "conv"'),
        ({"validation": 0.01}, "validation=0.01 of the 60 images of source leaves 60 to train on and 0 held out"),
        ({"T": 20}, "T=20 and epochs=4, which for 47 images in minibatches of 12 is T=16; leave one out"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_doesnt_fit_the_source_or_the_model_is_refused_before_the_first_step(
    changes: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unseen.method.algorithm.minimize", lambda *_: pytest.fail("it began"))
    with pytest.raises(InputError) as caught:
        train(None, replace(PRACTISED, **changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_domain_of_ones_own_cant_take_the_validations_place() -> None:
    with pytest.raises(InputError, match='watch: "validation" is the source\'s own share'):
        train(None, watch={VALIDATION: kill_points.make_domain("target", 20, 4)})


def test_a_choice_among_one_is_refused() -> None:
    cadence = unseen.Cadence(record=50, watch=50, save=50)
    with pytest.raises(InputError, match=r"cadence.watch=50 leaves only the last of T=16 steps.*watch = 1\}"):
        train(None, cadence=cadence)


def test_the_rule_is_in_words_without_a_run() -> None:
    assert selection(ADA()) == "last iterate"
    assert selection(PRACTISED) == "best on the source's validation, weights averaged"
