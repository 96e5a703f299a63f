"""Where street recipes are carried out: SYNTHIA, the built-in scenes in its place, or CamVid; several sources."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from unseen.data.root import data_root
from unseen.data.streets.camvid import HOW as CAMVID_HOW
from unseen.data.streets.classes import IMAGES, SIZE
from unseen.data.streets.real_streets import find
from unseen.data.streets.synthia import HOW as SYNTHIA_HOW
from unseen.errors import InputError
from unseen.paper.cells import Setting
from unseen.paper.lab import DomainSet, Lab, Rows, Scale, refuse_missing
from unseen.paper.results import Results
from unseen.paper.streets.names import DRIVES, STREETS, way

PAPER = Scale(
    model="fcn-resnet50", size=SIZE, images=IMAGES, T=5_000, T_min=500, T_max=50, batch=8, eta=2.0
)  # but for T, which the paper doesn't state
SMALL = replace(PAPER, name="small", model="fcn-resnet18", size=(96, 160), images=150, T=1_000)
SCALES = {scale.name: scale for scale in (PAPER, SMALL)}
WHOLE_DRIVES = replace(SMALL, images=None, T=1_500)
"""the small scale with every image of a CamVid drive, and more steps"""

SYNTHIA = DomainSet(name="SYNTHIA", domains={name: f"synthia-{name}" for name in STREETS})
SCENES = DomainSet(name="built-in scenes", domains={name: name for name in STREETS}, stand_in=True)
CAMVID = DomainSet(name="CamVid", domains={name: f"camvid-{name}" for name in DRIVES})
_ADVICE = {
    SYNTHIA.name: [SYNTHIA_HOW, f"or use the {SCENES.name}, which are not {SYNTHIA.name}: --stand-ins"],
    CAMVID.name: [CAMVID_HOW],
}


@dataclass(frozen=True, kw_only=True)
class StreetLab(Lab):
    """Several sources; a street is tested on streets of other places."""

    scale: Scale = PAPER

    file: ClassVar[str] = "streets.jsonl"

    @property
    def cadence(self) -> dict[str, int]:
        """How often a run writes things down."""
        return {"record": 50, "save": max(1, self.scale.T // 4)}

    def label(self, source: str, target: str) -> str:
        """``Highway/Dawn → Old European Town/Fog``."""
        return way(source, target)

    def setting(self, title: str, results: Results) -> Setting:
        """What has to be said with numbers of this lab."""
        return Setting(
            title=f"{title} ({self.data.name}, {self.scale.name} scale)",
            source=self._source_described(),
            steps=self.scale.T,
            departures=self._departures(),
            measure="mIoU",
            published_steps=None,
        )

    def _source_described(self) -> str:
        scale = self.scale
        domains = f"the {SCENES.name} (not SYNTHIA)" if self.data.stand_in else self.data.name
        return (
            f"one domain of {domains} at the {scale}, no trained weights, batch {scale.batch}, ADA with "
            f"T_min={scale.T_min}, T_max={scale.T_max}, η={scale.eta:g} (T is our choice: the paper states none)"
        )

    def _departures(self) -> tuple[str, ...]:
        found = [f"{SCENES.name} instead of SYNTHIA"] * self.data.stand_in
        return (*found, *[f"{self.scale} instead of {PAPER}"] * (self.scale != PAPER))


def street_lab(out: Path, data: DomainSet, rows: Rows, **options: Any) -> StreetLab:
    """A lab whose domains are there; those that are missing are named all at once, with what to do."""
    if not data.stand_in:
        names = dict.fromkeys(name for source, targets in rows.items() for name in (source, *targets))
        refuse_missing([data.domains[name] for name in names], _problem, lambda _: _ADVICE[data.name])
    return StreetLab(out=out, data=data, rows=rows, **options)


def _problem(name: str) -> str | None:
    """What is wrong with a real domain; None where it can be used."""
    root = data_root()
    try:
        return None if root and find(name, root) else "not found"
    except InputError as error:
        return str(error)
