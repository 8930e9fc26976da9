"""Eigenvalues of matrices that are not symmetric, and logarithms, which follow from the same form."""

import numpy as np
import pytest
import scipy.linalg

import dyad
from dyad import Tensor, grad, ops, vmap


def ordered(values):
    """In an order that rounding does not change."""
    return np.array(sorted(values, key=lambda value: (round(value.real, 6), round(value.imag, 6))))


def matrix(n, seed=0, dtype=np.float64):
    drawn = np.random.default_rng(seed).standard_normal((2, n, n))
    return (drawn[0] + 1j * drawn[1] if np.issubdtype(dtype, np.complexfloating) else drawn[0]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_vectors_and_values_make_the_matrix(n, dtype):
    a = matrix(n, n, dtype)
    values, vectors = (part.asnumpy() for part in ops.eig(Tensor(a)))
    np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1)
    np.testing.assert_allclose(ordered(values), ordered(np.linalg.eigvals(a)), atol=1e-11)


@pytest.mark.parametrize(
    "a",
    [np.eye(3)[[1, 2, 0]], np.zeros((3, 3)), np.array([[0.0, 1, 0], [0, 0, 1], [0, 0, 0]])],
    ids=["turn", "zero", "nil"],
)
def test_values_of_special_matrices(a):
    found = ordered(ops.eigvals(Tensor(a)).asnumpy())
    np.testing.assert_allclose(found, ordered(np.linalg.eigvals(a)), atol=1e-9)


def test_gradient_agrees_with_differences():
    a, weight = matrix(4, 3), matrix(4, 4)

    def f(x):
        values, vectors = ops.eig(x)

        return ((ops.abs(vectors) ** 2) * Tensor(weight)).sum() + ops.abs(values).sum()

    gradient = grad(f)(Tensor(a)).asnumpy()
    step = 1e-6
    for place in np.ndindex(a.shape):
        moved = [a.copy(), a.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        difference = (f(Tensor(moved[0])).item() - f(Tensor(moved[1])).item()) / (2 * step)
        assert gradient[place] == pytest.approx(difference, rel=1e-5, abs=1e-6)


def test_many_matrices_at_once():
    stack = np.stack([matrix(3, seed) for seed in range(4)])
    values = vmap(lambda x: ops.eigvals(x))(Tensor(stack)).asnumpy()
    for a, found in zip(stack, values, strict=True):
        np.testing.assert_allclose(ordered(found), ordered(np.linalg.eigvals(a)), atol=1e-11)


def test_a_matrix_that_is_not_finite_is_told():
    with pytest.raises(RuntimeError, match="its elements must be finite"):
        ops.eigvals(Tensor([[np.nan, 1.0], [1.0, 2.0]])).asnumpy()


@pytest.mark.parametrize("n", [1, 3, 12])
def test_the_exponential_undoes_the_logarithm(n):
    a = matrix(n, n, np.complex128)
    logarithm = ops.MatrixLogarithm()(Tensor(a)).asnumpy()
    np.testing.assert_allclose(scipy.linalg.expm(logarithm), a, atol=1e-10)
    assert np.abs(np.linalg.eigvals(logarithm).imag).max() <= np.pi + 1e-9


def test_a_primitive_without_vectors():
    values, vectors = ops.Eig()(Tensor([[2.0, 1.0], [0.0, 3.0]]))
    assert values.dtype == dyad.complex64 and vectors.size == 0
