"""What each round's ascent did, from what the run recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.method.cost import scale_of
from unseen.method.settings import ADA
from unseen.reporting.diagnosis.record import Range, Round
from unseen.runs.rounds import RoundRecord


def read_rounds(metrics: Sequence[Mapping[str, Any]], ada: ADA, features: int) -> tuple[Round, ...]:
    """The rounds in the order they were made."""
    return tuple(_round(made, ada, features) for made in RoundRecord.read(metrics))


def _round(made: RoundRecord, ada: ADA, features: int) -> Round:
    as_published = ada.ascended is None and not ada.entropy
    gain = made.loss_after - ada.gamma * made.cost - made.loss_before if as_published else None
    return Round(
        number=made.round,
        images=made.fictitious,
        radius=_radius(made, ada, features),
        moved=made.moved,
        loss_before=made.loss_before,
        loss_after=made.loss_after,
        gain=gain,
        reached=_reached(made, gain) if gain is not None else None,
        measured=made.measured,
    )


def _radius(made: RoundRecord, ada: ADA, features: int) -> float | None:
    """As recorded; a run older than that has its cost, which is in features if it is semantic."""
    if made.radius is not None:
        return made.radius
    return made.cost / scale_of(ada, features).weight / 2 if ada.cost == "semantic" else None


def _reached(made: RoundRecord, gain: float) -> Range | None:
    """gain / (supremum - loss before), with the supremum's two bounds."""
    least, most = made.supremum, made.supremum_most
    if least is None or most is None or least <= made.loss_before:
        return None
    shares = [gain / (bound - made.loss_before) for bound in (least, most)]
    return min(shares), max(shares)
