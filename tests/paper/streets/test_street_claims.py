"""The street claims and the page of street results."""

from pathlib import Path

import pytest
from street_labs import add_results, small_lab

from unseen.paper.claim_words import paragraph
from unseen.paper.claims import Claim
from unseen.paper.page import read_page, write_html, write_markdown
from unseen.paper.results import Results
from unseen.paper.streets.claims import STREET_CLAIMS
from unseen.paper.streets.lab import CAMVID, WHOLE_DRIVES, StreetLab
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble


@pytest.mark.parametrize("claim", STREET_CLAIMS, ids=lambda claim: claim.text[:40])
def test_every_method_and_column_that_a_claim_names_is_in_its_recipe(claim: Claim, tmp_path: Path) -> None:
    for name in {name for pair in claim.pairs for name in pair}:
        recipe, _, method = name.partition("/")
        lab = small_lab(tmp_path, *STREET_RECIPES[recipe].rows)
        cells = STREET_RECIPES[recipe].cells(lab, Results(tmp_path / "none.jsonl"), 0)
        assert set(claim.columns) <= {cell.domain for cell in cells if cell.method == method}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lab = small_lab(tmp_path, "highway-night", "highway-dawn", "new-york-fog")
    add_results(lab.results, STREET_RECIPES["table2"], lab, seeds=3)
    drives = StreetLab(out=tmp_path, data=CAMVID, rows=CAMVID_ROWS, scale=WHOLE_DRIVES)
    return add_results(lab.results, STREET_RECIPES["camvid"], drives, seeds=3).path


def test_the_page_has_what_was_run_with_its_data_and_scale(file: Path) -> None:
    text = write_markdown(read_page(file), file.parent / "streets.md", file.parent).read_text()
    assert text.startswith("# The paper's street-scene experiments, run again")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "The paper's claims", "How claims are judged", "How many seeds would decide it",
        "Table 2 (built-in scenes, small scale)", "Figure 3 (built-in scenes, small scale)",
        "Dusk and day (CamVid, small scale)",
    ]  # fmt: skip
    for name in ("table2-scenes-small.svg", "figure3-scenes-small.svg", "camvid.svg"):
        assert f"({name})" in text
    assert "Where Table 2's bold type contradicts its numbers" in text
    assert "Mean of 3 seeds." in text


def test_claims_are_judged_on_the_data_that_has_them(file: Path) -> None:
    page = read_page(file)
    assert [judged.verdict for judged in page.judged] == ["holds", "holds", "not measured"]
    assert {judged.on for judged in page.judged} == {"built-in scenes, small scale"}
    assert "No data for 14 others" in paragraph(page.prospects[0])
    assert page.headline == "Of 3 claims (judged on built-in scenes, small scale), 2 hold and 1 is not measured"


def test_ensembles_have_a_section_for_each_size_and_only_their_sources(file: Path) -> None:
    lab = small_lab(file.parent, "highway-night")
    for members in (2, 4):
        add_results(file, scenes_ensemble(members), lab, seeds=1)
    page = read_page(file)
    found = {s.title: s for s in page.sections if s.title.startswith("Ensembles")}
    assert list(found) == [
        "Ensembles (built-in scenes, small scale)", "Ensembles of 2 (built-in scenes, small scale)",
    ]  # fmt: skip
    assert all(list(section.lab.rows) == ["highway-night"] for section in found.values())
    assert {s.name for s in found.values()} == {"scenes-ensemble-scenes-small", "scenes-ensemble-2-scenes-small"}
    table2 = next(section for section in page.sections if section.recipe.name == "table2")
    assert {len(cell.accuracies) for cell in table2.cells} == {3}, "an ERM ensemble's other seeds are not Table 2's"


def test_the_html_page_says_it_too_and_the_discussion_is_found_beside_the_results(file: Path) -> None:
    (file.parent / "streets-discussion.md").write_text("It was <dark>.\n")
    text = write_html(read_page(file), file.parent / "streets.html").read_text()
    assert "street-scene experiments, run again</title>" in text
    assert "It was &lt;dark&gt;." in text
    assert text.count("<img") == 1 + 3
    assert "points of mIoU" in text
