"""Distributions of random variables, and functions between them that have an inverse."""

from dyad.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
