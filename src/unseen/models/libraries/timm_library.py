"""Models of timm."""

from __future__ import annotations

from typing import Any

from torch import nn
from typing_extensions import override

from unseen.base.extras import require
from unseen.models.libraries.hub import offline_if_unreachable
from unseen.models.libraries.library import Expected, Library


class Timm(Library):
    """``timm:resnet18``, or with the tag of its weights ``timm:resnet18.a1_in1k``."""

    prefix = "timm"

    @override
    def check(self, name: str) -> None:
        timm = require("timm", "models")
        if not timm.is_model(name):
            raise self.unknown(name, timm.list_models())

    @override
    def expected(self, name: str, *, pretrained: bool = False) -> Expected:
        config = self._config(name)
        return Expected(
            tuple(config.mean), tuple(config.std), tuple(config.input_size[1:]), config.interpolation or "bicubic"
        )

    @override
    def make(self, name: str, classes: int, *, size: tuple[int, int] | None, pretrained: bool) -> nn.Module:
        timm, config = require("timm", "models"), self._config(name)
        other_size = size is not None and size != tuple(config.input_size[1:])
        sized = {"img_size": size} if other_size and config.fixed_input_size else {}
        if not pretrained:
            model: nn.Module = timm.create_model(name, num_classes=classes, **sized)
            return model
        with self.fetching(name), offline_if_unreachable():
            fetched: nn.Module = timm.create_model(name, pretrained=True, num_classes=classes, **sized)
        return fetched

    def _config(self, name: str) -> Any:
        """What timm says of the model's images; of one without pre-trained weights, what it says by default."""
        models = require("timm.models", "models")
        return models.get_pretrained_cfg(name) or models.PretrainedCfg(
            input_size=(3, 224, 224), mean=Expected.mean, std=Expected.deviation, interpolation="bicubic"
        )
