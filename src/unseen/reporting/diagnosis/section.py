"""What a page shows of a diagnosis: its own page, and the report's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unseen.data.domain import Domain
from unseen.reporting.diagnosis.charts import Figures, figures
from unseen.reporting.diagnosis.explanations import headline
from unseen.reporting.diagnosis.record import Diagnosis, read_current
from unseen.reporting.diagnosis.tables import sheets
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.tables import Sheet


@dataclass(frozen=True)
class Section:
    """What ``diagnosis.html`` shows of one run."""

    diagnosis: Diagnosis
    headline: str
    figures: Figures
    sheets: dict[str, Sheet]


def section(diagnosis: Diagnosis, style: int | None = None) -> Section:
    """Its charts and tables; ``style`` is the method's on a page with others."""
    return Section(diagnosis, headline(diagnosis), figures(diagnosis, style), sheets(diagnosis))


def sections(methods: Sequence[Method], source: Domain, domains: Sequence[Domain]) -> list[Section]:
    """One for each method that has a diagnosed run, the first such; those with an ERM run beside them come first."""
    made = []
    for method in methods:
        found = next(filter(None, (read_current(run.folder, source, domains) for run in method.runs)), None)
        if found:
            made.append(section(found, method.style))
    return sorted(made, key=lambda each: each.diagnosis.plain is None)
