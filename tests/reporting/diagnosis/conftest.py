"""Real runs, as small as they can be: 8x8 images of 4 classes, a few dozen steps, trained and diagnosed once."""

import shutil

import pytest

from unseen import ADA, Engine, fit
from unseen.reporting.diagnosis.diagnose import diagnose


@pytest.fixture(scope="session")
def source(make_bars):
    return make_bars("bars", 40)


@pytest.fixture(scope="session")
def target(make_bars):
    return make_bars("other-bars", 30, seed=5, light=True)


@pytest.fixture(scope="session")
def near(make_bars):
    return make_bars("near-bars", 24, seed=6)


@pytest.fixture(scope="session")
def train(make_net, source):
    """Call it with a folder and settings: a finished run started from Python."""

    def run(folder, seed=0, *, on=source, net=None, **settings):
        ada = ADA(**{"K": 2, "T_min": 10, "T_max": 5, "T": 40, "batch": 8, "alpha": 1e-2} | settings)
        fit(net or make_net("plain", seed=seed), on, ada, seed=seed, folder=folder, engine=Engine("cpu", threads=1))
        return folder

    return run


@pytest.fixture(scope="session")
def _trained(tmp_path_factory, train):
    root = tmp_path_factory.mktemp("runs")
    train(root / "ada")
    train(root / "erm", K=0)
    return root


@pytest.fixture
def runs(_trained, tmp_path):
    """A copy of ada and erm that a test may write into."""
    shutil.copytree(_trained, tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def look_at(make_net, source):
    """Call it with a folder and more: its diagnosis."""
    return lambda folder, *targets, **options: diagnose(
        folder, targets, **{"net": make_net("plain"), "source": source} | options
    )


@pytest.fixture(scope="session")
def _diagnosed(_trained, tmp_path_factory, make_net, source, target, near):
    root = tmp_path_factory.mktemp("diagnosed") / "runs"
    shutil.copytree(_trained, root)
    return root, diagnose(root / "ada", [target, near], net=make_net("plain"), source=source)


@pytest.fixture
def diagnosis(_diagnosed):
    """Of ada with both targets, erm beside it."""
    return _diagnosed[1]


@pytest.fixture
def diagnosed(_diagnosed, tmp_path):
    """A copy of the runs, where that diagnosis is kept."""
    shutil.copytree(_diagnosed[0], tmp_path / "diagnosed")
    return tmp_path / "diagnosed"
