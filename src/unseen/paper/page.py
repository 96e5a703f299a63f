"""The page of all results, as Markdown and as HTML, made from a results file alone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from unseen.errors import InputError
from unseen.paper.canvas import embedded
from unseen.paper.cells import Cell, seeds_told
from unseen.paper.claims import CLAIMS, Judged, Verdict, judge
from unseen.paper.lab import REAL, REAL_SOURCE, Lab
from unseen.paper.recipe import Gallery, Recipe
from unseen.paper.recipes import RECIPES
from unseen.paper.results import Results
from unseen.paper.sheet import Sheet, as_html, as_markdown
from unseen.report.page import environment
from unseen.report.verdicts import listed
from unseen.storage import write_atomically

LONG = 24  # rows: a table of more is folded away
_MANY: dict[Verdict, str] = {
    "holds": "hold",
    "holds in part": "hold in part",
    "contradicted in part": "are contradicted in part",
    "does not hold": "do not hold",
    "can't tell": "can't be told",
    "not all measured": "are measured in part",
    "not measured": "are not measured",
}


@dataclass(frozen=True)
class Section:
    """One recipe: what is known of it."""

    recipe: Recipe
    lab: Lab
    results: Results
    seeds: int

    @cached_property
    def cells(self) -> list[Cell]:
        """Its cells."""
        return self.recipe.cells(self.lab, self.results, self.seeds)

    @property
    def known(self) -> bool:
        """Whether anything of it was measured but the baseline."""
        return any(cell.accuracies for cell in self.cells if cell.kind != "erm")

    @property
    def sheets(self) -> list[Sheet]:
        """Its tables."""
        return self.recipe.sheets(self.lab, self.results, self.seeds)

    @property
    def progress(self) -> str:
        """How much of it there is."""
        wanted = [cell for cell in self.cells if cell.domain in self.lab.targets]
        there = [cell for cell in wanted if cell.accuracies]
        some = "" if len(there) == len(wanted) else f" {len(wanted) - len(there)} of {len(wanted)} entries are not run."
        return seeds_told(wanted) + some

    def figure(self) -> Any:
        """Its figure."""
        return self.recipe.figure(self.lab, self.results, self.seeds)


@dataclass(frozen=True)
class ResultsPage:
    """Everything the page says."""

    results: Results
    sections: Sequence[Section]
    discussion: str
    """what people wrote about it, as Markdown"""

    @cached_property
    def judged(self) -> list[Judged]:
        """Every claim of the paper."""
        cells: Mapping[str, Sequence[Cell]] = {section.recipe.name: section.cells for section in self.sections}
        return [judge(claim, cells) for claim in CLAIMS]

    @property
    def headline(self) -> str:
        """How many claims stand how."""
        counts = Counter(judged.verdict for judged in self.judged)
        told = [f"{counts[verdict]} {words}" for verdict, words in _MANY.items() if counts[verdict]]
        return f"Of {len(self.judged)} claims, {listed(told)}"

    @property
    def made_with(self) -> str:
        """With what the runs were made, all of them."""
        lines = [line for line in self.results if line["kind"] == "run"]
        versions = sorted({f"torch {line['versions']['torch']}" for line in lines})
        engines = sorted({f"{line['engine']['device']} in {line['engine']['precision']}" for line in lines})
        dates = sorted(line["created"][:10] for line in lines)
        return f"{len(lines)} trainings from {dates[0]} to {dates[-1]}, {listed(versions)}, {listed(engines)}"


def read_page(file: Path, discussion: Path | None = None) -> ResultsPage:
    """The page of the results in ``file``: what was measured decides what is on it."""
    results = Results(file)
    runs = [line for line in results if line["kind"] == "run" and line["job"]["source"] == REAL_SOURCE]
    if not runs:
        raise InputError(
            f"{file}: expected results of runs on {REAL_SOURCE}, got none; make some: unseen reproduce --list"
        )
    scored = {score["domain"] for line in runs for score in line["scores"]}
    seeds = 1 + max(line["seed"] for line in runs)
    sections = []
    for recipe in RECIPES.values():
        targets = {column: REAL[column] for column in recipe.columns if REAL[column] in scored}
        absent = tuple(column for column in recipe.columns if column not in targets)
        lab = Lab(out=file.parent, targets=targets, absent=absent)
        if not isinstance(recipe, Gallery):
            sections.append(Section(recipe, lab, results, seeds))
    text = discussion.read_text() if discussion is not None else ""
    return ResultsPage(results, sections, text)


def write_markdown(page: ResultsPage, out: Path, pictures: Path) -> Path:
    """The page as Markdown; its figures are those in the folder ``pictures``."""
    where = Path(os.path.relpath(pictures, out.parent))
    parts = [
        "# The paper's digit experiments, run again",
        f"Made from [{page.results.path.name}]({where / page.results.path.name}) by `unseen results`: don't edit it by "
        f"hand. {page.made_with}. Target data selected nothing: every number is of the last iterate.",
        page.discussion.strip(),
        "## The paper's claims",
        f"{page.headline}. A claim holds where the 95 % t-interval of every paired difference lies on its side of 0, "
        "and does not hold where one lies on the other side; differences are in points, over the seeds both have.",
        _claims_table(page.judged),
    ]
    for section in page.sections:
        parts += [f"## {_title(section.recipe.name)}", f"{_sentence(section.recipe.what)} {section.progress}"]
        if section.known:
            parts += [f"![{section.recipe.what}]({where / section.recipe.name}.svg)", *map(_folded, section.sheets)]
    write_atomically(out, "\n\n".join(filter(None, parts)).encode() + b"\n")
    return out


def _claims_table(judged: Sequence[Judged]) -> str:
    rows = [f"| {j.claim.text} ({j.claim.where}) | **{j.verdict}** | {j.evidence} |" for j in judged]
    return "\n".join(["| the paper says | here | how we know |", "| --- | --- | --- |", *rows])


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[0].isascii() else text[0]}{text[1:]}."


def _title(name: str) -> str:
    """``Figure 2b, top`` for ``figure2b-top``."""
    whole, _, part = name.partition("-")
    kind = whole.rstrip("0123456789ab")
    return f"{kind.capitalize()} {whole.removeprefix(kind)}{f', {part}' if part else ''}".strip()


def _folded(sheet: Sheet) -> str:
    text = as_markdown(sheet).strip()
    if len(sheet.rows) <= LONG:
        return text
    return f"<details><summary>{sheet.title}: {len(sheet.rows)} rows</summary>\n\n{text}\n\n</details>"


def write_html(page: ResultsPage, out: Path) -> Path:
    """The page as one HTML file that needs no other."""
    shown = [
        {
            "name": section.recipe.name,
            "title": _title(section.recipe.name),
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
