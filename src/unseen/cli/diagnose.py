"""The verb that reports what the theory says about a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from unseen.cli.app import Data, RunModelCode, app, out
from unseen.cli.evaluate import Model, Size, SkipBad, Source, Targets, source_given, stand_in, targets_for


@app.command()
def diagnose(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.", metavar="RUN")],
    target: Targets = None,
    plain: Annotated[
        Path | None, typer.Option(help="ERM run (K=0) to compare with; else one beside it is looked for.")
    ] = None,
    page: Annotated[Path | None, typer.Option("--out", help="Where to write the page; RUN/diagnosis.html.")] = None,
    model: Model = None,
    source: Source = None,
    size: Size = None,
    skip_bad: SkipBad = False,
    run_model_code: RunModelCode = False,
    data: Data = None,
) -> None:
    """What the theory says about a finished run: its rounds, its worst cases, how far domains are."""
    from unseen.reporting.diagnosis.diagnose import diagnose as diagnose_run
    from unseen.reporting.diagnosis.explanations import headline
    from unseen.reporting.diagnosis.page import write_diagnosis
    from unseen.reporting.diagnosis.tables import sheets
    from unseen.reporting.kit.tables import as_rich
    from unseen.runs.loading import loader

    given = stand_in(model, size)
    load_net = loader(given)
    with out.status("Looking at the network's features"):
        diagnosis = diagnose_run(
            run,
            targets_for(run, target, given, skip_bad) if target else (),
            plain=plain,
            net=load_net(run) if load_net else None,
            source=source_given(run, source, given, skip_bad),
        )
    out.print(Text(headline(diagnosis), style="bold"), end="\n\n")
    for sheet in sheets(diagnosis).values():
        out.print(as_rich(sheet, out.width, elsewhere="it is on the page below"))
    written = write_diagnosis(diagnosis, page or run / "diagnosis.html")
    out.print(f"Wrote {written}", highlight=False, soft_wrap=True)
