"""Clipping of one Tensor or of several together."""

from dyad import _core
from dyad._src.base.argument_checks import require_at_least
from dyad._src.operators import clamp, clip_all_by_norm, isfinite
from dyad._src.operators import clip_by_global_norm as _clip_by_global_norm

__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value"]


def _is_finite(tensor) -> bool:
    return bool(isfinite(tensor).all())


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Scales a Tensor, or several by one factor, so that their joint norm is at most `clip_norm`; several as a tuple.

    `use_norm` is that norm, where it is known already.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.clip_by_global_norm([Tensor([3.0]), Tensor([4.0])], 2.5))
        [1.5] [2.]
    """
    if isinstance(x, _core.Tensor):
        return _clip_by_global_norm([x], clip_norm, use_norm)[0]
    return _clip_by_global_norm(x, clip_norm, use_norm)


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales a Tensor, or several by one factor, so that their joint norm of order `norm_type` is at most `max_norm`.

    With `error_if_nonfinite` a norm that is infinite or NaN raises a RuntimeError.

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
    """Moves the elements of a Tensor, or of each of several, to the nearer bound if they lie outside.

    A bound is None, a number or a Tensor; at least one must be given.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]
    """
    if isinstance(x, list | tuple):
        return type(x)(clamp(part, clip_value_min, clip_value_max) for part in x)
    return clamp(x, clip_value_min, clip_value_max)
