"""Wrong uses of forward mode and of vmap in a graph: the words of the dynamic graph."""

import pytest
from wrong_graph import Refused, same_in_both_forms

import dyad
from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
refused = Refused()


@refused(X, says="jvp: tangent 0 has shape (3,); need that of its input, (2,)", error=ValueError)
def tangent_of_another_shape(x):
    return dyad.jvp(ops.exp, x, ops.ones((3,)))  # here


@refused(X, says="jvp: v holds 1 tangents for 2 inputs; need one for each", error=ValueError)
def fewer_tangents_than_inputs(x):
    return dyad.jvp(ops.add, (x, x), (x,))  # here


@refused(X, says="jvp: tangent 0 has dtype Float16; need that of its input, Float32", error=TypeError)
def tangent_of_another_dtype(x):
    return dyad.jvp(ops.exp, x, x.astype(dyad.float16))  # here


@refused(X, says="jvp: v is of type float; need a Tensor, or a tuple or list of Tensors", error=TypeError)
def tangent_that_is_a_number(x):
    return dyad.jvp(ops.exp, x, 3.0)  # here


@refused(X, says="linearize: tangent 0 has shape (3,); need that of its input, (2,)", error=ValueError)
def linearized_along_another_shape(x):
    return ops.linearize(ops.exp, x)[1](ops.ones((3,)))  # here


@refused(X, says="jacfwd: grad_position is 2; the call gives arguments at [0]", error=ValueError)
def forward_jacobian_out_of_range(x):
    return dyad.jacfwd(ops.exp, 2)(x)  # here


@refused(X, says="jacfwd: the function returned no Tensor; need one to differentiate", error=TypeError)
def jacobian_of_a_number(x):
    return dyad.jacfwd(lambda y: 3)(x)  # here


@refused(X, says="derivative: order is 0; need 1 or more", error=ValueError)
def derivative_of_order_zero(x):
    return ops.derivative(ops.exp, x, 0)  # here


@refused(X, says="derivative: order is 1.5 of type float; need an int", error=TypeError)
def derivative_of_half_an_order(x):
    return ops.derivative(ops.exp, x, 1.5)  # here


@refused(X, says="jet: series[0] has dtype Float32; need that of its input, Int32", error=TypeError)
def series_of_another_dtype(x):
    return ops.jet(ops.exp, x.astype(dyad.int32), ops.ones((2, 2)))  # here


@refused(
    X,
    says="jet: series[0] has shape (2, 3); need an axis of orders and then the shape of its input, (2,)",
    error=ValueError,
)
def series_of_another_shape(x):
    return ops.jet(ops.exp, x, ops.ones((2, 3)))  # here


@refused(X, says="jet: primals is of type Tensor and series of type int; need two Tensors", error=TypeError)
def series_of_a_number(x):
    return ops.jet(ops.exp, x, 3)  # here


@refused(
    X,
    says="vmap: argument 0 has size 2 along axis 0, and argument 1 has size 4 along axis 0",
    error=RuntimeError,
)
def mapped_sizes_that_differ(x):
    return dyad.vmap(ops.add)(x, ops.ones((4,)))  # here


@refused(
    X,
    says="vmap: argument 0 has shape (2,) and in_axes is 2, which is out of range; need an axis from -1",
    error=RuntimeError,
)
def mapped_axis_out_of_range(x):
    return dyad.vmap(ops.exp, 2)(x)  # here


@refused(X, says="vmap: in_axes is None; need an axis for at least one argument", error=RuntimeError)
def nothing_mapped(x):
    return dyad.vmap(ops.exp, None)(x)  # here


@refused(
    X, says="vmap: the output differs between slices and its entry in out_axes is None", error=RuntimeError
)
def mapped_output_without_an_axis(x):
    return dyad.vmap(ops.exp, 0, None)(x)  # here


@refused(X, says="vmap: in_axes holds 'a' of type str; need ints and None", error=RuntimeError)
def axis_that_is_a_text(x):
    return dyad.vmap(ops.exp, "a")(x)  # here


@refused(X, says="vmap: fn is 3 of type int; need a function or a Cell", error=TypeError)
def mapped_number(x):
    return dyad.vmap(3)(x)  # here


@refused.in_forms()
def test_raised_by_a_graph(program, form):
    program.check_raised(form)


@pytest.mark.parametrize("program", refused, ids=str)
def test_raised_with_the_same_words_in_both_forms(program):
    same_in_both_forms(program)
