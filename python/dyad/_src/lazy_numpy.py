"""NumPy, imported when something of it is first used: it takes half as long as all of this package."""


def __getattr__(name):
    import numpy

    return getattr(numpy, name)
