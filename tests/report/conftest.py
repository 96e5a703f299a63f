"""Real runs, as small as they can be: 8x8 images of 4 classes, 6 steps, trained once for the session."""

import shutil

import pytest

from unseen import ADA, Cadence, Domain, Engine, fit, load
from unseen.report.page import write_page

CADENCE = Cadence(record=2, watch=2, save=100)


@pytest.fixture(scope="session")
def source(make_digits):
    images, labels = make_digits(24)
    return Domain("bars", images, labels, tuple("0123"))


@pytest.fixture(scope="session")
def target(make_digits):
    images, labels = make_digits(20, seed=5)
    return Domain("other-bars", 1 - images, labels, tuple("0123"))


@pytest.fixture(scope="session")
def train(make_net, source, target):
    """Call it with a folder, a seed and settings: a finished run started from Python."""

    def run(folder, seed=0, *, on=source, job=None, **settings):
        ada = ADA(**{"K": 2, "T_min": 2, "T_max": 2, "T": 6, "n": 24, "batch": 4, "alpha": 1e-2} | settings)
        fit(
            make_net("plain", seed=seed), on, ada, seed=seed, folder=folder, watch={target.name: target},
            cadence=CADENCE, engine=Engine(device="cpu", threads=1), job=job,
        )  # fmt: skip
        return folder

    return run


@pytest.fixture(scope="session")
def _trained(tmp_path_factory, train):
    root = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        train(root / f"erm-{seed}", seed, K=0, n=None)
        train(root / f"ada-{seed}", seed)
    return root


@pytest.fixture
def runs(_trained, tmp_path):
    """A copy of erm-0, ada-0, erm-1 and ada-1 that a test may write into."""
    shutil.copytree(_trained, tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def load_net(make_net):
    return lambda folder: load(folder, make_net("plain"))


@pytest.fixture
def page(tmp_path, source, target, load_net):
    """Call it with folders: the page about them, as text."""

    def make(folders, **options):
        options = {"targets": [target], "source": source, "load_net": load_net} | options
        return write_page(folders, tmp_path / "page.html", **options).read_text()

    return make
