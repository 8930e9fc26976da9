"""NumPy, imported when something of it is first used: it takes half as long as all of this package."""

from dyad._src.base.lazy_import import load


def __getattr__(name):
    return getattr(load("numpy"), name)
