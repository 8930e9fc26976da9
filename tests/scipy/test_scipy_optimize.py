"""Minima of functions and assignments against SciPy, in both forms."""

import numpy
import pytest
import scipy.optimize

import dyad
from dyad import Tensor
from dyad.scipy import optimize, sparse
from dyad.scipy.ops import LU, LinearSumAssignment, SolveTriangular

RNG = numpy.random.default_rng(5)


def himmelblau(p):
    x, y = p[0], p[1]
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
@pytest.mark.parametrize(
    "function, start, minimum", [(himmelblau, [0.0, 0.0], [3, 2]), (rosenbrock, [-1.2, 1.0, 0.8], [1, 1, 1])]
)
def test_minimize_finds_the_minimum(method, function, start, minimum):
    start = Tensor(start, dyad.float64)
    found = optimize.minimize(function, start, method=method, options={"gtol": 1e-7})
    numpy.testing.assert_allclose(found.x.asnumpy(), minimum, atol=1e-5)
    assert bool(found.success) and int(found.status) == 0 and 0 < int(found.nit) <= int(found.nfev)
    assert float(abs(found.jac).max()) < 1e-7
    assert (found.hess_inv is None) == (method == "LBFGS")
    compiled = dyad.jit(lambda x: optimize.minimize(function, x, method=method, options={"gtol": 1e-7}).x)
    numpy.testing.assert_allclose(compiled(start).asnumpy(), found.x.asnumpy(), atol=1e-8)


def test_arguments_gradient_and_iterations_are_used():
    calls = []

    def gradient(x, center):
        calls.append(1)
        return 2 * (x - center)

    def distance(x, center):
        return ((x - center) ** 2).sum()

    center = Tensor([1.0, -2.0])
    found = optimize.minimize(distance, Tensor([5.0, 5.0]), (center,), "bfgs", gradient)
    numpy.testing.assert_allclose(found.x.asnumpy(), [1, -2], atol=1e-5)
    assert len(calls) == int(found.njev)
    few = optimize.minimize(rosenbrock, Tensor([-1.2, 1.0]), method="BFGS", options={"maxiter": 2})
    assert not bool(few.success) and int(few.status) == 1 and int(few.nit) == 2


def test_a_minimum_is_left_alone():
    found = optimize.minimize(lambda x: (x**2).sum(), Tensor([0.0]), method="BFGS")
    assert int(found.nit) == 0 and bool(found.success)


def test_minimizing_a_function_without_minimum_fails():
    found = optimize.minimize(lambda x: -x.sum(), Tensor([0.0]), method="BFGS", options={"maxiter": 3})
    assert not bool(found.success)


@pytest.mark.parametrize(
    "start, direction", [([-2.0, 1.0], None), ([1.5, 1.9], None), ([0.0, 3.0], [0.0, -10.0])]
)
def test_steps_fulfil_the_wolfe_conditions(start, direction):
    x = Tensor(start, dyad.float64)
    value, gradient = dyad.value_and_grad(rosenbrock)(x)
    direction = -gradient if direction is None else Tensor(direction, dyad.float64)
    found = optimize.line_search(rosenbrock, x, direction, maxiter=40)
    steepness = float((gradient * direction).sum())
    after = dyad.grad(rosenbrock)(x + found.a_k * direction)
    assert not bool(found.failed) and int(found.status) == 0
    assert float(found.f_k) <= float(value) + 1e-4 * float(found.a_k) * steepness
    assert abs(float((after * direction).sum())) <= -0.9 * steepness
    numpy.testing.assert_allclose(found.g_k.asnumpy(), after.asnumpy(), rtol=1e-9)


def test_a_search_that_fails_says_so():
    found = optimize.line_search(lambda x: -x.sum(), Tensor([0.0]), Tensor([1.0]), maxiter=4)
    assert bool(found.failed) and int(found.status) == 5
    uphill = optimize.line_search(lambda x: x.sum(), Tensor([0.0]), Tensor([1.0]), maxiter=4)
    assert bool(uphill.failed) and float(uphill.a_k) == 0


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (1, 4), (12, 12)])
@pytest.mark.parametrize("maximize", [False, True])
def test_linear_sum_assignment_has_the_cost_of_scipy(shape, maximize):
    costs = RNG.integers(0, 20, size=shape).astype("float64")
    rows, columns = optimize.linear_sum_assignment(Tensor(costs), maximize)
    expected = scipy.optimize.linear_sum_assignment(costs, maximize)
    total = costs[rows.asnumpy(), columns.asnumpy()].sum()
    assert total == costs[expected].sum() and rows.asnumpy().tolist() == expected[0].tolist()
    compiled = dyad.jit(lambda costs: optimize.linear_sum_assignment(costs + 0, maximize))(Tensor(costs))
    assert compiled[1].asnumpy().tolist() == columns.asnumpy().tolist()


