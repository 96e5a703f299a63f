"""Models of torchvision that classify images."""

from __future__ import annotations

from typing import Any

from torch import nn
from typing_extensions import override

from unseen.base.extras import require
from unseen.errors import InputError
from unseen.models.libraries.library import Expected, Library
from unseen.models.weight_files import load_weights

WITH_SIDE_OUTPUTS = ("googlenet", "inception_v3")
"""They give several tensors in training; timm has them with one."""


class Torchvision(Library):
    """``torchvision:mobilenet_v3_small``."""

    prefix = "torchvision"

    @override
    def check(self, name: str) -> None:
        models = self._models()
        known = models.list_models(module=models)
        if name not in known:
            raise self.unknown(name, known)
        if name in WITH_SIDE_OUTPUTS:
            raise InputError(
                f'model="torchvision:{name}" gives scores of side branches in training, expected one tensor of scores; '
                "use timm:inception_v3 or another model"
            )

    @override
    def expected(self, name: str, *, pretrained: bool = False) -> Expected:
        transform = self._models().get_model_weights(name).DEFAULT.transforms()
        side = transform.crop_size[0]
        kernel = transform.interpolation.value
        return Expected(tuple(transform.mean), tuple(transform.std), (side, side), kernel)

    @override
    def make(self, name: str, classes: int, *, size: tuple[int, int] | None, pretrained: bool) -> nn.Module:
        models = self._models()
        sized = {"image_size": size[0]} if size is not None and name.startswith("vit_") else {}
        model: nn.Module = models.get_model(name, weights=None, num_classes=classes, **sized)
        if pretrained:
            with self.fetching(name):
                weights = models.get_model_weights(name).DEFAULT.get_state_dict(progress=False, check_hash=True)
            load_weights(model, weights, f"the weights of torchvision:{name}", lambda _: None)
        return model

    def _models(self) -> Any:
        return require("torchvision.models", "models")
