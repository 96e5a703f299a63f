"""The results of small street recipes."""

import pytest
from reproducing import carry_out
from street_labs import tiny_lab

from unseen.paper.results import Results
from unseen.paper.streets.lab import StreetLab
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble


@pytest.fixture(scope="session")
def table2(tmp_path_factory: pytest.TempPathFactory) -> tuple[StreetLab, Results]:
    """Two sources, two seeds."""
    lab = tiny_lab(tmp_path_factory.mktemp("streets"))
    return lab, carry_out(STREET_RECIPES["table2"], lab)


@pytest.fixture(scope="session")
def pair_ensembles(table2: tuple[StreetLab, Results]) -> tuple[StreetLab, Results]:
    """Ensembles of two on one source, in the same folder."""
    lab = tiny_lab(table2[0].out, "highway-night")
    return lab, carry_out(scenes_ensemble(2), lab, seeds=1)
