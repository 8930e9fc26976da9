"""Tensors and Parameters that take over values of another shape, and the plain Tensor over a Parameter's data."""

import pytest

from dyad import Parameter, Tensor, jit

FORMS = pytest.mark.parametrize(
    "form",
    [lambda f: f, jit, lambda f: jit(f, capture_mode="bytecode")],
    ids=["dynamic", "static", "bytecode"],
)


def _assign(x, y):
    x.assign_value(y * 2)
    return x + 1


def _set_data(x, y):
    x.set_data(y * 2)
    return x + 1


@FORMS
@pytest.mark.parametrize("change", [_assign, _set_data])
@pytest.mark.parametrize("values", [[5, 6], [[1, 2], [3, 5]]], ids=["equal", "other"])
def test_another_shape_is_taken_over(form, change, values):
    target = Parameter(Tensor([1, 2]), name="p")
    twice = (Tensor(values) * 2).tolist()
    assert form(change)(target, Tensor(values)).tolist() == (Tensor(twice) + 1).tolist()
    assert target.asnumpy().tolist() == twice


@FORMS
@pytest.mark.parametrize("read", [lambda p: p.value(), lambda p: p.data], ids=["value", "data"])
def test_the_data_of_a_parameter_is_a_plain_tensor_over_its_memory(form, read):
    parameter = Parameter(Tensor([1.0, 2.0]), name="p")
    plain = form(read)(parameter)
    assert type(plain) is Tensor
    plain[0] = 7.0
    assert parameter.asnumpy().tolist() == [7, 2]
