"""NumPy, imported on first use: importing it takes half as long as importing all of this package."""

from dyad._src.base.lazy_import import load


def __getattr__(name):
    return getattr(load("numpy"), name)
