"""The Fourier transform of the last dimensions, in the four kinds that one older Primitive has."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.primitive import Primitive

__all__ = ["FFTWithSize"]

_fftn, _ifftn, _rfftn, _irfftn = (_core.op_functions()[name] for name in ("fftn", "ifftn", "rfftn", "irfftn"))
_NORMS = ("backward", "forward", "ortho")


class FFTWithSize(Primitive):
    """The transform of the last `signal_ndim` dimensions, or with `inverse` back.

    With `real` the signal is real, and its transform is kept to the half that holds it all unless `onesided` is False;
    `signal_sizes` says how large the signal is, which half of a transform does not tell.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.FFTWithSize(1, False, True)(Tensor([1.0, 2.0, 3.0, 4.0])).abs()[0])
        10.0
    """

    _parameters = ("signal_ndim", "inverse", "real", "norm", "onesided", "signal_sizes")

    def __init__(self, signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
        super().__init__("FFTWithSize")
        if type(signal_ndim) is not int:
            raise TypeError(f"FFTWithSize: signal_ndim is {signal_ndim!r}; need an int")
        if not 1 <= signal_ndim <= 3:
            raise ValueError(f"FFTWithSize: signal_ndim is {signal_ndim}; need 1, 2 or 3")
        for name, value in (("inverse", inverse), ("real", real), ("onesided", onesided)):
            if type(value) is not bool:
                raise TypeError(f"FFTWithSize: {name} is {value!r}; need a bool")
        if norm not in _NORMS:
            raise ValueError(f"FFTWithSize: norm is {norm!r}; need one of {', '.join(_NORMS)}")
        self.signal_ndim, self.inverse, self.real = signal_ndim, inverse, real
        self.norm, self.onesided, self.signal_sizes = norm, onesided, tuple(signal_sizes)

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"FFTWithSize: x is of type {type(x).__name__}; need a Tensor")
        if x.ndim < self.signal_ndim:
            raise ValueError(
                f"FFTWithSize: x has shape {x.shape}; need {self.signal_ndim} dimensions or more"
            )
        axes = tuple(range(x.ndim - self.signal_ndim, x.ndim))
        if not self.real:
            return (_ifftn if self.inverse else _fftn)(x, None, axes, self.norm)
        if not self.inverse:
            return (_rfftn if self.onesided else _fftn)(x, None, axes, self.norm)
        if self.onesided:
            return _irfftn(x, self.signal_sizes or None, axes, self.norm)
        return _ifftn(x, None, axes, self.norm).real()

    def __reduce__(self):
        return type(self), tuple(getattr(self, name) for name in self._parameters)
