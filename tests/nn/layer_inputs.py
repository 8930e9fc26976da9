"""Arguments for layers, and how a case of one is written: (name, what makes the layer, what makes its arguments).

Layers are made again for each use, with the same weights.
"""

import numpy as np

from dyad import Tensor


def floats(*shape, low=-2.0, high=2.0):
    rng = np.random.default_rng(sum(shape) + len(shape))
    return Tensor(rng.uniform(low, high, shape).astype(np.float32))


def positive(*shape):
    return floats(*shape, low=0.1, high=0.9)


def indices(*shape, high=4):
    rng = np.random.default_rng(sum(shape) + high)
    return Tensor(rng.integers(0, high, shape).astype(np.int32))


def signs(*shape):
    return Tensor(np.where(np.arange(np.prod(shape)).reshape(shape) % 2 == 0, 1, -1).astype(np.float32))


def one(name, make, *shape):
    return name, make, lambda: (floats(*shape),)


def pair(name, make, *arguments):
    return name, make, lambda: tuple(argument() for argument in arguments)
