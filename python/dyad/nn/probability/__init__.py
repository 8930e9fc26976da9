"""Distributions and the bijectors that transform them."""

from dyad.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
