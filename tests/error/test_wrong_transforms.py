"""Wrong uses of differentiation; the tape is intact after every error."""

import pytest
from wrong_program import check, programs

from dyad import _core, get_context, set_context

BPROP = """
class Own(nn.Cell):
    def construct(self, a, b):
        return a * b
    bprop = {}
dyad.grad(Own(), (0, 1))(ones(2), ones(2))"""

HOOK = """
net = nn.ReLU()
net.register_backward_{}
dyad.grad(net)(ones(2))"""

FUNCTION = """
class Own(dyad.Function):
    @staticmethod
    def forward(ctx, x):
        {}
    @staticmethod
    def backward(ctx, dout):
        {}
dyad.grad(lambda x: Own.apply(x))(ones(2))"""


def bprop(text):
    return BPROP.format(text)


def function(forward="return x * 2", backward="return dout"):
    return FUNCTION.format(forward, backward)


def transform(text):
    """A program in which `w` is a Parameter and `f` a product with it."""
    return f"w = Parameter(ones(2), 'w')\nf = lambda x: x * w\n{text}"


@pytest.fixture(autouse=True)
def tape_in_order():
    before = get_context("check_bprop")
    yield
    set_context(check_bprop=before)
    assert _core.tape_depth() == 0
    assert _core.grad_enabled()


@programs(
    ("dyad.grad(ones, -1)", ValueError, "grad: grad_position is -1; need positions from 0 on"),
    ("dyad.grad(ones, (0, -2))", ValueError, "grad: grad_position is (0, -2); need positions from 0 on"),
    ("dyad.grad(ones, (1, 1))", ValueError, "grad: grad_position is (1, 1); need each position once"),
    ("dyad.grad(ones, ())", RuntimeError, "grad: grad_position is an empty tuple"),
    (
        "dyad.grad(ones, 1.0)",
        TypeError,
        "grad: grad_position is 1.0 of type float; need an int or a tuple of ints",
    ),
    ("dyad.grad(ones, [0, 1])", TypeError, "grad: grad_position is [0, 1] of type list"),
    ("dyad.grad(ones, (0, 'a'))", TypeError, "grad: grad_position is (0, 'a') of type str"),
    ("dyad.grad(ones, None)", ValueError, "grad: grad_position and weights are both None; need one of them"),
    ("dyad.grad(3)", TypeError, "grad: fn is 3 of type int; need a function or a Cell"),
    ("dyad.grad(ones, has_aux=1)", TypeError, "grad: has_aux is 1 of type int; need a bool"),
    ("dyad.grad(ones, return_ids='yes')", TypeError, "grad: return_ids is 'yes' of type str; need a bool"),
    ("dyad.value_and_grad(ones, has_aux=None)", TypeError, "value_and_grad: has_aux is None"),
    ("dyad.value_and_grad(ones, (2, 2))", ValueError, "value_and_grad: grad_position is (2, 2)"),
    (
        "dyad.grad(ops.exp, 3)(ones(2))",
        IndexError,
        "grad: grad_position is 3; the call gives arguments at [0]",
    ),
    (
        "dyad.grad(lambda x, y=2: x, 1)(ones(2))",
        IndexError,
        "grad: grad_position is 1; the call gives arguments at [0]",
    ),
    (
        "dyad.grad(lambda: ones(2))()",
        IndexError,
        "grad: grad_position is 0; the call gives arguments at none",
    ),
    ("dyad.grad(lambda x: x, None, ones(2))", TypeError, "grad: weights is of type Tensor; need a Parameter"),
    (
        "dyad.grad(lambda x: x, None, [ones(2)])",
        TypeError,
        "grad: weights[0] is of type Tensor; need a Parameter",
    ),
    ("dyad.grad(lambda x: x, None, nn.ReLU())", TypeError, "grad: weights is of type ReLU"),
    (
        "dyad.grad(lambda x: x, None, nn.Dense(1, 1).get_parameters())",
        TypeError,
        "grad: weights is of type generator; need a Parameter or a list or tuple of them",
    ),
    (
        "dyad.grad(lambda x: x, has_aux=True)(ones(2))",
        ValueError,
        "grad: with has_aux the function returned Tensor; need a tuple of two or more outputs",
    ),
    (
        "dyad.grad(lambda x: (x,), has_aux=True)(ones(2))",
        ValueError,
        "grad: with has_aux the function returned a tuple of 1",
    ),
    ("dyad.grad(lambda x: x * y)(ones(2))", NameError, "name 'y' is not defined"),
    ("dyad.grad(lambda x, y: x)(ones(2))", TypeError, "missing 1 required positional argument: 'y'"),
    ("dyad.grad(ops.add)(ones(2), ones(3))", ValueError, "add: "),
    ("dyad.get_grad((0, ones(2)), 1)", RuntimeError, "get_grad: the gradients have no entry for 1"),
    (
        "dyad.get_grad((0, ones(2)), 'w')",
        TypeError,
        "get_grad: identifier is 'w' of type str; need an int or",
    ),
    ("dyad.get_grad(ones(2), 0)", RuntimeError, "get_grad: the gradients have no entry for 0"),
    (
        "with dyad.no_grad():\n    dyad.grad(ops.exp)",
        RuntimeError,
        "grad: In no_grad context, you can not calculate gradient",
    ),
)
def test_a_wrong_use_of_grad_raises_the_message(program, error, text):
    check(program, error, text)


