"""Every row of the table of docs/theory.md holds: what the paper and we state, against the worst that was found."""

import pytest

from .measured import Measured
from .table import STATEMENTS, as_markdown


@pytest.mark.parametrize(
    "statement", STATEMENTS, ids=lambda s: f"{s.__module__.rsplit('.', 1)[-1]}: {s.__name__.replace('_', ' ')}"
)
def test_it_holds_of(statement):
    row = statement()
    assert row.holds, f"{row.statement}: {row.what} is {row.worst}, expected {row.expected}"


@pytest.mark.parametrize(
    ("worst", "least", "most", "holds"),
    [(0.7, -1, 1, True), (1.2, -1, 1, False), (-3, -2, 0, False), (float("nan"), -1, 1, False)],
    ids=["within", "above", "below", "nan"],
)
def test_a_row_holds_only_within_its_range(worst, least, most, holds):
    assert Measured("", "", "", worst, least, most).holds is holds


def test_a_row_is_a_line_of_the_table():
    row = Measured("1 < 2", "by looking", "greatest share", 0.5, most=1)
    assert as_markdown([row]).splitlines()[2] == "| 1 < 2 | by looking | greatest share: 0.5 | at most 1 |"


def test_what_is_nearly_one_is_shown_by_how_much():
    row = Measured("", "", "share", 1 - 2e-9, least=1 - 1e-6, most=1 + 1e-9)
    assert row.cells()[2:] == ("share: 1 - 2.0e-09", "1 - 1.0e-06 to 1 + 1.0e-09")
