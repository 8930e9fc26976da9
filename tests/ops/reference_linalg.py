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


def ridge_lstsq(x, a, weight):
    if weight == 0:
        return np.linalg.lstsq(x, a, rcond=None)[0]
    return np.linalg.solve(x.T @ x + weight * np.eye(x.shape[1]), x.T @ a)


def eigen(x):
    values, vectors = np.linalg.eig(x)
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(-2)[..., None, :], -2)
    vectors = vectors * np.abs(largest) / largest
    return tuple(
        part.astype(np.result_type(x.dtype, np.complex64))
        for part in (values, vectors, np.linalg.inv(vectors))
    )


def matrix_logarithm(x):
    if x.ndim > 2:
        return np.stack([matrix_logarithm(each) for each in x])
    return scipy.linalg.logm(x)


def ormqr(x, tau, other, left, transpose):
    if x.ndim > 2:
        return np.stack([ormqr(*parts, left, transpose) for parts in zip(x, tau, other, strict=True)])
    q = np.eye(x.shape[0])
    for k, factor in enumerate(tau):
        v = np.concatenate([np.zeros(k), [1.0], x[k + 1 :, k]])
        q = q @ (np.eye(x.shape[0]) - factor * np.outer(v, v))
    q = q.T if transpose else q
    return q @ other if left else other @ q


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


def geqrf(input):
    work = input.astype("float64").copy()
    rows, columns = work.shape[-2:]
    factors = np.zeros((*work.shape[:-2], min(rows, columns)))
    for at in np.ndindex(work.shape[:-2]):
        a = work[at]
        for k in range(min(rows - 1, columns)):
            x = a[k:, k].copy()
            turned = -np.copysign(np.linalg.norm(x), x[0])
            v = np.append(1.0, x[1:] / (x[0] - turned))
            factors[(*at, k)] = (turned - x[0]) / turned
            a[k:, k:] -= factors[(*at, k)] * np.outer(v, v @ a[k:, k:])
            a[k + 1 :, k] = v[1:]
    return work.astype(input.dtype), factors.astype(input.dtype)


def orgqr(input, factors):
    rows, columns = input.shape[-2:]
    result = np.zeros(input.shape, input.dtype)
    for at in np.ndindex(input.shape[:-2]):
        whole = np.eye(rows)
        for k, factor in enumerate(factors[at]):
            v = np.concatenate([np.zeros(k), [1.0], input[at][k + 1 :, k]])
            whole = whole @ (np.eye(rows) - factor * np.outer(v, v))
        result[at] = whole[:, :columns]
    return result


def tridiagonal_matmul(superdiag, maindiag, subdiag, rhs):
    result = maindiag.swapaxes(-1, -2) * rhs
    result[..., :-1, :] += superdiag[..., 0, :-1, None] * rhs[..., 1:, :]
    result[..., 1:, :] += subdiag[..., 0, 1:, None] * rhs[..., :-1, :]
    return result


def tridiagonal_solve(diagonals, rhs):
    result = np.zeros_like(rhs)
    for at in np.ndindex(rhs.shape[:-2]):
        upper, middle, lower = diagonals[at]
        whole = np.diag(middle) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)
        result[at] = np.linalg.solve(whole, rhs[at])
    return result


def matrix_solve_ls(matrix, rhs, weight):
    columns = matrix.shape[-1]
    system = np.concatenate([matrix, np.sqrt(weight) * np.eye(columns)])
    target = np.concatenate([rhs, np.zeros((columns, rhs.shape[1]))])
    return np.linalg.lstsq(system, target, rcond=None)[0].astype(matrix.dtype)


def self_adjoint_values(x, with_vectors):
    return np.linalg.eigvalsh(x), np.zeros_like(x)


def singular_values_alone(x):
    u, s, v = np.linalg.svd(x, full_matrices=False)
    return s, np.zeros_like(u), np.zeros_like(v.swapaxes(-1, -2))
