"""The paper's digit experiments, each figure and table by its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from unseen.paper import figures, published
from unseen.paper.digits.lab import SCALES, DigitLab, real_lab, stand_in_lab
from unseen.paper.lab import Lab, Scale
from unseen.paper.methods import Adapted, Ensembled, Trained
from unseen.paper.published import DOMAINS, GAMMAS, ROUNDS, Published
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.reporting.kit.wording import power_of_ten


@dataclass(frozen=True, kw_only=True)
class DigitRecipe(Recipe):
    """Methods trained on MNIST, in columns."""

    scales: Mapping[str, Scale] = field(default_factory=lambda: SCALES)
    columns: tuple[str, ...] = DOMAINS
    """the paper's"""
    adapting: bool = False
    """whether it asks for the targets' training parts as well"""

    options: ClassVar[Mapping[str, Any]] = {"without": (), "offset": 0, "resize": "bilinear"}

    def lab(self, out: Path, *, stand_ins: bool = False, scale: str | None = None, **options: Any) -> DigitLab:
        """A lab, ``without`` some columns."""
        size = self.scale(scale)
        if stand_ins:
            return stand_in_lab(out, scale=size, **options)
        return real_lab(out, columns=self.columns, adapting=self.adapting, scale=size, **options)


@dataclass(frozen=True, kw_only=True)
class DigitGallery(DigitRecipe):
    """Samples of the domains: nothing is trained."""

    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        """The first image of each class of each domain."""
        (source,) = lab.sources
        names = {source.name: source.domain} | source.targets
        rows = (source.name, *lab.rows[source.name])
        shown = {name: lab.load(names[name]) if name in names else None for name in rows}
        images = {name: f"{len(domain):,} images" for name, domain in shown.items() if domain}
        return figures.samples(shown, replace(self.setting(lab, results), data=images))


ENSEMBLE_GAMMAS = tuple(float(f"1e-{i}") for i in range(7))
RIDGES = (1e-4, 1e-3, 1e-2)  # the paper doesn't give its own
DROPOUT = 0.5  # nor its own chance
TARGET_IMAGES = (100, 1_000, 7_000)  # nor its own counts; USPS has 7,291 for training


def of_column(find: Callable[[str], Published | None]) -> Callable[[str, str], Published | None]:
    """What the paper has for a source and a target: there is one source."""
    return lambda source, column: find(column)


erm = Trained("ERM", "erm", {"K": 0}, published=of_column(published.erm))
dropout = Trained("Dropout", "dropout", {"K": 0, "dropout": DROPOUT})


def ada(label: str, *, gamma: float, K: int, **place: Any) -> Trained:
    """ADA, with the paper's other settings."""
    entry = of_column(partial(published.table1, gamma, K))
    return Trained(label, "ada", {"K": K, "gamma": gamma}, published=entry, **place)


def power(value: float) -> str:
    """A power of ten as people write it."""
    return power_of_ten(round(math.log10(value)))


def table1_entry(gamma: float, K: int) -> Trained:
    """One entry of Table 1."""
    return ada(f"γ={power(gamma)}, K={K}", gamma=gamma, K=K, group=f"γ={power(gamma)}", at=K)


def ridge_pair(strength: float) -> tuple[Trained, Trained]:
    """Ridge alone, and with ADA."""
    name = f"ridge {power(strength)}"
    settings = {"K": 1, "gamma": 1.0, "ridge": strength}
    return (
        Trained(name, "ridge", {"K": 0, "ridge": strength}, group=name),
        Trained(f"{name} + ADA", "ada", settings, against=name, group=name),
    )


def reading(label: str, **settings: Any) -> Trained:
    """ADA (K=2, γ=1) with one thing read otherwise than we read it."""
    return Trained(label, "ada", {"K": 2, "gamma": 1.0, **settings}, against=as_we_read_it.label)


as_we_read_it = ada("as we read it", gamma=1.0, K=2)


def gamma_ensemble(K: int) -> Ensembled:
    """Seven trainings with one seed that differ in gamma."""
    members = tuple({"K": K, "gamma": gamma} for gamma in ENSEMBLE_GAMMAS)
    return Ensembled(f"K={K}", "ada", members)


erm_ensemble = Ensembled("ERM", "erm", ({"K": 0},) * len(ENSEMBLE_GAMMAS), seeds_each=True)

DIGIT_RECIPES = {
    recipe.name: recipe
    for recipe in (
        DigitGallery(name="figure1-top", what="samples of the domains"),
        DigitRecipe(
            name="figure2a-top",
            what="the cost in features against the cost in pixels, K=1, γ=10⁴",
            methods=(
                Trained("pixels", "pixel", {"K": 1, "gamma": 1e4, "cost": "pixel"}),
                ada("features", gamma=1e4, K=1, against="pixels"),
            ),
            rounds=True,
        ),
        DigitRecipe(
            name="figure2a-bottom",
            what="γ from 10⁻⁶ to 10⁴ at K=2, against ERM",
            methods=(erm, *(ada(f"γ={power(gamma)}", gamma=gamma, K=2) for gamma in GAMMAS)),
            draw=partial(figures.bars, line=erm.label),
            rounds=True,
        ),
        DigitRecipe(
            name="figure2b-top",
            what="K = 1..4 at γ=1, against ERM and dropout",
            methods=(erm, dropout, *(ada(f"K={K}", gamma=1.0, K=K) for K in ROUNDS)),
        ),
        DigitRecipe(
            name="figure2b-middle",
            what="ridge alone against ridge with ADA (K=1, γ=1), over ridge strengths",
            methods=(erm, *(method for strength in RIDGES for method in ridge_pair(strength))),
            draw=partial(figures.bars, line=erm.label),
        ),
        DigitRecipe(
            name="figure2b-bottom",
            what="ensembles over γ for each K, the greatest softmax answers, against ERM ensembles of the same size",
            methods=(erm_ensemble, *map(gamma_ensemble, ROUNDS)),
        ),
        DigitRecipe(
            name="table1",
            what="11 γ × 4 K, against ERM",
            methods=(erm, *(table1_entry(gamma, K) for gamma in GAMMAS for K in ROUNDS)),
            draw=figures.grid,
            crossed=True,
        ),
        DigitRecipe(
            name="figure4",
            what="ADDA against the number of target images, with ADA's K=2 line",
            methods=(
                erm,
                ada("K=2", gamma=1.0, K=2),
                *(Adapted(f"ADDA, {count:,}", "adda", count, at=count) for count in TARGET_IMAGES),
            ),
            draw=figures.curve,
            columns=("MNIST-M", "SYN", "USPS"),
            adapting=True,
        ),
        DigitRecipe(
            name="readings",
            what="where text and code differ, one switch at a time and the authors' two choices of data together "
            "(docs/method.md), K=2, γ=1",
            methods=(
                erm,
                as_we_read_it,
                reading("paper scale", scale="paper"),
                reading("chain", sampling="chain"),
                reading("clipped", clip=True),
                reading("Lanczos", resize="lanczos"),
                reading("images 5,000+", offset=5_000),
                reading("Lanczos, images 5,000+", resize="lanczos", offset=5_000),
            ),
            draw=partial(figures.bars, line=erm.label),
            rounds=True,
        ),
    )
}
