"""What people wrote about the results: its numbers are asked for by name and filled in from the raw lines."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from unseen.base.extras import require
from unseen.errors import InputError
from unseen.paper.cells import Cell
from unseen.paper.claim_words import CLEAR
from unseen.paper.claims import Claim, judge
from unseen.paper.findings import against_paper
from unseen.paper.methods import Trained
from unseen.paper.results import Results, key, run_key
from unseen.reporting.kit.statistics import Crossed, crossed, mean
from unseen.reporting.kit.wording import Comparison, compare, counted, curly, points, short, signed, span, with_span
from unseen.runs.rounds import RoundRecord

if TYPE_CHECKING:
    from unseen.paper.section import Section

T = TypeVar("T")


@dataclass(frozen=True)
class Prose:
    """A text in parts: what comes first, then what stands below each heading."""

    lead: str
    parts: Mapping[str, str]


def split_prose(text: str) -> Prose:
    """The text at its headings (``##``)."""
    lead, *rest = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    return Prose(lead.strip(), {name.strip(): part.strip() for name, part in zip(rest[::2], rest[1::2], strict=True)})


def fill(text: str, quantities: Mapping[str, Callable[..., Any]], where: str) -> str:
    """The text with each ``{{ ... }}`` replaced by the quantity that it asks for."""
    engine = require("jinja2", "report")
    templates = engine.Environment(undefined=engine.StrictUndefined, keep_trailing_newline=True)
    templates.filters |= {"points": points, "short": short}
    try:
        filled: str = templates.from_string(text).render(**quantities)
    except (engine.TemplateError, TypeError) as error:
        raise InputError(
            f"{where}: {error}; expected {{{{ NAME(...) }}}} with one of {', '.join(quantities)}"
        ) from error
    return filled


@dataclass(frozen=True)
class Quantities:
    """The numbers that prose may ask for, by method (RECIPE/METHOD) and domain; over every seed that is there."""

    sections: Sequence[Section]
    where: str

    def names(self) -> dict[str, Callable[..., Any]]:
        """Each by the name it has in prose."""
        return {
            "accuracy": self.accuracy,
            "seeds": self.seeds,
            "images": self.images,
            "gap": self.gap,
            "difference": self.difference,
            "clear": self.clear,
            "against_paper": self.against_paper,
            "moved": self.moved,
            "mean_moved": self.mean_moved,
            "repetitions": self.repetitions,
            "control": self.control,
            "control_moved": self.control_moved,
        }

    def accuracy(self, method: str, domain: str, first: int | None = None) -> str:
        """The mean in percent; of the ``first`` so many seeds alone where that is given."""
        chosen = _up_to(self._cell(method, domain).accuracies, first)
        return f"{100 * mean(list(chosen.values())):.1f}" if chosen else "not run"

    def seeds(self, method: str, domain: str) -> int:
        """How many there are."""
        return len(self._cell(method, domain).accuracies)

    def images(self, recipe: str, domain: str) -> str:
        """Which images of a domain the results are on."""
        section = self._section(recipe)
        return section.recipe.setting(section.lab, section.results).data[domain]

    def gap(self, better: str, worse: str, domain: str, first: int | None = None) -> str:
        """The first minus the second in points, its interval and the number of seeds; ``first`` as above."""
        return _gap(self._compare(better, worse, domain, first))

    def difference(self, better: str, worse: str, domain: str) -> str:
        """The same without interval and seeds."""
        comparison = self._compare(better, worse, domain)
        return signed(comparison.gap) if comparison else "not run"

    def clear(self, better: str, worse: str, *domains: str) -> dict[str, str]:
        """For each domain whether the difference is clear among all of these, judged as a claim is."""
        cells = {name.partition("/")[0]: self._section(name).every for name in (better, worse)}
        judged = judge(Claim("", "", ((better, worse),), domains), cells)
        return {c.domain: CLEAR[o] for c, o in zip(judged.comparisons, judged.outcomes, strict=True)}

    def against_paper(self, method: str, domain: str) -> str:
        """Our mean minus the paper's, with its interval."""
        section = self._section(method)
        found = against_paper(self._cell(method, domain), section.recipe.setting(section.lab, section.results))
        return with_span(found.gap, found.interval) if found else "not run"

    def moved(self, method: str, number: int = 1) -> str:
        """How far the images of a round went (L2, mean over its images): from the least run to the one farthest."""
        return _range([record.moved for record in self._rounds(method).values() if record.round == number], 2)

    def mean_moved(self, *methods: str) -> str:
        """The same of the first round, by method: from the least mean to the greatest, over the seeds that all have."""
        runs = [{seed: r.moved for (seed, k), r in self._rounds(method).items() if k == 1} for method in methods]
        shared = set.intersection(*map(set, runs))
        return _range([mean([run[seed] for seed in shared]) for run in runs] if shared else [], 3)

    def repetitions(self, domain: str, *methods: str) -> Crossed:
        """What settings and seeds each do, over the seeds that all of these methods have."""
        cells = [self._cell(method, domain) for method in methods]
        shared = sorted(set.intersection(*(set(cell.accuracies) for cell in cells)))
        return crossed([[100 * cell.accuracies[seed] for seed in shared] for cell in cells])

    def control(self, control: str, method: str, domain: str) -> str:
        """The method minus a control that has the same settings and seeds (``controls.jsonl``)."""
        (source,) = self._section(method).lab.sources
        settings, controls, cell = self._method(method).settings, self._controls(), self._cell(method, domain)
        keys = {seed: key(control=control, run=run_key(source.request(seed, settings))) for seed in cell.accuracies}
        found = {seed: controls.accuracy(each, source.targets[domain]) for seed, each in keys.items()}
        known = {seed: accuracy for seed, accuracy in found.items() if accuracy is not None}
        return _gap(compare(domain, method, control, cell.accuracies, known) if known else None)

    def control_moved(self, control: str) -> str:
        """How far its images went (L2), in every round: from the least to the farthest."""
        lines = [line for line in self._controls() if line["control"] == control]
        return _range([record.moved for line in lines for record in RoundRecord.read(line["rounds"])], 2)

    # Where they come from.

    def _controls(self) -> Results:
        return Results(self.sections[0].results.path.with_name("controls.jsonl"))

    def _compare(self, better: str, worse: str, domain: str, first: int | None = None) -> Comparison | None:
        ours, theirs = (_up_to(self._cell(method, domain).accuracies, first) for method in (better, worse))
        return compare(domain, better, worse, ours, theirs) if ours.keys() & theirs.keys() else None

    def _section(self, method: str) -> Section:
        recipe = method.partition("/")[0]
        return self._one([s for s in self.sections if s.recipe.name == recipe], f'no recipe "{recipe}"')

    def _cell(self, method: str, domain: str) -> Cell:
        label = method.partition("/")[2]
        found = [cell for cell in self._section(method).every if (cell.method, cell.domain) == (label, domain)]
        return self._one(found, f'no "{method}" on "{domain}"')

    def _method(self, method: str) -> Trained:
        section, label = self._section(method), method.partition("/")[2]
        found = [m for m in section.recipe.compared(section.lab) if m.label == label and isinstance(m, Trained)]
        return self._one(found, f'no training "{method}"')

    def _rounds(self, method: str) -> dict[tuple[int, int], RoundRecord]:
        """What was recorded of each round, by seed and round; digits have one source."""
        section, trained = self._section(method), self._method(method)
        (source,) = section.lab.sources
        found = {seed: trained.rounds(section.results, source, seed) for seed in range(section.most)}
        return {(seed, record.round): record for seed, records in found.items() for record in records}

    def _one(self, found: Sequence[T], problem: str) -> T:
        if not found:
            raise InputError(f"{self.where}: {problem} is in the results; see the labels in the page's tables")
        return found[0]


def _up_to(accuracies: Mapping[int, float], first: int | None) -> Mapping[int, float]:
    """Those of the ``first`` so many seeds; of all where no number is given."""
    return {seed: share for seed, share in accuracies.items() if first is None or seed < first}


def _gap(comparison: Comparison | None) -> str:
    if comparison is None:
        return "not run"
    seeds = counted(len(comparison.differences), "seed")
    reach = f"{span(comparison.interval)}, {seeds}" if comparison.interval else seeds
    return f"{signed(comparison.gap)} ({reach})"


def _range(values: Sequence[float], digits: int) -> str:
    if not values:
        return "not run"
    low, high = (f"{end(values):.{digits}g}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


# As HTML.


def prose_html(text: str) -> str:
    """Paragraphs and tables of Markdown, with bold and italic type and code, as HTML; all else is escaped."""
    return "\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block)


def _block(block: str) -> str:
    lines = block.splitlines()
    if not lines[0].startswith("|"):
        return f"<p>{_inline(block)}</p>"
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    top = "".join(f"<th>{_inline(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table class="sheet"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _inline(text: str) -> str:
    marked = html.escape(curly(text), quote=False).replace("`", "")
    marked = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", marked)
    marked = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", marked)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", marked)
