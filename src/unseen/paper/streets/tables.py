"""Tables that only street recipes have: Table 2 in its arrangement, its bold type, ensembles minus their members."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.paper.cells import Cell, Setting, describe_seeds
from unseen.paper.findings import findings
from unseen.paper.published import contradictions, table2_pairs
from unseen.paper.streets.names import CALLED, SHORT, called, condition_of, place_of
from unseen.paper.tables import LEGEND, NONE, agreement_caption, beside_paper
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import compare, listed, with_span


def arranged_sheets(cells: Sequence[Cell], setting: Setting) -> list[Sheet]:
    """Every target as Table 2 arranges them: a block for each place trained at, a row for each source and method."""
    places = dict.fromkeys(place_of(cell.source) for cell in cells)
    return [_block([cell for cell in cells if place_of(cell.source) == place], setting, place) for place in places]


def _block(cells: Sequence[Cell], setting: Setting, place: str) -> Sheet:
    found = findings(cells, setting)
    entries = {(f.cell.method, f.cell.domain): beside_paper(f, f"{f.mean:.1f}") for f in found}
    targets = list(dict.fromkeys(cell.target for cell in cells))
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for cell in cells:
        empty = f"{NONE} · {_percent(cell.published.mean)}" if cell.published else NONE
        text = entries.get((cell.method, cell.domain), empty)
        rows[called(cell.source), cell.method] = (*rows.get((called(cell.source), cell.method), ()), text)
    headings = ("trained on", "", *(f"{SHORT[place_of(name)]} {condition_of(name).capitalize()}" for name in targets))
    beside = f": here · the paper's; {LEGEND}." if any(c.published for c in cells) else "."
    parts = [f"mIoU in percent{beside}", describe_seeds(cells)]
    caption = " ".join([*parts, setting.protocol, *agreement_caption(found, setting)])
    title = f"{setting.title}: trained on {CALLED[place]}"
    return Sheet(title, headings, [(*names, *texts) for names, texts in rows.items()], caption, frozenset({0, 1}))


def bold_sheet() -> Sheet:
    """Where the bold type of the published table contradicts its numbers."""
    found = contradictions()
    rows: list[tuple[str, ...]] = [
        (called(c.source), called(c.target), _percent(c.erm.miou), _percent(c.ada.miou), c.bold, c.higher)
        for c in found
    ]
    wrong = sum(c.bold != "neither" for c in found)
    pairs = table2_pairs().values()
    higher = sum(pair.higher == "ADA" for pair in pairs)
    caption = (
        f"As printed in the paper's Table 2, mIoU in percent. In {wrong} pairs the lower number is in bold type, "
        f"in {len(found) - wrong} none is, though one is higher. By the numbers, ADA is higher in {higher} of "
        f"the {len(pairs)} pairs."
    )
    headings = ("trained on", "tested on", "ERM", "ADA", "in bold type", "higher")
    return Sheet("Where Table 2's bold type contradicts its numbers", headings, rows, caption, frozenset({0, 1, 4, 5}))


def members_sheet(cells: Sequence[Cell], setting: Setting, members: Sequence[str]) -> Sheet:
    """Each ensemble minus each member by itself: cells with a ``group``, a rule, are ensembles."""
    known = {(cell.method, cell.domain): cell for cell in cells if cell.accuracies}
    ensembles = [cell for cell in cells if cell.group and (cell.method, cell.domain) in known]
    rows = []
    for cell in ensembles:
        others = [known.get((member, cell.domain)) for member in members]
        rows.append((cell.domain, cell.method, *(_minus(cell, other) if other else NONE for other in others)))
    caption = (
        "Points of mIoU of the ensemble minus one network by itself, paired by seed, with the 95 % t-interval over the "
        f"pairs. {describe_seeds(ensembles)} {setting.protocol}"
    )
    title = f"Ensembles minus single networks: {listed(members)}"
    return Sheet(title, ("domain", "ensemble", *members), rows, caption, frozenset({0, 1}))


def _minus(cell: Cell, other: Cell) -> str:
    comparison = compare(cell.domain, cell.method, other.method, cell.accuracies, other.accuracies)
    return with_span(comparison.gap, comparison.interval)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
