"""Which settings? Trained without a kind of transformation, judged under it, each kind in turn: no target is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen import sweep
from unseen.base.reading import read_toml
from unseen.base.writing import make_folder, write_atomically
from unseen.choosing.folds import JUDGES, under, without_kind
from unseen.data.domain import Domain
from unseen.errors import InputError, did_you_mean
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import compare, counted, with_span
from unseen.runs.folder import RunFolder
from unseen.runs.request import Request
from unseen.runs.source_checks import check_transforms
from unseen.sweep.grid import grid
from unseen.sweep.tasks import finished
from unseen.transforms.transform import KINDS

CANDIDATES = "candidates"


@dataclass(frozen=True)
class Trial:
    """One candidate, trained with one seed without one kind, and how it did under that kind."""

    candidate: str
    kind: str
    seed: int
    request: Request
    score: float | None = None


@dataclass(frozen=True)
class Choice:
    """What every candidate came to; ``chosen`` is the one with the highest criterion."""

    trials: Sequence[Trial]

    def criterion(self, candidate: str) -> dict[int, float]:
        """For each seed that has all of them, the mean score over the kinds that were left out."""
        seeds = sorted({trial.seed for trial in self.trials})
        found = {
            seed: [t.score for t in self.trials if (t.candidate, t.seed) == (candidate, seed) and t.score is not None]
            for seed in seeds
        }
        return {seed: mean(scores) for seed, scores in found.items() if len(scores) == len(KINDS)}

    @property
    def candidates(self) -> list[str]:
        """Those that were judged, the best first."""
        names = dict.fromkeys(trial.candidate for trial in self.trials)
        judged = [name for name in names if self.criterion(name)]
        return sorted(judged, key=lambda name: -mean(list(self.criterion(name).values())))

    @property
    def chosen(self) -> str:
        """The candidate with the highest criterion, in the mean over the seeds."""
        if not self.candidates:
            raise InputError("choose: no candidate was judged under every kind; let the trainings come to their end")
        return self.candidates[0]

    @property
    def why(self) -> str:
        """One sentence for people."""
        best, *others = self.candidates
        scores = self.criterion(best)
        reached = f"{best}: {mean(list(scores.values())):.1%} under kinds it was trained without"
        if not others:
            return f"{reached}, the only candidate."
        found = compare("", best, others[0], scores, self.criterion(others[0]))
        gap = f"{reached}, {with_span(found.gap, found.interval)} points against the next, {others[0]}"
        told = found.interval is not None and not found.interval.includes(0)
        doubt = "" if told else " These seeds don't tell the two apart: raise --seeds."
        return f"{gap} ({counted(len(found.differences), 'seed')}).{doubt}"

    def sheet(self) -> Sheet:
        """Every candidate, the best first."""
        rows = []
        for name in self.candidates:
            scores = self.criterion(name)
            cells = [
                mean([t.score for t in self.trials if (t.candidate, t.kind) == (name, kind) and t.score is not None])
                for kind in KINDS
            ]
            shown = [f"{100 * value:.1f}" for value in (mean(list(scores.values())), *cells)]
            rows.append((name, str(len(scores)), *shown))
        headings = ("Candidate", "Seeds", "Criterion", *(f"without {kind}" for kind in KINDS))
        caption = (
            "Percent right (mIoU where labels are masks) on held-out source images under a kind of transformation "
            "that the training was without. The criterion is the mean over the kinds. No target was seen."
        )
        return Sheet("The candidates", headings, rows, caption, words=frozenset({0}))


def choose(
    candidates: Mapping[str, Mapping[str, Any]],
    shared: Mapping[str, Any],
    *,
    out: Path,
    seeds: int = 1,
    judges: str | tuple[str, ...] = JUDGES,
    jobs: int | None = None,
    train: bool = True,
    progress: Console | None = None,
) -> Choice:
    """Train every candidate once for each kind and seed, judge it, and say which is best.

    ``shared`` are settings that all candidates have, ``candidates`` the settings that each has besides, by its name.
    Trainings are runs under ``out``; those that are finished are not done again.
    """
    trials = plan(candidates, shared, out, seeds)
    requests = [trial.request for trial in trials]
    held_out = requests[0].job.load_held_out()
    for trial in trials[: len(candidates) * len(KINDS)]:  # those of the first seed
        with _of_candidate(trial.candidate):
            check_transforms(trial.request.ada, held_out, trial.request.engine)
    judged = {kind: under(kind, held_out, judges) for kind in KINDS}
    if train:
        sweep.run(requests, jobs=jobs, retry=True, progress=progress or False).check("the same command")
    done = [_judged(trial, judged[trial.kind]) if finished(trial.request) else trial for trial in trials]
    lines = [json.dumps(_line(trial)) for trial in done if trial.score is not None]
    make_folder(out)
    write_atomically(out / "choice.jsonl", "".join(f"{line}\n" for line in lines).encode())
    return Choice(done)


def plan(candidates: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Any], out: Path, seeds: int) -> list[Trial]:
    """Every training there is to do, before any is done: what is wrong with a candidate is found here."""
    if not candidates:
        raise InputError(
            "choose: no candidates; expected a table for each, such as [candidates.stronger] with strength = 1.5"
        )
    for name, own in candidates.items():
        with _of_candidate(name):
            grid({**shared, **own}, out=out / "runs", seed=[0])
    return [
        Trial(name, kind, seed, request)
        for seed in range(seeds)
        for name, own in candidates.items()
        for kind in KINDS
        for request in grid(without_kind({**shared, **own}, kind), out=out / "runs", seed=[seed])
    ]


@contextmanager
def _of_candidate(name: str) -> Iterator[None]:
    """Inside: what is refused is said to be the candidate's."""
    try:
        yield
    except InputError as error:
        raise InputError(f"candidate {name}: {str(error).removeprefix('grid: ')}") from error


def read_candidates(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The candidates and the settings they share, from a TOML file."""
    shared = read_toml(file)
    candidates = shared.pop(CANDIDATES, None)
    if not isinstance(candidates, Mapping) or not all(isinstance(own, Mapping) for own in candidates.values()):
        near = did_you_mean(next(iter(shared), ""), [CANDIDATES]) if candidates is None else ""
        raise InputError(f"{file}: expected a table [candidates.NAME] for each candidate{near}")
    return dict(candidates), shared


def _judged(trial: Trial, domain: Domain) -> Trial:
    (score,) = score_run(trial.request.out, [domain])
    RunFolder(trial.request.out).trim()
    return Trial(trial.candidate, trial.kind, trial.seed, trial.request, score.value)


def _line(trial: Trial) -> dict[str, Any]:
    """A trial as a line of ``choice.jsonl``."""
    run = result_line(trial.request.out)
    kept = {name: run[name] for name in ("run", "ada", "job", "source", "engine", "versions", "created", "selection")}
    return {"candidate": trial.candidate, "without": trial.kind, "seed": trial.seed, "score": trial.score, **kept}
