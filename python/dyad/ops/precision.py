"""Casting all floats of a structure."""

from dyad import _core
from dyad._src.tensor.precision import cast_floats

__all__ = ["mixed_precision_cast"]


def mixed_precision_cast(dst_dtype, x):
    """`x` with its float Tensors cast to a float dtype, also those inside tuples, lists and dicts.

    Example:
        >>> import dyad
        >>> from dyad import Tensor, ops
        >>> ops.mixed_precision_cast(dyad.float16, {"x": Tensor([1.0])})["x"].dtype
        dyad.float16
    """
    if not isinstance(dst_dtype, _core.DType) or not dst_dtype.is_floating_point:
        raise TypeError(f"mixed_precision_cast: dst_dtype is {dst_dtype!r}; need a floating dtype")
    return cast_floats(dst_dtype, x)
