"""Recipes in a lab that is done in seconds."""

from pathlib import Path

from rich.console import Console

from unseen.paper.digits.lab import DigitLab, stand_in_lab
from unseen.paper.lab import Lab, Scale
from unseen.paper.recipe import Recipe
from unseen.paper.recipes import recipe
from unseen.paper.reproduce import measure
from unseen.paper.results import Results

TINY = Scale(name="tiny", images=64, T=14, T_min=3, T_max=2, width=1 / 64, adda_steps=3)


def tiny_lab(out: Path) -> DigitLab:
    lab = stand_in_lab(out, scale=TINY, precision="float32")
    return DigitLab(**vars(lab) | {"rows": dict.fromkeys(lab.rows, ("uci-8x8",))})


def carry_out(name: Recipe | str, lab: Lab, *, seeds: int = 2, train: bool = True) -> Results:
    what = recipe(name) if isinstance(name, str) else name
    return measure(what, lab, seeds=seeds, jobs=1, train=train, again="again", console=Console(quiet=True))
