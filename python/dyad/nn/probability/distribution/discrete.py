"""Distributions of counts and classes."""

import math

from dyad import _core, ops
from dyad.nn.probability.distribution.distribution import Distribution

__all__ = ["Bernoulli", "Categorical", "Geometric", "Poisson"]


def _weighted_log(weight, value):
    """weight * log(value), 0 where the weight is 0."""
    return ops.where(weight == 0, 0.0, weight * ops.log(value))


class _Counted(Distribution):
    """A distribution of one parameter."""

    def __init__(self, value, seed, dtype, name, label):
        super().__init__(seed, dtype, name, {"param_dict": {label: value}})


class Bernoulli(_Counted):
    """1 with a probability, else 0."""

    def __init__(self, probs=None, seed=None, dtype=_core.int32, name="Bernoulli"):
        super().__init__(probs, seed, dtype, name, "probs")

    @property
    def probs(self):
        """The probability of 1."""
        return self.default_parameters[0]

    def _log_prob(self, value, probs=None):
        probs, value = self._parameters_or(probs), self._value(value)
        return _weighted_log(value, probs) + _weighted_log(1.0 - value, 1.0 - probs)

    def _cdf(self, value, probs=None):
        probs, value = self._parameters_or(probs), self._value(value)
        below_one = ops.where(value < 0, 0.0, (1.0 - probs) * ops.ones_like(value))
        return ops.where(value < 1, below_one, 1.0)

    def _mean(self, probs=None):
        return self._parameters_or(probs)

    def _mode(self, probs=None):
        return (self._parameters_or(probs) > 0.5).astype(self.dtype)

    def _var(self, probs=None):
        probs = self._parameters_or(probs)
        return probs * (1.0 - probs)

    def _entropy(self, probs=None):
        probs = self._parameters_or(probs)
        return -_weighted_log(probs, probs) - _weighted_log(1.0 - probs, 1.0 - probs)

    def _kl_loss(self, dist, *args):
        (probs_b,), (probs,) = self._pair(dist, args)
        return _weighted_log(probs, probs / probs_b) + _weighted_log(
            1.0 - probs, (1.0 - probs) / (1.0 - probs_b)
        )

    def _sample(self, shape=(), probs=None):
        probs = self._parameters_or(probs)
        draws = ops.rand(*self._drawn_shape(shape, probs), seed=self._seed or None)
        return self._delivered(draws < probs)


class Geometric(_Counted):
    """How often something of a probability fails before it first succeeds."""

    def __init__(self, probs=None, seed=None, dtype=_core.int32, name="Geometric"):
        super().__init__(probs, seed, dtype, name, "probs")

    @property
    def probs(self):
        """The probability of success."""
        return self.default_parameters[0]

    def _log_prob(self, value, probs=None):
        probs, value = self._parameters_or(probs), ops.floor(self._value(value))
        return ops.where(value >= 0, ops.log(probs) + value * ops.log1p(-probs), -math.inf)

    def _cdf(self, value, probs=None):
        probs, value = self._parameters_or(probs), ops.floor(self._value(value))
        return ops.where(value >= 0, -ops.expm1((value + 1.0) * ops.log1p(-probs)), 0.0)

    def _mean(self, probs=None):
        probs = self._parameters_or(probs)
        return (1.0 - probs) / probs

    def _mode(self, probs=None):
        return ops.zeros_like(self._parameters_or(probs)).astype(self.dtype)

    def _var(self, probs=None):
        probs = self._parameters_or(probs)
        return (1.0 - probs) / ops.square(probs)

    def _entropy(self, probs=None):
        probs = self._parameters_or(probs)
        return -ops.log(probs) - (1.0 - probs) / probs * ops.log1p(-probs)

    def _kl_loss(self, dist, *args):
        (probs_b,), (probs,) = self._pair(dist, args)
        failing = (1.0 - probs) / probs
        return ops.log(probs / probs_b) + failing * (ops.log1p(-probs) - ops.log1p(-probs_b))

    def _sample(self, shape=(), probs=None):
        probs = self._parameters_or(probs)
        draws = self._uniform(self._drawn_shape(shape, probs))
        return self._delivered(ops.floor(ops.log(draws) / ops.log1p(-probs)))