def test_assignments_among_the_first_columns():
    costs = Tensor([[2.0, 3.0, 3.0], [3.0, 2.0, 3.0], [3.0, 3.0, 2.0]])
    rows, columns = optimize.linear_sum_assignment(costs, False, Tensor(2))
    assert rows.asnumpy().tolist() == [0, 1, -1] and columns.asnumpy().tolist() == [0, 1, -1]
    assert [part.asnumpy().tolist() for part in LinearSumAssignment()(costs, Tensor(2), False)] == [
        [0, 1, -1],
        [0, 1, -1],
    ]


@pytest.mark.parametrize("solver", [sparse.linalg.cg, sparse.linalg.bicgstab, sparse.linalg.gmres])
@pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])
def test_iterative_solvers_find_the_solution(solver, form):
    a = RNG.normal(size=(6, 6))
    a = a @ a.T + numpy.eye(6) if solver is sparse.linalg.cg else a + 6 * numpy.eye(6)
    b = RNG.normal(size=6)
    expected = numpy.linalg.solve(a, b)
    near = Tensor(numpy.diag(1 / numpy.diag(a)))
    matrix = Tensor(a)
    for options in ({}, {"x0": Tensor(expected)}, {"M": near}, {"M": lambda v: near @ v}):
        x, info = form(lambda b, options=options: solver(matrix, b, tol=1e-10, **options))(Tensor(b))
        numpy.testing.assert_allclose(x.asnumpy(), expected, atol=1e-7)
        assert int(info) == 0
    x, info = form(lambda b: solver(lambda v: matrix @ v, b, tol=1e-10))(Tensor(b))
    numpy.testing.assert_allclose(x.asnumpy(), expected, atol=1e-7)
    slope = form(dyad.grad(lambda b: solver(matrix, b, tol=1e-12)[0].sum()))(Tensor(b))
    numpy.testing.assert_allclose(slope.asnumpy(), numpy.linalg.inv(a).sum(0), atol=1e-6)


def test_a_solver_takes_a_sparse_matrix():
    matrix = dyad.CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 2))
    x, info = sparse.linalg.cg(matrix, Tensor([1.0, 4.0]))
    numpy.testing.assert_allclose(x.asnumpy(), [1, 2], rtol=1e-5)
    assert int(info) == 0


def test_a_solver_tells_of_too_few_iterations():
    a = Tensor(numpy.diag(numpy.arange(1.0, 8)))
    _, info = sparse.linalg.cg(a, Tensor(numpy.ones(7)), tol=1e-12, maxiter=2)
    assert int(info) == 2


def test_gmres_restarts():
    a = numpy.eye(8) + 0.1 * RNG.normal(size=(8, 8))
    b = RNG.normal(size=8)
    x, info = sparse.linalg.gmres(Tensor(a), Tensor(b), tol=1e-9, restart=3)
    numpy.testing.assert_allclose(x.asnumpy(), numpy.linalg.solve(a, b), atol=1e-7)
    assert int(info) == 0


def test_primitives_are_the_functions():
    a = Tensor(RNG.normal(size=(3, 3)))
    factors, pivots, permutation = LU()(a)
    assert pivots.dtype == dyad.int32 and permutation.dtype == dyad.int32
    left, right = factors.tril(-1) + Tensor(numpy.eye(3)), factors.triu()
    numpy.testing.assert_allclose(
        (permutation.astype(dyad.float64) @ left @ right).asnumpy(), a.asnumpy(), atol=1e-12
    )
    b = Tensor([1.0, 2.0, 3.0], dyad.float64)
    numpy.testing.assert_allclose(
        (right.T @ SolveTriangular(trans="T")(right, b)).asnumpy(), b.asnumpy(), atol=1e-9
    )


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: optimize.minimize(rosenbrock, Tensor([1.0])), ValueError, "method is None"),
        (lambda: optimize.minimize(rosenbrock, [1.0], method="BFGS"), TypeError, "x0 is of type list"),
        (lambda: optimize.minimize(rosenbrock, Tensor([[1.0]]), method="BFGS"), ValueError, "one dimension"),
        (lambda: optimize.minimize(rosenbrock, Tensor([1.0]), 1, "BFGS"), TypeError, "args is of type int"),
        (
            lambda: optimize.minimize(rosenbrock, Tensor([1.0]), method="BFGS", bounds=[(0, 1)]),
            ValueError,
            "bounds",
        ),
        (lambda: optimize.linear_sum_assignment(Tensor([[1.0]]), 1), TypeError, "maximize is 1"),
        (lambda: optimize.linear_sum_assignment(Tensor([1.0]), True), ValueError, "need 2 dimensions"),
        (lambda: optimize.linear_sum_assignment(Tensor([[numpy.nan]]), True), ValueError, "holds nan"),
        (lambda: sparse.linalg.cg(Tensor([[1.0]]), Tensor([1.0, 2.0])), ValueError, "A has the shape"),
        (lambda: sparse.linalg.cg(3, Tensor([1.0])), TypeError, "A is of type int"),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
