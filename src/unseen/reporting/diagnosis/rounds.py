"""What each round's ascent did, from what the run recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.method.cost import scale_of
from unseen.method.settings import ADA
from unseen.reporting.diagnosis.record import Range, Round


def read_rounds(metrics: Sequence[Mapping[str, Any]], ada: ADA, features: int) -> tuple[Round, ...]:
    """The rounds in the order they were made."""
    return tuple(_round(line, ada, features) for line in metrics if "fictitious" in line)


def _round(line: Mapping[str, Any], ada: ADA, features: int) -> Round:
    gain = line["loss_after"] - ada.gamma * line["cost"] - line["loss_before"]
    return Round(
        number=line["round"],
        images=line["fictitious"],
        radius=_radius(line, ada, features),
        moved=line["moved"],
        loss_before=line["loss_before"],
        loss_after=line["loss_after"],
        gain=gain,
        reached=_reached(line, gain),
    )


def _radius(line: Mapping[str, Any], ada: ADA, features: int) -> float | None:
    """As recorded; a run older than that has its cost, which is in features if it is semantic."""
    if "radius" in line:
        return float(line["radius"])
    return float(line["cost"]) / scale_of(ada, features).weight / 2 if ada.cost == "semantic" else None


def _reached(line: Mapping[str, Any], gain: float) -> Range | None:
    """gain / (supremum - loss before), with the supremum's two bounds."""
    if "supremum" not in line or line["supremum"] <= line["loss_before"]:
        return None
    shares = [gain / (line[name] - line["loss_before"]) for name in ("supremum", "supremum_most")]
    return min(shares), max(shares)
