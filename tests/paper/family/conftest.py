"""Results of the family, made by hand once."""

import shutil
from pathlib import Path

import pytest
from family_results import add_results, digit_lab, street_lab

from unseen.paper.family.recipes import FAMILY_RECIPES


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("family")
    add_results(FAMILY_RECIPES["family"], digit_lab(folder), 3, skip=("Transformations + pixels",))
    for name in ("family-camvid", "family-scenes"):
        add_results(FAMILY_RECIPES[name], street_lab(folder, name), 2)
    return folder


@pytest.fixture
def family(_made: Path, tmp_path: Path) -> Path:
    """A folder of results: everything on digits but one method, three seeds; streets with two."""
    return Path(shutil.copytree(_made, tmp_path / "results"))
