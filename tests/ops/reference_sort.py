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


def _middle(input, axis, keepdims, choose):
    lines = np.moveaxis(input if input.ndim else input.reshape(1), axis, -1)
    places = np.empty(lines.shape[:-1], np.int64)
    for at in np.ndindex(places.shape):
        places[at] = choose(lines[at])
    values = np.take_along_axis(lines, places[..., None], -1)[..., 0]
    if keepdims and input.ndim:
        return np.expand_dims(values, axis), np.expand_dims(places, axis)
    return values, places


def median(input, axis=-1, keepdims=False):
    def choose(line):
        missing = np.flatnonzero(np.isnan(line))
        return missing[0] if missing.size else np.argsort(line, kind="stable")[(line.size - 1) // 2]

    return _middle(input, axis, keepdims, choose)


def nanmedian(input, axis=-1, keepdims=False):
    def choose(line):
        there = max(np.count_nonzero(~np.isnan(line)), 1)
        return np.argsort(line, kind="stable")[(there - 1) // 2]

    return _middle(input, axis, keepdims, choose)


def in_top_k(x1, x2, k):
    def among(row, wanted):
        return 0 <= wanted < row.size and np.isfinite(row[wanted]) and np.count_nonzero(row > row[wanted]) < k

    return np.array([among(row, wanted) for row, wanted in zip(x1, x2, strict=True)], bool)


def list_difference(x, y):
    places = np.flatnonzero(~np.isin(x, y))
    return x[places], places.astype(np.int32)


def group_rows(input, consecutive):
    rows = [tuple(row) for row in input]
    if not consecutive:
        groups = sorted(set(rows))
        group = [groups.index(row) for row in rows]
        firsts = [rows.index(key) for key in groups]
        counts = [rows.count(key) for key in groups]
    else:
        firsts = [i for i, row in enumerate(rows) if i == 0 or row != rows[i - 1]]
        group = [np.searchsorted(firsts, i, "right") - 1 for i in range(len(rows))]
        counts = [group.count(i) for i in range(len(firsts))]
    return tuple(np.array(column, np.int64) for column in (firsts, group, counts))


def _groups(input, consecutive, return_inverse, return_counts, dim):
    along = input.reshape(-1) if dim is None else np.moveaxis(input, dim, 0)
    firsts, group, counts = group_rows(along.reshape(len(along), int(np.prod(along.shape[1:]))), consecutive)
    values = along[firsts] if dim is None else np.moveaxis(along[firsts], 0, dim)
    results = [values]
    if return_inverse:
        results.append(group.reshape(input.shape) if dim is None else group)
    if return_counts:
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    return _groups(input, True, return_inverse, return_counts, dim)


def unique_sorted(input, return_inverse=False, return_counts=False, dim=None):
    return _groups(input, False, return_inverse, return_counts, dim)
