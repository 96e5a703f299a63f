"""Many runs: side by side on this machine's cores, or on a Ray cluster; what was finished is never done again."""

from unseen.sweep.grid import grid, read_grid
from unseen.sweep.runner import Outcome, Plan, plan, run

__all__ = ["Outcome", "Plan", "grid", "plan", "read_grid", "run"]
