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
