"""What the planned runs decided: each claim by the lines there were when the plan was written, and by all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unseen.paper.claims import Judged
from unseen.paper.plan import PLANNED
from unseen.paper.tables import NONE
from unseen.reporting.kit.tables import Sheet


def decided_sheet(before: Sequence[Judged], now: Sequence[Judged]) -> Sheet:
    """A row for each claim; ``before`` is what was known when the plan was written."""
    known = {(each.claim.name, each.on): each for each in before}
    several = len({each.on for each in now}) > 1
    rows = [
        (
            f"{each.claim.name} ({each.on})" if several else each.claim.name,
            *_standing(known.get((each.claim.name, each.on))),
            *_standing(each),
        )
        for each in now
    ]
    written = f"{PLANNED[:10]} {PLANNED[11:16]} UTC"
    caption = (
        f"Before: by the lines made until {written}, when the plan was written; now: by all of them. Both are judged "
        "by the same rules. Clear: so many of the claim's comparisons, on its side or on the other. Seeds: those of "
        "the comparison with the fewest, and with the most."
    )
    headings = ("claim", "before", "clear before", "seeds before", "now", "clear now", "seeds now")
    return Sheet("The claims before these runs and now", headings, rows, caption, frozenset({0, 1, 4}))


def _standing(judged: Judged | None) -> tuple[str, str, str]:
    """Verdict, clear comparisons and seeds."""
    if judged is None or not judged.compared:
        return ("not measured", NONE, NONE)
    counts = Counter(judged.outcomes)
    other = f", {counts['below']} the other way" if counts["below"] else ""
    seeds = [len(comparison.differences) for comparison in judged.comparisons]
    fewest, most = min(seeds), max(seeds)
    return (
        judged.verdict,
        f"{counts['above']} of {len(judged.compared)}{other}",
        str(most) if fewest == most else f"{fewest} to {most}",
    )
