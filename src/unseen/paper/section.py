"""What the page of all results consists of: a section for each recipe, and the claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from unseen.paper.cells import Cell, describe_seeds
from unseen.paper.claim_chart import claims_chart
from unseen.paper.claim_words import headline
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.decided import decided_sheet
from unseen.paper.deciding import power_sheet
from unseen.paper.judging import judging_points
from unseen.paper.lab import Lab
from unseen.paper.plan import PLANNED, Script, Step, plan_sheet, planned_seeds
from unseen.paper.prose import Prose, Quantities, fill, split_prose
from unseen.paper.prospects import Prospect, chances_sheet, prospect, within_reach
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results, run_key
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted, listed

_KINDS = {"run": "training", "ensemble": "ensemble", "adda": "adaptation"}


@dataclass(frozen=True)
class Section:
    """One recipe: what is known of it."""

    recipe: Recipe
    lab: Lab
    results: Results
    most: int
    """the number of seeds that anything has"""
    on: str = ""
    """which data and scale it is on, where there are several"""
    level: bool = False
    """whether its figure and tables have the seeds that all its methods have, so that they can be compared by eye"""

    @cached_property
    def every(self) -> Sequence[Cell]:
        """Its cells with every seed that they have."""
        return self.recipe.cells(self.lab, self.results, self.most)

    @property
    def seeds(self) -> int:
        """Of its figure and tables."""
        counts = [len(cell.accuracies) for cell in self.every if cell.accuracies]
        return min(counts, default=self.most) if self.level else self.most

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """Its cells with the seeds that it shows."""
        return [replace(cell, accuracies=_up_to(cell.accuracies, self.seeds)) for cell in self.every]

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
        more = max((len(cell.accuracies) for cell in self.every), default=0)
        all_ = f" All methods here have these seeds; claims take every seed, up to {more}." if more > self.seeds else ""
        return describe_seeds(wanted) + some + all_ + self._baseline_in_words()

    def _baseline_in_words(self) -> str:
        """What the baseline has with all its seeds, where it is shown with fewer."""
        more = {cell.domain: cell for cell in self.every if cell.kind == "erm" and len(cell.accuracies) > self.seeds}
        if not more or not self.level:
            return ""
        means = [f"{mean(cell.percent):.1f} on {domain}" for domain, cell in more.items()]
        (label,), seeds = {cell.method for cell in more.values()}, max(len(cell.accuracies) for cell in more.values())
        return f" With all its {seeds} seeds {label} has {listed(means)}."

    def figure(self) -> Any:
        """Its figure."""
        return self.recipe.figure(self.lab, self.results, self.seeds)


def _up_to(accuracies: Mapping[int, float], seeds: int) -> dict[int, float]:
    return {seed: accuracy for seed, accuracy in accuracies.items() if seed < seeds}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a page is about."""

    title: str
    lead: str
    measure: str
    sections: Callable[[Results], list[Section]]
    """gives what there is of it in a results file"""
    claims: Sequence[Claim]
    caveat: str = ""
    """why the paper's numbers are not comparable, where they are not"""
    judging: str = ""
    """what else has to be said about how claims are judged"""
    shared: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """runs that several claims share: what they are, and their names (RECIPE/METHOD); the baseline first"""
    plan: Sequence[Step | Script] = ()
    """which runs come next"""
    picture: str
    """name of the figure of all claims, without an ending"""
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
        """Every claim of the subject, on all data and scales that have something of it; at least once."""
        groups: dict[str, dict[str, Sequence[Cell]]] = {}
        for section in self.sections:
            groups.setdefault(section.on, {})[section.recipe.name] = section.every
        judged = [judge(claim, cells, on) for on, cells in groups.items() for claim in self.subject.claims]
        shown = {each.on for each in judged if each.comparisons} or {judged[0].on}
        return [each for each in judged if each.on in shown]

    @property
    def headline(self) -> str:
        """How many claims stand how."""
        return headline(self.prospects)

    @cached_property
    def prospects(self) -> list[Prospect]:
        """The claims as they stand, and what more seeds would make of them."""
        return [prospect(each, planned_seeds(self.subject.plan)) for each in self.judged]

    @cached_property
    def prose(self) -> Prose:
        """The discussion with its numbers."""
        quantities = Quantities(self.sections, self.subject.discussion)
        return split_prose(fill(self.discussion, quantities.names(), self.subject.discussion))

    def remark(self, judged: Judged) -> str:
        """What people wrote about a claim."""
        return self.prose.parts.get(judged.claim.name, "")

    @property
    def beyond(self) -> dict[str, str]:
        """What they wrote about other things."""
        names = {claim.name for claim in self.subject.claims}
        return {name: part for name, part in self.prose.parts.items() if name not in names}

    @property
    def judging(self) -> list[str]:
        """How a claim is judged, how often that goes wrong, and what claims share."""
        subject = self.subject
        return judging_points(self.judged, self.sections, subject.measure, subject.judging, subject.shared)

    @property
    def within_reach(self) -> str:
        """What more seeds can decide."""
        return within_reach(self.prospects)

    @property
    def plan(self) -> Sheet | None:
        """Which runs come next."""
        if not self.subject.plan:
            return None
        by_name = {section.recipe.name: section for section in reversed(self.sections)}
        return plan_sheet(self.subject.plan, by_name, self.results.path.parent)

    @property
    def deciding(self) -> list[Sheet]:
        """The tables of what would decide the claims, and of what did."""
        sheets = (chances_sheet(self.prospects), power_sheet(self.judged), self.plan, self.decided)
        return [sheet for sheet in sheets if sheet]

    @property
    def decided(self) -> Sheet | None:
        """How the claims stood when the plan was written, and how they stand now."""
        if not self.subject.plan:
            return None
        earlier = self.results.until(PLANNED)
        before = replace(self, results=earlier, sections=self.subject.sections(earlier))
        return decided_sheet(before.judged if before.sections else [], self.judged)

    def overview(self) -> Any:
        """The figure of all claims."""
        return claims_chart(self.prospects, self.subject.measure, self.subject.caveat)

    def _keys(self) -> set[str]:
        """What its recipes know their measurements by; a results file may have other pages' as well."""
        measurements = [m for s in self.sections for m in s.recipe.measurements(s.lab, s.most)]
        return {name for m in measurements for name in (m.key, *map(run_key, m.needs))}

    @property
    def made_with(self) -> str:
        """How much was measured, and with what the runs were made, all of them."""
        own = self._keys()
        shown = [line for line in self.results if line["key"] in own]
        kinds = Counter(line["kind"] for line in shown)
        measured = [counted(kinds[kind], name) for kind, name in _KINDS.items() if kinds[kind]]
        lines = [line for line in shown if line["kind"] == "run"]
        versions = sorted({f"torch {line['versions']['torch']}" for line in lines})
        engines = sorted({f"{line['engine']['device']} in {line['engine']['precision']}" for line in lines})
        dates = [line["created"][:10] for line in lines]
        first, last = min(dates), max(dates)
        when = f"on {first}" if first == last else f"from {first} to {last}"
        return f"{listed(measured)} {when}, {listed(versions)}, {listed(engines)}"
