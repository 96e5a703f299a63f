"""How the claims stood when the plan was written, and how they stand now."""

from dataclasses import replace
from pathlib import Path

import pytest
from digit_lines import add_results

from unseen.paper.page import read_page
from unseen.paper.plan import PLANNED
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage
from unseen.paper.tables import NONE

EARLIER, LATER = "2026-11-16T00:00:00+00:00", "2026-12-01T00:00:00+00:00"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> ResultsPage:
    """Five seeds: two from before the plan."""
    results = add_results(tmp_path_factory.mktemp("decided") / "digits.jsonl", ["figure2b-top"], 5)
    for line in list(results):
        results.add(line | {"created": EARLIER if line["seed"] < 2 else LATER})
    return read_page(results.path)


def rows(page: ResultsPage) -> dict[str, tuple[str, ...]]:
    assert page.decided is not None
    return {name: rest for name, *rest in map(tuple, page.decided.rows)}


def test_before_are_the_lines_until_the_plan_and_now_are_all(page: ResultsPage) -> None:
    assert EARLIER < PLANNED < LATER
    assert rows(page)["ADA beats ERM, K=1 to 4"] == ["not decided", "0 of 8", "2", "holds", "8 of 8", "5"]
    assert rows(page)["ADA beats ERM at any γ"][2::3] == ["2", "5"], "seeds of its one comparison"


def test_a_claim_on_the_other_side_says_so_and_one_without_runs_has_no_counts(page: ResultsPage) -> None:
    assert rows(page)["ADA loses on USPS"][3:5] == ["does not hold", "0 of 4, 4 the other way"]
    assert rows(page)["Features beat pixels"] == ["not measured", NONE, NONE] * 2


def test_without_a_line_from_before_the_plan_nothing_was_measured_then(page: ResultsPage, tmp_path: Path) -> None:
    results = Results(tmp_path / "digits.jsonl")
    for line in page.results:
        results.add(line | {"created": LATER})
    later = rows(read_page(results.path))
    assert {entries[0] for entries in later.values()} == {"not measured"}
    assert later["ADA beats ERM, K=1 to 4"][3] == "holds"


def test_a_page_without_a_plan_has_no_such_table(page: ResultsPage) -> None:
    assert replace(page, subject=replace(page.subject, plan=())).decided is None
