"""Two runs of one job, with and without rounds, that take no time to train."""

import pytest

from unseen import ADA, ERM, Cadence, Engine
from unseen.deploy.play.players import load_players
from unseen.deploy.play.sitting import Sitting
from unseen.runs.job import Job
from unseen.runs.request import Request, train

SETTINGS = {
    "erm": ERM(T=60, batch=4, alpha=2e-3),
    "ada": ADA(T=60, batch=4, alpha=2e-3, K=1, T_min=5, T_max=2, n=6, over=("affine", "tone"), links=2),
}


@pytest.fixture(scope="session")
def runs(tmp_path_factory, photos):
    """The folder of ``erm`` and ``ada``, trained on the photos."""
    root, job = tmp_path_factory.mktemp("runs"), Job(source=str(photos), width=1 / 16)
    for name, ada in SETTINGS.items():
        train(Request(ada, job, 0, root / name, Engine(device="cpu", threads=1), Cadence()), resume=False)
    return root


@pytest.fixture(scope="session")
def sitting(runs):
    return Sitting(load_players([runs / "erm", runs / "ada"]))


@pytest.fixture
def mask_sitting(trained):
    return Sitting(load_players([trained / "pixels", trained / "pixels-1"]))
