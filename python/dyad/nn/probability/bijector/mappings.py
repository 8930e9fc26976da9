"""The bijectors."""

from dyad import ops
from dyad._src.base.argument_checks import require_at_least
from dyad.nn.probability.bijector.bijector import Bijector
from dyad.nn.probability.parameters import require_all

__all__ = ["Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]


class _WithParameters(Bijector):
    """Parameters are held as Tensors and cast to the dtype of the values."""

    def __init__(self, name, is_constant_jacobian: bool = False, **given) -> None:
        super().__init__(is_constant_jacobian, True, name, None, {**given, "name": name, "param_dict": given})
        for key, value in given.items():
            if value is None:
                raise TypeError(
                    f"{type(self).__name__}: {key} is None; need a number, a list, an array or a Tensor"
                )
            self._add_parameter(value, key)

    def extend_repr(self) -> str:
        """The parameters, or the shape of a batch of them."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)

    def _settings(self, value):
        return [self.cast_param_by_value(value, parameter) for parameter in self.default_parameters]


class PowerTransform(Bijector):
    """(1 + power * x) ** (1 / power); exp(x) for the power 0."""

    def __init__(self, power: float = 0.0, name="PowerTransform") -> None:
        super().__init__(False, True, name, None, {"power": power, "name": name})
        self._power = require_at_least(type(self).__name__, "power", power, 0)

    @property
    def power(self):
        """The power."""
        return self._power

    def extend_repr(self) -> str:
        """The power."""
        return f"power = {self.power}"

    def _forward(self, x):
        return ops.exp(x if self._power == 0 else ops.log1p(x * self._power) / self._power)

    def _inverse(self, y):
        return ops.log(y) if self._power == 0 else ops.expm1(ops.log(y) * self._power) / self._power

    def _forward_log_jacobian(self, x):
        return x if self._power == 0 else (1.0 / self._power - 1.0) * ops.log1p(x * self._power)

    def _inverse_log_jacobian(self, y):
        return (self._power - 1.0) * ops.log(y)


class Exp(PowerTransform):
    """exp(x)."""

    def __init__(self, name="Exp"):
        super().__init__(0.0, name)

    def extend_repr(self):
        """Name of the function, which has no parameters."""
        return "exp"


class ScalarAffine(_WithParameters):
    """scale * x + shift."""

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(name, True, scale=scale, shift=shift)
        require_all(self.name, "scale", self.scale, lambda x: x != 0, "numbers other than 0")

    @property
    def scale(self):
        """The factor."""
        return self.default_parameters[0]

    @property
    def shift(self):
        """The number that is added."""
        return self.default_parameters[1]

    def _forward(self, x):
        scale, shift = self._settings(x)
        return scale * x + shift

    def _inverse(self, y):
        scale, shift = self._settings(y)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x):
        return ops.log(ops.abs(self._settings(x)[0]))


class Softplus(_WithParameters):
    """log(1 + exp(sharpness * x)) / sharpness."""

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name, sharpness=sharpness)
        require_all(self.name, "sharpness", self.sharpness, lambda x: x != 0, "numbers other than 0")

    @property
    def sharpness(self):
        """Rate at which the derivative changes from 0 to 1."""
        return self.default_parameters[0]

    def _forward(self, x):
        (sharpness,) = self._settings(x)
        return -ops.logsigmoid(-sharpness * x) / sharpness

    def _inverse(self, y):
        (sharpness,) = self._settings(y)
        z = sharpness * y
        return (z + ops.log(-ops.expm1(-z))) / sharpness

    def _forward_log_jacobian(self, x):
        (sharpness,) = self._settings(x)
        return ops.logsigmoid(sharpness * x)


class GumbelCDF(_WithParameters):
    """exp(-exp(-(x - loc) / scale)), which maps Gumbel numbers to uniform ones."""

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name, loc=loc, scale=scale)
        require_all(self.name, "scale", self.scale, lambda x: x > 0, "numbers above 0")

    @property
    def loc(self):
        """Location of the Gumbel distribution."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """Scale of the Gumbel distribution."""
        return self.default_parameters[1]

    def _forward(self, x):
        loc, scale = self._settings(x)
        return ops.exp(-ops.exp((loc - x) / scale))

    def _inverse(self, y):
        loc, scale = self._settings(y)
        return loc - scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x):
        loc, scale = self._settings(x)
        z = (x - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)


class Invert(Bijector):
    """The inverse of another bijector."""

    def __init__(self, bijector: Bijector, name="") -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"Invert: bijector is of type {type(bijector).__name__}; need a Bijector")
        name = name or f"Invert{bijector.name}"
        param = {"bijector": bijector, "name": name}
        super().__init__(bijector.is_constant_jacobian, bijector.is_injective, name, bijector.dtype, param)
        self._bijector = bijector
        self._batch_shape = bijector.batch_shape
        self._is_scalar_batch = bijector.is_scalar_batch

    @property
    def bijector(self):
        """The bijector that is inverted."""
        return self._bijector

    def _forward(self, x):
        return self._bijector.inverse(x)

    def _inverse(self, y):
        return self._bijector.forward(y)

    def _forward_log_jacobian(self, x):
        return self._bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y):
        return self._bijector.forward_log_jacobian(y)
