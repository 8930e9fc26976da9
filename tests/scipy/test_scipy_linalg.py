"""scipy.linalg against SciPy: called directly, in a static graph, and differentiated."""

import numpy
import pytest
import scipy.linalg

import dyad
from dyad import Tensor
from dyad.scipy import linalg
from dyad.scipy.ops import Eig

RNG = numpy.random.default_rng(7)
MATRIX = RNG.normal(size=(4, 4))
SYMMETRIC = MATRIX @ MATRIX.T + numpy.eye(4)
VECTOR, COLUMNS = RNG.normal(size=4), RNG.normal(size=(4, 3))


@pytest.fixture(params=["dynamic", "static"])
def form(request):
    """Calls a function as it is, or compiled."""
    return (lambda function: function) if request.param == "dynamic" else dyad.jit


def close(found, expected, tolerance=1e-9):
    numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


def slopes(function, value, step=1e-6):
    """The gradient of a scalar function by differences."""
    found = numpy.zeros_like(value)
    for index in numpy.ndindex(*value.shape):
        moved = numpy.zeros_like(value)
        moved[index] = step
        rise = function(Tensor(value + moved)) - function(Tensor(value - moved))
        found[index] = rise.item() / (2 * step)
    return found


@pytest.mark.parametrize("b", [VECTOR, COLUMNS], ids=["vector", "columns"])
@pytest.mark.parametrize("trans", [0, "N", 1, "T", 2, "C"])
@pytest.mark.parametrize("options", [{}, {"lower": True}, {"lower": True, "unit_diagonal": True}])
def test_solve_triangular(b, trans, options):
    expected = scipy.linalg.solve_triangular(SYMMETRIC, b, trans, **options)
    close(linalg.solve_triangular(Tensor(SYMMETRIC), Tensor(b), trans, **options), expected)


def test_solve_triangular_of_a_stack_is_that_of_each():
    stack, sides = numpy.stack([SYMMETRIC, 2 * SYMMETRIC]), numpy.stack([VECTOR, VECTOR])
    found = linalg.solve_triangular(Tensor(stack), Tensor(sides), lower=True)
    expected = scipy.linalg.solve_triangular(SYMMETRIC, VECTOR, lower=True)
    close(found, numpy.stack([expected, expected / 2]))


@pytest.mark.parametrize(
    "name, argument",
    [("inv", MATRIX), ("det", MATRIX), ("expm", MATRIX), ("cholesky", SYMMETRIC)],
)
def test_functions_of_a_matrix(form, name, argument):
    close(form(getattr(linalg, name))(Tensor(argument)), getattr(scipy.linalg, name)(argument))


def test_integers_become_float64():
    found = linalg.inv(Tensor(numpy.array([[2, 1], [1, 1]], numpy.int32)))
    assert found.dtype == dyad.float64
    close(found, [[1, -1], [-1, 2]])


def test_block_diag(form):
    blocks = [numpy.ones((2, 1)), numpy.arange(3.0), numpy.array(5.0)]
    close(form(linalg.block_diag)(*map(Tensor, blocks)), scipy.linalg.block_diag(*blocks))
    assert linalg.block_diag().shape == (1, 0)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("b", [VECTOR, COLUMNS], ids=["vector", "columns"])
def test_systems_from_cholesky_factors(lower, b):
    factor = linalg.cho_factor(Tensor(SYMMETRIC), lower=lower)
    assert factor[1] is lower
    close(linalg.cho_solve(factor, Tensor(b)), numpy.linalg.solve(SYMMETRIC, b))


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (1, 1)])
def test_lu_multiplies_back(form, shape):
    a = RNG.normal(size=shape)
    expected = scipy.linalg.lu(a)
    for found, wanted in zip(form(linalg.lu)(Tensor(a)), expected, strict=True):
        close(found, wanted)
    left, right = linalg.lu(Tensor(a), permute_l=True)
    close(left @ right, a)


def test_lu_of_a_singular_matrix():
    a = numpy.array([[0.0, 0.0], [0.0, 1.0]])
    p, left, right = linalg.lu(Tensor(a))
    close(p @ left @ right, a)


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("b", [VECTOR, COLUMNS], ids=["vector", "columns"])
def test_systems_from_lu_factors(form, b, trans):
    packed, pivots = form(linalg.lu_factor)(Tensor(MATRIX))
    expected = scipy.linalg.lu_factor(MATRIX)
    close(packed, expected[0])
    assert pivots.dtype == dyad.int32 and pivots.asnumpy().tolist() == expected[1].tolist()
    close(linalg.lu_solve((packed, pivots), Tensor(b), trans), scipy.linalg.lu_solve(expected, b, trans))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
def test_gradient_of_lu(form, shape):
    a = RNG.normal(size=shape)
    weights = [Tensor(RNG.normal(size=size)) for size in ((shape[0], min(shape)), (min(shape), shape[1]))]

    def weighed(a):
        _, left, right = linalg.lu(a)
        return (left * weights[0]).sum() + (right * weights[1]).sum()

    close(form(dyad.grad(weighed))(Tensor(a)), slopes(weighed, a), 1e-6)


def test_second_derivative_through_lu():
    a = MATRIX[:3, :3]

    def log_volume(a):
        packed, _ = linalg.lu_factor(a)
        return (packed * Tensor(numpy.eye(3))).sum(-1).abs().log().sum()

    close(dyad.grad(log_volume)(Tensor(a)), numpy.linalg.inv(a).T)
    traced = lambda a: dyad.grad(log_volume)(a)[0, 1]  # noqa: E731
    close(dyad.grad(traced)(Tensor(a)), slopes(traced, a), 1e-5)


