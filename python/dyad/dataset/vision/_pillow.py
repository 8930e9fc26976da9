"""Pillow, which is loaded for programs that use PIL images."""

from dyad._src.base.lazy_import import load


def pil_images():
    """Pillow's module of images; without Pillow an ImportError explains how to install it."""
    try:
        return load("PIL.Image")
    except ImportError as error:
        raise ImportError("PIL images need the package Pillow: pip install pillow") from error
