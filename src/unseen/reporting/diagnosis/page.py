"""The diagnosis of one run as a page of its own."""

from __future__ import annotations

from pathlib import Path

from unseen.base.files import write_atomically
from unseen.reporting.diagnosis.record import Diagnosis
from unseen.reporting.diagnosis.section import section
from unseen.reporting.runs.page import environment


def write_diagnosis(diagnosis: Diagnosis, out: Path) -> Path:
    """Write the page about one run; it needs no network and no other file."""
    templates = environment()
    out.parent.mkdir(parents=True, exist_ok=True)
    content = {"section": section(diagnosis)}
    write_atomically(out, templates.get_template("diagnosis_page.html").render(content).encode())
    return out
