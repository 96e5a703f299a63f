"""The paper's street-scene experiments by name, and two of our own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from unseen.ensembles.rules import PIXEL_RULES
from unseen.paper.defaults import MEMBERS
from unseen.paper.methods import Ensembled, Trained, nothing
from unseen.paper.published import table2
from unseen.paper.streets import figures
from unseen.paper.streets.lab import CAMVID, WHOLE_DRIVES
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.names import DAY, DUSK
from unseen.paper.streets.recipe import EnsembleRecipe, StreetGallery, StreetRecipe, Table2
from unseen.reporting.kit.wording import power_of_ten

ROUNDS = {"K": 1, "gamma": 1.0}

erm = Trained("ERM", "erm", {"K": 0}, published=partial(table2, "ERM"))
ada = Trained("ADA", "ada", ROUNDS, published=partial(table2, "ADA"))


def scenes_ensemble(members: int = MEMBERS) -> EnsembleRecipe:
    """Ensembles over γ = 1, 0.1, 0.01, ... against ERM ensembles, so many members each."""
    each = [ROUNDS | {"gamma": float(f"1e-{i}")} for i in range(members)]
    single = [Trained(f"γ={power_of_ten(-i)}", "ada", settings) for i, settings in enumerate(each)]
    together = [
        method
        for rule in PIXEL_RULES
        for method in (
            Ensembled(f"ERM ensemble, {rule}", "erm", ({"K": 0},) * members, seeds_each=True, rule=rule, group=rule),
            Ensembled(
                f"γ ensemble, {rule}", "ada", tuple(each), rule=rule, group=rule, against=f"ERM ensemble, {rule}"
            ),
        )
    ]
    return EnsembleRecipe(
        name="scenes-ensemble" + f"-{members}" * (members != MEMBERS),
        called="Ensembles" + f" of {members}" * (members != MEMBERS),
        what=f"not in the paper: {members} networks over γ as one, pixel by pixel, against {members} of ERM",
        methods=(replace(erm, published=nothing), *single, *together),
        draw=figures.by_rule,
        usual=("highway-night",),
        members=(erm.label, *(method.label for method in single)),
    )


STREET_RECIPES: dict[str, StreetRecipe] = {
    recipe.name: recipe
    for recipe in (
        StreetGallery(name="figure1-bottom", what="samples of the street domains"),
        Table2(
            name="table2",
            what="trained on each of 10 street domains, tested on the 10 of other places, ERM against ADA (K=1, γ=1)",
            methods=(erm, ada),
            draw=figures.gains,
            whole=True,
        ),
        StreetRecipe(
            name="figure3",
            what="Table 2 as bars: the mean mIoU over the conditions of each test place",
            methods=(erm, ada),
            draw=figures.figure3,
            averaged=True,
            whole=True,
        ),
        StreetRecipe(
            name="camvid",
            called="Dusk and day",
            what=f"not in the paper: dusk ({DUSK}) and day ({DAY}) to the other drives, ERM against ADA (K=1, γ=1)",
            methods=(erm, ada),
            data=CAMVID,
            scales={WHOLE_DRIVES.name: WHOLE_DRIVES},
            rows=CAMVID_ROWS,
        ),
        scenes_ensemble(),
    )
}
