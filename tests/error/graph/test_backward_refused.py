"""Backward functions and hooks that do not fit, in a graph: the words of the dynamic graph."""

import pytest
from wrong_graph import Refused, same_in_both_forms

import dyad
from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0])
refused = Refused()


def own(bprop):
    """A Cell of two inputs with this bprop."""

    class Own(nn.Cell):
        def construct(self, a, b):
            return a * b

    Own.bprop = bprop
    return Own()


def function(forward, backward):
    """A Function with these two sides."""
    return type(
        "Own", (dyad.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )


def hooked(**hooks):
    """A ReLU with hooks, given by the names of the methods that register them."""
    cell = nn.ReLU()
    for register, hook in hooks.items():
        getattr(cell, register)(hook)
    return cell


@dyad.custom_vjp
def twice(x):
    return x * 2


@dyad.custom_vjp
def thrice(x):
    return x * 3


@dyad.custom_vjp
def fourfold(x):
    return x * 4


thrice.defbwd(lambda x, out, dout: (dout, dout))
fourfold.defbwd(lambda x, out, dout: THREE)
THREE = Tensor([1.0, 1.0, 1.0])
TOO_SHORT = own(lambda self, a, out, dout: (dout, dout))
NO_TUPLE = own(lambda self, a, b, out, dout: dout)
ONE_GRADIENT = own(lambda self, a, b, out, dout: (dout,))
OTHER_SHAPE = own(lambda self, a, b, out, dout: (dout, THREE))
A_TEXT = own(lambda self, a, b, out, dout: (dout, "a"))
NOTHING = own(lambda self, a, b, out, dout: None)
TWO_GRADIENTS = function(lambda ctx, x: x * 2, lambda ctx, dout: (dout, dout))
A_NUMBER = function(lambda ctx, x: x * 2, lambda ctx, dout: 5)
A_LONGER_ONE = function(lambda ctx, x: x * 2, lambda ctx, dout: THREE)
NO_TENSOR = function(lambda ctx, x: 3, lambda ctx, dout: dout)
HOOK_OF_ANOTHER_SHAPE = hooked(register_backward_hook=lambda cell, left, arrived: THREE)
PRE_HOOK_OF_ANOTHER_SHAPE = hooked(register_backward_pre_hook=lambda cell, arrived: THREE)
HOOK_WITHOUT_ARGUMENTS = hooked(register_backward_hook=lambda cell: None)
HOOK_OF_ANOTHER_LENGTH = ops.HookBackward(lambda g: THREE)
HOOK_OF_A_TEXT = ops.HookBackward(lambda g: "a")
INSERTED_OF_ANOTHER_LENGTH = ops.InsertGradientOf(lambda g: THREE)
INSERTED_NOTHING = ops.InsertGradientOf(lambda g: None)


@refused(
    X,
    says="Own: bprop takes (a, out, dout) for a call with 2 inputs; need each input, then out and dout",
    error=TypeError,
)
def bprop_of_wrong_arity(x):
    return dyad.grad(TOO_SHORT, (0, 1))(x, x)  # here


@refused(X, says="Own: bprop returned a Tensor; need a tuple of 2 gradients", error=TypeError)
def bprop_without_a_tuple(x):
    return dyad.grad(NO_TUPLE, (0, 1))(x, x)  # here


@refused(X, says="Own: bprop returned 1 gradients for 2 inputs; need one for each", error=RuntimeError)
def bprop_of_one_gradient(x):
    return dyad.grad(ONE_GRADIENT, (0, 1))(x, x)  # here


@refused(X, says="Own: the gradient for input 1 has shape (3,); the input has shape (2,)", error=RuntimeError)
def bprop_of_another_shape(x):
    return dyad.grad(OTHER_SHAPE, (0, 1))(x, x)  # here


@refused(X, says="Own: bprop returned 'a' of type str as gradient 1; need a Tensor or None", error=TypeError)
def bprop_of_a_text(x):
    return dyad.grad(A_TEXT, (0, 1))(x, x)  # here


@refused(X, says="Own: bprop returned None; need a tuple of 2 gradients", error=TypeError)
def bprop_of_nothing(x):
    return dyad.grad(NOTHING, (0, 1))(x, x)  # here


@refused(X, says="custom_vjp: twice has no backward function; give one with defbwd", error=TypeError)
def custom_without_backward(x):
    return dyad.grad(twice)(x)  # here


@refused(X, says="thrice: bprop returned 2 gradients for 1 inputs; need one for each", error=RuntimeError)
def custom_of_two_gradients(x):
    return dyad.grad(thrice)(x)  # here


@refused(
    X, says="fourfold: the gradient for input 0 has shape (3,); the input has shape (2,)", error=RuntimeError
)
def custom_of_another_shape(x):
    return dyad.grad(fourfold)(x)  # here


@refused(
    X, says="Own: Function backward return a wrong number of gradients: 2 for 1 inputs", error=RuntimeError
)
def function_of_two_gradients(x):
    return dyad.grad(lambda y: TWO_GRADIENTS.apply(y))(x)  # here


@refused(
    X,
    says="Own: backward returned 5 of type int as gradient 0. Gradient should be none or tensor",
    error=RuntimeError,
)
def function_of_a_number(x):
    return dyad.grad(lambda y: A_NUMBER.apply(y))(x)  # here


@refused(
    X,
    says="of shape (3,). For custom function, grad tensor should be broadcast to the input's shape (2,)",
    error=RuntimeError,
)
def function_of_another_shape(x):
    return dyad.grad(lambda y: A_LONGER_ONE.apply(y))(x)  # here


@refused(
    X, says="Own: forward returned an int without Tensors; need a Tensor or a tuple of them", error=TypeError
)
def function_without_a_tensor(x):
    return dyad.grad(lambda y: NO_TENSOR.apply(y))(x)  # here


@refused(
    X,
    says="ReLU: a backward hook returned a gradient of shape (3,) and dtype Float32; need (2,) and Float32",
    error=ValueError,
)
def hook_of_another_shape(x):
    return dyad.grad(HOOK_OF_ANOTHER_SHAPE)(x)  # here


@refused(
    X,
    says="ReLU: a backward pre-hook returned a gradient of shape (3,) and dtype Float32; need (2,)",
    error=ValueError,
)
def pre_hook_of_another_shape(x):
    return dyad.grad(PRE_HOOK_OF_ANOTHER_SHAPE)(x)  # here


@refused(X, says="takes 1 positional argument but 3 were given", error=TypeError)
def hook_that_takes_too_little(x):
    return dyad.grad(HOOK_WITHOUT_ARGUMENTS)(x)  # here


@refused(
    X,
    says="HookBackward: the gradient for input 0 has shape (3,); the input has shape (2,)",
    error=RuntimeError,
)
def hook_on_a_value_of_another_shape(x):
    return dyad.grad(HOOK_OF_ANOTHER_LENGTH)(x)  # here


@refused(X, says="HookBackward: the function returned a str as gradient; need a Tensor", error=TypeError)
def hook_on_a_value_of_a_text(x):
    return dyad.grad(HOOK_OF_A_TEXT)(x)  # here


@refused(
    X,
    says="InsertGradientOf: the gradient for input 0 has shape (3,); the input has shape (2,)",
    error=RuntimeError,
)
def inserted_of_another_shape(x):
    return dyad.grad(INSERTED_OF_ANOTHER_LENGTH)(x)  # here


@refused(
    X, says="InsertGradientOf: the function returned a NoneType as gradient; need a Tensor", error=TypeError
)
def inserted_nothing(x):
    return dyad.grad(INSERTED_NOTHING)(x)  # here


@refused(
    X,
    says="register_hook: the hook returned a gradient of shape (3,) for one of shape (2,); it must keep the shape",
    error=ValueError,
)
def hook_of_a_tensor_of_another_shape(x):
    def watched(y):
        z = y * 2
        z.register_hook(lambda d: THREE)
        return z.sum()

    return dyad.grad(watched)(x)  # here


@refused(X, says="register_hook: the hook returned 'a'; need a Tensor or None", error=TypeError)
def hook_of_a_tensor_of_a_text(x):
    def watched(y):
        z = y * 2
        z.register_hook(lambda d: "a")
        return z.sum()

    return dyad.grad(watched)(x)  # here


@refused(X, says="register_hook: hook is of type int; need a function", error=TypeError)
def hook_of_a_tensor_that_is_a_number(x):
    def watched(y):
        z = y * 2
        z.register_hook(3)  # here
        return z.sum()

    return dyad.grad(watched)(x)


@refused.in_forms()
def test_raised_by_a_graph(program, form):
    program.check_raised(form)


@pytest.mark.parametrize("program", refused, ids=str)
def test_raised_with_the_same_words_in_both_forms(program):
    same_in_both_forms(program)
