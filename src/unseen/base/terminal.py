"""The door to the screen: everything that is printed goes through here, and only text comes out.

Names of folders, files and classes, and what servers and decoders say, may have escape codes that move the cursor or
hide what follows, bytes that are no text, and words in brackets that rich takes for markup. All of it is shown as it is
written: ``\\x1b[31m``, ``[red]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""control characters but the end of a line and the tab, those that turn the direction of text, and halves of ones"""


def printable(text: str) -> str:
    """The text with each control character, and each byte that is no text, spelled out: ``\\x1b``."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def plain(text: str, style: str = "") -> Text:
    """The text as rich shows it on any console: printable, and no markup."""
    return Text(printable(text), style=style)


class Terminal(Console):
    """rich's console, to which a text is a text: no markup, no emoji by name, no control characters but rich's own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A text, also of a table's cell, made printable before room is made for it."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is about to be written: whatever came past ``render_str`` is printable here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
