"""NumPy references of the reductions that NumPy does not have under one name."""

import numpy as np


def sum_to(input, like):
    extra = input.ndim - like.ndim
    axes = tuple(i for i in range(input.ndim) if i < extra or like.shape[i - extra] != input.shape[i])
    return np.sum(input, axis=axes).reshape(like.shape)


def _extreme(find, arg, input, axis, keepdims):
    return find(input, axis=axis, keepdims=keepdims), arg(input, axis=axis, keepdims=keepdims)


def max_with_index(input, axis=None, keepdims=False):
    return _extreme(np.max, np.argmax, input, axis, keepdims)


def min_with_index(input, axis=None, keepdims=False):
    return _extreme(np.min, np.argmin, input, axis, keepdims)


def max(input, axis=None, keepdims=False):
    value, index = max_with_index(input, axis, keepdims)
    return value, np.zeros_like(index) if axis is None else index


def min(input, axis=None, keepdims=False):
    value, index = min_with_index(input, axis, keepdims)
    return value, np.zeros_like(index) if axis is None else index


def place_along(values, indices, axis, size):
    shape = list(values.shape)
    shape[axis] = size[0] if isinstance(size, tuple) else size
    out = np.zeros(shape, values.dtype)
    for at in np.ndindex(values.shape):
        to = list(at)
        to[axis] = indices[at]
        out[tuple(to)] += values[at]
    return out
