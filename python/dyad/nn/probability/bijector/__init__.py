"""Invertible mappings."""

from dyad.nn.probability.bijector import bijector, mappings
from dyad.nn.probability.bijector.bijector import *  # noqa: F403
from dyad.nn.probability.bijector.mappings import *  # noqa: F403

__all__ = [*bijector.__all__, *mappings.__all__]
