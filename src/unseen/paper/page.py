"""The page of all results, as Markdown and as HTML, made from a results file alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unseen.base.files import write_atomically
from unseen.errors import InputError
from unseen.paper.claims import CLAIMS, Judged
from unseen.paper.lab import REAL, REAL_SOURCE, Lab
from unseen.paper.recipe import Gallery, Recipe
from unseen.paper.recipes import RECIPES
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage, Section, Subject
from unseen.paper.streets.sections import ON_STREETS, street_sections
from unseen.reporting.kit.charts import embedded
from unseen.reporting.kit.pages import environment
from unseen.reporting.kit.tables import Sheet, as_html, as_markdown
from unseen.reporting.kit.wording import listed

LONG = 24  # rows: a table of more is folded away
ON_DIGITS = Subject(
    title="The paper's digit experiments, run again",
    lead="Volpi et al. (NeurIPS 2018) train a digit network on MNIST alone and test it on digits it has never seen. "
    "Here are their figures and Table 1 again, with our runs beside their numbers.",
    measure="accuracy",
    claims=CLAIMS,
    html="report.html",
    markdown="results.md",
    discussion="discussion.md",
)


def read_page(file: Path, discussion: Path | None = None) -> ResultsPage:
    """The page of the results in ``file``: what was measured decides what is on it.

    Without ``discussion``, it is the file of that name beside the results, if there is one.
    """
    results = Results(file)
    sections: list[Section[Any]] = [*_digit_sections(results)]
    subject = ON_DIGITS if sections else ON_STREETS
    sections = sections or [*street_sections(results)]
    if not sections:
        raise InputError(f"{file}: expected results of runs on {REAL_SOURCE}, got {_without_page(file, results)}")
    said = discussion or file.with_name(subject.discussion)
    text = said.read_text() if discussion is not None or said.exists() else ""
    return ResultsPage(subject, results, sections, text)


def _without_page(file: Path, results: Results) -> str:
    """What there is instead, and what to do."""
    sources = sorted({line["job"]["source"] for line in results if line["kind"] == "run"})
    if not sources:
        return f"{'none' if file.exists() else 'no file'}; make some: unseen reproduce --list"
    return f"only runs on {listed(sources)}: stand-ins have no page; their tables are the NAME.md in {file.parent}"


def _digit_sections(results: Results) -> list[Section[Lab]]:
    runs = [line for line in results if line["kind"] == "run" and line["job"]["source"] == REAL_SOURCE]
    if not runs:
        return []
    scored = {score["domain"] for line in runs for score in line["scores"]}
    most = 1 + max(line["seed"] for line in runs)
    sections = []
    for recipe in RECIPES.values():
        targets = {column: REAL[column] for column in recipe.columns if REAL[column] in scored}
        absent = tuple(column for column in recipe.columns if column not in targets)
        lab = Lab(out=results.path.parent, targets=targets, absent=absent)
        if not isinstance(recipe, Gallery):
            sections.append(Section(recipe, lab, results, _seeds(recipe, lab, results, most)))
    return sections


def _seeds(recipe: Recipe, lab: Lab, results: Results, most: int) -> int:
    """As many as all its methods have that were run, so that what stands side by side can be compared.

    A crossed table has every seed: it stands beside the paper's numbers, and has its differences paired.
    """
    counts = [len(cell.accuracies) for cell in recipe.cells(lab, results, most) if cell.accuracies]
    return most if recipe.crossed else min(counts, default=most)


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
            parts += [f"![{section.recipe.what}]({where / section.name}.svg)", *map(_folded, section.sheets)]
    write_atomically(out, "\n\n".join(filter(None, parts)).encode() + b"\n")
    return out


def _claims_table(judged: Sequence[Judged]) -> str:
    rows = [f"| {j.claim.text} ({j.where}) | **{j.verdict}** | {j.evidence} |" for j in judged]
    return "\n".join(["| the paper says | here | how we know |", "| --- | --- | --- |", *rows])


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[0].isascii() else text[0]}{text[1:]}."


def _folded(sheet: Sheet) -> str:
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
