"""Verbs for the paper's experiments: carrying a recipe out, and the page of all results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from unseen.cli.app import Data, app, command_given, interruptible, out
from unseen.errors import InputError, all_problems, did_you_mean
from unseen.paper.experiment import Experiment, L, named
from unseen.paper.lab import RESULTS, SCALES, Lab, real_lab, stand_in_lab
from unseen.paper.page import read_page, write_html, write_markdown
from unseen.paper.recipe import Recipe
from unseen.paper.recipes import RECIPES
from unseen.paper.reproduce import measure, show, write
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.streets.recipes import MEMBERS, STREET_RECIPES, EnsembleRecipe, scenes_ensemble
from unseen.reporting.kit.charts import save

EVERY: dict[str, Recipe | StreetRecipe] = {**RECIPES, **STREET_RECIPES}
ONLY_DIGITS = {"without": (), "offset": 0, "resize": "bilinear"}
"""options that mean nothing for streets, and what they are when nobody gives them"""


@app.command()
def reproduce(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Recipes; --list has them.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the recipes.")] = False,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds: 0, 1, ...")] = 5,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once (as many as there are cores).")] = None,
    data: Data = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="NAME,NAME", help="Digits: leave these columns out, such as SYN.")
    ] = None,
    stand_ins: Annotated[
        bool, typer.Option("--stand-ins", help="Built-in digits or scenes instead of the paper's sets.")
    ] = False,
    scale: Annotated[
        str | None, typer.Option(help="paper (the default), or small: fewer steps and a smaller network.")
    ] = None,
    sources: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Streets: only these sources, such as highway-night.")
    ] = None,
    members: Annotated[int | None, typer.Option(min=2, help=f"scenes-ensemble: how many members ({MEMBERS}).")] = None,
    offset: Annotated[int, typer.Option(min=0, help="Number of the first MNIST image used.")] = 0,
    resize: Annotated[str, typer.Option(help="Digits: bilinear, or lanczos as in the authors' code.")] = "bilinear",
    precision: Annotated[str, typer.Option(help="float32, bf16, or auto: bf16 where the hardware has it.")] = "auto",
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Train what is missing, or use what is there.")
    ] = True,
    folder: Annotated[
        Path, typer.Option("--out", file_okay=False, help="Where runs, results, tables and figures go.")
    ] = Path("paper"),
) -> None:
    """Make figures and tables of the paper again; what was measured before is not done again."""
    if list_ or not names:
        out.print(_recipes())
        return
    chosen = [_with_members(named(name, EVERY), members) for name in names]
    digits: dict[str, Any] = {"without": tuple(_names(without or [])), "offset": offset, "resize": resize}
    asked = _names([sources] if sources else [])
    shared: dict[str, Any] = {"precision": precision, "stand_ins": stand_ins, "scale": scale}
    all_problems("reproduce", _idle(chosen, digits, asked))
    how: dict[str, Any] = {"seeds": seeds, "jobs": jobs, "train": train, "again": command_given(context)}
    for each in chosen:
        if isinstance(each, StreetRecipe):
            _carry_out(each, each.lab(folder, sources=asked, **shared), **how)
        else:
            _carry_out(each, _lab(folder, each, **shared, **digits), **how)


def _names(given: list[str]) -> list[str]:
    return [name.strip() for words in given for name in words.split(",")]


def _carry_out(each: Experiment[L], lab: L, *, seeds: int, jobs: int | None, train: bool, again: str) -> None:
    with interruptible(again):
        results = measure(each, lab, seeds=seeds, jobs=jobs, train=train, again=again, console=out)
    cells = each.cells(lab, results, seeds)
    if cells and not any(cell.accuracies for cell in cells):
        raise InputError(f"{each.name}: nothing of it is in {lab.out}; leave out --no-train, or name another --out")
    out.print(show(each, lab, results, seeds, out.width))
    for path in write(each, lab, results, seeds):
        out.print(f"Wrote {escape(str(path))}", highlight=False, soft_wrap=True)


def _lab(folder: Path, each: Recipe, *, stand_ins: bool, scale: str | None, **options: Any) -> Lab:
    scale = scale or next(iter(SCALES))
    if scale not in SCALES:
        raise InputError(f"--scale {scale}: expected {' or '.join(SCALES)}{did_you_mean(scale, SCALES, listed=True)}")
    if stand_ins:
        return stand_in_lab(folder, scale=SCALES[scale], **options)
    return real_lab(folder, columns=each.columns, adapting=each.adapting, scale=SCALES[scale], **options)


def _with_members(each: Recipe | StreetRecipe, members: int | None) -> Recipe | StreetRecipe:
    if members is None:
        return each
    if not isinstance(each, EnsembleRecipe):
        raise InputError(
            f"--members {members}: {each.name} has no ensemble of which it could be the size; leave it out"
        )
    return scenes_ensemble(members)


def _idle(chosen: list[Recipe | StreetRecipe], digits: Mapping[str, Any], sources: list[str]) -> list[str]:
    """Options that one of the recipes couldn't heed."""
    found = []
    for each in chosen:
        if isinstance(each, StreetRecipe):
            idle = [f"--{name}" for name, usual in ONLY_DIGITS.items() if digits[name] != usual]
        else:
            idle = ["--sources"] * bool(sources)
        found += [f"{option} means nothing for {each.name}; leave it out" for option in idle]
    return found


def _recipes() -> Table:
    table = Table("name", "what", title="Recipes: unseen reproduce NAME")
    for each in EVERY.values():
        table.add_row(each.name, each.what)
    return table


@app.command()
def results(
    file: Annotated[Path, typer.Argument(help="Results file, as reproduce writes it.")] = Path("paper") / RESULTS,
    page: Annotated[
        Path | None, typer.Option(help="Where to write the HTML page (report.html or streets.html).")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="And the same as Markdown (results.md or streets.md).")] = None,
    discussion: Annotated[
        Path | None, typer.Option(help="Markdown for the beginning (discussion.md or streets-discussion.md).")
    ] = None,
) -> None:
    """Make the page of all results, from a results file alone."""
    folder = file.parent
    content = read_page(file, discussion)
    written = [
        path for section in content.sections if section.known for path in save(section.figure(), folder / section.name)
    ]
    written += [
        write_html(content, page or folder / content.subject.html),
        write_markdown(content, markdown or folder / content.subject.markdown, folder),
    ]
    for path in written:
        out.print(f"Wrote {escape(str(path))}", highlight=False, soft_wrap=True)
