"""The street recipes' figures, from made-up results at the small scale."""

from pathlib import Path

import pytest
from matplotlib.text import Text
from street_labs import add_results, small_lab

from unseen.paper.results import Results
from unseen.paper.streets.lab import CAMVID, WHOLE_DRIVES, StreetLab
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble
from unseen.paper.tables import NONE
from unseen.reporting.kit.charts import render


def texts(figure: object) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def titles(figure: object) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[StreetLab, Results]:
    lab = small_lab(tmp_path_factory.mktemp("drawn"))
    return lab, add_results(lab.results, STREET_RECIPES["table2"], lab, seeds=2)


def test_figure_3_has_the_papers_panels_highway_on_the_left(made: tuple[StreetLab, Results]) -> None:
    figure = STREET_RECIPES["figure3"].figure(*made, 2)
    assert titles(figure) == [
        "Highway → New York-like City", "New York-like City → Highway",
        "Highway → Old European Town", "New York-like City → Old European Town",
    ]  # fmt: skip
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == [
        "Dawn", "Fog", "Night", "Spring", "Winter",
    ]  # fmt: skip
    assert figure.axes[0].get_position().x0 < figure.axes[1].get_position().x0
    assert figure.axes[0].get_position().y0 > figure.axes[2].get_position().y0


def test_bars_are_the_means_and_diamonds_the_papers_of_every_condition(made: tuple[StreetLab, Results]) -> None:
    lab, results = made
    axes = STREET_RECIPES["figure3"].figure(lab, results, 2).axes[0]
    bars = [(bar.get_height(), bar.get_facecolor()) for container in axes.containers for bar in container]
    cells = STREET_RECIPES["figure3"].cells(lab, results, 2)[:2]
    assert [height for height, _ in bars] == [pytest.approx(sum(cell.percent) / 2) for cell in cells]
    diamonds = [float(line.get_ydata()[0]) for line in axes.get_lines() if line.get_marker() == "D"]
    assert len(diamonds) == 10
    assert diamonds[4] == pytest.approx((13.0 + 7.7 + 13.9 + 13.2 + 10.9) / 5)
    assert [text.get_text() for text in axes.texts].count("not run") == 8
    assert axes.get_ylabel() == "mIoU, %"


@pytest.mark.parametrize("name", ["table2", "figure3"])
def test_a_figure_says_data_and_scale_and_that_the_papers_numbers_are_no_yardstick(
    name: str, made: tuple[StreetLab, Results]
) -> None:
    words = " ".join(texts(STREET_RECIPES[name].figure(*made, 2))).replace("\n", " ")
    for said in (
        "built-in scenes",
        "small scale",
        "96x160",
        "1,000 steps",
        "can't be compared: built-in scenes instead",
    ):
        assert said in words


def test_the_map_of_table_2_has_the_gains_beside_the_papers(made: tuple[StreetLab, Results]) -> None:
    figure = STREET_RECIPES["table2"].figure(*made, 2)
    assert titles(figure) == [
        "Trained on Highway, here", "Trained on Highway, the paper",
        "Trained on New York-like City, here", "Trained on New York-like City, the paper",
    ]  # fmt: skip
    here, paper = ([text.get_text() for text in axes.texts] for axes in figure.axes[:2])
    assert {"+5.5", "+6.8", "+10.9", "+9.7", "+11.1"} <= set(paper)
    assert here.count(NONE) == 40, "four of five conditions were not run"
    assert sum(text.startswith("+") for text in here) == 10


def test_camvid_has_a_panel_for_each_drive_trained_on(tmp_path: Path) -> None:
    lab = StreetLab(out=tmp_path, data=CAMVID, rows=CAMVID_ROWS, scale=WHOLE_DRIVES)
    recipe = STREET_RECIPES["camvid"]
    figure = recipe.figure(lab, add_results(lab.results, recipe, lab, seeds=1), 1)
    assert titles(figure) == ["from 0001TP (dusk)", "from 0016E5 (day)"]
    groups = [[label.get_text() for label in axes.get_xticklabels()] for axes in figure.axes]
    assert groups[1] == ["0001TP (dusk)", "0006R0 (day)", "Seq05VD (day)"]
    assert "the paper's number" not in texts(figure)


def test_ensembles_stand_in_pairs_behind_the_single_networks(tmp_path: Path) -> None:
    lab, recipe = small_lab(tmp_path, "highway-night"), scenes_ensemble(2)
    figure = recipe.figure(lab, add_results(lab.results, recipe, lab, seeds=1), 1)
    assert titles(figure) == ["Highway/Night → New York-like City", "Highway/Night → Old European Town"]
    groups = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert groups[:4] == ["ERM", "γ=10⁰", "γ=10⁻¹", "greatest-softmax"]
    assert len(figure.axes[0].containers) == 3 + 2 * len(groups[3:])


def test_samples_are_the_fifteen_domains_by_place_and_condition(tmp_path: Path) -> None:
    recipe = STREET_RECIPES["figure1-bottom"]
    lab = recipe.lab(tmp_path, stand_ins=True, scale="small")
    figure = recipe.figure(lab, Results(lab.results), 1)
    assert titles(figure)[::7] == ["Highway/Dawn", "New York-like City/Night", "Old European Town/Winter"]
    assert all(axes.images[0].get_array().shape == (96, 160, 3) for axes in figure.axes)
    assert render(figure) == render(recipe.figure(lab, Results(lab.results), 1))
