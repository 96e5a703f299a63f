"""Networks of the paper."""

from unseen.models.convnet import ConvNet

__all__ = ["ConvNet"]
