"""NumPy references of the shape operators that are more than one call."""

import numpy as np


def flatten(input, order, start_dim, end_dim):
    if input.ndim == 0:
        return input.reshape(1)
    if order == "F":
        input = input.T
    first, last = start_dim % input.ndim, end_dim % input.ndim
    return input.reshape(*input.shape[:first], -1, *input.shape[last + 1 :])


def unflatten(input, axis, sizes):
    axis %= input.ndim
    return input.reshape(*input.shape[:axis], *sizes, *input.shape[axis + 1 :])


def transpose_axes(input, axes):
    if len(axes) == 2 and input.ndim != 2:
        return np.swapaxes(input, *axes)
    return np.transpose(input, axes or None)


def broadcast_to(input, shape):
    lead = len(shape) - input.ndim
    sizes = [input.shape[d - lead] if size == -1 else size for d, size in enumerate(shape)]
    return np.broadcast_to(input, sizes)


def _slices(starts, stops, steps):
    return tuple(
        slice(start, None if stop == -1 else stop, step) for start, stop, step in zip(starts, stops, steps, strict=True)
    )


def slice_view(input, starts, stops, steps):
    return input[_slices(starts, stops, steps)]


def embed_slice(input, shape, starts, stops, steps):
    result = np.zeros(shape, input.dtype)
    result[_slices(starts, stops, steps)] = input
    return result


def narrow(input, axis, start, length):
    start = start + input.shape[axis] if start < 0 else start
    return np.take(input, range(start, start + length), axis)
