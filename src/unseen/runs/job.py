"""A training described in words, so that a run folder alone is enough to rebuild its model and its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from torch import Tensor

from unseen.base.checks import is_whole, type_problems
from unseen.base.paths import names_file
from unseen.base.randomness import generator
from unseen.base.records import to_json
from unseen.data.catalogue import domain, is_drawn, names
from unseen.data.domain import Domain
from unseen.data.domain_names import DEFAULT_SOURCE
from unseen.data.drawing import some_of
from unseen.data.images import KERNELS, Size, checked_size, kernel_problems
from unseen.data.splits import split_rows
from unseen.engine import Engine
from unseen.errors import InputError, all_problems
from unseen.models import ConvNet
from unseen.models.libraries.smp_library import SegmentationModels
from unseen.models.names import CONVNET, FCNS, build_model, check_model, expected_images
from unseen.models.split import Split, count_classes, refuse_other_heads, split

Warn = Callable[[str], None]
LATER = frozenset({"weights", "pretrained", "leave_out_unreadable"})
"""fields that came after runs had been recorded: at their defaults they are left out, and a run has the name it had"""
HELD_OUT = {DEFAULT_SOURCE: "mnist5k-heldout", "mnist-train": "mnist-test"}


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is trained on what, by name."""

    source: str = DEFAULT_SOURCE
    """the source domain: a built-in or real name, or a folder with one subfolder for each class"""
    images: int | None = None
    """how many of the source's images are used; all when not given, 900 of scenes that are rendered or drawn; those of
    a folder are drawn evenly over its classes, those of a set that comes shuffled are its first"""
    offset: int = 0
    """number of the first of them, in the order they come in or are drawn in"""
    hold_out: float = 0.0
    """share of them that is not trained on, drawn evenly over the classes: to choose settings with"""
    resize: str = "bilinear"
    """kernel that resizes images: "bilinear", "bicubic" or "lanczos\""""
    size: Size = None
    """side, or (height, width), to which images are resized; when not given 32 for the convnet, 192x320 for streets"""
    model: str = "convnet"
    """"convnet", "fcn-resnet50" or "fcn-resnet18" (for masks; fcn-resnet50:FILE has its body's weights from a file), a
    library's model by name (timm:NAME, torchvision:NAME, or for masks smp:DECODER/ENCODER), or FILE.py:FUNCTION or
    MODULE:FUNCTION that is called with classes=N and gives a model"""
    weights: str | None = None
    """file with the model's initial weights: .safetensors, .pth or .pt"""
    pretrained: bool = False
    """whether a library's model begins with the library's own weights, from its cache or the network"""
    leave_out_unreadable: bool = False
    """whether files of a folder that can't be read are left out and counted; otherwise they are refused"""
    head: str | None = None
    """name of the model's last layer, where it isn't found by itself"""
    dropout: float = 0.0
    """chance of dropping a feature in training (convnet only)"""
    width: float = 1.0
    """share of the paper's hidden units, for small machines (convnet only)"""
    watch: tuple[str, ...] | None = None
    """domains whose accuracy is recorded during training; the built-in held-out digits by default"""
    watch_images: int | None = None
    """how many images of each watched domain, taken as those of the source are; all when not given"""

    def __post_init__(self) -> None:
        all_problems("settings", job_problems(vars(self)))

    def load_source(self) -> Domain:
        """The source domain, or the images of it that are asked for and not held out."""
        asked = self._asked_for()
        return asked if not self.hold_out else parted(asked, self.hold_out, "hold_out")[0]

    def load_held_out(self) -> Domain:
        """Images of the source that nothing is trained on: its held-out share, or the part that its set has for it."""
        if self.hold_out:
            return parted(self._asked_for(), self.hold_out, "hold_out")[1]
        name = HELD_OUT.get(self.source.lower())
        if name is None:
            raise InputError(
                f"{self.source} has no held-out part: say which share of its images is not to be trained on, for "
                "instance hold_out = 0.1"
            )
        return domain(name, self.side, resize=self.resize)

    def _asked_for(self) -> Domain:
        if is_drawn(self.source):
            return self._drawn(self.source)
        whole = self._folder_or_name(self.source)
        return whole if self.images is None and self.offset == 0 else self._rows(whole)

    def _drawn(self, name: str, classes: tuple[str, ...] | None = None) -> Domain:
        if self.offset:
            raise InputError(f"offset={self.offset}: {name} is drawn anew, in any number; leave offset out")
        return domain(name, self.side, classes=classes, resize=self.resize, images=self.images)

    def _rows(self, whole: Domain) -> Domain:
        end = len(whole) if self.images is None else self.offset + self.images
        if self.offset >= len(whole) or end > len(whole):
            last = f"{self.images:,} of them" if self.images is not None else "the rest"
            raise InputError(
                f"{last} from number {self.offset:,}: {whole.name} has {len(whole):,} images, numbered from 0; give "
                "fewer images or a smaller offset"
            )
        return some_of(whole, self.images, self.offset)

    def load_target(self, name: str, source_classes: tuple[str, ...]) -> Domain:
        """Another domain, prepared as the source was and with the source's class numbers; drawn ones in its number."""
        if is_drawn(name):
            return self._drawn(name, source_classes)
        return self._folder_or_name(name, source_classes)

    def _folder_or_name(self, name: str, classes: tuple[str, ...] | None = None) -> Domain:
        return domain(
            name, self.side, classes=classes, resize=self.resize, leave_out_unreadable=self.leave_out_unreadable
        )

    @property
    def side(self) -> Size:
        """Side, or height and width, to which images are resized, if they are."""
        return self.size or (ConvNet.SIDE if self.model == CONVNET else None)

    def watched(self, source: Domain) -> dict[str, Domain]:
        """The domains to watch."""
        held_out = HELD_OUT.get(self.source.lower())
        names = self.watch if self.watch is not None else (held_out,) if held_out else ()
        found = {name: self.load_target(name, source.classes) for name in names}
        if self.watch_images is None:
            return found
        return {name: some_of(each, self.watch_images, what="watch_images") for name, each in found.items()}

    def check_model(self) -> None:
        """Refuse a model that can't be built, as far as that is known before the source is read."""
        check_model(self.model, pretrained=self.pretrained)
        if self.weights is not None and not names_file(self.weights):
            raise InputError(
                f"weights={self.weights!r} is not a file; expected a model's weights, .safetensors or .pth"
            )

    def build_model(self, classes: int, seed: int, warn: Warn = print) -> Split:
        """The model with its initial weights, which follow from ``seed`` where they come from no file or library."""
        model = build_model(
            self.model,
            classes,
            seed,
            dropout=self.dropout,
            width=self.width,
            weights=self.weights,
            pretrained=self.pretrained,
            size=checked_size(self.side),
            warn=warn,
        )
        return split(model, self.head)

    def rebuild_model(self, classes: int, seed: int) -> Split:
        """The model for weights that will replace all of its own, so that none are read or fetched for it."""
        model, _, body = self.model.partition(":")
        bare = model if model in FCNS and body else self.model
        return replace(self, model=bare, weights=None, pretrained=False).build_model(classes, seed)

    def build_model_for(self, source: Domain, seed: int, warn: Warn = print) -> Split:
        """The same for a source; a model that doesn't give one score for each of its classes is refused."""
        if source.segmented and self.model == CONVNET:
            raise InputError(
                f"{source.name} has masks, a class for each pixel, and the {CONVNET} gives one for each image; use a "
                f'model for masks: model = "{next(reversed(FCNS))}", {next(iter(FCNS))} or FILE.py:FUNCTION'
            )
        if not source.segmented and self.model.startswith(f"{SegmentationModels.prefix}:"):
            raise InputError(
                f'model="{self.model}" gives a class for each pixel, and {source.name} has one for each image; use '
                "timm:NAME or torchvision:NAME, or give the folder of masks as masks:FOLDER"
            )
        classes = len(source.classes)
        net = self.build_model(classes, seed, warn)
        with Engine(device="cpu").seeded(seed):  # a model of the user's may draw even in evaluation
            given = count_classes(net, source.images, pixels=source.segmented)
            refuse_other_heads(net, source.images)
        if given != classes:
            raise InputError(
                f'model="{self.model}": called with classes={classes} it gives {given} scores, expected {classes}, one '
                f"for each class of {source.name}; let its last layer have as many as classes= says"
            )
        return net

    def asdict(self) -> dict[str, Any]:
        """Every field by name, for a config file; those that came later only where they aren't as before."""
        usual = {f.name: f.default for f in fields(self)}
        return {n: v for n, v in to_json(self).items() if n not in LATER or v != usual[n]}


