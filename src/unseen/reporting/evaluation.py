"""Accuracy of finished runs and ensembles on domains, saved in their folders so that nothing is measured twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from unseen.base.reading import digest_of, is_there, read_json, reading
from unseen.base.records import from_json
from unseen.base.tensors import read_tensors, write_tensors
from unseen.base.writing import make_folder, write_json
from unseen.data.domain import Domain
from unseen.ensembles import folder as ensemble_folder
from unseen.ensembles.ensemble import Ensemble
from unseen.errors import InputError, RunFolderError, SaveFailed
from unseen.method.settings import ERM
from unseen.models.split import Split
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job
from unseen.runs.loading import NetworkRecord, load, need_job
from unseen.runs.rounds import RoundRecord
from unseen.runs.selection import LAST_ITERATE, selection
from unseen.scoring.accuracy import Choice, Done, accuracy, answers_on, checked, confusion_on, evaluate, scores_on
from unseen.scoring.confusion import iou, miou

ANSWER = ("classes", "member", "confidence")
"""what is saved of each answer"""


@dataclass(frozen=True)
class Score:
    """How one run's result does on one domain: its accuracy, or where labels are masks its mIoU."""

    domain: str
    images: int
    sha256: str
    """fingerprint of the domain's data"""
    accuracy: float | None = None
    miou: float | None = None
    iou: Sequence[float | None] | None = None
    """of each class; None for one that is neither in the truth nor in any answer"""

    def __post_init__(self) -> None:
        if self.images < 1 or self.value < 0 or self.value > 1:  # an mIoU is NaN where no pixel has a label
            raise ValueError(f"{self.value} on {self.images} images: expected a share of 1 image or more")

    @property
    def value(self) -> float:
        """The accuracy or the mIoU, whichever it has."""
        value = self.accuracy if self.miou is None else self.miou
        if value is None:
            raise ValueError(f"{self.domain}: neither an accuracy nor an mIoU")
        return value

    def asdict(self) -> dict[str, Any]:
        """What there is of it, for a JSON file."""
        return {name: value for name, value in asdict(self).items() if value is not None}


Warn = Callable[[str], None]
Progress = Callable[[Domain], Done]
"""gives, for a domain that is about to be measured, what is called with the size of each batch done"""


def score_run(
    folder: Path,
    domains: Sequence[Domain],
    net: Split | Ensemble | None = None,
    *,
    keep: bool = False,
    progress: Progress | None = None,
    warn: Warn | None = None,
) -> list[Score]:
    """The accuracy of a run, or of an ensemble, on each domain; the mIoU where labels are masks.

    What ``evaluation.json`` has for the same weights and data is not redone. With ``keep``, the run's raw scores are
    saved, too: ``scores_of`` gives them back. Where the folder can't be written to, ``warn`` is told; without it, that
    is an error.
    """
    path, measured = folder / "evaluation.json", _Measured(folder, net, progress, warn)
    known = _known(path, measured.weights)
    scores = []
    for domain in domains:
        raw = measured.scores(domain) if keep else None
        score = known.get(domain.fingerprint)
        if score is None or not _fits(score, domain):
            score = measured.score(domain, raw)
        score = replace(score, domain=domain.name)  # the same data may have had another name
        known[domain.fingerprint] = score
        scores.append(score)
    content: dict[str, Any] = {"weights": measured.weights, "scores": [score.asdict() for score in known.values()]}
    if domains and domains[0].segmented:
        content["classes"] = domains[0].classes  # of each iou, the same in all domains
    measured.save(lambda: write_json(path, content))
    return scores


def _fits(score: Score, domain: Domain) -> bool:
    """Whether a file's score can be one of this domain."""
    if score.images != len(domain) or (score.miou is not None) is not domain.segmented:
        return False
    return not domain.segmented or len(score.iou or ()) == len(domain.classes)


def known_scores(folder: Path) -> list[Score]:
    """What was measured so far of a finished run or an ensemble, on each domain; its data isn't needed."""
    return list(_known(folder / "evaluation.json", _Measured(folder, None).weights).values())


