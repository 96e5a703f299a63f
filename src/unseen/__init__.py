"""Train on one domain, hold up on domains nobody has seen: adversarial data augmentation (Volpi et al., 2018).

A name is imported when it is first used (PEP 562). ``import unseen`` alone imports neither torch nor any room, which is
why the command line answers ``--help`` at once.
"""

from unseen.base import interrupts as _interrupts

if _interrupts.is_the_command():
    _interrupts.end_quietly()  # before the rest is imported
    _interrupts.finish_undisturbed()

from typing import TYPE_CHECKING

from unseen.base import tiles as _tiles
from unseen.base import torchvision as _torchvision

if TYPE_CHECKING:
    from unseen import models, sweep, theory, transforms
    from unseen.adda.adapt import ADDA, Adapted, adapt
    from unseen.data.catalogue import domain, domains
    from unseen.data.datasets import dataset
    from unseen.data.domain import Domain
    from unseen.data.image_folder import folder
    from unseen.data.masks import masks
    from unseen.deploy.export import export
    from unseen.deploy.prediction import Prediction
    from unseen.deploy.predictor import Predictor
    from unseen.engine import Engine
    from unseen.ensembles import rules
    from unseen.ensembles.ensemble import Ensemble
    from unseen.method.ascent import ascend, fictitious
    from unseen.method.settings import ADA, ERM
    from unseen.models.names import model
    from unseen.models.split import Split, split
    from unseen.reporting.diagnosis.diagnose import diagnose
    from unseen.reporting.runs.report import report
    from unseen.runs.config import Cadence
    from unseen.runs.fit import fit
    from unseen.runs.growing import GrowingPool
    from unseen.runs.loading import load
    from unseen.runs.training import Run
    from unseen.scoring.accuracy import evaluate
    from unseen.scoring.mistakes import Confusion, confusion

__all__ = [
    "ADA",
    "ADDA",
    "ERM",
    "Adapted",
    "Cadence",
    "Confusion",
    "Domain",
    "Engine",
    "Ensemble",
    "GrowingPool",
    "Prediction",
    "Predictor",
    "Run",
    "Split",
    "adapt",
    "ascend",
    "confusion",
    "dataset",
    "diagnose",
    "domain",
    "domains",
    "evaluate",
    "export",
    "fictitious",
    "fit",
    "folder",
    "load",
    "masks",
    "model",
    "models",
    "report",
    "rules",
    "split",
    "sweep",
    "theory",
    "transforms",
]

_HOMES = {
    "ADA": "unseen.method.settings",
    "ADDA": "unseen.adda.adapt",
    "ERM": "unseen.method.settings",
    "Adapted": "unseen.adda.adapt",
    "Cadence": "unseen.runs.config",
    "Confusion": "unseen.scoring.mistakes",
    "Domain": "unseen.data.domain",
    "Engine": "unseen.engine",
    "Ensemble": "unseen.ensembles.ensemble",
    "GrowingPool": "unseen.runs.growing",
    "Prediction": "unseen.deploy.prediction",
    "Predictor": "unseen.deploy.predictor",
    "Run": "unseen.runs.training",
    "Split": "unseen.models.split",
    "adapt": "unseen.adda.adapt",
    "ascend": "unseen.method.ascent",
    "confusion": "unseen.scoring.mistakes",
    "dataset": "unseen.data.datasets",
    "diagnose": "unseen.reporting.diagnosis.diagnose",
    "domain": "unseen.data.catalogue",
    "domains": "unseen.data.catalogue",
    "evaluate": "unseen.scoring.accuracy",
    "export": "unseen.deploy.export",
    "fictitious": "unseen.method.ascent",
    "fit": "unseen.runs.fit",
    "folder": "unseen.data.image_folder",
    "load": "unseen.runs.loading",
    "masks": "unseen.data.masks",
    "model": "unseen.models.names",
    "report": "unseen.reporting.runs.report",
    "rules": "unseen.ensembles",
    "split": "unseen.models.split",
}
"""The module that each name is imported from, as above for type checkers; a room of its own name needs none."""

if not TYPE_CHECKING:  # a type checker that saw it would accept every name

    def __getattr__(name: str) -> object:
        """``from HOME import name`` when it is first used, or the room ``unseen.name``."""
        from importlib import import_module, util

        from unseen.base.extras import global_generator_kept

        with global_generator_kept():  # the caller may have seeded it after ``import unseen``
            if name in _HOMES:
                value = getattr(__import__(_HOMES[name], fromlist=[name]), name)
            elif not name.startswith("_") and util.find_spec(f"unseen.{name}") is not None:
                value = import_module(f"unseen.{name}")
            else:
                raise AttributeError(f"module 'unseen' has no attribute {name!r}")  # Python adds its "Did you mean"
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


_tiles.avoid_empty_tiles()
_torchvision.declare_before_import()
