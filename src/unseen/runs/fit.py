"""Train a model by Algorithm 1, in memory or in a run folder that survives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from torch import nn

from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import Engine
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.models.split import Split, split
from unseen.runs.config import Cadence
from unseen.runs.progress import Progress
from unseen.runs.training import Run, Training


def fit(
    net: Split | nn.Module,
    source: Source,
    ada: ADA,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    resume: bool = False,
    watch: Mapping[str, Domain] | None = None,
    cadence: Cadence | None = None,
    engine: Engine | None = None,
    progress: Callable[[Progress], None] | bool = False,
    warn: Callable[[str], None] = print,
) -> Run:
    """Algorithm 1: train ``net`` on ``source`` with the settings ``ada``; the last iterate is the result.

    The weights of ``net`` are trained in place and it is left in evaluation mode. With ``folder``, the run is
    recorded there; with ``resume``, it resumes from the folder's last checkpoint, and its weights, optimizer
    state, pool and metrics are bit for bit those of a run that was never interrupted (same machine, versions and
    threads). ``watch`` are domains whose accuracy is recorded along the way; they select nothing. ``progress=True``
    shows the progress, as the command line does. ``warn`` gets warnings, and a remark where the first round hardly
    moves its images. Afterwards the network knows its classes, and ``evaluate`` refuses domains that have others.
    """
    if not isinstance(ada, ADA):
        raise InputError(f"fit: expected settings such as unseen.ADA() or unseen.ERM(), got {ada!r}")
    training = Training(
        net=split(net),
        source=as_domain(source),
        ada=ada,
        seed=seed,
        folder=Path(folder) if folder is not None else None,
        watch=watch or {},
        cadence=cadence or Cadence(),
        engine=engine or Engine(),
    )
    return training.run(resume=resume, progress=progress, warn=warn)
