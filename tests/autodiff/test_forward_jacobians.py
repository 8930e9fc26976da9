"""jacfwd, alone and with jacrev."""

import numpy as np
import pytest
from values import floats, read

from dyad import Tensor, grad, jacfwd, jacrev, no_grad, ops

X, Y = floats(2.0, 3.0), floats(5.0, 7.0)


def outputs(x, y):
    return x * y, x + y


def random(*shape):
    return Tensor(np.random.default_rng(5).standard_normal(shape))


def test_one_output_by_one_input():
    assert read(jacfwd(lambda x: x * x)(X)) == [[4.0, 0.0], [0.0, 6.0]]
    assert read(jacfwd(lambda x: (x * x).sum())(X)) == [4.0, 6.0]
    assert read(jacfwd(lambda x: x * X)(floats(2.0)[0])) == [2.0, 3.0]


def test_shape_is_that_of_output_then_input():
    x, w = random(2, 3), random(3, 4)
    jacobian = jacfwd(lambda a: ops.matmul(a, w))(x)
    assert jacobian.shape == (2, 4, 2, 3)
    np.testing.assert_allclose(jacobian.asnumpy(), np.einsum("ij,lk->ikjl", np.eye(2), w.asnumpy()))
    assert jacfwd(lambda a: a[:0])(x).shape == (0, 3, 2, 3)
    assert jacfwd(lambda a: a.sum())(x[:0]).shape == (0, 3)


def test_structure_by_outputs_and_positions():
    diagonal = lambda a, b: [[a, 0.0], [0.0, b]]  # noqa: E731
    first, second = diagonal(5.0, 7.0), diagonal(2.0, 3.0)
    one = diagonal(1.0, 1.0)
    assert read(jacfwd(ops.mul, (0, 1))(X, Y)) == (first, second)
    assert read(jacfwd(ops.mul, (1, 0))(X, Y)) == (second, first)
    assert read(jacfwd(outputs)(X, Y)) == (first, one)
    assert read(jacfwd(outputs, (0, 1))(X, Y)) == ((first, second), (one, one))
    assert read(jacfwd(lambda x, y: (x * y,))(X, Y)) == (first,)
    assert read(jacfwd(outputs, 1)(X, y=Y)) == (second, one)


def test_jacfwd_with_aux_differentiates_the_first_output_only():
    assert read(jacfwd(outputs, has_aux=True)(X, Y)) == ([[5.0, 0.0], [0.0, 7.0]], [7.0, 10.0])
    jacobian, aux = jacfwd(lambda x: (x, "a", "b"), has_aux=True)(X)
    assert (read(jacobian), aux) == ([[1.0, 0.0], [0.0, 1.0]], ("a", "b"))


def test_column_by_column_is_row_by_row():
    w = random(3, 3)

    def function(x, y):
        hidden = ops.softmax(x @ w, -1)
        return ops.tanh(hidden) * y.sum(), (hidden * y).sum(-1)

    x, y = random(2, 3), random(3)
    for forward, backward in zip(jacfwd(function, (0, 1))(x, y), jacrev(function, (0, 1))(x, y), strict=True):
        for one, other in zip(forward, backward, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), atol=1e-14)


@pytest.mark.parametrize("outer", [jacfwd, jacrev])
@pytest.mark.parametrize("inner", [jacfwd, jacrev, grad])
def test_hessian_in_every_mixture(outer, inner):
    def cubic(x):
        return (x * x * x).sum() + x[0] * x[1]

    assert read(outer(inner(cubic))(X)) == [[12.0, 1.0], [1.0, 18.0]]


def test_third_derivatives():
    third = jacfwd(jacrev(jacfwd(lambda x: (x * x * x * x).sum())))(X)
    assert third.shape == (2, 2, 2)
    assert read(third[0, 0, 0]) == 48.0
    assert read(third.sum()) == 48.0 + 72.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: jacfwd(outputs, 2)(X, Y),
            ValueError,
            "jacfwd: grad_position is 2; the call gives arguments at",
        ),
        (lambda: jacfwd(outputs, -1), ValueError, "jacfwd: grad_position is -1; need positions from 0 on"),
        (lambda: jacfwd(outputs, (0, 0)), ValueError, "jacfwd: grad_position"),
        (lambda: jacfwd(outputs, None), ValueError, "jacfwd: grad_position is None; need an int"),
        (lambda: jacfwd(outputs, "0"), TypeError, "jacfwd: grad_position is '0' of type str"),
        (lambda: jacfwd(outputs, has_aux=1), TypeError, "jacfwd: has_aux"),
        (
            lambda: jacfwd(ops.square, has_aux=True)(X),
            ValueError,
            "jacfwd: with has_aux the function returned",
        ),
        (lambda: jacfwd(3), TypeError, "jacfwd: fn is 3 of type int"),
        (lambda: jacfwd(outputs, 1)(X, 2.0), TypeError, "jacfwd: argument 1 is no Tensor"),
        (lambda: jacfwd(lambda x: 3)(X), TypeError, "jacfwd: the function returned no Tensor"),
        (
            lambda: no_grad()(jacfwd)(outputs),
            RuntimeError,
            "jacfwd: In no_grad context, you can not calculate gradient",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
