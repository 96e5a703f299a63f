import io
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

from unseen.reporting.kit.tables import Sheet, as_html, as_markdown, as_rich, html_table

NONE = "\N{EN DASH}"

SHEET = Sheet(
    title="A <title>",
    headings=("domain", "method", "accuracy", "agreement"),
    rows=[("A", "K|<2>", "30.0", "agrees"), ("A", "[bold]K=3", "31.0", "differs"), ("B", "not here", NONE, NONE)],
    caption="Ours & theirs.",
    words=frozenset({0, 1, 3}),
)


def test_markdown():
    assert as_markdown(SHEET) == (
        "**A <title>**\n\n"
        "| domain | method | accuracy | agreement |\n"
        "| --- | --- | ---: | --- |\n"
        "| **A** | K\\|<2> | 30.0 | agrees |\n"
        "|  | [bold]K=3 | 31.0 | differs |\n"
        f"| **B** | not here | {NONE} | {NONE} |\n"
        "\nOurs & theirs.\n"
    )


class Reader(HTMLParser):
    """The rows of a table, each entry as often as it spans rows, and whether every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.spans = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.spans.append(int(dict(attributes).get("rowspan", 1)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_html_is_closed_escaped_and_has_every_entry():
    text = as_html(SHEET)
    read = Reader(text)
    assert read.open == []
    assert read.rows == [
        list(SHEET.headings), ["A", "K|<2>", "30.0", "agrees"], ["[bold]K=3", "31.0", "differs"],
        ["B", "not here", NONE, NONE],
    ]  # fmt: skip
    assert read.spans[4] == 2
    assert "<h3>A &lt;title&gt;</h3>" in text
    assert "<td>K|&lt;2&gt;</td>" in text
    assert "Ours &amp; theirs." in text


def test_html_colours_agreement_with_the_pages_own_colours_and_aligns_numbers():
    text = as_html(SHEET)
    assert '<td style="color: var(--good)">agrees</td>' in text
    assert '<td style="color: var(--bad)">differs</td>' in text
    assert '<td class="num">30.0</td>' in text
    assert not re.search(r"(src|href)=", text)


def test_a_terminal_shows_every_entry_as_it_is():
    screen = io.StringIO()
    Console(width=100, file=screen).print(as_rich(SHEET, 100))
    shown = screen.getvalue()
    assert all(text in shown for text in ("A <title>", "K|<2>", "[bold]K=3", "31.0", "differs", "Ours & theirs."))


@pytest.mark.parametrize("width", range(20, 70))
def test_a_terminal_shows_whole_words_or_where_the_table_is(width):
    rows = [("Highway/Night to New York", "an ensemble", "8.4 ± 0.2"), ("Old Town", "ours", "10.0 ± 1.5")]
    sheet = Sheet("Title", ("domain", "method", "mIoU"), rows, "Caption.", frozenset({0, 1}))
    screen = io.StringIO()
    Console(width=width, file=screen).print(as_rich(sheet, width))
    shown = screen.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    words = {word for row in [sheet.headings, *rows] for text in row for word in text.split()}
    assert words <= set(shown.split()) or (width < 32 and "it is in the .md file below" in " ".join(shown.split()))
    assert ("8.4 ± 0.2" in shown) == (width >= 40), "what lacks least is whole first"


# What the pages' tables have besides.

PAGE = Sheet(
    "", ("domain", "method", "each seed"),
    [("A", "<ADA>", "30.0 · 31.0 · 30.5 · 31.5"), ("B", "ERM", "1.0")], "",
    words=frozenset({0, 1}), notes={"A": "20 <images>"}, aside=frozenset({"B"}), styles={"<ADA>": 1, "ERM": 0},
)  # fmt: skip


def test_methods_have_their_marks_groups_their_notes_and_the_source_stands_apart():
    text = html_table(PAGE)
    assert '<i class="key c1" aria-hidden="true">●</i>&lt;ADA&gt;</td>' in text
    assert '<i class="key c0" aria-hidden="true">□</i>ERM</td>' in text
    assert ">A <small>20 &lt;images&gt;</small></th>" in text
    assert text.index('<tbody class="aside">') > text.index(">A <small>")
    assert '<td class="num long">30.0 · 31.0' in text
    assert '<td class="num">1.0</td>' in text


def test_a_note_stands_beside_its_group_where_there_is_no_small_print():
    assert "| **A (20 <images>)** |" in as_markdown(PAGE)
    screen = io.StringIO()
    Console(width=100, file=screen).print(as_rich(PAGE, 100))
    assert "A (20 <images>)" in screen.getvalue()


def test_a_sheet_without_rows_is_its_caption():
    sheet = Sheet("Title", ("a", "b"), [], "There was nothing's to measure.")
    screen = io.StringIO()
    Console(width=100, file=screen).print(as_rich(sheet, 100))
    assert screen.getvalue().strip() == sheet.caption
    assert html_table(sheet) == ""
    assert "nothing\N{RIGHT SINGLE QUOTATION MARK}s" in as_html(sheet)
