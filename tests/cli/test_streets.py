"""unseen reproduce and unseen results, on streets."""

from pathlib import Path

import pytest
from street_labs import add_results, small_lab
from typer.testing import CliRunner

from unseen.cli import app as frame
from unseen.errors import InputError
from unseen.paper.streets.recipes import STREET_RECIPES


def run(*words: object) -> str:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(frame.app, list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_list_has_the_street_recipes_too() -> None:
    told = run("reproduce", "--list")
    assert all(name in told for name in STREET_RECIPES)


def test_samples_of_the_scenes_are_drawn_on_a_machine_with_no_data(tmp_path: Path) -> None:
    told = run("reproduce", "figure1-bottom", "--stand-ins", "--scale", "small", "--out", tmp_path)
    assert "figure1-bottom-scenes-small.svg" in told
    assert (tmp_path / "figure1-bottom-scenes-small.png").exists()


def test_some_rows_of_table_2_are_made_from_what_was_measured(tmp_path: Path) -> None:
    lab = small_lab(tmp_path, "highway-night")
    add_results(lab.results, STREET_RECIPES["table2"], lab, seeds=2)
    words = ["--stand-ins", "--scale", "small", "--sources", "highway-night", "--seeds", 2, "--no-train"]
    told = run("reproduce", "table2", "figure3", *words, "--out", tmp_path)
    assert "Highway/Night" in told
    assert "New York-like City/Dawn" not in told.partition("bold type")[0].replace("→ New York-like City/Dawn", "")
    assert {path.name for path in tmp_path.glob("*.md")} == {"table2-scenes-small.md", "figure3-scenes-small.md"}


def test_results_writes_the_street_page_beside_that_of_the_digits(tmp_path: Path) -> None:
    lab = small_lab(tmp_path, "highway-night")
    add_results(lab.results, STREET_RECIPES["table2"], lab, seeds=1)
    run("results", lab.results)
    assert {"streets.html", "streets.md", "table2-scenes-small.svg"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table2", "--offset", "5000"], "--offset means nothing for table2; leave it out"),
        (["camvid", "--without", "SYN", "--resize", "lanczos"], "--without means nothing for camvid"),
        (["figure2b-top", "--sources", "highway-night"], "--sources means nothing for figure2b-top"),
        (["table2", "--members", "3"], "--members 3: table2 has no ensemble"),
        (["table2", "--stand-ins", "--sources", "highway"], 'got "highway"'),
        (["table2", "--stand-ins", "--scale", "small", "--no-train"], "table2: nothing of it is in"),
        (["tabel2"], 'no recipe is called "tabel2"; did you mean "table2"'),
        (["table2"], "or use the built-in scenes, which are not SYNTHIA: --stand-ins"),
    ],
)
def test_what_is_wrong_is_reported(words: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        run("reproduce", *words, "--out", tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()
