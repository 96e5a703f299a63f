"""The results as Markdown, for benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Line = Mapping[str, Any]

SIDES = {"plain": "twin", "ours": "unseen"}
"""What the pages call the two sides of a comparison, by their names in the results."""


def bars(lines: Iterable[Line]) -> str:
    """What was compared, the bar and what was reached."""
    rows = [
        [line["what"], line["twin"], line["ours"], line["bar"], line["reached"], _verdict(line["met"])]
        for line in lines
    ]
    return _table(["what", "slow twin", "unseen", "bar", "reached", "met"], rows)


def profiles(lines: Iterable[Line]) -> str:
    """Where the time goes, before and after."""
    columns = {
        f"{line['what'].split(', ')[1]}, {SIDES[side]}": shares
        for line in lines
        for side, shares in line["numbers"]["shares"].items()
    }
    groups = list(next(iter(columns.values()), {}))
    rows = [[group, *(_share(group, shares[group]) for shares in columns.values())] for group in groups]
    return _table(["share of the time", *columns], rows)


def table_one(lines: Iterable[Line]) -> str:
    """The hours of Table 1, part by part."""
    (line,) = lines
    hours, times = line["numbers"]["hours"], line["numbers"]["times"]
    rows = []
    for part in hours["after"]:
        cells = [(times[side].get(part, 0), hours[side].get(part, 0.0)) for side in hours]
        rows.append([part, *(text for count, hour in cells for text in (f"{count:,}", f"{hour:,.1f}"))])
    return _table(["part", *(f"{what} {side}" for side in hours for what in ("times", "hours"))], rows)


def machine(line: Line) -> str:
    """The machine in one sentence."""
    here = line["machine"]
    return (
        f"{here['cpu']}, {here['cores']} cores ({', '.join(here['flags'])}), {here['memory_gib']} GiB, Python "
        f"{here['python']}, torch {here['torch']}, commit {here['commit']}, {here['at'][:10]}"
    )


def _verdict(met: bool | None) -> str:
    return {True: "yes", False: "**no**", None: ""}[met]


def _share(group: str, value: float) -> str:
    return f"{value:,.0f}" if group.startswith("page faults") else f"{value:.1%}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
