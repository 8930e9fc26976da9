"""Distributions over positive numbers and over an interval."""

import math

from dyad import ops
from dyad._core import float32
from dyad.nn.probability.distribution.parametric import Parametric, of_parameters, of_value, require_positive

__all__ = ["Beta", "Exponential", "Gamma", "Uniform"]


class Exponential(Parametric):
    """The time to the first event, where events have the rate `rate`."""

    def __init__(self, rate=None, seed=None, dtype=float32, name="Exponential"):
        super().__init__(seed, dtype, name, rate=rate)
        require_positive(self.name, "rate", self.rate)

    @property
    def rate(self):
        """Events per unit of time."""
        return self.default_parameters[0]

    @of_value
    def _log_prob(self, value, rate):
        return ops.where(value >= 0, ops.log(rate) - rate * value, -math.inf)

    @of_value
    def _cdf(self, value, rate):
        return -ops.expm1(-rate * ops.relu(value))

    @of_value
    def _log_survival(self, value, rate):
        return -rate * ops.relu(value)

    @of_parameters
    def _mean(self, rate):
        return 1.0 / rate

    @of_parameters
    def _mode(self, rate):
        return ops.zeros_like(rate)

    @of_parameters
    def _sd(self, rate):
        return 1.0 / rate

    @of_parameters
    def _entropy(self, rate):
        return 1.0 - ops.log(rate)

    def _divergence(self, own, other):
        ratio = other[0] / own[0]
        return ratio - 1.0 - ops.log(ratio)

    def _draw(self, shape, rate):
        return -ops.log(self._uniform(shape)) / rate


class Gamma(Parametric):
    """The gamma distribution of shape `concentration` and rate `rate`."""

    def __init__(self, concentration=None, rate=None, seed=None, dtype=float32, name="Gamma"):
        super().__init__(seed, dtype, name, concentration=concentration, rate=rate)
        require_positive(self.name, "concentration", self.concentration)
        require_positive(self.name, "rate", self.rate)

    @property
    def concentration(self):
        """The shape parameter."""
        return self.default_parameters[0]

    @property
    def rate(self):
        """The inverse of the scale."""
        return self.default_parameters[1]

    @of_value
    def _log_prob(self, value, shape, rate):
        return (shape - 1.0) * ops.log(value) - rate * value + shape * ops.log(rate) - ops.lgamma(shape)

    @of_value
    def _cdf(self, value, shape, rate):
        return ops.igamma(shape, rate * value)

    @of_parameters
    def _mean(self, shape, rate):
        return shape / rate

    @of_parameters
    def _mode(self, shape, rate):
        return ops.where(shape > 1, (shape - 1.0) / rate, math.nan)

    @of_parameters
    def _var(self, shape, rate):
        return shape / ops.square(rate)

    @of_parameters
    def _entropy(self, shape, rate):
        return shape - ops.log(rate) + ops.lgamma(shape) + (1.0 - shape) * ops.digamma(shape)

    def _divergence(self, own, other):
        (shape, rate), (other_shape, other_rate) = own, other
        rates = other_shape * (ops.log(rate) - ops.log(other_rate)) + shape * (other_rate / rate - 1.0)
        shapes = ops.lgamma(other_shape) - ops.lgamma(shape) + (shape - other_shape) * ops.digamma(shape)
        return rates + shapes

    def _draw(self, size, shape, rate):
        return ops.gamma((), ops.broadcast_to(shape, size), ops.broadcast_to(rate, size), self.seed or None)


def _log_beta(a, b):
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


class Beta(Parametric):
    """The beta distribution over (0, 1)."""

    def __init__(self, concentration1=None, concentration0=None, seed=None, dtype=float32, name="Beta"):
        super().__init__(seed, dtype, name, concentration1=concentration1, concentration0=concentration0)
        require_positive(self.name, "concentration1", self.concentration1)
        require_positive(self.name, "concentration0", self.concentration0)

    @property
    def concentration1(self):
        """The exponent of x, plus 1."""
        return self.default_parameters[0]

    @property
    def concentration0(self):
        """The exponent of 1 - x, plus 1."""
        return self.default_parameters[1]

    @of_value
    def _log_prob(self, value, a, b):
        return (a - 1.0) * ops.log(value) + (b - 1.0) * ops.log1p(-value) - _log_beta(a, b)

    @of_parameters
    def _mean(self, a, b):
        return a / (a + b)

    @of_parameters
    def _mode(self, a, b):
        return ops.where(ops.logical_and(a > 1, b > 1), (a - 1.0) / (a + b - 2.0), math.nan)

    @of_parameters
    def _var(self, a, b):
        return a * b / (ops.square(a + b) * (a + b + 1.0))

    @of_parameters
    def _entropy(self, a, b):
        digammas = (a - 1.0) * ops.digamma(a) + (b - 1.0) * ops.digamma(b)
        return _log_beta(a, b) - digammas + (a + b - 2.0) * ops.digamma(a + b)

    def _divergence(self, own, other):
        (a, b), (c, d) = own, other
        digammas = (a - c) * ops.digamma(a) + (b - d) * ops.digamma(b) + (c - a + d - b) * ops.digamma(a + b)
        return _log_beta(c, d) - _log_beta(a, b) + digammas

    def _draw(self, size, a, b):
        one = ops.ones(size, a.dtype)
        seed = self.seed or None
        x = ops.gamma((), ops.broadcast_to(a, size), one, seed)
        y = ops.gamma((), ops.broadcast_to(b, size), one, seed and seed + 1)
        return x / (x + y)


class Uniform(Parametric):
    """The same density everywhere between `low` and `high`."""

    def __init__(self, low=None, high=None, seed=None, dtype=float32, name="Uniform"):
        super().__init__(seed, dtype, name, low=low, high=high)
        if self.low is not None and self.high is not None:
            require_positive(self.name, "high - low", self.high - self.low)

    @property
    def low(self):
        """The lower end."""
        return self.default_parameters[0]

    @property
    def high(self):
        """The upper end."""
        return self.default_parameters[1]

    @of_value
    def _log_prob(self, value, low, high):
        inside = ops.logical_and(value >= low, value <= high)
        return ops.where(inside, -ops.log(high - low), -math.inf)

    @of_value
    def _cdf(self, value, low, high):
        return ops.clamp((value - low) / (high - low), 0.0, 1.0)

    @of_parameters
    def _mean(self, low, high):
        return 0.5 * (low + high)

    @of_parameters
    def _var(self, low, high):
        return ops.square(high - low) / 12.0

    @of_parameters
    def _entropy(self, low, high):
        return ops.log(high - low)

    def _divergence(self, own, other):
        (low, high), (other_low, other_high) = own, other
        inside = ops.logical_and(other_low <= low, high <= other_high)
        return ops.where(inside, ops.log(other_high - other_low) - ops.log(high - low), math.inf)

    def _draw(self, shape, low, high):
        return low + (high - low) * self._uniform(shape)
