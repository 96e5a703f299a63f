"""What a model is measured by, in the words and units of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """The accuracy, or where labels are masks the mIoU."""

    name: str
    unit: str
    """of a difference"""
    over_images: bool
    """whether it is a share of images, so that there is chance, and an interval over the images"""
    meaning: str

    @property
    def title(self) -> str:
        """The name at the beginning of a sentence."""
        return self.name[0].upper() + self.name[1:] if self.over_images else self.name


ACCURACY = Measure("accuracy", "points", True, "Accuracy is the share of images whose highest score is the true class")
MIOU = Measure(
    "mIoU",
    "points of mIoU",
    False,
    "IoU of a class: the pixels that are of this class and are given it, as a share of those that are or are given it. "
    "mIoU is the mean over the classes that are in the truth or in an answer, from one count over all images of the "
    "domain; unlabelled pixels count nowhere",
)
