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


def extreme(find, arg, input, axis, keepdims, initial=None, where=None, return_indices=False):
    options = {} if initial is None else {"initial": initial}
    mask = True if where is None else where
    value = find(input, axis=axis, keepdims=keepdims, where=mask, **options)
    return (value, arg(input, axis=axis, keepdims=keepdims)) if return_indices else value


def place_along(values, indices, axis, size):
    shape = list(values.shape)
    shape[axis] = size[0] if isinstance(size, tuple) else size
    out = np.zeros(shape, values.dtype)
    for at in np.ndindex(values.shape):
        to = list(at)
        to[axis] = indices[at]
        out[tuple(to)] += values[at]
    return out


def cumulate(scan, start, input, axis, exclusive=False, reverse=False):
    values = np.flip(input, axis) if reverse else input
    out = scan(values, axis=axis)
    if exclusive:
        out = np.roll(out, 1, axis)
        first = [slice(None)] * out.ndim
        first[axis] = slice(0, 1)
        out[tuple(first)] = start
    return np.flip(out, axis) if reverse else out


def cumprod_grad(gradient, input, axis, exclusive=False, reverse=False):
    """The sum over results k of gradient[k] times the product of their factors other than i."""
    out = np.zeros(input.shape, np.float64)
    for i in range(input.shape[axis]):
        others = np.array(input, np.float64)
        picked = [slice(None)] * input.ndim
        picked[axis] = i
        others[tuple(picked)] = 1
        products = cumulate(np.cumprod, 1, others, axis, exclusive, reverse)
        takes_part = np.zeros(input.shape)
        takes_part[tuple(picked)] = 1
        reached = cumulate(np.cumsum, 0, takes_part, axis, exclusive, reverse)
        out[tuple(picked)] = np.sum(gradient * products * reached, axis=axis)
    return out


def running_extreme(takes, input, axis):
    values = np.moveaxis(np.array(input), axis, 0)
    index = np.zeros(values.shape, np.int64)
    for i in range(1, values.shape[0]):
        chosen = takes(values[i], values[i - 1])
        index[i] = np.where(chosen, i, index[i - 1])
        values[i] = np.where(chosen, values[i], values[i - 1])
    return np.moveaxis(values, 0, axis), np.moveaxis(index, 0, axis)


def diff(input, n=1, axis=-1, prepend=None, append=None):
    given = {name: piece for name, piece in (("prepend", prepend), ("append", append)) if piece is not None}
    return np.diff(input, n, axis, **given)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    integrate = getattr(np, "trapezoid", None) or np.trapz
    return integrate(y, x, dx=dx, axis=axis)


def vector_norm(x, ord=2, axis=None, keepdims=False):
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    size = np.abs(x).astype(np.float64)
    if ord == np.inf:
        return np.max(size, axis=axes, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axes, keepdims=keepdims)
    if ord == 0:
        return np.count_nonzero(x, axis=axes, keepdims=keepdims).astype(np.float32)
    return np.sum(size**ord, axis=axes, keepdims=keepdims) ** (1 / ord)


def renorm(input, p, axis, maxnorm):
    others = tuple(i for i in range(input.ndim) if i != axis % input.ndim)
    length = np.sum(np.abs(input) ** p, axis=others, keepdims=True) ** (1 / p)
    return input * np.where(length > maxnorm, maxnorm / (length + 1e-7), 1)


def count_over(input, axis):
    axes = (axis,) if isinstance(axis, int) else axis
    return np.array(np.prod([input.shape[i] for i in axes]), input.dtype)


def pdist(input, p):
    rows = input.shape[-2]
    first, second = np.triu_indices(rows, 1)
    return np.linalg.norm(input[..., first, :] - input[..., second, :], p, axis=-1)


def weighed_scan(values, input, result, axis, reverse=False):
    """The sums of values times exp(input[i] - result[k]), pair by pair."""
    if np.ndim(values) == 0:
        return values * np.exp(input - result)
    values, input, result = (
        np.moveaxis(np.asarray(a, np.float64), axis, -1) for a in (values, input, result)
    )
    pairs = np.tril(np.exp(input[..., None, :] - result[..., :, None]))
    out = np.einsum("...ki,...k->...i" if reverse else "...ki,...i->...k", pairs, values)
    return np.moveaxis(out, -1, axis)


def sum_to_size(input, size):
    added = input.ndim - len(size)
    axes = [i for i in range(input.ndim) if i < added or size[i - added] != input.shape[i]]
    return np.sum(input, axis=tuple(axes), keepdims=True).reshape(size)


def cumulative_logsumexp(input, axis, exclusive, reverse):
    x = np.flip(input, axis) if reverse else input
    if exclusive:
        nothing = np.full_like(np.take(x, [0], axis), -np.inf)
        x = np.concatenate([nothing, np.take(x, range(x.shape[axis] - 1), axis)], axis)
    result = np.logaddexp.accumulate(x, axis=axis)
    return np.flip(result, axis) if reverse else result


def mean(x, axis, keepdims, dtype):
    """The mean of integers is cut to an integer of their dtype, unless a dtype is given."""
    axis = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    found = np.mean(x, axis=axis or None if isinstance(axis, tuple) else axis, keepdims=keepdims)
    whole = np.issubdtype(np.asarray(x).dtype, np.integer) and dtype is None
    return np.trunc(found).astype(x.dtype) if whole else found
