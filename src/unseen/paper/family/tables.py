"""The leaderboard's tables: the methods by their mean over the targets, and each against its control."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.paper.cells import Cell, Setting, describe_seeds, over_shared_seeds
from unseen.paper.family.methods import ERM, Controls
from unseen.paper.streets.names import called
from unseen.paper.tables import NONE
from unseen.reporting.kit.statistics import deviation, mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import MINUS, Comparison, counted, listed, with_span

MEAN = "mean"
"""what the mean over the targets has in place of a target"""
_PAIRED = "paired by seed, with the 95 % t-interval over the pairs"


def ranked(cells: Sequence[Cell]) -> list[str]:
    """The methods of one source that were run, by their mean over the targets, the highest first.

    By their paired difference from ERM, that is: where one has fewer seeds, their luck is not its own. Those that
    share no seed with ERM come last, by the mean itself.
    """
    whole = {cell.method: cell for cell in cells if cell.target == MEAN and cell.accuracies}
    methods = list(dict.fromkeys(cell.method for cell in run_of(cells)))

    def height(method: str) -> tuple[bool, float]:
        pair = over_shared_seeds(whole[method], whole[ERM]) if {method, ERM} <= whole.keys() else None
        return (True, pair.gap) if pair else (False, mean(whole[method].percent) if method in whole else -1.0)

    return sorted(methods, key=height, reverse=True)


def run_of(cells: Sequence[Cell]) -> list[Cell]:
    """Those of methods that were run on some target from the same source, and ERM's, which the others stand beside."""
    known = {(cell.source, cell.method) for cell in cells if cell.accuracies}
    return [cell for cell in cells if cell.method == ERM or (cell.source, cell.method) in known]


def not_run(cells: Sequence[Cell]) -> str:
    """``Not run: Jitter.``; by source where there are several, and nothing where nothing is missing."""
    several, said = len(by_source(cells)) > 1, []
    for source, some in by_source(cells).items():
        left = [method for method in dict.fromkeys(c.method for c in some) if not _was_run(some, method)]
        said += [f"Not run{f' from {called(source)}' if several else ''}: {listed(left)}."] if left else []
    return " ".join(said)


