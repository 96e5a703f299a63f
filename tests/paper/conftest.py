"""The results of a small recipe."""

import sys
from pathlib import Path

import pytest

from unseen.paper.lab import Lab
from unseen.paper.results import Results

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproducing import carry_out, tiny_lab


@pytest.fixture(scope="session")
def figure2b_top(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lab, Results]:
    lab = tiny_lab(tmp_path_factory.mktemp("paper"))
    return lab, carry_out("figure2b-top", lab)
