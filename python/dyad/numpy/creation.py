"""Making arrays."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base import argument_checks
from dyad._src.base.argument_checks import SettingError
from dyad.numpy.operand import as_dtype, as_tensor, require_flag, require_int, require_ints

__all__ = [
    "arange",
    "array",
    "asarray",
    "asfarray",
    "copy",
    "diag",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "tri",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def array(obj, dtype=None, copy: bool = True, ndmin=0):
    """A Tensor from numbers, sequences or arrays."""
    made = as_tensor(obj, dtype)
    if copy and made is obj:
        made = made.copy()
    while made.ndim < require_int("array", "ndmin", ndmin):
        made = made.expand_dims(0)
    return made


def asarray(a, dtype=None):
    """The value as a Tensor; a Tensor of this dtype is returned itself."""
    return as_tensor(a, dtype)


def asfarray(a, dtype=_core.float32):
    """The value as a Tensor of a float dtype: float32 in place of other dtypes."""
    dtype = as_dtype(dtype)
    return as_tensor(a, dtype if dtype is not None and dtype.is_floating_point else _core.float32)


def copy(a):
    """A Tensor of the same values in memory of its own."""
    return as_tensor(a).copy()


def full(shape, fill_value, dtype=None) -> Tensor:
    """A Tensor of this shape filled with `fill_value`, a number or something that broadcasts to the shape."""
    value = as_tensor(fill_value, dtype)
    return ops.broadcast_to(value, require_ints("full", "shape", shape)).copy()


def zeros(shape, dtype=_core.float32) -> Tensor:
    """A Tensor of zeros of this shape."""
    return ops.zeros(shape, as_dtype(dtype))


def ones(shape, dtype=_core.float32) -> Tensor:
    """A Tensor of ones of this shape."""
    return ops.ones(shape, as_dtype(dtype))


def empty(shape, dtype=_core.float32) -> Tensor:
    """Zeros: memory with arbitrary contents would make programs that read it unrepeatable."""
    return zeros(shape, dtype)


def full_like(a, fill_value, dtype=None, shape=None) -> Tensor:
    """A Tensor filled with `fill_value`; shape and dtype are those of `a` unless they are given."""
    like = as_tensor(a)
    return full(like.shape if shape is None else shape, fill_value, dtype or like.dtype)


def zeros_like(a, dtype=None, shape=None):
    """A Tensor of zeros; shape and dtype are those of `a` unless they are given."""
    return full_like(a, 0, dtype, shape)


def ones_like(a, dtype=None, shape=None):
    """A Tensor of ones; shape and dtype are those of `a` unless they are given."""
    return full_like(a, 1, dtype, shape)


def empty_like(prototype, dtype=None, shape=None):
    """Same as `zeros_like`: memory is never returned uninitialized."""
    return zeros_like(prototype, dtype, shape)


def eye(N, M=None, k: int = 0, dtype=_core.float32) -> Tensor:
    """Ones on diagonal `k`."""
    rows = ops.arange(require_int("eye", "N", N, low=0)).expand_dims(1)
    columns = ops.arange(N if M is None else require_int("eye", "M", M, low=0))
    return ops.equal(columns - rows, require_int("eye", "k", k)).astype(as_dtype(dtype))


def identity(n, dtype=_core.float32) -> Tensor:
    """The identity matrix of n rows."""
    return eye(n, dtype=dtype)


def arange(start, stop=None, step=None, dtype=None) -> Tensor:
    """Numbers from `start` (0 if only one bound is given) up to, not including, `stop`, `step` apart.

    The dtype is float32 if one of them is a float, else int32.
    """
    if stop is None:
        start, stop = 0, start
    if stop is None:
        raise TypeError("arange: start is None; need a number")
    step = 1 if step is None else step
    if dtype is None:
        dtype = _core.float32 if any(isinstance(n, float) for n in (start, stop, step)) else _core.int32
    return ops.arange(start, stop, step).astype(as_dtype(dtype))


def linspace(start, stop, num=50, endpoint: bool = True, retstep: bool = False, dtype=None, axis=0):
    """`num` evenly spaced numbers from start to stop, along a new dimension `axis` where those are arrays."""
    # Rounded once, at the end: steps of narrow floats add up to another end than `stop`.
    first, last = as_tensor(start, _core.float64), as_tensor(stop, _core.float64)
    num, endpoint = require_int("linspace", "num", num, low=0), require_flag("linspace", "endpoint", endpoint)
    retstep = require_flag("linspace", "retstep", retstep)
    intervals = num - 1 if endpoint else num
    step = (last - first) / intervals if intervals else (last - first) * float("nan")
    position = ops.arange(num).astype(_core.float64).reshape((num,) + (1,) * step.ndim)
    values = first + position * step if num > 1 else ops.broadcast_to(first, (num, *step.shape)).copy()
    if endpoint and num > 1:
        end = ops.broadcast_to(last, step.shape).expand_dims(0)
        values = ops.concat((values[:-1], end))
    wanted = as_dtype(dtype) or _core.float32
    values = ops.movedim(values, 0, axis).astype(wanted)
    return (
        (values, step.astype(_core.float64 if wanted == _core.float64 else _core.float32))
        if retstep
        else values
    )


def logspace(start, stop, num=50, endpoint: bool = True, base=10.0, dtype=None, axis=0) -> Tensor:
    """`num` powers of `base` whose exponents are spread evenly from `start` to `stop`.

    The last exponent is `stop` with `endpoint`, and one step before it without.
    """
    exponents = linspace(start, stop, num, endpoint, dtype=_core.float64, axis=axis)
    return ops.pow(as_tensor(base, _core.float64), exponents).astype(as_dtype(dtype) or _core.float32)


def meshgrid(*xi, sparse: bool = False, indexing="xy"):
    """Coordinate arrays from one-dimensional ones; `sparse` leaves the other dimensions at size 1."""
    axes = [as_tensor(x).reshape(-1) for x in xi]
    sparse = require_flag("meshgrid", "sparse", sparse)
    if indexing not in ("xy", "ij"):
        raise SettingError(f"meshgrid: indexing is {indexing!r}; need 'xy' or 'ij'")
    order = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        order[0], order[1] = 1, 0
    shape = [1] * len(axes)
    for x, position in zip(axes, order, strict=True):
        shape[position] = x.shape[0]
    grids = []
    for x, position in zip(axes, order, strict=True):
        own = [1] * len(axes)
        own[position] = x.shape[0]
        grid = x.reshape(tuple(own))
        grids.append(grid if sparse else ops.broadcast_to(grid, tuple(shape)).copy())
    return grids


def diag(v, k=0) -> Tensor:
    """A matrix with `v` on diagonal `k`, or that diagonal of a matrix."""
    v = as_tensor(v)
    if v.ndim == 2:
        return ops.diagonal(v, k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag: v has {v.ndim} dimensions; need 1 or 2")
    size = v.shape[0] + abs(k)
    rows, columns = (ops.arange(v.shape[0]) + max(shift, 0) for shift in (-k, k))
    matrix = zeros((size, size), v.dtype)
    matrix[rows, columns] = v
    return matrix


def tri(N, M=None, k=0, dtype=_core.float32) -> Tensor:
    """A matrix with ones on and below diagonal `k`, zeros above it."""
    return tril(ones((N, N if M is None else M), dtype), k)


def tril(m, k=0) -> Tensor:
    """The matrix with zeros above diagonal `k`."""
    return ops.tril(as_tensor(m), k)


def triu(m, k=0) -> Tensor:
    """The matrix with zeros below diagonal `k`."""
    return ops.triu(as_tensor(m), k)


def rand(*shape, dtype=_core.float32):
    """Random numbers, uniform in [0, 1), from the default generator; one number if no shape is given."""
    return _random_floats("rand", ops.rand, shape, dtype)


def randn(*shape, dtype=_core.float32):
    """Random numbers of the standard normal distribution, from the default generator; one if no shape is given."""
    return _random_floats("randn", ops.randn, shape, dtype)


def _random_floats(caller, operator, shape, dtype):
    dtype = as_dtype(dtype)
    if dtype is None or not dtype.is_floating_point:
        raise ValueError(f"{caller}: dtype is {dtype}; need a float dtype")
    return operator(*(shape or ((),))).astype(dtype)


def randint(minval, maxval=None, shape=None, dtype=_core.int32) -> Tensor:
    """Random integers from `minval` up to, not including, `maxval`; with one bound, from 0 up to it."""
    if maxval is None:
        minval, maxval = 0, minval
    minval, maxval = (
        argument_checks.require_int("randint", name, bound)
        for name, bound in (("minval", minval), ("maxval", maxval))
    )
    dtype = as_dtype(dtype)
    if dtype is None or dtype.is_floating_point or dtype.is_complex or dtype == _core.bool_:
        raise ValueError(f"randint: dtype is {dtype}; need an integer dtype")
    shape = () if shape is None else require_ints("randint", "shape", shape)
    return ops.randint(minval, maxval, shape).astype(dtype)
