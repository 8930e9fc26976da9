"""Solvers, factorizations and Fourier transforms on the device, against NumPy."""

import numpy as np
import pytest
from device_samples import faults_of, table_entries

from dyad import Tensor, _core, ops

TABLE = (
    "matrix_solve", "inverse", "slogdet", "cholesky", "triangular_solve", "qr_factors", "svd_factors",
    "singular_values", "eigh", "fourier",
)  # fmt: skip


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def close(result, wanted, dtype):
    single = dtype in ("float32", "complex64")
    return np.allclose(result, wanted, rtol=1e-3 if single else 1e-9, atol=1e-3 if single else 1e-9)


def positive_definite(count, n, dtype):
    a = numbers((count, n, n), dtype)
    return a @ a.swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)


@pytest.mark.parametrize("op", table_entries(*TABLE), ids=lambda op: op["name"])
def test_linear_algebra_samples_of_the_table_agree_with_numpy(op):
    faults = faults_of(op)
    assert not faults, "\n" + "\n".join(faults[:4])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_solve_inverse_cholesky_and_slogdet_agree_with_numpy(n, dtype):
    a, b = positive_definite(3, n, dtype), numbers((3, n, 4), dtype, 1)
    solve = _core.named_op("matrix_solve")
    assert close(solve(Tensor(a), Tensor(b)).asnumpy(), np.linalg.solve(a, b), dtype)
    turned = Tensor(np.ascontiguousarray(b.swapaxes(1, 2))).swapaxes(1, 2)
    assert close(solve(Tensor(a).swapaxes(1, 2), turned).asnumpy(), np.linalg.solve(a, b), dtype)
    assert close(ops.inverse(Tensor(a)).asnumpy(), np.linalg.inv(a), dtype)
    factor = np.linalg.cholesky(a)
    assert close(ops.cholesky(Tensor(a)).asnumpy(), factor, dtype)
    assert close(ops.cholesky(Tensor(a), True).asnumpy(), factor.swapaxes(1, 2), dtype)
    sign, logarithm = ops.slogdet(Tensor(-a))
    wanted = np.linalg.slogdet(-a)
    assert close(sign.asnumpy(), wanted[0], dtype)
    assert close(logarithm.asnumpy(), wanted[1], dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_triangular_systems(lower, adjoint):
    a, b = numbers((2, 6, 6), "float64") + 6 * np.eye(6), numbers((2, 6, 3), "float64", 1)
    triangle = np.tril(a) if lower else np.triu(a)
    x = _core.named_op("triangular_solve")(Tensor(a), Tensor(b), lower, adjoint).asnumpy()
    assert np.allclose((triangle.swapaxes(1, 2) if adjoint else triangle) @ x, b)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(2, 5, 3), (2, 3, 5), (4, 4)])
@pytest.mark.parametrize("full", [True, False])
def test_qr_and_svd_factors_reconstruct_the_matrix(shape, dtype, full):
    a = numbers(shape, dtype)
    q, r = (t.asnumpy() for t in _core.named_op("qr_factors")(Tensor(a), full))
    wanted_q, wanted_r = np.linalg.qr(a, "complete" if full else "reduced")
    assert q.shape == wanted_q.shape
    assert r.shape == wanted_r.shape
    assert close(q @ r, a, dtype)
    assert close(r, np.triu(r), dtype)
    assert close(q.conj().swapaxes(-1, -2) @ q, np.eye(q.shape[-1]), dtype)
    s, u, v = (t.asnumpy() for t in _core.named_op("svd_factors")(Tensor(a), full))
    least = min(shape[-2:])
    assert close(s, np.linalg.svd(a, compute_uv=False), dtype)
    assert close((u[..., :least] * s[..., None, :]) @ v[..., :least].conj().swapaxes(-1, -2), a, dtype)
    assert close(u.conj().swapaxes(-1, -2) @ u, np.eye(u.shape[-1]), dtype)
    largest = np.take_along_axis(u[..., :least], np.abs(u[..., :least]).argmax(-2, keepdims=True), -2)
    assert (largest.real > 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_symmetric_eigenvalues(dtype):
    a = numbers((3, 6, 6), dtype)
    values, vectors = (t.asnumpy() for t in _core.named_op("eigh")(Tensor(a)))
    symmetric = (a + a.swapaxes(1, 2)) / 2
    assert close(values, np.linalg.eigvalsh(symmetric), dtype)
    assert close(symmetric @ vectors, vectors * values[:, None, :], dtype)


def test_a_singular_matrix_is_named():
    a = np.stack([np.eye(3), np.ones((3, 3))])
    with pytest.raises(RuntimeError, match="inverse: matrix 1 of the stack is singular"):
        ops.inverse(Tensor(a))
    with pytest.raises(RuntimeError, match="cholesky: matrix 0 of the stack is not positive definite"):
        ops.cholesky(Tensor(-np.eye(2)))
    assert ops.inverse(Tensor(np.eye(3))).asnumpy().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_solves_of_complex_matrices(n, dtype):
    a, b = numbers((3, n, n), dtype) + n * np.eye(n, dtype=dtype), numbers((3, n, 4), dtype, 1)
    assert close(_core.named_op("matrix_solve")(Tensor(a), Tensor(b)).asnumpy(), np.linalg.solve(a, b), dtype)
    assert close(ops.inverse(Tensor(a)).asnumpy(), np.linalg.inv(a), dtype)
    sign, logarithm = ops.slogdet(Tensor(a[:, ::-1].copy()))
    for ours, theirs in zip((sign, logarithm), np.linalg.slogdet(a[:, ::-1]), strict=True):
        assert close(ours.asnumpy(), theirs, dtype)
    sign, logarithm = ops.slogdet(Tensor(np.zeros((1, 2, 2), dtype)))
    assert sign.asnumpy().tolist() == [0] and logarithm.asnumpy().real.tolist() == [-np.inf]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_fourier_transforms_agree_with_numpy(axis, dtype):
    a = numbers((5, 12, 7), dtype)
    transform = _core.named_op("fourier")
    assert close(transform(Tensor(a), axis, False).asnumpy(), np.fft.fft(a, axis=axis), dtype)
    back = transform(Tensor(a), axis, True).asnumpy() / a.shape[axis]
    assert close(back, np.fft.ifft(a, axis=axis), dtype)
    turned = transform(Tensor(a).transpose(2, 0, 1), axis, False).asnumpy()
    assert close(turned, np.fft.fft(a.transpose(2, 0, 1), axis=axis), dtype)
