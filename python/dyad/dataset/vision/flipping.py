"""Mirrored images."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = [
    "HorizontalFlip",
    "RandomHorizontalFlip",
    "RandomHorizontalFlipWithBBox",
    "RandomVerticalFlip",
    "RandomVerticalFlipWithBBox",
    "VerticalFlip",
]


class HorizontalFlip(ImageOperation):
    """Mirrors an image from left to right."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "horizontal_flip", {}


class VerticalFlip(ImageOperation):
    """Mirrors an image from top to bottom."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "vertical_flip", {}


class _RandomFlip(ImageOperation):
    """A flip that happens with a probability."""

    _entry: str

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = _arguments.probability(type(self).__name__, prob)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return self._entry, {"prob": self.prob}


class RandomHorizontalFlip(_RandomFlip):
    """Mirrors an image from left to right with a probability; several columns are mirrored together."""

    _entry, gives_pil = "random_horizontal_flip", True


class RandomVerticalFlip(_RandomFlip):
    """Mirrors an image from top to bottom with a probability; several columns are mirrored together."""

    _entry, gives_pil = "random_vertical_flip", True


class RandomHorizontalFlipWithBBox(_RandomFlip):
    """Mirrors an image and its bounding boxes from left to right with a probability."""

    _entry = "random_horizontal_flip_with_boxes"


class RandomVerticalFlipWithBBox(_RandomFlip):
    """Mirrors an image and its bounding boxes from top to bottom with a probability."""

    _entry = "random_vertical_flip_with_boxes"
