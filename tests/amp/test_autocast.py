"""Level "auto": every operator computes in what its entry in the operator table says."""

import numpy as np
import pytest
from precision_forms import FORMS, STATIC_FORMS, fine, is_lowered, numbers

import dyad
from dyad import Tensor, amp, jit, nn, ops

HALF, BRAIN, FLOAT, DOUBLE = dyad.float16, dyad.bfloat16, dyad.float32, dyad.float64


def tensor(dtype, *shape):
    return Tensor(np.full(shape or (2, 2), 0.5, np.float32)).astype(dtype)


# (what is computed, the dtypes it is given, the dtype that it gives with float16 as the lower one)
CASES = {
    "matmul": (ops.matmul, (FLOAT, FLOAT), HALF),
    "matmul of both": (ops.matmul, (FLOAT, HALF), HALF),
    "the operator @": (lambda x, y: x @ y, (FLOAT, FLOAT), HALF),
    "MatMul": (lambda x, y: ops.MatMul()(x, y), (FLOAT, FLOAT), HALF),
    "dense": (ops.dense, (FLOAT, FLOAT), HALF),
    "einsum": (lambda x, y: ops.einsum("ij,jk->ik", x, y), (FLOAT, FLOAT), HALF),
    "addmm": (ops.addmm, (FLOAT, FLOAT, FLOAT), HALF),
    "prelu": (lambda x: ops.prelu(x, Tensor([0.1])), (FLOAT,), HALF),
    "matmul in float64": (ops.matmul, (DOUBLE, DOUBLE), DOUBLE),
    "exp": (ops.exp, (HALF,), FLOAT),
    "exp of bfloat16": (ops.exp, (BRAIN,), FLOAT),
    "exp in float64": (ops.exp, (DOUBLE,), DOUBLE),
    "log": (ops.log, (HALF,), FLOAT),
    "a power": (lambda x: x**2, (HALF,), FLOAT),
    "softmax": (ops.softmax, (HALF,), FLOAT),
    "log_softmax": (ops.log_softmax, (HALF,), FLOAT),
    "cumsum": (lambda x: ops.cumsum(x, 0), (HALF,), FLOAT),
    "sum": (lambda x: x.sum(), (HALF,), FLOAT),
    "norm": (ops.norm, (HALF,), FLOAT),
    "var": (lambda x: x.var(), (HALF,), FLOAT),
    "layer_norm": (lambda x: nn.LayerNorm((2,))(x), (HALF,), FLOAT),
    "mse_loss": (ops.mse_loss, (HALF, HALF), FLOAT),
    "cross_entropy": (lambda x: ops.cross_entropy(x, Tensor([0, 1], dyad.int32)), (HALF,), FLOAT),
    "concat": (lambda x, y: ops.concat((x, y)), (HALF, FLOAT), FLOAT),
    "concat of float16": (lambda x, y: ops.concat((x, y)), (HALF, HALF), HALF),
    "concat of two halves": (lambda x, y: ops.concat((x, y)), (HALF, BRAIN), FLOAT),
    "bias_add": (lambda x: ops.bias_add(x, Tensor([1.0, 2.0])), (HALF,), FLOAT),
    "addcmul": (ops.addcmul, (HALF, FLOAT, HALF), FLOAT),
    "relu": (ops.relu, (FLOAT,), FLOAT),
    "relu of float16": (ops.relu, (HALF,), HALF),
    "tanh": (ops.tanh, (HALF,), HALF),
    "add": (lambda x, y: x + y, (HALF, HALF), HALF),
    "mean": (ops.mean, (HALF,), HALF),
    "reshape": (lambda x: x.reshape(4), (FLOAT,), FLOAT),
    "integers": (lambda x: ops.matmul(x, x), (dyad.int32,), dyad.int32),
}


@pytest.mark.parametrize("name", CASES)
def test_what_an_operator_gives(name):
    function, dtypes, expected = CASES[name]
    inputs = [tensor(dtype) for dtype in dtypes]
    assert amp.auto_mixed_precision(function, "auto")(*inputs).dtype == expected
    assert jit(amp.auto_mixed_precision(function, "auto"), fullgraph=True)(*inputs).dtype == expected


def test_the_lower_dtype_is_chosen():
    function = amp.auto_mixed_precision(ops.matmul, "auto", BRAIN)
    assert function(tensor(FLOAT), tensor(FLOAT)).dtype == BRAIN


