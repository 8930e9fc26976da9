import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn_step(gates_x, hidden, weight, bias):
    hidden = np.tanh(gates_x + hidden[0] @ weight.T + bias)
    return (hidden,)


def relu_step(gates_x, hidden, weight, bias):
    return (np.maximum(gates_x + hidden[0] @ weight.T + bias, 0),)


def lstm_step(gates_x, state, weight, bias):
    hidden, cell = state
    i, f, g, o = np.split(gates_x + hidden @ weight.T + bias, 4, axis=-1)
    cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(cell), cell


def gru_step(gates_x, state, weight, bias):
    (hidden,) = state
    rx, zx, nx = np.split(gates_x, 3, axis=-1)
    rh, zh, nh = np.split(hidden @ weight.T + bias, 3, axis=-1)
    new = np.tanh(nx + sigmoid(rx + rh) * nh)
    update = sigmoid(zx + zh)
    return ((1 - update) * new + update * hidden,)


KINDS = {"RNN": (nn.RNN, rnn_step, 1), "LSTM": (nn.LSTM, lstm_step, 2), "GRU": (nn.GRU, gru_step, 1)}


def reference(layer, step, x, states, lengths):
    """One sequence at a time, one step at a time; `x` is (length, batch, size)."""
    weights = {name: p.asnumpy() for name, p in layer.parameters_and_names()}
    directions = ("", "_reverse") if layer.bidirectional else ("",)
    finals = [np.zeros_like(s) for s in states]
    for index in range(layer.num_layers):
        outputs = []
        for d, suffix in enumerate(directions):
            key = f"_l{index}{suffix}"
            rows = weights["weight_hh" + key].shape[0]
            bias_ih = weights.get("bias_ih" + key, np.zeros(rows, np.float32))
            bias_hh = weights.get("bias_hh" + key, np.zeros(rows, np.float32))
            slot = index * len(directions) + d
            out = np.zeros((*x.shape[:2], layer.hidden_size), np.float32)
            for b in range(x.shape[1]):
                state = tuple(s[slot, b] for s in states)
                order = range(lengths[b])
                for t in reversed(order) if suffix else order:
                    gates = x[t, b] @ weights["weight_ih" + key].T + bias_ih
                    state = step(gates, state, weights["weight_hh" + key], bias_hh)
                    out[t, b] = state[0]
                for final, value in zip(finals, state, strict=True):
                    final[slot, b] = value
            outputs.append(out)
        x = np.concatenate(outputs, axis=-1)
    return x, finals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("num_layers", "bidirectional"), [(1, False), (2, False), (1, True), (2, True)])
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("lengths", [None, [2, 5, 1]])
def test_recurrent_layers_agree_with_numpy(kind, num_layers, bidirectional, has_bias, lengths):
    make, step, state_count = KINDS[kind]
    layer = make(3, 4, num_layers, has_bias, bidirectional=bidirectional)
    x = random(5, 3, 3)
    slots = num_layers * (2 if bidirectional else 1)
    states = [random(slots, 3, 4) for _ in range(state_count)]
    given = tuple(map(Tensor, states)) if state_count == 2 else Tensor(states[0])
    seq_length = None if lengths is None else Tensor(np.array(lengths, np.int32))
    output, final = layer(Tensor(x), given, seq_length)
    expected, expected_finals = reference(layer, step, x, states, lengths or [5] * 3)
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    finals = final if isinstance(final, tuple) else (final,)
    assert len(finals) == state_count
    for value, wanted in zip(finals, expected_finals, strict=True):
        np.testing.assert_allclose(value.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_starts_at_zero_and_batch_first_swaps(kind):
    make, step, state_count = KINDS[kind]
    layer = make(3, 4, batch_first=True)
    x = random(2, 5, 3)
    output, _ = layer(Tensor(x))
    zeros = [np.zeros((1, 2, 4), np.float32)] * state_count
    expected, _ = reference(layer, step, x.swapaxes(0, 1), zeros, [5, 5])
    assert output.shape == (2, 5, 4)
    np.testing.assert_allclose(output.asnumpy(), expected.swapaxes(0, 1), rtol=1e-4, atol=1e-5)


def test_relu_network():
    layer = nn.RNN(3, 4, nonlinearity="relu")
    x = random(5, 2, 3)
    expected, _ = reference(layer, relu_step, x, [np.zeros((1, 2, 4), np.float32)], [5, 5])
    np.testing.assert_allclose(layer(Tensor(x))[0].asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_parameter_names_and_order():
    layer = nn.GRU(3, 4, 2, bidirectional=True)
    names = [p.name for p in layer.get_parameters()]
    keys = ["l0", "l0_reverse", "l1", "l1_reverse"]
    assert names == [
        f"{kind}_{key}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh") for key in keys
    ]
    assert layer.weight_ih_l1.shape == (12, 8)
    assert nn.LSTM(3, 4).weight_ih_l0.shape == (16, 3)
    assert [p.name for p in nn.LSTMCell(3, 4).get_parameters()] == [
        "weight_ih",
        "weight_hh",
        "bias_ih",
        "bias_hh",
    ]


def test_initial_weights_are_within_the_inverse_root_of_the_hidden_size():
    for parameter in nn.LSTM(8, 25).get_parameters():
        assert np.abs(parameter.asnumpy()).max() <= 0.2
        assert np.abs(parameter.asnumpy()).max() > 0.15


def test_dropout_is_between_layers_and_only_while_training():
    layer = nn.LSTM(3, 4, 2, dropout=0.9)
    x = Tensor(random(5, 2, 3))
    still = layer(x)[0].asnumpy()
    assert (layer(x)[0].asnumpy() == still).all()
    layer.set_train()
    assert (layer(x)[0].asnumpy() != still).any()


@pytest.mark.parametrize(
    ("cell", "step"),
    [
        (nn.RNNCell(3, 4), rnn_step),
        (nn.RNNCell(3, 4, nonlinearity="relu"), relu_step),
        (nn.GRUCell(3, 4), gru_step),
        (nn.LSTMCell(3, 4), lstm_step),
        (nn.GRUCell(3, 4, has_bias=False), gru_step),
    ],
)
def test_recurrent_cells_agree_with_numpy(cell, step):
    x = random(2, 3)
    states = [random(2, 4) for _ in range(2 if isinstance(cell, nn.LSTMCell) else 1)]
    weight_ih, weight_hh = cell.weight_ih.asnumpy(), cell.weight_hh.asnumpy()
    bias_ih, bias_hh = ((b.asnumpy() if b is not None else 0) for b in (cell.bias_ih, cell.bias_hh))
    expected = step(x @ weight_ih.T + bias_ih, tuple(states), weight_hh, bias_hh)
    result = cell(Tensor(x), tuple(map(Tensor, states)) if len(states) == 2 else Tensor(states[0]))
    result = result if isinstance(result, tuple) else (result,)
    for value, wanted in zip(result, expected, strict=True):
        np.testing.assert_allclose(value.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.LSTM(3, 4, dropout=2.0), ValueError, "LSTM: dropout is 2.0; need a number in [0, 1)"),
        (lambda: nn.LSTM(3, 4, 0), ValueError, "LSTM: num_layers is 0; need an int of at least 1"),
        (lambda: nn.GRU(3, 4, batch_first=1), TypeError, "GRU: batch_first is 1 of type int; need a bool"),
        (
            lambda: nn.RNN(3, 4, nonlinearity="q"),
            ValueError,
            "RNN: nonlinearity is 'q'; need one of tanh, relu",
        ),
        (lambda: nn.RNNCell(3, 4, nonlinearity="q"), ValueError, "RNNCell: nonlinearity is 'q'"),
        (
            lambda: nn.LSTM(3, 4)(Tensor(random(5, 2, 2))),
            ValueError,
            "LSTM: x has shape (5, 2, 2); need 3 dimensions, the last of size 3",
        ),
        (
            lambda: nn.LSTM(3, 4)(Tensor(random(5, 2, 3)), Tensor(random(1, 2, 4))),
            TypeError,
            "need a tuple (hidden, cell)",
        ),
        (
            lambda: nn.GRU(3, 4)(Tensor(random(5, 2, 3)), Tensor(random(1, 3, 4))),
            ValueError,
            "GRU: hx has shape (1, 3, 4); need (1, 2, 4)",
        ),
        (
            lambda: nn.GRU(3, 4)(Tensor(random(5, 2, 3)), None, Tensor(np.array([1, 2, 3]))),
            ValueError,
            "GRU: seq_length has shape (3,); need (2,)",
        ),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_graph_of_the_gradient_is_as_long_for_any_sequence(kind):
    layer = kind(4, 8, num_layers=2, bidirectional=True)
    counts = []
    for length in (5, 50):
        derivative = dyad.grad(lambda x: (layer(x)[0] ** 2).sum(), 0, layer.trainable_params())
        found = dyad.explain(dyad.jit(derivative))(Tensor(random(length, 2, 4)))
        counts.append([stage.nodes for stage in found.stages])
    assert counts[0] == counts[1]
