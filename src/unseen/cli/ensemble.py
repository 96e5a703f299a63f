"""The verb that makes an ensemble of several runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.app import RUN_MODEL_CODE, RunModelCode, app, out
from unseen.cli.evaluate import RunFolders
from unseen.ensembles.rule_names import DEFAULT, NAMES


@app.command()
def ensemble(
    runs: RunFolders,
    folder: Annotated[Path, typer.Option("--out", help="Folder of the ensemble, a new one.")],
    rule: Annotated[str, typer.Option(help=f"Who answers: {', '.join(NAMES)}.")] = DEFAULT,
    run_model_code: RunModelCode = False,
) -> None:
    """Make one of several finished runs: for each image the surest of them answers."""
    from unseen.ensembles.ensemble import Ensemble
    from unseen.reporting.kit.wording import counted

    made = Ensemble.of_runs(runs, rule=rule)
    made.save(folder)
    out.print(
        f"Done: {folder}, {counted(len(made), 'member')}, {made.rule.name}. "
        f"Next: unseen evaluate {shlex.quote(str(folder))}{f' {RUN_MODEL_CODE}' * run_model_code}",
        highlight=False,
        soft_wrap=True,
    )
