"""Systems by triangular factors of SciPy: solutions, factors apart, gradients, what is refused."""

import numpy as np
import pytest

from dyad import Tensor, grad, jit, ops

linalg = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(2)
A = rng.standard_normal((2, 4, 4)).astype(np.float32)
FACTORS, PIVOTS = (np.stack(parts) for parts in zip(*(linalg.lu_factor(a) for a in A), strict=True))
B = rng.standard_normal((2, 4, 3)).astype(np.float32)


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_solutions(form):
    pivots = Tensor(PIVOTS.astype(np.int32) + 1)
    found = form(lambda b, lu: ops.lu_solve(b, lu, pivots))(Tensor(B), Tensor(FACTORS))
    np.testing.assert_allclose(A @ found.asnumpy(), B, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(Tensor(B).lu_solve(Tensor(FACTORS), pivots), found)
    np.testing.assert_array_equal(ops.LuSolve()(Tensor(B), Tensor(FACTORS), pivots), found)
    slope = grad(lambda b: ops.lu_solve(b, Tensor(FACTORS), pivots).sum())(Tensor(B))
    np.testing.assert_allclose(A.swapaxes(-1, -2) @ slope.asnumpy(), np.ones_like(B), rtol=1e-3, atol=1e-4)


def test_factors_apart():
    pivots = Tensor(PIVOTS.astype(np.int32) + 1)
    permutation, lower, upper = (part.asnumpy() for part in ops.lu_unpack(Tensor(FACTORS), pivots))
    np.testing.assert_allclose(permutation @ lower @ upper, A, rtol=1e-4, atol=1e-5)
    assert ops.LuUnpack(unpack_pivots=False)(Tensor(FACTORS), pivots)[0] is None
    assert ops.LuUnpack(unpack_data=False)(Tensor(FACTORS), pivots)[1:] == (None, None)


def test_norms_and_fractions():
    found = ops.NuclearNorm(dim=(1, 2), keepdim=True)(Tensor(A))
    expected = np.linalg.norm(A, "nuc", (1, 2), keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    holes = np.where(A > 1, np.nan, A)
    q = Tensor(np.array([0.2, 0.7], np.float32))
    np.testing.assert_allclose(ops.Quantile(dim=1)(Tensor(A), q), np.quantile(A, [0.2, 0.7], 1), rtol=1e-5)
    found = ops.Quantile(dim=1, ignore_nan=True)(Tensor(holes), q)
    np.testing.assert_allclose(found, np.nanquantile(holes, [0.2, 0.7], 1), rtol=1e-5)


def test_what_is_refused():
    with pytest.raises(ValueError, match="a pivot is 9; need a row from 1 to 4"):
        ops.lu_solve(Tensor(B[0]), Tensor(FACTORS[0]), Tensor([1, 2, 3, 9]))
    with pytest.raises(ValueError, match="LU_pivots has shape"):
        ops.lu_solve(Tensor(B[0]), Tensor(FACTORS[0]), Tensor([1, 2]))
