"""Conversions between arrays of str and arrays of bytes."""

import numpy


def to_bytes(array: numpy.ndarray, encoding="utf8") -> numpy.ndarray:
    """An array of str as bytes."""
    if not isinstance(array, numpy.ndarray):
        raise ValueError(f"to_bytes: array is of type {type(array).__name__}; need a NumPy array")
    if array.dtype.kind != "U":
        raise TypeError(f"to_bytes: the array has dtype {array.dtype}; need an array of str")
    return numpy.char.encode(array, encoding)


def to_str(array: numpy.ndarray, encoding="utf8") -> numpy.ndarray:
    """An array of bytes as str."""
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"to_str: array is of type {type(array).__name__}; need a NumPy array")
    if array.dtype.kind != "S":
        raise TypeError(f"to_str: the array has dtype {array.dtype}; need an array of bytes")
    return numpy.char.decode(array, encoding)
