"""Print the table of docs/theory.md: each statement, how it was tested, and the worst that was found.

    python -m tests.theory.table

test_statements.py asserts on the same rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import chain

import torch

from . import below, duality, gradient, smoothness, theorem1, theorem2, worst
from .measured import Measured

MODULES = (smoothness, theorem1, theorem2, below, duality, gradient, worst)
STATEMENTS: tuple[Callable[[], Measured], ...] = tuple(chain.from_iterable(module.STATEMENTS for module in MODULES))
HEAD = ("statement", "how it was tested", "worst found", "has to be")


def as_markdown(rows: Iterable[Measured]) -> str:
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    torch.set_num_threads(1)
    rows = [statement() for statement in STATEMENTS]
    print(as_markdown(rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
