"""Real runs, as small as they can be: 8x8 images or 8x12 scenes of 4 classes, 6 steps, trained once for the session."""

import shutil

import pytest
import torch
from torch import nn

from unseen import ADA, Cadence, Domain, Engine, Ensemble, fit, load, split
from unseen.base.labels import VOID
from unseen.reporting.runs.page import write_page
from unseen.runs.training import Training

CADENCE = Cadence(record=2, watch=2, save=100)


@pytest.fixture(scope="session")
def source(make_bars):
    return make_bars("bars", 24)


@pytest.fixture(scope="session")
def target(make_bars):
    return make_bars("other-bars", 20, seed=5, light=True)


@pytest.fixture(scope="session")
def train(make_net, source, target):
    """Call it with a folder, a seed and settings: a finished run started from Python."""

    def run(folder, seed=0, *, on=source, job=None, **settings):
        ada = ADA(**{"K": 2, "T_min": 2, "T_max": 2, "T": 6, "n": 24, "batch": 4, "alpha": 1e-2} | settings)
        Training(
            net=split(make_net("plain", seed=seed)), source=on, ada=ada, seed=seed, folder=folder,
            watch={target.name: target}, cadence=CADENCE, engine=Engine(device="cpu", threads=1), job=job,
        ).run()  # fmt: skip
        return folder

    return run


@pytest.fixture(scope="session")
def _trained(tmp_path_factory, train):
    root = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        train(root / f"erm-{seed}", seed, K=0, n=None)
        train(root / f"ada-{seed}", seed)
    return root


@pytest.fixture(scope="session")
def transformed(tmp_path_factory, train):
    """A run over transformations: six rounds spread over its steps, of which the last three stay."""
    folder = tmp_path_factory.mktemp("transformed") / "run"
    return train(folder, over="standard", K=6, keep=3, spread=True, sampling="source", T=14)


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


STREET = ("road", "car", "sky", "tram")


def _street_net(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, len(STREET), 1))
    return split(net)


def _streets(name, count, seed, unlabelled=()):
    """Dark road under a bright sky with a bright car on it; nothing is a tram, and some pixels are unlabelled."""
    draw = torch.Generator().manual_seed(seed)
    images, labels = 0.2 * torch.rand(count, 3, 8, 12, generator=draw), torch.zeros(count, 8, 12, dtype=torch.uint8)
    images[:, 2, :3] += 0.7
    labels[:, :3] = 2
    for i, column in enumerate(torch.randint(0, 8, (count,), generator=draw).tolist()):
        images[i, 0, 4:7, column : column + 4] += 0.6
        labels[i, 4:7, column : column + 4] = 1
    labels[:, 0, 0] = VOID
    labels[list(unlabelled)] = VOID
    return Domain(name, images, labels, STREET)


@pytest.fixture(scope="session")
def street():
    return _streets("sunny street", 12, 0, unlabelled=(0, 5))


@pytest.fixture(scope="session")
def far_street():
    return _streets("far street", 7, 1, unlabelled=(3,))


@pytest.fixture(scope="session")
def street_net():
    return _street_net


@pytest.fixture(scope="session")
def load_street_net():
    return lambda folder: load(folder, _street_net())


@pytest.fixture(scope="session")
def street_runs(tmp_path_factory, street, far_street):
    """erm-0, ada-0, erm-1, ada-1, and the ensembles both-0 and both-1 of those with one seed."""
    root = tmp_path_factory.mktemp("streets")
    for seed in (0, 1):
        for name, rounds in {"erm": 0, "ada": 1}.items():
            ada = ADA(K=rounds, T_min=2, T_max=2, T=6, batch=4, alpha=1e-2, eta=2.0)
            fit(
                _street_net(seed), street, ada, seed=seed, folder=root / f"{name}-{seed}",
                watch={far_street.name: far_street}, cadence=CADENCE, engine=Engine(device="cpu", threads=1),
                warn=lambda _: None,
            )  # fmt: skip
        members = [root / f"erm-{seed}", root / f"ada-{seed}"]
        Ensemble.of_runs(members, models=[_street_net(), _street_net()]).save(root / f"both-{seed}")
    return root


@pytest.fixture(scope="session")
def street_page(tmp_path_factory, street_runs, street, far_street, load_street_net):
    """Call it with names of street runs: the page about them, as text; what was asked for before is not drawn again."""
    drawn = {}

    def draw(names, **options):
        options = {"targets": [far_street], "source": street, "load_net": load_street_net} | options
        file = tmp_path_factory.mktemp("page") / "page.html"
        return write_page([street_runs / name for name in names], file, **options).read_text()

    def make(*names, **options):
        if options:
            return draw(names, **options)
        if names not in drawn:
            drawn[names] = draw(names)
        return drawn[names]

    return make
