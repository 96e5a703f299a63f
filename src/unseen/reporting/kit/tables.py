"""A table as text, and three ways to show it: in a terminal, as Markdown, as HTML with the pages' style."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.table import Table

from unseen.base.terminal import plain
from unseen.reporting.kit.theme import method_key
from unseen.reporting.kit.wording import AGREES, DIFFERS, NOT_COMPARABLE, curly

_COLOURS = {AGREES: "--good", DIFFERS: "--bad", NOT_COMPARABLE: "--faint"}  # of the page's style sheet
_LONG = 24  # letters: numbers of more are broken into lines


@dataclass(frozen=True)
class Sheet:
    """Headings, rows whose first entry is the group they belong to (a domain), and what must be said with them."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str
    words: frozenset[int] = frozenset({0})
    """columns of words; the others are of numbers"""
    notes: Mapping[str, str] = field(default_factory=dict)
    """small print below a group's name"""
    aside: frozenset[str] = frozenset()
    """groups to set apart from the others"""
    styles: Mapping[str, int] = field(default_factory=dict)
    """the numbers of methods: an entry that names one gets its mark"""

    @property
    def groups(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """The rows of each group, without its name."""
        return [(name, [row[1:] for row in rows]) for name, rows in groupby(self.rows, key=lambda row: row[0])]

    def named(self, group: str) -> str:
        """A group's name with its note, in one line."""
        return f"{group} ({self.notes[group]})" if group in self.notes else group


def as_rich(sheet: Sheet, width: int, elsewhere: str = "it is in the .md file below") -> Group:
    """For a terminal of that width; of a table that would have to break words, only where else it is."""
    widths = _widths([sheet.headings, *((sheet.named(row[0]), *row[1:]) for row in sheet.rows)], width)
    if not sheet.rows:
        return Group(plain(f"{sheet.caption}\n"))
    if widths is None:
        short = f"{sheet.title}: {len(sheet.rows)} rows, too wide to show here; {elsewhere}\n"
        return Group(plain(short), plain(f"{sheet.caption}\n"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for i, (heading, own) in enumerate(zip(sheet.headings, widths, strict=True)):
        table.add_column(plain(heading), justify="left" if i in sheet.words else "right", width=own)
    grouped = len(sheet.groups) < len(sheet.rows)
    for name, rows in sheet.groups:
        for i, entries in enumerate(rows):
            table.add_row(*map(plain, ("" if i else sheet.named(name), *entries)))
        if grouped:
            table.add_section()
    return Group(plain(sheet.title, "bold"), table, plain(f"{sheet.caption}\n"))


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
        lines += [("" if i else f"**{sheet.named(name)}**", *entries) for i, entries in enumerate(rows)]
    table = "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)
    return f"**{sheet.title}**\n\n{table}\n\n{sheet.caption}\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def as_html(sheet: Sheet) -> str:
    """Title, table and caption, for a page that has the pages' style sheet; every text is escaped."""
    title, caption = (html.escape(curly(text)) for text in (sheet.title, sheet.caption))
    return f'<h3>{title}</h3>{html_table(sheet)}<p class="note">{caption}</p>'


def html_table(sheet: Sheet) -> str:
    """The table alone; nothing where it has no rows."""
    if not sheet.rows:
        return ""
    head = "".join(f"<th{_class(sheet, i)}>{html.escape(text)}</th>" for i, text in enumerate(sheet.headings))
    bodies = []
    for name, rows in sheet.groups:
        first = f'<th scope="rowgroup" rowspan="{len(rows)}">{_name(sheet, name)}</th>'
        lines = [f"<tr>{'' if i else first}{_entries(sheet, entries)}</tr>" for i, entries in enumerate(rows)]
        body = '<tbody class="aside">' if name in sheet.aside else "<tbody>"
        bodies.append(f"{body}{''.join(lines)}</tbody>")
    head = f"<thead><tr>{head}</tr></thead>"
    return f'<div class="scroll"><table class="sheet">{head}{"".join(bodies)}</table></div>'


def _name(sheet: Sheet, group: str) -> str:
    note = f" <small>{html.escape(sheet.notes[group])}</small>" if group in sheet.notes else ""
    return f"{_marked(sheet, group)}{note}"


def _entries(sheet: Sheet, entries: tuple[str, ...]) -> str:
    texts = []
    for i, text in enumerate(entries, 1):
        colour = f' style="color: var({_COLOURS[text]})"' if text in _COLOURS else ""
        texts.append(f"<td{_class(sheet, i, text)}{colour}>{_marked(sheet, text)}</td>")
    return "".join(texts)


def _marked(sheet: Sheet, text: str) -> str:
    return f"{method_key(sheet.styles[text]) if text in sheet.styles else ''}{html.escape(text)}"


def _class(sheet: Sheet, column: int, text: str = "") -> str:
    if column in sheet.words:
        return ""
    return ' class="num long"' if len(text) > _LONG else ' class="num"'
