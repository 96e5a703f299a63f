"""Train on one domain, hold up on domains nobody has seen: adversarial data augmentation (Volpi et al., 2018)."""

from unseen import models
from unseen.ascent import ascend
from unseen.data.domain import Domain
from unseen.fit import Run, fit
from unseen.metrics import evaluate
from unseen.settings import ADA, ERM
from unseen.split import Split, split

__all__ = [
    "ADA",
    "ERM",
    "Domain",
    "Run",
    "Split",
    "ascend",
    "evaluate",
    "fit",
    "models",
    "split",
]
