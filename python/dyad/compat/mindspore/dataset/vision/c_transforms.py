"""MindSpore 1 name: the transforms of images that were native."""

from dyad.dataset.vision.transforms import *  # noqa: F403
