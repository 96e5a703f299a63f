"""Every recipe by its name."""

from __future__ import annotations

from unseen.errors import InputError, did_you_mean
from unseen.paper.digits.recipes import DIGIT_RECIPES
from unseen.paper.family.recipes import FAMILY_RECIPES
from unseen.paper.recipe import Recipe
from unseen.paper.streets.recipes import STREET_RECIPES
from unseen.reporting.kit.wording import listed

RECIPES: dict[str, Recipe] = {**DIGIT_RECIPES, **STREET_RECIPES, **FAMILY_RECIPES}


def recipe(name: str) -> Recipe:
    """The recipe of that name; another is refused with those that are like it."""
    if name not in RECIPES:
        alike = [known for known in RECIPES if known.startswith(name)]
        hint = f"; there are {listed(alike)}" if len(alike) > 1 else did_you_mean(name, RECIPES)
        raise InputError(f'no recipe is called "{name}"{hint}')
    return RECIPES[name]