@programs(
    ("ops.GradOperation(get_all=1)", TypeError, "GradOperation: get_all is 1 of type int; need a bool"),
    ("ops.GradOperation(get_by_list='a')", TypeError, "GradOperation: get_by_list is 'a'"),
    ("ops.GradOperation(sens_param=None)", TypeError, "GradOperation: sens_param is None"),
    ("ops.GradOperation()(5)", TypeError, "GradOperation: fn is 5 of type int; need a function or a Cell"),
    (
        transform("ops.GradOperation(get_by_list=True)(f, [3])"),
        TypeError,
        "GradOperation: weights[0] is of type int",
    ),
    (
        transform("ops.GradOperation(get_by_list=True)(f)"),
        ValueError,
        "GradOperation: get_by_list was asked for a function that is no Cell, without Parameters",
    ),
    ("ops.GradOperation(sens_param=True)(ops.exp)()", IndexError, "GradOperation: sens is missing"),
    (
        "ops.GradOperation(sens_param=True)(ops.exp)(ones(2), ones(3))",
        ValueError,
        "GradOperation: an output gradient has shape (3,); need that of the output, (2,)",
    ),
    (
        "ops.GradOperation(sens_param=True)(ops.exp)(ones(2), 1.0)",
        RuntimeError,
        "GradOperation: an output gradient has shape (); need that of the output, (2,)",
    ),
    (
        "ops.GradOperation(sens_param=True)(ops.exp)(ones(2), ones(2).astype(dyad.float16))",
        TypeError,
        "GradOperation: an output gradient has dtype Float16; need that of the output, Float32",
    ),
    (
        "ops.GradOperation(sens_param=True)(ops.exp)(ones(2), (ones(2), ones(2)))",
        RuntimeError,
        "GradOperation: 2 output gradients were given for 1 outputs; need one for each",
    ),
    (
        "ops.GradOperation(sens_param=True)(lambda x: (x, x))(ones(2), ones(2))",
        RuntimeError,
        "GradOperation: 1 output gradients were given for 2 outputs",
    ),
    (
        "ops.GradOperation(sens_param=True)(ops.exp)(ones(2), None)",
        RuntimeError,
        "GradOperation: 0 output gradients were given for 1 outputs",
    ),
)
def test_grad_operation(program, error, text):
    check(program, error, text)


@programs(
    ("dyad.vjp(ops.exp, 3.0)", TypeError, "vjp: input 0 is of type float; need a Tensor"),
    ("dyad.vjp(3, ones(2))", TypeError, "vjp: fn is 3 of type int"),
    (
        "dyad.vjp(ops.exp, ones(2), has_aux=True)",
        ValueError,
        "vjp: with has_aux the function returned Tensor",
    ),
    (
        "dyad.vjp(ops.exp, ones(2), weights=[1])",
        TypeError,
        "vjp: weights[0] is of type int; need a Parameter",
    ),
    ("dyad.vjp(ops.exp, ones(2))[1](ones(3))", ValueError, "vjp: an output gradient has shape (3,)"),
    ("dyad.vjp(ops.exp, ones(2))[1]()", RuntimeError, "vjp: 0 output gradients were given for 1 outputs"),
    ("dyad.vjp(ops.exp, ones(2))[1](ints(2))", TypeError, "vjp: an output gradient has dtype Int64"),
    (
        "dyad.jacrev(ops.exp, 2)(ones(2))",
        ValueError,
        "jacrev: grad_position is 2; the call gives arguments at [0]",
    ),
    ("dyad.jacrev(ops.exp, None)", ValueError, "jacrev: grad_position is None; need an int"),
    ("dyad.jacrev(lambda x, k: x, 1)(ones(2), 3)", TypeError, "jacrev: argument 1 is no Tensor"),
    ("dyad.jacrev(lambda x: 3)(ones(2))", TypeError, "jacrev: the function returned no Tensor"),
)
def test_vector_products(program, error, text):
    check(program, error, text)


