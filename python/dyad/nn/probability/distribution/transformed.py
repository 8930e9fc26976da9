"""TransformedDistribution."""

from dyad import ops
from dyad.nn.probability.bijector.bijector import Bijector
from dyad.nn.probability.distribution.distribution import Distribution

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """Distribution of samples of `distribution` mapped by a bijector; functions accept the parameters of
    `distribution`.
    """

    def __init__(
        self, bijector: Bijector, distribution: Distribution, seed=None, name="transformed_distribution"
    ) -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"{name}: bijector is of type {type(bijector).__name__}; need a Bijector")
        if not isinstance(distribution, Distribution):
            raise TypeError(
                f"{name}: distribution is of type {type(distribution).__name__}; need a Distribution"
            )
        super().__init__(seed, distribution.dtype, name, {"bijector": bijector, "distribution": distribution})
        self._bijector = bijector
        self._distribution = distribution
        self._is_scalar_batch = distribution.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names

    @property
    def bijector(self):
        """The bijector that maps samples."""
        return self._bijector

    @property
    def distribution(self):
        """The distribution that is mapped."""
        return self._distribution

    def _log_prob(self, value, *args, **kwargs):
        source = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return source + self._bijector.inverse_log_jacobian(value)

    def _cdf(self, value, *args, **kwargs):
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _survival_function(self, value, *args, **kwargs):
        return self._distribution.survival_function(self._bijector.inverse(value), *args, **kwargs)

    def _mean(self, *args, **kwargs):
        return self._bijector.forward(self._of_constant_slope("mean").mean(*args, **kwargs))

    def _entropy(self, *args, **kwargs):
        source = self._of_constant_slope("entropy").entropy(*args, **kwargs)
        return source + self._bijector.forward_log_jacobian(ops.zeros_like(source))

    def _of_constant_slope(self, function):
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError(
                f"{self.name}: {function} is not defined under {self._bijector.name}, which is not linear"
            )
        return self._distribution

    def _sample(self, *args, **kwargs):
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))
