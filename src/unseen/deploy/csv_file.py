"""Predictions as a CSV file: a line for each picture, whole or not there."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from unseen.base.terminal import printable
from unseen.base.writing import whole_file
from unseen.deploy.prediction import Prediction


@contextmanager
def csv_file(path: Path) -> Iterator[Callable[[Path, Prediction], None]]:
    """Inside: what is called with each picture and its prediction. After: the file; or nothing, if anything failed."""
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        lines, begun = csv.writer(text), False

        def write(picture: Path, prediction: Prediction) -> None:
            nonlocal begun
            row = _row(picture, prediction)
            if not begun:
                lines.writerow(row)
            lines.writerow(row.values())
            begun = True

        try:
            yield write
        finally:
            text.detach()  # the file is closed by who opened it


def _row(picture: Path, said: Prediction) -> dict[str, str]:
    """The entries of a line by the names of their columns."""
    row: dict[str, object] = {"picture": picture, "class": said.label, "confidence": said.confidence}
    if said.members:
        row |= {"answered_by": said.answered_by, "agreement": said.agreement}
        row |= {f"{name} says": answer.label for name, answer in said.members.items()}
    row |= {f"probability of {name}": value for name, value in said.probabilities.items()}
    row |= {f"share of {name}": value for name, value in said.shares.items()}
    texts = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in row.items()}
    return {printable(name): printable(text) for name, text in texts.items()}
