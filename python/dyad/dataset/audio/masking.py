"""Masks of times and frequencies of spectrograms (…, freq, time)."""

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import PyTensorOperation
from dyad.dataset.audio.waveform import real_array


def _require_axis(owner, axis):
    check.require_type(owner, "axis", axis, int)
    if axis not in (1, 2):
        raise ValueError(f"{owner}: axis is {axis}; need 1 for frequencies or 2 for times")
    return axis - 3


class _Mask(PyTensorOperation):
    """Sets a range along one axis to a value; `span` returns the range."""

    axis: int
    mask_value: float

    def span(self, size, random):
        """(start, width) along an axis of this size."""
        raise TypeError(f"{type(self).__name__}: the class has no span; override span")

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        owner = type(self).__name__
        array = real_array(owner, columns[0], 2, "(..., freq, time)").copy()
        start, width = self.span(array.shape[self.axis], random)
        along = numpy.moveaxis(array, self.axis, 0)
        along[start : start + width] = self.mask_value
        return (array,)


class MaskAlongAxis(_Mask):
    """Masks `mask_width` rows from `mask_start` on."""

    def __init__(self, mask_start: int, mask_width: int, mask_value: float, axis) -> None:
        self.mask_start = check.require_int("MaskAlongAxis", "mask_start", mask_start)
        self.mask_width = check.require_int("MaskAlongAxis", "mask_width", mask_width, 1)
        self.mask_value = check.finite("MaskAlongAxis", "mask_value", mask_value)
        self.axis = _require_axis("MaskAlongAxis", axis)

    def span(self, size, random):
        """The requested range."""
        return _fixed_span(type(self).__name__, self.mask_start, self.mask_width, size)


def _fixed_span(owner, start, width, size):
    if start + width > size:
        raise RuntimeError(f"{owner}: the mask is from {start} to {start + width}; the axis has size {size}")
    return start, width


def _random_span(owner, param, size, random):
    """A width in [0, param) and a start so that it fits."""
    if param > size:
        raise RuntimeError(f"{owner}: the mask may be {param} wide; the axis has size {size}")
    width = int(random.random() * param)
    return int(random.random() * (size - width)), width


class MaskAlongAxisIID(_Mask):
    """Masks a random range of less than `mask_param` rows."""

    def __init__(self, mask_param: int, mask_value: float, axis) -> None:
        self.mask_param = check.require_int("MaskAlongAxisIID", "mask_param", mask_param)
        self.mask_value = check.finite("MaskAlongAxisIID", "mask_value", mask_value)
        self.axis = _require_axis("MaskAlongAxisIID", axis)

    def span(self, size, random):
        """A run that is drawn."""
        return _random_span(type(self).__name__, self.mask_param, size, random)


class _RandomOrFixedMask(_Mask):
    """Base class of masks of times and of frequencies."""

    def take(self, iid_masks: bool, name, param: int, mask_start: int, mask_value: float) -> None:
        """Checks and stores the arguments."""
        owner = type(self).__name__
        self.iid_masks = check.require_type(owner, "iid_masks", iid_masks, bool)
        self.param = check.require_int(owner, name, param)
        self.mask_start = check.require_int(owner, "mask_start", mask_start)
        self.mask_value = check.finite(owner, "mask_value", mask_value)

    def span(self, size, random):
        """The requested range, or a random one."""
        owner = type(self).__name__
        if self.iid_masks:
            return _random_span(owner, self.param, size, random)
        return _fixed_span(owner, self.mask_start, self.param, size)


class FrequencyMasking(_RandomOrFixedMask):
    """Masks `freq_mask_param` frequencies from `mask_start` on, or a random run of fewer."""

    axis = -2

    def __init__(self, iid_masks: bool = False, freq_mask_param=0, mask_start=0, mask_value=0.0) -> None:
        self.take(iid_masks, "freq_mask_param", freq_mask_param, mask_start, mask_value)


class TimeMasking(_RandomOrFixedMask):
    """Masks `time_mask_param` times from `mask_start` on, or a random run of fewer."""

    axis = -1

    def __init__(self, iid_masks: bool = False, time_mask_param=0, mask_start=0, mask_value=0.0) -> None:
        self.take(iid_masks, "time_mask_param", time_mask_param, mask_start, mask_value)
