"""Both sides of each comparison, as works for ``measure``: what is prepared once, then what is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from tempfile import TemporaryDirectory

import numpy as np
import torch

import unseen
from benchmarks import twins
from unseen.base.randomness import Draws
from unseen.method.algorithm import minimize
from unseen.method.descent import optimizer_for
from unseen.method.pool import Pool
from unseen.method.state import State
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress
from unseen.runs.rounds import AscentRecord, measure_ascent
from unseen.scoring.accuracy import hits

Work = Iterator[Callable[[], object]]


def digits(count: int, name: str = "mnist5k-train") -> unseen.Domain:
    """So many built-in digits, over again when there are fewer: what an image shows doesn't change its cost."""
    domain = unseen.domain(name)
    rows = torch.tensor(list(islice(cycle(range(len(domain))), count)))
    return unseen.Domain(name, domain.images[rows], domain.labels[rows], domain.classes)


def convnet(width: float = 1.0) -> unseen.Split:
    """The paper's digit net, or a narrower one."""
    return unseen.split(unseen.models.ConvNet(width=width, seed=0))


@contextmanager
def plain_ascent(images: int, T_max: int, width: float = 1.0, detached: bool = False) -> Work:
    source, net, ada = digits(images), convnet(width), unseen.ADA(T_max=T_max)
    yield lambda: twins.ascend(net, source.images, source.labels, ada, detached=detached).numpy()


@contextmanager
def our_ascent(images: int, T_max: int, width: float = 1.0, precision: str = "auto") -> Work:
    source, net, ada = digits(images), convnet(width), unseen.ADA(T_max=T_max)
    engine = unseen.Engine("cpu", precision)
    with engine.running():
        engine.place(net)
        x, y = engine.put(source.images, source.labels)
        yield lambda: unseen.ascend(net, x, y, ada, engine=engine).numpy()


@contextmanager
def our_ascent_alone(images: int, T_max: int, width: float = 1.0) -> Work:
    """As somebody with a training loop of their own calls it: no engine, no preparation."""
    source, net, ada = digits(images), convnet(width), unseen.ADA(T_max=T_max)
    yield lambda: unseen.ascend(net, source.images, source.labels, ada).numpy()


@contextmanager
def our_measured_ascent(images: int, width: float = 1.0, precision: str = "auto") -> Work:
    """What a run does after a round: how far each image went, and what that did to its loss."""
    source, net, ada, engine = digits(images), convnet(width), unseen.ADA(), unseen.Engine("cpu", precision)
    with engine.running():
        engine.place(net)
        x, y = engine.put(source.images, source.labels)
        yield lambda: AscentRecord.mean(measure_ascent(net, x, x, y, ada, engine))


@contextmanager
def plain_steps(steps: int, width: float = 1.0) -> Work:
    train, _ = plain_training(width)
    yield lambda: train(steps)


def plain_training(width: float) -> tuple[Callable[[int], None], torch.optim.Adam]:
    """What trains a new net on by so many plain steps, and its optimizer."""
    source, net, draws = digits(4000), convnet(width).train(), Draws(0)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)

    def train(steps: int) -> None:
        for _ in range(steps):
            rows = draws.minibatch(len(source), twins.BATCH)
            twins.step(net, optimizer, source.images[rows], source.labels[rows])

    return train, optimizer


@contextmanager
def our_steps(steps: int, width: float = 1.0, precision: str = "auto", ada: unseen.ADA | None = None) -> Work:
    engine, ada = unseen.Engine("cpu", precision), ada or unseen.ERM()
    with engine.running():
        state = _state(engine, ada, width)

        def work() -> None:
            for _ in range(steps):
                minimize(state, engine, ada)

        yield work


def _state(engine: unseen.Engine, ada: unseen.ADA, width: float) -> State:
    source, net = digits(4000), convnet(width)
    engine.place(net)
    net.train()
    pool = Pool(source.images, source.labels)
    return State(net, engine.prepare(net), optimizer_for(net, ada), pool, Draws(0))


@contextmanager
def our_checkpoint(width: float = 1.0) -> Work:
    engine, ada = unseen.Engine("cpu"), unseen.ADA(K=0)
    with engine.running(), TemporaryDirectory() as folder:
        state, files = _state(engine, ada, width), RunFolder(folder)
        minimize(state, engine, ada)  # Adam has its moments after the first step
        yield lambda: files.save(state)


@contextmanager
def plain_evaluation(images: int, width: float = 1.0) -> Work:
    domain, net = digits(images), convnet(width)
    yield lambda: twins.accuracy(net, domain)


@contextmanager
def our_evaluation(images: int, width: float = 1.0) -> Work:
    domain, net, engine = digits(images), convnet(width), unseen.Engine("cpu")
    with engine.running():
        engine.place(net)
        yield lambda: float(hits(net, domain.images, domain.labels).double().mean())


class MaximizeClock:
    """A ``progress`` for ``unseen.fit`` that adds up the seconds of the rounds: the ascent and writing it down."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._last, self._phase = time.perf_counter(), "minimize"

    def __call__(self, progress: Progress) -> None:
        now = time.perf_counter()
        if "maximize" in (progress.phase, self._phase):
            self.seconds += now - self._last
        self._last, self._phase = now, progress.phase


def apart(ours: np.ndarray, theirs: np.ndarray, start: np.ndarray) -> float:
    """How differently two ascents moved the images, as a share of the movement.

    On a digit's flat background every pooling window is a tie, which rounding breaks one way or the other: single
    pixels may differ, so what both moved the images by is compared as a whole.
    """
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs - start))
