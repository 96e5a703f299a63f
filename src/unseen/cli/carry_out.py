"""What ``unseen reproduce`` calls: the recipes chosen by name, each with its lab, carried out and printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from unseen.cli.app import interruptible, out
from unseen.errors import InputError, all_problems
from unseen.paper import recipes
from unseen.paper.recipe import Recipe
from unseen.paper.reproduce import measure, show, write
from unseen.paper.streets.recipe import EnsembleRecipe
from unseen.paper.streets.recipes import scenes_ensemble


def chosen_recipes(names: Sequence[str], members: int | None, given: Mapping[str, Any]) -> list[Recipe]:
    """The recipes of those names; an option that is given and means nothing for one of them is refused."""
    chosen = [_with_members(recipes.recipe(name), members) for name in names]
    usual = {option: default for each in recipes.RECIPES.values() for option, default in each.options.items()}
    asked = [option for option, value in given.items() if value != usual[option]]
    idle = [(option, each.name) for each in chosen for option in asked if option not in each.options]
    all_problems("reproduce", [f"--{option} means nothing for {name}; leave it out" for option, name in idle])
    return chosen


def _with_members(each: Recipe, members: int | None) -> Recipe:
    if members is None:
        return each
    if not isinstance(each, EnsembleRecipe):
        raise InputError(
            f"--members {members}: {each.name} has no ensemble of which it could be the size; leave it out"
        )
    return scenes_ensemble(members)


def reproduce_one(
    recipe: Recipe,
    folder: Path,
    shared: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    seeds: int,
    jobs: int | None,
    train: bool,
    again: str,
    methods: Sequence[str] = (),
) -> None:
    """Carry one recipe out below ``folder``, in the lab that these options describe."""
    lab = recipe.lab(folder, **shared, **{option: given[option] for option in recipe.options})
    with interruptible(again):
        results = measure(recipe, lab, seeds=seeds, jobs=jobs, train=train, again=again, console=out, methods=methods)
    cells = recipe.cells(lab, results, seeds)
    if cells and not any(cell.accuracies for cell in cells):
        raise InputError(f"{recipe.name}: nothing of it is in {lab.out}; leave out --no-train, or name another --out")
    out.print(show(recipe, lab, results, seeds, out.width))
    for path in write(recipe, lab, results, seeds):
        out.print(f"Wrote {path}", highlight=False, soft_wrap=True)


def table_of_recipes() -> Table:
    """Every recipe with what it makes."""
    table = Table("name", "what", title="Recipes: unseen reproduce NAME")
    for each in recipes.RECIPES.values():
        table.add_row(each.name, each.what)
    return table
