"""What ``unseen reproduce`` calls: the recipes chosen by name, each with its lab, carried out and printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from unseen.cli.app import interruptible, out
from unseen.errors import InputError, all_problems, did_you_mean
from unseen.paper.experiment import Experiment, L, named
from unseen.paper.lab import SCALES, Lab, real_lab, stand_in_lab
from unseen.paper.recipe import Recipe
from unseen.paper.recipes import RECIPES
from unseen.paper.reproduce import measure, show, write
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.streets.recipes import STREET_RECIPES, EnsembleRecipe, scenes_ensemble

EVERY: dict[str, Recipe | StreetRecipe] = {**RECIPES, **STREET_RECIPES}
ONLY_DIGITS = {"without": (), "offset": 0, "resize": "bilinear"}
"""options that mean nothing for streets, and what they are when nobody gives them"""


def chosen_recipes(
    names: list[str], members: int | None, digits: Mapping[str, Any], sources: list[str]
) -> list[Recipe | StreetRecipe]:
    """The recipes of those names; options that one of them couldn't heed are refused."""
    chosen = [_with_members(named(name, EVERY), members) for name in names]
    all_problems("reproduce", _idle(chosen, digits, sources))
    return chosen


def reproduce_one(
    recipe: Recipe | StreetRecipe,
    folder: Path,
    shared: Mapping[str, Any],
    digits: Mapping[str, Any],
    sources: list[str],
    **how: Any,
) -> None:
    """Carry one recipe out below ``folder``, in the lab that these options describe."""
    if isinstance(recipe, StreetRecipe):
        _carry_out(recipe, recipe.lab(folder, sources=sources, **shared), **how)
    else:
        _carry_out(recipe, _lab(folder, recipe, **shared, **digits), **how)


def table_of_recipes() -> Table:
    """Every recipe with what it makes."""
    table = Table("name", "what", title="Recipes: unseen reproduce NAME")
    for each in EVERY.values():
        table.add_row(each.name, each.what)
    return table


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