def by_source(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """The cells of each source."""
    return {source: [c for c in cells if c.source == source] for source in dict.fromkeys(c.source for c in cells)}


def standings(cells: Sequence[Cell], setting: Setting) -> Sheet:
    """One source's methods, the best first: the mean over the targets, what it is above ERM, each target."""
    found = {(cell.method, cell.target): cell for cell in cells}
    targets = _targets(cells)
    rows = [_standing(method, found, targets) for method in ranked(cells)]
    (whole,) = {cell.domain for cell in cells if cell.target == MEAN}
    caption = (
        f"{setting.measure_first} in percent, ± the deviation over seeds; {MINUS} {ERM}: points of the mean, {_PAIRED}."
        f" Rows are ordered by it. {_highest(cells)} {describe_seeds(cells)} {not_run(cells)} {setting.protocol} "
        f"{setting.describe_data(cells)}"
    )
    headings = ("method", "seeds", whole, f"{MINUS} {ERM} (95 %)", *targets)
    return Sheet(f"{setting.title}: the methods, the farthest above {ERM} first", headings, rows, _spaced(caption))


def _highest(cells: Sequence[Cell]) -> str:
    """``Highest on SVHN: Random convolutions; ...``: the best in the mean needn't be the best on each target."""
    best = {
        target: max((c for c in cells if c.target == target and c.accuracies), key=lambda c: mean(c.percent)).method
        for target in _targets(cells)
    }
    methods = dict.fromkeys(best.values())
    each = [f"{listed([t for t, own in best.items() if own == method])}: {method}" for method in methods]
    return f"Highest on {'; on '.join(each)}." if each else ""


def _targets(cells: Sequence[Cell]) -> list[str]:
    """Those that there is a result on."""
    return [target for target in dict.fromkeys(c.target for c in cells if c.accuracies) if target != MEAN]


def _spaced(caption: str) -> str:
    """With one space where a part said nothing."""
    return " ".join(caption.split())


def _standing(method: str, found: dict[tuple[str, str], Cell], targets: Sequence[str]) -> tuple[str, ...]:
    cell = found[method, MEAN]
    against = None if method == ERM else over_shared_seeds(cell, found[ERM, MEAN])
    gain = with_span(against.gap, against.interval) if against else NONE
    shown = [_number(found[method, target]) for target in (MEAN, *targets)]
    return (method, str(len(cell.accuracies)), shown[0], gain, *shown[1:])


def _number(cell: Cell) -> str:
    if not cell.accuracies:
        return NONE
    spread = deviation(cell.percent)
    return f"{mean(cell.percent):.1f}" + (f" ± {spread:.1f}" if spread is not None else "")


def control_comparisons(cells: Sequence[Cell], controls: Controls) -> list[Comparison]:
    """Each method minus its control, on each target and in the mean, where both have a seed."""
    found = {(cell.method, cell.domain): cell for cell in cells}
    domains = dict.fromkeys(cell.domain for cell in sorted(cells, key=lambda cell: cell.target != MEAN))
    return [
        pair
        for method, control in controls
        for domain in domains
        if (pair := over_shared_seeds(found[method, domain], found[control, domain]))
    ]


def controls_sheet(cells: Sequence[Cell], setting: Setting, controls: Controls) -> Sheet:
    """A row for each method of one source and its control."""
    found = {(c.method, c.baseline, c.domain): c for c in control_comparisons(cells, controls)}
    domains = list(dict.fromkeys(c.domain for target in (MEAN, *_targets(cells)) for c in cells if c.target == target))
    names = {cell.domain: cell.domain if cell.target == MEAN else cell.target for cell in cells}
    rows: list[tuple[str, ...]] = []
    for method, control in controls:
        pairs = [found.get((method, control, domain)) for domain in domains]
        rows += _differences(f"{method} {MINUS} {control}", pairs)
    caption = (
        f"Points of {setting.measure}, {_PAIRED}; an interval with 0 in it says nothing about the sign. Not "
        f"corrected for their number: of 20 where nothing differs, about one excludes 0. {not_run(cells)} "
        f"{counted(max((int(row[1]) for row in rows), default=0), 'pair')} at most. {setting.protocol}"
    )
    headings = ("difference", "pairs", *(names[domain] for domain in domains))
    return Sheet(f"{setting.title}: each method and its control", headings, rows, _spaced(caption))


def steps_sheet(cells: Sequence[Cell], shorter: Sequence[Cell], setting: Setting, steps: int) -> Sheet:
    """What the longer training is above the one of ``steps`` steps: each method against itself, on each target."""
    known = {(cell.method, cell.target): cell for cell in shorter}
    targets = [MEAN, *_targets(cells)]
    names = {cell.target: cell.domain if cell.target == MEAN else cell.target for cell in cells}
    rows: list[tuple[str, ...]] = []
    for method in ranked(cells):
        own = {cell.target: cell for cell in cells if cell.method == method}
        rows += _differences(method, [over_shared_seeds(own[target], known[method, target]) for target in targets])
    caption = (
        f"Points of {setting.measure} after {setting.steps:,} steps {MINUS} after {steps:,}, {_PAIRED}. All other "
        "settings are the same: as many rounds, spread over the whole training, and a learning rate that falls over "
        "the whole of it where it falls. So a round's images are trained on for longer before they leave the pool: "
        "python -m experiments.steps asks whether more rounds mend that. Not corrected for their number."
    )
    headings = ("method", "pairs", *(names[target] for target in targets))
    return Sheet(f"{setting.title} minus {steps:,}", headings, rows, caption)


def _differences(label: str, pairs: Sequence[Comparison | None]) -> list[tuple[str, ...]]:
    """A row with how many pairs there are and each difference; none where nothing was run."""
    counts = [len(pair.differences) for pair in pairs if pair]
    texts = [with_span(pair.gap, pair.interval) if pair else NONE for pair in pairs]
    return [(label, str(max(counts)), *texts)] if counts else []


def room_sheet(cells: Sequence[Cell], setting: Setting) -> Sheet:
    """How much there is to gain: ERM from a source, the best from there, and ERM from a source that is nearer.

    It has a row for each target on which ERM from another source is better.
    """
    erm = [cell for cell in cells if cell.method == ERM and cell.target != MEAN and cell.accuracies]
    rows = []
    for own in erm:
        rivals = [cell for cell in erm if cell.target == own.target]
        best_erm = max(rivals, key=lambda cell: mean(cell.percent))
        if best_erm is not own:
            beside = [cell for cell in cells if cell.domain == own.domain and cell.accuracies]
            best = max(beside, key=lambda cell: mean(cell.percent))
            low, reached, high = (mean(cell.percent) for cell in (own, best, best_erm))
            way = f"{100 * (reached - low) / (high - low):.0f} %"
            named = (f"{reached:.1f}, {best.method}", f"{high:.1f}, {best_erm.source}")
            rows.append((own.domain, f"{low:.1f}", *named, way))
    caption = (
        f"{setting.measure_first} in percent, means over the seeds there are. {ERM} that was trained on another source "
        "has seen what the target looks like, and perhaps more images: the last column is how much of the way there "
        "the best method goes without. It was picked by these numbers, so it is a little flattered."
    )
    headings = ("", ERM, "the best method from there", f"{ERM} from another source", "share of the way")
    return Sheet(f"{setting.title}: how much there is to gain", headings, rows, caption, frozenset({0, 2, 3}))


def _was_run(cells: Sequence[Cell], method: str) -> bool:
    return any(cell.accuracies for cell in cells if cell.method == method)