def as_the_model_expects(given: Mapping[str, Any], warn: Warn = print) -> dict[str, Any]:
    """These fields of a job, with the size and the kernel that a library's model was made for where none are given."""
    fields_given = dict(given)
    expected = expected_images(given["model"]) if isinstance(given.get("model"), str) else None
    if (
        expected is None or given.get("source", DEFAULT_SOURCE) in names()
    ):  # built-in and real sets have sizes of their own
        return fields_given
    if fields_given.get("size") is None and expected.size is not None:
        height, width = expected.size
        fields_given["size"] = height if height == width else expected.size
    if "resize" not in fields_given:
        if expected.interpolation in KERNELS:
            fields_given["resize"] = expected.interpolation
        else:
            warn(
                f"{given['model']} was made for images resized by {expected.interpolation}; {KERNELS[0]} is used, of "
                f"{', '.join(KERNELS)}"
            )
    return fields_given


def parted(whole: Domain, share: float, what: str) -> tuple[Domain, Domain]:
    """What is left to train on and the share held out for ``what``: the same of each class, the same rows each time."""
    kept, out = _parted_rows(whole, share, what)
    return whole.part(kept), whole.part(out)


def _parted_rows(whole: Domain, share: float, what: str) -> tuple[Tensor, Tensor]:
    kept, out = split_rows(whole.labels, len(whole.classes), share, generator(0, what.replace("_", " ")))
    if not len(out) or not len(kept):
        raise InputError(
            f"{what}={share:g} of the {len(whole):,} images of {whole.name} leaves {len(kept):,} to train on and "
            f"{len(out):,} held out; expected some of both"
        )
    return kept, out


