"""The street recipes' tables, from made-up results at the small scale."""

from dataclasses import replace
from pathlib import Path

import pytest
from street_labs import add_results, small_lab

from unseen.paper.cells import Cell, Setting
from unseen.paper.findings import findings
from unseen.paper.published import table2
from unseen.paper.results import Results
from unseen.paper.streets.lab import PAPER, SYNTHIA, StreetLab
from unseen.paper.streets.names import TABLE2, way
from unseen.paper.streets.recipe import average
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble
from unseen.paper.streets.tables import arranged_sheets, bold_sheet, members_sheet
from unseen.paper.tables import NONE
from unseen.reporting.kit.tables import Sheet

TARGETS = TABLE2["highway-night"]


def cell(method: str, target: str, *percents: float, source: str = "highway-night", **options: object) -> Cell:
    return Cell(
        method, way(source, target), {i: p / 100 for i, p in enumerate(percents)}, source=source, target=target,
        kind="erm" if method == "ERM" else "ada", **options,
    )  # fmt: skip


def setting(lab: StreetLab) -> Setting:
    return STREET_RECIPES["table2"].setting(lab, Results(lab.results))


@pytest.fixture
def made(tmp_path: Path) -> list[Sheet]:
    lab = small_lab(tmp_path)
    recipe = STREET_RECIPES["table2"]
    return recipe.sheets(lab, add_results(lab.results, recipe, lab, seeds=2), 2)


def test_table_2_has_the_papers_arrangement(made: list[Sheet]) -> None:
    first, second, *_ = made
    assert first.headings[2:8] == (
        "New York Dawn", "New York Fog", "New York Night", "New York Spring", "New York Winter", "Old Town Dawn",
    )  # fmt: skip
    assert [row[:2] for row in first.rows] == [("Highway/Night", "ERM"), ("Highway/Night", "ADA")]
    assert second.headings[2] == "Highway Dawn"
    assert [row[0] for row in second.rows] == ["New York-like City/Fog"] * 2


def test_measured_and_published_numbers_stand_beside_each_other(made: list[Sheet]) -> None:
    ada = made[0].rows[1]
    assert [text.partition(" · ")[2] for text in ada[2:]] == [
        "18.5", "14.5", "24.8", "22.9", "22.0", "22.2", "20.1", "28.1", "25.5", "19.1",
    ]  # fmt: skip
    assert all(23 <= float(text.partition(" · ")[0]) <= 25 for text in ada[2:])


def test_built_in_scenes_and_another_scale_are_not_compared_with_the_paper(made: list[Sheet]) -> None:
    assert (
        "Not comparable with the paper: built-in scenes instead of SYNTHIA; small scale (fcn-resnet18"
        in made[0].caption
    )
    assert not any("agreement" in sheet.headings for sheet in made)
    (accuracies,) = [sheet for sheet in made if sheet.headings[-1] == "paper"]
    assert accuracies.caption.startswith("mIoU in percent.")


def test_differences_are_paired_and_corrected_over_the_whole_table(made: list[Sheet]) -> None:
    (differences,) = [sheet for sheet in made if sheet.title.startswith("Difference")]
    assert len(differences.rows) == 20
    assert "Points of mIoU" in differences.caption
    assert "Holm's correction is for the table's 20 comparisons" in differences.caption


def test_the_page_of_table_2_says_where_its_bold_type_is_wrong(made: list[Sheet]) -> None:
    assert made[-1] == bold_sheet()
    assert len(made[-1].rows) == 11
    row = ("New York-like City/Fog", "Old European Town/Dawn", "24.2", "17.3", "ADA", "ERM")
    assert row in made[-1].rows
    assert "In 6 pairs the lower number is in bold type, in 5 none is" in made[-1].caption
    assert "ADA is higher in 84 of the 100 pairs" in made[-1].caption


def test_on_synthia_at_the_papers_scale_agreement_is_judged_by_the_runs_interval_alone(tmp_path: Path) -> None:
    lab = StreetLab(out=tmp_path, data=SYNTHIA, rows={"highway-night": TARGETS}, scale=PAPER)
    cells = [
        cell("ERM", TARGETS[0], 12.9, 13.0, 13.1, published=table2("ERM", "highway-night", TARGETS[0])),
        cell("ADA", TARGETS[0], 30.0, 30.1, 30.2, published=table2("ADA", "highway-night", TARGETS[0])),
    ]
    erm, ada = findings(cells, setting(lab))
    assert (erm.paper.agreement, ada.paper.agreement) == ("agrees", "differs")
    assert ada.paper.interval.low == pytest.approx(30.1 - 18.5 - 4.303 * 0.1 / 3**0.5, abs=0.01)
    (block,) = arranged_sheets(cells, setting(lab))
    assert block.rows[0][2:] == ("13.0 · 13.0 =",)
    assert block.rows[1][2:] == ("30.1 · 18.5 ≠",)
    assert "its numbers are taken as exact" in block.caption
    assert "Welch" not in block.caption
    assert "Not comparable" not in block.caption


def test_what_was_not_run_keeps_the_papers_number(tmp_path: Path) -> None:
    cells = [cell("ERM", TARGETS[0]), cell("ADA", TARGETS[0], published=table2("ADA", "highway-night", TARGETS[0]))]
    (block,) = arranged_sheets(cells, setting(small_lab(tmp_path)))
    assert [row[2] for row in block.rows] == [NONE, f"{NONE} · 18.5"]


def test_ensembles_are_set_against_each_single_network_by_seed(tmp_path: Path) -> None:
    cells = [
        cell("ERM", "old-town", 20.0, 21.0),
        cell("γ=10⁰", "old-town", 22.0, 24.0),
        cell("γ ensemble, mean-softmax", "old-town", 23.0, 26.0, group="mean-softmax"),
        cell("γ ensemble, majority-vote", "old-town", group="majority-vote"),
    ]
    sheet = members_sheet(cells, setting(small_lab(tmp_path)), ("ERM", "γ=10⁰", "γ=10⁻¹"))
    (row,) = sheet.rows
    assert row[:2] == ("Highway/Night → Old European Town", "γ ensemble, mean-softmax")
    assert row[2].startswith("+4.0 (")
    assert row[3].startswith("+1.5 (")
    assert row[4] == NONE


def test_an_ensembles_tables_are_means_first_then_members_then_every_target(tmp_path: Path) -> None:
    lab, recipe = small_lab(tmp_path, "highway-night"), scenes_ensemble(2)
    results = add_results(lab.results, recipe, lab, seeds=2)
    means, gaps, members, every = recipe.sheets(lab, results, 2)
    assert "mean over the conditions of each place" in means.title
    assert len(means.rows) == 2 * len(every.rows), "a row for each method, a column for each target"
    assert len(every.headings) == 2 + 10
    assert "the paper" not in every.caption.replace("the paper states none", "")
    assert "against" in gaps.headings, "an ensemble over γ against one of ERM, a single network against ERM"
    assert members.headings[2:] == ("ERM", "γ=10⁰", "γ=10⁻¹")


def test_averages_keep_what_a_method_is_compared_with() -> None:
    ensembles = [cell("x", target, 20.0, against="y", group="rule") for target in TARGETS]
    assert {(mean.against, mean.group) for mean in average(ensembles)} == {("y", "rule")}
    assert len(average([*ensembles, replace(ensembles[0], method="z")])) == 3
