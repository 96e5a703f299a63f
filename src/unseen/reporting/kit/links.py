"""Which transformations an image went through, and how far each went, in words."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.transforms.chains import Chains, Links

Went = Sequence[tuple[str, float]]
"""the transformations of one image in their order, and how far each went: 0 changes nothing, 1 is its range's end"""


def how_far(chains: Chains, links: Links) -> list[Went]:
    """For each image: the mean of |u| over the parameters of each transformation in its chain."""
    found: list[Went] = []
    for which, u in zip(links.which.tolist(), links.u.detach().abs(), strict=True):
        taken = [(chains.transforms[i], u[link]) for link, i in enumerate(which) if i >= 0]
        found.append([(each.name, float(far[: each.parameters].mean())) for each, far in taken])
    return found


def in_words(went: Went) -> str:
    """``colour 0.8 · affine 0.4``."""
    return " · ".join(parts(went))


def parts(went: Went) -> list[str]:
    """``colour 0.8`` and the like, one for each; a user's own transformation goes by its name."""
    return [f"{name} {far:.1f}" for name, far in went]
