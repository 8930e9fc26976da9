"""Older spelling: the transforms of images that were native."""

from dyad.dataset.vision.transforms import *  # noqa: F403
