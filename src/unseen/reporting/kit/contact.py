"""Contact sheets: rows of images with their names, for a file or a page."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from unseen.base.extras import require
from unseen.errors import InputError
from unseen.reporting.kit.charts import drawing
from unseen.reporting.kit.theme import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAP = 0.06  # inches between images
_LINE = 0.145  # inches that a line of a caption takes
_LETTERS = 15.5  # of a caption, in an inch
_SHARP = 64  # pixels: an image of fewer keeps them visible


@drawing
def contact_sheet(
    rows: Mapping[str, Tensor],
    captions: Mapping[str, Sequence[str]] | None = None,
    *,
    width: float = 10.0,
    names: float = 1.25,
) -> Figure:
    """Rows of images (N, C, H, W), each with its name on the left; column by column they belong together.

    ``captions`` has one text for each image of the rows that it names, which goes below them. All sizes are inches:
    the figure is ``width`` wide, of which the names take ``names``. Before and after an ascent, for example::

        before = unseen.fictitious(net, x, y, replace(ada, T_max=0))
        after = unseen.fictitious(net, x, y, ada)
        words = [in_words(went) for went in how_far(ada.ascended, after.links)]
        contact_sheet({"original": x, "drawn": before.images, "after the ascent": after.images},
                      {"after the ascent": words})
    """
    captions = captions or {}
    _check(rows, captions)
    count, (high, wide) = len(next(iter(rows.values()))), next(iter(rows.values())).shape[2:]
    side = (width - names - _GAP * (count - 1)) / count
    tall = side * high / wide
    lines = {name: [_wrapped(text, side) for text in captions.get(name, ())] for name in rows}
    below = {name: _GAP + _LINE * max(map(len, texts), default=0) for name, texts in lines.items()}
    height = tall * len(rows) + sum(below.values())
    figure: Figure = require("matplotlib.figure", "report").Figure(figsize=(width, height), facecolor="white")
    top = height
    for name, images in rows.items():
        figure.text(0, (top - tall / 2) / height, textwrap.fill(name, round(9 * names)), va="center", color=INK)
        for i, image in enumerate(images):
            x = names + i * (side + _GAP)
            axes = figure.add_axes((x / width, (top - tall) / height, side / width, tall / height))
            _show(axes, image)
            if lines[name]:
                middle, under = (x + side / 2) / width, (top - tall - 0.03) / height
                text = "\n".join(lines[name][i])
                figure.text(middle, under, text, ha="center", va="top", fontsize=7.5, color=SOFT)
        top -= tall + below[name]
    return figure


def _show(axes: Axes, image: Tensor) -> None:
    """One image, cut to [0, 1], grey where it has neither one nor three channels."""
    seen = image if image.shape[0] == 3 else image.mean(0, keepdim=True).expand(3, -1, -1)
    sharp = max(image.shape[1:]) <= _SHARP
    axes.imshow(
        seen.detach().float().clamp(0, 1).movedim(0, 2).numpy(), interpolation="nearest" if sharp else "antialiased"
    )
    axes.set_axis_off()


def _wrapped(text: str, side: float) -> list[str]:
    return textwrap.wrap(text.replace(" ·", "\N{NO-BREAK SPACE}·"), max(round(_LETTERS * side), 1)) or [""]


def _check(rows: Mapping[str, Tensor], captions: Mapping[str, Sequence[str]]) -> None:
    shapes = {name: (len(images), tuple(images.shape[2:])) for name, images in rows.items()}
    if len(set(shapes.values())) != 1 or not next(iter(shapes.values()))[0]:
        raise InputError(f"contact_sheet: expected rows of as many images of one size, got {shapes}")
    wrong = [name for name, texts in captions.items() if name not in rows or len(texts) != len(rows[name])]
    if wrong:
        raise InputError(f"contact_sheet: captions of {wrong}: expected one for each image of a row, got others")
