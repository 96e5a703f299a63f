"""Train on one domain, hold up on domains nobody has seen: adversarial data augmentation (Volpi et al., 2018)."""

from unseen import models, sweep, theory
from unseen.adda.adapt import ADDA, Adapted, adapt
from unseen.base import torchvision as _torchvision  # noqa: F401 (before anything imports torchvision)
from unseen.data.catalogue import domain, domains
from unseen.data.domain import Domain
from unseen.data.image_folder import folder
from unseen.data.masks import masks
from unseen.engine import Engine
from unseen.ensembles import rules
from unseen.ensembles.ensemble import Ensemble
from unseen.method.ascent import ascend
from unseen.method.settings import ADA, ERM
from unseen.models.split import Split, split
from unseen.reporting.diagnosis.diagnose import diagnose
from unseen.runs.fit import Run, fit
from unseen.runs.job import load
from unseen.runs.recorder import Cadence
from unseen.scoring.accuracy import evaluate

__all__ = [
    "ADA",
    "ADDA",
    "ERM",
    "Adapted",
    "Cadence",
    "Domain",
    "Engine",
    "Ensemble",
    "Run",
    "Split",
    "adapt",
    "ascend",
    "diagnose",
    "domain",
    "domains",
    "evaluate",
    "fit",
    "folder",
    "load",
    "masks",
    "models",
    "rules",
    "split",
    "sweep",
    "theory",
]
