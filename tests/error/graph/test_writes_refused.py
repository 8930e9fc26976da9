"""Writes in place to what a gradient still needs, in a graph: the words of the dynamic graph."""

import pytest
from session import graph_mode, jit
from wrong_graph import Refused, same_in_both_forms

import dyad
from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
refused = Refused()
depends_on_the_path = Refused()  # at STRICT the graph is refused


def result_overwritten(x):
    y = ops.exp(x)
    y.add_(1)
    return y.sum()


def operand_overwritten(x):
    y = ops.exp(x)
    z = y * y
    y.zero_()
    return z.sum()


def part_of_an_operand_overwritten(x):
    y = x * 2
    z = ops.sin(y)
    y[0] = 1.0
    return z.sum()


def overwritten_in_an_arm(x):
    if x.sum() > 0:
        y = ops.exp(x)
        y[0] = 1.0
    else:
        y = x
    return y.sum()


def overwritten_in_a_loop(x):
    i = x.sum()
    while i < 13:
        x = ops.exp(x)
        x[0] = 1.0
        i = i + 1
    return x.sum()


def overwritten_by_an_arm(x):
    y = ops.exp(x)
    if x.sum() > 0:
        y.add_(1)
    return y.sum()


def overwritten_by_a_loop(x):
    y = ops.exp(x)
    i = x.sum()
    while i < 13:
        y.add_(1)
        i = i + 1
    return y.sum()


def added_to_in_an_arm(x):
    if x.sum() > 0:
        y = ops.exp(x)
        y.add_(1)
    else:
        y = x
    return y.sum()


def added_to_in_a_loop(x):
    i = x.sum()
    while i < 5:
        x = ops.exp(x)
        x.add_(1)
        i = i + 1
    return x.sum()


@dyad.jit
def overwritten_in_a_graph_of_its_own(x):
    y = ops.exp(x)
    y.add_(1)
    return y.sum()


@refused(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_result_overwritten(x):
    return dyad.grad(result_overwritten)(x)  # here


@refused(
    X,
    says="mul: its gradient needs input 0 ('input') of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_operand_overwritten(x):
    return dyad.grad(operand_overwritten)(x)  # here


@refused(
    X,
    says="sin: its gradient needs input 0 ('input') of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_part_of_an_operand_overwritten(x):
    return dyad.grad(part_of_an_operand_overwritten)(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_overwritten_in_an_arm(x):
    return dyad.grad(overwritten_in_an_arm)(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_overwritten_in_a_loop(x):
    return dyad.grad(overwritten_in_a_loop)(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_overwritten_by_an_arm(x):
    return dyad.grad(overwritten_by_an_arm)(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_overwritten_by_a_loop(x):
    return dyad.grad(overwritten_by_a_loop)(x)  # here


@refused(
    X,
    says="add_: A leaf tensor that need grad is being used in an inplace operator",
    error=RuntimeError,
)
def gradient_of_input_written(x):
    def input_written(y):
        y.add_(1)  # here
        return (y * y).sum()

    return dyad.grad(input_written)(x)


@refused(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def tangent_of_result_overwritten(x):
    return dyad.jvp(result_overwritten, x, x)  # here


@refused(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def second_gradient_of_result_overwritten(x):
    return dyad.grad(lambda y: dyad.grad(result_overwritten)(y).sum())(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_added_to_in_an_arm(x):
    return dyad.grad(added_to_in_an_arm)(x)  # here


@depends_on_the_path(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_added_to_in_a_loop(x):
    return dyad.grad(added_to_in_a_loop)(x)  # here


@refused(
    X,
    says="exp: its gradient needs output 0 of shape (2,) as it was, but an operation in place",
    error=RuntimeError,
)
def gradient_of_overwritten_in_a_graph_of_its_own(x):
    return dyad.grad(overwritten_in_a_graph_of_its_own)(x)  # here


@refused(
    X,
    says="add_: A leaf tensor that need grad is being used in an inplace operator",
    error=RuntimeError,
)
def gradient_of_input_written_in_an_arm(x):
    def written(y):
        if y.sum() > 0:
            y.add_(1)  # here
        return (y * y).sum()

    return dyad.grad(written)(x)


@refused.in_forms()
def test_raised_by_a_graph(program, form):
    program.check_raised(form)


@depends_on_the_path.in_forms(jit, graph_mode)
def test_raised_on_the_path(program, form):
    program.check_raised(form)


@depends_on_the_path.at_strict
def test_refused_at_strict(program, form):
    with pytest.raises(ValueError, match="write to a copy"):
        form(program.function)(*program.arguments)


@pytest.mark.parametrize("program", [*refused, *depends_on_the_path], ids=str)
def test_raised_with_the_same_words_in_both_forms(program):
    same_in_both_forms(program)
