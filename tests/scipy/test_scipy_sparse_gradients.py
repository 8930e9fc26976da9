"""Gradients of solvers that take steps are those of the solution, however many steps they took."""

import numpy
import pytest

import dyad
from dyad import Tensor
from dyad.scipy.sparse.linalg import bicgstab, cg, gmres

RNG = numpy.random.default_rng(11)
GENERAL = RNG.normal(size=(4, 4)) + 5 * numpy.eye(4)
SYMMETRIC = GENERAL @ GENERAL.T
VECTOR, WEIGHTS = RNG.normal(size=4), RNG.normal(size=4)
SOLVERS = [(cg, SYMMETRIC), (bicgstab, GENERAL), (gmres, GENERAL)]


def in_graph_mode(function):
    def run(*args):
        before = dyad.get_context("mode")
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return function(*args)
        finally:
            dyad.set_context(mode=before)

    return run


@pytest.fixture(params=[lambda function: function, dyad.jit, in_graph_mode], ids=["dynamic", "jit", "graph"])
def form(request):
    return request.param


def close(found, expected):
    numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6, atol=1e-8)


def expected_gradients(a, b):
    turned = numpy.linalg.solve(a.T, WEIGHTS)
    return -numpy.outer(turned, numpy.linalg.solve(a, b)), turned


@pytest.mark.parametrize("solver, general", SOLVERS, ids=["cg", "bicgstab", "gmres"])
@pytest.mark.parametrize("identity", [False, True], ids=["regular", "identity"])
@pytest.mark.parametrize("b", [VECTOR, numpy.zeros(4)], ids=["b", "zero"])
@pytest.mark.parametrize("exact", [False, True], ids=["zeros", "exact"])
def test_gradients_are_those_of_the_solution(form, solver, general, identity, b, exact):
    a = numpy.eye(4) if identity else general
    weights = Tensor(WEIGHTS)
    x0 = numpy.linalg.solve(a, b) if exact else numpy.zeros(4)

    def by_matrix(a, b, x0):
        return (solver(a, b, x0, tol=1e-12)[0] * weights).sum()

    def by_function(a, b, x0):
        def apply(vector):
            return a @ vector

        return (solver(apply, b, x0, tol=1e-12)[0] * weights).sum()

    for function in (by_matrix, by_function):
        da, db, dx0 = form(dyad.grad(function, (0, 1, 2)))(Tensor(a), Tensor(b), Tensor(x0))
        for found, expected in zip((da, db), expected_gradients(a, b), strict=True):
            close(found, expected)
        close(dx0, numpy.zeros(4))


@pytest.mark.parametrize("solver, a", SOLVERS, ids=["cg", "bicgstab", "gmres"])
def test_a_preconditioner_gets_no_gradient(form, solver, a):
    weights = Tensor(WEIGHTS)

    def weighed(a, b, near):
        return (solver(a, b, tol=1e-12, M=near)[0] * weights).sum()

    def weighed_by_function(a, b, near):
        def precondition(vector):
            return near @ vector

        return (solver(a, b, tol=1e-12, M=precondition)[0] * weights).sum()

    near = numpy.diag(1 / numpy.diag(a))
    for function in (weighed, weighed_by_function):
        da, db, dnear = form(dyad.grad(function, (0, 1, 2)))(Tensor(a), Tensor(VECTOR), Tensor(near))
        for found, expected in zip((da, db), expected_gradients(a, VECTOR), strict=True):
            close(found, expected)
        close(dnear, numpy.zeros((4, 4)))


@pytest.mark.parametrize("solver, a", SOLVERS, ids=["cg", "bicgstab", "gmres"])
@pytest.mark.parametrize("as_function", [False, True], ids=["matrix", "function"])
def test_second_derivatives(form, solver, a, as_function):
    """Along a scale s of the matrix: x = b / s solves (s A) x = A b, so that x'' = 2 b / s**3."""
    matrix, weights, side = Tensor(a), Tensor(WEIGHTS), Tensor(a @ VECTOR)

    def weighed(scale):
        def apply(vector):
            return scale * (matrix @ vector)

        return (solver(apply if as_function else scale * matrix, side, tol=1e-12)[0] * weights).sum()

    def slope(scale):
        return dyad.grad(weighed)(scale)

    found = form(dyad.grad(slope))(Tensor(2.0, dyad.float64))
    close(found, 2 * (VECTOR * WEIGHTS).sum() / 8)
