"""Probability distributions."""

from dyad.nn.probability.distribution import continuous, discrete, distribution, location_scale, transformed
from dyad.nn.probability.distribution.continuous import *  # noqa: F403
from dyad.nn.probability.distribution.discrete import *  # noqa: F403
from dyad.nn.probability.distribution.distribution import *  # noqa: F403
from dyad.nn.probability.distribution.location_scale import *  # noqa: F403
from dyad.nn.probability.distribution.transformed import *  # noqa: F403

__all__ = [
    *continuous.__all__,
    *discrete.__all__,
    *distribution.__all__,
    *location_scale.__all__,
    *transformed.__all__,
]
