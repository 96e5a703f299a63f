import re
from pathlib import Path

import pytest

from unseen.paper.published import DOMAINS, GAMMAS, ROUNDS, Published, erm, table1

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
