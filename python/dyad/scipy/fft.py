"""Cosine transforms of the second type and back, scaled so that they keep the lengths of vectors."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import arange, cat, cos, fft, flip, ifft, sin, where
from dyad._src.operators import complex as _complex

__all__ = ["dct", "dctn", "idct", "idctn"]


def __dir__():
    return __all__


_DOUBLE = (_core.float64, _core.complex128)
_COMPLEX = (_core.complex64, _core.complex128)
_ACCEPTED = (_core.int16, _core.int32, _core.int64, _core.float16, _core.float32, *_DOUBLE, _core.complex64)


def dct(x, type=2, n=None, axis=-1, norm=None):
    """The cosine transform along `axis`, of `n` elements: `x` is cut or filled up with zeros to them.

    `type` is 2 and `norm` None or "ortho", which mean the same here.
    """
    return _along(_forward_dct, "dct", x, type, n, axis, norm)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """Inverse discrete cosine transform."""
    return _along(_inverse_dct, "idct", x, type, n, axis, norm)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """The cosine transform along each of the axes, with `s[i]` elements along the i-th of them."""
    return _along_all(_forward_dct, "dctn", x, type, s, axes, norm)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """Inverse discrete cosine transform over several axes."""
    return _along_all(_inverse_dct, "idctn", x, type, s, axes, norm)


def _along(transform, owner, x, kind, n, axis, norm):
    x = _signal(owner, x, kind, norm)
    axis = _require_axis(owner, axis, x.ndim)
    return _transformed(transform, x, x.shape[axis] if n is None else require_int(owner, "n", n, 1), axis)


def _along_all(transform, owner, x, kind, s, axes, norm):
    x = _signal(owner, x, kind, norm)
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    axes = [_require_axis(owner, axis, x.ndim) for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{owner}: axes is {tuple(axes)}; need each of them once")
    sizes = [x.shape[axis] for axis in axes] if s is None else [require_int(owner, "s", n, 1) for n in s]
    if len(sizes) != len(axes):
        raise ValueError(f"{owner}: s has {len(sizes)} sizes for {len(axes)} axes; need one for each")
    for size, axis in zip(sizes, axes, strict=True):
        x = _transformed(transform, x, size, axis)
    return x


def _signal(owner, x, kind, norm):
    """The Tensor in the dtype of the result."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{owner}: x is of type {type(x).__name__}; need a Tensor")
    if x.dtype not in _ACCEPTED:
        raise TypeError(f"{owner}: x has the dtype {x.dtype}; need one of {', '.join(map(str, _ACCEPTED))}")
    if kind != 2:
        raise ValueError(f"{owner}: type is {kind!r}; need 2")
    if norm not in (None, "ortho"):
        raise ValueError(f"{owner}: norm is {norm!r}; need None or 'ortho'")
    return x if x.dtype in (*_DOUBLE, _core.complex64) else x.astype(_core.float32)


def _require_axis(owner, axis, rank):
    axis = require_int(owner, "axis", axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{owner}: axis is {axis}; need {-rank} to {rank - 1}")
    return axis % rank


def _transformed(transform, x, size, axis):
    x = _sized(x.swapaxes(axis, -1), size)
    if x.dtype in _COMPLEX:
        return _complex(transform(x.real(), size), transform(x.imag(), size)).swapaxes(axis, -1)
    return transform(x, size).swapaxes(axis, -1)


def _sized(x, size):
    """The first elements of the last dimension, padded with zeros if there are too few."""
    missing = size - x.shape[-1]
    return x[..., :size] if missing <= 0 else cat((x, x.new_zeros((*x.shape[:-1], missing))), -1)


def _forward_dct(x, size):
    # The transform of a signal and its mirror image is that of cosines, up to a phase of half an element.
    spectrum = fft(cat((x, flip(x, (-1,))), -1))[..., :size]
    angle = _angles(x, size)
    return (spectrum.real() * cos(angle) + spectrum.imag() * sin(angle)) * (0.5 * _scales(x, size))


def _inverse_dct(x, size):
    x, angle = x * _scales(x, size), _angles(x, size)
    return ifft(_complex(x * cos(angle), x * sin(angle)), 2 * size).real()[..., :size] * (2 * size)


def _angles(x, size):
    return arange(size).astype(x.dtype) * (math.pi / (2 * size))


def _scales(x, size):
    first = Tensor(math.sqrt(1 / size), x.dtype)
    return where(arange(size) == 0, first, Tensor(math.sqrt(2 / size), x.dtype))
