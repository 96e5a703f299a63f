"""A chart as an element of a page: it has the page's colours, in light and in dark, and the page's font."""

from __future__ import annotations

import hashlib
import warnings
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from unseen.reporting.kit.charts import render
from unseen.reporting.kit.theme import THEME

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_VARIABLES = {light: f"var(--{name})" for name, (light, _) in reversed(THEME.items())}
"""the style sheet's names of the colours we draw with"""
_LEFT_OUT = {"metadata", "style", "clipPath"}  # a style element would hold for the whole page


def inline(figure: Figure, description: str) -> str:
    """The figure as an ``<svg>`` element, which says ``description`` to those who can't see it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the page's font is the reader's
        svg = render(figure, as_text=True)
    root = ElementTree.fromstring(svg)
    viewed = root.attrib["viewBox"]
    _adapt(root, f"c{hashlib.sha256(svg + description.encode()).hexdigest()[:8]}")
    root.attrib = {"class": "chart", "viewBox": viewed, "role": "img", "aria-label": description}
    return ElementTree.tostring(root, encoding="unicode")


def _adapt(element: ElementTree.Element, prefix: str) -> None:
    """SVG without namespaces, as HTML has it; ``prefix`` makes the ids of this chart's markers its own."""
    element.tag = _local(element.tag)
    element.tail = None
    if element.tag != "text":
        element.text = None
    attributes = {_local(name): value for name, value in element.items()}
    attributes.pop("clip-path", None)  # nothing is drawn outside of its axes but what should be
    if element.tag == "g":
        attributes.pop("id", None)
    if "id" in attributes:
        attributes["id"] = f"{prefix}{attributes['id']}"
    if "href" in attributes:
        attributes["href"] = f"#{prefix}{attributes['href'][1:]}"
    if "style" in attributes:
        attributes["style"] = _style(attributes["style"])
    element.attrib = attributes
    element[:] = [child for child in element if _local(child.tag) not in _LEFT_OUT]
    for child in element:
        _adapt(child, prefix)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _style(declarations: str) -> str:
    pairs = [declaration.partition(": ")[::2] for declaration in declarations.split("; ")]
    return "; ".join(f"{name}: {_VARIABLES.get(value, value)}" for name, value in pairs if name != "font-family")
