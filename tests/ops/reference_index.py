"""NumPy references of indexing, gathering and scattering."""

import numpy as np


def _key(indices):
    return tuple(slice(None) if index is None else index for index in indices)


def index(input, indices):
    return input[_key(indices)]


def embed_index(value, shape, indices):
    result = np.zeros(shape, value.dtype)
    np.add.at(result, _key(indices), value)
    return result


_UPDATES = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}


def index_update(input, indices, value, reduction):
    result = input.copy()
    if reduction == "none":
        result[_key(indices)] = value
    else:
        _UPDATES[reduction].at(result, _key(indices), value)
    return result


def take_within(input, indices, axis, mode):
    """An index before the first is counted from the end, and clipped like one behind the last."""
    size = input.size if axis is None else input.shape[axis]
    indices = np.clip(indices, -size, size - 1) if mode == "clip" else indices
    return np.take(input, indices, axis, mode="wrap" if mode == "clip" else mode)


def put(input, index, source, accumulate):
    flat = index_update(
        input.reshape(-1), [index.reshape(-1)], source.reshape(-1), "add" if accumulate else "none"
    )
    return flat.reshape(input.shape)


def index_put(input, indices, value, accumulate):
    return index_update(input, indices, value, "add" if accumulate else "none")


def gather(input, indices, axis, batch_dims):
    if batch_dims == 0:
        return np.take(input, indices, axis)
    pairs = [gather(a, b, axis % input.ndim - 1, batch_dims - 1) for a, b in zip(input, indices, strict=True)]
    return np.stack(pairs)


def _columns(indices):
    return tuple(np.moveaxis(indices, -1, 0))


def gather_nd(input, indices):
    return input[_columns(indices)]


def _element_key(axis, index):
    key = list(np.indices(index.shape))
    key[axis] = index
    return tuple(key)


def embedding_lookup(input, indices, offset):
    places = indices - offset
    inside = (places >= 0) & (places < len(input))
    rows = input[np.where(inside, places, 0)]
    return np.where(inside.reshape(inside.shape + (1,) * (input.ndim - 1)), rows, 0)


def gather_elements(input, dim, index):
    return input[_element_key(dim, index)]


def scatter_elements(input, axis, index, src, reduction):
    if np.ndim(src):
        src = src[tuple(slice(size) for size in index.shape)]
    return index_update(input, _element_key(axis, index), src, reduction)


def tensor_scatter(input, indices, updates, reduction):
    return index_update(input, _columns(indices), updates, reduction)


def unsorted_segment_sum(input, segment_ids, num_segments):
    result = np.zeros((num_segments, *input.shape[segment_ids.ndim :]), input.dtype)
    np.add.at(result, segment_ids[segment_ids >= 0], input[segment_ids >= 0])
    return result


def select_scatter(input, src, axis, index):
    result = np.moveaxis(input.copy(), axis, 0)
    result[index] = src
    return np.moveaxis(result, 0, axis)


def slice_scatter(input, src, axis, start, end, step):
    result = np.moveaxis(input.copy(), axis, 0)
    result[start:end:step] = np.moveaxis(src, axis, 0)
    return np.moveaxis(result, 0, axis)


def masked_select(input, mask):
    input, mask = np.broadcast_arrays(input, mask)
    return input[mask].reshape(-1)


def masked_scatter(input, mask, source):
    result = input.copy()
    mask = np.broadcast_to(mask, input.shape)
    result[mask] = source.reshape(-1)[: mask.sum()]
    return result


def one_hot(indices, depth, on_value, off_value, axis):
    hot = np.expand_dims(indices, -1) == np.arange(depth)
    return np.moveaxis(np.where(hot, on_value, off_value), -1, axis)


def unsorted_segment(join, bound, input, segment_ids, num_segments):
    """Results start from the least number where `bound` is -1, from the greatest where it is 1, else from 1."""
    limits = np.iinfo(input.dtype) if input.dtype.kind in "iu" else np.finfo(input.dtype)
    start = {-1: limits.min, 0: 1, 1: limits.max}[bound]
    out = np.full((num_segments, *input.shape[segment_ids.ndim :]), start, input.dtype)
    for at in np.ndindex(segment_ids.shape):
        if segment_ids[at] >= 0:
            out[segment_ids[at]] = join(out[segment_ids[at]], input[at])
    return out


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim):
    out = x.copy()
    read, write = np.moveaxis(x, (batch_dim, seq_dim), (0, 1)), np.moveaxis(out, (batch_dim, seq_dim), (0, 1))
    for i, length in enumerate(seq_lengths):
        write[i, :length] = read[i, :length][::-1]
    return out


def with_rows(x, v, indices, change):
    result = x.copy()
    rows = np.atleast_1d(np.asarray(indices))
    for row, place in enumerate(rows):
        if change == "set":
            result[place] = v[row]
        else:
            result[place] += v[row] if change == "add" else -v[row]
    return result
