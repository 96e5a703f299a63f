"""The paper's street-scene experiments by name, and two of our own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from unseen.data.catalogue import domain
from unseen.ensembles.rules import PIXEL_RULES
from unseen.paper.defaults import MEMBERS
from unseen.paper.methods import Ensembled, Method, Trained
from unseen.paper.recipes import power
from unseen.paper.results import Results
from unseen.paper.streets import figures
from unseen.paper.streets.cells import StreetCell, averaged
from unseen.paper.streets.lab import CAMVID, WHOLE_DRIVES, StreetBench, StreetLab
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.names import DAY, DUSK
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.streets.tables import arranged_sheets, bold_sheet, members_sheet
from unseen.paper.tables import sheets
from unseen.reporting.kit.tables import Sheet

ROUNDS = {"K": 1, "gamma": 1.0}

erm = Trained("ERM", "erm", {"K": 0})
ours = Trained("ours", "ada", ROUNDS)


@dataclass(frozen=True, kw_only=True)
class Table2(StreetRecipe):
    """Table 2 as the paper has it, then cell by cell, then what is wrong with its bold type."""

    def sheets(self, lab: StreetLab, results: Results, seeds: int) -> list[Sheet]:
        """Its tables."""
        cells, setting = self.cells(lab, results, seeds), self.setting(lab)
        return [*arranged_sheets(cells, setting), *sheets(cells, setting), bold_sheet()]


@dataclass(frozen=True, kw_only=True)
class Figure3(StreetRecipe):
    """Table 2's runs, averaged over the conditions of each test place."""

    def cells(self, lab: StreetLab, results: Results, seeds: int) -> list[StreetCell]:
        """The means."""
        return averaged(super().cells(lab, results, seeds))


@dataclass(frozen=True, kw_only=True)
class EnsembleRecipe(StreetRecipe):
    """Ensembles under every rule, their members by themselves, and the difference."""

    members: tuple[str, ...]
    """the labels of the single networks"""

    def its_own(self, cell: StreetCell) -> bool:
        """Whether it is an ensemble."""
        return bool(cell.group)

    def cells(self, lab: StreetLab, results: Results, seeds: int) -> list[StreetCell]:
        """The means over the conditions of each test place."""
        return averaged(super().cells(lab, results, seeds))

    def sheets(self, lab: StreetLab, results: Results, seeds: int) -> list[Sheet]:
        """The means, ensembles less members, then every target."""
        means, setting = self.cells(lab, results, seeds), self.setting(lab)
        short = replace(setting, title=f"{setting.title}, mean over the conditions of each place")
        every = arranged_sheets(super().cells(lab, results, seeds), setting)
        return [*sheets(means, short), members_sheet(means, setting, self.members), *every]


@dataclass(frozen=True, kw_only=True)
class StreetGallery(StreetRecipe):
    """Samples of the domains: nothing is trained."""

    methods: tuple[Method[StreetBench], ...] = ()

    def sheets(self, lab: StreetLab, results: Results, seeds: int) -> list[Sheet]:
        """None."""
        return []

    def figure(self, lab: StreetLab, results: Results, seeds: int) -> Any:
        """One image of each domain."""
        shown = {name: domain(lab.world.prefix + name, lab.scale.size, images=1) for name in lab.world.names}
        setting = replace(self.setting(lab), source=f"{lab.world.name} ({lab.scale.size[0]}x{lab.scale.size[1]})")
        return figures.samples(shown, setting)


def scenes_ensemble(members: int = MEMBERS) -> EnsembleRecipe:
    """Ensembles over γ = 1, 0.1, 0.01, ... against ERM ensembles, so many members each."""
    gammas = [float(f"1e-{i}") for i in range(members)]
    single = [Trained(f"γ={power(gamma)}", "ada", ROUNDS | {"gamma": gamma}) for gamma in gammas]
    alike = [
        method
        for rule in PIXEL_RULES
        for method in (
            Ensembled(f"ERM ensemble, {rule}", "erm", ({"K": 0},) * members, seeds_each=True, rule=rule, group=rule),
            Ensembled(
                f"γ ensemble, {rule}", "ada", tuple(ROUNDS | {"gamma": gamma} for gamma in gammas), rule=rule,
                group=rule, against=f"ERM ensemble, {rule}",
            ),
        )
    ]  # fmt: skip
    return EnsembleRecipe(
        name="scenes-ensemble" + f"-{members}" * (members != MEMBERS),
        called="Ensembles" + f" of {members}" * (members != MEMBERS),
        what=f"not in the paper: {members} networks over γ as one, pixel by pixel, against {members} of ERM",
        methods=(erm, *single, *alike),
        draw=figures.by_rule,
        usual=("highway-night",),
        in_table2={},
        members=(erm.label, *(method.label for method in single)),
    )


STREET_RECIPES: dict[str, StreetRecipe] = {
    recipe.name: recipe
    for recipe in (
        StreetGallery(name="figure1-bottom", what="samples of the street domains"),
        Table2(
            name="table2",
            what="trained on each of 10 street domains, tested on the 10 of other places, ERM against ours (K=1, γ=1)",
            methods=(erm, ours),
            draw=figures.gains,
            whole=True,
        ),
        Figure3(
            name="figure3",
            what="Table 2 as bars: the mean mIoU over the conditions of each test place",
            methods=(erm, ours),
            draw=figures.figure3,
            whole=True,
        ),
        StreetRecipe(
            name="camvid",
            called="Dusk and day",
            what=f"not in the paper: dusk ({DUSK}) and day ({DAY}) to the other drives, ERM against ours (K=1, γ=1)",
            methods=(erm, ours),
            draw=figures.from_each_source,
            world=CAMVID,
            scales={WHOLE_DRIVES.name: WHOLE_DRIVES},
            rows=CAMVID_ROWS,
            in_table2={},
        ),
        scenes_ensemble(),
    )
}
