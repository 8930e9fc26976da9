"""NumPy references of elementwise operators that NumPy does not have under one name."""

import numpy as np


def cast(array, dtype):
    """The array in another dtype; a complex one loses its imaginary part without a warning."""
    array = np.asarray(array)
    return array if dtype is None else (array if np.dtype(dtype).kind in "cb" else array.real).astype(dtype)


def population_count(array):
    """Set bits of each integer, in the integer's dtype."""
    array = np.ascontiguousarray(array)
    bits = np.unpackbits(array[..., None].view(np.uint8), axis=-1)
    return bits.sum(axis=-1).astype(array.dtype)
