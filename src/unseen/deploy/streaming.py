"""Predictions for files in any number: read ahead by threads, a batch at a time; what can't be read is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from unseen.deploy.prediction import Prediction
from unseen.deploy.predictor import Predictor
from unseen.engine import cpu
from unseen.errors import InputError

BATCH = 64
"""pictures in memory at once, and as many again that are read ahead"""


@dataclass(frozen=True, eq=False)
class Answered:
    """A file and what is said of it: the prediction, or what is wrong with the file."""

    file: Path
    prediction: Prediction | None
    problem: str = ""


def stream(predictor: Predictor, files: Sequence[Path]) -> Iterator[Answered]:
    """The files in their order, each answered; the next batch is read while the network has this one."""
    with ThreadPoolExecutor(cpu.cores()) as readers:
        ahead: list[tuple[Path, Future[Tensor | str]]] = []
        for start in range(0, len(files), BATCH):
            coming = [(file, readers.submit(_read, predictor, file)) for file in files[start : start + BATCH]]
            yield from _answered(predictor, ahead)
            ahead = coming
        yield from _answered(predictor, ahead)


def _read(predictor: Predictor, file: Path) -> Tensor | str:
    try:
        return predictor.prepare(file)
    except InputError as error:
        return str(error)


def _answered(predictor: Predictor, read: Sequence[tuple[Path, Future[Tensor | str]]]) -> Iterator[Answered]:
    outcomes = [(file, future.result()) for file, future in read]
    predictions = iter(predictor.predict([outcome for _, outcome in outcomes if isinstance(outcome, Tensor)]))
    for file, outcome in outcomes:
        if isinstance(outcome, str):
            yield Answered(file, None, outcome)
        else:
            yield Answered(file, next(predictions))
