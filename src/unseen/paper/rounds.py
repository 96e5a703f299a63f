"""What the rounds behind a recipe's numbers made: how far fictitious images went, and what that did to the loss."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.paper.lab import Lab
from unseen.paper.methods import Trained
from unseen.paper.results import Results
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.runs.rounds import RoundRecord

CAPTION = (
    "Means over a round's images, then over seeds. The loss is that of the network when the round began, on the images "
    "the round took up and on the fictitious ones it made of them; L2 is how far these went, over all pixels and "
    "channels of a 32x32 image (0.1 is 0.002 in root mean square)."
)


def rounds_sheet(methods: Sequence[Trained], lab: Lab, results: Results, seeds: int) -> Sheet:
    """A row for each round of each training that was run."""
    rows = []
    for method in methods:
        known = [method.rounds(results, source, seed) for source in lab.sources for seed in range(seeds)]
        made = [record for lines in known for record in RoundRecord.read(lines)]
        for k in sorted({record.round for record in made}):
            rows.append(_row(method.label, k, [record for record in made if record.round == k]))
    headings = ("training", "round", "seeds", "loss before", "loss after", "L2")
    return Sheet("What the rounds made", headings, rows, CAPTION, frozenset({0}))


def _row(label: str, k: int, made: Sequence[RoundRecord]) -> tuple[str, ...]:
    before, after = (mean([getattr(record, name) for record in made]) for name in ("loss_before", "loss_after"))
    moved = mean([record.moved for record in made])
    return (label, str(k), str(len(made)), f"{before:.2f}", f"{after:,.2f}", f"{moved:,.3g}")
