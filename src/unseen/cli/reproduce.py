"""Verbs for the paper's experiments: carrying a recipe out, and the page of all results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from unseen.cli.app import Data, app, command_given, interruptible, out
from unseen.errors import InputError, did_you_mean
from unseen.paper.canvas import save
from unseen.paper.lab import SCALES, Lab, real_lab, stand_in_lab
from unseen.paper.page import read_page, write_html, write_markdown
from unseen.paper.recipe import Recipe
from unseen.paper.recipes import RECIPES, recipe
from unseen.paper.reproduce import RESULTS, measure, show, write


@app.command()
def reproduce(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Recipes; --list has them.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the recipes.")] = False,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds: 0, 1, ...")] = 5,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once (as many as there are cores).")] = None,
    data: Data = None,
    without: Annotated[list[str] | None, typer.Option(help="Leave this column out; may be repeated.")] = None,
    stand_ins: Annotated[
        bool, typer.Option("--stand-ins", help="Built-in digits instead of the paper's sets.")
    ] = False,
    scale: Annotated[str, typer.Option(help="paper, or small: fewer steps and a narrower network.")] = "paper",
    offset: Annotated[int, typer.Option(min=0, help="Number of the first MNIST image used.")] = 0,
    resize: Annotated[str, typer.Option(help="bilinear, or lanczos as in the authors' code.")] = "bilinear",
    precision: Annotated[str, typer.Option(help="float32, bf16, or auto: bf16 where the hardware has it.")] = "auto",
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Train what is missing, or use what is there.")
    ] = True,
    folder: Annotated[Path, typer.Option("--out", help="Where runs, results, tables and figures go.")] = Path("paper"),
) -> None:
    """Make figures and tables of the paper again; what was measured before is not done again."""
    if list_ or not names:
        out.print(_recipes())
        return
    if scale not in SCALES:
        raise InputError(f"--scale {scale}: expected {' or '.join(SCALES)}{did_you_mean(scale, SCALES)}")
    chosen = [recipe(name) for name in names]
    options: dict[str, Any] = {
        "without": without or (),
        "scale": SCALES[scale],
        "offset": offset,
        "resize": resize,
        "precision": precision,
    }
    again = command_given(context)
    for each in chosen:
        lab = _lab(folder, each, stand_ins, options)
        with interruptible(again):
            results = measure(each, lab, seeds=seeds, jobs=jobs, train=train, again=again, console=out)
        out.print(show(each, lab, results, seeds))
        for path in write(each, lab, results, seeds):
            out.print(f"Wrote {escape(str(path))}", highlight=False, soft_wrap=True)


def _lab(folder: Path, each: Recipe, stand_ins: bool, options: Mapping[str, Any]) -> Lab:
    if stand_ins:
        return stand_in_lab(folder, **options)
    return real_lab(folder, columns=each.columns, adapting=each.adapting, **options)


def _recipes() -> Table:
    table = Table("name", "what", title="Recipes: unseen reproduce NAME")
    for each in RECIPES.values():
        table.add_row(each.name, each.what)
    return table


@app.command()
def results(
    file: Annotated[Path, typer.Argument(help="Results file, as reproduce writes it.")] = Path("paper") / RESULTS,
    page: Annotated[Path | None, typer.Option(help="Where to write the HTML page (report.html beside FILE).")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Where to write the same as Markdown (results.md).")] = None,
    discussion: Annotated[Path | None, typer.Option(help="Markdown for the beginning (discussion.md).")] = None,
) -> None:
    """Make the page of all results, from a results file alone."""
    folder = file.parent
    beside = file.with_name("discussion.md")
    content = read_page(file, discussion or (beside if beside.exists() else None))
    written = [
        path
        for section in content.sections
        if section.known
        for path in save(section.figure(), folder / section.recipe.name)
    ]
    written += [
        write_html(content, page or folder / "report.html"),
        write_markdown(content, markdown or folder / "results.md", folder),
    ]
    for path in written:
        out.print(f"Wrote {escape(str(path))}", highlight=False, soft_wrap=True)
