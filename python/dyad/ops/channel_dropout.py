"""Dropout of whole channels, with the mask beside the result."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.operators import dropout2d, dropout3d, ones_like, where
from dyad._src.primitive.primitive import Primitive

__all__ = ["Dropout2D", "Dropout3D"]


class _ChannelDropout(Primitive):
    _parameters = ("keep_prob",)
    _drop = None
    _dimensions = 0

    def __init__(self, keep_prob=0.5):
        super().__init__(type(self).__name__)
        if type(keep_prob) not in (int, float):
            raise TypeError(f"{self.name}: keep_prob is {keep_prob!r}; need a float")
        if not 0 <= keep_prob <= 1:
            raise ValueError(f"{self.name}: keep_prob is {keep_prob}; need 0 to 1")
        self.keep_prob = float(keep_prob)

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"{self.name}: x is of type {type(x).__name__}; need a Tensor")
        if x.ndim != self._dimensions:
            raise ValueError(f"{self.name}: x has shape {x.shape}; need {self._dimensions} dimensions")
        kept = type(self)._drop(ones_like(x, dtype=_core.float32), 1.0 - self.keep_prob) != 0
        scaled = (x / self.keep_prob).astype(x.dtype) if self.keep_prob else x
        return where(kept, scaled, Tensor(0, x.dtype)), kept

    def __reduce__(self):
        return type(self), (self.keep_prob,)


class Dropout2D(_ChannelDropout):
    """Channels of (N, C, H, W), each kept with probability `keep_prob` and divided by it, else 0; and what was kept.

    Example:
        >>> from dyad import ops
        >>> result, mask = ops.Dropout2D(keep_prob=1.0)(ops.ones((1, 2, 1, 1)))
        >>> print(mask.reshape(-1))
        [ True  True]
    """

    _drop = dropout2d
    _dimensions = 4


class Dropout3D(_ChannelDropout):
    """Channels of (N, C, D, H, W), each kept with probability `keep_prob` and divided by it, else 0; and what was kept.

    Example:
        >>> from dyad import ops
        >>> result, mask = ops.Dropout3D(keep_prob=1.0)(ops.ones((1, 2, 1, 1, 1)))
        >>> print(mask.reshape(-1))
        [ True  True]
    """

    _drop = dropout3d
    _dimensions = 5
