"""Conventions of gradients: at ties and kinks, through casts and promotion, and of integers."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core, ops


def gradients(function, *arrays, seed=None):
    """The gradients of a function of tensors by each of them; the result is weighed with ones or the seed."""
    mark = _core.tape_enter()
    try:
        inputs = [_core.as_input(x if isinstance(x, Tensor) else Tensor(x)) for x in arrays]
        results = function(*inputs)
        results = list(results) if isinstance(results, tuple | list) else [results]
        return _core.differentiate(results, [seed] + [None] * (len(results) - 1), inputs, mark, False)
    finally:
        _core.tape_exit()


def values(tensors):
    return [tensor.asnumpy().tolist() for tensor in tensors]


@pytest.mark.parametrize("extreme", [ops.maximum, ops.minimum, ops.fmax, ops.fmin])
def test_equal_operands_share_the_gradient(extreme):
    x = np.array([1.0, 2.0], np.float32)
    assert values(gradients(extreme, x, x.copy())) == [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize("extreme", [ops.amax, ops.amin])
def test_equal_elements_share_the_gradient_of_a_reduction(extreme):
    x = np.array([[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]], np.float32)
    assert values(gradients(extreme, x)) == [np.full((2, 3), np.float32(1 / 6)).tolist()]
    (by_row,) = gradients(lambda t: extreme(t, 1), x)
    assert np.allclose(by_row.asnumpy(), 1 / 3)


@pytest.mark.parametrize("function", [ops.relu, ops.abs, ops.sign])
def test_a_kink_at_zero_has_gradient_zero(function):
    assert values(gradients(function, np.zeros(3, np.float32))) == [[0, 0, 0]]


@pytest.mark.parametrize("op", [ops.maximum, ops.minimum])
def test_a_nan_leaves_the_gradient_to_both(op):
    x, y = np.array([np.nan, 1.0, 3.0], np.float32), np.array([2.0, np.nan, 3.0], np.float32)
    gradients = dyad.grad(op, (0, 1))(Tensor(x), Tensor(y))
    assert [gradient.asnumpy().tolist() for gradient in gradients] == [[1, 1, 0.5]] * 2


def test_a_number_takes_the_gradient_where_the_other_is_nan():
    x, y = np.array([np.nan, 1.0], np.float32), np.array([2.0, np.nan], np.float32)
    assert values(gradients(ops.fmax, x, y)) == [[0, 1], [1, 0]]


def test_a_broadcast_operand_gets_the_sum():
    x, y = np.ones((2, 3), np.float32), np.full((3,), 2.0, np.float32)
    by_x, by_y = gradients(lambda a, b: a * b, x, y)
    assert by_x.shape == (2, 3)
    assert values([by_y]) == [[2, 2, 2]]


@pytest.mark.parametrize("narrow", [dyad.float16, dyad.bfloat16])
def test_promotion_is_undone(narrow):
    x, y = Tensor(np.ones(3), narrow), Tensor(np.full(3, 2.0), dyad.float32)
    by_x, by_y = gradients(lambda a, b: a * b, x, y)
    assert (by_x.dtype, by_y.dtype) == (narrow, dyad.float32)
    assert by_x.astype(dyad.float32).asnumpy().tolist() == [2, 2, 2]


def test_a_real_operand_of_a_complex_product_has_a_real_gradient():
    x, y = np.array([2.0]), np.array([3.0 + 4.0j])
    by_x, by_y = gradients(lambda a, b: a * b, x, y, seed=Tensor(np.array([1.0 + 1.0j])))
    assert by_x.dtype == dyad.float64
    assert values([by_x]) == [[7.0]]  # the real part of (1 + i) (3 - 4i)
    assert values([by_y]) == [[2.0 + 2.0j]]


def test_a_cast_to_integers_passes_the_gradient():
    x = np.array([1.5, -2.5], np.float32)
    (gradient,) = gradients(lambda t: t.astype(dyad.int32) * 3, x)
    assert gradient.dtype == dyad.float32
    assert values([gradient]) == [[3, 3]]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
def test_integers_follow_the_same_formulas(dtype):
    x, w = np.array([1, 2, 3], dtype), np.array([4, 5, 6], dtype)
    by_x, by_w = gradients(lambda a, b: a * b, x, w)
    assert by_x.asnumpy().dtype == dtype
    assert values([by_x, by_w]) == [[4, 5, 6], [1, 2, 3]]
    (square,) = gradients(lambda a: a * a, x)
    assert values([square]) == [[2, 4, 6]]
    (larger,) = gradients(lambda a: ops.maximum(a, 2), x)
    assert larger.asnumpy().dtype == dtype
    assert values([larger]) == [[0, 0, 1]]  # half of a whole one is cut off


def test_the_gradient_of_an_integer_through_a_division_keeps_its_fraction():
    x = np.array([2, 4], np.int32)
    (halves,) = gradients(lambda a: a / 2 * 3, x)
    assert values([halves]) == [[1.5, 1.5]]


def test_a_truth_value_has_gradient_zero():
    x = np.array([True, False])
    (gradient,) = gradients(lambda a: a.astype(dyad.float32) * 2, x)
    assert gradient.dtype == dyad.bool_
    assert values([gradient]) == [[False, False]]


def test_an_integer_matrix_product():
    a, b = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    by_a, by_b = gradients(ops.matmul, a, b)
    ones = np.ones((2, 2), np.int64)
    assert values([by_a, by_b]) == [(ones @ b.T).tolist(), (a.T @ ones).tolist()]


def test_an_integer_running_product():
    x = np.array([2, 3, 4], np.int32)
    (gradient,) = gradients(lambda a: ops.cumprod(a, 0), x)
    assert gradient.dtype == dyad.int32
    assert values([gradient]) == [[1 + 3 + 12, 2 + 8, 6]]


@pytest.mark.parametrize("reduce", [ops.sum, ops.prod, ops.amax])
def test_integer_reductions(reduce):
    x = np.array([2, 3, 4], np.int32)
    (gradient,) = gradients(reduce, x)
    expected = {ops.sum: [1, 1, 1], ops.prod: [12, 8, 6], ops.amax: [0, 0, 1]}[reduce]
    assert gradient.dtype == dyad.int32
    assert values([gradient]) == [expected]


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_gradient_rules_mix_no_numbers_into_unsigned_integers(form, dtype):
    x, y = Tensor(np.array([1, 4], dtype)), Tensor(np.array([3, 2], dtype))
    both = dyad.ops.GradOperation(get_all=True)
    assert values(form(both(ops.minimum))(x, y)) == [[1, 0], [0, 1]]
    assert values(form(both(ops.maximum))(x, y)) == [[0, 1], [1, 0]]
    assert values(form(both(ops.square))(x)) == [[2, 8]]
    assert values(form(both(lambda a, b: ops.where(Tensor([True, False]), a, b)))(x, y)) == [[1, 0], [0, 1]]
    assert values(form(both(lambda a: ops.clamp(a, Tensor(np.array(2, dtype)))))(x)) == [[0, 1]]
