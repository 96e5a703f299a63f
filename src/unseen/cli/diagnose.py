"""The verb that reports what the theory says about a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from unseen.cli.app import Data, app, out
from unseen.cli.evaluate import Targets

if TYPE_CHECKING:
    from unseen.reporting.diagnosis.panels import Panel


@app.command()
def diagnose(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.", metavar="RUN")],
    target: Targets = None,
    plain: Annotated[
        Path | None, typer.Option(help="ERM run (K=0) to compare with; else one beside it is looked for.")
    ] = None,
    page: Annotated[Path | None, typer.Option("--out", help="Where to write the page; RUN/diagnosis.html.")] = None,
    data: Data = None,
) -> None:
    """What the theory says about a finished run: its rounds, its worst cases, how far domains are."""
    from unseen.reporting.diagnosis.diagnose import diagnose as diagnose_run
    from unseen.reporting.diagnosis.page import write_diagnosis
    from unseen.reporting.diagnosis.panels import panels
    from unseen.reporting.diagnosis.words import headline

    with out.status("Looking at the network's features"):
        diagnosis = diagnose_run(run, target or (), plain=plain)
    out.print(Text(headline(diagnosis), style="bold"), end="\n\n")
    for panel in panels(diagnosis):
        if panel.rows:
            out.print(Text(panel.title, style="bold"), _table(panel), sep="\n")
        out.print(Text(panel.meaning), end="\n\n")
    written = write_diagnosis(diagnosis, page or run / "diagnosis.html")
    out.print(f"Wrote {escape(str(written))}", highlight=False, soft_wrap=True)


def _table(panel: Panel) -> Table:
    columns = [Column(name, justify="right" if i else "left") for i, name in enumerate(panel.headings)]
    table = Table(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for row in panel.rows:
        table.add_row(*map(Text, row))
    return table
