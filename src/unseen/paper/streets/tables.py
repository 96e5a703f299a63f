"""Tables that only street recipes have: Table 2 in its arrangement, its bold type, ensembles less their members."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.paper.cells import Setting, seeds_told
from unseen.paper.findings import Finding, findings
from unseen.paper.streets.cells import StreetCell
from unseen.paper.streets.names import CALLED, SHORT, TABLE2, called, condition_of, place_of
from unseen.paper.streets.published import contradictions, higher_count
from unseen.paper.tables import NONE, verdict_caption, verdict_mark
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import Comparison, compare, listed, with_span


def arranged_sheets(cells: Sequence[StreetCell], setting: Setting) -> list[Sheet]:
    """Every target as Table 2 arranges them: a block for each place trained at, a row for each source and method."""
    places = dict.fromkeys(place_of(cell.source) for cell in cells)
    return [_block([cell for cell in cells if place_of(cell.source) == place], setting, place) for place in places]


def _block(cells: Sequence[StreetCell], setting: Setting, place: str) -> Sheet:
    found = findings(cells, setting)
    entries = {(f.cell.method, f.cell.domain): _entry(f) for f in found}
    targets = list(dict.fromkeys(cell.target for cell in cells))
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for cell in cells:
        empty = f"{NONE} · {_percent(cell.published.mean)}" if cell.published else NONE
        text = entries.get((cell.method, cell.domain), empty)
        rows[called(cell.source), cell.method] = (*rows.get((called(cell.source), cell.method), ()), text)
    headings = ("trained on", "", *(f"{SHORT[place_of(name)]} {condition_of(name).capitalize()}" for name in targets))
    beside = ": ours · the paper's; = agrees, ≠ differs, ? can't tell." if any(c.published for c in cells) else "."
    parts = [f"mIoU in percent{beside}", seeds_told(cells)]
    caption = " ".join([*parts, setting.protocol, *verdict_caption(found, setting)])
    title = f"{setting.title}: trained on {CALLED[place]}"
    return Sheet(title, headings, [(*names, *texts) for names, texts in rows.items()], caption, frozenset({0, 1}))


def _entry(finding: Finding) -> str:
    ours = f"{finding.mean:.1f}"
    published = finding.cell.published
    return f"{ours} · {_percent(published.mean)}{verdict_mark(finding)}" if published else ours


def bold_sheet() -> Sheet:
    """Where the bold type of the published table contradicts its numbers."""
    found = contradictions()
    rows: list[tuple[str, ...]] = [
        (called(c.source), called(c.target), _percent(c.erm.miou), _percent(c.ours.miou), c.bold, c.higher)
        for c in found
    ]
    wrong = sum(c.bold != "neither" for c in found)
    pairs = sum(map(len, TABLE2.values()))
    caption = (
        f"As printed in the paper's Table 2, mIoU in percent. In {wrong} pairs the lower number is in bold type, "
        f"in {len(found) - wrong} none is, though one is higher. By the numbers, ours is higher in {higher_count()} of "
        f"the {pairs} pairs."
    )
    headings = ("trained on", "tested on", "ERM", "Ours", "in bold type", "higher")
    return Sheet("Where Table 2's bold type contradicts its numbers", headings, rows, caption, frozenset({0, 1, 4, 5}))


def members_sheet(cells: Sequence[StreetCell], setting: Setting, members: Sequence[str]) -> Sheet:
    """Each ensemble less each member by itself: cells with a ``group``, a rule, are ensembles."""
    known = {(cell.method, cell.domain): cell for cell in cells if cell.accuracies}
    ensembles = [cell for cell in cells if cell.group and (cell.method, cell.domain) in known]
    rows = []
    for cell in ensembles:
        others = [known.get((member, cell.domain)) for member in members]
        rows.append((cell.domain, cell.method, *(_less(cell, other) if other else NONE for other in others)))
    caption = (
        "Points of mIoU of the ensemble less one network by itself, paired by seed, with the 95 % t-interval over the "
        f"pairs. {seeds_told(ensembles)} {setting.protocol}"
    )
    title = f"Ensembles less single networks: {listed(members)}"
    return Sheet(title, ("domain", "ensemble", *members), rows, caption, frozenset({0, 1}))


def _less(cell: StreetCell, other: StreetCell) -> str:
    return _told(compare(cell.domain, cell.method, other.method, cell.accuracies, other.accuracies))


def _told(comparison: Comparison) -> str:
    return with_span(comparison.gap, comparison.interval)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
