"""Distributions of what a function with an inverse makes of a random variable."""

from dyad import _core, ops
from dyad._src.argument_checks import a_value
from dyad.nn.probability.bijector import Bijector, Exp
from dyad.nn.probability.distribution.bell_shaped import Normal
from dyad.nn.probability.distribution.distribution import Distribution

__all__ = ["LogNormal", "TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of `bijector.forward(x)` where `x` has the given distribution."""

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution"):
        if not isinstance(bijector, Bijector):
            raise TypeError(f"{name}: bijector is {a_value(bijector)}; need a Bijector")
        if not isinstance(distribution, Distribution):
            raise TypeError(f"{name}: distribution is {a_value(distribution)}; need a Distribution")
        super().__init__(seed, distribution.dtype, name, {"param_dict": distribution.parameters})
        self._bijector = bijector
        self._distribution = distribution

    @property
    def bijector(self):
        """The function."""
        return self._bijector

    @property
    def distribution(self):
        """The distribution of what the function is taken of."""
        return self._distribution

    @property
    def is_linear_transformation(self):
        """Whether the function stretches all values alike."""
        return self._bijector.is_constant_jacobian

    def _log_prob(self, value, *args, **kwargs):
        density = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return density + self._bijector.inverse_log_jacobian(value)

    def _cdf(self, value, *args, **kwargs):
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _mean(self, *args, **kwargs):
        if not self.is_linear_transformation:
            raise self._missing("mean, as its function is not linear")
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _entropy(self, *args, **kwargs):
        if not self.is_linear_transformation:
            raise self._missing("entropy, as its function is not linear")
        stretch = self._bijector.forward_log_jacobian(self._distribution.mean(*args, **kwargs))
        return self._distribution.entropy(*args, **kwargs) + stretch

    def _sample(self, *args, **kwargs):
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))


class LogNormal(TransformedDistribution):
    """The distribution of e to the power of a normal variable."""

    def __init__(self, loc=None, scale=None, seed=0, dtype=_core.float32, name="LogNormal"):
        super().__init__(Exp(), Normal(loc, scale, seed, dtype), seed, name)

    @property
    def loc(self):
        """The mean of the logarithm."""
        return self.default_parameters[0]

    @property
    def scale(self):
        """The standard deviation of the logarithm."""
        return self.default_parameters[1]

    def _mean(self, loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        return ops.exp(loc + 0.5 * ops.square(scale))

    def _mode(self, loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        return ops.exp(loc - ops.square(scale))

    def _var(self, loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        return ops.expm1(ops.square(scale)) * ops.exp(2.0 * loc + ops.square(scale))

    def _entropy(self, loc=None, scale=None):
        loc, scale = self._parameters_or(loc, scale)
        return loc + self._distribution.entropy(loc, scale)

    def _kl_loss(self, dist, *args):
        self._pair(dist, args)
        return self._distribution.kl_loss("Normal", *args)
