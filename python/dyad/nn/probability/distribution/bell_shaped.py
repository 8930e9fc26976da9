"""Distributions around a location, on all numbers."""

import math

from dyad import _core, ops
from dyad.nn.probability.distribution.distribution import Distribution

__all__ = ["Cauchy", "Gumbel", "HalfNormal", "Laplace", "Logistic", "Normal", "StudentT"]

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_EULER = 0.5772156649015329


class _LocationScale(Distribution):
    """A distribution with a location and a scale."""

    def __init__(self, first, second, seed, dtype, name, labels):
        super().__init__(seed, dtype, name, {"param_dict": dict(zip(labels, (first, second), strict=True))})

    def _standard(self, value, args):
        """(value - location) / scale, and the scale."""
        location, scale = self._parameters_or(*args)
        return (self._value(value) - location) / scale, scale


class Normal(_LocationScale):
    """The normal distribution of a mean and a standard deviation.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.nn.probability.distribution import Normal
        >>> print(Normal(0.0, 1.0).cdf(Tensor([0.0])))
        [0.5]
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=_core.float32, name="Normal"):
        super().__init__(mean, sd, seed, dtype, name, ("mean", "sd"))

    def _log_prob(self, value, mean=None, sd=None):
        standard, sd = self._standard(value, (mean, sd))
        return -0.5 * ops.square(standard) - ops.log(sd) - _HALF_LOG_TWO_PI

    def _cdf(self, value, mean=None, sd=None):
        standard, _ = self._standard(value, (mean, sd))
        return 0.5 * (1.0 + ops.erf(standard / math.sqrt(2)))

    def _mean(self, mean=None, sd=None):
        return self._parameters_or(mean, sd)[0]

    def _mode(self, mean=None, sd=None):
        return self._parameters_or(mean, sd)[0]

    def _sd(self, mean=None, sd=None):
        return self._parameters_or(mean, sd)[1]

    def _entropy(self, mean=None, sd=None):
        return 0.5 + _HALF_LOG_TWO_PI + ops.log(self._parameters_or(mean, sd)[1])

    def _kl_loss(self, dist, *args):
        (mean_b, sd_b), (mean, sd) = self._pair(dist, args)
        apart = ops.log(sd) - ops.log(sd_b)
        return 0.5 * ops.square((mean - mean_b) / sd_b) + 0.5 * ops.expm1(2.0 * apart) - apart

    def _sample(self, shape=(), mean=None, sd=None):
        mean, sd = self._parameters_or(mean, sd)
        draws = ops.standard_normal(self._drawn_shape(shape, mean, sd), self._seed or None)
        return self._delivered(mean + sd * draws)


class Logistic(_LocationScale):
    """The logistic distribution."""

    def __init__(self, loc=None, scale=None, seed=None, dtype=_core.float32, name="Logistic"):
        super().__init__(loc, scale, seed, dtype, name, ("loc", "scale"))

    @property
    def loc(self):
        """The location."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """The scale."""
        return self.default_parameters[1]

    def _log_prob(self, value, loc=None, scale=None):
        standard, scale = self._standard(value, (loc, scale))
        return -standard - 2.0 * ops.softplus(-standard) - ops.log(scale)

    def _cdf(self, value, loc=None, scale=None):
        return ops.sigmoid(self._standard(value, (loc, scale))[0])

    def _mean(self, loc=None, scale=None):
        return self._parameters_or(loc, scale)[0]

    def _mode(self, loc=None, scale=None):
        return self._parameters_or(loc, scale)[0]

    def _sd(self, loc=None, scale=None):
        return self._parameters_or(loc, scale)[1] * (math.pi / math.sqrt(3))

    def _entropy(self, loc=None, scale=None):
        return ops.log(self._parameters_or(loc, scale)[1]) + 2.0

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        draws = self._uniform(self._drawn_shape(shape, loc, scale))
        return self._delivered(loc + scale * (ops.log(draws) - ops.log1p(-draws)))


class Gumbel(_LocationScale):
    """The Gumbel distribution, of largest values."""

    def __init__(self, loc, scale, seed=0, dtype=_core.float32, name="Gumbel"):
        super().__init__(loc, scale, seed, dtype, name, ("loc", "scale"))

    @property
    def loc(self):
        """The location."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """The scale."""
        return self.default_parameters[1]

    def _log_prob(self, value):
        standard, scale = self._standard(value, ())
        return -(standard + ops.exp(-standard)) - ops.log(scale)

    def _cdf(self, value):
        return ops.exp(-ops.exp(-self._standard(value, ())[0]))

    def _mean(self):
        return self.loc + self.scale * _EULER

    def _mode(self):
        return self.loc * ops.ones_like(self.scale)

    def _sd(self):
        return self.scale * ops.ones_like(self.loc) * (math.pi / math.sqrt(6))

    def _entropy(self):
        return 1.0 + _EULER + ops.log(self.scale * ops.ones_like(self.loc))

    def _kl_loss(self, dist, *args):
        (loc_b, scale_b), (loc, scale) = self._pair(dist, args)
        ratio = scale / scale_b
        powers = ops.exp((loc_b - loc) / scale_b + ops.lgamma(ratio + 1.0))
        return (
            ops.log(scale_b)
            - ops.log(scale)
            + _EULER * (ratio - 1.0)
            + powers
            - 1.0
            + (loc - loc_b) / scale_b
        )

    def _sample(self, shape=()):
        draws = self._uniform(self._drawn_shape(shape, self.loc, self.scale))
        return self._delivered(self.loc - self.scale * ops.log(-ops.log(draws)))


class Cauchy(_LocationScale):
    """The Cauchy distribution; it has no mean and no deviation."""

    def __init__(self, loc=None, scale=None, seed=None, dtype=_core.float32, name="Cauchy"):
        super().__init__(loc, scale, seed, dtype, name, ("loc", "scale"))

    @property
    def loc(self):
        """The location."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """The scale."""
        return self.default_parameters[1]

    def _log_prob(self, value, loc=None, scale=None):
        standard, scale = self._standard(value, (loc, scale))
        return -math.log(math.pi) - ops.log(scale) - ops.log1p(ops.square(standard))

    def _cdf(self, value, loc=None, scale=None):
        return 0.5 + ops.atan(self._standard(value, (loc, scale))[0]) / math.pi

    def _mode(self, loc=None, scale=None):
        return self._parameters_or(loc, scale)[0]

    def _mean(self, loc=None, scale=None):
        raise ValueError(f"{self.name}: the mean of a Cauchy distribution is not defined")

    def _sd(self, loc=None, scale=None):
        raise ValueError(f"{self.name}: the deviation of a Cauchy distribution is not defined")

    def _entropy(self, loc=None, scale=None):
        return math.log(4 * math.pi) + ops.log(self._parameters_or(loc, scale)[1])

    def _kl_loss(self, dist, *args):
        (loc_b, scale_b), (loc, scale) = self._pair(dist, args)
        apart = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(apart) - math.log(4.0) - ops.log(scale) - ops.log(scale_b)

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        draws = self._uniform(self._drawn_shape(shape, loc, scale))
        return self._delivered(loc + scale * ops.tan(math.pi * (draws - 0.5)))


class Laplace(_LocationScale):
    """The Laplace distribution of a mean and a scale; it has a density only."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_core.float32, name="Laplace"):
        super().__init__(mean, sd, seed, dtype, name, ("mean", "sd"))

    def _log_prob(self, value, mean=None, sd=None):
        standard, sd = self._standard(value, (mean, sd))
        return -ops.abs(standard) - ops.log(2.0 * sd)


class HalfNormal(_LocationScale):
    """The normal distribution above its mean; it has a density only."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=_core.float32, name="HalfNormal"):
        super().__init__(mean, sd, seed, dtype, name, ("mean", "sd"))

    def _log_prob(self, value, mean=None, sd=None):
        standard, sd = self._standard(value, (mean, sd))
        inside = -0.5 * ops.square(standard) - ops.log(sd) + (math.log(2.0) - _HALF_LOG_TWO_PI)
        return ops.where(standard >= 0, inside, -math.inf)


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom, with a mean and a scale; it has a density only."""

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=_core.float32, name="StudentT"):
        super().__init__(seed, dtype, name, {"param_dict": {"df": df, "mean": mean, "sd": sd}})

    def _log_prob(self, value, df=None, mean=None, sd=None):
        df, mean, sd = self._parameters_or(df, mean, sd)
        standard = (self._value(value) - mean) / sd
        scale = (
            ops.lgamma(0.5 * (df + 1.0)) - ops.lgamma(0.5 * df) - 0.5 * ops.log(df * math.pi) - ops.log(sd)
        )
        return scale - 0.5 * (df + 1.0) * ops.log1p(ops.square(standard) / df)
