"""Operators that stop a program when values are not what they should be."""

from dyad._core import Tensor
from dyad._src.operators import all_finite
from dyad._src.primitive.primitive import Primitive, primitive_of

__all__ = ["Assert", "CheckNumerics"]


class Assert(Primitive):
    """Raises, showing up to `summarize` elements of the given tensors, if a condition is false.

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
    """A copy of the tensor; an element that is infinite or NaN is an error.

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
