"""The parts of initialisers that packages write their own with."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.tensor.initialization import fan, fan_in_and_out, gain, register_alias
from dyad._src.tensor.random import initializer_stream

__all__: list[str] = []


def _register(*aliases):
    """A decorator that lets an Initializer be named by these, and by its own name in lower case."""

    def register(cls):
        register_alias(cls, cls.__name__.lower(), *aliases)
        return cls

    return register


def _assignment(arr, num):
    """Writes a number or an array of the same shape into an array, which it returns."""
    arr[...] = numpy.reshape(num, arr.shape) if numpy.ndim(num) else num
    return arr


def _calculate_fan_in_and_fan_out(shape):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel)."""
    return fan_in_and_out(tuple(shape))


def _calculate_in_and_out(arr):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel), which is given itself."""
    return fan_in_and_out(arr.shape)


def _calculate_correct_fan(shape, mode):
    """Inputs or outputs per unit, as the mode, 'fan_in' or 'fan_out', says."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"_calculate_correct_fan: mode is {mode!r}; need 'fan_in' or 'fan_out'")
    return fan(tuple(shape), mode.lower())


def _calculate_gain(nonlinearity, param=None):
    """The factor that keeps the variance of activations through the nonlinearity; a slope of None is 0.01."""
    return gain(nonlinearity, 0.01 if param is None else param)


def _init_random_normal(mean, sigma, shape):
    """An array of normal draws."""
    return initializer_stream().normal(mean, sigma, shape).astype(numpy.float32)


def _init_random_uniform(a, b, shape):
    """An array of draws that are uniform between two numbers."""
    return initializer_stream().uniform(a, b, shape).astype(numpy.float32)
