"""Copies that a traced function makes are made again in every call."""

import dyad
from dyad import Parameter, Tensor, jit, ops


def test_a_copy_of_a_parameter_is_not_frozen():
    weight = Parameter(Tensor(4.0), name="weight")

    @jit(capture_mode="trace")
    def step(x):
        copied, cloned = weight.copy(), weight.clone()
        ops.assign(weight, weight * x)
        return copied + 0, cloned + 0

    seen = [[float(part.asnumpy()) for part in step(Tensor(2.0))] for _ in range(3)]
    assert seen == [[4, 4], [8, 8], [16, 16]]


def test_a_tensor_of_a_tensor_is_not_frozen():
    @jit(capture_mode="trace")
    def copied(x):
        return dyad.tensor(x) + 0

    assert [float(copied(Tensor(value)).asnumpy()) for value in (1.0, 2.0, 3.0)] == [1, 2, 3]
