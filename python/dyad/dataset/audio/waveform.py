"""Base class of audio transforms written over NumPy."""

import numpy

from dyad import _core
from dyad.dataset._operation import PyTensorOperation


def real_array(owner, column, least_rank, meaning) -> numpy.ndarray:
    """The column as an array of float32 or float64 with enough dimensions; `meaning` names them in messages."""
    array = numpy.asarray(column)
    if array.dtype.kind not in "biuf" or array.ndim < least_rank:
        raise RuntimeError(
            f"{owner}: got an array of {array.dtype} with shape {array.shape}; need real numbers in shape {meaning}"
        )
    return array if array.dtype in (numpy.float32, numpy.float64) else array.astype(numpy.float32)


def complex_array(owner, column) -> numpy.ndarray:
    """The column (…, freq, time, 2) of real and imaginary parts as complex numbers (…, freq, time)."""
    array = real_array(owner, column, 1, "(..., 2), real and imaginary parts")
    if array.shape[-1] != 2:
        raise RuntimeError(
            f"{owner}: got an array with shape {array.shape}; need (..., 2), real and imaginary parts"
        )
    return array[..., 0] + 1j * array[..., 1]


def in_parts(array, dtype) -> numpy.ndarray:
    """Complex numbers (…) as (…, 2) of real and imaginary parts."""
    return numpy.stack([array.real, array.imag], -1).astype(dtype)


def generator_of(random):
    """NumPy's generator, started by Python's."""
    return numpy.random.Generator(numpy.random.Philox(random.getrandbits(64)))


def filtered(waveform, a, b, clamp: bool = False):
    """The waveform through a recurrence along its last axis."""
    attributes = {"owner": "LFilter", "a": list(map(float, a)), "b": list(map(float, b)), "clamp": clamp}
    return _core.data.make_transform("linear_filter", attributes)((waveform,), 0)[0]


class AudioOperation(PyTensorOperation):
    """A transform of one column of real numbers; `transform` gets it as float32 or float64."""

    least_rank = 1
    meaning = "(..., time)"

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        owner = type(self).__name__
        if len(columns) != 1:
            raise RuntimeError(f"{owner}: {len(columns)} columns were given; need one column")
        array = real_array(owner, columns[0], self.least_rank, self.meaning)
        made = self.transform(array)
        return (
            made
            if isinstance(made, tuple)
            else (numpy.ascontiguousarray(made, made.dtype).reshape(made.shape),)
        )

    def transform(self, array):
        """The array that it makes of an array."""
        raise TypeError(f"{type(self).__name__}: the class has no transform; override transform")
