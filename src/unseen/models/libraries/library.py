"""What unseen asks of a library of models."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import nn

from unseen.errors import InputError, UnseenError

IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NEAR = 3
"""names that a message proposes"""


@dataclass(frozen=True)
class Expected:
    """The images that a model was made for."""

    mean: tuple[float, ...] = IMAGENET_MEAN
    deviation: tuple[float, ...] = IMAGENET_DEVIATION
    size: tuple[int, int] | None = None
    """height and width; None where any will do"""
    interpolation: str = "bilinear"
    """the kernel that images were resized with"""


class Library(ABC):
    """A library of models by name. It is imported when it is asked for something."""

    prefix: str

    @abstractmethod
    def check(self, name: str) -> None:
        """Refuse a name that the library doesn't have, with names that are near."""

    def has(self, name: str) -> bool:
        """Whether the library is installed and has the name."""
        try:
            self.check(name)
        except InputError:
            return False
        return True

    @abstractmethod
    def expected(self, name: str, *, pretrained: bool = False) -> Expected:
        """What the model expects of its images."""

    @abstractmethod
    def make(self, name: str, classes: int, *, size: tuple[int, int] | None, pretrained: bool) -> nn.Module:
        """The model with a new last layer for so many classes, for images of that size where it has to know."""

    def unknown(self, name: str, known: list[str]) -> InputError:
        """The error of a name that isn't among the known."""
        near = difflib.get_close_matches(name.lower(), known, n=NEAR, cutoff=0.5)
        proposed = f"; near are {', '.join(f'{self.prefix}:{n}' for n in near)}" if near else ""
        return InputError(
            f'model="{self.prefix}:{name}": expected one of the {len(known):,} models of {self.prefix}{proposed}'
        )

    @contextmanager
    def fetching(self, name: str) -> Iterator[None]:
        """Inside: pre-trained weights that can't be had are one message, whatever the library raises."""
        try:
            yield
        except UnseenError:
            raise
        except Exception as error:  # each library, and the hub's client below it, has errors of its own
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(
                f'model="{self.prefix}:{name}": its pre-trained weights are not on this machine and could not be '
                f"fetched ({said}); connect and try again, copy the cache (~/.cache/huggingface/hub or "
                "~/.cache/torch/hub) from a machine that has them, give a file (--weights FILE, in Python weights=), "
                "or leave --pretrained out and train from nothing"
            ) from error
