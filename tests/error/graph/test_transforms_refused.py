"""Wrong uses of grad and its family in a graph: the words of the dynamic graph."""

import pytest
from wrong_graph import Refused, same_in_both_forms

import dyad
from dyad import Parameter, Tensor, ops

X = Tensor([1.0, 2.0])
W = Parameter(Tensor([1.0, 2.0]), name="w")
refused = Refused()


def bent(x):
    if x.sum() > 0:
        return x * 2
    return x


def product(x, other):
    return x * other


@refused(
    X,
    says="GradOperation: an output gradient has shape (3,); need that of the output, (2,)",
    error=ValueError,
)
def sens_of_another_shape(x):
    return ops.GradOperation(sens_param=True)(ops.exp)(x, ops.ones((3,)))  # here


@refused(
    X,
    says="GradOperation: an output gradient has dtype Float16; need that of the output, Float32",
    error=TypeError,
)
def sens_of_another_dtype(x):
    return ops.GradOperation(sens_param=True)(ops.exp)(x, x.astype(dyad.float16))  # here


@refused(
    X,
    says="GradOperation: 2 output gradients were given for 1 outputs; need one for each",
    error=RuntimeError,
)
def more_sens_than_outputs(x):
    return ops.GradOperation(sens_param=True)(ops.exp)(x, (x, x))  # here


@refused(
    X,
    says="GradOperation: 1 output gradients were given for 2 outputs; need one for each",
    error=RuntimeError,
)
def fewer_sens_than_outputs(x):
    return ops.GradOperation(sens_param=True)(lambda y: (y, y))(x, x)  # here


@refused(
    X,
    says="GradOperation: sens is missing; give the gradient of the output as the last argument",
    error=IndexError,
)
def sens_forgotten(x):
    return ops.GradOperation(sens_param=True)(ops.exp)()  # here


@refused(
    X,
    says="GradOperation: 0 output gradients were given for 1 outputs; need one for each",
    error=RuntimeError,
)
def sens_of_none(x):
    return ops.GradOperation(sens_param=True)(ops.exp)(x, None)  # here


@refused(
    X,
    says="GradOperation: an output gradient has shape (); need that of the output, (2,)",
    error=RuntimeError,
)
def sens_of_a_number(x):
    return ops.GradOperation(sens_param=True)(ops.exp)(x, 1.0)  # here


@refused(
    X,
    says="GradOperation: an output gradient has shape (3,); need that of the output, (2,)",
    error=ValueError,
)
def sens_of_a_function_with_arms(x):
    return ops.GradOperation(sens_param=True)(bent)(x, ops.ones((3,)))  # here


@refused(
    X,
    says="GradOperation: an output gradient has shape (3,); need that of the output, (2,)",
    error=ValueError,
)
def sens_inside_an_arm(x):
    if x.sum() > 0:
        return ops.GradOperation(sens_param=True)(ops.exp)(x, ops.ones((3,)))  # here
    return x


@refused(X, says="GradOperation: get_all is 1 of type int; need a bool", error=TypeError)
def operation_with_a_number_for_a_flag(x):
    return ops.GradOperation(get_all=1)(ops.exp)(x)  # here


@refused(X, says="GradOperation: fn is 5 of type int; need a function or a Cell", error=TypeError)
def operation_on_a_number(x):
    return ops.GradOperation()(5)(x)  # here


@refused(
    X,
    says="GradOperation: get_by_list was asked for a function that is no Cell, without Parameters",
    error=ValueError,
)
def operation_by_list_without_parameters(x):
    return ops.GradOperation(get_by_list=True)(bent)(x)  # here


@refused(X, says="grad: fn is 3 of type int; need a function or a Cell", error=TypeError)
def gradient_of_a_number(x):
    return dyad.grad(3)(x)  # here


@refused(X, says="grad: grad_position is 0; the call gives arguments at none", error=IndexError)
def gradient_without_arguments(x):
    return dyad.grad(lambda: x * 2)()  # here


@refused(X, says="grad: grad_position is -1; need positions from 0 on", error=ValueError)
def negative_position(x):
    return dyad.grad(ops.exp, -1)(x)  # here


@refused(X, says="grad: grad_position is 3; the call gives arguments at [0]", error=IndexError)
def position_out_of_range(x):
    return dyad.grad(ops.exp, 3)(x)  # here


@refused(X, says="grad: grad_position is (0, 0); need each position once", error=ValueError)
def position_twice(x):
    return dyad.grad(ops.exp, (0, 0))(x)  # here


@refused(
    X, says="grad: grad_position is an empty tuple; need at least one position, or None", error=RuntimeError
)
def no_position(x):
    return dyad.grad(ops.exp, ())(x)  # here


@refused(X, says="grad: grad_position is 1.0 of type float; need an int or a tuple of ints", error=TypeError)
def position_of_a_fraction(x):
    return dyad.grad(ops.exp, 1.0)(x)  # here


