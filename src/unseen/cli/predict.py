"""The verb that says what is on pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import track

from unseen.cli.app import RunModelCode, app, out
from unseen.cli.evaluate import Model, stand_in
from unseen.errors import InputError, PicturesUnreadable

if TYPE_CHECKING:
    from unseen.deploy.mask_files import MaskFiles
    from unseen.deploy.prediction import Prediction
    from unseen.deploy.streaming import Answered

_SHOWN = 10  # pictures that can't be read, spelled out


@app.command()
def predict(
    run: Annotated[Path, typer.Argument(help="Folder of a run, an ensemble or a hand-over.", metavar="RUN")],
    pictures: Annotated[
        list[str], typer.Argument(help="Files, folders, or patterns such as 'photos/*.jpg'.", metavar="PICTURES...")
    ],
    csv: Annotated[Path | None, typer.Option(help="Write a CSV file in place of lines.")] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="New folder for masks as PNG files.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads (as torch chooses).")] = None,
    model: Model = None,
    run_model_code: RunModelCode = False,
) -> None:
    """Say what is on pictures: the class, how sure it is, and who of an ensemble answered.

    Pictures that can't be read are named and counted, and the others are answered (exit code 8).
    """
    from unseen.deploy.csv_file import csv_file
    from unseen.deploy.finding import pictures_in
    from unseen.deploy.predictor import Predictor, models_of
    from unseen.deploy.streaming import stream
    from unseen.engine import Engine
    from unseen.runs.loading import loader

    files = pictures_in(pictures)
    predictor = Predictor.load(run, models_of(run, loader(stand_in(model))))
    with ExitStack() as held:
        held.enter_context(Engine(device="cpu", threads=threads).running())
        write = held.enter_context(csv_file(csv)) if csv is not None else _print
        masks = _masks(folder, files, predictor.classes)
        answers: Iterable[Answered] = stream(predictor, files)
        if csv is not None:
            hidden = not out.is_terminal
            answers = track(answers, "Predicting", len(files), console=out, transient=True, disable=hidden)
        counted, problems = _carry_out(answers, write, masks)
    for path in filter(None, (csv, folder)):
        out.print(f"Wrote {path}", highlight=False, soft_wrap=True)
    _sum_up(counted, problems)


def _carry_out(
    answers: Iterable[Answered],
    write: Callable[[Path, Prediction], None],
    masks: Callable[[Prediction], MaskFiles | None],
) -> tuple[Counter[str], list[str]]:
    """How many pictures have each class, and what is wrong with those that have none."""
    counted: Counter[str] = Counter()
    problems = []
    for answered in answers:
        if answered.prediction is None:
            problems.append(answered.problem)
            continue
        written = masks(answered.prediction)
        if written is not None:
            written.write(answered.file, answered.prediction)
        write(answered.file, answered.prediction)
        counted[answered.prediction.label] += 1
    return counted, problems


def _masks(
    folder: Path | None, files: Sequence[Path], classes: Sequence[str]
) -> Callable[[Prediction], MaskFiles | None]:
    """What gives the place for masks, made when the first one is there; a network without masks has none."""
    made: list[MaskFiles] = []

    def place(prediction: Prediction) -> MaskFiles | None:
        from unseen.deploy.mask_files import MaskFiles

        if folder is None:
            return None
        if prediction.mask is None:
            raise InputError(f"--out {folder} is for masks, and this network has one class for a picture; use --csv")
        if not made:
            made.append(MaskFiles(folder, files, classes))
        return made[0]

    return place


def _print(file: Path, prediction: Prediction) -> None:
    what = str(prediction)
    if prediction.shares:
        there = sorted(prediction.shares.items(), key=lambda item: -item[1])
        listed = ", ".join(f"{name} {share:.0%}" for name, share in there if share)
        what = f"{listed} ({prediction.confidence:.1%} sure)"
    out.print(f"{file}: {what}", highlight=False, soft_wrap=True)


def _sum_up(classes: Counter[str], problems: Sequence[str]) -> None:
    from unseen.reporting.kit.wording import counted

    each = ", ".join(f"{name} {count:,}" for name, count in classes.most_common()) or "none"
    out.print(f"{counted(sum(classes.values()), 'picture')}: {each}", highlight=False, soft_wrap=True)
    if problems:
        shown = "\n".join(f"  - {problem}" for problem in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN:,} more" if len(problems) > _SHOWN else ""
        what = counted(len(problems), "picture")
        raise PicturesUnreadable(f"{what} can't be read, the others are answered:\n{shown}{more}")
