"""Pages as single HTML files that need no network: their templates, and how they are written."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.base.extras import require
from unseen.base.terminal import printable
from unseen.base.writing import make_folder, write_atomically
from unseen.reporting.kit import wording
from unseen.reporting.kit.inline import inline
from unseen.reporting.kit.tables import as_html, html_table
from unseen.reporting.kit.theme import THEME, method_key

if TYPE_CHECKING:
    import jinja2


def environment(*packages: str) -> jinja2.Environment:
    """The templates of these packages and of the kit, with the style sheet, the filters, charts and tables."""
    engine, safe = require("jinja2", "report"), require("markupsafe", "report").Markup
    for module in ("PIL.Image", "matplotlib"):
        require(module, "report")  # before anything is computed
    made: jinja2.Environment = engine.Environment(
        loader=engine.ChoiceLoader([engine.PackageLoader(name) for name in (*packages, "unseen.reporting.kit")]),
        autoescape=True,
        undefined=engine.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "signed": wording.signed,
        "listed": wording.listed,
        "sentence": wording.sentence,
        "curly": wording.curly,
        "short": wording.short,
        "percent": lambda share: f"{100 * share:.1f}",
        "thousands": lambda number: f"{number:,}",
        "chart": lambda figure, description: safe(inline(figure, description)),
        "table": lambda sheet: safe(html_table(sheet)),
        "titled": lambda sheet: safe(as_html(sheet)),
        "key": lambda style: safe(method_key(style)),
    }
    made.globals |= {"counted": wording.counted, "theme": THEME, "version": version("unseen")}
    return made


def write(templates: jinja2.Environment, name: str, content: dict[str, Any], out: Path) -> Path:
    """Fill a template and write the page."""
    make_folder(out.parent)
    write_atomically(out, printable(templates.get_template(name).render(content)).encode())
    return out
