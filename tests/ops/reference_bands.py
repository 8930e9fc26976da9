"""NumPy references of diagonals, bands and blocks."""

import numpy as np


def _band(k):
    k = (k,) if np.ndim(k) == 0 else tuple(k)
    return k[0], k[-1], len(k) == 1


def _length(rows, columns, offset):
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def _right(align, offset):
    return align.startswith("RIGHT") if offset >= 0 else align.endswith("RIGHT")


def _places(rows, columns, k, align):
    """(offset's row, position in the row, row, column) of each element of a band."""
    low, high, _ = _band(k)
    longest = max(_length(rows, columns, offset) for offset in range(low, high + 1))
    for offset in range(high, low - 1, -1):
        length = _length(rows, columns, offset)
        start = longest - length if _right(align, offset) else 0
        for i in range(length):
            yield high - offset, start + i, i - min(offset, 0), i + max(offset, 0)


def matrix_diag(x, k, num_rows, num_cols, padding_value, align):
    low, high, single = _band(k)
    rows = x.shape[-1] - min(high, 0)
    columns = x.shape[-1] + max(low, 0)
    if num_rows < 0 and num_cols < 0:
        rows = columns = max(rows, columns)
    rows = num_rows if num_rows >= 0 else rows
    columns = num_cols if num_cols >= 0 else columns
    stored = x[..., None, :] if single else x
    out = np.full((*stored.shape[:-2], rows, columns), padding_value, x.dtype)
    for d, i, r, c in _places(rows, columns, k, align):
        out[..., r, c] = stored[..., d, i]
    return out


def matrix_band_part(x, lower, upper):
    away = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    lower, upper = (np.asarray(reach)[..., None, None] for reach in (lower, upper))
    return np.where(((lower < 0) | (-away <= lower)) & ((upper < 0) | (away <= upper)), x, x.dtype.type(0))


def matrix_diag_part(x, k, padding_value, align):
    low, high, single = _band(k)
    longest = max(_length(*x.shape[-2:], offset) for offset in range(low, high + 1))
    out = np.full((*x.shape[:-2], high - low + 1, longest), padding_value, x.dtype)
    for d, i, r, c in _places(*x.shape[-2:], k, align):
        out[..., d, i] = x[..., r, c]
    return out[..., 0, :] if single else out


def matrix_set_diag(x, diagonal, k, align):
    stored = diagonal[..., None, :] if _band(k)[2] else diagonal
    out = x.copy()
    for d, i, r, c in _places(*x.shape[-2:], k, align):
        out[..., r, c] = stored[..., d, i]
    return out


def diagonal_scatter(input, src, offset, dim1, dim2):
    out = input.copy()
    view = np.diagonal(out, offset, dim1, dim2)
    view.flags.writeable = True
    view[...] = src
    return out


def fill_diagonal(input, fill_value, wrap):
    out = input.copy()
    if out.size:
        np.fill_diagonal(out, fill_value, wrap)
    return out


def space_to_batch(input, block, paddings):
    block = np.broadcast_to(block, len(paddings))
    lead = input.ndim - len(paddings)
    padded = np.pad(input, [(0, 0)] * lead + [tuple(p) for p in paddings])
    parts = []
    for at in np.ndindex(*block):
        steps = [slice(start, None, size) for start, size in zip(at, block, strict=True)]
        parts.append(padded[(..., *steps)])
    return np.concatenate(parts)


def batch_to_space(input, block, crops):
    block = np.broadcast_to(block, len(crops))
    lead = input.ndim - len(crops)
    groups = np.split(input, np.prod(block))
    sizes = [size * factor for size, factor in zip(input.shape[lead:], block, strict=True)]
    out = np.empty((groups[0].shape[0], *input.shape[1:lead], *sizes), input.dtype)
    for group, at in zip(groups, np.ndindex(*block), strict=True):
        out[(..., *[slice(start, None, size) for start, size in zip(at, block, strict=True)])] = group
    kept = [slice(low, size - high) for (low, high), size in zip(crops, sizes, strict=True)]
    return out[(..., *kept)]


def space_to_depth(input, block_size):
    parts = [input[:, :, i::block_size, j::block_size] for i, j in np.ndindex(block_size, block_size)]
    return np.concatenate(parts, 1)


def depth_to_space(input, block_size):
    groups = np.split(input, block_size**2, 1)
    n, c, h, w = groups[0].shape
    out = np.empty((n, c, h * block_size, w * block_size), input.dtype)
    for group, (i, j) in zip(groups, np.ndindex(block_size, block_size), strict=True):
        out[:, :, i::block_size, j::block_size] = group
    return out
