"""Table 2 as data, against the paper's source."""

import re
from pathlib import Path

import pytest

from unseen.paper.streets.names import TABLE2, called
from unseen.paper.streets.published import contradictions, entry, figure3, higher_count, table2

PAPER = Path(__file__).parents[4] / "shared" / "paper.tex"  # beside the repository, never in it
NAMES = {"Highway": "highway", "NY.Like C.": "new-york"}


@pytest.fixture(scope="module")
def printed() -> dict[tuple[str, str, str], tuple[float, bool]]:
    """(source, row, target) -> percent and whether it is bold, as the table is set."""
    if not PAPER.exists():
        pytest.skip(f"the paper's source is not at {PAPER}")
    table = PAPER.read_text().rpartition(r"\begin{table}")[2]
    found = {}
    for pair in table.split(r"\midrule"):
        named = re.search(r"(Highway|NY\.Like C\.)\s*/\s*(\w+)\s*&\s*\\textit\{Ours\}", pair)
        if named is None:
            continue
        source = f"{NAMES[named[1]]}-{named[2].lower()}"
        for row, line in re.findall(r"\\textit\{(ERM|Ours)\}\s*&(.*?)\\\\", pair, re.DOTALL):
            numbers = re.findall(r"\$(?:(\\mathbf)\{)?([\d.]+)\}?\$", line)
            for target, (bold, number) in zip(TABLE2[source], numbers, strict=True):
                found[source, row, target] = float(number), bool(bold)
    return found


def test_every_number_of_table_2_and_its_type_are_the_papers(printed: dict) -> None:
    assert len(printed) == 200
    for (source, row, target), (percent, bold) in printed.items():
        found = entry(source, row, target)
        assert (round(100 * found.miou, 1), found.bold) == (percent, bold), (source, row, target)


def test_bold_type_that_isnt_at_the_higher_number_is_found(printed: dict) -> None:
    expected = []
    for source, targets in TABLE2.items():
        for target in targets:
            (erm, erm_bold), (ours, ours_bold) = printed[source, "ERM", target], printed[source, "Ours", target]
            if (erm_bold, ours_bold) != (erm > ours, ours > erm):
                expected.append((source, target))
    assert [(c.source, c.target) for c in contradictions()] == expected


def test_the_contradictions_are_these_eleven() -> None:
    wrong = [(c.source, c.target, c.higher) for c in contradictions() if c.bold != "neither"]
    assert wrong == [
        ("new-york-fog", "old-town-dawn", "ERM"), ("new-york-fog", "old-town-fog", "ERM"),
        ("new-york-fog", "old-town-night", "ERM"), ("new-york-night", "old-town-dawn", "ERM"),
        ("new-york-night", "old-town-fog", "ERM"), ("new-york-spring", "old-town-winter", "Ours"),
    ]  # fmt: skip
    lacking = [(c.source, c.target) for c in contradictions() if c.bold == "neither"]
    assert lacking == [
        ("highway-fog", "new-york-winter"), ("highway-night", "new-york-night"), ("highway-spring", "new-york-night"),
        ("new-york-dawn", "old-town-winter"), ("new-york-fog", "old-town-winter"),
    ]  # fmt: skip


def test_by_its_numbers_ours_is_higher_in_84_of_100_pairs(printed: dict) -> None:
    pairs = {(source, target) for source, _, target in printed}
    assert higher_count() == sum(printed[s, "Ours", t] > printed[s, "ERM", t] for s, t in pairs) == 84


def test_an_miou_has_neither_spread_nor_runs() -> None:
    found = table2("highway-night", "Ours", "new-york-night")
    assert (found.mean, found.deviation, found.runs, found.where) == (0.248, None, None, "Appendix B, Table 2")


@pytest.mark.parametrize("place", [("highway-dawn", "highway-fog"), ("old-town-dawn", "highway-fog"), ("0001TP", "x")])
def test_a_pair_that_the_table_doesnt_have_has_no_number(place: tuple[str, str]) -> None:
    assert table2(place[0], "ERM", place[1]) is None


def test_a_bar_of_figure_3_is_the_mean_over_the_conditions_and_none_of_them_is_left_out() -> None:
    five = [table2("highway-night", "ERM", target) for target in TABLE2["highway-night"][:5]]
    assert figure3(five).mean == pytest.approx((13.0 + 7.7 + 13.9 + 13.2 + 10.9) / 500)
    assert figure3([*five, None]) is None
    assert figure3([]) is None


def test_rows_and_columns_are_the_papers() -> None:
    assert [called(source) for source in TABLE2][4:6] == ["Highway/Winter", "New York-like City/Dawn"]
    assert [called(target) for target in TABLE2["new-york-fog"]][3:6] == [
        "Highway/Spring", "Highway/Winter", "Old European Town/Dawn",
    ]  # fmt: skip
    assert all(len(targets) == 10 for targets in TABLE2.values())
