"""The source's validation share, and the one selection rule there is: by that share, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.runs.config import Cadence
from unseen.runs.job import parted

VALIDATION = "validation"
"""what the validation share is called among the watched domains"""
LAST_ITERATE = "last iterate"


def split_off(source: Domain, ada: ADA, watch: Mapping[str, Domain]) -> tuple[Domain, dict[str, Domain]]:
    """What is left of the source to train on, and what is watched: the validation share first, where there is one."""
    if not ada.validation:
        return source, dict(watch)
    if VALIDATION in watch:
        raise InputError(
            f'watch: "{VALIDATION}" is the source\'s own share (validation={ada.validation:g}); call the domain '
            "something else"
        )
    left, held = parted(source, ada.validation, VALIDATION)
    return left, {VALIDATION: held, **watch}


def check_selection(ada: ADA, cadence: Cadence) -> None:
    """Refuse a choice among one: where the validation share is measured after the last step alone."""
    if ada.selects and cadence.watch >= ada.T:
        often = max(ada.T // 10, 1)
        raise InputError(
            f'select="{ada.select}": cadence.watch={cadence.watch} leaves only the last of T={ada.T} steps to choose '
            f"from; measure more often, for instance with cadence = {{record = {often}, watch = {often}}}"
        )


def validated(line: Mapping[str, Any]) -> float | None:
    """The accuracy or mIoU on the validation share in a line of ``metrics.jsonl``, if it has one."""
    value = (line.get("accuracy") or line.get("miou") or {}).get(VALIDATION)
    return None if value is None else float(value)


def selection(ada: ADA, metrics: Iterable[Mapping[str, Any]] = ()) -> str:
    """Which weights are the result, in words; with the metrics of a finished run, of which step."""
    rule = LAST_ITERATE
    if ada.selects:
        rule = "best on the source's validation"
        values = [(value, line["step"]) for line in metrics if (value := validated(line)) is not None]
        if values:
            value, step = max(values, key=lambda each: (each[0], -each[1]))  # of equals the earliest
            rule += f" (step {step:,} of {ada.T:,}, {value:.1%})"
    return f"{rule}, weights averaged" if ada.average else rule
