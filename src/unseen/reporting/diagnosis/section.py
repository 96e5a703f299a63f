"""What a page shows of a diagnosis: its own page, and the report's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unseen.data.domain import Domain
from unseen.reporting.diagnosis.charts import Figures, figures
from unseen.reporting.diagnosis.panels import Panel, panels
from unseen.reporting.diagnosis.record import Diagnosis, kept
from unseen.reporting.diagnosis.words import headline
from unseen.reporting.finished.methods import Method


@dataclass(frozen=True)
class Section:
    """What ``diagnosis.html`` shows of one run."""

    diagnosis: Diagnosis
    headline: str
    figures: Figures
    panels: dict[str, Panel]


def section(diagnosis: Diagnosis, style: int | None = None) -> Section:
    """Its figures and tables; ``style`` is the method's on a page with others."""
    tables = {panel.name: panel for panel in panels(diagnosis)}
    return Section(diagnosis, headline(diagnosis), figures(diagnosis, style), tables)


def sections(methods: Sequence[Method], source: Domain, domains: Sequence[Domain]) -> list[Section]:
    """One for each method that has a diagnosed run, the first such; those beside a plain run come first."""
    made = []
    for method in methods:
        found = next(filter(None, (kept(run.folder, source, domains) for run in method.runs)), None)
        if found:
            made.append(section(found, method.style))
    return sorted(made, key=lambda each: each.diagnosis.plain is None)
