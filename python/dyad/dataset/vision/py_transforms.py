"""Older spelling: the transforms of PIL images."""

from dyad.dataset.vision.transforms import *  # noqa: F403
