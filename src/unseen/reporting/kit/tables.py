"""A table as text, and three ways to show it: in a terminal, as Markdown, as HTML with the report's style."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from unseen.reporting.kit.wording import AGREES, DIFFERS, NOT_COMPARABLE

_COLOURS = {AGREES: "--good", DIFFERS: "--bad", NOT_COMPARABLE: "--faint"}  # of the page's style sheet


@dataclass(frozen=True)
class Sheet:
    """Headings, rows whose first entry is the group they belong to (a domain), and what must be said with them."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    caption: str
    words: frozenset[int]
    """columns of words; the others are of numbers"""

    @property
    def groups(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """The rows of each group, without its name."""
        return [(name, [row[1:] for row in rows]) for name, rows in groupby(self.rows, key=lambda row: row[0])]


def as_rich(sheet: Sheet, width: int) -> Table | Text:
    """For a terminal of that width; of a table that would have to break words, only its title."""
    widths = _widths([sheet.headings, *sheet.rows], width)
    if widths is None:
        return Text(f"{sheet.title}: {len(sheet.rows)} rows, too wide to show here; it is in the .md file below\n")
    table = Table(
        title=Text(sheet.title), caption=Text(f"{sheet.caption}\n"), title_justify="left", caption_justify="left",
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title_style="bold",
    )  # fmt: skip
    for i, (heading, own) in enumerate(zip(sheet.headings, widths, strict=True)):
        table.add_column(Text(heading), justify="left" if i in sheet.words else "right", width=own)
    for name, rows in sheet.groups:
        for i, entries in enumerate(rows):
            table.add_row(*map(Text, ("" if i else name, *entries)))
        table.add_section()
    return table


def _widths(rows: Sequence[tuple[str, ...]], width: int) -> list[int] | None:
    """Of each column: its longest word, and more for those that lack least; None where the words don't fit."""
    columns = list(zip(*rows, strict=True))
    widths = [max(cell_len(word) for text in column for word in text.split() or [""]) for column in columns]
    lacking = [max(map(cell_len, column)) - own for column, own in zip(columns, widths, strict=True)]
    left = width - sum(widths) - 2 * len(columns) - 1  # one at each edge, two between columns
    if left < 0:
        return None
    for i in sorted(range(len(columns)), key=lacking.__getitem__):
        widths[i] += min(lacking[i], left)
        left -= min(lacking[i], left)
    return widths


def as_markdown(sheet: Sheet) -> str:
    """A Markdown table under its title, with the caption below."""
    rule = tuple("---" if i in sheet.words else "---:" for i in range(len(sheet.headings)))
    lines = [sheet.headings, rule]
    for name, rows in sheet.groups:
        lines += [("" if i else f"**{name}**", *entries) for i, entries in enumerate(rows)]
    table = "\n".join(f"| {' | '.join(map(_plain, line))} |" for line in lines)
    return f"**{sheet.title}**\n\n{table}\n\n{sheet.caption}\n"


def _plain(text: str) -> str:
    return text.replace("|", "\\|")


def as_html(sheet: Sheet) -> str:
    """For a page that has the report's style sheet; every text is escaped."""
    head = "".join(f"<th{_number(sheet, i)}>{html.escape(text)}</th>" for i, text in enumerate(sheet.headings))
    bodies = []
    for name, rows in sheet.groups:
        first = f'<th scope="rowgroup" rowspan="{len(rows)}">{html.escape(name)}</th>'
        lines = [f"<tr>{'' if i else first}{_entries(sheet, entries)}</tr>" for i, entries in enumerate(rows)]
        bodies.append(f"<tbody>{''.join(lines)}</tbody>")
    return (
        f'<h3>{html.escape(sheet.title)}</h3><div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f'{"".join(bodies)}</table></div><p class="note">{html.escape(sheet.caption)}</p>'
    )


def _entries(sheet: Sheet, entries: tuple[str, ...]) -> str:
    texts = []
    for i, text in enumerate(entries, 1):
        colour = f' style="color: var({_COLOURS[text]})"' if text in _COLOURS else ""
        texts.append(f"<td{_number(sheet, i)}{colour}>{html.escape(text)}</td>")
    return "".join(texts)


def _number(sheet: Sheet, column: int) -> str:
    return "" if column in sheet.words else ' class="num"'
