"""The page of all results, as Markdown and as HTML, made from a results file alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from unseen.base.files import write_atomically
from unseen.errors import InputError
from unseen.paper.claims import Judged
from unseen.paper.digits.claims import DIGITS
from unseen.paper.digits.lab import SOURCE
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage
from unseen.paper.streets.claims import STREETS
from unseen.reporting.kit.charts import embedded
from unseen.reporting.kit.pages import environment
from unseen.reporting.kit.tables import Sheet, as_html, as_markdown
from unseen.reporting.kit.wording import listed

LONG = 24  # rows: a table of more is folded away
SUBJECTS = (DIGITS, STREETS)


def read_page(file: Path, discussion: Path | None = None) -> ResultsPage:
    """The page of the results in ``file``: what was measured decides what is on it.

    Without ``discussion``, it is the file of that name beside the results, if there is one.
    """
    results = Results(file)
    for subject in SUBJECTS:
        if sections := subject.sections(results):
            source = discussion or file.with_name(subject.discussion)
            text = source.read_text() if discussion is not None or source.exists() else ""
            return ResultsPage(subject, results, sections, text)
    raise InputError(f"{file}: expected results of runs on {SOURCE}, got {_without_page(file, results)}")


def _without_page(file: Path, results: Results) -> str:
    """What there is instead, and what to do."""
    sources = sorted({line["job"]["source"] for line in results if line["kind"] == "run"})
    if not sources:
        return f"{'none' if file.exists() else 'no file'}; make some: unseen reproduce --list"
    return f"only runs on {listed(sources)}: stand-ins have no page; their tables are the NAME.md in {file.parent}"


def write_markdown(page: ResultsPage, out: Path, pictures: Path) -> Path:
    """The page as Markdown; its figures are those in the folder ``pictures``."""
    where = Path(os.path.relpath(pictures, out.parent))
    parts = [
        f"# {page.subject.title}",
        f"Made from [{page.results.path.name}]({where / page.results.path.name}) by `unseen results`: don't edit it by "
        f"hand. {page.made_with}. Target data selected nothing: every number is of the last iterate.",
        page.discussion.strip(),
        "## The paper's claims",
        f"{page.headline}. {page.judging}",
        _claims_table(page.judged),
    ]
    for section in page.sections:
        parts += [f"## {section.title}", f"{_sentence(section.recipe.what)} {section.progress}"]
        if section.known:
            parts += [f"![{section.recipe.what}]({where / section.name}.svg)", *map(folded, section.sheets)]
    write_atomically(out, "\n\n".join(filter(None, parts)).encode() + b"\n")
    return out


def _claims_table(judged: Sequence[Judged]) -> str:
    rows = [f"| {j.claim.text} ({j.where}) | **{j.verdict}** | {j.evidence} |" for j in judged]
    return "\n".join(["| the paper says | here | how we know |", "| --- | --- | --- |", *rows])


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[0].isascii() else text[0]}{text[1:]}."


def folded(sheet: Sheet) -> str:
    """The table as Markdown; a long one behind its title."""
    text = as_markdown(sheet).strip()
    if len(sheet.rows) <= LONG:
        return text
    return f"<details><summary>{sheet.title}: {len(sheet.rows)} rows</summary>\n\n{text}\n\n</details>"


def write_html(page: ResultsPage, out: Path) -> Path:
    """The page as one HTML file that needs no other."""
    shown = [
        {
            "name": section.name,
            "title": section.title,
            "what": _sentence(section.recipe.what),
            "progress": section.progress,
            "picture": embedded(section.figure(), section.recipe.what) if section.known else None,
            "sheets": [(sheet, as_html(sheet), len(sheet.rows) > LONG) for sheet in section.sheets if section.known],
        }
        for section in page.sections
    ]
    text = environment("unseen.paper").get_template("results.html").render(page=page, sections=shown)
    write_atomically(out, text.encode())
    return out