@programs(
    (
        bprop("lambda self, a, out, dout: (dout, dout)"),
        TypeError,
        "Own: bprop takes (a, out, dout) for a call with 2 inputs; need each input, then out and dout",
    ),
    (
        bprop("lambda self, a, b, c, out, dout: (dout, dout)"),
        TypeError,
        "Own: bprop takes (a, b, c, out, dout)",
    ),
    (bprop("lambda self, a, b, out, dout: dout"), TypeError, "need a tuple of 2 gradients"),
    (
        bprop("lambda self, a, b, out, dout: None"),
        TypeError,
        "Own: bprop returned None; need a tuple of 2 gradients",
    ),
    (
        bprop("lambda self, a, b, out, dout: (dout,)"),
        RuntimeError,
        "Own: bprop returned 1 gradients for 2 inputs; need one for each",
    ),
    (
        bprop("lambda self, a, b, out, dout: (dout, dout, dout)"),
        RuntimeError,
        "Own: bprop returned 3 gradients",
    ),
    (
        bprop("lambda self, a, b, out, dout: ('a', dout)"),
        TypeError,
        "Own: bprop returned 'a' of type str as gradient 0",
    ),
    (bprop("lambda self, a, b, out, dout: (ones(3), dout)"), RuntimeError, "Own"),
    (bprop("lambda self, a, b, out, dout: (dout, 1.0)"), RuntimeError, "Own"),
    (
        bprop("lambda self, a, b, out, dout: (dout, dout)").replace(
            "dyad.grad(Own()", "net = Own()\nnet.internal_params = [Parameter(ones(1))]\ndyad.grad(net"
        ),
        TypeError,
        "need (gradients of the inputs, {Parameter: gradient})",
    ),
    (
        "@dyad.custom_vjp\ndef twice(x):\n    return x * 2\ndyad.grad(lambda x: twice(x))(ones(2))",
        TypeError,
        "custom_vjp: twice has no backward function; give one with defbwd",
    ),
    ("dyad.custom_vjp(3)", TypeError, "custom_vjp: fn is of type int"),
    ("dyad.custom_vjp(ops.exp).defbwd(3)", TypeError, "custom_vjp: bwd is of type int"),
)
def test_own_backward(program, error, text):
    check(program, error, text)


@programs(
    (
        bprop("lambda self, a, b, out, dout: (dout,)"),
        TypeError,
        "Own: bprop returned 1 gradients for 2 inputs",
    ),
    (
        bprop("lambda self, a, b, out, dout: (ones(3), dout)"),
        ValueError,
        "Own: bprop returned gradient 0 of shape (3,); need that of the input, (2,)",
    ),
    (
        bprop("lambda self, a, b, out, dout: (dout, dout.astype(dyad.float16))"),
        TypeError,
        "Own: bprop returned gradient 1 of dtype Float16; need that of the input, Float32",
    ),
)
def test_own_backward_that_is_checked(program, error, text):
    set_context(check_bprop=True)
    check(program, error, text)


@programs(
    (function("return 3"), TypeError, "Own: forward returned an int without Tensors; need a Tensor"),
    (
        function("ctx.mark_dirty(x)\n        return x * 2"),
        RuntimeError,
        "Own: The dirty tensors must all be outputs of the forward function",
    ),
    (
        function("ctx.mark_non_differentiable(x)\n        return x * 2"),
        RuntimeError,
        "Own: The non differentiable tensors must all be outputs of the forward function",
    ),
    (
        function("ctx.save_for_backward(3)\n        return x"),
        TypeError,
        "save_for_backward: got an int; need Tensors",
    ),
    (
        function("ctx.set_materialize_grads(1)\n        return x"),
        TypeError,
        "set_materialize_grads: value is 1",
    ),
    (
        function(backward="return dout, dout"),
        RuntimeError,
        "Own: Function backward return a wrong number of gradients: 2 for 1 inputs",
    ),
    (
        function(backward="return 5"),
        RuntimeError,
        "Own: backward returned 5 of type int as gradient 0. Gradient should be none or tensor",
    ),
    (function(backward="return ones(3)"), RuntimeError, "Own"),
    ("dyad.Function.apply(ones(2))", AttributeError, "Function: forward is not defined"),
)
def test_a_wrong_custom_function_raises_the_message(program, error, text):
    check(program, error, text)