def job_problems(fields_given: Mapping[str, Any]) -> list[str]:
    """Everything wrong with these fields of a job; those not given have their defaults."""
    values: dict[str, Any] = {f.name: f.default for f in fields(Job)} | dict(fields_given)
    wrong = type_problems(Job, values)
    for name, least in {"images": 1, "offset": 0, "watch_images": 1}.items():
        if is_whole(values[name]) and values[name] < least:
            wrong[name] = f"{name}={values[name]}: expected {least} or more"
    if "weights" not in wrong and values["weights"] and values["pretrained"] is True:
        wrong["weights"] = f"weights={values['weights']!r} and pretrained: expected one of them; leave the other out"
    if "hold_out" not in wrong and not 0 <= values["hold_out"] < 1:
        wrong["hold_out"] = f"hold_out={values['hold_out']}: expected a share from 0 to 1, such as 0.1"
    if "dropout" not in wrong and not 0 <= values["dropout"] < 1:
        wrong["dropout"] = f"dropout={values['dropout']}: expected 0 or more and below 1"
    if "width" not in wrong and not ConvNet.NARROWEST <= values["width"] <= ConvNet.WIDEST:
        wrong["width"] = ConvNet.width_problem(values["width"])
    if "size" not in wrong:
        try:
            checked_size(values["size"])
        except InputError as error:
            wrong["size"] = str(error)
    return list(wrong.values()) + ([] if "resize" in wrong else kernel_problems(values["resize"]))
