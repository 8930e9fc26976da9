"""`.backward()` of what a compiled call gave: functions with a backward of their own and hooks work as in Python."""

import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops, value_and_grad
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.function import Function


class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 5,)


class Triple(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, dout):
        return dout * 100


class Called(nn.Cell):
    """A Cell that calls a function."""

    def __init__(self, function):
        super().__init__(auto_prefix=False)
        self.function = function

    def construct(self, *args):
        return self.function(*args)


@custom_vjp
def doubled(x):
    return x * 2


doubled.defbwd(lambda x, out, dout: (dout * 7,))
square = Square()
inserted = ops.InsertGradientOf(lambda gradient: gradient * 9)
shown = ops.HookBackward(lambda gradients: gradients[0] * 3)


def a_hook(x):
    y = x * x
    y.register_hook(lambda gradient: gradient * 3)
    return y


def a_hooked_cell(x):
    cell = nn.ReLU()
    cell.register_backward_hook(lambda cell, gradients, _: (gradients[0] * 4,))
    return cell(x) * x


def a_branch(x):
    return square(x) if x.sum() > 0 else x * 2


def a_loop(x):
    while x.sum() < 20:
        x = square(x) + 1
    return x


FUNCTIONS = [square, Triple.apply, doubled, inserted, shown, a_hook, a_hooked_cell, a_branch, a_loop]


@pytest.fixture(params=["ast", "bytecode", "trace", "graph"])
def compiled(request):
    """Makes the compiled form of a function."""
    if request.param != "graph":
        yield lambda function: jit(function, capture_mode=request.param)
        return
    dyad.set_context(mode=dyad.GRAPH_MODE)
    yield Called
    dyad.set_context(mode=dyad.PYNATIVE_MODE)


def leaf(*values):
    made = Tensor(list(values))
    made.requires_grad_(True)
    return made


def gradient_of(function, *values):
    x = leaf(*values)
    function(x).backward()
    return x.grad.asnumpy().tolist()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: getattr(function, "__name__", None))
@pytest.mark.parametrize("called_before", [False, True])
def test_own_backward_is_called(compiled, function, called_before):
    def program(x):
        return (function(x) * x).sum()

    form = compiled(program)
    if called_before:  # while nothing can be recorded, then while another Tensor is a leaf
        form(Tensor([1.0, 2.0]))
        other = leaf(1.0)
        form(Tensor([1.0, 2.0]))
        other.requires_grad_(False)
    for _ in range(2):
        assert gradient_of(form, 1.0, 2.0) == gradient_of(program, 1.0, 2.0)


def test_a_parameter_is_the_leaf(compiled):
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    form = compiled(lambda x: (square(weight) * x).sum())
    form(Tensor([1.0, 1.0]))
    weight.requires_grad_()
    form(Tensor([1.0, 1.0])).backward()
    assert weight.grad.asnumpy().tolist() == [5.0, 10.0]


def test_a_hook_sees_the_gradient_of_a_result_whose_leaf_is_gone(compiled):
    form, seen = compiled(lambda x: square(x).sum()), []
    result = leaf(1.0, 2.0) * 2
    result.register_hook(lambda gradient: seen.append(gradient.asnumpy().tolist()))
    form(result).backward()
    assert seen == [[10.0, 20.0]]


def test_a_gradient_inside_keeps_its_graph_next_to_a_leaf():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    other = leaf(1.0)
    step = jit(lambda x: value_and_grad(lambda x: (square(x) * weight).sum(), 0, [weight])(x), fullgraph=True)
    value, (by_input, (by_weight,)) = step(Tensor([1.0, 2.0]))
    assert (value.item(), by_input.asnumpy().tolist()) == (9.0, [5.0, 20.0])
    assert by_weight.asnumpy().tolist() == [1.0, 4.0]
    assert other.grad is None


INNER = {
    "value": lambda x: value_and_grad(lambda x: (x * x).sum())(x)[0] * x.sum(),
    "gradient": lambda x: (dyad.grad(lambda x: (x * x).sum())(x) * x).sum(),
    "tangent": lambda x: (dyad.jvp(lambda x: x * x * x, (x,), (x * 2,))[1] * x).sum(),
    "jacobian": lambda x: (dyad.jacrev(lambda x: x * x * x)(x) * x).sum(),
    "further results": lambda x: (
        value_and_grad(lambda x: ((x * x).sum(), x * 3), has_aux=True)(x)[0][1] * x
    ).sum(),
    "slices": lambda x: (dyad.vmap(lambda a: a * a)(x) * x).sum(),
}


@pytest.mark.parametrize("mode", ["ast", "bytecode", "trace"])
@pytest.mark.parametrize("kind", INNER)
def test_what_an_inner_transform_gives_is_a_constant(kind, mode):
    def gradient(function):
        leaf = Tensor([1.0, 2.0])
        leaf.requires_grad_(True)
        function(leaf).backward()
        return leaf.grad.tolist()

    compiled = jit(INNER[kind], capture_mode=mode)
    for _ in range(2):
        assert gradient(compiled) == gradient(INNER[kind])
        assert (
            dyad.grad(compiled)(Tensor([1.0, 2.0])).tolist()
            == dyad.grad(INNER[kind])(Tensor([1.0, 2.0])).tolist()
        )
