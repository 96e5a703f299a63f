"""The domains around a finished run: what it trained on, that domain's held-out images, and what it has not seen."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.data.catalogue import domain as built_in
from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.reporting.finished.methods import FinishedRun
from unseen.runs.job import HELD_OUT
from unseen.runs.loading import need_job
from unseen.runs.selection import split_off


def source_of(run: FinishedRun, given: Domain | None, network: str) -> Domain:
    """The data that a run trained on, to the bit: as its config names it, or as ``given``.

    ``network`` is what a run from Python needs besides, for the message.
    """
    recorded = run.config.source
    if given is None and run.config.job is None:
        raise InputError(
            f"{run.folder} was started from Python: expected source=, the domain it trained on "
            f"({recorded.name}, {recorded.images:,} images), and {network}"
        )
    source = given if given is not None else need_job(run.config.job, run.folder).load_source()
    if source.fingerprint != recorded.sha256 and run.config.ada.validation:
        source = split_off(source, run.config.ada, {})[0]
    if source.fingerprint != recorded.sha256:
        raise InputError(
            f"{source.name} is not the data that {run.folder} trained on: expected {recorded.images:,} images with "
            f"SHA-256 {recorded.sha256[:12]}, got {len(source):,} with {source.fingerprint[:12]}; restore them, or "
            "give them as source="
        )
    return source


def held_out_of(run: FinishedRun, source: Domain) -> list[Domain]:
    """The held-out images of the source where such are known, prepared as the run's source was."""
    if source.name not in HELD_OUT:
        return []
    name = HELD_OUT[source.name]
    job = run.config.job
    return [built_in(name) if job is None else job.load_target(name, source.classes)]


def unseen_among(source: Domain, held_out: Sequence[Domain], targets: Sequence[Domain]) -> list[Domain]:
    """The targets that are neither the source nor its held-out images."""
    if any(target.fingerprint == source.fingerprint for target in targets):
        raise InputError(f"targets: {source.name} is what the runs trained on; expected domains they have not seen")
    own = {domain.fingerprint for domain in held_out}
    unseen = [target for target in targets if target.fingerprint not in own]
    names = [domain.name for domain in [*unseen, *held_out]]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"targets: {', '.join(sorted(twice))} is given twice; expected every name once")
    return unseen
