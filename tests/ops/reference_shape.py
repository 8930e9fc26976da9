"""NumPy references of the shape operators that are more than one call."""

import itertools

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


def squeeze(input, axis):
    """NumPy refuses an axis of another size than 1; here it stays."""
    axes = range(input.ndim) if axis in (None, ()) else np.atleast_1d(axis)
    return np.squeeze(input, tuple(int(d) for d in axes if input.shape[d] == 1))


def transpose_axes(input, axes):
    return np.transpose(input, axes or None)


def broadcast_to(input, shape):
    lead = len(shape) - input.ndim
    sizes = [input.shape[d - lead] if size == -1 else size for d, size in enumerate(shape)]
    return np.broadcast_to(input, sizes)


def _slices(starts, stops, steps):
    return tuple(
        slice(start, None if stop == -1 else stop, step)
        for start, stop, step in zip(starts, stops, steps, strict=True)
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


def _bounds(size, step):
    return [*range(0, size, step), size] if size else [0, 0]


def _between(input, axis, bounds):
    return tuple(np.take(input, range(a, max(a, b)), axis) for a, b in itertools.pairwise(bounds))


def split(input, split_size_or_sections, axis):
    size = input.shape[axis]
    if isinstance(split_size_or_sections, int):
        return _between(input, axis, _bounds(size, split_size_or_sections))
    return _between(input, axis, [0, *np.cumsum(split_size_or_sections)])


def split_in(input_x, size_splits, split_dim):
    """As split; one size may be -1, which is what is left."""
    left = input_x.shape[split_dim] - sum(size for size in size_splits if size != -1)
    return split(input_x, [left if size == -1 else size for size in size_splits], split_dim)


def chunk(input, chunks, axis):
    size = input.shape[axis]
    return _between(input, axis, _bounds(size, max(1, -(-size // chunks))))


def tensor_split_at(input, indices, axis):
    return tuple(np.array_split(input, indices, axis))


def embed_diagonal(input, shape, offset, dim1, dim2):
    result = np.zeros(shape, input.dtype)
    places = np.diagonal(np.arange(result.size).reshape(shape), offset, dim1, dim2)
    result.reshape(-1)[places] = input
    return result


def diag_embed(input, offset, dim1, dim2):
    size = input.shape[-1] + abs(offset)
    result = np.zeros((*input.shape[:-1], size, size), input.dtype)
    places = np.arange(input.shape[-1])
    result[..., places + max(-offset, 0), places + max(offset, 0)] = input
    return np.moveaxis(result, (-2, -1), (dim1, dim2))


def pad_constant(input, before, after, value):
    margins = [(max(a, 0), max(b, 0)) for a, b in zip(before, after, strict=True)]
    cut = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for a, b, size in zip(before, after, input.shape, strict=True)
    )
    return np.pad(input[cut], margins, constant_values=value) if input.ndim else input


_PAD_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "symmetric": "symmetric"}


def _pad(input, margins, mode, value):
    if mode == "constant":
        return pad_constant(input, [a for a, _ in margins], [b for _, b in margins], value or 0)
    # A negative margin takes elements away before the others are read again.
    inner = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(margins, input.shape, strict=True)
    )
    return np.pad(input[inner], [(max(a, 0), max(b, 0)) for a, b in margins], mode=_PAD_MODES[mode])


def pad(input, padding, mode, value):
    margins = [(0, 0)] * input.ndim
    for i in range(len(padding) // 2):
        margins[-1 - i] = (padding[2 * i], padding[2 * i + 1])
    return _pad(input, margins, mode, value)


def block_diag(tensors):
    blocks = [np.atleast_2d(tensor) for tensor in tensors]
    result = np.zeros(np.sum([block.shape for block in blocks], axis=0), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        result[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return result


def cartesian_prod(tensors):
    return np.stack([plane.reshape(-1) for plane in np.meshgrid(*tensors, indexing="ij")], 1)


def combinations(input, r, with_replacement):
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(input, r))
    return np.array(rows, input.dtype).reshape(len(rows), r)


def strided_slice(
    input, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
):
    key = []
    for i, (start, stop, step) in enumerate(zip(begin, end, strides, strict=True)):
        if ellipsis_mask >> i & 1:
            key.append(...)
        elif new_axis_mask >> i & 1:
            key.append(None)
        elif shrink_axis_mask >> i & 1:
            key.append(start)
        else:
            key.append(
                slice(None if begin_mask >> i & 1 else start, None if end_mask >> i & 1 else stop, step)
            )
    return input[tuple(key)]


def slice_block(input, begin, size):
    return input[tuple(slice(a, None if n == -1 else a + n) for a, n in zip(begin, size, strict=True))]


def each_at_least(tensors, rank):
    return tuple((np.atleast_1d, np.atleast_2d, np.atleast_3d)[rank - 1](tensor) for tensor in tensors)


def places_of_letters(letters, among):
    return np.array([among.index(letter) for letter in letters])
