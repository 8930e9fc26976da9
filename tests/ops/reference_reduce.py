"""NumPy references of the reductions that NumPy does not have under one name."""

import numpy as np


def sum_to(input, like):
    extra = input.ndim - like.ndim
    axes = tuple(i for i in range(input.ndim) if i < extra or like.shape[i - extra] != input.shape[i])
    return np.sum(input, axis=axes).reshape(like.shape)
