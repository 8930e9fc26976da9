"""Mixtures of the images of a batch, with their labels."""

from typing import Any

import numpy

from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation, PyTensorOperation, TensorOperation
from dyad.dataset.vision.enums import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]

_LARGEST = 16777216


def _alpha(reader, alpha):
    value = _arguments.number(reader, "alpha", alpha, 0, _LARGEST)
    if value == 0:
        raise ValueError(f"{reader}: alpha is {alpha}; need a number above 0")
    return value


class CutMixBatch(TensorOperation):
    """CutMix: copies a rectangle of another image of the batch into each image, with probability `prob`.

    Accepts a batch of images and one of labels, (batch, classes) or (batch, rows, classes). The share of the area
    that is kept is drawn from Beta(`alpha`, `alpha`); labels, as float32, are mixed in the same proportion.
    """

    def __init__(self, image_batch_format: ImageBatchFormat, alpha=1.0, prob: float = 1.0) -> None:
        reader = "CutMixBatch"
        form = _arguments.require_kind(reader, "image_batch_format", image_batch_format, ImageBatchFormat)
        self._attributes = {
            "channels_last": form is ImageBatchFormat.NHWC,
            "alpha": _alpha(reader, alpha),
            "prob": _arguments.probability(reader, prob),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "cutmix_batch", self._attributes


class MixUpBatch(TensorOperation):
    """MixUp: mixes each image with another one of the batch, with one weight drawn from Beta(`alpha`, `alpha`).

    Accepts a batch of images and one of labels, (batch, classes) or (batch, rows, classes), which become float32.
    """

    def __init__(self, alpha=1.0):
        self._attributes = {"alpha": _alpha("MixUpBatch", alpha)}

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "mixup_batch", self._attributes


class MixUp(PyTensorOperation):
    """MixUp: mixes each image of a batch with the next one, with a weight per image from Beta(`alpha`, `alpha`).

    Accepts a batch of `batch_size` images and one of labels; both become float64. If `is_single` is False, images are
    mixed with the result of the previous batch. That depends on the order in which batches are computed, so this runs
    in Python; a batch of another shape than the previous one is mixed with itself.
    """

    implementation = Implementation.PY

    _before = None

    def __init__(self, batch_size: int, alpha, is_single: bool = True) -> None:
        self._batch_size = _arguments.integer("MixUp", "batch_size", batch_size, 1, _LARGEST)
        self._alpha = _alpha("MixUp", alpha)
        self._is_single = _arguments.require_kind("MixUp", "is_single", is_single, bool)

    def apply(self, columns, random) -> tuple:
        """(images, labels) mixed."""
        images, labels = self._checked(columns)
        weights = numpy.array([random.betavariate(self._alpha, self._alpha) for _ in range(self._batch_size)])
        others = self._others(images, labels)
        mixed = tuple(
            _mixed(own, other, weights) for own, other in zip((images, labels), others, strict=True)
        )
        if not self._is_single:
            self._before = mixed
        return mixed

    def _checked(self, columns):
        if len(columns) != 2:
            raise ValueError(f"MixUp: {len(columns)} columns were given; need two, the images and the labels")
        for name, column in zip(("images", "labels"), columns, strict=True):
            if not isinstance(column, numpy.ndarray):
                raise TypeError(f"MixUp: the {name} are of type {type(column).__name__}; need a NumPy array")
            if column.ndim == 0 or len(column) != self._batch_size:
                raise ValueError(f"MixUp: the {name} have shape {column.shape}; need {self._batch_size} rows")
        return columns

    def _others(self, images, labels):
        """The images and labels to mix with."""
        if self._is_single:
            return numpy.roll(images, -1, axis=0), numpy.roll(labels, -1, axis=0)
        before = self._before
        if before is None or before[0].shape != images.shape or before[1].shape != labels.shape:
            return images, labels
        return before

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "_before"}


def _mixed(own, other, weights):
    weights = weights.reshape((-1,) + (1,) * (own.ndim - 1))
    return weights * own + (1 - weights) * other
