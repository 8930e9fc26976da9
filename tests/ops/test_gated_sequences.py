"""Recurrent layers as older Primitives, against the layers of `nn` and NumPy."""

import numpy as np
import pytest

from dyad import Parameter, Tensor, grad, jit, nn, ops, vmap
from dyad.ops import gradient_operators as G

FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
STEPS, BATCH, INPUTS, HIDDEN = 3, 2, 4, 5


def noise(*shape):
    return Tensor(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32))


@FORMS
def test_lstm_agrees_with_the_layer(form):
    net = nn.LSTM(INPUTS, HIDDEN)
    by_inputs, by_states, bias, more = (
        part[0].reshape(4, HIDDEN, -1).asnumpy()
        for part in (net.w_ih_list, net.w_hh_list, net.b_ih_list, net.b_hh_list)
    )
    order = [0, 2, 1, 3]  # input, candidate, forget, output
    w = np.concatenate([part[order].reshape(4 * HIDDEN, -1).T for part in (by_inputs, by_states)])
    b = (bias + more)[order].reshape(-1)
    x, h, c = noise(STEPS, BATCH, INPUTS), noise(1, BATCH, HIDDEN), noise(1, BATCH, HIDDEN) * 2
    operator = ops.DynamicRNN(forget_bias=1.0)
    b[2 * HIDDEN : 3 * HIDDEN] -= 1
    y, hs, cs, *gates = form(lambda *given: operator(*given))(x, Tensor(w), Tensor(b), None, h, c)
    expected, (last, cell) = net(x, (h, c))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(hs[-1:], last, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cs[-1:], cell, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(gates[4], np.tanh(cs.asnumpy()), rtol=1e-5, atol=1e-6)
    assert grad(lambda w: operator(x, w, Tensor(b), None, h, c)[0].sum())(Tensor(w)).asnumpy().any()


@FORMS
@pytest.mark.parametrize("gate_order", ["rzh", "zrh"])
def test_gru_agrees_with_the_layer(form, gate_order):
    net = nn.GRU(INPUTS, HIDDEN)
    order = [0, 1, 2] if gate_order == "rzh" else [1, 0, 2]
    parts = [
        Tensor(part[0].asnumpy().reshape(3, HIDDEN, -1)[order].reshape(3 * HIDDEN, -1).T.squeeze())
        for part in (net.w_ih_list, net.w_hh_list, net.b_ih_list, net.b_hh_list)
    ]
    x, h = noise(STEPS, BATCH, INPUTS), noise(BATCH, HIDDEN)
    operator = ops.DynamicGRUV2(gate_order=gate_order)
    y, states, update, *_ = form(lambda *given: operator(*given))(x, *parts, None, h)
    expected, last = net(x, h.expand_dims(0))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(states[-1], last[0], rtol=1e-5, atol=1e-6)
    assert ((update.asnumpy() > 0) & (update.asnumpy() < 1)).all()


def test_settings_that_no_layer_has_are_refused():
    with pytest.raises(ValueError, match=r"DynamicRNN: use_peephole is True; need False"):
        ops.DynamicRNN(use_peephole=True)
    with pytest.raises(ValueError, match=r"DynamicGRUV2: gate_order is 'hzr'"):
        ops.DynamicGRUV2(gate_order="hzr")
    with pytest.raises(ValueError, match=r"DynamicRNN: a weight has shape \(3, 8\); need 6 rows"):
        ops.DynamicRNN()(noise(1, 1, 4), noise(3, 8), noise(8))


@FORMS
@pytest.mark.parametrize("has_bias", [False, True])
def test_a_projected_lstm_agrees_with_numpy(form, has_bias):
    hidden, projected = 4, 2
    wi, wh, wp, b = (
        noise(4 * hidden, INPUTS),
        noise(4 * hidden, projected),
        noise(projected, hidden),
        noise(4 * hidden),
    )
    x, h, c = noise(STEPS, BATCH, INPUTS), noise(1, BATCH, projected), noise(1, BATCH, hidden)
    flat = ops.cat([part.reshape(-1) for part in ((wi, wh, wp, b) if has_bias else (wi, wh, wp))])
    operator = ops.LSTM(INPUTS, hidden, 1, has_bias, False, 0.0, projected)
    y, last, cell, *_ = form(lambda *given: operator(*given))(x, h, c, flat)

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    state, memory, outputs = h[0].asnumpy(), c[0].asnumpy(), []
    for step in x.asnumpy():
        gates = step @ wi.asnumpy().T + state @ wh.asnumpy().T + (b.asnumpy() if has_bias else 0)
        i, f, n, o = np.split(gates, 4, -1)
        memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(n)
        state = (sigmoid(o) * np.tanh(memory)) @ wp.asnumpy().T
        outputs.append(state)
    np.testing.assert_allclose(y, np.stack(outputs), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last[0], state, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(cell[0], memory, rtol=1e-4, atol=1e-5)


def test_the_gradient_of_packed_units_is_that_of_the_operator():
    x, h, lengths = noise(STEPS, BATCH, INPUTS), noise(1, BATCH, HIDDEN), Tensor([3, 2])
    w = noise(3 * HIDDEN * (INPUTS + HIDDEN) + 6 * HIDDEN)
    layer = ops.GRUV2(INPUTS, HIDDEN, 1, True, False, 0.0)
    y, last, reserve, _ = layer(x, h, w, lengths)
    found = G.GRUV2Grad(INPUTS, HIDDEN, 1, True, False, 0.0)(x, h, w, lengths, y, last, y, last, reserve)

    def loss(x, h, w):
        y, last, *_ = layer(x, h, w, lengths)
        return ((y * y).sum() + (last * last).sum()) / 2

    for gradient, expected in zip(found, grad(loss, (0, 1, 2))(x, h, w), strict=True):
        np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-5)


@FORMS
def test_a_full_buffer_loses_its_oldest_experience(form):
    data = [ops.zeros((3, 2)), ops.zeros((3,)).astype("int32")]
    count, head = Parameter(Tensor(0), name="count"), Parameter(Tensor(0), name="head")
    settings = ([(2,), ()], ["float32", "int32"])
    append = form(lambda data, exp: ops.BufferAppend(3, *settings)(data, exp, count, head))
    for turn in range(5):
        append(data, [Tensor([turn, turn + 0.5]), Tensor(turn)])
    assert (count.item(), head.item()) == (3, 2)
    assert data[1].tolist() == [3, 4, 2]
    take = form(lambda data, index: ops.BufferGetItem(3, *settings)(data, count, head, index))
    assert [take(data, index)[1].item() for index in (0, 1, 2, -1, -3)] == [2, 3, 4, 4, 2]
    rows, turns = form(lambda data: ops.BufferSample(3, 3, *settings, unique=True)(data, count, head))(data)
    assert sorted(turns.tolist()) == [2, 3, 4]
    assert rows[:, 0].tolist() == turns.tolist()


def test_keys_are_spread_and_slices_shifted():
    keys = Tensor([[0, 1, 2, 3], [4, 5, 6, 7]])
    assert vmap(lambda row: ops.MapUniform()(row, 4, 2))(keys).tolist() == [[0, 4, 1, 5], [2, 6, 3, 7]]
    with pytest.raises(ValueError, match=r"PadAndShift: shift_idx is 2"):
        ops.PadAndShift()(Tensor([1]), Tensor([0, 1, 2]), 2)
