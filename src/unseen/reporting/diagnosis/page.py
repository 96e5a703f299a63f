"""The diagnosis of one run as a page of its own."""

from __future__ import annotations

from pathlib import Path

from unseen.reporting.diagnosis.record import Diagnosis
from unseen.reporting.diagnosis.section import section
from unseen.reporting.kit.pages import environment, write


def write_diagnosis(diagnosis: Diagnosis, out: Path) -> Path:
    """Write the page about one run; it needs no network and no other file."""
    templates = environment("unseen.reporting.diagnosis")
    return write(templates, "diagnosis_page.html", {"section": section(diagnosis)}, out)
