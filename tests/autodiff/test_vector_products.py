"""vjp and jacrev."""

import numpy as np
import pytest
from values import floats, parameter, read

import dyad
from dyad import Tensor, grad, jacrev, ops, vjp
from dyad.ops import functional

X, Y = floats(2.0, 3.0), floats(5.0, 7.0)


def outputs(x, y):
    return x * y, x + y


def test_vjp_gives_the_output_and_a_function():
    output, vjp_fn = vjp(outputs, X, Y)
    assert read(output) == ([10.0, 21.0], [7.0, 10.0])
    v = floats(1.0, 10.0)
    expected = ([6.0, 80.0], [3.0, 40.0])
    assert read(vjp_fn(v, v)) == expected
    assert read(vjp_fn((v, v))) == expected
    assert read(vjp_fn([v, v])) == expected


def test_one_input_gives_a_tuple_too():
    assert read(vjp(ops.square, X)[1](floats(1.0, 1.0))) == ([4.0, 6.0],)


def test_the_forward_runs_once():
    calls = []

    def counted(x):
        calls.append(1)
        return x * x

    _, vjp_fn = vjp(counted, X)
    for factor in (1.0, 2.0, 3.0):
        assert read(vjp_fn(floats(factor, factor))) == ([4.0 * factor, 6.0 * factor],)
    assert len(calls) == 1


def test_vjp_with_weights():
    w = parameter(1.0, 2.0)
    v = floats(1.0, 1.0)
    assert read(vjp(lambda x: x * w, X, weights=w)[1](v)) == (([1.0, 2.0],), [2.0, 3.0])
    assert read(vjp(lambda x: x * w, X, weights=[w])[1](v)) == (([1.0, 2.0],), ([2.0, 3.0],))
    assert read(vjp(lambda: w * 3, weights=[w])[1](v)) == ((), ([3.0, 3.0],))


def test_aux_of_vjp_is_unwrapped_if_single():
    output, vjp_fn, aux = vjp(outputs, X, Y, has_aux=True)
    assert (read(output), read(aux)) == ([10.0, 21.0], [7.0, 10.0])
    assert read(vjp_fn(floats(1.0, 1.0))) == ([5.0, 7.0], [2.0, 3.0])
    _, _, aux = vjp(lambda x: (x, "a", "b"), X, has_aux=True)
    assert aux == ("a", "b")


def test_outputs_that_are_not_tensors_need_no_gradient():
    assert read(vjp(lambda x: (x * 2, 3, None), X)[1](floats(1.0, 1.0))) == ([2.0, 2.0],)


def test_vjp_inside_grad():
    def inner(x):
        output, vjp_fn = vjp(lambda t: t * t * t, x)
        return vjp_fn(ops.ones_like(output))[0]

    assert read(grad(inner)(X)) == [12.0, 18.0]


def test_a_kept_vjp_function_inside_another_transform():
    _, vjp_fn = vjp(lambda t: t * t * t, X)
    assert read(grad(lambda v: vjp_fn(v)[0] * v)(floats(1.0, 1.0))) == [24.0, 54.0]


def test_grad_through_the_output_of_vjp():
    def inner(x):
        output, _ = vjp(lambda t: t * t, x)
        return output

    assert read(grad(inner)(X)) == [4.0, 6.0]


def test_jacobian_of_one_output_by_one_input():
    assert read(jacrev(lambda x: x * x)(X)) == [[4.0, 0.0], [0.0, 6.0]]
    assert read(jacrev(lambda x: (x * x).sum())(X)) == [4.0, 6.0]


def test_shape_is_that_of_output_then_input():
    w = Tensor(np.ones((4, 3), np.float32))
    x = Tensor(np.ones((2, 3), np.float32))
    jacobian = jacrev(lambda a: ops.matmul(a, w.T))(x)
    assert jacobian.shape == (2, 4, 2, 3)
    by_hand = np.einsum("ij,kl->ikjl", np.eye(2), np.ones((4, 3)))
    np.testing.assert_array_equal(jacobian.asnumpy(), by_hand)
    assert jacrev(lambda a: a[:0])(x).shape == (0, 3, 2, 3)


def test_structure_by_outputs_and_positions():
    diagonal = lambda a, b: [[a, 0.0], [0.0, b]]  # noqa: E731
    first, second = diagonal(5.0, 7.0), diagonal(2.0, 3.0)
    one = diagonal(1.0, 1.0)
    assert read(jacrev(ops.mul, (0, 1))(X, Y)) == (first, second)
    assert read(jacrev(outputs)(X, Y)) == (first, one)
    assert read(jacrev(outputs, (0, 1))(X, Y)) == ((first, second), (one, one))
    assert read(jacrev(lambda x, y: (x * y,))(X, Y)) == (first,)


def test_aux_of_jacrev():
    assert read(jacrev(outputs, has_aux=True)(X, Y)) == ([[5.0, 0.0], [0.0, 7.0]], [7.0, 10.0])
    jacobian, aux = jacrev(lambda x: (x, "a", "b"), has_aux=True)(X)
    assert (read(jacobian), aux) == ([[1.0, 0.0], [0.0, 1.0]], ("a", "b"))


def test_hessian_by_jacrev_of_grad():
    def cubic(x):
        return (x * x * x).sum() + x[0] * x[1]

    assert read(jacrev(grad(cubic))(X)) == [[12.0, 1.0], [1.0, 18.0]]
    assert read(jacrev(jacrev(cubic))(X)) == [[12.0, 1.0], [1.0, 18.0]]


@pytest.mark.parametrize("name", ["vjp", "jacrev", "grad", "value_and_grad", "get_grad"])
def test_both_places_have_the_same_function(name):
    assert getattr(dyad, name) is getattr(ops, name) is getattr(functional, name)


def test_a_product_that_outlives_the_gradient_around_it_is_an_error():
    kept = []

    def function(x):
        output, product = vjp(lambda a: a * a * a, x * 2)
        kept.append(product)
        return output

    grad(function)(X)
    with pytest.raises(RuntimeError, match="what this step saved is freed"):
        kept[0](X)
    with pytest.raises(RuntimeError, match="what this step saved is freed"):
        grad(lambda v: kept[0](v)[0])(X)
