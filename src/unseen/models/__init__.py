"""Networks of the paper."""

from unseen.models.convnet import ConvNet
from unseen.models.fcn import FCN

__all__ = ["FCN", "ConvNet"]
