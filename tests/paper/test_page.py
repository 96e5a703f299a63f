"""The page of all results, from a results file alone."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from digit_lines import add_results

from unseen.errors import InputError
from unseen.paper.digits.recipes import DIGIT_RECIPES
from unseen.paper.page import read_page, write_html, write_markdown
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> ResultsPage:
    folder = tmp_path_factory.mktemp("page")
    (folder / "said.md").write_text("**Two <things> can be said.** And `more`.\n")
    file = add_results(folder / "digits.jsonl", ["figure2b-top", "figure2a-top"], 3).path
    return read_page(file, folder / "said.md")


@pytest.fixture(scope="module")
def text(page: ResultsPage, tmp_path_factory: pytest.TempPathFactory) -> str:
    """As Markdown, its figures drawn once for all tests."""
    folder = tmp_path_factory.mktemp("markdown")
    return write_markdown(page, folder / "results.md", folder).read_text()


@pytest.fixture(scope="module")
def html(page: ResultsPage, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_html(page, tmp_path_factory.mktemp("html") / "report.html").read_text()


def test_the_page_has_every_recipe_and_says_which_are_not_run(text: str) -> None:
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "The paper's claims", "How claims are judged", "How many seeds would decide it", "Figure 2a, top",
        "Figure 2a, bottom", "Figure 2b, top", "Figure 2b, middle",
        "Figure 2b, bottom", "Table 1", "Figure 4", "Readings",
    ]  # fmt: skip
    assert "Nothing was run." in text
    assert "No result on SYN." in text
    assert text.index("![") < text.index("\n\n**Of "), "it opens with the figure of all claims"
    assert text.count("![") == 1 + 6, "two recipes in full; figures 2a-bottom and 4, table 1 and the readings in part"


def test_the_numbers_of_seeds_stand_with_the_numbers(text: str) -> None:
    assert "Mean of 3 seeds." in text
    assert re.search(r"\| K=2 \| 3 \| 60\.\d", text)


def test_claims_are_judged_by_the_results(page: ResultsPage) -> None:
    by_text = {judged.claim.text: judged.verdict for judged in page.judged}
    assert by_text["ADA (γ=1) does better than ERM."] == "holds"
    assert by_text["ADA (K=2) does better than ERM for any γ."] == "not all measured", "only γ=1 was run"
    assert by_text["On USPS, which is close to MNIST, ADA does worse than ERM."] == "does not hold"
    assert by_text["ADA (K=1, γ=1) adds to what ridge does."] == "not measured"
    assert page.headline.startswith(f"Of {len(page.judged)} claims (judged on SVHN, MNIST-M and USPS), ")


def test_the_discussion_is_at_the_beginning(text: str, html: str) -> None:
    assert text.index("Two <things>") < text.index("## The paper's claims")
    assert "<p><strong>Two &lt;things&gt; can be said.</strong> And more.</p>" in html


class Outline(HTMLParser):
    """Headings, images and anything that would be fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[str] = []
        self.fetched: list[str] = []
        self.images = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.sections += [found["id"]] if tag == "section" else []
        self.images += tag == "img"
        self.fetched += [v for n, v in found.items() if n in ("src", "href") and not v.startswith("data:")]


def test_the_html_page_needs_no_other_file(html: str) -> None:
    outline = Outline()
    outline.feed(html)
    assert outline.sections[:3] == ["claims", "judging", "deciding"]
    assert len(outline.sections) == 3 + sum(bool(recipe.methods) for recipe in DIGIT_RECIPES.values())
    assert outline.images == 1 + 6
    assert not outline.fetched


def test_a_file_without_results_of_the_real_experiment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected results of runs on mnist-train, got no file; make some"):
        read_page(tmp_path / "nothing.jsonl")


def test_results_of_stand_ins_have_no_page_and_the_message_says_where_their_tables_are(tmp_path: Path) -> None:
    results = Results(tmp_path / "digits.jsonl")
    about = {"ada": {"K": 0}, "versions": {"torch": "2"}, "engine": {"device": "cpu", "precision": "float32"}}
    job = {"source": "mnist5k-train", "model": "convnet", "size": None, "images": 5000}
    line = {"key": "a", "kind": "run", "seed": 0, "job": job, "created": "2026", "scores": []}
    results.add(line | about)
    with pytest.raises(InputError, match=r"got only runs on mnist5k-train: stand-ins have no page; .* NAME\.md in"):
        read_page(results.path)


def test_methods_side_by_side_are_over_the_same_seeds_and_table1_is_over_all(tmp_path: Path) -> None:
    path = add_results(tmp_path / "digits.jsonl", ["figure2b-top"], 3).path
    add_results(path, ["figure2b-middle"], 2)
    sections = {section.recipe.name: section for section in read_page(path).sections}
    seeds = {name: {len(c.accuracies) for c in sections[name].cells if c.accuracies} for name in sections}
    assert seeds["figure2b-top"] == {3}
    assert seeds["figure2b-middle"] == {2}
    assert seeds["table1"] == {3}
