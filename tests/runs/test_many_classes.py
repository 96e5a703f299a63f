"""A thousand classes: rounds are measured without the theory's solver, which takes time by the cube of the classes."""

import time

import pytest
import torch
from torch import nn

import unseen
from unseen.errors import InputError
from unseen.runs.rounds import ALWAYS, MEASURED, MEASURES, MOST_CLASSES, RoundRecord, measure_ascent
from unseen.theory import solve as solver


def _net(classes):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Sequential(nn.Flatten(), nn.Linear(192, 32), nn.Tanh(), nn.Linear(32, classes))


def _images(n, classes):
    draw = torch.Generator().manual_seed(1)
    return torch.rand(n, 3, 8, 8, generator=draw), torch.randint(classes, (n,), generator=draw)


@pytest.mark.parametrize(
    ("classes", "measures"), [(MOST_CLASSES, MEASURES), (MOST_CLASSES + 1, ALWAYS), (1000, ALWAYS)]
)
def test_the_supremum_is_left_out_where_it_would_cost_more_than_the_training(classes, measures):
    x, y = _images(MEASURED if measures is ALWAYS else 2, classes)
    began = time.process_time()
    found = measure_ascent(unseen.split(_net(classes)), x, x + 0.1, y, unseen.ADA(), unseen.Engine("cpu", "float32"))
    assert found.shape == (len(x), len(measures))
    assert time.process_time() - began < 10, "the solver alone took 82 seconds"


def test_a_round_of_many_images_of_a_thousand_classes_is_measured_on_some_and_its_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.theory.reach.solve", pytest.fail)
    x, y = _images(MEASURED + 44, 1000)
    source = unseen.Domain("many", x, y, tuple(f"{i:04d}" for i in range(1000)))
    ada = unseen.ADA(K=1, T_min=1, T=2, T_max=1, batch=4)
    run = unseen.fit(_net(1000), source, ada, folder=tmp_path / "run", warn=lambda _: None)
    (made,) = RoundRecord.read(run.metrics)
    assert (made.fictitious, made.measured, made.supremum) == (300, 256, None)
    assert made.sample == ", measured on 256 of them"
    with pytest.raises(InputError, match=r"has 1,000 classes: .* by their cube, here days; expected 100 or fewer"):
        unseen.diagnose(tmp_path / "run", net=_net(1000), source=source)


def test_the_solver_has_few_systems_in_memory_at_once_and_solves_the_same(monkeypatch):
    classes, sizes, solve = 30, [], torch.linalg.solve
    draw = torch.Generator().manual_seed(0)
    weight, scores = (torch.randn(n, classes, generator=draw, dtype=torch.float64) for n in (8, 50))
    p, gram = scores.softmax(1), weight.T @ weight

    def counted(system, right):
        sizes.append(system.numel())
        return solve(system, right)

    monkeypatch.setattr(torch.linalg, "solve", counted)
    whole = solver.newton_step(p, p, gram, 20.0)
    monkeypatch.setattr(solver, "SYSTEMS", 7 * classes**2)
    parts = solver.newton_step(p, p, gram, 20.0)
    assert sizes == [50 * classes**2, *[7 * classes**2] * 7, classes**2]
    torch.testing.assert_close(parts, whole, rtol=1e-12, atol=1e-14)
