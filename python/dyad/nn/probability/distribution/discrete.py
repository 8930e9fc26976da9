"""Distributions over integers."""

import math
from typing import ClassVar

from dyad import ops
from dyad._core import float32, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from dyad.nn.probability.distribution.parametric import (
    FLOATS,
    Parametric,
    of_parameters,
    of_value,
    require_positive,
    require_probability,
)
from dyad.nn.probability.parameters import require_all

__all__ = ["Bernoulli", "Categorical", "Geometric", "Poisson"]


class _Discrete(Parametric):
    """Samples are integers, of whatever dtype."""

    takes_dtypes = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, *FLOATS)


class _WithProbability(_Discrete):
    """Base class with the parameter `probs`, called `probs1` in calls."""

    _printed: ClassVar[dict[str, str]] = {"probs1": "probs"}

    def __init__(self, probs=None, seed=None, dtype=int32, name=None):
        super().__init__(seed, dtype, type(self).__name__ if name is None else name, probs1=probs)
        require_probability(self.name, "probs", self.probs)

    @property
    def probs(self):
        """The probability of a success."""
        return self.default_parameters[0]


def _two_sided(p, q):
    return p * ops.log(q) + (1.0 - p) * ops.log1p(-q)


class Bernoulli(_WithProbability):
    """1 with the probability `probs`, else 0."""

    @of_value
    def _log_prob(self, value, probs1):
        return _two_sided(value, probs1)

    @of_value
    def _cdf(self, value, probs1):
        return ops.where(value < 0, 0.0, ops.where(value < 1, 1.0 - probs1, 1.0))

    @of_parameters
    def _mean(self, probs1):
        return probs1

    @of_parameters
    def _mode(self, probs1):
        return (probs1 > 0.5).astype(self.dtype)

    @of_parameters
    def _var(self, probs1):
        return probs1 * (1.0 - probs1)

    @of_parameters
    def _entropy(self, probs1):
        return -_two_sided(probs1, probs1)

    def _divergence(self, own, other):
        return _two_sided(own[0], own[0]) - _two_sided(own[0], other[0])

    def _draw(self, shape, probs1):
        return self._uniform(shape) < probs1


class Geometric(_WithProbability):
    """The failures before the first success."""

    @of_value
    def _log_prob(self, value, probs1):
        counts = ops.logical_and(value >= 0, ops.floor(value) == value)
        return ops.where(counts, ops.log(probs1) + value * ops.log1p(-probs1), -math.inf)

    @of_value
    def _cdf(self, value, probs1):
        return ops.where(value < 0, 0.0, -ops.expm1((ops.floor(value) + 1.0) * ops.log1p(-probs1)))

    @of_parameters
    def _mean(self, probs1):
        return (1.0 - probs1) / probs1

    @of_parameters
    def _mode(self, probs1):
        return ops.zeros_like(probs1).astype(self.dtype)

    @of_parameters
    def _var(self, probs1):
        return (1.0 - probs1) / ops.square(probs1)

    @of_parameters
    def _entropy(self, probs1):
        return -_two_sided(probs1, probs1) / probs1

    def _divergence(self, own, other):
        return (_two_sided(own[0], own[0]) - _two_sided(own[0], other[0])) / own[0]

    def _draw(self, shape, probs1):
        return ops.floor(ops.log(self._uniform(shape)) / ops.log1p(-probs1))


class Poisson(_Discrete):
    """The number of events in a unit of time, where they have the rate `rate`."""

    def __init__(self, rate=None, seed=None, dtype=float32, name="Poisson"):
        super().__init__(seed, dtype, name, rate=rate)
        require_positive(self.name, "rate", self.rate)

    @property
    def rate(self):
        """Events per unit of time."""
        return self.default_parameters[0]

    @of_value
    def _log_prob(self, value, rate):
        counts = ops.logical_and(value >= 0, ops.floor(value) == value)
        return ops.where(counts, value * ops.log(rate) - rate - ops.lgamma(ops.relu(value) + 1.0), -math.inf)

    @of_value
    def _cdf(self, value, rate):
        above = ops.igamma(1.0 + ops.floor(ops.relu(value)), ops.broadcast_to(rate, (value + rate).shape))
        return ops.where(value < 0, 0.0, 1.0 - above)

    @of_parameters
    def _mean(self, rate):
        return rate

    @of_parameters
    def _mode(self, rate):
        return ops.floor(rate)

    @of_parameters
    def _var(self, rate):
        return rate

    def _divergence(self, own, other):
        return own[0] * (ops.log(own[0]) - ops.log(other[0])) + other[0] - own[0]

    def _draw(self, shape, rate):
        return ops.random_poisson((), ops.broadcast_to(rate, shape), self.seed or None, float32)


class Categorical(_Discrete):
    """Categorical distribution over the classes 0, 1, ..., with probabilities along the last axis of `probs`."""

    def __init__(self, probs=None, seed=None, dtype=int32, name="Categorical"):
        super().__init__(seed, dtype, name, probs=probs)
        if self.probs is not None:
            if self.probs.ndim == 0:
                raise ValueError(f"{name}: probs is a number; need one probability for each class")
            require_probability(name, "probs", self.probs)
            require_all(
                name,
                "probs",
                self.probs,
                lambda p: ops.abs(p.sum(-1) - 1.0) < 1e-5,
                "sums of 1 along the last axis",
            )
            self._batch_shape = tuple(self.probs.shape[:-1])
            self._is_scalar_batch = not self._batch_shape

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self.default_parameters[0]

    @of_value
    def _log_prob(self, value, probs):
        shape = ops.zeros_like(value).shape if probs.ndim == 1 else (value + probs[..., 0]).shape
        chosen = ops.broadcast_to(value, shape).astype(int32)
        spread = ops.broadcast_to(probs, (*shape, probs.shape[-1]))
        return ops.log(ops.gather_elements(spread, -1, ops.expand_dims(chosen, -1)).squeeze(-1))

    @of_value
    def _cdf(self, value, probs):
        classes = ops.arange(probs.shape[-1]).astype(probs.dtype)
        return ops.where(classes <= ops.expand_dims(value, -1), probs, 0.0).sum(-1)

    @of_parameters
    def _mean(self, probs):
        return (probs * ops.arange(probs.shape[-1]).astype(probs.dtype)).sum(-1)

    @of_parameters
    def _mode(self, probs):
        return ops.argmax(probs, -1).astype(self.dtype)

    @of_parameters
    def _var(self, probs):
        classes = ops.arange(probs.shape[-1]).astype(probs.dtype)
        return (probs * ops.square(classes)).sum(-1) - ops.square((probs * classes).sum(-1))

    @of_parameters
    def _entropy(self, probs):
        return -(probs * ops.log(probs)).sum(-1)

    def _divergence(self, own, other):
        return (own[0] * (ops.log(own[0]) - ops.log(other[0]))).sum(-1)

    def _draw(self, shape, probs):
        bounds = ops.cumsum(probs, -1)[..., :-1]
        drawn = ops.expand_dims(self._uniform(shape[:-1]), -1)
        return (drawn > bounds).astype(int32).sum(-1)
