"""Fused operators return the results of single ones, at every `jit_level` and for every layout."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops

LEVELS = ("O0", "O1")


def made(*shape, dtype=np.float32, low=-2.0, high=2.0, seed=0):
    numbers = np.random.default_rng(seed).uniform(low, high, shape)
    return Tensor(numbers.astype(dtype))


def groups(function, *args):
    return dyad.explain(function)(*args).groups


def agree(function, *args, ulps=0):
    """Both levels give what the dynamic graph gives; sums of another order may differ by a few units in the last place.

    What is computed element by element is the same to the bit: generated code has the arithmetic of the kernels.
    """
    expected = function(*args)
    for level in LEVELS:
        compiled = jit(function, jit_level=level)
        for _ in range(2):
            same(compiled(*args), expected, ulps)


def same(found, expected, ulps):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other, ulps)
        return
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    left, right = found.astype(dyad.float64).asnumpy(), expected.astype(dyad.float64).asnumpy()
    spacing = np.finfo(np.float32).eps * ulps * max(1.0, np.abs(right[np.isfinite(right)]).max(initial=0))
    np.testing.assert_allclose(left, right, rtol=0, atol=spacing, equal_nan=True)


def chain(x, y):
    return ops.tanh(x * 2.0 + y) * ops.exp(-x) - y


def attention(scores, mask):
    return ops.softmax(scores * 0.5 + mask, -1)


def norm(x, residual, gamma, beta):
    return ops.layer_norm(x + residual, (x.shape[-1],), gamma, beta, 1e-5)


class TestGroups:
    def test_a_chain_is_one_kernel(self):
        (group,) = groups(chain, made(8, 16), made(8, 16))
        assert group.operators[-1] == "sub" and len(group.operators) >= 6 and group.has_code

    def test_a_reduction_between_operators_is_one_kernel(self):
        (group,) = groups(attention, made(8, 16), made(16))
        assert {"amax", "exp", "sum"} <= set(group.operators) and group.has_code

    @pytest.mark.parametrize("shape", [(33, 16), (64, 64)])
    def test_sums_of_tensors_that_only_meet_behind_them_are_one_kernel(self, shape):
        """As gradients of a bias that several parts of a batch add to."""

        def accumulated(x, y, z):
            return (x.sum(0) + y.sum(0) + z.sum(0)) / 3.0

        x, y, z = made(*shape, seed=1), made(*shape, seed=2), made(*shape, seed=3)
        (group,) = groups(accumulated, x, y, z)
        assert group.operators.count("sum") == 3 and group.has_code
        agree(accumulated, x, y, z, ulps=64)

    def test_nothing_is_fused_at_the_lowest_level(self):
        assert groups(jit(chain, jit_level="O0"), made(8, 16), made(8, 16)) == ()

    def test_one_operator_keeps_its_kernel(self):
        told = dyad.explain(lambda x: ops.softmax(x, -1))(made(8, 16))
        assert told.groups == () and told.alone == ("softmax",)

    def test_it_is_told(self):
        told = str(dyad.explain(lambda x, w: ops.matmul(ops.exp(x) + 1.0, w))(made(8, 8), made(8, 8)))
        assert "Fusion: 2 of 3 operators are computed in 1 kernel" in told
        assert "by themselves, for nothing beside them can be computed with them: matmul" in told


class TestTheSame:
    @pytest.mark.parametrize("shape", [(8, 16), (3, 5, 7), (1000,), (2, 1, 33), (0, 4), (5, 0)])
    def test_a_fused_chain_equals_its_operators(self, shape):
        agree(chain, made(*shape), made(*shape, seed=1))

    @pytest.mark.parametrize("other", [(1,), (16,), (8, 1), (1, 16), ()])
    def test_a_fused_chain_broadcasts_its_operands(self, other):
        agree(chain, made(8, 16), made(*other, seed=1))

    @pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, np.int8, np.uint8])
    def test_fused_operators_agree_in_every_dtype(self, dtype):
        x, y = made(6, 9, dtype=dtype, low=1, high=9), made(6, 9, dtype=dtype, low=1, high=9, seed=1)
        agree(lambda x, y: ops.maximum(x * y + x, y) - y, x, y)
        agree(lambda x, y: ((x > y) | (x == y)) & ops.logical_not(x < 3), x, y)
        agree(lambda x, y: ops.where(x > y, x, y).astype(dyad.float32) / 3.0, x, y)

    def test_bfloat16(self):
        x = made(6, 9).astype(dyad.bfloat16)
        agree(lambda x: ops.exp(x * 3) + x, x)

    @pytest.mark.parametrize(
        "view", [lambda x: x.T, lambda x: x[::2, 1:], lambda x: x[:, ::-1], lambda x: x[3:4]]
    )
    def test_views_of_operands(self, view):
        agree(lambda x, y: chain(view(x), view(y)), made(8, 16), made(8, 16, seed=1))

    def test_fused_operators_agree_for_nan_infinity_and_subnormals(self):
        x = Tensor(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, 3e38, -1.0] * 4, np.float32))
        agree(chain, x, x)
        agree(lambda x: ops.softmax(ops.relu(x.reshape(4, 8)), -1), x)

    def test_orders_of_axes(self):
        agree(lambda x, y: ops.exp(x + y.T).T * y + 1.0, made(8, 16), made(16, 8))

    def test_softmax_and_its_gradient(self):
        x, mask = made(8, 33), made(33, seed=1)
        agree(attention, x, mask, ulps=4)
        agree(dyad.grad(lambda x: (attention(x, mask) * mask).sum()), x, ulps=4)

    def test_norms_and_their_gradients(self):
        args = made(8, 33), made(8, 33, seed=1), made(33, seed=2), made(33, seed=3)
        agree(norm, *args, ulps=8)
        agree(dyad.grad(lambda *args: ops.square(norm(*args)).sum(), (0, 1, 2, 3)), *args, ulps=64)

    @pytest.mark.parametrize("axis", [0, 1, 2, (0, 2), (1, 2), None])
    @pytest.mark.parametrize("kept", [True, False])
    def test_fused_reductions_agree_over_any_axes(self, axis, kept):
        def deviation(x):
            return ops.square(x - x.mean(axis, True)).sum(axis, keepdims=kept)

        agree(deviation, made(4, 5, 6), ulps=8)

    def test_fused_reductions_over_different_axes_agree(self):
        agree(lambda x: ops.amax(x * 2.0, 1) - ops.amin(x + 1.0, 0), made(9, 9))
        agree(lambda x: ((x > 0).all(1), (x > 1).any(0), (x * 3).sum(1)), made(9, 7), ulps=4)

    def test_values_given_besides(self):
        agree(lambda x: (ops.exp(x), ops.exp(x) * 2.0, (ops.exp(x) * 2.0).sum(0)), made(9, 7), ulps=4)


class TestEffects:
    def test_a_network_learns_the_same(self):
        def learn(level):
            dyad.set_seed(1)
            net = nn.SequentialCell(
                nn.Dense(8, 16, activation=nn.GELU()), nn.LayerNorm((16,)), nn.Dense(16, 4)
            )
            optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
            step = dyad.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)

            def train(x, y):
                loss, gradients = step(x, y)
                optimizer(gradients)
                return loss

            run = train if level is None else jit(train, jit_level=level)
            x, y = made(5, 8), Tensor(np.array([0, 1, 2, 3, 1]))
            return [float(run(x, y)) for _ in range(5)]

        expected = learn(None)
        for level in LEVELS:
            np.testing.assert_allclose(learn(level), expected, rtol=1e-5)

    @pytest.mark.parametrize("level", LEVELS)
    def test_writes_keep_their_order(self, level):
        state = Parameter(made(4, 8))
        before = state.asnumpy().copy()

        @jit(jit_level=level)
        def step(x):
            old = state * 2.0 + x
            ops.assign(state, state + x * 3.0)
            return old - state * x, ops.exp(old)

        x = made(4, 8, seed=1)
        found, grown = step(x)
        after = before + x.asnumpy() * np.float32(3)
        old = before * np.float32(2) + x.asnumpy()
        np.testing.assert_array_equal(state.asnumpy(), after)
        np.testing.assert_array_equal(found.asnumpy(), old - after * x.asnumpy())
        np.testing.assert_allclose(grown.asnumpy(), np.exp(old), rtol=1e-6)

    @pytest.mark.parametrize("level", LEVELS)
    def test_a_parameter_given_as_an_argument_too(self, level):
        state = Parameter(made(4, 8))
        before = state.asnumpy().copy()

        @jit(jit_level=level)
        def step(x):
            doubled = x * 2.0 + 1.0
            ops.assign(state, doubled - 3.0)
            return x * 2.0 + doubled

        found = step(state)
        doubled = before * np.float32(2) + np.float32(1)
        after = doubled - np.float32(3)
        np.testing.assert_array_equal(state.asnumpy(), after)
        np.testing.assert_array_equal(found.asnumpy(), after * np.float32(2) + doubled)

    @pytest.mark.parametrize("level", LEVELS)
    def test_loops_and_branches(self, level):
        def walk(x, times):
            while times > 0:
                if (x * x).sum() > 100:
                    x = ops.tanh(x) * 2.0 + 0.5
                times = times - 1
                x = x * 1.5 - ops.exp(-x) * 0.1
            return x

        same(jit(walk, jit_level=level)(made(8, 8), Tensor(7)), walk(made(8, 8), Tensor(7)), 0)

    @pytest.mark.parametrize("level", LEVELS)
    def test_fused_operators_agree_for_every_dynamic_size(self, level):
        compiled = jit(attention, jit_level=level, dynamic=1)
        for rows, columns in [(2, 9), (3, 9), (5, 12), (7, 31), (1, 4), (6, 6)]:
            x, mask = made(rows, columns), made(columns, seed=1)
            same(compiled(x, mask), attention(x, mask), 4)

    @pytest.mark.parametrize("level", LEVELS)
    def test_what_is_given_is_left_alone(self, level):
        x = made(8, 8)
        before = x.asnumpy().copy()
        jit(lambda x: (x * 2.0 + 1.0, ops.exp(x) - x), jit_level=level)(x)
        np.testing.assert_array_equal(x.asnumpy(), before)
