"""What a results file has of the street recipes, by data and scale."""

from __future__ import annotations

from unseen.paper.defaults import MEMBERS
from unseen.paper.findings import MARGIN
from unseen.paper.results import Line, Results
from unseen.paper.section import Section, Subject
from unseen.paper.streets.claims import STREET_CLAIMS
from unseen.paper.streets.lab import SCENES, SYNTHIA, StreetLab, StreetScale, World
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble

ON_STREETS = Subject(
    title="The paper's street-scene experiments, run again",
    lead="Volpi et al. (NeurIPS 2018) train a segmentation network on one street in one weather and test it on other "
    "streets in other weathers. Here are their Table 2 and Figure 3 again, and what they left open; each section says "
    "on which data and at which scale.",
    measure="mIoU",
    claims=STREET_CLAIMS,
    judging="Where the paper says mostly, more than half of the comparisons are enough; where it says that there is no "
    f"strong difference, the interval has to lie within {MARGIN:g} points of 0.",
    html="streets.html",
    markdown="streets.md",
    discussion="streets-discussion.md",
)


def street_sections(results: Results) -> list[Section[StreetLab]]:
    """One for each recipe on each data and scale that has something of it."""
    recipes = [recipe for recipe in STREET_RECIPES.values() if recipe.methods]
    sizes = {len(line["members"]) for line in results if line["kind"] == "ensemble"} - {MEMBERS}
    found = [
        _section(recipe, world, scale, results)
        for recipe in [*recipes, *map(scenes_ensemble, sorted(sizes))]
        for world in ((SYNTHIA, SCENES) if recipe.world == SYNTHIA else (recipe.world,))
        for scale in recipe.scales.values()
    ]
    return [section for section in found if section is not None]


def _section(recipe: StreetRecipe, world: World, scale: StreetScale, results: Results) -> Section[StreetLab] | None:
    runs = [line for line in results if line["kind"] == "run" and _is_at(line, world, scale)]
    sources = {line["job"]["source"].removeprefix(world.prefix) for line in runs}
    lab = StreetLab(
        out=results.path.parent, world=world, scale=scale,
        rows={source: targets for source, targets in recipe.rows.items() if source in sources},
    )  # fmt: skip
    seeds = 1 + max([line["seed"] for line in runs if line["ada"]["K"]], default=-1)
    begun = {cell.source for cell in recipe.cells(lab, results, seeds) if cell.accuracies and recipe.its_own(cell)}
    if not begun:
        return None
    rows = {source: targets for source, targets in lab.rows.items() if source in begun}
    lab = StreetLab(out=lab.out, world=world, scale=scale, rows=rows)
    return Section(recipe, lab, results, seeds, f"{world.name}, {scale.name} scale")


def _is_at(line: Line, world: World, scale: StreetScale) -> bool:
    job = line["job"]
    from_world = any(job["source"] == world.prefix + name for name in world.names)
    return from_world and (job["model"], job["size"], job["images"]) == (scale.model, list(scale.size), scale.images)
