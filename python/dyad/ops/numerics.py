"""Clipping, checks for NaN and infinity, mixed-precision casts, and ranges."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_at_least, require_int
from dyad._src.operators import all_finite, arange, clamp, clip_all_by_norm, isfinite
from dyad._src.operators import clip_by_global_norm as _clip_by_global_norm
from dyad._src.primitive.primitive import Primitive, primitive_of
from dyad._src.tensor.precision import cast_floats

__all__ = [
    "Assert",
    "CheckNumerics",
    "Range",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "mixed_precision_cast",
    "range",
]


def _is_finite(tensor) -> bool:
    return bool(isfinite(tensor).all())


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Clips tensors by their global norm.

        y = x · clip_norm / max(‖x‖₂, clip_norm)

    ‖x‖₂ is the norm over all elements of all tensors.

    Args:
        x (Tensor or sequence of Tensors): values to clip.
        clip_norm (number): largest norm. Default: 1.0.
        use_norm (number or None): the global norm, if it is already known. Default: None.

    Returns:
        Tensor for a Tensor, a tuple of Tensors for a sequence.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.clip_by_global_norm([Tensor([3.0]), Tensor([4.0])], 2.5))
        [1.5] [2.]
    """
    if isinstance(x, _core.Tensor):
        return _clip_by_global_norm([x], clip_norm, use_norm)[0]
    return _clip_by_global_norm(x, clip_norm, use_norm)


def clip_by_norm(x, max_norm: float, norm_type=2.0, error_if_nonfinite: bool = False):
    """Clips tensors by their joint norm of order `norm_type`.

        y = x · min(1, max_norm / (‖x‖ + 1e-6))

    Args:
        x (Tensor, list or tuple of Tensors): values to clip.
        max_norm (number): largest norm, at least 0.
        norm_type (number): order of the norm. Default: 2.0.
        error_if_nonfinite (bool): True raises an error for a norm that is infinite or NaN. Default: False.

    Returns:
        Tensor, list or tuple like `x`.

    Raises:
        RuntimeError: if `error_if_nonfinite` is True and an element is infinite or NaN.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.clip_by_norm(Tensor([3.0, 4.0]), 2.5))
        [1.4999998 1.9999996]
    """
    require_at_least("clip_by_norm", "max_norm", max_norm, 0)
    several = isinstance(x, list | tuple)
    parts = list(x) if several else [x]
    clipped = clip_all_by_norm(parts, max_norm, norm_type)
    if error_if_nonfinite and not all(_is_finite(part) for part in parts):
        raise RuntimeError("clip_by_norm: the norm is infinite or NaN; every element must be finite")
    return type(x)(clipped) if several else clipped[0]


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Clips elements to a range, min(max(x, clip_value_min), clip_value_max).

    Args:
        x (Tensor, list or tuple of Tensors): values to clip.
        clip_value_min (Tensor, number or None): lower bound. Default: None.
        clip_value_max (Tensor, number or None): upper bound; need at least one bound. Default: None.

    Returns:
        Tensor, list or tuple like `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]
    """
    if isinstance(x, list | tuple):
        return type(x)(clamp(part, clip_value_min, clip_value_max) for part in x)
    return clamp(x, clip_value_min, clip_value_max)


class Assert(Primitive):
    """Raises a RuntimeError with up to `summarize` elements of the given tensors if a condition is false.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.Assert()(Tensor([True]), [Tensor([1.0, 2.0])])
    """

    def __init__(self, summarize=3):
        super().__init__()
        if isinstance(summarize, bool) or not isinstance(summarize, int):
            raise TypeError(f"Assert: summarize is of type {type(summarize).__name__}; need an int")
        self.summarize = summarize

    def __call__(self, condition, input_data):
        if bool(condition):
            return
        shown = [
            value.reshape(-1)[: self.summarize].tolist() if isinstance(value, Tensor) else value
            for value in input_data
        ]
        raise RuntimeError(f"Assert: assert failed, the condition is false; the data begin with {shown}")

    def __reduce__(self):
        return type(self), (self.summarize,)


def _check_numerics(x):
    """Copies a tensor; raises a RuntimeError if an element is infinite or NaN.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.CheckNumerics()(Tensor([1.0, 2.0])))
        [1. 2.]
    """
    if not isinstance(x, Tensor) or not x.dtype.is_floating_point:
        raise TypeError(f"CheckNumerics: x is {x!r}; need a floating-point Tensor")
    if not all_finite((x,)).item():
        raise RuntimeError("CheckNumerics: x holds an infinity or NaN; need finite numbers")
    return x.copy()


CheckNumerics = primitive_of("CheckNumerics", _check_numerics)


def mixed_precision_cast(dst_dtype, x):
    """Casts float Tensors to a float dtype, including those inside tuples, lists and dicts.

    Args:
        dst_dtype (dtype): a float dtype.
        x: a Tensor, or a nested structure of them; other values stay unchanged.

    Returns:
        `x` with its float Tensors cast.

    Raises:
        TypeError: if `dst_dtype` is not a float dtype.

    Example:
        >>> import dyad
        >>> from dyad import Tensor, ops
        >>> ops.mixed_precision_cast(dyad.float16, {"x": Tensor([1.0])})["x"].dtype
        dyad.float16
    """
    if not isinstance(dst_dtype, _core.DType) or not dst_dtype.is_floating_point:
        raise TypeError(f"mixed_precision_cast: dst_dtype is {dst_dtype!r}; need a floating dtype")
    return cast_floats(dst_dtype, x)


def range(start=0, end=None, step=1, maxlen=1000000):
    """Evenly spaced numbers in [start, end), y[i] = start + i · step.

    Args:
        start (number): first number. Default: 0.
        end (number or None): end, excluded; None ends at `start` and starts at 0. Default: None.
        step (number): difference of neighbors. Default: 1.
        maxlen (int): largest number of elements. Default: 1000000.

    Returns:
        Tensor of 1 dimension.

    Raises:
        ValueError: if there are more than `maxlen` numbers.

    Example:
        >>> from dyad import ops
        >>> print(ops.range(1, 7, 2))
        [1 3 5]
    """
    _require_length("range", maxlen)
    return _at_most("range", maxlen, start, end, step)


def _require_length(owner, maxlen):
    require_int(owner, "maxlen", maxlen, 1)


def _at_most(owner, maxlen, start, end, step):
    made = arange(start, end, step)
    if made.shape[0] > maxlen:
        raise ValueError(
            f"{owner}: from {start} to {end} in steps of {step} are {made.shape[0]} numbers; "
            f"at most maxlen={maxlen} are allowed"
        )
    return made


class Range(Primitive):
    """Evenly spaced numbers in [start, limit), y[i] = start + i · delta, in the dtype of `start`; at most `maxlen`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Range(maxlen=10)(Tensor(1), Tensor(7), Tensor(2)))
        [1 3 5]
    """

    def __init__(self, maxlen=1000000):
        super().__init__()
        _require_length("Range", maxlen)
        self.maxlen = maxlen

    def __call__(self, start, limit, delta):
        made = _at_most("Range", self.maxlen, start, limit, delta)
        return made.astype(start.dtype) if isinstance(start, Tensor) else made

    def __reduce__(self):
        return type(self), (self.maxlen,)
