"""The gradient of the outputs that a backward pass starts from, and gradients of broadcast inputs."""

from collections.abc import Iterable

from dyad._core import GraphNumber, Tensor, as_tensor
from dyad._src.operators import broadcast_to
from dyad._src.tensor.mutable import MutableNumber
from dyad._src.tensor.sparse_base import SparseTensorBase

_MISFIT = object()


def require_seeds(owner, given, output, outputs):
    """One Tensor for each of `outputs`, the Tensors of the structure `output`, with its dtype and shape.

    The gradients have the structure of the output, in which those of constants do not count, or are just as many
    Tensors.
    """
    seeds = _paired(given, output)
    if seeds is _MISFIT or len(seeds) != len(outputs):
        seeds = _flat(given)
    if len(seeds) != len(outputs):
        raise RuntimeError(
            f"{owner}: {len(seeds)} output gradients were given for {len(outputs)} outputs; need one for each"
        )
    return [_require_seed(owner, seed, output) for seed, output in zip(seeds, outputs, strict=True)]


def _paired(given, output):
    """The gradients at the positions of the output's Tensors; `_MISFIT` if the structures differ."""
    if isinstance(output, Tensor):
        return [given] if _is_seed(given) else _MISFIT
    if isinstance(output, SparseTensorBase):
        return [given.values] if isinstance(given, type(output)) else _MISFIT
    if isinstance(output, (tuple, list)):
        if not isinstance(given, (tuple, list)) or len(given) != len(output):
            return _MISFIT
        pairs: Iterable[tuple] = zip(given, output, strict=True)
    elif isinstance(output, dict):
        if not isinstance(given, dict) or given.keys() != output.keys():
            return _MISFIT
        pairs = ((given[key], part) for key, part in output.items())
    else:
        return _MISFIT if isinstance(given, (tuple, list, dict)) else []
    seeds = []
    for seed, part in pairs:
        found = _paired(seed, part)
        if found is _MISFIT:
            return _MISFIT
        seeds += found
    return seeds


def _is_seed(value):
    return isinstance(value, (Tensor, int, float, GraphNumber, MutableNumber))


def _flat(given):
    if isinstance(given, (tuple, list)):
        return [seed for part in given for seed in _flat(part)]
    if isinstance(given, dict):
        return _flat(tuple(given.values()))
    return [given] if _is_seed(given) else []


def _require_seed(owner, seed, output):
    if isinstance(seed, MutableNumber):
        seed = seed.number
    if isinstance(seed, GraphNumber):
        seed = as_tensor(seed, output.dtype)
    if not isinstance(seed, Tensor):
        seed = Tensor(seed, output.dtype)
    if seed.dtype != output.dtype:
        raise TypeError(
            f"{owner}: an output gradient has dtype {seed.dtype}; need that of the output, {output.dtype}"
        )
    if all(isinstance(size, int) and size == 1 for size in (*seed.shape, *output.shape)):
        # A loss of shape (1,) may have a scale of shape (), and vice versa.
        return seed.reshape(output.shape)
    if seed.ndim != output.ndim or any(map(_differ, seed.shape, output.shape)):
        error = ValueError if seed.ndim else RuntimeError
        raise error(
            f"{owner}: an output gradient has shape {seed.shape}; need that of the output, {output.shape}"
        )
    if all(isinstance(size, int) for size in (*seed.shape, *output.shape)):
        return seed
    return broadcast_to(seed, output.shape)  # when the graph runs, it refuses another size


def _differ(one, other):
    """Returns whether two sizes are known to be unequal. A dynamic one is neither 0 nor 1."""
    if isinstance(one, int) and isinstance(other, int):
        return one != other
    return any(isinstance(size, int) and size < 2 for size in (one, other))


def broadcasts(shape, wanted):
    """Returns whether a tensor of one shape broadcasts to another; dynamic dimensions are assumed to fit."""
    if len(shape) > len(wanted):
        return False
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return all(size in (1, other, -1) or other == -1 for size, other in pairs)


def reduced_to(gradient, shape, dtype):
    """The gradient summed over the axes that an input of this shape was broadcast along, in the dtype of the input.

    A gradient that the shape does not broadcast to is returned unchanged: the caller reports the error.
    """
    if gradient.shape != shape and broadcasts(shape, gradient.shape):
        leading = gradient.ndim - len(shape)
        if leading:
            gradient = gradient.sum(tuple(range(leading)))
        repeated = tuple(
            axis
            for axis, (size, given) in enumerate(zip(shape, gradient.shape, strict=True))
            if isinstance(size, int) and size == 1 and not (isinstance(given, int) and given == 1)
        )
        if repeated:
            gradient = gradient.sum(repeated, keepdims=True)
    return gradient if gradient.dtype == dtype else gradient.astype(dtype)
