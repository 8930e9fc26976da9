"""Distributions on positive numbers or between two."""

import math

from dyad import _core, ops
from dyad.nn.probability.distribution.distribution import Distribution

__all__ = ["Beta", "Exponential", "Gamma", "Uniform"]


class Uniform(Distribution):
    """The uniform distribution between two numbers."""

    def __init__(self, low=None, high=None, seed=None, dtype=_core.float32, name="Uniform"):
        super().__init__(seed, dtype, name, {"param_dict": {"low": low, "high": high}})

    @property
    def low(self):
        """The smallest value."""
        return self.default_parameters[0]

    @property
    def high(self):
        """The largest value."""
        return self.default_parameters[1]

    def _prob(self, value, low=None, high=None):
        low, high = self._parameters_or(low, high)
        value = self._value(value)
        inside = ops.logical_and(value >= low, value <= high)
        return ops.where(inside, 1.0 / (high - low), 0.0)

    def _cdf(self, value, low=None, high=None):
        low, high = self._parameters_or(low, high)
        return ops.clamp((self._value(value) - low) / (high - low), 0.0, 1.0)

    def _mean(self, low=None, high=None):
        low, high = self._parameters_or(low, high)
        return (low + high) / 2.0

    def _var(self, low=None, high=None):
        low, high = self._parameters_or(low, high)
        return ops.square(high - low) / 12.0

    def _entropy(self, low=None, high=None):
        low, high = self._parameters_or(low, high)
        return ops.log(high - low)

    def _kl_loss(self, dist, *args):
        (low_b, high_b), (low, high) = self._pair(dist, args)
        covered = ops.logical_and(low_b <= low, high <= high_b)
        return ops.where(covered, ops.log(high_b - low_b) - ops.log(high - low), math.inf)

    def _sample(self, shape=(), low=None, high=None):
        low, high = self._parameters_or(low, high)
        draws = ops.rand(*self._drawn_shape(shape, low, high), seed=self._seed or None)
        return self._delivered(low + (high - low) * draws)


class Exponential(Distribution):
    """The exponential distribution of a rate."""

    def __init__(self, rate=None, seed=None, dtype=_core.float32, name="Exponential"):
        super().__init__(seed, dtype, name, {"param_dict": {"rate": rate}})

    @property
    def rate(self):
        """The rate."""
        return self.default_parameters[0]

    def _log_prob(self, value, rate=None):
        rate, value = self._parameters_or(rate), self._value(value)
        return ops.where(value >= 0, ops.log(rate) - rate * value, -math.inf)

    def _cdf(self, value, rate=None):
        rate, value = self._parameters_or(rate), self._value(value)
        return ops.where(value >= 0, -ops.expm1(-rate * value), 0.0)

    def _mean(self, rate=None):
        return 1.0 / self._parameters_or(rate)

    def _mode(self, rate=None):
        return ops.zeros_like(self._parameters_or(rate))

    def _sd(self, rate=None):
        return 1.0 / self._parameters_or(rate)

    def _entropy(self, rate=None):
        return 1.0 - ops.log(self._parameters_or(rate))

    def _kl_loss(self, dist, *args):
        (rate_b,), (rate,) = self._pair(dist, args)
        return ops.log(rate) - ops.log(rate_b) + rate_b / rate - 1.0

    def _sample(self, shape=(), rate=None):
        rate = self._parameters_or(rate)
        return self._delivered(-ops.log(self._uniform(self._drawn_shape(shape, rate))) / rate)


class Gamma(Distribution):
    """The gamma distribution of a concentration and a rate."""

    def __init__(self, concentration=None, rate=None, seed=None, dtype=_core.float32, name="Gamma"):
        super().__init__(seed, dtype, name, {"param_dict": {"concentration": concentration, "rate": rate}})

    @property
    def concentration(self):
        """The concentration."""
        return self.default_parameters[0]

    @property
    def rate(self):
        """The rate."""
        return self.default_parameters[1]

    def _log_prob(self, value, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        value = self._value(value)
        return shape * ops.log(rate) + (shape - 1.0) * ops.log(value) - rate * value - ops.lgamma(shape)

    def _cdf(self, value, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        return ops.igamma(shape, rate * self._value(value))

    def _mean(self, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        return shape / rate

    def _mode(self, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        return ops.where(shape > 1.0, (shape - 1.0) / rate, math.nan)

    def _var(self, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        return shape / ops.square(rate)

    def _entropy(self, concentration=None, rate=None):
        shape, rate = self._parameters_or(concentration, rate)
        return shape - ops.log(rate) + ops.lgamma(shape) + (1.0 - shape) * ops.digamma(shape)

    def _kl_loss(self, dist, *args):
        (shape_b, rate_b), (shape, rate) = self._pair(dist, args)
        normalizers = ops.lgamma(shape_b) - ops.lgamma(shape) + shape_b * (ops.log(rate) - ops.log(rate_b))
        return (shape - shape_b) * ops.digamma(shape) + normalizers + shape * (rate_b / rate - 1.0)

    def _sample(self, shape=(), concentration=None, rate=None):
        concentration, rate = self._parameters_or(concentration, rate)
        return self._delivered(_gamma_draws(self, shape, concentration, rate) / rate)


def _gamma_draws(distribution, shape, concentration, other):
    """Draws of rate 1, of a shape in front of that of both parameters."""
    wide = distribution._drawn_shape((), concentration, other)
    return ops.random_gamma(shape, ops.broadcast_to(concentration, wide), distribution._seed or None)


def _log_beta(first, second):
    return ops.lgamma(first) + ops.lgamma(second) - ops.lgamma(first + second)


class Beta(Distribution):
    """The beta distribution of two concentrations, on numbers between 0 and 1."""

    def __init__(self, concentration1=None, concentration0=None, seed=None, dtype=_core.float32, name="Beta"):
        given = {"concentration1": concentration1, "concentration0": concentration0}
        super().__init__(seed, dtype, name, {"param_dict": given})

    @property
    def concentration1(self):
        """The concentration towards 1."""
        return self.default_parameters[0]

    @property
    def concentration0(self):
        """The concentration towards 0."""
        return self.default_parameters[1]

    def _log_prob(self, value, concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        value = self._value(value)
        return (one - 1.0) * ops.log(value) + (zero - 1.0) * ops.log1p(-value) - _log_beta(one, zero)

    def _mean(self, concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        return one / (one + zero)

    def _mode(self, concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        inside = ops.logical_and(one > 1.0, zero > 1.0)
        return ops.where(inside, (one - 1.0) / (one + zero - 2.0), math.nan)

    def _var(self, concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        total = one + zero
        return one * zero / (ops.square(total) * (total + 1.0))

    def _entropy(self, concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        total = one + zero
        parts = (one - 1.0) * ops.digamma(one) + (zero - 1.0) * ops.digamma(zero)
        return _log_beta(one, zero) - parts + (total - 2.0) * ops.digamma(total)

    def _kl_loss(self, dist, *args):
        (one_b, zero_b), (one, zero) = self._pair(dist, args)
        changes = (one - one_b) * ops.digamma(one) + (zero - zero_b) * ops.digamma(zero)
        total = (one_b - one + zero_b - zero) * ops.digamma(one + zero)
        return _log_beta(one_b, zero_b) - _log_beta(one, zero) + changes + total

    def _sample(self, shape=(), concentration1=None, concentration0=None):
        one, zero = self._parameters_or(concentration1, concentration0)
        first = _gamma_draws(self, shape, one, zero)
        second = _gamma_draws(self, shape, zero, one)
        return self._delivered(first / (first + second))
