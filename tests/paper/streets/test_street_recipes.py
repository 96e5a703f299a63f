"""Street recipes, carried out small: everything real but the size."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from reproducing import carry_out
from street_labs import TINY, tiny_lab

import unseen
from unseen.data.streets.classes import CLASSES
from unseen.ensembles.rules import PIXEL_RULES
from unseen.paper.lab import Source
from unseen.paper.reproduce import show, write
from unseen.paper.results import Results, run_key
from unseen.paper.streets.lab import SCENES, SMALL, SYNTHIA, StreetLab
from unseen.paper.streets.names import TABLE2
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble
from unseen.reporting.kit.statistics import mean

RESULTS = StreetLab.file
Lines = tuple[StreetLab, Results]
LAB = StreetLab(out=Path("x"), data=SCENES, rows=TABLE2, scale=SMALL)


def keys(name: str, lab: StreetLab = LAB, seeds: int = 2) -> set[str]:
    return {m.key for m in STREET_RECIPES[name].measurements(lab, seeds)}


def test_table_2_is_ten_sources_with_ten_targets_each() -> None:
    measured = STREET_RECIPES["table2"].measurements(LAB, 1)
    assert len(measured) == 20
    assert all(len(m.domains) == 10 for m in measured)


def test_recipes_share_their_runs() -> None:
    assert keys("figure3") == keys("table2")
    night = replace(LAB, rows={"highway-night": TABLE2["highway-night"]})
    shared = keys("scenes-ensemble", night) & keys("table2")
    assert len(shared) == 2 * 2, "ERM and ADA with γ=1, two seeds"


def test_an_ensemble_has_as_many_members_as_are_asked_for() -> None:
    night = replace(LAB, rows={"highway-night": TABLE2["highway-night"]})
    for members in (2, 4):
        measured = scenes_ensemble(members).measurements(night, 1)
        assert {len(m.needs) for m in measured} == {1, members}
        gammas = {r.ada.gamma for m in measured for r in m.needs if r.ada.K}
        assert gammas == {10.0**-i for i in range(members)}
        assert {m.rule for m in measured} == {None, *PIXEL_RULES}


def test_cells_have_the_paper_beside_them_and_a_target_at_its_own_place_is_none(table2: Lines) -> None:
    lab, results = table2
    cells = STREET_RECIPES["table2"].cells(lab, results, 2)
    assert [cell.method for cell in cells] == ["ERM", "ADA"] * 8
    assert all(set(cell.accuracies) == {0, 1} for cell in cells)
    by_place = {(cell.domain, cell.method): cell for cell in cells}
    assert by_place["Highway/Night → New York-like City/Night", "ADA"].published.mean == 0.248
    assert not any(domain.startswith("Highway") and "→ Highway" in domain for domain, _ in by_place)


def test_a_line_has_the_miou_of_its_weights_and_that_of_each_class(table2: Lines) -> None:
    lab, results = table2
    request = Source(lab, "highway-night").request(1, {"K": 1, "gamma": 1.0})
    line = results.find(run_key(request))
    assert (line["kind"], line["seed"], line["job"]["source"]) == ("run", 1, "highway-night")
    assert line["source"]["classes"] == list(CLASSES)
    net = unseen.load(request.out)
    assert len(line["scores"]) == 4
    for score in line["scores"]:
        assert score["miou"] == unseen.evaluate(net, unseen.domain(score["domain"], TINY.size, images=TINY.images))
        known = [value for value in score["iou"] if value is not None]
        assert len(score["iou"]) == len(CLASSES)
        assert mean(known) == pytest.approx(score["miou"])


def test_results_are_kept_beside_the_digits_and_nothing_large_with_the_runs(table2: Lines) -> None:
    lab, results = table2
    assert results.path == lab.out / RESULTS
    assert RESULTS == "streets.jsonl"
    left = {path.name for path in lab.out.rglob("*.safetensors")}
    assert left == {"weights.safetensors"}, "neither rounds nor checkpoints nor scores of pixels"


def test_what_was_measured_is_not_trained_again_even_without_its_folders(table2: Lines, tmp_path: Path) -> None:
    _, results = table2
    (tmp_path / RESULTS).write_bytes(results.path.read_bytes())
    again = tiny_lab(tmp_path)
    carry_out(STREET_RECIPES["figure3"], again)
    assert not (tmp_path / "runs").exists()
    assert (tmp_path / RESULTS).read_bytes() == results.path.read_bytes()


def test_a_bar_of_figure_3_is_the_mean_over_the_conditions_of_the_place_seed_by_seed(table2: Lines) -> None:
    lab, results = table2
    every = {(c.domain, c.method): c for c in STREET_RECIPES["table2"].cells(lab, results, 2)}
    means = STREET_RECIPES["figure3"].cells(lab, results, 2)
    assert [cell.domain for cell in means][::2] == [
        "Highway/Night → New York-like City", "Highway/Night → Old European Town",
        "New York-like City/Fog → Highway", "New York-like City/Fog → Old European Town",
    ]  # fmt: skip
    first = means[1]
    parts = [every[f"{first.domain}/{condition}", "ADA"] for condition in ("Fog", "Night")]
    assert first.accuracies == {seed: pytest.approx(mean([p.accuracies[seed] for p in parts])) for seed in (0, 1)}
    assert first.published.mean == pytest.approx(mean([p.published.mean for p in parts]))


def test_a_mean_lacks_a_seed_that_one_of_its_conditions_lacks(table2: Lines, tmp_path: Path) -> None:
    _, results = table2
    lines = [json.loads(text) for text in results.path.read_text().splitlines()]
    for line in lines:
        if line["seed"] == 1:
            line["scores"] = [score for score in line["scores"] if score["domain"] != "old-town-fog"]
    (tmp_path / RESULTS).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    means = STREET_RECIPES["figure3"].cells(tiny_lab(tmp_path), Results(tmp_path / RESULTS), 2)
    assert {cell.target: set(cell.accuracies) for cell in means} == {
        "new-york": {0, 1}, "old-town": {0}, "highway": {0, 1},
    }  # fmt: skip


def test_an_ensemble_is_measured_under_every_rule_as_evaluate_does_it(pair_ensembles: Lines) -> None:
    lab, results = pair_ensembles
    lines = [line for line in results if line["kind"] == "ensemble"]
    assert len(lines) == 2
    for line in lines:
        folders = [lab.out / "runs" / name for name in line["members"]]
        found = {(score["domain"], score["rule"]): score["miou"] for score in line["scores"]}
        assert len(found) == 4 * len(PIXEL_RULES)
        target = unseen.domain("old-town-fog", TINY.size, images=TINY.images)
        for rule in PIXEL_RULES:
            ensemble = unseen.Ensemble.of_runs(folders, rule=rule)
            assert found["old-town-fog", rule] == unseen.evaluate(ensemble, target), rule


def test_a_rule_that_came_later_is_measured_then(pair_ensembles: Lines, tmp_path: Path) -> None:
    lab, results = pair_ensembles
    lines = [json.loads(text) for text in results.path.read_text().splitlines()]
    for line in lines:
        line["scores"] = [score for score in line["scores"] if score.get("rule") != "mean-softmax"]
    file = tmp_path / RESULTS
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    missing = [m for m in scenes_ensemble(2).measurements(lab, 1) if not m.known(Results(file))]
    assert {m.rule for m in missing} == {"mean-softmax"}
    assert len({m.key for m in missing}) == len(missing) == 2


def test_an_ensembles_cells_are_single_networks_and_both_ensembles_under_each_rule(pair_ensembles: Lines) -> None:
    lab, results = pair_ensembles
    recipe = scenes_ensemble(2)
    cells = [c for c in recipe.cells(lab, results, 1) if c.target == "old-town"]
    assert [c.method for c in cells[:5]] == [
        "ERM", "γ=10⁰", "γ=10⁻¹", "ERM ensemble, greatest-softmax", "γ ensemble, greatest-softmax",
    ]  # fmt: skip
    assert len(cells) == 3 + 2 * len(PIXEL_RULES)
    assert all(cell.accuracies for cell in cells)
    assert cells[4].against == "ERM ensemble, greatest-softmax"


@pytest.mark.parametrize("name", ["table2", "figure3"])
def test_a_recipe_writes_its_tables_and_figure_and_each_says_data_and_scale(name: str, table2: Lines) -> None:
    lab, results = table2
    recipe = STREET_RECIPES[name]
    files = write(recipe, lab, results, 2)
    assert {file.name for file in files} == {f"{name}-scenes-tiny.{ending}" for ending in ("md", "svg", "png")}
    for sheet in recipe.sheets(lab, results, 2):
        if "bold type" not in sheet.title:
            for said in ("built-in scenes (not SYNTHIA)", "tiny scale", "16x24", "4 images", "8 steps", "last iterate"):
                assert said in sheet.caption, sheet.title
    assert show(recipe, lab, results, 2, 80).renderables


def test_the_recipes_own_files_at_the_papers_scale_have_its_name_alone(tmp_path: Path) -> None:
    assert STREET_RECIPES["table2"].file(replace(LAB, data=SYNTHIA)) == "table2-small"
    assert STREET_RECIPES["table2"].file(STREET_RECIPES["table2"].lab(tmp_path, stand_ins=True)) == "table2-scenes"
