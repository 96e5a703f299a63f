"""Attacks on what the project promises: ``python -m attacks``. docs/reliability.md has the promises."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
if str(ROOT / "tests") not in sys.path:  # the small trainings and the https server that the tests have too
    sys.path.insert(0, str(ROOT / "tests"))