class Poisson(_Counted):
    """The Poisson distribution of a rate."""

    def __init__(self, rate=None, seed=None, dtype=_core.float32, name="Poisson"):
        super().__init__(rate, seed, dtype, name, "rate")

    @property
    def rate(self):
        """The rate."""
        return self.default_parameters[0]

    def _log_prob(self, value, rate=None):
        rate, value = self._parameters_or(rate), self._value(value)
        counted = ops.logical_and(value >= 0, ops.floor(value) == value)
        return ops.where(counted, value * ops.log(rate) - rate - ops.lgamma(ops.abs(value) + 1.0), -math.inf)

    def _cdf(self, value, rate=None):
        rate, value = self._parameters_or(rate), ops.floor(self._value(value))
        return ops.where(value >= 0, ops.igammac(ops.abs(value) + 1.0, rate * ops.ones_like(value)), 0.0)

    def _mean(self, rate=None):
        return self._parameters_or(rate)

    def _mode(self, rate=None):
        return ops.floor(self._parameters_or(rate))

    def _var(self, rate=None):
        return self._parameters_or(rate)

    def _sample(self, shape=(), rate=None):
        return self._delivered(ops.random_poisson(shape, self._parameters_or(rate), self._seed or None))


class Categorical(_Counted):
    """A class, from 0 on, by the probabilities along the last dimension of `probs`."""

    def __init__(self, probs=None, seed=None, dtype=_core.int32, name="Categorical"):
        super().__init__(probs, seed, dtype, name, "probs")

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self.default_parameters[0]

    @property
    def broadcast_shape(self):
        """The shape of the probabilities without the classes; None where they are not given."""
        return None if self.probs is None else tuple(self.probs.shape[:-1])

    batch_shape = broadcast_shape

    def _moment(self, probs, power):
        classes = ops.arange(probs.shape[-1]).astype(probs.dtype)
        return (probs * classes**power).sum(-1)

    def _mean(self, probs=None):
        return self._moment(self._parameters_or(probs), 1)

    def _mode(self, probs=None):
        return self._parameters_or(probs).argmax(-1).astype(self.dtype)

    def _var(self, probs=None):
        probs = self._parameters_or(probs)
        return self._moment(probs, 2) - ops.square(self._moment(probs, 1))

    def _entropy(self, probs=None):
        probs = self._parameters_or(probs)
        return -_weighted_log(probs, probs).sum(-1)

    def _kl_loss(self, dist, *args):
        (probs_b,), (probs,) = self._pair(dist, args)
        return _weighted_log(probs, probs / probs_b).sum(-1)

    def _prob(self, value, probs=None):
        probs, value = self._parameters_or(probs), ops.floor(self._value(value))
        return (self._chosen(value, probs) * probs).sum(-1)

    def _chosen(self, value, probs):
        """1 at the class of a value, along a last dimension."""
        classes = ops.arange(probs.shape[-1]).astype(probs.dtype)
        return (ops.unsqueeze(value, -1) == classes).astype(probs.dtype)

    def _cdf(self, value, probs=None):
        probs, value = self._parameters_or(probs), ops.floor(self._value(value))
        classes = ops.arange(probs.shape[-1]).astype(probs.dtype)
        return ((classes <= ops.unsqueeze(value, -1)).astype(probs.dtype) * probs).sum(-1)

    def _sample(self, shape=(), probs=None):
        probs = self._parameters_or(probs)
        draws = self._uniform(self._drawn_shape(shape, probs))
        return self._delivered((ops.log(probs) - ops.log(-ops.log(draws))).argmax(-1))
