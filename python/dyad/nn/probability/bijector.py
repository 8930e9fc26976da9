"""Functions that have an inverse, and how much they stretch."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.argument_checks import a_value
from dyad.nn.cell import Cell

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

_QUESTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """The base: a subclass defines `_forward`, `_inverse` and one of the two logarithms of the derivative.

    Called, a bijector takes the name of a method first.
    """

    def __init__(self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None, param=None):
        super().__init__()
        self._name = name or type(self).__name__
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._dtype, self._parameters = dtype, dict(param or {})

    @property
    def name(self):
        """The name that was given."""
        return self._name

    @property
    def dtype(self):
        """The dtype of what it is taken of; None for any."""
        return self._dtype

    @property
    def parameters(self):
        """The settings by name."""
        return self._parameters

    @property
    def is_constant_jacobian(self):
        """Whether it stretches all values alike."""
        return self._is_constant_jacobian

    @property
    def is_injective(self):
        """Whether no two values are taken to one."""
        return self._is_injective

    def _value(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"{self._name}: value is {a_value(value)}; need a Tensor")
        return value

    def _forward_log_jacobian(self, value, *args, **kwargs):
        if type(self)._inverse_log_jacobian is Bijector._inverse_log_jacobian:
            raise NotImplementedError(f"{self._name}: {type(self).__name__} has no forward_log_jacobian")
        return -self._inverse_log_jacobian(self._forward(value, *args, **kwargs), *args, **kwargs)

    def _inverse_log_jacobian(self, value, *args, **kwargs):
        if type(self)._forward_log_jacobian is Bijector._forward_log_jacobian:
            raise NotImplementedError(f"{self._name}: {type(self).__name__} has no inverse_log_jacobian")
        return -self._forward_log_jacobian(self._inverse(value, *args, **kwargs), *args, **kwargs)

    def forward(self, value, *args, **kwargs):
        """The function of a value."""
        return self._forward(self._value(value), *args, **kwargs)

    def inverse(self, value, *args, **kwargs):
        """What the function takes to a value."""
        return self._inverse(self._value(value), *args, **kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the function's derivative, without its sign."""
        return self._forward_log_jacobian(self._value(value), *args, **kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the inverse's derivative, without its sign."""
        return self._inverse_log_jacobian(self._value(value), *args, **kwargs)

    def construct(self, name, *args, **kwargs):
        """What the method of that name gives; for a Distribution its transformed one."""
        if name not in _QUESTIONS:
            raise NotImplementedError(
                f"{self._name}: there is no {name!r}; need one of {', '.join(_QUESTIONS)}"
            )
        return getattr(self, name)(*args, **kwargs)


def _setting(value):
    return value if isinstance(value, Tensor) else Tensor(value, _core.float32)


class PowerTransform(Bijector):
    """(1 + c x) to the power of 1 / c; for the power 0, e to the power of x."""

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param={"power": power})
        self._is_exponential = not isinstance(power, Tensor) and power == 0
        self._power = _setting(power)

    @property
    def power(self):
        """The power."""
        return self._power

    def _forward(self, x):
        return ops.exp(x) if self._is_exponential else ops.exp(ops.log1p(x * self._power) / self._power)

    def _inverse(self, y):
        return ops.log(y) if self._is_exponential else ops.expm1(ops.log(y) * self._power) / self._power

    def _forward_log_jacobian(self, x):
        return x if self._is_exponential else (1.0 / self._power - 1.0) * ops.log1p(x * self._power)

    def _inverse_log_jacobian(self, y):
        return (self._power - 1.0) * ops.log(y)


class Exp(PowerTransform):
    """e to the power of x."""

    def __init__(self, name="Exp"):
        super().__init__(name=name)


class ScalarAffine(Bijector):
    """scale * x + shift."""

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(is_constant_jacobian=True, name=name, param={"scale": scale, "shift": shift})
        self._scale, self._shift = _setting(scale), _setting(shift)

    @property
    def scale(self):
        """The factor."""
        return self._scale

    @property
    def shift(self):
        """What is added."""
        return self._shift

    def _forward(self, x):
        return self._scale * x + self._shift

    def _inverse(self, y):
        return (y - self._shift) / self._scale

    def _forward_log_jacobian(self, x):
        return ops.log(ops.abs(self._scale)) * ops.ones_like(x)


class Softplus(Bijector):
    """log(1 + exp(k x)) / k."""

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param={"sharpness": sharpness})
        self._sharpness = _setting(sharpness)

    @property
    def sharpness(self):
        """How sharp the bend is: k."""
        return self._sharpness

    def _forward(self, x):
        return ops.softplus(self._sharpness * x) / self._sharpness

    def _inverse(self, y):
        scaled = self._sharpness * y
        return (scaled + ops.log(-ops.expm1(-scaled))) / self._sharpness

    def _forward_log_jacobian(self, x):
        return -ops.softplus(-self._sharpness * x)


class GumbelCDF(Bijector):
    """exp(-exp(-(x - loc) / scale))."""

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name=name, param={"loc": loc, "scale": scale})
        self._loc, self._scale = _setting(loc), _setting(scale)

    @property
    def loc(self):
        """The location."""
        return self._loc

    @property
    def scale(self):
        """The scale."""
        return self._scale

    def _forward(self, x):
        return ops.exp(-ops.exp(-(x - self._loc) / self._scale))

    def _inverse(self, y):
        return self._loc - self._scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x):
        standard = (x - self._loc) / self._scale
        return -standard - ops.exp(-standard) - ops.log(self._scale)


class Invert(Bijector):
    """The inverse of a bijector."""

    def __init__(self, bijector, name=""):
        if not isinstance(bijector, Bijector):
            raise TypeError(f"Invert: bijector is {a_value(bijector)}; need a Bijector")
        super().__init__(bijector.is_constant_jacobian, name=name or f"Invert{bijector.name}")
        self._bijector = bijector

    @property
    def bijector(self):
        """What this is the inverse of."""
        return self._bijector

    def _forward(self, x):
        return self._bijector.inverse(x)

    def _inverse(self, y):
        return self._bijector.forward(y)

    def _forward_log_jacobian(self, x):
        return self._bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y):
        return self._bijector.forward_log_jacobian(y)
