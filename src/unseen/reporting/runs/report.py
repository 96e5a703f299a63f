"""``report``: one page about finished runs."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from torch import nn

from unseen.base.imports import model_code
from unseen.data.domain import Domain, Source, as_domain
from unseen.models.split import Split
from unseen.reporting.evaluation import job_of, network_of
from unseen.reporting.runs.page import write_page
from unseen.runs.loading import NetworkRecord, load

Place = str | PathLike[str]


def report(
    folders: Place | Sequence[Place],
    targets: Domain | str | Sequence[Domain | str],
    *,
    out: Place = "report.html",
    net: Split | nn.Module | None = None,
    source: Source | None = None,
    title: str = "Generalizing to unseen domains",
    run_model_code: bool = False,
) -> Path:
    """Write one self-contained HTML page about finished runs, and about ensembles among them, to ``out``.

    ``targets`` are the domains to compare on, or their names; nobody may have trained on them. Runs that were started
    from Python also need ``net``, their network with any weights, and ``source``, what they trained on, as in
    ``diagnose``. ``run_model_code`` is as in ``load``.
    """
    with model_code(run_model_code):
        return _write(folders, targets, Path(out), net, source, title)


def _write(
    folders: Place | Sequence[Place],
    targets: Domain | str | Sequence[Domain | str],
    out: Path,
    net: Split | nn.Module | None,
    source: Source | None,
    title: str,
) -> Path:
    paths = [Path(folders)] if isinstance(folders, str | PathLike) else [Path(folder) for folder in folders]
    given = [targets] if isinstance(targets, str | Domain) else list(targets)
    classes = network_of(paths[0]).classes or ()
    domains = [job_of(paths[0], None).load_target(t, classes) if isinstance(t, str) else t for t in given]
    return write_page(
        paths,
        out,
        targets=domains,
        title=title,
        source=as_domain(source, classes=len(classes)) if source is not None else None,
        load_net=_loading(net) if net is not None else None,
    )


def _loading(net: Split | nn.Module) -> Callable[[Path], Split]:
    """Gives a folder's network: what the folder says, or a copy of ``net`` with its weights."""

    def load_net(folder: Path) -> Split:
        return load(folder, None if NetworkRecord.read(folder).job is not None else copy.deepcopy(net))

    return load_net
