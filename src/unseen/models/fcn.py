"""The paper's street-scene network: fully convolutional, with a ResNet body."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unseen.base.extras import require
from unseen.base.paths import expanded
from unseen.base.randomness import generator
from unseen.errors import InputError, did_you_mean
from unseen.models.weight_files import misfits, read_weights
from unseen.models.weights import kaiming

BODIES = {"resnet50": 8, "resnet18": 16}
"""Each body, and how many pixels of the image one step in its features is."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class FCN(nn.Module):
    """Scores for each pixel: a ResNet body, a 3x3 and a 1x1 convolution, bilinear up to the image's size.

    ``body`` is "resnet50" (the paper's; features at 1/8 of the image's size) or "resnet18" (for small machines; 1/16):
    torchvision's, with dilation in place of the last strides. The features z of the method are what enters the last
    1x1 convolution. Images are in [0, 1]; ImageNet's mean and deviation are taken off inside. ``weights`` is a local
    file with a trained body, as torchvision publishes them (.pth or .safetensors); without one every weight is drawn
    from ``seed`` alone (Kaiming-normal).
    """

    mean: Tensor
    deviation: Tensor

    def __init__(
        self, classes: int = 13, *, body: str = "resnet50", weights: str | Path | None = None, seed: int = 0
    ) -> None:
        super().__init__()
        if body not in BODIES:
            raise InputError(f'body="{body}": expected {" or ".join(BODIES)}{did_you_mean(body, BODIES, listed=True)}')
        with torch.device("meta"):  # no draw from torch's own generator
            self.body, channels = _dilated(body)
            self.classifier = fcn_head(channels, classes)
        kaiming(self, generator(seed, "weights"))
        self.register_buffer("mean", torch.tensor(MEAN).view(3, 1, 1), persistent=False)
        self.register_buffer("deviation", torch.tensor(DEVIATION).view(3, 1, 1), persistent=False)
        if weights is not None:
            _load_body(self.body, expanded(weights), body)

    def forward(self, x: Tensor) -> Tensor:
        """Scores (N, classes, H, W) for images (N, 3, H, W)."""
        z = self.body((x - self.mean) / self.deviation)
        scores: Tensor = F.interpolate(self.classifier(z), size=x.shape[-2:], mode="bilinear", align_corners=False)
        return scores


def fcn_head(channels: int, classes: int) -> nn.Sequential:
    """What makes scores of a body's output: a 3x3 convolution to a quarter of the channels, then the last, 1x1."""
    return nn.Sequential(
        nn.Conv2d(channels, channels // 4, 3, padding=1, bias=False), nn.BatchNorm2d(channels // 4), nn.ReLU(),
        nn.Conv2d(channels // 4, classes, 1),
    )  # fmt: skip


def _dilated(name: str) -> tuple[nn.Sequential, int]:
    """torchvision's ResNet up to its last stage, as far as wanted with dilation where it has strides; its channels."""
    resnet = getattr(require("torchvision.models", "scenes"), name)(weights=None)
    reached, dilation = 4, 1
    for stage in (resnet.layer2, resnet.layer3, resnet.layer4):
        if reached == BODIES[name]:
            _dilate(stage, dilation)
            dilation *= 2
        else:
            reached *= 2
    stages = ("conv1", "bn1", "relu", "maxpool", "layer1", "layer2", "layer3", "layer4")
    parts = OrderedDict((stage, getattr(resnet, stage)) for stage in stages)
    return nn.Sequential(parts), resnet.fc.in_features


def _dilate(stage: nn.Module, before: int) -> None:
    """Take the stride out of a stage: what follows it looks as far as it did, through twice the dilation."""
    strided = True
    for module in stage.modules():
        if not isinstance(module, nn.Conv2d):
            continue
        if module.kernel_size == (3, 3):
            step = before if strided and module.stride == (2, 2) else 2 * before
            strided = strided and module.stride != (2, 2)
            module.dilation = module.padding = (step, step)
        module.stride = (1, 1)


def _load_body(body: nn.Module, path: Path, name: str) -> None:
    """The body's weights from a file; its classifier, if it has one, isn't ours."""
    given = {key: value for key, value in read_weights(path).items() if not key.startswith("fc.")}
    try:
        body.load_state_dict(given)
    except RuntimeError as error:
        found = "; ".join(misfits(given, body.state_dict())) or str(error)
        raise InputError(
            f"{path}: expected the weights of torchvision's {name}, got others: {found}; give a file of that body, or "
            "another body"
        ) from None
