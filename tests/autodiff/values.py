"""Short ways to write tensors, and to read results back as plain Python."""

import numpy as np

from dyad import Parameter, Tensor


def floats(*values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def ints(*values):
    return Tensor(np.array(values, np.int32))


def parameter(*values, name="w", requires_grad=True):
    return Parameter(floats(*values), name=name, requires_grad=requires_grad)


def read(result):
    """The same structure with lists in place of Tensors."""
    if isinstance(result, Tensor):
        return result.asnumpy().tolist()
    if isinstance(result, (tuple, list)):
        return type(result)(map(read, result))
    if isinstance(result, dict):
        return {key: read(part) for key, part in result.items()}
    return result
