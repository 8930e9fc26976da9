"""Distributions given by formulas in their parameters."""

import functools
from typing import ClassVar

from dyad import ops
from dyad._core import float16, float32, float64
from dyad.nn.probability.distribution.distribution import Distribution
from dyad.nn.probability.parameters import require_all, require_tensor

__all__ = ["FLOATS", "Parametric", "of_parameters", "of_value", "require_positive", "require_probability"]

FLOATS = (float16, float32, float64)


def of_parameters(formula):
    """Makes a method of `formula(self, *parameters)` whose omitted parameters default to those of the constructor."""

    @functools.wraps(formula)
    def method(self, *args, **kwargs):
        return formula(self, *self._settings(args, kwargs))

    return method


def of_value(formula):
    """The same of `formula(self, value, *parameters)`; the value is a Tensor."""

    @functools.wraps(formula)
    def method(self, value, *args, **kwargs):
        value = require_tensor(self.name, "value", value).astype(self.parameter_type)
        return formula(self, value, *self._settings(args, kwargs))

    return method


def require_positive(owner, name, value) -> None:
    """A ValueError unless every entry is above 0."""
    require_all(owner, name, value, lambda x: x > 0, "numbers above 0")


def require_probability(owner, name, value) -> None:
    """A ValueError unless every entry is between 0 and 1."""
    require_all(owner, name, value, lambda x: ops.logical_and(x > 0, x < 1), "numbers above 0 and below 1")


class Parametric(Distribution):
    """A distribution defined by formulas; `_divergence(a, b)` returns KL(a || b), `_draw(shape, *parameters)`
    samples.
    """

    takes_dtypes: tuple = FLOATS
    # Printed names of parameters, where they differ from the attribute names.
    _printed: ClassVar[dict[str, str]] = {}

    def __init__(self, seed, dtype, name, **given):
        kind = type(self).__name__
        if dtype not in self.takes_dtypes:
            raise TypeError(f"{kind}: dtype is {dtype}; need one of {', '.join(map(str, self.takes_dtypes))}")
        described = {**given, "seed": seed, "dtype": dtype, "name": name, "param_dict": given}
        super().__init__(seed, dtype, name, described)
        for key, value in given.items():
            self._add_parameter(value, key)

    def extend_repr(self) -> str:
        """The parameters, or the shape of a batch of them."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{self._printed.get(name, name)} = {value}" for name, value in pairs)

    def _settings(self, args, kwargs):
        """The parameters of a call, given by position or by name, as a tuple."""
        for name in kwargs:
            if name not in self.parameter_names:
                raise TypeError(f"{self.name}: there is no parameter {name!r}; it has {self.parameter_names}")
        if len(args) > len(self.parameter_names):
            raise TypeError(f"{self.name}: got {len(args)} parameters; it has {self.parameter_names}")
        named = [kwargs.get(name) for name in self.parameter_names[len(args) :]]
        found = self._check_param_type(*args, *named)
        return found if isinstance(found, tuple) else (found,)

    def _get_dist_type(self):
        return type(self).__name__

    def _get_dist_args(self, *args, **kwargs):
        return self._settings(args, kwargs)

    def _kl_loss(self, dist, *args, **kwargs):
        kind = type(self).__name__
        if dist != kind:
            raise ValueError(f"{self.name}: dist is {dist!r}; need {kind!r}, the kind of this distribution")
        if not hasattr(self, "_divergence"):
            raise self._undefined("kl_loss")
        count = len(self.parameter_names)
        others = [
            args[position] if position < len(args) else kwargs.pop(name + "_b", None)
            for position, name in enumerate(self.parameter_names)
        ]
        other = tuple(
            require_tensor(self.name, name + "_b", value).astype(self.parameter_type)
            for name, value in zip(self.parameter_names, others, strict=True)
        )
        return self._divergence(self._settings(args[count:], kwargs), other)

    def _cross_entropy(self, dist, *args, **kwargs):
        count = len(self.parameter_names)
        own = {name: value for name, value in kwargs.items() if name in self.parameter_names}
        return self.entropy(*args[count:], **own) + self._kl_loss(dist, *args, **kwargs)

    def _sample(self, shape=(), *args, **kwargs):
        if not isinstance(shape, tuple):
            raise TypeError(f"{self.name}: shape is {shape!r} of type {type(shape).__name__}; need a tuple")
        if not hasattr(self, "_draw"):
            raise self._undefined("sample")
        settings = self._settings(args, kwargs)
        drawn = self._draw(shape + tuple(settings[0].shape), *settings)
        return drawn.astype(self.dtype)

    def _uniform(self, shape):
        """Numbers in (0, 1), the ends left out so that their logarithms are finite."""
        drawn = ops.rand(shape, seed=self.seed or None)
        return ops.clamp(drawn, 1e-7, 1.0 - 6e-8)