class Net(nn.Cell):
    """Products, a norm, a branch on run-time data and a loop."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Dense(6, 8), nn.LayerNorm((8,)), nn.Dense(8, 8)

    def construct(self, x):
        x = self.norm(self.first(x))
        x = ops.relu(x) if x.sum() > 0 else ops.tanh(x)
        for _ in range(2):
            x = self.second(x) + x
        return x


def made(level, dtype=HALF):
    dyad.set_seed(3)
    return amp.auto_mixed_precision(Net(), level, dtype).set_train()


@pytest.mark.parametrize("form", STATIC_FORMS)
@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("dtype", [HALF, BRAIN])
def test_every_form_gives_the_same_values_and_gradients(dtype, level, form):
    x = numbers(5, 4, 6)

    def value_and_gradients(level, dtype=HALF, form=lambda function: function):
        net = made(level, dtype)

        def forward(x):
            return net(x).astype(FLOAT).sum()

        return form(dyad.value_and_grad(forward, None, net.trainable_params()))(x)

    value, gradients = value_and_gradients(level, dtype, form)
    expected, expected_gradients = value_and_gradients(level, dtype)
    exact, _ = value_and_gradients("O0")
    step = 2**-7 if dtype == BRAIN else 2**-10
    assert abs(float(value - expected)) <= 20 * step and float(expected) != float(exact)
    for ours, theirs in zip(gradients, expected_gradients, strict=True):
        assert ours.dtype == theirs.dtype == FLOAT
        atol = 4 * step * np.abs(theirs.asnumpy()).max()
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), atol=atol)


@pytest.mark.parametrize("form", FORMS)
def test_functions_are_taken(form):
    def product(x, *, times=1):
        square = ops.matmul(x, x) if x.sum() > 0 else ops.matmul(x, -x)
        return square * times

    lowered = amp.auto_mixed_precision(product, "auto")
    assert lowered.__name__ == "product" and product(fine(1, 1)).dtype == FLOAT
    result = form(lambda x: lowered(x, times=1))(fine(1, 1))
    assert is_lowered(result)


def test_methods_and_compiled_functions_are_taken():
    class Model:
        def product(self, x):
            return x @ x

    assert amp.auto_mixed_precision(Model().product, "auto")(fine(1, 1)).dtype == HALF
    compiled = jit(Model().product)
    assert compiled(fine(1, 1)).dtype == FLOAT
    assert amp.auto_mixed_precision(compiled, "auto")(fine(1, 1)).dtype == HALF
    assert compiled(fine(1, 1)).dtype == FLOAT


def test_one_graph_serves_each_precision():
    @jit
    def product(x):
        return x @ x

    functions = [product, *(amp.auto_mixed_precision(product, "auto", dtype) for dtype in (HALF, BRAIN))]
    for _ in range(2):
        assert [function(fine(1, 1)).dtype for function in functions] == [FLOAT, HALF, BRAIN]
    assert len(product.entries) == 3


@pytest.mark.parametrize("form", FORMS)
def test_a_part_of_a_network(form):
    body = amp.auto_mixed_precision(nn.Dense(1, 1, weight_init="ones", has_bias=False), "auto")
    other = nn.Dense(1, 1, weight_init="ones", has_bias=False)

    class Whole(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body, self.other = body, other

        def construct(self, x):
            return self.body(x), self.other(x)

    low, exact = form(Whole())(fine(1, 1))
    assert low.dtype == HALF and not is_lowered(exact)


def test_precision_ends_with_the_call_even_if_it_raises():
    def fail(x):
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        amp.auto_mixed_precision(fail, "auto")(fine(1))
    assert (fine(1, 1) @ fine(1, 1)).dtype == FLOAT


@pytest.mark.parametrize("form", FORMS)
def test_recomputing_is_in_the_same_precision(form):
    def gradients(recomputed):
        net = made("auto")
        if recomputed:
            net.second.recompute()
        return form(dyad.grad(lambda x: net(x).astype(FLOAT).sum(), None, net.trainable_params()))(
            numbers(5, 4, 6)
        )

    for ours, theirs in zip(gradients(True), gradients(False), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=2e-2, atol=2e-2)


def test_statistics_stay_in_float32():
    net = amp.auto_mixed_precision(
        nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)), "auto"
    ).set_train()
    before = net[1].moving_mean.asnumpy().copy()
    assert net(numbers(2, 2, 1, 4, 4)).dtype == FLOAT
    assert net[1].moving_mean.dtype == FLOAT and (net[1].moving_mean.asnumpy() != before).all()