def scores_of(folder: Path, domain: Domain, net: Split | None = None) -> Tensor:
    """A run's raw scores on a domain, float32 (N, classes), in the order of its images.

    They are computed once for the same weights and data, and saved in ``scores/`` in the run's folder.
    """
    return _Measured(folder, net).scores(domain)


def answers_of(
    folder: Path,
    domain: Domain,
    net: Split | Ensemble | None = None,
    *,
    progress: Progress | None = None,
    warn: Warn | None = None,
) -> Choice:
    """The answer of a run, or of an ensemble, for each image of a domain that has one label for each.

    They are computed once for the same weights and data, and saved in ``answers/`` in the folder; where it can't be
    written to, ``warn`` is told.
    """
    return _Measured(folder, net, progress, warn).answers(domain)


def result_line(folder: Path) -> dict[str, Any]:
    """One run as a line of a results file: what it was, with what it was made, its rounds, every accuracy measured."""
    config = RunFolder(folder).finished_config()
    metrics, content = RunFolder(folder).metrics(), config.asdict()
    rounds = [made.asdict() for made in RoundRecord.read(metrics)]
    about = {name: content[name] for name in ("ada", "job", "seed", "source", "engine", "versions", "created")}
    scores = [score.asdict() for score in known_scores(folder)]
    chosen = selection(config.ada, metrics)
    return {"run": folder.name, **about, "selection": chosen, "rounds": rounds, "scores": scores}


def selections_of(folder: Path) -> list[Selection]:
    """Which weights the result of a run is, or that of each member of an ensemble."""
    if ensemble_folder.holds(folder):
        return [each for place in ensemble_folder.read(folder).places for each in selections_of(place)]
    if not NetworkRecord.read(folder).from_a_run:  # nothing else selects
        return [Selection(LAST_ITERATE, LAST_ITERATE)]
    files = RunFolder(folder)
    kept = files.config_content()["ada"]
    with reading(files.path / "config.json", RunFolderError):  # a transformation of the user's own isn't needed here
        ada = ERM(**{name: kept[name] for name in ("T", "average", "validation", "select") if name in kept})
    return [Selection(selection(ada), selection(ada, files.metrics()))]


class Selection(NamedTuple):
    """Which weights are a result: the rule, and the same with the step that it chose."""

    rule: str
    chosen: str


def network_of(folder: Path) -> NetworkRecord:
    """What a finished run's folder says of its network; of an ensemble, what its first member's says."""
    if ensemble_folder.holds(folder):
        return NetworkRecord.read(ensemble_folder.read(folder).places[0])
    RunFolder(folder).check_finished()
    return NetworkRecord.read(folder)


def job_of(folder: Path, given: Job | None) -> Job:
    """How the targets of a finished run are read: as its source was; for a run from Python, which has no job, as given.

    Then images have the size that the run trained with, unless another is given.
    """
    network = network_of(folder)
    if network.job is None and given is None and ensemble_folder.holds(folder):
        raise RunFolderError(
            f"{folder} has members from Python with networks of their own: say what makes them, with --model "
            "FILE.py:FUNCTION; or use it there, with "
            f"unseen.evaluate(unseen.Ensemble.load({str(folder)!r}, models=...), ...)"
        )
    job = need_job(network.job, folder, given)
    return replace(job, size=job.size or network.size) if network.job is None else job


