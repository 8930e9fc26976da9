"""`grad_for_scalar`: numbers that are arguments are variables, and gradients are taken by them, in every form."""

import pytest

import dyad
from dyad import Tensor, grad, jit, value_and_grad

X = Tensor(2.0)


@pytest.fixture(autouse=True)
def numbers_are_variables():
    dyad.set_context(grad_for_scalar=True)
    yield
    dyad.set_context(grad_for_scalar=False)


def product(x, y):
    return x * y * y


def plain(function):
    return function


def in_graph_mode(function):
    def call(*arguments):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return function(*arguments)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


def told(value):
    if isinstance(value, tuple):
        return tuple(map(told, value))
    return (type(value).__name__, float(value.asnumpy()) if isinstance(value, Tensor) else value)


FORMS = pytest.mark.parametrize("form", [plain, jit, in_graph_mode], ids=lambda form: form.__name__)


@FORMS
def test_gradients_by_numbers(form):
    assert told(form(grad(product, 1))(X, 3.0)) == ("float", 12.0)
    assert told(form(grad(product, (0, 1)))(X, 3.0)) == (("Tensor", 9.0), ("float", 12.0))
    assert told(form(grad(product, (0, 1)))(2.0, 3.0)) == (("float", 9.0), ("float", 12.0))
    assert told(form(grad(product, (0, 1)))(X, 3)) == (("Tensor", 9.0), ("int", 12))
    value, gradient = form(value_and_grad(product, 1))(X, 3.0)
    assert told(value) == ("Tensor", 18.0) and told(gradient) == ("float", 12.0)


@FORMS
def test_gradients_for_scalars_are_taken_inside_and_outside_of_graphs(form):
    def inside(x, y):
        return grad(product, (0, 1))(x, y * 2)

    assert told(form(inside)(X, 3.0)) == (("Tensor", 36.0), ("float", 24.0))
    assert told(grad(jit(product), (0, 1))(X, 3.0)) == (("Tensor", 9.0), ("float", 12.0))


def test_numbers_are_not_constants_of_a_graph():
    compiled = jit(product)
    assert [float(compiled(X, y).asnumpy()) for y in (3.0, 4.0, 5.0)] == [18.0, 32.0, 50.0]
    assert compiled.misses == 1
    assert float(compiled(X, 3).asnumpy()) == 18.0 and compiled.misses == 2


def test_the_setting_decides_again_when_it_changes():
    compiled = jit(lambda x, n: x * n)
    compiled(X, 3.0)
    dyad.set_context(grad_for_scalar=False)
    assert [float(compiled(X, n).asnumpy()) for n in (3.0, 4.0)] == [6.0, 8.0]
    assert compiled.misses == 3
    assert grad(product, (0, 1))(X, 3.0).asnumpy() == 9.0  # a number is a constant again
    dyad.set_context(grad_for_scalar=True)
    assert float(compiled(X, 5.0).asnumpy()) == 10.0


def test_a_bool_stays_a_constant():
    compiled = jit(lambda x, flag: x * 2 if flag else x)
    assert [float(compiled(X, flag).asnumpy()) for flag in (True, False)] == [4.0, 2.0]
