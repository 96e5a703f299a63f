"""Colours and marks: one for each thing, in light and in dark, the same in every chart, table and page."""

from __future__ import annotations

from typing import Any, Literal

THEME = {
    "paper": ("#fbfaf7", "#14171b"), "card": ("#ffffff", "#1b1f25"), "ink": ("#1b1f24", "#e9eaec"),
    "soft": ("#5a626d", "#a9b0ba"), "faint": ("#8b929b", "#7e8792"), "rule": ("#e2dfd8", "#2d333b"),
    "grid": ("#eceae4", "#2c323a"), "tint": ("#f2f0ea", "#22272e"), "over": ("#f5f4ef", "#20252c"),
    "m0": ("#c8500a", "#ff9257"), "m1": ("#0b69b0", "#62b5f5"), "m2": ("#00835f", "#3fcf9f"),
    "m3": ("#a8417f", "#ec93c6"), "m4": ("#8a6d00", "#e3c04d"), "m5": ("#2f9ccf", "#9adcf7"),
    "m6": ("#5a4fb3", "#b3abff"), "good": ("#0b69b0", "#62b5f5"), "bad": ("#b3261e", "#ff8a80"),
    "unsure": ("#6b6250", "#c9bd9f"),
}  # fmt: skip
"""each colour's name in the style sheet, and its value in light and in dark; m0 to m6 are the methods'"""
INK, SOFT, FAINT, RULE, GRID, EMPTY, OVER, CARD = (
    THEME[name][0] for name in ("ink", "soft", "faint", "rule", "grid", "tint", "over", "card")
)
_METHODS = 7
_MARKS = {"□": "s", "●": "o", "◆": "D", "▲": "^"}
"""as a letter, and as matplotlib calls it"""

Kind = Literal["ada", "erm", "pixel", "dropout", "ridge", "adda"]
"""what a figure of the paper's draws, which decides its colour"""
_YELLOW = "#e8b400"
COLOURS: dict[Kind, str] = {  # apart also in grey, and for eyes that take red for green or blue for green
    "erm": THEME["m0"][0], "ada": THEME["m1"][0], "ridge": "#35a86f", "pixel": _YELLOW, "dropout": _YELLOW,
    "adda": _YELLOW,
}  # fmt: skip
PALE: frozenset[Kind] = frozenset({"ridge", "pixel", "dropout", "adda"})
"""whose colours take dark words"""
NAMES: dict[Kind, str] = {
    "erm": "ERM", "ada": "ADA", "ridge": "ridge", "pixel": "cost in pixels", "dropout": "dropout", "adda": "ADDA",
}  # fmt: skip


def method_colour(style: int) -> str:
    """The colour of the method with this number; 0 is the baseline."""
    return THEME[f"m{style % _METHODS}"][0]


def marker_options(style: int, size: float) -> dict[str, Any]:
    """Its marker for matplotlib: an open square for the baseline, else a full circle, diamond or triangle."""
    colour, marker = method_colour(style), list(_MARKS.values())[_number(style)]
    size *= {"s": 0.85, "D": 0.8}.get(marker, 1.0)  # so that all look as large as the circle
    if style == 0:
        return {"marker": marker, "markersize": size, "color": colour, "markerfacecolor": CARD, "markeredgewidth": 1.8}
    return {"marker": marker, "markersize": size, "color": colour, "markeredgecolor": CARD, "markeredgewidth": 1}


def method_key(style: int) -> str:
    """The same for a line of HTML, in its colour."""
    return f'<i class="key c{style % _METHODS}" aria-hidden="true">{list(_MARKS)[_number(style)]}</i>'


def _number(style: int) -> int:
    return 0 if style == 0 else 1 + (style - 1) % (len(_MARKS) - 1)
