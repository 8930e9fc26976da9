"""Linear systems with LU factors of SciPy: solutions, factors, gradients, rejected arguments."""

import numpy as np
import pytest

from dyad import Tensor, grad, jit, ops

linalg = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(2)
A = rng.standard_normal((2, 4, 4)).astype(np.float32)
FACTORS, PIVOTS = (np.stack(parts) for parts in zip(*(linalg.lu_factor(a) for a in A), strict=True))
B = rng.standard_normal((2, 4, 3)).astype(np.float32)


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_lu_solve_and_its_gradient_solve_the_system(form):
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


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize(
    ("b_outer", "factors_outer", "outer"),
    [((1,), (2,), (2,)), ((), (2,), (2,)), ((3, 1), (2,), (3, 2)), ((2,), (3, 1), (3, 2)), ((2,), (), (2,))],
)
def test_batches_meet_by_broadcasting(form, b_outer, factors_outer, outer):
    wanted = (*factors_outer, 4, 4)
    taken = (0,) if not factors_outer else slice(None) if factors_outer == (2,) else [[0], [1], [0]]
    a, factors, pivots = (x[taken] for x in (A, FACTORS, PIVOTS))
    assert factors.shape == wanted
    b = rng.standard_normal((*b_outer, 4, 3)).astype(np.float32)
    found = form(lambda *x: ops.lu_solve(*x))(Tensor(b), Tensor(factors), Tensor(pivots.astype(np.int32) + 1))
    assert found.shape == (*outer, 4, 3)
    np.testing.assert_allclose(a @ found.asnumpy(), np.broadcast_to(b, found.shape), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("b", "factors", "pivots", "error", "message"),
    [
        ((2, 1), (2, 2), Tensor([1.0, 2.0]), TypeError, "LU_pivots is of Float32; need int32 or int64"),
        (
            (3, 2, 1),
            (2, 2, 2),
            Tensor([[1, 2]] * 2),
            ValueError,
            r"b has shape \(3, 2, 1\) and LU_data \(2, 2, 2\)",
        ),
        ((2,), (2, 2), Tensor([1, 2]), ValueError, r"b \(2,\); need"),
        ((2, 1), (2,), Tensor([1, 2]), ValueError, r"LU_data has shape \(2,\)"),
    ],
)
def test_systems_that_are_refused(b, factors, pivots, error, message):
    with pytest.raises(error, match=f"lu_solve: .*{message}"):
        ops.lu_solve(ops.ones(b), ops.ones(factors), pivots)


def test_factors_apart_need_pivots_that_are_ints():
    with pytest.raises(TypeError, match="lu_unpack: LU_pivots is of Float32; need int32 or int64"):
        ops.lu_unpack(ops.ones((2, 2)), Tensor([1.0, 2.0]))
