"""Numbers in equal steps, as many as the arguments say."""

from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import arange
from dyad._src.primitive.primitive import Primitive

__all__ = ["Range", "range"]


def range(start=0, end=None, step=1, maxlen=1000000):
    """Numbers from `start`, `end` excluded, in steps of `step`; at most `maxlen` of them.

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
    """Numbers from `start`, `limit` excluded, in steps of `delta`, of the dtype of `start`; at most `maxlen` of them.

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
