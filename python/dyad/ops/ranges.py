"""Numbers in equal steps, as many as the arguments say."""

from dyad._core import Tensor
from dyad._src.primitive import Primitive
from dyad.ops import table

__all__ = ["Range"]

_range = table.functions["range"]


class Range(Primitive):
    """Numbers from `start`, `limit` excluded, in steps of `delta`, of the dtype of `start`; at most `maxlen` of them.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Range(maxlen=10)(Tensor(1), Tensor(7), Tensor(2)))
        [1 3 5]
    """

    def __init__(self, maxlen=1000000):
        super().__init__()
        if isinstance(maxlen, bool) or not isinstance(maxlen, int):
            raise TypeError(f"Range: maxlen is {maxlen!r} of type {type(maxlen).__name__}; need an int")
        if maxlen < 1:
            raise ValueError(f"Range: maxlen is {maxlen}; it must be 1 or more")
        self.maxlen = maxlen

    def __call__(self, start, limit, delta):
        made = _range(start, limit, delta)
        if made.shape[0] > self.maxlen:
            raise ValueError(
                f"Range: from {start} to {limit} in steps of {delta} are {made.shape[0]} numbers; "
                f"at most maxlen={self.maxlen} are allowed"
            )
        return made.astype(start.dtype) if isinstance(start, Tensor) else made

    def __reduce__(self):
        return type(self), (self.maxlen,)
