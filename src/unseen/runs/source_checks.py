"""Whether a training's settings can do what they are asked on its source, found before the first step."""

from __future__ import annotations

from functools import partial

from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.errors import InputError
from unseen.method.practice import BALANCED
from unseen.method.settings import ADA
from unseen.transforms.callables import check_called
from unseen.transforms.transform import Transform, check_on


def check_classes(ada: ADA, source: Domain) -> None:
    """Refuse weights that aren't one for each of the source's classes, and an even draw of classes from masks."""
    given = len(ada.class_weights) if isinstance(ada.class_weights, tuple) else None
    if given not in (None, len(source.classes)):
        raise InputError(
            f"class_weights: got {given} numbers for the {len(source.classes)} classes of {source.name}; expected one "
            f"for each, in this order: {', '.join(source.classes)}"
        )
    if source.segmented and ada.minibatches == BALANCED:
        raise InputError(
            f'minibatches="{BALANCED}": {source.name} has masks, with many classes in one image; say '
            f'class_weights="{BALANCED}", which weighs pixels'
        )


def check_transforms(ada: ADA, source: Domain, engine: Engine) -> None:
    """Refuse transformations that break their promises on the source's images, or would leave its masks behind."""
    ascended = ada.ascended.transforms if ada.ascended and ada.K else ()
    augmented = ada.augmented.transforms if ada.augmented else ()
    for each in ascended:
        check_on(each, source.images[:2], ascended=ada.T_max > 0)
    for each in augmented:
        check_on(each, source.images[:2], ascended=False)
    masks = source.labels[:2] if source.segmented else None
    for call in ada.called:
        check_called(call, source.images[:2], masks, len(source.classes), partial(engine.seeded, alike=True))
    if source.segmented:
        _check_masks(ada, [*ascended, *augmented], source)


def _check_masks(ada: ADA, transforms: list[Transform], source: Domain) -> None:
    for each in transforms:
        if each.moves and each.masks is None:
            raise InputError(f"{source.name}: {each.needs_mask_rule}")
        if each.moves is None and each.kind == "viewpoint":
            raise InputError(
                f'{source.name}: transformation "{each.name}" is of the kind viewpoint, and the labels are masks: say '
                "moves=True and give it masks=, or moves=False where every pixel keeps its place"
            )
    names = [each.name for each in transforms if each.moves] + [call.name for call in ada.called]
    moving = sorted({f'"{name}"' for name in names})
    if moving and ada.consistency:
        raise InputError(
            f"consistency={ada.consistency:g} compares views pixel by pixel, and {', '.join(moving)} "
            f"{'may move' if ada.called else 'moves'} pixels; "
            'leave out one of them, or use the set "photometric"'
        )
    if ada.contrast:
        raise InputError(
            f"contrast={ada.contrast:g}: {source.name} has masks, and the contrast needs one label for each image; "
            "leave contrast out"
        )
