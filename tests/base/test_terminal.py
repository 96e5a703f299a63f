"""What reaches the screen: text alone, whatever names and messages have in them."""

import io

import pytest
from rich.console import Group
from rich.table import Table
from rich.text import Text

from unseen.base import bars
from unseen.base.terminal import Terminal, plain, printable
from unseen.runs.console import evaluating, showing_many
from unseen.runs.progress import Progress

HOSTILE = "[/b][red]\x1b[31m\x1b]0;title\x07\r\x9b2J\u202e\udcff:bomb:"
SPELLED = r"[/b][red]\x1b[31m\x1b]0;title\x07\r\x9b2J\u202e\udcff:bomb:"
TABLE = Table("name", title=HOSTILE)
TABLE.add_row(HOSTILE)


def written(show, *, terminal, width=200):
    """What ``show`` writes to a console, colours and movements of the cursor that rich itself makes left out."""
    file = io.StringIO()
    console = Terminal(file=file, force_terminal=terminal, width=width, color_system=None, legacy_windows=False)
    show(console)
    file.getvalue().encode()  # halves of characters would end the process here
    return file.getvalue()


def test_control_characters_and_bytes_that_are_no_text_are_spelled_out():
    assert printable(HOSTILE) == SPELLED
    assert printable("line\n\tnaïve 日本 👩‍🚀") == "line\n\tnaïve 日本 👩‍🚀"


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "plain"])
@pytest.mark.parametrize(
    "shown", [HOSTILE, Text(HOSTILE), plain(HOSTILE), TABLE, Group(HOSTILE, Text(HOSTILE))],
    ids=["text", "rich's text", "plain", "table", "group"],
)  # fmt: skip
def test_whatever_is_printed_is_printed_as_it_is_written(shown, terminal):
    text = written(lambda console: console.print(shown, soft_wrap=True), terminal=terminal)
    assert "\x1b" not in text
    assert r"[/b][red]\x1b[31m\x1b]0;title" in text
    assert r"\x9b2J\u202e\udcff:bomb:" in text


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "plain"])
def test_progress_of_runs_and_domains_with_such_names_is_shown(terminal):
    def show(console):
        with showing_many(console) as say:
            say(HOSTILE, Progress("train", 1, 2, 0, {"loss": 0.5, "accuracy": {HOSTILE: 0.5}}))
            say(HOSTILE, Progress("train", 2, 2, 0, {"loss": 0.5, "accuracy": {HOSTILE: 0.5}}))
        with evaluating(console) as begin:
            begin(HOSTILE, 2)(1)

    text = written(show, terminal=terminal)
    assert "\x1b]0" not in text
    assert "\x9b" not in text
    assert r"[/b][red]\x1b[31m" in text


def test_a_bar_of_a_folder_with_such_a_name_is_shown(capsys, monkeypatch):
    for terminal in ("1", ""):
        monkeypatch.setenv("FORCE_COLOR", terminal) if terminal else monkeypatch.delenv("FORCE_COLOR")
        with bars.counting(f"decoding {HOSTILE}", 2, "images", show=True) as done:
            done(2)
        text = capsys.readouterr().err
        assert "\x1b]0" not in text
        assert "[/b]" in text
