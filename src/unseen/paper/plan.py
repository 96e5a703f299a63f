"""Which runs come next, in their order: each step is one command, and what it still lacks is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.paper.results import Results
from unseen.paper.tables import NONE
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted
from unseen.runs.request import Request

if TYPE_CHECKING:
    from unseen.paper.claims import Claim
    from unseen.paper.section import Section

PLANNED = "2026-11-17T21:48:20+00:00"
"""when the plans were written down (commit b012001), before any of their runs"""
LATER = "planned later, on 2026-11-19"
"""of a step that came with their results"""
DIGIT_MINUTES, ROUND_MINUTES = 7.0, 2.0
"""of a digit training without rounds on one thread, and of each round (docs/recipes.md)"""


@dataclass(frozen=True)
class Step:
    """A recipe up to so many seeds, and why."""

    recipe: str
    seeds: int
    why: str
    options: str = ""
    """of the command, besides the seeds"""
    methods: tuple[str, ...] = ()
    """those to run; all when none is named"""

    @property
    def command(self) -> str:
        """What to type."""
        only = "".join(f' --method "{method}"' for method in self.methods)
        return f"unseen reproduce {self.recipe} --seeds {self.seeds}{f' {self.options}' if self.options else ''}{only}"


@dataclass(frozen=True)
class Script:
    """A step that is no recipe."""

    command: str
    why: str
    file: str
    """that it writes, beside the results"""
    trainings: int
    """lines that the file has when the step is done"""
    rounds: int
    """of each training"""


def planned_seeds(plan: Sequence[Step | Script]) -> dict[str, int]:
    """How many seeds each recipe shall have."""
    steps = [step for step in plan if isinstance(step, Step)]
    return {step.recipe: max(each.seeds for each in steps if each.recipe == step.recipe) for step in steps}


def planned_for(claim: Claim, planned: Mapping[str, int]) -> int | None:
    """How many seeds a claim shall have: as many as the recipe with the fewest; None where one is in no plan."""
    recipes = {name.partition("/")[0] for pair in claim.pairs for name in pair}
    return min(planned[recipe] for recipe in recipes) if recipes <= planned.keys() else None


def missing(step: Step, section: Section) -> list[Request]:
    """The trainings that the step would carry out if no run folder were there any more."""
    wanted = section.recipe.measurements(section.lab, step.seeds, step.methods)
    needs = [request for m in wanted if not m.known(section.results) for request in m.needs]
    return list({request.identity: request for request in needs}.values())


def plan_sheet(plan: Sequence[Step | Script], sections: Mapping[str, Section], folder: Path) -> Sheet:
    """The steps in their order, with what each still lacks; ``folder`` has the results."""
    rows = [(str(number), *_entries(step, sections, folder)) for number, step in enumerate(plan, 1)]
    caption = (
        "Made from the same lines as the rest: a step that is done lacks no training. The seeds are what could be run "
        "here, for some claims fewer than the table above asks for. Core-hours are of one thread "
        f"({DIGIT_MINUTES:g} minutes and {ROUND_MINUTES:g} for each round of a digit training, docs/recipes.md), where "
        "they are known. A step counts its own trainings, also those that an earlier one makes. Every command resumes. "
        "`unseen reproduce` also takes --data DATA --out results --jobs 1."
    )
    if any(isinstance(step, Script) for step in plan):
        caption += " The scripts find their data in UNSEEN_DATA."
    return Sheet("The runs, in this order", ("step", "command", "why", "trainings left", "core-hours"), rows, caption,
                 frozenset({0, 1, 2}))  # fmt: skip


def _entries(step: Step | Script, sections: Mapping[str, Section], folder: Path) -> tuple[str, ...]:
    minutes = _minutes_left(step, sections, folder)
    if minutes is None:
        return (f"`{step.command}`", step.why, NONE, NONE)
    known = [each for each in minutes if each is not None]
    hours = f"{sum(known) / 60:.1f}" if len(known) == len(minutes) else NONE
    return (f"`{step.command}`", step.why, counted(len(minutes), "training") if minutes else "done", hours)


def _minutes_left(step: Step | Script, sections: Mapping[str, Section], folder: Path) -> Sequence[float | None] | None:
    """Of each training that the step lacks, where they are known; None where nothing of the step was ever run."""
    if isinstance(step, Script):
        left = step.trainings - len(list(Results(folder / step.file)))
        return max(left, 0) * [_digit_minutes(step.rounds)]
    if step.recipe not in sections:
        return None
    return [_minutes(request) for request in missing(step, sections[step.recipe])]


def _minutes(request: Request) -> float | None:
    return _digit_minutes(request.ada.K) if request.job.model == "convnet" else None


def _digit_minutes(rounds: int) -> float:
    return DIGIT_MINUTES + ROUND_MINUTES * rounds
