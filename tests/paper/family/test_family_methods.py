"""What the leaderboard compares: settings of one loop, and controls that are made from the chosen ones."""

from pathlib import Path

import pytest
from family_results import digit_lab, street_lab

from unseen.paper.family.chosen import CHOSEN
from unseen.paper.family.methods import (
    JITTERED,
    NO_ASCENT,
    OURS,
    RANDOM,
    controls,
    digit_methods,
    long_methods,
    random_settings,
    variants,
)
from unseen.paper.family.recipes import FAMILY_RECIPES, LONG
from unseen.paper.family.rows import MEANINGS, rows_sheet
from unseen.paper.methods import Ensembled, Trained
from unseen.paper.results import Results

RESULTS = Path(__file__).parents[3] / "results"
BASE = {"over": "standard", "K": 20, "spread": True, "keep": 5, "sampling": "source", "T_max": 5, "gamma": 1.0}
FASTER = {"over": ("standard", "pixels"), "K": 6, "alpha": 5e-4, "schedule": "cosine", "consistency": 2.0, "links": 2}


def by_label(chosen=BASE):
    return {method.label: method for method in digit_methods(chosen)}


@pytest.mark.parametrize("label", ["ERM", "Dropout", "ADA, K=2", "ADA, K=4"])
def test_what_the_papers_recipes_have_trained_is_not_trained_again(label, tmp_path):
    known = Results(RESULTS / "digits.jsonl")
    (source,) = digit_lab(tmp_path).sources
    assert all(m.known(known) for seed in range(5) for m in by_label()[label].measurements(source, seed))


@pytest.mark.parametrize("name", ["family-camvid", "family-scenes"])
def test_nor_are_erm_and_ada_on_streets(name, tmp_path):
    known, recipe = Results(RESULTS / "streets.jsonl"), FAMILY_RECIPES[name]
    for method in recipe.methods[:2]:
        for source in street_lab(tmp_path, name).sources:
            assert all(m.known(known) for seed in range(2) for m in method.measurements(source, seed))


def test_a_methods_own_settings_win_over_those_of_the_scale(tmp_path):
    (source,) = digit_lab(tmp_path).sources
    asked = {label: source.request(0, m.settings).ada for label, m in by_label().items() if isinstance(m, Trained)}
    assert asked[OURS].T_max == BASE["T_max"] != source.lab.scale.T_max
    assert asked[NO_ASCENT].T_max == 0
    assert asked[NO_ASCENT].K == asked[OURS].K


def test_random_transformations_have_of_the_chosen_settings_those_without_rounds():
    assert random_settings(FASTER) == {
        "K": 0, "augment": ("standard",), "alpha": 5e-4, "schedule": "cosine", "consistency": 2.0, "links": 2,
    }  # fmt: skip
    assert random_settings(BASE) == {"K": 0, "augment": "standard"}
    jittered = {**BASE, "augment": "jitter", "augment_share": 1.0}
    assert random_settings(jittered) == {"K": 0, "augment": ("standard", "jitter"), "augment_share": 1.0}


def test_a_variant_has_one_thing_more_or_less_where_it_is_among_the_chosen():
    assert [label.removeprefix(OURS) for label in variants(BASE)] == [" + entropy", " + consistency", " + pixels"]
    found = variants(FASTER)
    assert found[f"{OURS} without consistency"]["consistency"] == 0
    assert found[f"{OURS} without pixels"]["over"] == ("standard",)


def test_erm_has_the_chosen_rate_only_where_that_isnt_the_papers():
    assert "ERM at the same rate" not in by_label(BASE)
    assert by_label(FASTER)["ERM at the same rate"].settings == {"K": 0, "alpha": 5e-4, "schedule": "cosine"}


def test_every_control_differs_from_its_method_and_both_are_there():
    methods = digit_methods(FASTER)
    pairs = controls(methods)
    assert {(OURS, NO_ASCENT), (OURS, RANDOM), ("ERM at the same rate", "ERM")} <= set(pairs)
    assert {label for pair in pairs for label in pair} <= {method.label for method in methods}
    assert controls(FAMILY_RECIPES["family-camvid"].methods) == (
        (JITTERED, RANDOM), (JITTERED, "Jitter at the same rate"), ("Jitter at the same rate", "Jitter"),
        (JITTERED, OURS), ("ERM at the same rate", "ERM"),
    )  # fmt: skip


def test_every_row_of_every_leaderboard_says_what_it_is_and_nothing_else_does():
    labels = {method.label for recipe in FAMILY_RECIPES.values() for method in recipe.methods}
    assert labels == set(MEANINGS)
    assert [row[0] for row in rows_sheet(["ERM", "Jitter", "ERM"]).rows] == ["ERM", "Jitter"]


def test_the_long_scale_compares_the_best_two_and_their_controls_for_five_times_the_steps(tmp_path):
    recipe, lab = FAMILY_RECIPES["family"], digit_lab(tmp_path, scale=LONG)
    assert [method.label for method in recipe.compared(lab)] == ["ERM", RANDOM, OURS, f"{OURS} + entropy"]
    assert recipe.compared(lab) == long_methods(CHOSEN)
    assert {m.needs[0].ada.T for m in recipe.measurements(lab, 1)} == {50_000}
    assert recipe.file(lab) == "family-long"


def test_the_ensemble_is_over_gamma_and_has_the_chosen_network_in_it(tmp_path):
    (ensemble,) = (m for m in digit_methods(BASE) if isinstance(m, Ensembled))
    assert [settings["gamma"] for settings in ensemble.members] == [0.1, 1.0, 10.0]
    (source,) = digit_lab(tmp_path).sources
    assert source.request(0, BASE) in ensemble.requests(source, 0)