@refused(X, says="grad: grad_position is [0] of type list; need an int or a tuple of ints", error=TypeError)
def positions_in_a_list(x):
    return dyad.grad(ops.exp, [0])(x)  # here


@refused(X, says="grad: grad_position and weights are both None; need one of them", error=ValueError)
def neither_position_nor_weights(x):
    return dyad.grad(ops.exp, None)(x)  # here


@refused(X, says="grad: grad_position is 3; the call gives arguments at [0]", error=IndexError)
def position_out_of_range_in_an_arm(x):
    if x.sum() > 0:
        return dyad.grad(ops.exp, 3)(x)  # here
    return x


@refused(
    X, says="grad: weights is of type Tensor; need a Parameter or a list or tuple of them", error=TypeError
)
def weights_that_are_a_tensor(x):
    return dyad.grad(ops.exp, None, x)(x)  # here


@refused(X, says="grad: weights[0] is of type int; need a Parameter", error=TypeError)
def weights_of_numbers(x):
    return dyad.grad(ops.exp, None, [3])(x)  # here


@refused(X, says="grad: weights is of type str; need a Parameter or a list or tuple of them", error=TypeError)
def weights_by_name(x):
    return dyad.grad(ops.exp, None, "w")(x)  # here


@refused(X, says="grad: has_aux is 1 of type int; need a bool", error=TypeError)
def flag_that_is_a_number(x):
    return dyad.grad(ops.exp, has_aux=1)(x)  # here


@refused(
    X,
    says="grad: with has_aux the function returned Tensor; need a tuple of two or more outputs",
    error=ValueError,
)
def one_output_with_has_aux(x):
    return dyad.grad(ops.exp, has_aux=True)(x)  # here


@refused(
    X,
    says="value_and_grad: with has_aux the function returned a tuple of 1; need a tuple of two or more",
    error=ValueError,
)
def tuple_of_one_with_has_aux(x):
    return dyad.value_and_grad(lambda y: (y,), has_aux=True)(x)  # here


@refused(X, says="get_grad: the gradients have no entry for 1", error=RuntimeError)
def gradient_of_no_such_position(x):
    return dyad.get_grad(dyad.grad(ops.exp, return_ids=True)(x), 1)  # here


@refused(X, says="get_grad: identifier is 'w' of type str; need an int or a Parameter", error=TypeError)
def gradient_by_a_name(x):
    return dyad.get_grad(dyad.grad(ops.exp, return_ids=True)(x), "w")  # here


@refused(X, says="get_grad: the gradients have no entry for 'w'", error=RuntimeError)
def gradient_of_no_such_parameter(x):
    return dyad.get_grad(dyad.grad(ops.exp, return_ids=True)(x), W)  # here


@refused(X, says="vjp: 2 output gradients were given for 1 outputs; need one for each", error=RuntimeError)
def too_many_cotangents(x):
    return dyad.vjp(ops.exp, x)[1](x, x)  # here


@refused(X, says="vjp: 0 output gradients were given for 1 outputs; need one for each", error=RuntimeError)
def no_cotangent(x):
    return dyad.vjp(ops.exp, x)[1]()  # here


@refused(X, says="vjp: an output gradient has shape (3,); need that of the output, (2,)", error=ValueError)
def cotangent_of_another_shape(x):
    return dyad.vjp(ops.exp, x)[1](ops.ones((3,)))  # here


@refused(X, says="vjp: an output gradient has dtype Int32; need that of the output, Float32", error=TypeError)
def cotangent_of_another_dtype(x):
    return dyad.vjp(ops.exp, x)[1](x.astype(dyad.int32))  # here


@refused(X, says="vjp: input 0 is of type float; need a Tensor", error=TypeError)
def input_that_is_a_number(x):
    return dyad.vjp(ops.exp, 3.0)  # here


@refused(X, says="jacrev: grad_position is 2; the call gives arguments at [0]", error=ValueError)
def reverse_jacobian_out_of_range(x):
    return dyad.jacrev(ops.exp, 2)(x)  # here


@refused(
    X,
    says="grad: In no_grad context, you can not calculate gradient; move it outside, or enable_grad around it",
    error=RuntimeError,
)
def gradient_without_recording(x):
    with dyad.no_grad():
        return dyad.grad(ops.exp)(x)  # here


@refused(X, says="add: shapes (2,) and (3,) do not broadcast", error=ValueError)
def operator_refused_while_it_is_differentiated(x):
    return dyad.grad(ops.add)(x, ops.ones((3,)))  # here


@refused(X, says="missing 1 required positional argument: 'other'", error=TypeError)
def argument_missing(x):
    return dyad.grad(product)(x)  # here


@refused(X, says="recompute: block is of type OpFunction; need a Cell", error=TypeError)
def recompute_of_a_function(x):
    return dyad.recompute(ops.exp, x)  # here


@refused.in_forms()
def test_raised_by_a_graph(program, form):
    program.check_raised(form)


@pytest.mark.parametrize("program", refused, ids=str)
def test_raised_with_the_same_words_in_both_forms(program):
    same_in_both_forms(program)