class _Measured:
    """A finished run or an ensemble, which is loaded when there is something to measure."""

    def __init__(
        self,
        folder: Path,
        net: Split | Ensemble | None,
        progress: Progress | None = None,
        warn: Warn | None = None,
    ) -> None:
        self.folder, self._warn = folder, warn
        self.is_ensemble = ensemble_folder.holds(folder)
        self._given = net
        self._progress = progress

    @cached_property
    def weights(self) -> str:
        """SHA-256 of what decides every score; empty for a run that isn't finished."""
        path = ensemble_folder.record_of(self.folder) if self.is_ensemble else RunFolder(self.folder).weights
        return digest_of(path) if is_there(path, RunFolderError) else ""

    def save(self, write: Callable[[], None]) -> None:
        """Keep what was measured, if that can be done, or has to be."""
        try:
            write()
        except SaveFailed as error:
            if self._warn is None:
                raise
            reason = error.__cause__.strerror if isinstance(error.__cause__, OSError) else error
            self._warn(f"{self.folder} can't be written to ({reason}): what was measured is not kept there")

    @cached_property
    def _net(self) -> Split | Ensemble:
        if self._given is not None:
            return self._given
        return Ensemble.load(self.folder) if self.is_ensemble else load(self.folder)

    def _done(self, domain: Domain) -> Done | None:
        return self._progress(domain) if self._progress is not None else None

    def score(self, domain: Domain, raw: Tensor | None) -> Score:
        """The domain's score, from its raw scores or answers where they are known."""
        known = (domain.name, len(domain), domain.fingerprint)
        if domain.segmented:
            matrix = confusion_on(self._net, domain, progress=self._done(domain))
            each = [None if math.isnan(value) else value for value in iou(matrix).tolist()]
            return Score(*known, miou=miou(matrix), iou=tuple(each))
        given = raw.argmax(1) if raw is not None else self._saved_answers(domain).get("classes")
        if given is None:
            return Score(*known, accuracy=evaluate(self._net, domain, progress=self._done(domain)))
        return Score(*known, accuracy=accuracy(given, domain.labels[:]))

    def answers(self, domain: Domain) -> Choice:
        """The answer for each image, as it was saved, or computed now."""
        saved = self._saved_answers(domain)
        if not saved:
            net, _ = checked(self._net, domain)
            given = answers_on(net, domain, progress=self._done(domain))
            saved = {name: getattr(given, name) for name in ANSWER}
            self._save_tensors(self._answers_file(domain), saved, domain)
        return Choice(**saved)

    def _save_tensors(self, path: Path, tensors: dict[str, Tensor], domain: Domain) -> None:
        def write() -> None:
            make_folder(path.parent)
            write_tensors(path, tensors, {"weights": self.weights, "domain": domain.name})

        self.save(write)

    def _answers_file(self, domain: Domain) -> Path:
        return self.folder / "answers" / f"{domain.fingerprint}.safetensors"

    def _saved_answers(self, domain: Domain) -> dict[str, Tensor]:
        saved = _saved(self._answers_file(domain), self.weights)
        return saved if _are_answers(saved, domain, network_of(self.folder).scores or len(domain.classes)) else {}

    def scores(self, domain: Domain) -> Tensor:
        """The raw scores on a domain, as they were saved, or computed now."""
        if self.is_ensemble:
            raise InputError(f"{self.folder} holds an ensemble: scores are saved of runs, in the run's own folder")
        RunFolder(self.folder).check_finished()
        path = self.folder / "scores" / f"{domain.fingerprint}.safetensors"
        scores = _saved(path, self.weights).get("scores")
        if scores is None or scores.ndim != 2 or len(scores) != len(domain):
            assert isinstance(self._net, Split)
            scores = scores_on(self._net, domain)
            self._save_tensors(path, {"scores": scores}, domain)
        return scores


def _saved(path: Path, weights: str) -> dict[str, Tensor]:
    """What was saved of these weights; a file that can't be read only costs computing it again."""
    try:
        tensors, meta = read_tensors(path)
    except RunFolderError:
        return {}
    return tensors if meta.get("weights") == weights else {}


def _are_answers(saved: dict[str, Tensor], domain: Domain, classes: int) -> bool:
    """Whether these are answers for the images of a domain."""
    if set(saved) != set(ANSWER) or any(len(each) != len(domain) for each in saved.values()):
        return False
    given = saved["classes"]
    return given.dtype == torch.long and bool(((given >= 0) & (given < classes)).all())


def _known(path: Path, weights: str) -> dict[str, Score]:
    """What was measured with these weights; a file that can't be read only costs measuring again."""
    try:
        content = read_json(path)
        with reading(path, RunFolderError):
            scores = [from_json(Score, line) for line in content["scores"]]
            return {score.sha256: score for score in scores} if content["weights"] == weights else {}
    except RunFolderError:
        return {}
