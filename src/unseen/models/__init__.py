"""Any torch model as features | head; models by name; the paper's two networks."""

from unseen.models.convnet import ConvNet
from unseen.models.fcn import FCN
from unseen.models.normalized import Normalized

__all__ = ["FCN", "ConvNet", "Normalized"]
