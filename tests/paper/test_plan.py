"""Which runs come next."""

import shlex
from pathlib import Path

import pytest
from digit_lines import add_results
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.paper.claims import Claim
from unseen.paper.digits.claims import DIGIT_CLAIMS
from unseen.paper.digits.plan import DIGIT_PLAN
from unseen.paper.digits.recipes import DIGIT_RECIPES
from unseen.paper.page import read_page
from unseen.paper.plan import Script, Step, missing, planned_for, planned_seeds
from unseen.paper.section import Section
from unseen.paper.streets.claims import STREET_PLAN
from unseen.paper.streets.recipes import STREET_RECIPES


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Section]:
    file = add_results(tmp_path_factory.mktemp("plan") / "digits.jsonl", ["figure2b-top"], 3).path
    return {section.recipe.name: section for section in read_page(file).sections}


def test_a_step_lacks_what_no_line_has_and_nothing_when_it_is_done(sections: dict[str, Section]) -> None:
    assert missing(Step("figure2b-top", 3, "done"), sections["figure2b-top"]) == []
    left = missing(Step("figure2b-top", 5, "two more"), sections["figure2b-top"])
    assert sorted({request.seed for request in left}) == [3, 4]
    assert len(left) == 2 * len(DIGIT_RECIPES["figure2b-top"].methods)


def test_a_step_can_be_of_some_methods_alone(sections: dict[str, Section]) -> None:
    left = missing(Step("figure2a-bottom", 1, "one", methods=("γ=10²", "γ=10⁰")), sections["figure2a-bottom"])
    assert [request.ada.gamma for request in left] == [100.0], "γ=1 is known"


def test_an_ensemble_needs_its_members_again(sections: dict[str, Section]) -> None:
    left = missing(Step("figure2b-bottom", 1, "one", methods=("K=2",)), sections["figure2b-bottom"])
    assert len(left) == 7, "also that of γ=1, whose line is there: its weights may be gone"


STEPS = [step for step in (*DIGIT_PLAN, *STREET_PLAN) if isinstance(step, Step)]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.command)
def test_every_planned_command_can_be_typed(step: Step, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It stops at the data, or where nothing is trained at the results: after every flag and before any training."""
    monkeypatch.delenv("UNSEEN_DATA", raising=False)
    assert set(step.methods) <= {method.label for method in (DIGIT_RECIPES | STREET_RECIPES)[step.recipe].methods}
    words = shlex.split(step.command)[1:]
    told = CliRunner().invoke(app, [*words, "--no-train", "--out", str(tmp_path)])
    stops = "nothing of it is in" if "--stand-ins" in words else "no data folder is named"
    assert stops in f"{told.output}{told.exception}"


def claim(name: str) -> Claim:
    (found,) = (each for each in DIGIT_CLAIMS if each.name == name)
    return found


def test_the_plan_says_how_many_seeds_each_recipe_shall_have() -> None:
    assert planned_seeds(DIGIT_PLAN)["table1"] == 2
    assert planned_seeds(DIGIT_PLAN)["figure2b-top"] == 10
    assert planned_for(claim("Features beat pixels"), planned_seeds(DIGIT_PLAN)) == 10
    assert planned_for(claim("γ ensemble beats one network"), planned_seeds(DIGIT_PLAN)) == 3, (
        "the fewer of two recipes"
    )
    others = {name: seeds for name, seeds in planned_seeds(DIGIT_PLAN).items() if name != "figure2b-middle"}
    assert planned_for(claim("Ridge adds to ADA"), others) is None, "no step of these runs more of ridge"
    assert any(isinstance(step, Script) for step in DIGIT_PLAN)
