"""What ``unseen choose`` wrote down: the criterion of every candidate, its settings, and which method it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unseen.base.reading import read_text
from unseen.base.records import from_json
from unseen.choosing.folds import without_kind
from unseen.errors import InputError
from unseen.method.settings import ADA, MINIMIZATION
from unseen.paper.methods import Method, Trained
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted
from unseen.transforms.catalogue import SETS
from unseen.transforms.transform import KINDS

Line = Mapping[str, Any]
_NEEDED = ("candidate", "without", "seed", "score", "ada", "job")
_SCALE = ("T", "batch")  # a choice is made at a smaller scale, with fewer steps
_USUAL = {f.name: f.default for f in fields(ADA)}


def read_choices(files: Sequence[Path]) -> list[Line]:
    """The lines of ``choice.jsonl`` files: a candidate, what it was trained without, the seed, its score."""
    return [line for file in files for line in _read(file)]


def _read(file: Path) -> Iterator[Line]:
    for number, text in enumerate(read_text(file).splitlines(), 1):
        try:
            line = json.loads(text)
            from_json(_Needed, {name: line[name] for name in _NEEDED})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(
                f"{file}, line {number}: expected a JSON object with {', '.join(_NEEDED)}, as unseen choose writes it, "
                f"got {text[:60]!r}; take the line out, or run unseen choose again"
            ) from error
        yield line


@dataclass(frozen=True, kw_only=True)
class _Needed:
    """What is read out of a line."""

    candidate: str
    without: str
    seed: int
    score: float
    ada: Mapping[str, Any]
    job: Mapping[str, Any]

    def __post_init__(self) -> None:
        from_json(_Scale, {"T": self.ada["T"], "K": self.ada["K"], "width": self.job["width"]})


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """And out of its settings."""

    T: int
    K: int
    width: float


def criteria(lines: Sequence[Line]) -> dict[str, dict[int, float]]:
    """For each candidate and seed that has all of them, the mean score over the kinds that were left out."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    for line in lines:
        found.setdefault(line["candidate"], {}).setdefault(line["seed"], {})[line["without"]] = line["score"]
    whole = {
        name: {seed: mean(list(scores.values())) for seed, scores in seeds.items() if set(scores) == set(KINDS)}
        for name, seeds in found.items()
    }
    return {name: seeds for name, seeds in whole.items() if seeds}


def candidate_of(method: Method, lines: Sequence[Line]) -> str | None:
    """The candidate that has the method's settings, but for the scale: by what it was trained with, kind by kind.

    How many rounds are spread over the steps belongs to the scale; of several candidates, the nearest K is taken, and
    of those the one with the most steps.
    """
    if not isinstance(method, Trained):
        return None
    wanted = {kind: _but_for_rounds(_described(without_kind(method.settings, kind))) for kind in KINDS}
    names: dict[str, None] = dict.fromkeys(line["candidate"] for line in lines)
    own = {name: [line for line in lines if line["candidate"] == name] for name in names}
    alike = [
        name
        for name, some in own.items()
        if {line["without"] for line in some} == set(KINDS)
        and all(_but_for_rounds(_trained(line)) == wanted[line["without"]] for line in some)
    ]
    K = method.settings["K"]
    return min(alike, key=lambda name: (abs(_rounds(own[name]) - K), -own[name][0]["ada"]["T"]), default=None)


def _but_for_rounds(settings: dict[str, Any]) -> dict[str, Any]:
    """With K as a yes where the rounds are spread."""
    return settings | {"K": True} if settings.get("spread") and settings.get("K") != 0 else settings


def _rounds(lines: Sequence[Line]) -> int:
    return max(int(line["ada"]["K"]) for line in lines)


