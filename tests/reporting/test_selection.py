"""Which weights a result is, on the pages about it, and the source of a run that kept a validation share."""

import sys
from pathlib import Path

import pytest

from unseen.errors import InputError
from unseen.reporting.evaluation import LAST_ITERATE, Selection, selections_of
from unseen.reporting.finished.methods import FinishedRun, Method
from unseen.reporting.finished.sources import source_of
from unseen.reporting.runs.page import _which_weights
from unseen.runs.folder import RunFolder

sys.path.insert(0, str(Path(__file__).parents[1]))
import kill_points
from kill_points import PRACTISED, make_domain


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[FinishedRun]:
    """One whose result was selected, and one whose result is the last."""
    home = tmp_path_factory.mktemp("runs")
    for name, changes in (("chosen", {"ada": PRACTISED}), ("last", {})):
        kill_points.train(home / name, **changes)
    return [FinishedRun(home / name, RunFolder(home / name).config()) for name in ("chosen", "last")]


def test_each_run_says_which_weights_are_its_result(runs: list[FinishedRun]) -> None:
    chosen, last = (selections_of(run.folder) for run in runs)
    assert chosen == [Selection("best on the source's validation, weights averaged", runs[0].selection)]
    assert runs[0].selection.startswith("best on the source's validation (step ")
    assert last == [Selection(LAST_ITERATE, LAST_ITERATE)]


def test_a_page_says_it_once_or_for_each(runs: list[FinishedRun]) -> None:
    one, other = (Method(label, label, (run,), i) for i, (label, run) in enumerate(zip("ab", runs, strict=True)))
    assert _which_weights([other]) == "Last iterate"
    assert _which_weights([one, other]) == f"a: {runs[0].selection}; b: last iterate"


def test_the_source_of_a_run_is_what_its_validation_share_left(runs: list[FinishedRun]) -> None:
    whole = make_domain("source", 60, 2)
    left = source_of(runs[0], whole, "net=")
    assert len(left) == 47
    assert left.fingerprint == runs[0].config.source.sha256
    assert source_of(runs[0], left, "net=") is left
    assert source_of(runs[1], whole, "net=") is whole
    with pytest.raises(InputError, match="is not the data that"):
        source_of(runs[0], make_domain("source", 60, 9), "net=")
