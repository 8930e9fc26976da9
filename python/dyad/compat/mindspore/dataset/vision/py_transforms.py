"""MindSpore 1 name: the transforms of PIL images."""

from dyad.dataset.vision.transforms import *  # noqa: F403
