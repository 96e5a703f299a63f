"""What the paper claims of its street-scene experiments, and the page of their results."""

from __future__ import annotations

from dataclasses import replace

from unseen.paper.claims import Claim
from unseen.paper.defaults import MEMBERS
from unseen.paper.findings import MARGIN
from unseen.paper.lab import DomainSet, Scale
from unseen.paper.plan import LATER, Step
from unseen.paper.results import Line, Results
from unseen.paper.section import Section, Subject
from unseen.paper.streets.lab import SCENES, SYNTHIA, StreetLab
from unseen.paper.streets.names import TABLE2, condition_of, place_of, way
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.streets.recipes import STREET_RECIPES, scenes_ensemble

_PAIR = (("figure3/ADA", "figure3/ERM"),)
_MEANS = {
    source: tuple(way(source, place) for place in dict.fromkeys(map(place_of, TABLE2[source]))) for source in TABLE2
}
_ENSEMBLE = scenes_ensemble()
_FIRST, *_OTHERS = [method.label for method in _ENSEMBLE.methods if method.kind == "ada" and not method.group]

STREET_CLAIMS = (
    Claim(
        "ADA mostly generalizes better than ERM (mean over the conditions of each test place).",
        "Section 4.2, Figure 3",
        _PAIR,
        tuple(column for columns in _MEANS.values() for column in columns),
        name="ADA mostly beats ERM",
        mostly=True,
    ),
    Claim(
        "Trained at night, ADA always does better than ERM.",
        "Section 4.2, Figure 3",
        _PAIR,
        tuple(column for source, columns in _MEANS.items() if condition_of(source) == "night" for column in columns),
        name="At night ADA always beats ERM",
    ),
    Claim(
        "Which γ is chosen makes no strong difference: every other γ against γ=1 (means as above).",
        "Section 4.2, text",
        tuple((f"{_ENSEMBLE.name}/{label}", f"{_ENSEMBLE.name}/{_FIRST}") for label in _OTHERS),
        tuple(column for source in _ENSEMBLE.usual or () for column in _MEANS[source]),
        name="Every γ is much the same",
        alike=True,
    ),
)


STREET_PLAN = (
    Step("camvid", 5, "real drives: three seeds decide little"),
    Step("scenes-ensemble", 3, "one seed has no interval", "--stand-ins --scale small"),
    Step(
        "figure3",
        3,
        f"two claims rest on two seeds, which decide nothing; {LATER}",
        "--stand-ins --scale small --sources highway-night,highway-dawn,new-york-fog",
    ),
)


# The page.


def street_sections(results: Results) -> list[Section]:
    """One for each recipe on each data and scale that has something of it."""
    recipes = [recipe for recipe in STREET_RECIPES.values() if recipe.methods]
    sizes = {len(line["members"]) for line in results if line["kind"] == "ensemble"} - {MEMBERS}
    found = [
        _section(recipe, data, scale, results)
        for recipe in [*recipes, *map(scenes_ensemble, sorted(sizes))]
        for data in ((SYNTHIA, SCENES) if recipe.data == SYNTHIA else (recipe.data,))
        for scale in recipe.scales.values()
    ]
    return [section for section in found if section is not None]


def _section(recipe: StreetRecipe, data: DomainSet, scale: Scale, results: Results) -> Section | None:
    runs = [line for line in results if line["kind"] == "run" and _is_at(line, data, scale)]
    sources = {line["job"]["source"] for line in runs}
    rows = {source: targets for source, targets in recipe.rows.items() if data.domains[source] in sources}
    lab = StreetLab(out=results.path.parent, data=data, scale=scale, rows=rows)
    seeds = 1 + max([line["seed"] for line in runs if line["ada"]["K"]], default=-1)
    begun = {cell.source for cell in recipe.cells(lab, results, seeds) if cell.accuracies and recipe.is_about(cell)}
    if not begun:
        return None
    lab = replace(lab, rows={source: targets for source, targets in rows.items() if source in begun})
    return Section(recipe, lab, results, seeds, f"{data.name}, {scale.name} scale")


def _is_at(line: Line, data: DomainSet, scale: Scale) -> bool:
    job, size = line["job"], list(scale.size or ())
    from_data = job["source"] in data.domains.values()
    return from_data and (job["model"], job["size"], job["images"]) == (scale.model, size, scale.images)


STREETS = Subject(
    title="The paper's street-scene experiments, run again",
    lead="Volpi et al. (NeurIPS 2018) train a segmentation network on one street in one weather and test it on other "
    "streets in other weathers. Here are their Table 2 and Figure 3 again, and what they left open; each section says "
    "on which data and at which scale.",
    measure="mIoU",
    sections=street_sections,
    claims=STREET_CLAIMS,
    caveat="Here: built-in scenes, small scale. The paper: SYNTHIA, full scale; its differences are not comparable.",
    judging="Where the paper says mostly, more than half of the comparisons are enough; where it says that there is no "
    f"strong difference, the interval has to lie within {MARGIN:g} points of 0.",
    plan=STREET_PLAN,
    picture="claims-streets",
    html="streets.html",
    markdown="streets.md",
    discussion="streets-discussion.md",
)
