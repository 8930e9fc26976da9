"""`dyad.numpy.fft`: discrete Fourier transforms with NumPy's names and arguments."""

from dyad import ops
from dyad.numpy.operand import as_dtype, as_tensor

_OF_ONE_AXIS = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")


def _of_one_axis(operator):
    def transform(a, n=None, axis=-1, norm=None):
        return operator(as_tensor(a), n, axis, norm)

    return transform


def _of_two_axes(operator):
    def transform(a, s=None, axes=(-2, -1), norm=None):
        return operator(as_tensor(a), s, axes, norm)

    return transform


def _of_axes(operator):
    def transform(a, s=None, axes=None, norm=None):
        return operator(as_tensor(a), s, axes, norm)

    return transform


def _shift(operator):
    def shifted(x, axes=None):
        return operator(as_tensor(x), axes)

    return shifted


def _frequencies(operator):
    def frequencies(n, d=1.0, dtype=None):
        return operator(n, d, as_dtype(dtype))

    return frequencies


_MAKERS = {
    **dict.fromkeys(_OF_ONE_AXIS, _of_one_axis),
    **{f"{name}2": _of_two_axes for name in _OF_ONE_AXIS},
    **{f"{name}n": _of_axes for name in _OF_ONE_AXIS},
    **dict.fromkeys(("fftshift", "ifftshift"), _shift),
    **dict.fromkeys(("fftfreq", "rfftfreq"), _frequencies),
}


def _named(name, maker):
    operator = getattr(ops, name)
    function = maker(operator)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = operator._summary
    return function


globals().update({name: _named(name, maker) for name, maker in _MAKERS.items()})

__all__ = [*_MAKERS]
