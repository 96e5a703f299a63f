"""Defaults of ``unseen reproduce`` and ``unseen results``; imports nothing, so that ``--help`` is quick."""

from __future__ import annotations

RESULTS = "digits.jsonl"
"""The results file of the digits."""
MEMBERS = 4
"""Members of an ensemble on streets: the paper's seven would take days on a CPU."""