@pytest.mark.parametrize("lower", [False, True])
def test_eigh_reads_one_triangle(form, lower):
    w, v = form(lambda a: linalg.eigh(a, lower=lower))(Tensor(MATRIX))
    expected = scipy.linalg.eigh(MATRIX, lower=lower)
    close(w, expected[0])
    close(v.abs(), numpy.abs(expected[1]))


@pytest.mark.parametrize("lower", [False, True])
def test_eigh_of_complex_matrices(form, lower):
    a = MATRIX + 1j * MATRIX[::-1]
    w, v = form(lambda a: linalg.eigh(a, lower=lower))(Tensor(a))
    expected = scipy.linalg.eigh(a, lower=lower)
    close(w, expected[0])
    close((v * v.conj()).real(), numpy.abs(expected[1]) ** 2)


def test_gradient_of_complex_eigenvalues_and_vectors(form):
    weights = Tensor(VECTOR)

    def weighed(real, imaginary):
        w, v = linalg.eigh(dyad.ops.complex(real, imaginary))
        return (w * weights).sum() + ((v * v.conj()).real() * weights).sum()

    found = form(dyad.grad(weighed, (0, 1)))(Tensor(SYMMETRIC), Tensor(MATRIX))
    close(found[0], slopes(lambda real: weighed(real, Tensor(MATRIX)), SYMMETRIC), 1e-5)
    close(found[1], slopes(lambda imaginary: weighed(Tensor(SYMMETRIC), imaginary), MATRIX), 1e-5)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_eigh_of_two_matrices(kind):
    a = MATRIX + MATRIX.T
    w, v = linalg.eigh(Tensor(a), Tensor(SYMMETRIC), type=kind)
    expected = scipy.linalg.eigh(a, SYMMETRIC, type=kind)
    close(w, expected[0])
    close(v.abs(), numpy.abs(expected[1]))


def test_eigh_gives_what_is_asked_for():
    only = linalg.eigh(Tensor(SYMMETRIC), eigvals_only=True, eigvals=(1, 2))
    close(only, numpy.linalg.eigvalsh(SYMMETRIC)[1:3])
    with pytest.raises(ValueError, match="eigvals is"):
        linalg.eigh(Tensor(SYMMETRIC), eigvals=(2, 4))


@pytest.mark.parametrize("a", [MATRIX, MATRIX + 1j * MATRIX[::-1], numpy.stack([MATRIX, SYMMETRIC])])
def test_eigenvalues_of_any_matrix(form, a):
    w, v = form(lambda a: Eig()(a))(Tensor(a))
    numpy.testing.assert_allclose(
        a @ v.asnumpy(), v.asnumpy() * w.asnumpy()[..., None, :], rtol=1e-9, atol=1e-9
    )
    close(w, numpy.linalg.eigvals(a))
    assert Eig(compute_v=False)(Tensor(a.astype("complex64"))).dtype == dyad.complex64


def test_gradient_of_eigenvalues_and_vectors_of_any_matrix(form):
    weights = Tensor(VECTOR)

    def weighed(a):
        w, v = Eig()(a)
        sizes = (v * v.conj()).real()
        return ((w * w.conj()).real() * weights).sum() + (w.real() * weights).sum() + (sizes * weights).sum()

    close(form(dyad.grad(weighed))(Tensor(MATRIX)), slopes(weighed, MATRIX), 1e-5)


def test_gradient_of_eigenvalues():
    weighed = lambda a: (linalg.eigh(a, eigvals_only=True) * Tensor(VECTOR)).sum()  # noqa: E731
    close(dyad.grad(weighed)(Tensor(SYMMETRIC)), slopes(weighed, SYMMETRIC), 1e-6)


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelss", "gelsd"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_lstsq_agrees_with_numpy_for_every_driver(driver, shape):
    a, b = RNG.normal(size=shape), RNG.normal(size=(shape[0], 2))
    x, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver=driver)
    close(x, numpy.linalg.lstsq(a, b, rcond=None)[0])
    if driver in ("gelss", "gelsd"):
        close(values, numpy.linalg.svd(a, compute_uv=False))
    if shape[0] > shape[1] and driver not in (None, "gelsy"):
        close(residual, ((a @ x.asnumpy() - b) ** 2).sum(0))
    assert rank.shape == ((0,) if driver == "gels" else ())


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: linalg.inv(MATRIX), TypeError, "inv: a is of type ndarray"),
        (lambda: linalg.inv(Tensor(MATRIX[:3])), ValueError, "need square matrices"),
        (lambda: linalg.inv(Tensor(MATRIX.astype("float16"))), TypeError, "dtype Float16"),
        (lambda: linalg.cholesky(Tensor(SYMMETRIC), lower=1), TypeError, "lower is 1"),
        (lambda: linalg.solve_triangular(Tensor(MATRIX), Tensor(VECTOR), 3), ValueError, "trans is 3"),
        (lambda: linalg.solve_triangular(Tensor(MATRIX), Tensor(VECTOR[:3])), ValueError, "need 4 rows"),
        (lambda: linalg.lu(Tensor(VECTOR)), ValueError, "need matrices"),
        (lambda: linalg.lstsq(Tensor(MATRIX), Tensor(VECTOR), driver="best"), ValueError, "driver is 'best'"),
        (lambda: linalg.block_diag(Tensor(numpy.ones((1, 1, 1)))), ValueError, "need 2 dimensions"),
        (lambda: linalg.eigh(Tensor(MATRIX), type=4), ValueError, "type is 4"),
        (lambda: Eig()(Tensor(VECTOR)), ValueError, "Eig: a has the shape"),
        (lambda: Eig()(Tensor([[1]])), TypeError, "Eig: a has the dtype Int64"),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
