"""The page of all results, as Markdown and as HTML, made from a results file alone."""

from __future__ import annotations

import os
from pathlib import Path

from unseen.base.reading import is_there, read_text
from unseen.base.writing import write_atomically
from unseen.errors import InputError
from unseen.paper.claim_words import comparisons_sheet, paragraph
from unseen.paper.digits.claims import DIGITS
from unseen.paper.digits.lab import SOURCE
from unseen.paper.findings import LEAST_PAIRS
from unseen.paper.prose import prose_html
from unseen.paper.prospects import Prospect
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage
from unseen.paper.streets.claims import STREETS
from unseen.reporting.kit.charts import embedded, save
from unseen.reporting.kit.pages import environment, write
from unseen.reporting.kit.power import POWER
from unseen.reporting.kit.tables import Sheet, as_markdown
from unseen.reporting.kit.wording import counted, listed

_OVERVIEW = "The paper's claims, each with its effect here, the interval, the paper's number and the verdict"
LONG = 24
"""rows: a table of more is long"""
SUBJECTS = (DIGITS, STREETS)
_NEEDED = {
    "run": (
        *("seed", "ada.K", "job.source", "job.model", "job.size", "job.images", "versions.torch"),
        *("engine.device", "engine.precision", "created"),
    ),
    "ensemble": ("members",),
}
"""what the page reads out of each kind of line"""


def read_page(file: Path, discussion: Path | None = None) -> ResultsPage:
    """The page of the results in ``file``: what was measured decides what is on it.

    Without ``discussion``, it is the file of that name beside the results, if there is one.
    """
    results = Results(file)
    results.need(_NEEDED)
    for subject in SUBJECTS:
        if sections := subject.sections(results):
            source = discussion or file.with_name(subject.discussion)
            text = read_text(source) if discussion is not None or is_there(source) else ""
            return ResultsPage(subject, results, sections, text)
    raise InputError(f"{file}: expected results of runs on {SOURCE}, got {_without_page(file, results)}")


def _without_page(file: Path, results: Results) -> str:
    """What there is instead, and what to do."""
    sources = sorted({line["job"]["source"] for line in results if line["kind"] == "run"})
    if not sources:
        return f"{'none' if file.exists() else 'no file'}; make some: unseen reproduce --list"
    return f"only runs on {listed(sources)}: stand-ins have no page; their tables are the NAME.md in {file.parent}"


_WORDS = (
    "A comparison is *clear* where it differs from 0 also after correction for the number of comparisons of its claim, "
    f"with {LEAST_PAIRS} seeds or more. An interval is of one comparison by itself: it may exclude 0 and not be "
    "clear. Where all are clear by themselves, and on one side, no correction is needed. A claim *holds* where all are "
    "clear, and *holds in part* where some are "
    "([how claims are judged](#how-claims-are-judged)). *Interim*: some of the seeds that were planned are not run, "
    "and the verdict is not the last. *Outside*: our interval leaves the paper's number out. "
    f"*Seeds for {100 * POWER:.0f} % power*: with so many, {100 * POWER:.0f} of 100 "
    "repetitions of our experiment would find a comparison clear (in part) or all of them (as a whole); from the "
    "spread as measured to the most that it may be ([how many seeds](#how-many-seeds-would-decide-it))."
)


def save_figures(page: ResultsPage, folder: Path) -> list[Path]:
    """The figure of all claims, and one for each recipe of which something was measured."""
    shown = [section for section in page.sections if section.known]
    figures = {page.subject.picture: page.overview, **{section.name: section.figure for section in shown}}
    return [path for name, draw in figures.items() for path in save(draw(), folder / name)]


def write_markdown(page: ResultsPage, out: Path, pictures: Path) -> Path:
    """The page as Markdown; its figures are those in the folder ``pictures``."""
    where = Path(os.path.relpath(pictures, out.parent))
    parts = [
        f"# {page.subject.title}",
        f"![{_OVERVIEW}]({where / page.subject.picture}.svg)",
        f"**{page.headline}.** {page.subject.lead}",
        f"Made from [{page.results.path.name}]({where / page.results.path.name}) by `unseen results`: don't edit it by "
        f"hand. {page.made_with}. No target label selected anything: every number is of the last iterate.",
        page.prose.lead,
        "## The paper's claims",
        _WORDS,
        *(part for each in page.prospects for part in _claim(page, each)),
        "## How claims are judged",
        "\n".join(f"- {point}" for point in page.judging),
        "## How many seeds would decide it",
        page.within_reach,
        *map(folded, page.deciding),
    ]
    if page.beyond:
        parts += ["## Beyond the claims", *(part for item in page.beyond.items() for part in _titled(*item))]
    for section in page.sections:
        parts += [f"## {section.title}", f"{_sentence(section.recipe.what)} {section.progress}"]
        if section.known:
            parts += [f"![{section.recipe.what}]({where / section.name}.svg)", *map(folded, section.sheets)]
    write_atomically(out, "\n\n".join(filter(None, parts)).encode() + b"\n")
    return out


def _claim(page: ResultsPage, prospect: Prospect) -> list[str]:
    """A heading, what the paper says, what there is here; the comparisons folded away."""
    judged = prospect.judged
    on = f" ({judged.on})" if len({each.on for each in page.judged}) > 1 else ""
    text = f"*{judged.claim.text}* {claim_paragraph(page, prospect)}"
    return [
        *_titled(f"{judged.claim.name}{on}", text),
        *([folded(comparisons_sheet(judged))] if judged.compared else []),
    ]


def claim_paragraph(page: ResultsPage, prospect: Prospect) -> str:
    """What stands below a claim: its verdict and numbers, then what people wrote."""
    return f"{paragraph(prospect)} {page.remark(prospect.judged)}".strip()


def _titled(title: str, text: str) -> list[str]:
    return [f"### {title}", text]


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[0].isascii() else text[0]}{text[1:]}."


def folded(sheet: Sheet) -> str:
    """The table as Markdown, behind its title."""
    text = as_markdown(sheet).strip().partition("\n\n")[2]
    return f"<details><summary>{sheet.title}: {counted(len(sheet.rows), 'row')}</summary>\n\n{text}\n\n</details>"


def folded_if_long(sheet: Sheet) -> str:
    """The table as Markdown; a long one behind its title."""
    return folded(sheet) if len(sheet.rows) > LONG else as_markdown(sheet).strip()


def write_html(page: ResultsPage, out: Path) -> Path:
    """The page as one HTML file that needs no other."""
    shown = [
        {
            "name": section.name,
            "title": section.title,
            "what": _sentence(section.recipe.what),
            "progress": section.progress,
            "picture": embedded(section.figure(), section.recipe.what) if section.known else None,
            "sheets": section.sheets if section.known else [],
        }
        for section in page.sections
    ]
    claims = [
        (each.judged, prose_html(claim_paragraph(page, each)), comparisons_sheet(each.judged))
        for each in page.prospects
    ]
    content = {
        "page": page,
        "sections": shown,
        "overview": embedded(page.overview(), _OVERVIEW),
        "words": prose_html(_WORDS),
        "claims": claims,
        "lead": prose_html(page.prose.lead),
        "judging": [prose_html(point) for point in page.judging],
        "beyond": {name: prose_html(text) for name, text in page.beyond.items()},
    }
    return write(environment("unseen.paper"), "results.html", content, out)
