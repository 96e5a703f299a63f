"""The paper's numbers as data, against its source."""

import re
from pathlib import Path

import pytest

from unseen.paper.published import (
    DOMAINS,
    GAMMAS,
    ROUNDS,
    Published,
    contradictions,
    erm,
    figure3,
    table1,
    table2,
    table2_pairs,
)
from unseen.paper.streets.names import TABLE2, called

PAPER = Path(__file__).parents[3] / "shared" / "paper.tex"  # beside the repository, never in it
NUMBER = r"\$(0\.\d+) \\pm (0\.\d+)\$"


@pytest.fixture(scope="module")
def tex():
    if not PAPER.exists():
        pytest.skip(f"the paper's source is not at {PAPER}")
    return PAPER.read_text()


def numbers(found):
    return (found.mean, found.deviation)


def test_every_number_of_table_1_is_the_papers(tex):
    rows = re.findall(rf"^\$\\gamma=10\^\{{(-?\d)\}}\$ & {' & '.join([NUMBER] * 4)}", tex, re.MULTILINE)
    assert len(rows) == len(DOMAINS) * len(GAMMAS)
    order = re.findall(r"^ \\textbf\{([\w-]+)\} &  &", tex, re.MULTILINE)
    assert tuple(order) == DOMAINS
    for i, (exponent, *texts) in enumerate(rows):
        for k in ROUNDS:
            found = table1(10.0 ** int(exponent), k, order[i // len(GAMMAS)])
            assert numbers(found) == (float(texts[2 * k - 2]), float(texts[2 * k - 1]))


def test_every_erm_baseline_is_the_papers(tex):
    baselines = re.findall(rf"\\item ([\w-]+): {NUMBER}", tex)
    assert [name for name, _, _ in baselines] == list(DOMAINS)
    assert all(numbers(erm(name)) == (float(m), float(d)) for name, m, d in baselines)


def test_the_paper_contradicts_itself_about_runs(tex):
    caption = re.search(r"Results are averaged over \$(\d+)\$ different runs", tex)
    text = re.search(r"numerical results \(averaged over \$(\d+)\$ different runs\)", tex)
    assert table1(1, 2, "SVHN").stated_runs == (int(caption[1]), int(text[1]))
    assert erm("SVHN").stated_runs == (int(text[1]),)


@pytest.mark.parametrize(
    ("gamma", "K", "domain", "expected"),
    [
        (1e-6, 1, "SVHN", (0.287, 0.006)),
        (1.0, 2, "MNIST-M", (0.579, 0.009)),
        (1e4, 4, "USPS", (0.781, 0.011)),
        (0.1**5, 3, "SYN", (0.437, 0.024)),
    ],
    ids=["first", "default settings", "last", "a gamma with rounding"],
)
def test_an_entry_of_table_1_is_found(gamma, K, domain, expected):
    assert numbers(table1(gamma, K, domain)) == expected
    assert table1(gamma, K, domain).where == "Appendix B, Table 1"


def test_the_table_is_complete():
    assert all(table1(g, k, d) for g in GAMMAS for k in ROUNDS for d in DOMAINS)
    assert all(erm(d) for d in DOMAINS)


@pytest.mark.parametrize(
    "place", [(1, 2, "typeset"), (1, 5, "SVHN"), (1, 0, "SVHN"), (3, 2, "SVHN")], ids=["domain", "K", "ERM", "gamma"]
)
def test_where_the_paper_has_no_number_there_is_none(place):
    assert table1(*place) is None
    assert erm("typeset") is None


def test_of_two_numbers_of_runs_the_fewer_counts():
    assert Published(0.5, 0.1, (20, 10), "Table 1").runs == 10


# Table 2.

NAMES = {"Highway": "highway", "NY.Like C.": "new-york"}
ROWS = {"ERM": "ERM", "Ours": "ADA"}


@pytest.fixture(scope="module")
def printed(tex) -> dict[tuple[str, str, str], tuple[float, bool]]:
    """(source, row, target) -> percent and whether it is bold, as the table is set."""
    table = tex.rpartition(r"\begin{table}")[2]
    found = {}
    for pair in table.split(r"\midrule"):
        named = re.search(r"(Highway|NY\.Like C\.)\s*/\s*(\w+)\s*&\s*\\textit\{Ours\}", pair)
        if named is None:
            continue
        source = f"{NAMES[named[1]]}-{named[2].lower()}"
        for row, line in re.findall(r"\\textit\{(ERM|Ours)\}\s*&(.*?)\\\\", pair, re.DOTALL):
            numbers = re.findall(r"\$(?:(\\mathbf)\{)?([\d.]+)\}?\$", line)
            for target, (bold, number) in zip(TABLE2[source], numbers, strict=True):
                found[source, ROWS[row], target] = float(number), bool(bold)
    return found


def test_every_number_of_table_2_and_its_type_are_the_papers(printed: dict) -> None:
    assert len(printed) == 200
    for (source, row, target), (percent, bold) in printed.items():
        pair = table2_pairs()[source, target]
        found = pair.erm if row == "ERM" else pair.ada
        assert (round(100 * found.miou, 1), found.bold) == (percent, bold), (source, row, target)


def test_bold_type_that_isnt_at_the_higher_number_is_found(printed: dict) -> None:
    expected = []
    for source, targets in TABLE2.items():
        for target in targets:
            (erm, erm_bold), (ada, ada_bold) = printed[source, "ERM", target], printed[source, "ADA", target]
            if (erm_bold, ada_bold) != (erm > ada, ada > erm):
                expected.append((source, target))
    assert [(c.source, c.target) for c in contradictions()] == expected


def test_the_contradictions_are_these_eleven() -> None:
    wrong = [(c.source, c.target, c.higher) for c in contradictions() if c.bold != "neither"]
    assert wrong == [
        ("new-york-fog", "old-town-dawn", "ERM"), ("new-york-fog", "old-town-fog", "ERM"),
        ("new-york-fog", "old-town-night", "ERM"), ("new-york-night", "old-town-dawn", "ERM"),
        ("new-york-night", "old-town-fog", "ERM"), ("new-york-spring", "old-town-winter", "ADA"),
    ]  # fmt: skip
    lacking = [(c.source, c.target) for c in contradictions() if c.bold == "neither"]
    assert lacking == [
        ("highway-fog", "new-york-winter"), ("highway-night", "new-york-night"), ("highway-spring", "new-york-night"),
        ("new-york-dawn", "old-town-winter"), ("new-york-fog", "old-town-winter"),
    ]  # fmt: skip


def test_by_its_numbers_ada_is_higher_in_84_of_100_pairs(printed: dict) -> None:
    pairs = {(source, target) for source, _, target in printed}
    higher = sum(pair.higher == "ADA" for pair in table2_pairs().values())
    assert higher == sum(printed[s, "ADA", t] > printed[s, "ERM", t] for s, t in pairs) == 84


def test_an_miou_has_neither_spread_nor_runs() -> None:
    found = table2("ADA", "highway-night", "new-york-night")
    assert (found.mean, found.deviation, found.runs, found.where) == (0.248, None, None, "Appendix B, Table 2")


@pytest.mark.parametrize("place", [("highway-dawn", "highway-fog"), ("old-town-dawn", "highway-fog"), ("0001TP", "x")])
def test_a_pair_that_the_table_doesnt_have_has_no_number(place: tuple[str, str]) -> None:
    assert table2("ERM", *place) is None


def test_a_bar_of_figure_3_is_the_mean_over_the_conditions_and_none_of_them_is_left_out() -> None:
    five = [table2("ERM", "highway-night", target) for target in TABLE2["highway-night"][:5]]
    assert figure3(five).mean == pytest.approx((13.0 + 7.7 + 13.9 + 13.2 + 10.9) / 500)
    assert figure3([*five, None]) is None
    assert figure3([]) is None


def test_rows_and_columns_are_the_papers() -> None:
    assert [called(source) for source in TABLE2][4:6] == ["Highway/Winter", "New York-like City/Dawn"]
    assert [called(target) for target in TABLE2["new-york-fog"]][3:6] == [
        "Highway/Spring", "Highway/Winter", "Old European Town/Dawn",
    ]  # fmt: skip
    assert all(len(targets) == 10 for targets in TABLE2.values())
