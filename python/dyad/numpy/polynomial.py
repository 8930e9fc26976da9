"""Polynomials as their coefficients, highest power first, and sums over neighbors along an axis."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice
from dyad.numpy.manipulation import atleast_1d
from dyad.numpy.operand import as_float, as_tensor, axis_from_front, require_int, require_number

__all__ = [
    "convolve",
    "correlate",
    "diff",
    "ediff1d",
    "gradient",
    "interp",
    "polyadd",
    "polyder",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "trapz",
    "unwrap",
    "vander",
]

_PI = 3.141592653589793


def _coefficients(caller, p):
    p = as_tensor(p)
    p = p.reshape(1) if p.ndim == 0 else p
    if p.ndim != 1:
        raise ValueError(f"{caller}: the coefficients have shape {p.shape}; need 1 dimension")
    return p


def _lengthened(p, size):
    """Padded with zeros before the highest power."""
    return p if p.size == size else ops.cat((ops.zeros(size - p.size, p.dtype), p))


def _aligned(caller, a1, a2):
    first, second = _coefficients(caller, a1), _coefficients(caller, a2)
    size = max(first.size, second.size)
    return _lengthened(first, size), _lengthened(second, size)


def polyadd(a1, a2):
    """Sum of two polynomials."""
    first, second = _aligned("polyadd", a1, a2)
    return first + second


def polysub(a1, a2):
    """Difference of two polynomials."""
    first, second = _aligned("polysub", a1, a2)
    return first - second


def polymul(a1, a2):
    """Product of two polynomials."""
    return convolve(_coefficients("polymul", a1), _coefficients("polymul", a2))


def polyval(p, x) -> Tensor:
    """Values of a polynomial."""
    x = as_float(x)
    result = ops.zeros_like(x)
    for coefficient in _coefficients("polyval", p):
        result = result * x + coefficient
    return result


def polyder(p, m=1):
    """m-th derivative of a polynomial."""
    p = _coefficients("polyder", p)
    m = require_int("polyder", "m", m, low=0)
    for _ in range(m):
        if p.size <= 1:
            return ops.zeros(0, p.dtype)
        p = p[:-1] * ops.arange(p.size - 1, 0, -1).astype(p.dtype)
    return p


def polyint(p, m=1, k=None):
    """m-th antiderivative of a polynomial, with the constants k (one, or one per step), 0 if not given."""
    p = _coefficients("polyint", p)
    m = require_int("polyint", "m", m, low=0)
    p = p if p.dtype.is_floating_point else p.astype(_core.float32)
    constants = [0.0] * m if k is None else (as_tensor(k).reshape(-1).tolist() * m)[:m]
    for constant in constants:
        raised = p / ops.arange(p.size, 0, -1).astype(p.dtype)
        p = ops.cat((raised, Tensor([constant], p.dtype)))
    return p


def convolve(a, v, mode="full"):
    """Sums of products of two sequences that slide past each other, one of them reversed."""
    return _slide("convolve", atleast_1d(a), atleast_1d(v), mode, reverse=True)


def correlate(a, v, mode="valid"):
    """Sums of products of two sequences that slide past each other."""
    return _slide("correlate", atleast_1d(a), atleast_1d(v), mode, reverse=False)


def _slide(caller, a, v, mode, reverse):
    if a.ndim != 1 or v.ndim != 1 or a.size == 0 or v.size == 0:
        raise ValueError(
            f"{caller}: the shapes are {a.shape} and {v.shape}; need 1 dimension each, not empty"
        )
    require_choice(caller, "mode", mode, ("full", "same", "valid"))
    swapped = v.size > a.size
    if swapped:
        a, v = v, a
    dtype = (a[:1] * v[:1]).dtype
    kernel = v.flip(0) if reverse else v
    outside = 0 if mode == "valid" else v.size - 1
    signal = ops.pad(a.astype(_core.float64), (outside, outside))
    windows = ops.stack([signal[k : signal.size - v.size + 1 + k] for k in range(v.size)], 1)
    result = ops.matmul(windows, kernel.astype(_core.float64))
    if mode == "same":
        start = v.size - 1 - v.size // 2
        result = result[start : start + a.size]
    return (result.flip(0) if swapped and not reverse else result).astype(dtype)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbors along an axis, n times."""
    if n == 0:
        return as_tensor(a)
    ends = [None if end is None else _end(end, a, axis) for end in (prepend, append)]
    return ops.diff(as_tensor(a), n, axis, *ends)