@programs(
    (
        HOOK.format("pre_hook(lambda cell, grads: 5)"),
        TypeError,
        "ReLU: a backward pre-hook returned an int as gradient; need a Tensor",
    ),
    (
        HOOK.format("pre_hook(lambda cell, grads: [grads[0]])"),
        TypeError,
        "ReLU: a backward pre-hook returned a list",
    ),
    (
        HOOK.format("pre_hook(lambda cell, grads: grads * 2)"),
        TypeError,
        "ReLU: a backward pre-hook returned 2 gradients; need 1 or None",
    ),
    (
        HOOK.format("pre_hook(lambda cell, grads: ones(3))"),
        ValueError,
        "ReLU: a backward pre-hook returned a gradient of shape (3,) and dtype Float32; need (2,) and Float32",
    ),
    (HOOK.format("hook(lambda cell, left, arrived: 'a')"), TypeError, "ReLU: a backward hook returned a str"),
    (HOOK.format("hook(lambda cell, left, arrived: (None,))"), TypeError, "returned a NoneType as gradient"),
    (
        HOOK.format("hook(lambda cell, left, arrived: left[0].astype(dyad.float16))"),
        ValueError,
        "ReLU: a backward hook returned a gradient of shape (2,) and dtype Float16",
    ),
    (HOOK.format("hook(lambda cell: None)"), TypeError, "takes 1 positional argument but 3 were given"),
    ("nn.ReLU().register_backward_hook(3)", TypeError, "register_backward_hook: the hook is of type int"),
    ("ones(2).register_hook(3)", TypeError, "register_hook: "),
    ("ops.HookBackward(3)", TypeError, "HookBackward: hook_fn is of type int; need a function"),
    ("ops.HookBackward(print)(3)", TypeError, "HookBackward: an input is of type int; need Tensors"),
    (
        "dyad.grad(ops.HookBackward(lambda g: 'a'))(ones(2))",
        TypeError,
        "HookBackward: the function returned a str as gradient; need a Tensor",
    ),
    (
        "dyad.grad(ops.HookBackward(lambda g: g * 2))(ones(2))",
        TypeError,
        "HookBackward: the hook returned 2 gradients; need 1 or None",
    ),
    ("ops.InsertGradientOf(3)", TypeError, "InsertGradientOf: f is of type int; need a function"),
    ("ops.InsertGradientOf(print)(3)", TypeError, "InsertGradientOf: x is of type int; need a Tensor"),
    (
        "dyad.grad(ops.InsertGradientOf(lambda g: None))(ones(2))",
        TypeError,
        "InsertGradientOf: the function returned a NoneType as gradient; need a Tensor",
    ),
    ("dyad.grad(ops.InsertGradientOf(lambda g: ones(3)))(ones(2))", RuntimeError, "InsertGradientOf"),
)
def test_a_wrong_gradient_hook_raises_the_message(program, error, text):
    check(program, error, text)


@programs(
    ("dyad.recompute(ops.exp, ones(2))", TypeError, "recompute: block is of type "),
    ("dyad.recompute(nn.ReLU(), ones(2), context_fn=3)", TypeError, "recompute: context_fn is of type int"),
    ("nn.ReLU().recompute(context_fn=3)", TypeError, "recompute: context_fn is of type int"),
    (
        "nn.ReLU().recompute(strange=1)",
        ValueError,
        "recompute: there is no option 'strange'; need one of mp_comm",
    ),
    ("nn.ReLU().recompute(mp_comm_recompute=1)", TypeError, "recompute: mp_comm_recompute is 1 of type int"),
    ("dyad.mutable('a')", TypeError, "For 'mutable', the 'input_data' should be one of (bool, int,"),
    ("dyad.mutable((1, None))", TypeError, "nested structures, but got a NoneType"),
    ("dyad.mutable(contained_in_itself())", TypeError, "For 'mutable', a list contains itself"),
    ("dyad.mutable(3, True)", TypeError, "the first input should be a list or tuple, but got an int"),
    ("dyad.mutable((1,), 1)", TypeError, "For 'mutable', the second input should be bool, but got 1"),
)
def test_recompute_and_mutable(program, error, text):
    check(program, error, text)
