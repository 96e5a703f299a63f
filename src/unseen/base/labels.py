"""What labels mean to the loss and to whatever is measured."""

from __future__ import annotations

VOID = 255
"""In a mask, the label of a pixel that has none: it counts neither in the loss nor in the mIoU."""
