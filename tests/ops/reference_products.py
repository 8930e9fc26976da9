"""Products of vectors in NumPy where one expression is not enough."""

import numpy as np
from scipy import special


def cross(a, b, dim):
    axis = a.shape.index(3) if dim is None else dim
    return np.cross(a, b, axis=axis)


def packed_panels(matrix):
    rows, columns = matrix.shape
    panels = -(-columns // 64)
    filled = np.zeros((rows, panels * 64), matrix.dtype)
    filled[:, :columns] = matrix
    return filled.reshape(rows, panels, 64).transpose(1, 0, 2)


def unpacked_panels(panels, columns):
    return panels.transpose(1, 0, 2).reshape(panels.shape[1], -1)[:, :columns]


STEPS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "tanh": np.tanh,
    "exp": np.exp,
    "square": np.square,
    "relu": lambda x: np.maximum(x, 0),
    "gelu_erf": lambda x: x * special.ndtr(x),
}


def product(matrix, other, bias, steps, operands, numbers):
    result = matrix @ other + (0 if bias is None else bias)
    operands, numbers = iter(operands), iter(numbers)
    for step in steps.split():
        name = step.rstrip("#")
        if step.endswith("#"):
            result = STEPS[name](result, next(numbers))
        elif name in ("add", "sub", "mul", "div"):
            result = STEPS[name](result, next(operands))
        else:
            result = STEPS[name](result)
    return result
