"""Verbs for the paper's experiments: carrying a recipe out, and the page of all results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unseen.cli.app import MOST_SEEDS, Data, app, command_given, out
from unseen.paper.defaults import MEMBERS, RESULTS


@app.command()
def reproduce(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Recipes; --list has them.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the recipes.")] = False,
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="How many seeds: 0, 1, ...")] = 5,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once (as many as there are cores).")] = None,
    data: Data = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="NAME,NAME", help="Digits: leave these columns out, such as SYN.")
    ] = None,
    stand_ins: Annotated[
        bool, typer.Option("--stand-ins", help="Built-in digits or scenes instead of the paper's sets.")
    ] = False,
    scale: Annotated[
        str | None,
        typer.Option(
            help="paper (the default), small: fewer steps and a smaller network, or for family long: 50,000 steps."
        ),
    ] = None,
    sources: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Streets: only these sources, such as highway-night.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="Train only this of the recipe's methods; may be given again."),
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
    from unseen.cli.carry_out import chosen_recipes, reproduce_one, table_of_recipes

    if list_ or not names:
        out.print(table_of_recipes())
        return
    shared: dict[str, Any] = {"precision": precision, "stand_ins": stand_ins, "scale": scale}
    given: dict[str, Any] = {
        "without": _names(without or []), "offset": offset, "resize": resize,
        "sources": _names([sources] if sources else []),
    }  # fmt: skip
    again = command_given(context)
    for each in chosen_recipes(names, members, given):
        reproduce_one(
            each, folder, shared, given, seeds=seeds, jobs=jobs, train=train, again=again,
            methods=methods or (),
        )  # fmt: skip


def _names(given: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for words in given for name in words.split(","))


@app.command()
def results(
    file: Annotated[Path, typer.Argument(help="Results file, as reproduce writes it.")] = Path("paper") / RESULTS,
    page: Annotated[
        Path | None, typer.Option(help="Where to write the HTML page (report.html or streets.html).")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="And the same as Markdown (results.md or streets.md).")] = None,
    discussion: Annotated[
        Path | None, typer.Option(help="Markdown with what people say (discussion.md or streets-discussion.md).")
    ] = None,
) -> None:
    """Make the page of all results, from a results file alone; figures are written beside that file."""
    from unseen.paper.page import read_page, save_figures, write_html, write_markdown

    folder = file.parent
    content = read_page(file, discussion)
    written = [
        *save_figures(content, folder),
        write_html(content, page or folder / content.subject.html),
        write_markdown(content, markdown or folder / content.subject.markdown, folder),
    ]
    for path in written:
        out.print(f"Wrote {path}", highlight=False, soft_wrap=True)


@app.command()
def leaderboard(
    folder: Annotated[
        Path, typer.Argument(file_okay=False, help="Folder of results files, as reproduce writes them.")
    ] = Path("paper"),
    markdown: Annotated[
        Path | None, typer.Option(help="Where to write the page (leaderboard.md in the folder).")
    ] = None,
) -> None:
    """Make the page that ranks the family, from results files and choice-*.jsonl files alone."""
    from unseen.paper.family.page import write_leaderboard

    for path in write_leaderboard(folder, markdown or folder / "leaderboard.md"):
        out.print(f"Wrote {path}", highlight=False, soft_wrap=True)
