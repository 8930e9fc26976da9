"""`# @jit.typing` beside host statements. The dynamic graph does not look at it; a static graph holds it to be true."""

import numpy as np
from hosting import hosted

import dyad
from dyad import Tensor

X = Tensor([1.0, 2.0])
ONLY = [(Tensor([7.0, 9.0]),), (Tensor([[1.0, 2.0]]),)]


@hosted(X, then=ONLY)
def tensor_of_floats(x):
    y = Tensor(np.sin(x.asnumpy()))  # @jit.typing: () -> tensor_type[float32]
    return y * 2 + x


@hosted(X, then=ONLY)
def tensor_of_whole_numbers(x):
    y = Tensor(x.asnumpy().astype(np.int32))  # @jit.typing: () -> tensor_type[int32]
    return y + 1, y.dtype


@hosted(X, then=ONLY)
def number_types(x):
    k = float(x.asnumpy().sum())  # @jit.typing: () -> float
    n = int(x.asnumpy()[..., 0].sum())  # @jit.typing: () -> int
    return x * k + n


@hosted(X, then=ONLY)
def tuple_of_tensors(x):
    a = x.asnumpy()
    pair = (
        Tensor(a * 2),
        Tensor(a),
    )  # @jit.typing: () -> tuple_type[tensor_type[float32], tensor_type[float32]]
    return pair[0] * pair[1]


@hosted(X, then=ONLY)
def list_of_tensors(x):
    items = [Tensor(x.asnumpy())]  # @jit.typing: () -> list_type[tensor_type[float32]]
    items.append(x)
    return items


@hosted(X, then=ONLY)
def type_held_by_a_name(x):
    kind = dyad.float16
    y = dyad.tensor(x.asnumpy(), dtype=kind)  # @jit.typing: () -> tensor_type[{kind}]
    return y + y, y.dtype


@hosted(X, then=ONLY)
def annotated_in_arms_and_loops(x):
    y = x
    for k in range(2):
        if x.sum() > 2:
            a = Tensor(y.asnumpy() * k)  # @jit.typing: () -> tensor_type[float32]
        else:
            a = Tensor(y.asnumpy() - k)  # @jit.typing: () -> tensor_type[float32]
        y = y + a
    return y


@hosted(X, then=ONLY)
def statement_for_its_effect(x):
    kept = np.zeros(1)
    np.add.at(kept, 0, x.asnumpy().sum())  # @jit.typing: side_effect
    return x * 2, kept
