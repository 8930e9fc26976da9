"""Operators that record a value in the open SummaryRecord, from anywhere in a program."""

from dyad._core import Tensor
from dyad._src.primitive.primitive import primitive_of
from dyad._src.tensor.summary_values import note

__all__ = ["HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummary"]


def _require_value(owner, name, value):
    if not isinstance(name, str):
        raise TypeError(f"{owner}: name is of type {type(name).__name__}; need a str")
    if name == "":
        raise ValueError(f"{owner}: name is empty; need a str with something in it")
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: value is of type {type(value).__name__}; need a Tensor")


def _scalar_summary(name, value):
    """Records `value`, a Tensor with one element and at most one dimension, under `name` at the next step recorded.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.ScalarSummary()("temperature", Tensor(0.5))
    """
    _require_value("ScalarSummary", name, value)
    if value.ndim > 1 or value.size != 1:
        raise ValueError(f"ScalarSummary: value has shape {value.shape}; need one element, in () or (1,)")
    note("scalar", name, value)


def _image_summary(name, value):
    """Records images, a Tensor [count, 1 or 3 channels, height, width], under `name` at the next step recorded.

    Example:
        >>> from dyad import ops
        >>> ops.ImageSummary()("inputs", ops.zeros((4, 1, 28, 28)))
    """
    _require_value("ImageSummary", name, value)
    if value.ndim != 4 or value.shape[1] not in (1, 3) or value.size == 0:
        raise ValueError(
            f"ImageSummary: value has shape {value.shape}; need 4 dimensions: pictures, 1 or 3 channels, height, width"
        )
    note("image", name, value)


def _tensor_summary(name, value):
    """Records all elements of `value`, a Tensor with dimensions, under `name` at the next step recorded.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.TensorSummary()("attention", Tensor([[0.2, 0.8]]))
    """
    _require_value("TensorSummary", name, value)
    if value.ndim == 0:
        raise ValueError("TensorSummary: value has shape (); need one dimension or more")
    note("tensor", name, value)


def _histogram_summary(name, value):
    """Records a histogram of `value`, a Tensor with dimensions, under `name` at the next step recorded.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.HistogramSummary()("activations", Tensor([0.1, 0.2, 0.9]))
    """
    _require_value("HistogramSummary", name, value)
    if value.ndim == 0:
        raise ValueError("HistogramSummary: value has shape (); need one dimension or more")
    note("histogram", name, value)


ScalarSummary = primitive_of("ScalarSummary", _scalar_summary)
ImageSummary = primitive_of("ImageSummary", _image_summary)
TensorSummary = primitive_of("TensorSummary", _tensor_summary)
HistogramSummary = primitive_of("HistogramSummary", _histogram_summary)