def how_chosen(method: Method, lines: Sequence[Line], on: str) -> str:
    """Whether the criterion chose the method's settings ``on`` some data, by what is written down.

    Candidates are compared with those of the same scale: more steps alone raise the criterion.
    """
    own = candidate_of(method, lines)
    scales = {_scale(line) for line in lines if line["candidate"] == own}
    found = criteria([line for line in lines if _scale(line) in scales])
    best = max(found, key=lambda name: mean(list(found[name].values())), default=None)
    if own is None or best is None or not isinstance(method, Trained):
        return f"On {on}, no candidate of the choice has the settings: the criterion did not choose them."
    here, there = method.settings["K"], _rounds([line for line in lines if line["candidate"] == own])
    but = f" but for the number of rounds (K={here} here, {there} there), which the criterion did not choose"
    same = f"On {on}, the settings are those of {own}{but if here != there else ''}"
    if own != best:
        return f"{same}; in the table below {best} has the highest criterion, so that table did not choose them."
    return f"{same}; {own} has the highest criterion ({counted(len(found[own]), 'seed')})."


def _described(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that aren't usual, in one spelling."""
    rounds = settings["K"] > 0
    kept = {n: v for n, v in settings.items() if n in _USUAL and n not in _SCALE and (rounds or n in MINIMIZATION)}
    unusual = {n: v for n, v in {**kept, "K": settings["K"]}.items() if v != _USUAL[n]}
    spelled: dict[str, Any] = json.loads(json.dumps(unusual | {"dropout": settings.get("dropout", 0.0)}))
    return spelled


def _trained(line: Line) -> dict[str, Any]:
    return _described({**line["ada"], "dropout": line["job"].get("dropout", 0.0)})


def tried_sheets(lines: Sequence[Line], title: str) -> list[Sheet]:
    """Every candidate of these lines: a table for each scale, in it the best first."""
    scales = dict.fromkeys(map(_scale, lines))
    return [_tried([line for line in lines if _scale(line) == scale], title, scale) for scale in scales]


def _tried(lines: Sequence[Line], title: str, scale: str) -> Sheet:
    found = criteria(lines)
    names = sorted(found, key=lambda name: -mean(list(found[name].values())))
    rows = []
    for name in names:
        own = [line for line in lines if line["candidate"] == name]
        each = [mean([line["score"] for line in own if line["without"] == kind]) for kind in KINDS]
        numbers = [f"{100 * value:.1f}" for value in (mean(list(found[name].values())), *each)]
        rows.append((name, str(len(found[name])), *numbers, _settings(own)))
    left = sorted({line["candidate"] for line in lines} - set(found))
    unfinished = f" Not judged under every kind, so not ranked: {', '.join(left)}." if left else ""
    measure = "mIoU in percent" if any(line["job"].get("size") for line in lines) else "Percent right"
    caption = (
        f"{measure} on held-out source images under a kind of transformation that the training was without; the "
        f"criterion is the mean over the kinds. No target was seen. Trained at a smaller scale: {scale}.{unfinished}"
    )
    headings = ("candidate", "seeds", "criterion", *(f"without {kind}" for kind in KINDS), "settings")
    steps = f"{lines[0]['ada']['T']:,} steps"
    return Sheet(f"{title}, {steps}", headings, rows, caption, frozenset({0, len(headings) - 1}))


def _scale(line: Line) -> str:
    size = line["job"].get("size")
    net = f"{size[0]} x {size[1]} pixels" if size else f"{line['job']['width']:g} times the paper's width"
    return f"T={line['ada']['T']:,}, {net}"


def _settings(lines: Sequence[Line]) -> str:
    """The candidate's own, pieced together from its trainings, each of which lacks a kind."""
    fullest = sorted(map(_trained, lines), key=len)[-1]
    for name in ("over", "augment"):
        parts = [part for line in lines for part in _listed(line["ada"].get(name))]
        if parts and name in fullest:
            fullest[name] = _short(list(dict.fromkeys(parts)))
    return ", ".join(f"{n}={v}" for n, v in fullest.items() if n != "dropout" or v) or "the paper's"


def _listed(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _short(names: Sequence[str]) -> str:
    """The name of the set that they are, if they are one and something besides."""
    whole = [name for name, members in SETS.items() if set(members) <= set(names)]
    if not whole:
        return " + ".join(names)
    largest = max(whole, key=lambda name: len(SETS[name]))
    return " + ".join([largest, *(name for name in names if name not in SETS[largest])])
