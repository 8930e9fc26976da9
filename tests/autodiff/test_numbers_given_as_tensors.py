"""A Tensor that stands for a number: where its gradient cannot be had, asking for it is an error, never zero."""

import pytest

import dyad
from dyad import Parameter, Tensor, ops

X = Tensor([-1.0, 2.0], dyad.float32)
TAKEN_AS_NUMBERS = {
    "elu": lambda x, a: ops.elu(x, a),
    "celu": lambda x, a: ops.celu(x, a),
    "threshold": lambda x, a: ops.threshold(x, 0.5, a),
    "softshrink": lambda x, a: ops.softshrink(x, a),
}


@pytest.mark.parametrize("name", TAKEN_AS_NUMBERS)
def test_a_gradient_that_would_be_lost_is_refused(name):
    compute = TAKEN_AS_NUMBERS[name]
    with pytest.raises(
        TypeError, match=rf"{name}: .* is a Tensor that gradients are asked for.*stop_gradient"
    ):
        dyad.grad(lambda a: compute(X, a).sum())(Tensor(1.0))


@pytest.mark.parametrize("name", TAKEN_AS_NUMBERS)
def test_without_a_gradient_it_is_a_number(name):
    compute = TAKEN_AS_NUMBERS[name]
    number = Tensor(1.0)
    assert compute(X, number).shape == (2,)
    gradient = dyad.grad(lambda x: compute(x, number).sum())(X)
    assert gradient.shape == (2,)
    gradient = dyad.grad(lambda a: compute(X, ops.stop_gradient(a)).sum() + a)(number)
    assert gradient == 1


def test_a_parameter_that_is_trained_is_refused_too():
    alpha = Parameter(Tensor(1.0), name="alpha")
    with pytest.raises(TypeError, match="elu: alpha is a Tensor that gradients are asked for"):
        dyad.value_and_grad(lambda x: ops.elu(x, alpha).sum(), None, [alpha])(X)


def test_gradients_reach_numbers_where_an_operator_has_them():
    assert dyad.grad(lambda a: ops.leaky_relu(X, a).sum())(Tensor(0.5)) == -1
    assert dyad.grad(lambda a: ops.full((3,), a).sum())(Tensor(0.5)) == 3


def test_integers_have_no_gradient_to_lose():
    gradient = dyad.grad(lambda x: ops.elu(x, x.max().astype(dyad.int32)).sum())(X)
    assert gradient.shape == (2,)
