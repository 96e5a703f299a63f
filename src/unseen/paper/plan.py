"""Which runs come next, in their order: each step is one command, and what it still lacks is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.paper.tables import NONE
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted
from unseen.runs.request import Request

if TYPE_CHECKING:
    from unseen.paper.claims import Claim
    from unseen.paper.section import Section

PLANNED = "2026-11-17T21:48:20+00:00"
"""when the plans were written down (commit b012001), before any of their runs"""
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


def plan_sheet(plan: Sequence[Step | Script], sections: Mapping[str, Section]) -> Sheet:
    """The steps in their order, with what each still lacks."""
    rows = [(str(number), *_entries(step, sections)) for number, step in enumerate(plan, 1)]
    caption = (
        "Made from the same lines as the rest: a step that is done lacks no training. Core-hours are of one thread "
        f"({DIGIT_MINUTES:g} minutes and {ROUND_MINUTES:g} for each round, docs/recipes.md), where they are known. A "
        "step counts its own trainings, also those that an earlier one makes. Every command takes --data DATA --out "
        "results --jobs 1, and resumes."
    )
    return Sheet("The runs, in this order", ("step", "command", "why", "trainings left", "core-hours"), rows, caption,
                 frozenset({0, 1, 2}))  # fmt: skip


def _entries(step: Step | Script, sections: Mapping[str, Section]) -> tuple[str, ...]:
    command = f"`{step.command}`"
    if isinstance(step, Script) or step.recipe not in sections:
        return (command, step.why, NONE, NONE)
    left = missing(step, sections[step.recipe])
    minutes = [_minutes(request) for request in left]
    known = [each for each in minutes if each is not None]
    hours = f"{sum(known) / 60:.1f}" if len(known) == len(minutes) else NONE
    return (command, step.why, counted(len(left), "training") if left else "done", hours)


def _minutes(request: Request) -> float | None:
    if request.job.model != "convnet":
        return None
    return DIGIT_MINUTES + ROUND_MINUTES * request.ada.K