def _end(end, a, axis):
    """A number at an end broadcast to a whole slice."""
    end, a = as_tensor(end), as_tensor(a)
    if end.ndim:
        return end
    shape = list(a.shape)
    shape[axis] = 1
    return ops.broadcast_to(end, tuple(shape))


def ediff1d(ary, to_end=None, to_begin=None) -> Tensor:
    """Differences between neighbors of all elements in order, with given numbers before and after them."""
    differences = ops.diff(as_tensor(ary).reshape(-1))
    parts = [to_begin, differences, to_end]
    return ops.cat(
        [as_tensor(part).reshape(-1).astype(differences.dtype) for part in parts if part is not None]
    )


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes between the two neighbors of each element, and to its one neighbor at the edges, along each axis."""
    f = as_tensor(f)
    f = f if f.dtype.is_floating_point else f.astype(_core.float32)
    if edge_order != 1:
        raise ValueError(f"gradient: edge_order is {edge_order}; need 1")
    axes = range(f.ndim) if axis is None else ((axis,) if isinstance(axis, int) else axis)
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    if len(steps) != len(axes):
        raise ValueError(
            f"gradient: {len(varargs)} distances are given for {len(axes)} axes; need one or as many"
        )
    slopes = [
        _slope(f, axis_from_front("gradient", along, f.ndim), step)
        for along, step in zip(axes, steps, strict=True)
    ]
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(f, axis, step):
    size = f.shape[axis]
    if size < 2:
        raise ValueError(f"gradient: axis {axis} has {size} elements; need at least 2")
    first = f.narrow(axis, 1, 1) - f.narrow(axis, 0, 1)
    last = f.narrow(axis, size - 1, 1) - f.narrow(axis, size - 2, 1)
    middle = (f.narrow(axis, 2, size - 2) - f.narrow(axis, 0, size - 2)) / 2
    return ops.cat((first, middle, last), axis) / step


def trapz(y, x=None, dx=1.0, axis=-1) -> Tensor:
    """Area under a curve by the trapezoidal rule."""
    if x is not None:
        x = as_tensor(x)
        if x.ndim == 0:
            raise ValueError("trapz: x is a single number; need the position of each point")
    return ops.trapz(as_tensor(y), x, dx=dx, dim=axis)


def interp(x, xp, fp, left=None, right=None) -> Tensor:
    """Values at x of the curve that is straight between the points (xp, fp), and constant beyond them."""
    x, xp, fp = (as_tensor(value).astype(_core.float32) for value in (x, xp, fp))
    if xp.ndim != 1 or xp.shape != fp.shape or xp.size == 0:
        raise ValueError(
            f"interp: xp and fp have shapes {xp.shape} and {fp.shape}; need equal lines, not empty"
        )
    after = ops.clamp(ops.searchsorted(xp, x, right=True), 1, max(xp.size - 1, 1))
    before = after - 1
    if xp.size == 1:
        result = ops.broadcast_to(fp.reshape(()), x.shape).copy()
    else:
        width = xp[after] - xp[before]
        share = ops.clamp((x - xp[before]) / ops.where(width == 0, 1.0, width), 0.0, 1.0)
        result = fp[before] + share * (fp[after] - fp[before])
    if left is not None:
        result = ops.where(x < xp[0], _beyond("left", left), result)
    return result if right is None else ops.where(x > xp[-1], _beyond("right", right), result)


def _beyond(name, value):
    return float(require_number("interp", name, value))


def unwrap(p, discont: float = _PI, axis=-1) -> Tensor:
    """Angles whose jumps of more than `discont` between neighbors are replaced by their complement to 2π."""
    p = as_tensor(p)
    p = p if p.dtype.is_floating_point else p.astype(_core.float32)
    discont = require_number("unwrap", "discont", discont)
    step = ops.diff(p, 1, axis)
    short = (step + _PI) % (2 * _PI) - _PI
    short = ops.where((short == -_PI) & (step > 0), _PI, short)
    change = ops.where(ops.abs(step) < discont, 0.0, short - step)
    rest = p.narrow(axis, 1, p.shape[axis] - 1) + ops.cumsum(change, axis)
    return ops.cat((p.narrow(axis, 0, 1), rest), axis)


def vander(x, N=None, increasing: bool = False) -> Tensor:
    """Powers of the elements as columns, highest first unless `increasing`."""
    x = as_tensor(x)
    powers = range(x.size if N is None else N)
    columns = [x**power for power in (powers if increasing else reversed(powers))]
    return ops.stack(columns, 1)
