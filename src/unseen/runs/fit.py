"""Train a model by Algorithm 1, in memory or in a run folder that survives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from torch import nn

from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import Engine
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.models.split import Split, count_classes, split
from unseen.runs.config import Cadence
from unseen.runs.model_checks import refuse_other_classes
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

    Unless the settings have an ``average`` of the weights, or ``select`` those best on a share of the source: nothing
    else ever selects. ``Run.selection`` says which it was.

    The weights of ``net`` are trained in place and it is left in evaluation mode. With ``folder``, the run is
    recorded there; with ``resume``, it resumes from the folder's last checkpoint, and its weights, optimizer
    state, pool and metrics are bit for bit those of a run that was never interrupted (same machine, versions and
    threads). ``watch`` are domains whose accuracy is recorded along the way; they select nothing. ``progress=True``
    shows the progress, as the command line does. ``warn`` gets warnings, and a remark where the first round hardly
    moves its images. Afterwards the network knows its classes, and ``evaluate`` refuses domains that have others.
    """
    if not isinstance(ada, ADA):
        raise InputError(f"fit: expected settings such as unseen.ADA() or unseen.ERM(), got {ada!r}")
    net = split(net)
    if isinstance(source, Domain):
        with (engine or Engine()).seeded(seed):
            refuse_other_classes(source, count_classes(net, source.images, pixels=source.segmented))
    training = Training.on(
        as_domain(source),
        ada,
        watch or {},
        net=net,
        seed=seed,
        folder=Path(folder) if folder is not None else None,
        cadence=cadence or Cadence(),
        engine=engine or Engine(),
    )
    try:
        return training.run(resume=resume, progress=progress, warn=warn)
    except KeyboardInterrupt as stopped:
        if folder is not None:
            stopped.add_note(f"Interrupted. The same call with resume=True continues from what {folder} holds.")
        raise
