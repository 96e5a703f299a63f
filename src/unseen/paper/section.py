"""What the page of all results consists of: a section for each recipe, and the claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unseen.paper.cells import Cell, describe_seeds
from unseen.paper.claims import Claim, Judged, Verdict, judge
from unseen.paper.lab import Lab
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted, listed

_IN_WORDS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "holds in part": ("holds in part", "hold in part"),
    "contradicted in part": ("is contradicted in part", "are contradicted in part"),
    "does not hold": ("does not hold", "do not hold"),
    "not decided": ("is not decided", "are not decided"),
    "not all measured": ("is measured in part", "are measured in part"),
    "not measured": ("is not measured", "are not measured"),
}
"""each verdict, said of one claim and of several"""
_KINDS = {"run": "training", "ensemble": "ensemble", "adda": "adaptation"}
_JUDGING = (
    "A claim holds where the 95 % t-interval of every paired difference lies on its side of 0, in part where some do "
    "and the others include 0. It does not hold, or is contradicted in part, where one lies on the other side. It "
    "is not decided where all include 0. Differences are in points of {measure}, over the seeds both have; each "
    "interval stands by itself, so of 20 comparisons where nothing differs one will exclude 0. With two seeds an "
    "interval is very wide, and one that excludes 0 is no more than a hint."
)


@dataclass(frozen=True)
class Section:
    """One recipe: what is known of it."""

    recipe: Recipe
    lab: Lab
    results: Results
    seeds: int
    on: str = ""
    """which data and scale it is on, where there are several"""

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """Its cells."""
        return self.recipe.cells(self.lab, self.results, self.seeds)

    @property
    def known(self) -> bool:
        """Whether anything of it was measured but the baseline."""
        return any(cell.accuracies for cell in self.cells if cell.kind != "erm")

    @property
    def name(self) -> str:
        """The name of its figure's file, without an ending."""
        return self.recipe.file(self.lab)

    @property
    def title(self) -> str:
        """Its heading."""
        return self.recipe.title + (f" ({self.on})" if self.on else "")

    @cached_property
    def sheets(self) -> list[Sheet]:
        """Its tables."""
        return self.recipe.sheets(self.lab, self.results, self.seeds)

    @property
    def progress(self) -> str:
        """How much of it there is."""
        wanted = [cell for cell in self.cells if cell.domain not in self.lab.absent]
        there = [cell for cell in wanted if cell.accuracies]
        some = "" if len(there) == len(wanted) else f" {len(wanted) - len(there)} of {len(wanted)} entries are not run."
        return describe_seeds(wanted) + some

    def figure(self) -> Any:
        """Its figure."""
        return self.recipe.figure(self.lab, self.results, self.seeds)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a page is about."""

    title: str
    lead: str
    measure: str
    sections: Callable[[Results], list[Section]]
    """gives what there is of it in a results file"""
    claims: Sequence[Claim]
    judging: str = ""
    """what else has to be said about how claims are judged"""
    html: str
    """names of the files, where no others are asked for"""
    markdown: str
    discussion: str


@dataclass(frozen=True)
class ResultsPage:
    """Everything the page says."""

    subject: Subject
    results: Results
    sections: Sequence[Section]
    discussion: str
    """what people wrote about it, as Markdown"""

    @cached_property
    def judged(self) -> list[Judged]:
        """Every claim of the paper, on all data and scales that have something of it; at least once."""
        groups: dict[str, dict[str, Sequence[Cell]]] = {}
        for section in self.sections:
            groups.setdefault(section.on, {})[section.recipe.name] = section.cells
        judged = [judge(claim, cells, on) for on, cells in groups.items() for claim in self.subject.claims]
        shown = {each.on for each in judged if each.comparisons} or {judged[0].on}
        return [each for each in judged if each.on in shown]

    @property
    def headline(self) -> str:
        """How many claims stand how."""
        counts = Counter(judged.verdict for judged in self.judged)
        each = [
            f"{n} {one if n == 1 else many}" for verdict, (one, many) in _IN_WORDS.items() if (n := counts[verdict])
        ]
        return f"Of {len(self.judged)} claims, {listed(each)}"

    @property
    def judging(self) -> str:
        """How a claim is judged."""
        return " ".join(filter(None, [_JUDGING.format(measure=self.subject.measure), self.subject.judging]))

    @property
    def made_with(self) -> str:
        """How much was measured, and with what the runs were made, all of them."""
        kinds = Counter(line["kind"] for line in self.results)
        measured = [counted(kinds[kind], name) for kind, name in _KINDS.items() if kinds[kind]]
        lines = [line for line in self.results if line["kind"] == "run"]
        versions = sorted({f"torch {line['versions']['torch']}" for line in lines})
        engines = sorted({f"{line['engine']['device']} in {line['engine']['precision']}" for line in lines})
        dates = [line["created"][:10] for line in lines]
        first, last = min(dates), max(dates)
        when = f"on {first}" if first == last else f"from {first} to {last}"
        return f"{listed(measured)} {when}, {listed(versions)}, {listed(engines)}"
