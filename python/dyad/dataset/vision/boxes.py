"""Transforms of what is inside of bounding boxes."""

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset._operation import TensorOperation
from dyad.dataset.transforms.composition import native_of
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = ["BoundingBoxAugment"]


class BoundingBoxAugment(ImageOperation):
    """Applies a transform to the inside of each bounding box with the probability `ratio`."""

    def __init__(self, transform: TensorOperation, ratio: float = 0.3) -> None:
        self.transform = _arguments.require_kind(
            "BoundingBoxAugment", "transform", transform, TensorOperation
        )
        self.ratio = _arguments.probability("BoundingBoxAugment", ratio, "ratio")

    def for_arrays(self):
        """The native transform around that of the inside."""
        attributes = {"transforms": [native_of(self.transform)], "ratio": self.ratio}
        return _core.data.make_transform("bounding_box_augment", attributes)
