"""NumPy statements of factorisations. Where vectors have a free sign, the product is what is compared."""

import numpy as np
import scipy.linalg


def matrix_exp(x):
    return np.stack([scipy.linalg.expm(m) for m in x.reshape(-1, *x.shape[-2:])]).reshape(x.shape)


def cholesky(x, upper):
    factor = np.linalg.cholesky(x)
    return factor.swapaxes(-2, -1) if upper else factor


def triangular_solve(a, b, lower, adjoint):
    a = np.tril(a) if lower else np.triu(a)
    return np.linalg.solve(a.swapaxes(-2, -1) if adjoint else a, b)


def cholesky_solve(b, factor, upper):
    return np.linalg.solve(factor.T @ factor if upper else factor @ factor.T, b)


def qr(x, full):
    return tuple(np.linalg.qr(x, mode="complete" if full else "reduced"))


def _signs(vectors):
    """Per column, the sign of the component that is largest in size."""
    largest = np.abs(vectors).argmax(-2)
    return np.sign(np.take_along_axis(vectors, largest[..., None, :], -2))


def svd(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    signs = _signs(u)
    return s, u * signs, vh.swapaxes(-2, -1) * signs


def eigh(x):
    values, vectors = np.linalg.eigh(x)
    return values, vectors * _signs(vectors)


def cofactors(x):
    """Minors by leaving out a row and a column, with the signs of a chessboard."""
    out = np.zeros(x.shape)
    for r, c in np.ndindex(x.shape[-2:]):
        minor = np.delete(np.delete(x, r, -2), c, -1)
        out[..., r, c] = (-1) ** (r + c) * np.linalg.det(minor)
    return out
