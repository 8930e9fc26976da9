"""Products of static graphs: packed weights, steps behind them, and that they are those of the dynamic graph."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops


def random(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def require_close(got, expected, tolerance=2e-5):
    np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=tolerance, atol=tolerance)


def require_same(function, *inputs):
    require_close(jit(function)(*inputs), function(*inputs))


ACTIVATIONS = {
    "relu": ops.relu,
    "gelu": ops.gelu,
    "gelu_tanh": lambda x: ops.gelu(x, approximate="tanh"),
    "tanh": ops.tanh,
    "sigmoid": ops.sigmoid,
    "silu": ops.silu,
    "scaled": lambda x: x * 0.5 + 1.0,
    "reversed": lambda x: 1.0 - x,
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("sizes", [(1, 3, 5), (2, 16, 16), (13, 70, 130), (64, 64, 64), (130, 33, 200)])
def test_layer_with_activation(activation, sizes):
    rows, inner, columns = sizes
    layer = nn.Dense(inner, columns)
    require_same(lambda x: ACTIVATIONS[activation](layer(x)), Tensor(random(rows, inner)))


@pytest.mark.parametrize("shape", [(4, 40), (1, 40), (4, 1), (40,), (2, 4, 40)])
def test_residual_that_broadcasts(shape):
    layer = nn.Dense(24, 40)
    residual = Tensor(random(*shape, seed=1))
    require_same(lambda x: ops.relu(layer(x) + residual), Tensor(random(2, 4, 24)))


def test_residual_larger_than_the_product():
    layer = nn.Dense(24, 40)
    residual = Tensor(random(3, 4, 40))
    require_same(lambda x: ops.relu(layer(x) + residual), Tensor(random(4, 24)))


def test_operands_that_are_views():
    layer = nn.Dense(24, 40)
    whole = Tensor(random(40, 8))

    def function(x):
        return ops.tanh(layer(x[::2]) - whole.T[:4] * 1.0) + whole.T[4:]

    require_same(function, Tensor(random(8, 24)))


def test_product_of_a_value_with_itself():
    def function(x):
        for _ in range(3):
            x = ops.tanh(x @ x) + 0.1
        return x

    require_same(function, Tensor(random(64, 64) * 0.1))


def test_product_used_twice():
    layer = nn.Dense(24, 40)

    def function(x):
        y = layer(x)
        return ops.relu(y) + ops.exp(y)

    require_same(function, Tensor(random(5, 24)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_product_with_packed_weights_keeps_the_dtype(dtype):
    weight = Parameter(Tensor(random(20, 40, seed=1, dtype=dtype)))
    graph = jit(lambda x: ops.relu(x @ weight))
    x = Tensor(random(6, 20, dtype=dtype))
    result = graph(x)
    assert result.dtype == x.dtype
    tolerance = 1e-2 if dtype == np.float16 else 1e-5
    require_close(result, ops.relu(x @ weight), tolerance)


def test_no_rows_and_no_inner_size():
    layer = nn.Dense(24, 40)
    assert jit(lambda x: ops.relu(layer(x)))(Tensor(np.zeros((0, 24), np.float32))).shape == (0, 40)
    weight = Parameter(Tensor(np.zeros((0, 20), np.float32)))
    result = jit(lambda x: ops.exp(x @ weight))(Tensor(np.zeros((3, 0), np.float32)))
    np.testing.assert_array_equal(result.asnumpy(), np.ones((3, 20), np.float32))


def test_nan_and_infinities_pass_through():
    layer = nn.Dense(24, 40)
    x = random(5, 24)
    x[1, 2], x[3, 4] = np.nan, np.inf
    require_same(lambda x: ops.relu(layer(x)), Tensor(x))


class TestChangedWeights:
    def setup_method(self):
        self.layer = nn.Dense(24, 40)
        self.x = Tensor(random(5, 24))
        self.graph = jit(lambda x: ops.relu(self.layer(x)))
        self.graph(self.x)

    def require_current(self):
        require_close(self.graph(self.x), ops.relu(self.layer(self.x)))

    def test_a_compiled_product_reads_assigned_weights(self):
        ops.assign(self.layer.weight, Tensor(random(40, 24, seed=5)))
        self.require_current()

    def test_given_other_data(self):
        self.layer.weight.set_data(Tensor(random(40, 24, seed=6)))
        self.require_current()

    def test_a_compiled_product_reads_trained_weights(self):
        optimizer = nn.SGD(self.layer.trainable_params(), 0.5)
        step = dyad.value_and_grad(lambda x: self.layer(x).sum(), None, optimizer.parameters)
        optimizer(step(self.x)[1])
        self.require_current()

    def test_trained_in_a_graph(self):
        optimizer = nn.SGD(self.layer.trainable_params(), 0.5)
        step = dyad.value_and_grad(lambda x: self.graph(x).sum(), None, optimizer.parameters)

        @jit
        def train(x):
            loss, gradients = step(x)
            optimizer(gradients)
            return loss

        train(self.x)
        self.require_current()


def test_gradient_through_packed_products():
    layer = nn.Dense(24, 40)
    x = Tensor(random(5, 24))

    def function(x):
        return ops.gelu(layer(x)).sum()

    parameters = layer.trainable_params()
    expected = dyad.grad(function, 0, parameters)(x)
    got = dyad.grad(jit(function), 0, parameters)(x)
    require_close(got[0], expected[0])
    for mine, theirs in zip(got[1], expected[1], strict=True):
        require_close(mine, theirs)


class Attention(nn.Cell):
    def __init__(self, scale, mask, form):
        super().__init__()
        self.scale, self.mask, self.form = scale, mask, form

    def construct(self, query, key, value):
        scores = ops.matmul(query, key.swapaxes(-1, -2))
        if self.form == "divided":
            scores = scores / self.scale
        elif self.form == "scaled":
            scores = self.scale * scores
        if self.mask is not None:
            scores = scores + self.mask
        return ops.matmul(ops.softmax(scores, -1), value)


@pytest.mark.parametrize("form", ["plain", "divided", "scaled"])
@pytest.mark.parametrize("mask", [None, (5, 7), (1, 7), (5, 1), (2, 1, 5, 7), ()])
def test_compiled_attention_equals_dynamic_attention(form, mask):
    given = None if mask is None else Tensor(random(*mask, seed=3))
    cell = Attention(1.7, given, form)
    query, key, value = (Tensor(random(2, 3, length, 9, seed=length)) for length in (5, 7, 7))
    require_close(jit(cell)(query, key, value), cell(query, key, value))


def test_attention_of_heads_behind_the_length():
    cell = Attention(0.25, None, "scaled")
    query, key, value = (Tensor(random(2, 200, 3, 16, seed=seed)).swapaxes(1, 2) for seed in range(3))
    require_close(jit(cell)(query, key, value), cell(query, key, value))


def test_attention_with_hidden_keys():
    hidden = np.triu(np.full((70, 70), -np.inf, np.float32), 1)
    cell = Attention(0.25, Tensor(hidden), "scaled")
    query, key, value = (Tensor(random(2, 70, 8, seed=seed)) for seed in range(3))
    require_close(jit(cell)(query, key, value), cell(query, key, value))
