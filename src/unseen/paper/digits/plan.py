"""Which digit runs come next, and why: what could be run of the table of how many seeds would decide each claim."""

from __future__ import annotations

from unseen.paper.plan import LATER, Script, Step

_WITHOUT = "--without SYN"

DIGIT_PLAN = (
    Step("figure2b-top", 10, "three claims rest on it; ERM has its seeds already", _WITHOUT),
    Step("figure2a-top", 10, "not decided with five seeds, and cheap: K=1", _WITHOUT),
    Step("table1", 1, "the cells that nobody ran: γ above 1 at K = 3 and 4", _WITHOUT),
    Step("table1", 2, "a spread for every cell", _WITHOUT),
    Step("figure2b-bottom", 3, "three claims rest on two ensembles each", _WITHOUT),
    Step(
        "figure2a-bottom",
        5,
        "one γ stands for the near repetitions up to 10",
        _WITHOUT,
        ("ERM", "γ=10⁰", "γ=10²", "γ=10³", "γ=10⁴"),
    ),
    Step("figure4", 3, "adaptations take minutes", _WITHOUT),
    Step(
        "readings",
        2,
        "both of the authors' choices together: ADA is above the paper's numbers on SVHN, and nobody knows why",
        _WITHOUT,
        ("Lanczos, images 5,000+",),
    ),
    Script("python -m experiments.controls 0 1 2 3 4", "is it where the ascent goes?", "controls.jsonl", 10, 4),
    Step("figure2b-middle", 5, f"two claims rest on two seeds, which hardly give a spread; {LATER}", _WITHOUT),
    Step("readings", 5, f"two seeds decided nothing; {LATER}", _WITHOUT, ("Lanczos, images 5,000+",)),
)
