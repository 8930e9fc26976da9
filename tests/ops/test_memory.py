"""Which results share the memory of an argument, and which must not."""

import copy

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, grad, jit, ops
from dyad._src.tensor.parameter import Buffer


def vector(*numbers, dtype=np.float32):
    return Tensor(np.array(numbers, dtype))


def test_relu_writes_into_its_input_on_request_only():
    x = vector(-1, 2)
    assert ops.relu(x, False).tolist() == [0, 2]
    assert x.tolist() == [-1, 2]
    assert ops.relu(x, inplace=True).tolist() == [0, 2]
    assert x.tolist() == [0, 2]


def test_astype_copies_on_request():
    x = vector(1, 2)
    x.astype(dyad.float32, copy=True)[0] = 5
    assert x.tolist() == [1, 2]
    x.astype(dyad.float32)[0] = 5
    assert x.tolist() == [5, 2]


@pytest.mark.cpu("the CPU is the device that it asks for")
def test_to_shares_what_fits_already():
    x = vector(1, 2)
    x.to("CPU", copy=True)[0] = 5
    x.to(vector(0), copy=True)[0] = 5
    assert x.tolist() == [1, 2]
    x.to(device="cpu:0")[0] = 6
    x.to(vector(0))[1] = 7
    assert x.tolist() == [6, 7]


def test_parts_of_complex_numbers_are_views():
    x = vector(1 + 2j, 3 - 4j, dtype=np.complex64)
    parts = ops.view_as_real(x)
    assert parts.tolist() == [[1, 2], [3, -4]]
    parts[1, 0] = 9
    assert x.tolist() == [1 + 2j, 9 - 4j]
    ops.view_as_complex(parts)[0] = 5j
    assert parts.tolist() == [[0, 5], [9, -4]]


def test_scattered_parts_are_gathered():
    parts = vector(1, 2, 3, 4, 5, 6).reshape(2, 3).T
    assert ops.view_as_complex(parts[:2]).tolist() == [1 + 4j, 2 + 5j]


EVERY_FORM = {
    "dynamic": lambda function: function,
    "source": jit,
    "bytecode": lambda function: jit(function, capture_mode="bytecode"),
    "trace": lambda function: jit(function, capture_mode="trace"),
}
# What is made of a tensor, and whether a gradient passes through it.
MADE = {
    "Tensor": (lambda x: Tensor(x), True),
    "Tensor of its dtype": (lambda x: Tensor(x, dyad.float32), True),
    "Tensor of another dtype": (lambda x: Tensor(x, dyad.float64), True),
    "tensor": (lambda x: dyad.tensor(x), True),
    "of a transposed one": (lambda x: Tensor(x.T).T, True),
    "value": (lambda x: x.value(), True),
    "data": (lambda x: x.data, False),
    "copy.copy": (lambda x: copy.copy(x), False),
    "copy.copy of a transposed one": (lambda x: copy.copy(x.T).T, False),
    "copy.deepcopy": (lambda x: copy.deepcopy(x), True),
    "copy.deepcopy of a transposed one": (lambda x: copy.deepcopy(x.T).T, True),
    "x.copy": (lambda x: x.copy(), True),
}


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("name", MADE)
def test_gradients_pass_through_what_is_made_of_a_tensor_whatever_its_layout(name, form):
    make, passes = MADE[name]
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    found = EVERY_FORM[form](grad(lambda x: (make(x) * x).sum()))(x)
    assert found.tolist() == (x * (2 if passes else 1)).tolist()


def test_parameters_and_buffers_have_memory_of_their_own():
    x = vector(1, 2)
    for made in (Parameter(x), Parameter(Tensor(x)), Buffer(x)):
        made[0] = 5
        assert x.tolist() == [1, 2]
    p = Parameter(x)
    Tensor(p)[0] = 7
    assert p.tolist() == [7, 2]
    assert type(Tensor(p)) is Tensor


def test_identity_returns_any_object():
    for value in ((1, 2), [1], 3, "a", None, vector(1)):
        assert ops.identity(value) is value
        assert ops.functional.identity(value) is value

    def both(x, y):
        return ops.identity((x, 2, "a", [y]))

    x, y = vector(1), vector(2)
    for form in EVERY_FORM.values():
        found = form(both)(x, y)
        assert type(found) is tuple and found[1:3] == (2, "a")
        assert found[0].tolist() == [1] and found[3][0].tolist() == [2]
