"""NumPy references of sorting and searching."""

import numpy as np


def sort(input, axis=-1, descending=False):
    """Stable in both directions, NaN as the greatest."""
    if input.ndim == 0:
        return input, np.zeros((), np.int32)
    ranks = np.unique(input, return_inverse=True)[1].reshape(input.shape)
    index = np.argsort(-ranks if descending else ranks, axis=axis, kind="stable")
    return np.take_along_axis(input, index, axis), index.astype(np.int32)


def topk(input, k, axis=-1, largest=True):
    values, index = sort(input, axis, largest)
    return np.take(values, np.arange(k), axis), np.take(index, np.arange(k), axis)


def kth(input, k, axis=-1, keepdims=False):
    values, index = sort(input, axis)
    at = [k - 1] if keepdims else k - 1
    return np.take(values, at, axis), np.take(index, at, axis).astype(np.int64)


def distinct(input, sorted):
    values, first, inverse, counts = np.unique(
        input, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.arange(len(values)) if sorted else np.argsort(first)
    place = np.argsort(order)
    return values[order], place[inverse].reshape(input.shape).astype(np.int32), counts[order]


def searchsorted(sequence, values, right=False):
    side = "right" if right else "left"
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side)
    rows = zip(sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
    return np.stack([np.searchsorted(row, wanted, side) for row, wanted in rows]).reshape(values.shape)


def histc(input, bins, min, max):
    extent = (np.min(input), np.max(input)) if min == max else (min, max)
    return np.histogram(input, bins, extent)[0].astype(input.dtype)
