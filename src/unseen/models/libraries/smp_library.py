"""Models of segmentation-models-pytorch: scores for each pixel."""

from __future__ import annotations

from typing import Any

from torch import nn
from typing_extensions import override

from unseen.base.extras import require
from unseen.errors import InputError
from unseen.models.libraries.hub import offline_if_unreachable
from unseen.models.libraries.library import Expected, Library

WEIGHTS = "imagenet"
UNIVERSAL = "tu-"
"""begins the names of timm's models as encoders"""


class SegmentationModels(Library):
    """``smp:FPN/resnet18``: a decoder over an encoder, ``tu-NAME`` for any model of timm's as encoder.

    ``pretrained`` is the encoder. Its mean and deviation are at the hub with its weights; before it is fetched they are
    ImageNet's.
    """

    prefix = "smp"

    @override
    def check(self, name: str) -> None:
        smp = self._smp()
        decoder, slash, encoder = name.partition("/")
        decoders = {kind.__name__: kind for kind in smp.MODEL_ARCHITECTURES_MAPPING.values()}
        if not slash:
            raise InputError(f'model="smp:{name}": expected smp:DECODER/ENCODER, for instance smp:FPN/resnet18')
        if decoder.lower() not in smp.MODEL_ARCHITECTURES_MAPPING:
            raise InputError(f'model="smp:{name}": expected a decoder of {", ".join(sorted(decoders))}, got {decoder}')
        if encoder.startswith(UNIVERSAL):
            known = [f"{UNIVERSAL}{model}" for model in require("timm", "models").list_models()]
            found = require("timm", "models").is_model(encoder.removeprefix(UNIVERSAL))
        else:
            known = smp.encoders.get_encoder_names()
            found = encoder in known
        if not found:
            raise self.unknown(name, [f"{decoder}/{each}" for each in known])

    @override
    def expected(self, name: str, *, pretrained: bool = False) -> Expected:
        if not pretrained:
            return Expected()
        with self.fetching(name), offline_if_unreachable():
            said = self._smp().encoders.get_preprocessing_params(name.partition("/")[2], WEIGHTS)
        if said["input_space"] != "RGB" or list(said["input_range"]) != [0, 1]:
            raise InputError(
                f'model="smp:{name}": its encoder was trained on {said["input_space"]} in {said["input_range"]}, '
                "expected RGB in [0, 1]; use another encoder, or one of timm's (tu-NAME)"
            )
        return Expected(tuple(said["mean"]), tuple(said["std"]))

    @override
    def make(self, name: str, classes: int, *, size: tuple[int, int] | None, pretrained: bool) -> nn.Module:
        decoder, _, encoder = name.partition("/")
        create = self._smp().create_model
        if not pretrained:
            model: nn.Module = create(decoder, encoder, encoder_weights=None, classes=classes)
            return model
        weights = True if encoder.startswith(UNIVERSAL) else WEIGHTS
        with self.fetching(name), offline_if_unreachable():
            fetched: nn.Module = create(decoder, encoder, encoder_weights=weights, classes=classes)
        return fetched

    def _smp(self) -> Any:
        return require("segmentation_models_pytorch", "models")
