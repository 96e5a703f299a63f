"""The verb that chooses settings with the source alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.app import MOST_SEEDS, Data, app, command_given, interruptible, out


@app.command()
def choose(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="TOML file: shared settings, and tables \\[candidates.NAME].")],
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="How many seeds for each candidate.")] = 1,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once (as many as there are cores).")] = None,
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Train what is missing, or judge what is there.")
    ] = True,
    folder: Annotated[
        Path | None, typer.Option("--out", file_okay=False, help="Where runs and results go (choices/FILE).")
    ] = None,
    data: Data = None,
) -> None:
    """Choose between settings without a target: train without a kind of change, judge under it, each in turn."""
    from unseen.choosing.choose import choose as choose_between
    from unseen.choosing.choose import plan, read_candidates
    from unseen.reporting.kit.tables import as_rich
    from unseen.reporting.kit.wording import counted

    candidates, shared = read_candidates(file)
    place = folder or Path("choices") / file.stem
    trials = plan(candidates, shared, place, seeds)
    runs = len({trial.request.identity for trial in trials})
    what = f"{counted(len(candidates), 'candidate')}, {counted(runs, 'training')}"
    out.print(f"{what} in {place}", highlight=False)
    with interruptible(command_given(context)):
        choice = choose_between(candidates, shared, out=place, seeds=seeds, jobs=jobs, train=train, progress=out)
    out.print(as_rich(choice.sheet(), out.width, f"it is in {place / 'choice.jsonl'}"))
    out.print(f"Chosen: {choice.why}", highlight=False, soft_wrap=True)
    for name, value in candidates[choice.chosen].items():
        out.print(f"  {name} = {value!r}", highlight=False)
