import pytest

from unseen.method.settings import CHOICES, COST_SPACES
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.runs.training import round_summaries, rounds_sheet


@pytest.mark.parametrize("cost", CHOICES["cost"])
def test_the_table_of_rounds_says_what_the_cost_measures_in(train, tmp_path, cost):
    rounds = round_summaries(read_methods([train(tmp_path / "run", cost=cost)]))
    sheet = rounds_sheet(rounds)
    assert [summary.k for summary in rounds] == [1, 2]
    assert len(sheet.rows) == 2
    assert f"transport cost, in {COST_SPACES[cost]}, that" in sheet.caption


def test_of_many_rounds_some_are_in_the_table_and_a_drawn_start_is_said(transformed, train, tmp_path):
    many = read_methods([train(tmp_path / "run", K=9, spread=True, T=12)])
    sheet = rounds_sheet(round_summaries(many))
    assert [row[1] for row in sheet.rows] == ["1", "3", "4", "6", "7", "9"]
    assert "Of many rounds, 6 are shown." in sheet.caption
    assert "drawn" not in sheet.caption
    over = rounds_sheet(round_summaries(read_methods([transformed])))
    assert len(over.rows) == 6
    assert "Of many rounds" not in over.caption
    assert "For ADA over standard transformations the transformations are drawn before they ascend" in over.caption
