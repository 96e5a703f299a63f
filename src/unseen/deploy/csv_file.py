"""Predictions as a CSV file: a line for each picture, whole or not there."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from unseen.deploy.prediction import Prediction
from unseen.errors import SaveFailed


@contextmanager
def csv_file(path: Path) -> Iterator[Callable[[Path, Prediction], None]]:
    """Inside: what is called with each picture and its prediction. After: the file; or nothing, if anything failed."""
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("w", newline="") as file:
            lines = csv.writer(file)

            def write(picture: Path, prediction: Prediction) -> None:
                row = _row(picture, prediction)
                if not file.tell():
                    lines.writerow(row)
                lines.writerow(row.values())

            yield write
        aside.replace(path)
    except OSError as error:
        raise SaveFailed(f"could not write {path}: {error.strerror or error}; choose another file") from error
    finally:
        aside.unlink(missing_ok=True)


def _row(picture: Path, said: Prediction) -> dict[str, str]:
    """The entries of a line by the names of their columns."""
    row: dict[str, object] = {"picture": picture, "class": said.label, "confidence": said.confidence}
    if said.members:
        row |= {"answered_by": said.answered_by, "agreement": said.agreement}
        row |= {f"{name} says": answer.label for name, answer in said.members.items()}
    row |= {f"probability of {name}": value for name, value in said.probabilities.items()}
    row |= {f"share of {name}": value for name, value in said.shares.items()}
    return {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in row.items()}
