"""The built-in street domains by name: three places in five conditions, rendered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from unseen import scenes
from unseen.data.domain import Domain, same_classes
from unseen.data.images import Size, checked_size
from unseen.data.mask_codes import make_codes
from unseen.data.streets.classes import CLASSES, CONDITIONS, IMAGES, PLACES, SIZE, SYNTHIA_IDS, SYNTHIA_VOID
from unseen.engine import cpu

NAMES = {f"{place}-{condition}": (place, condition) for place in PLACES for condition in CONDITIONS}
"""The place and the condition of each domain."""

_CODES = make_codes(SYNTHIA_IDS, SYNTHIA_VOID)


def load(
    name: str,
    *,
    size: Size = None,
    classes: Sequence[str] | None = None,
    images: int | None = None,
    seed: int = 0,
) -> Domain:
    """Scenes 0 to ``images`` - 1 (900 when not given) of that domain, rendered at ``size`` (192x320 when not given)."""
    same_classes(name, CLASSES, classes)
    place, condition = NAMES[name]
    count, (height, width) = IMAGES if images is None else images, checked_size(size) or SIZE
    needed = count * height * width * (3 * 4 + 8)
    cpu.check_memory(needed, f"{name} with images={count:,} of {height}x{width}", "ask for fewer or smaller ones")
    made = [scenes.render(place, condition, index=i, seed=seed, size=(height, width)) for i in range(count)]
    pixels = torch.from_numpy(np.stack([scene.image for scene in made])).movedim(3, 1).float() / 255
    labels = torch.from_numpy(np.stack([_CODES.decode(scene.ids)[0] for scene in made]))
    return Domain(name, pixels.contiguous(), labels, CLASSES, f"rendered, {count:,} scenes with seed {seed}")
