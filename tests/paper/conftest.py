"""The results of a small recipe."""

import pytest
from reproducing import carry_out, tiny_lab

from unseen.paper.digits.lab import DigitLab
from unseen.paper.results import Results


@pytest.fixture(scope="session")
def figure2b_top(tmp_path_factory: pytest.TempPathFactory) -> tuple[DigitLab, Results]:
    lab = tiny_lab(tmp_path_factory.mktemp("paper"))
    return lab, carry_out("figure2b-top", lab)
