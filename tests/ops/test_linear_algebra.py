"""Factors that are unique only up to a rotation, which the table cannot state with one NumPy expression."""

import numpy as np
import pytest
from reference_linalg import cofactors

from dyad import Tensor, _core, ops


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 5, 3)])
def test_full_singular_vectors_are_orthonormal_and_rebuild_the_matrix(shape):
    x = np.random.default_rng(1).standard_normal(shape)
    s, u, v = (part.asnumpy() for part in ops.svd(Tensor(x), full_matrices=True))
    assert np.allclose(np.swapaxes(u, -2, -1) @ u, np.eye(shape[-2]))
    assert np.allclose(np.swapaxes(v, -2, -1) @ v, np.eye(shape[-1]))
    k = min(shape[-2:])
    rebuilt = (u[..., :k] * s[..., None, :]) @ np.swapaxes(v[..., :k], -2, -1)
    assert np.allclose(rebuilt, x)


def test_singular_values_alone_are_one_tensor():
    x = np.diag([3.0, 1.0, 2.0])
    assert np.allclose(ops.svd(Tensor(x), compute_uv=False).asnumpy(), [3, 2, 1])


def test_a_matrix_of_low_rank_has_a_pseudo_inverse():
    x = np.outer([1.0, 2.0, 3.0], [4.0, 5.0])
    assert np.allclose(ops.pinv(Tensor(x)).asnumpy(), np.linalg.pinv(x))


@pytest.mark.parametrize("matrix", [[[1, 2], [2, 4]], [[1, 2, 3], [2, 4, 6], [1, 0, 1]], np.zeros((3, 3))])
def test_a_singular_matrix_has_cofactors(matrix):
    x = np.array(matrix, np.float64)
    ours = _core.named_op("cofactors")(Tensor(x)).asnumpy()
    assert np.allclose(ours, cofactors(x))
