"""Index arrays, coordinates, choices among arrays, and functions applied along axes."""

import builtins
import itertools

from dyad import _core, ops
from dyad._core import Tensor
from dyad.numpy.operand import as_tensor, as_tensors, require_int, require_ints

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "argwhere",
    "choose",
    "diag_indices",
    "indices",
    "ix_",
    "piecewise",
    "ravel_multi_index",
    "select",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def argwhere(a):
    """Coordinates, one row each, of the elements that are not zero."""
    return ops.nonzero(as_tensor(a))


def diag_indices(n, ndim=2) -> tuple:
    """Coordinates of the main diagonal of an array of `ndim` dimensions of size n."""
    n, ndim = require_int("diag_indices", "n", n, low=0), require_int("diag_indices", "ndim", ndim, low=0)
    return tuple(ops.arange(n).astype(_core.int32) for _ in range(ndim))


def indices(dimensions, dtype=_core.int32, sparse: bool = False) -> Tensor | tuple:
    """For each dimension an array of the positions along it; with `sparse`, of size 1 along all others."""
    dimensions = require_ints("indices", "dimensions", dimensions)
    grids = []
    for axis, size in enumerate(dimensions):
        shape = [1] * len(dimensions)
        shape[axis] = size
        grids.append(ops.arange(size).astype(dtype).reshape(shape))
    if sparse:
        return tuple(grids)
    return ops.stack([ops.broadcast_to(grid, dimensions) for grid in grids])


def ix_(*args) -> tuple:
    """Index arrays that select the grid of their entries; bool arrays stand for the indexes of true entries."""
    result = []
    for axis, given in enumerate(map(as_tensor, args)):
        if given.ndim != 1:
            raise ValueError(f"ix_: argument {axis} has shape {given.shape}; need 1 dimension")
        places = ops.nonzero(given).reshape(-1) if given.dtype == _core.bool_ else given
        shape = [1] * len(args)
        shape[axis] = places.size
        result.append(places.reshape(shape))
    return tuple(result)


def _whole(number):
    """A float that is a whole number, as an int; anything else as it is, for the operator to judge."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _triangle(make, n, k, m):
    n, k, m = map(_whole, (n, k, n if m is None else m))
    return tuple(make(n, m, k).astype(_core.int32))


def tril_indices(n, k=0, m=None):
    """Coordinates of the elements of an n by m array on and below its k-th diagonal."""
    return _triangle(ops.tril_indices, n, k, m)


def triu_indices(n, k=0, m=None):
    """Coordinates of the elements of an n by m array on and above its k-th diagonal."""
    return _triangle(ops.triu_indices, n, k, m)


def tril_indices_from(arr, k=0):
    """Coordinates on and below the k-th diagonal of an array of two dimensions."""
    return tril_indices(_rows("tril_indices_from", arr), k, as_tensor(arr).shape[1])


def triu_indices_from(arr, k=0):
    """Coordinates on and above the k-th diagonal of an array of two dimensions."""
    return triu_indices(_rows("triu_indices_from", arr), k, as_tensor(arr).shape[1])


def _rows(caller, arr):
    shape = as_tensor(arr).shape
    if len(shape) != 2:
        raise ValueError(f"{caller}: arr has shape {shape}; need 2 dimensions")
    return shape[0]


def unravel_index(indices, shape, order="C") -> tuple:
    """Coordinates of elements counted in the order of an array of that shape ('C' last axis fastest, 'F' first)."""
    sizes = require_ints("unravel_index", "shape", shape)
    rest = as_tensor(indices)
    coordinates = []
    for size in reversed(sizes) if _is_row_major("unravel_index", order) else sizes:
        coordinates.append(rest % size)
        rest = rest // size
    if rest.size and bool((rest != 0).any()):
        raise ValueError(f"unravel_index: an index lies outside of an array of shape {sizes}")
    return tuple(reversed(coordinates)) if order == "C" else tuple(coordinates)


def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """Numbers of the elements at coordinates; those outside are clipped or, with mode 'wrap', counted round."""
    if mode not in ("clip", "wrap"):
        raise ValueError(f"ravel_multi_index: mode is {mode!r}; need 'clip' or 'wrap'")
    pairs = list(zip(map(as_tensor, multi_index), dims, strict=True))
    total = None
    for places, size in pairs if _is_row_major("ravel_multi_index", order) else reversed(pairs):
        inside = places % size if mode == "wrap" else ops.clamp(places, 0, size - 1)
        total = inside if total is None else total * size + inside
    return total


def _is_row_major(caller, order):
    if order not in ("C", "F"):
        raise ValueError(f"{caller}: order is {order!r}; need 'C' or 'F'")
    return order == "C"


def choose(a, choices, mode="clip"):
    """Selects from arrays: element i of the result is element i of the array `choices[a[i]]`."""
    arrays = as_tensors("choose", "choices", choices)
    if mode not in ("clip", "wrap"):
        raise ValueError(f"choose: mode is {mode!r}; need 'clip' or 'wrap'")
    return as_tensor(a).choose(arrays, mode)


def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition is true; where none is, the default."""
    condlist = as_tensors("select", "condlist", condlist)
    choicelist = as_tensors("select", "choicelist", choicelist)
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: {len(condlist)} conditions meet {len(choicelist)} choices; need as many")
    result = as_tensor(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = ops.where(condition, choice, result)
    return result


def piecewise(x, condlist, funclist, *args, **kw) -> Tensor:
    """Values of the function whose condition is true; one function more than conditions serves where none is."""
    x = as_tensor(x)
    conditions = [as_tensor(c) for c in (condlist if isinstance(condlist, (list, tuple)) else [condlist])]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"piecewise: {len(conditions)} conditions meet {len(funclist)} functions; need as many"
        )
    values = [function(x, *args, **kw) if callable(function) else function for function in funclist]
    result = ops.zeros_like(x)
    if len(values) > len(conditions):
        result = result + values[-1]
    for condition, value in zip(conditions, values, strict=False):
        result = ops.where(condition, as_tensor(value).astype(x.dtype), result)
    return result.astype(x.dtype)


def apply_along_axis(func1d, axis, arr, *args, **kwargs) -> Tensor:
    """The function's results for each row of the array along an axis, in place of that row."""
    lines = as_tensor(arr).movedim(axis, -1)
    outer = lines.shape[:-1]
    results = [
        as_tensor(func1d(lines[place], *args, **kwargs)) for place in itertools.product(*map(range, outer))
    ]
    stacked = ops.stack(results).reshape(*outer, *results[0].shape)
    if results[0].ndim == 0:
        return stacked
    for position in range(results[0].ndim):
        stacked = stacked.movedim(len(outer) + position, axis % lines.ndim + position)
    return stacked


def apply_over_axes(func, a, axes):
    """The function applied over several axes in turn; a lost axis is restored with size 1."""
    result = as_tensor(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        reduced = func(result, axis)
        if not isinstance(reduced, Tensor) or reduced.ndim < result.ndim - 1:
            raise ValueError(f"apply_over_axes: the function returned {builtins.type(reduced).__name__}; "
                             "need an array of as many dimensions or one less")  # fmt: skip
        result = reduced if reduced.ndim == result.ndim else reduced.expand_dims(axis)
    return result
