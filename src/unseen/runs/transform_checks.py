"""Whether the transformations of a training can do what they are asked on its source, found before the first step."""

from __future__ import annotations

from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.transforms.transform import Transform, check_on


def check_transforms(ada: ADA, source: Domain) -> None:
    """Refuse transformations that break their promises on the source's images, or would leave its masks behind."""
    ascended = ada.ascended.transforms if ada.ascended and ada.K else ()
    augmented = ada.augmented.transforms if ada.augmented else ()
    for each in ascended:
        check_on(each, source.images[:2], ascended=ada.T_max > 0)
    for each in augmented:
        check_on(each, source.images[:2], ascended=False)
    if source.segmented:
        _check_masks(ada, [*ascended, *augmented], source)


def _check_masks(ada: ADA, transforms: list[Transform], source: Domain) -> None:
    for each in transforms:
        if each.moves and each.masks is None:
            raise InputError(f"{source.name}: {each.needs_mask_rule}")
    moving = sorted({f'"{each.name}"' for each in transforms if each.moves})
    if moving and ada.consistency:
        raise InputError(
            f"consistency={ada.consistency:g} compares views pixel by pixel, and {', '.join(moving)} moves pixels; "
            'leave out one of them, or use the set "photometric"'
        )
    if ada.contrast:
        raise InputError(
            f"contrast={ada.contrast:g}: {source.name} has masks, and the contrast needs one label for each image; "
            "leave contrast out"
        )
